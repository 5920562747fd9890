//===- Autotune.cpp - Choices by measurement, kept in a file --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Autotune.h. The file: {"version": 1, "choices": {KEY: CANDIDATE}}.
//
//===----------------------------------------------------------------------===//

#include "Autotune.h"

#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"
#include "Support/CacheFolder.h"
#include "Support/Json.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <optional>
#include <sys/file.h>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr int64_t maxBytes = int64_t(64) << 20;

/// Held while choices are read, measured and written: processes of one machine
/// agree.
class FileLock {
public:
  explicit FileLock(const std::string &path)
      : fd(path.empty()
               ? -1
               : open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666)) {
    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  ~FileLock() {
    if (fd >= 0)
      close(fd);
  }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;

private:
  int fd;
};

std::map<std::string, std::string> readChoices(const jsonfile::Cursor &root) {
  root["version"].integer(1, 1);
  std::map<std::string, std::string> choices;
  for (const auto &[key, choice] : root["choices"].members()) {
    if (!choice.isString())
      choice.failExpected("the name of an algorithm");
    choices[key] = choice.text();
  }
  return choices;
}

Expected<std::map<std::string, std::string>>
parseChoices(const std::string &text, const std::string &source) {
  nlohmann::json root = nlohmann::json::parse(text, nullptr, false);
  if (root.is_discarded())
    return Error{source + ": expected JSON"};
  return jsonfile::read(root, source, readChoices);
}

} // namespace

std::string Autotuner::defaultPath() {
  if (const char *file = std::getenv("SOAP_GPU_ALGORITHMS"))
    return file;
  std::string folder = cacheFolder();
  return folder.empty() ? "" : folder + "/gpu-algorithms.json";
}

void Autotuner::load() {
  if (path.empty() || access(path.c_str(), F_OK) != 0)
    return;
  auto text = readFile(path, maxBytes);
  auto parsed =
      text ? parseChoices(*text, path)
           : Expected<std::map<std::string, std::string>>(text.takeError());
  if (parsed) {
    for (auto &[key, choice] : *parsed)
      choices.try_emplace(key, choice);
    return;
  }
  tell(parsed.error() + "; the choice of algorithms begins anew");
}

void Autotuner::tell(const std::string &text) {
  if (!noted && note)
    note(text);
  noted = true;
}

void Autotuner::remark(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  tell(text);
}

void Autotuner::save() {
  if (path.empty())
    return;
  nlohmann::json root = {{"version", 1}, {"choices", choices}};
  MaybeError error = writeFile(path, root.dump(1) + "\n");
  if (error)
    tell(error->message + "; algorithms will be chosen again by the next run");
}

std::optional<size_t>
Autotuner::find(const std::string &key,
                const std::vector<std::string> &candidates) {
  auto choice = choices.find(key);
  if (choice == choices.end())
    return std::nullopt;
  auto found = std::find(candidates.begin(), candidates.end(), choice->second);
  if (found != candidates.end())
    return size_t(found - candidates.begin());
  // Of another build of the library: measured again.
  choices.erase(choice);
  return std::nullopt;
}

std::optional<size_t>
Autotuner::recall(const std::string &key,
                  const std::vector<std::string> &candidates) {
  std::lock_guard<std::mutex> lock(mutex);
  auto choice = find(key, candidates);
  if (choice)
    keysUsed.insert(key);
  return choice;
}

std::map<std::string, std::string> Autotuner::used() {
  std::lock_guard<std::mutex> lock(mutex);
  std::map<std::string, std::string> result;
  for (const std::string &key : keysUsed)
    if (auto choice = choices.find(key); choice != choices.end())
      result.insert(*choice);
  return result;
}

bool Autotuner::adopt(const std::map<std::string, std::string> &others) {
  std::lock_guard<std::mutex> lock(mutex);
  FileLock processes(path.empty() ? "" : path + ".lock");
  bool changed = false;
  for (const auto &[key, name] : others) {
    auto choice = choices.find(key);
    if (!keysUsed.contains(key) || choice == choices.end() ||
        choice->second == name)
      continue;
    choice->second = name;
    changed = true;
  }
  if (changed) {
    load();
    save();
  }
  return changed;
}

Expected<size_t> Autotuner::choose(const std::string &key,
                                   const std::vector<std::string> &candidates,
                                   const Measure &measure) {
  std::lock_guard<std::mutex> lock(mutex);
  keysUsed.insert(key);
  if (auto choice = find(key, candidates))
    return *choice;
  if (candidates.empty())
    return Error{"no algorithm for " + key};
  // If they cannot be made, writing says so.
  std::error_code ignored;
  if (!path.empty())
    std::filesystem::create_directories(
        std::filesystem::path(path).parent_path(), ignored);
  FileLock others(path.empty() ? "" : path + ".lock");
  load();
  if (auto choice = find(key, candidates))
    return *choice;
  ++measurements;
  std::vector<std::pair<double, size_t>> times;
  Error last;
  for (size_t i = 0; i < candidates.size(); ++i) {
    auto time = measure(i);
    if (time)
      times.emplace_back(*time, i);
    else
      last = time.takeError();
  }
  if (times.empty())
    return last;
  double best = std::min_element(times.begin(), times.end())->first;
  constexpr double alike = 1.02;
  size_t chosen =
      std::find_if(times.begin(), times.end(), [&](const auto &time) {
        return time.first <= best * alike;
      })->second;
  choices[key] = candidates[chosen];
  save();
  return chosen;
}
