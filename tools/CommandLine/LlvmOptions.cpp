//===- LlvmOptions.cpp - Tables of LLVM's options and passes --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LlvmOptions.h.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/LlvmOptions.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

using namespace soap;
using namespace soap::manual;
using llvm::StringRef;

namespace {

/// Collects the output on standard output while it exists.
class Capture {
public:
  Capture() {
    llvm::outs().flush();
    std::fflush(stdout);
    if (!file)
      return;
    saved = dup(STDOUT_FILENO);
    if (saved >= 0)
      dup2(fileno(file), STDOUT_FILENO);
  }
  ~Capture() {
    if (file)
      std::fclose(file);
  }
  Capture(const Capture &) = delete;
  Capture &operator=(const Capture &) = delete;

  /// Ends the capture.
  std::string end() {
    llvm::outs().flush();
    if (saved < 0)
      return "";
    dup2(saved, STDOUT_FILENO);
    close(saved);
    std::string text;
    std::rewind(file);
    char buffer[4096];
    while (size_t count = std::fread(buffer, 1, sizeof(buffer), file))
      text.append(buffer, count);
    return text;
  }

private:
  std::FILE *file = std::tmpfile();
  int saved = -1;
};

/// The name of a value, for a person: `int` is one of many names of numbers.
std::string valueName(StringRef name) {
  if (name.empty())
    return "true";
  if (name == "string")
    return "TEXT";
  for (StringRef number : {"int", "uint", "long", "ulong", "number"})
    if (name == number)
      return "N";
  return name.str();
}

/// By name, whatever the number of dashes.
void sortByName(std::vector<Option> &options) {
  llvm::sort(options, [](const Option &a, const Option &b) {
    return StringRef(a.names.front()).ltrim('-') <
           StringRef(b.names.front()).ltrim('-');
  });
}

/// `--topology=<string>   - The cluster`, `=text   -   Devices`: the parts.
struct Line {
  StringRef name, value, text;
};
Line parseLine(StringRef line) {
  line = line.trim();
  auto [head, text] = line.split(" - ");
  auto [name, value] = head.trim().split('=');
  return {name.ltrim('-'), value.trim("<>"), text.trim()};
}

/// The values that options of a pass have unless they are given, by name.
/// Options without a value, and flags that are off, have none.
llvm::StringMap<std::string> readDefaults(const mlir::PassInfo &info) {
  mlir::OpPassManager manager("builtin.module",
                              mlir::OpPassManager::Nesting::Implicit);
  auto ignore = [](const llvm::Twine &) { return mlir::failure(); };
  if (mlir::failed(info.addToPipeline(manager, "", ignore)) ||
      manager.size() != 1)
    return {};
  // soap-partition{function=f streams=true}, in func.func(...) if the pass is
  // for functions.
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  manager.begin()->printAsTextualPipeline(stream);
  StringRef rest =
      StringRef(printed).split((info.getPassArgument() + "{").str()).second;
  llvm::StringMap<std::string> defaults;
  while (!rest.empty() && rest.front() != '}') {
    auto [name, behind] = rest.split('=');
    size_t end = 0;
    for (int depth = 0; end < behind.size(); ++end) {
      if (depth == 0 && (behind[end] == ' ' || behind[end] == '}'))
        break;
      depth += behind[end] == '{' ? 1 : behind[end] == '}' ? -1 : 0;
    }
    StringRef value = behind.take_front(end).trim("{}\"");
    double number = 0;
    if (value.contains('e') && !value.getAsDouble(number)) {
      llvm::raw_string_ostream(defaults[name]) << llvm::format("%g", number);
    } else if (!value.empty() && value != "false") {
      defaults[name] = value.str();
    }
    rest = behind.drop_front(end).ltrim();
  }
  return defaults;
}

/// Texts that name a default, or say when there is one, stay.
void addDefaults(Option &pass, const llvm::StringMap<std::string> &defaults) {
  for (Option &option : pass.options)
    if (auto found = defaults.find(option.names.front());
        found != defaults.end() && !StringRef(option.text).contains("efault"))
      option.text += " (default: " + found->second + ")";
}

/// MLIR prints a default that is none of its option's choices as an undefined
/// string. In LLVM 22.1 one pass has such an option.
bool hasReadableDefaults(const mlir::PassInfo &pass) {
  return pass.getPassArgument() != "llvm-use-default-visibility";
}

Option readPass(const mlir::PassRegistryEntry &entry) {
  Option pass;
  pass.names = {"--" + entry.getPassArgument().str()};
  pass.text = entry.getPassDescription().str();
  // A column behind all names: MLIR does not check that there is room for them.
  size_t column = entry.getPassArgument().size() + entry.getOptionWidth() + 40;
  Capture capture;
  entry.printHelpStr(0, column);
  std::string printed = capture.end();
  llvm::SmallVector<StringRef> lines;
  StringRef(printed).split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (size_t i = 1; i < lines.size(); ++i) {
    StringRef trimmed = lines[i].trim();
    if (trimmed.starts_with("--")) {
      Line line = parseLine(trimmed);
      Option &option = pass.options.emplace_back();
      option.names = {line.name.str()};
      option.value = valueName(line.value);
      option.text = line.text.str();
    } else if (trimmed.starts_with("=") && !pass.options.empty()) {
      Line line = parseLine(trimmed.drop_front());
      pass.options.back().choices.push_back({line.name.str(), line.text.str()});
    }
  }
  return pass;
}

} // namespace

Option manual::readOption(StringRef name, const llvm::cl::Option &option) {
  Option result;
  result.names = {(name.size() == 1 ? "-" : "--") + name.str()};
  result.text = option.HelpStr.str();
  result.value = option.ValueStr.str();
  if (result.value.empty() &&
      option.getValueExpectedFlag() == llvm::cl::ValueRequired)
    result.value = "VALUE";
  if (StringRef(result.value).contains('|')) {
    llvm::SmallVector<StringRef> choices;
    StringRef(result.value).split(choices, '|');
    for (StringRef choice : choices)
      result.choices.push_back({choice.str(), ""});
  }
  return result;
}

std::vector<Option> manual::optionsOf(llvm::cl::OptionCategory *category) {
  std::vector<Option> options;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if ((!category || llvm::is_contained(option->Categories, category)) &&
        option->getOptionHiddenFlag() == llvm::cl::NotHidden &&
        !mlir::PassInfo::lookup(name) && !mlir::PassPipelineInfo::lookup(name))
      options.push_back(readOption(name, *option));
  sortByName(options);
  return options;
}

std::vector<Option> manual::readPasses(bool (*accepts)(StringRef name)) {
  std::vector<Option> passes;
  for (auto &[name, option] : llvm::cl::getRegisteredOptions()) {
    if (!accepts(name))
      continue;
    if (const mlir::PassInfo *pass = mlir::PassInfo::lookup(name)) {
      passes.push_back(readPass(*pass));
      if (hasReadableDefaults(*pass))
        addDefaults(passes.back(), readDefaults(*pass));
    } else if (const auto *pipeline = mlir::PassPipelineInfo::lookup(name)) {
      passes.push_back(readPass(*pipeline));
    }
  }
  sortByName(passes);
  return passes;
}

bool manual::asksForHelp(int argc, char **argv) {
  return std::any_of(argv + 1, argv + argc, [](StringRef argument) {
    return argument == "--help" || argument == "-help" || argument == "-h";
  });
}
