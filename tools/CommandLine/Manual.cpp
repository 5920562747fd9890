//===- Manual.cpp - Help of a tool ----------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Manual.h.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/Manual.h"
#include "Soap/Support/Version.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

using namespace soap;
using namespace soap::manual;

/// Characters of a text in UTF-8.
static size_t length(const std::string &text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
      }));
}

std::vector<std::string> manual::wrapped(const std::string &text,
                                         size_t width) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string &line = lines.back();
    if (!line.empty() && length(line) + 1 + length(word) > width)
      lines.push_back(word);
    else
      line += (line.empty() ? "" : " ") + word;
  }
  return lines;
}

/// A term and its text in two columns, the second one at `column`.
static std::string inColumns(const std::string &term, const std::string &text,
                             size_t column) {
  std::string result = term;
  size_t at = length(term);
  if (at + 1 > column && !text.empty()) {
    result += "\n";
    at = 0;
  }
  for (const std::string &line : wrapped(text, helpWidth - column)) {
    if (!line.empty())
      result += std::string(column - at, ' ') + line;
    result += "\n";
    at = 0;
  }
  return result;
}

static std::string flagsOf(const Option &option, bool isOfPass) {
  std::string text;
  for (const std::string &name : option.names)
    text += (text.empty() ? "" : ", ") + name;
  return text +
         (option.value.empty() ? "" : (isOfPass ? "=" : " ") + option.value);
}

static std::string optionText(const Option &option, size_t indent,
                              size_t column, bool isOfPass = false) {
  std::string result =
      inColumns(std::string(indent, ' ') + flagsOf(option, isOfPass),
                option.text, column);
  // Choices that say nothing are in the text.
  for (const Choice &choice : option.choices)
    if (!choice.text.empty())
      result +=
          inColumns(std::string(column, ' ') + choice.name + ": " + choice.text,
                    "", column);
  for (const Option &inner : option.options)
    result += optionText(inner, indent + 4, column + 4, /*isOfPass=*/true);
  return result;
}

std::string manual::commandName(const Manual &manual) {
  return manual.tool.substr(manual.tool.rfind(' ') + 1);
}

std::string manual::printHelp(const Manual &manual) {
  std::string text = manual.tool + ": " + manual.purpose + "\n\n";
  size_t longest = 0;
  for (const auto &[command, meaning] : manual.usage)
    longest = std::max(longest, length(command));
  bool first = true;
  for (const auto &[command, meaning] : manual.usage) {
    text += inColumns((first ? "usage: " : "       ") + command, meaning,
                      std::min<size_t>(longest + 9, 58));
    first = false;
  }
  auto paragraphs = [&](const std::vector<std::string> &list) {
    for (const std::string &paragraph : list) {
      text += "\n";
      for (const std::string &line : wrapped(paragraph, helpWidth))
        text += line + "\n";
    }
  };
  paragraphs(manual.paragraphs);
  if (!manual.commands.empty())
    text += "\ncommands\n";
  for (const Manual &command : manual.commands)
    text += inColumns("  " + commandName(command), command.purpose, 27);
  if (!manual.examples.empty())
    text += "\nexamples\n";
  for (const std::string &example : manual.examples)
    text += "  " + example + "\n";
  for (const Group &group : manual.groups) {
    text += "\n" + group.title + "\n";
    for (const Option &option : group.options)
      text += optionText(option, 2, 27);
  }
  paragraphs(manual.notes);
  return text;
}

const Option *manual::findOption(const Manual &manual,
                                 const std::string &name) {
  for (const Group &group : manual.groups)
    for (const Option &option : group.options)
      if (std::find(option.names.begin(), option.names.end(), name) !=
          option.names.end())
        return &option;
  return nullptr;
}

bool manual::printForBuild(int argc, char **argv, const Manual &manual) {
  std::string last = argc > 1 ? argv[argc - 1] : "";
  if (last == "--print-man-page")
    std::fputs(printManPage(manual, versionLine()).c_str(), stdout);
  else if (last == "--print-completion")
    std::fputs(printCompletion(manual).c_str(), stdout);
  else
    return false;
  return true;
}
