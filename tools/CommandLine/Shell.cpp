//===- Shell.cpp - Commands that tools run and print ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Shell.h.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/Shell.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace soap;

std::string commandline::quoteForShell(const std::string &word) {
  bool plain = !word.empty() &&
               std::all_of(word.begin(), word.end(), [](unsigned char c) {
                 return std::isalnum(c) || std::strchr("-_./=:,+@%", c);
               });
  return plain ? word : "'" + substitute(word, "'", "'\\''") + "'";
}

std::string commandline::programPath(const std::string &name) {
  if (name.find('/') != std::string::npos)
    return name;
  std::error_code failed;
  auto self = std::filesystem::read_symlink("/proc/self/exe", failed);
  std::filesystem::path beside = self.parent_path() / name;
  return !failed && access(beside.c_str(), X_OK) == 0 ? beside.string() : name;
}

std::string commandline::substitute(std::string text, const std::string &name,
                                    const std::string &value) {
  for (size_t at = 0; (at = text.find(name, at)) != std::string::npos;
       at += value.size())
    text.replace(at, name.size(), value);
  return text;
}
