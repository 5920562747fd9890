//===- ToolRuns.cpp - Commands that soap-run runs -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ToolRuns.h.
//
//===----------------------------------------------------------------------===//

#include "ToolRuns.h"

#include "CommandLine/Shell.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace soap;
using namespace soap::run;

extern char **environ;

namespace {

/// The tool that runs; 0: none.
std::atomic<pid_t> running{0};

std::mutex folderMutex;
/// Null: there is none.
ScratchFolder *folder = nullptr;

void removePath(std::string &path) {
  std::error_code ignored;
  if (!path.empty())
    std::filesystem::remove_all(path, ignored);
  path.clear();
}

} // namespace

std::string run::quoted(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words) {
    std::string shown = commandline::quoteForShell(word);
    size_t equals = word.find('=');
    // As people write it: --pass='options'.
    if (shown != word && word.starts_with("--") &&
        equals != std::string::npos && word.find('\'') == std::string::npos)
      shown = word.substr(0, equals + 1) + "'" + word.substr(equals + 1) + "'";
    text += (text.empty() ? "" : " ") + shown;
  }
  return text;
}

MaybeError run::runTool(const std::vector<std::string> &words) {
  std::string tool = commandline::programPath(words[0]);
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (int error = posix_spawnp(&child, tool.c_str(), nullptr, nullptr,
                               arguments.data(), environ))
    return Error{"cannot start '" + words[0] + "' (" + std::strerror(error) +
                 ")"};
  running.store(child);
  int status = 0;
  pid_t ended = -1;
  do
    ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  running.store(0);
  if (ended < 0)
    return Error{"cannot wait for '" + words[0] + "': " + std::strerror(errno)};
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return std::nullopt;
  return Error{
      "'" + words[0] +
      (WIFSIGNALED(status)
           ? "' was ended by signal " + std::to_string(WTERMSIG(status))
           : "' failed with status " + std::to_string(WEXITSTATUS(status)))};
}

ScratchFolder::ScratchFolder() {
  std::lock_guard<std::mutex> lock(folderMutex);
  folder = this;
}

ScratchFolder::~ScratchFolder() {
  std::lock_guard<std::mutex> lock(folderMutex);
  removePath(path);
  folder = nullptr;
}

void ScratchFolder::remove() {
  std::lock_guard<std::mutex> lock(folderMutex);
  removePath(path);
}

MaybeError ScratchFolder::make() {
  std::lock_guard<std::mutex> lock(folderMutex);
  const char *base = std::getenv("TMPDIR");
  std::string name =
      std::string(base && *base ? base : "/tmp") + "/soap-run-XXXXXX";
  if (!mkdtemp(name.data()))
    return Error{name + ": cannot create a folder: " + std::strerror(errno)};
  path = name + "/";
  return std::nullopt;
}

void run::removeLeftovers() {
  if (pid_t child = running.load()) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  std::lock_guard<std::mutex> lock(folderMutex);
  if (folder)
    removePath(folder->path);
}
