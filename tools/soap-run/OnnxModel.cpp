//===- OnnxModel.cpp - From an ONNX file to a module ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See OnnxModel.h. The commands that are printed are those that are run, apart
// from the folder of the files between.
//
//===----------------------------------------------------------------------===//

#include "OnnxModel.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

using namespace soap;
using namespace soap::run;

namespace {

/// All options of the training step.
std::string stepOptions(const Options &options) {
  std::string text;
  auto add = [&](const std::string &option) {
    text += (text.empty() ? "" : " ") + option;
  };
  for (auto [name, value] : {std::pair{"loss", &options.loss},
                             std::pair{"optimizer", &options.optimizer},
                             std::pair{"learning-rate", &options.learningRate}})
    if (!value->empty())
      add(std::string(name) + "=" + *value);
  if (options.ignoreIndex)
    add("ignore-index=" + std::to_string(*options.ignoreIndex));
  if (options.accumulate > 1)
    add("accumulate=true");
  if (!options.step.empty())
    add(options.step);
  return text;
}

/// The time of a search without --search.
constexpr const char *defaultSearch = "time-limit=10";

std::string topologyOf(const Options &options) {
  if (options.topology.empty() && options.devices)
    return "cpu-" + std::to_string(options.devices);
  return options.topology;
}

std::vector<std::string> wordsOf(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  for (char c : text + " ")
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      words.push_back(word);
      word.clear();
    }
  return words;
}

/// The arguments of soap-run on the module that the commands write: without the
/// flags that the commands have used.
std::vector<std::string> lastCommand(const Options &options,
                                     const OnnxCommands &commands) {
  const std::vector<std::string> &arguments = options.arguments;
  std::vector<std::string> dropped = {"--import",    "--step",
                                      "--search",    "--loss",
                                      "--optimizer", "--learning-rate"};
  if (commands.searched)
    dropped.insert(dropped.end(), {"--topology", "--devices"});
  std::vector<std::string> words = {"soap-run", arguments[0], commands.module};
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string &argument = arguments[i];
    size_t equals = argument.find('=');
    std::string name = argument.substr(0, equals);
    if (std::find(dropped.begin(), dropped.end(), name) != dropped.end()) {
      if (equals == std::string::npos)
        ++i; // its value
      continue;
    }
    if (argument != options.file)
      words.push_back(argument);
  }
  return words;
}

} // namespace

bool run::isOnnxFile(const std::string &path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    return false;
  std::ifstream stream(path, std::ios::binary);
  std::array<char, 3> bytes = {};
  if (!stream.read(bytes.data(), bytes.size()))
    return false;
  std::string name = path;
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  // The version of the IR (field 1, a number), then a field with a length. No
  // text begins so.
  return name.ends_with(".onnx") || (bytes[0] == 0x08 && bytes[1] > 0 &&
                                     bytes[1] < 0x20 && (bytes[2] & 7) == 2);
}

OnnxCommands run::onnxCommands(const Options &options,
                               const std::string &folder) {
  std::string name =
      folder + std::filesystem::path(options.file).stem().string();
  OnnxCommands result;
  auto add = [&](std::vector<std::string> words, const std::string &suffix) {
    result.module = name + suffix;
    words.insert(words.end(), {"-o", result.module});
    result.commands.push_back(std::move(words));
  };
  std::vector<std::string> import = {"soap-translate", "--import-onnx",
                                     options.file};
  for (const std::string &word : wordsOf(options.import))
    import.push_back(word);
  add(std::move(import), ".mlir");
  if (options.command != Command::Predict && options.entry != "forward") {
    std::string pass = "--soap-build-training-step";
    if (std::string step = stepOptions(options); !step.empty())
      pass += "=" + step;
    add({"soap-opt", result.module, pass}, ".step.mlir");
  }
  if (std::string topology = topologyOf(options);
      !topology.empty() && options.preset.empty() && options.strategy.empty() &&
      options.plan.empty()) {
    result.searched = true;
    add({"soap-opt", result.module,
         "--soap-auto-parallel=topology=" + topology + " " +
             (options.search.empty() ? defaultSearch : options.search)},
        ".searched.mlir");
  }
  return result;
}

MaybeError run::prepareOnnx(Options &options, ScratchFolder &folder) {
  OnnxCommands shown = onnxCommands(options, "");
  std::string byHand;
  for (const std::vector<std::string> &words : shown.commands)
    byHand += "  " + quoted(words) + "\n";
  byHand += "  " + quoted(lastCommand(options, shown)) + "\n";
  if (!options.quiet)
    std::fprintf(stderr, "soap-run: %s is an ONNX model; the same by hand:\n%s",
                 options.file.c_str(), byHand.c_str());
  if (folder.getPath().empty())
    if (MaybeError error = folder.make())
      return error;
  OnnxCommands commands = onnxCommands(options, folder.getPath());
  for (const std::vector<std::string> &words : commands.commands)
    if (MaybeError error = runTool(words))
      return Error{options.file + ": " + error->message +
                   "; flags of the import go behind --import, options of the "
                   "training step behind --step, of the search behind "
                   "--search"};
  options.file = commands.module;
  if (commands.searched) {
    options.topology.clear();
    options.devices = 0;
  }
  return std::nullopt;
}
