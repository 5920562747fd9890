//===- WriteFile.cpp - Atomic writing -------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole files are written beside their place and renamed, so that a reader,
// even one after a crash, finds the old file or the new one.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/FileIO.h"

#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace soap;

namespace {

constexpr const char *kSuffix = ".tmp"; // and the number of the process

/// "a/b/c" as "a/b/" and "c".
std::pair<std::string, std::string> split(const std::string &path) {
  size_t slash = path.rfind('/');
  if (slash == std::string::npos)
    return {"./", path};
  return {path.substr(0, slash + 1), path.substr(slash + 1)};
}

/// Null if all was written.
const char *
writeAll(int fd, const std::vector<std::pair<const char *, size_t>> &parts) {
  for (auto [data, size] : parts)
    while (size) {
      ssize_t count = write(fd, data, size);
      if (count < 0 && errno == EINTR)
        continue;
      if (count < 0)
        return std::strerror(errno);
      data += count;
      size -= size_t(count);
    }
  return nullptr;
}

/// Removes what writers of `path` left that were killed: their process is gone,
/// and so is the lock that they held on the file. The lock speaks for processes
/// of other hosts and containers, whose numbers mean nothing here.
void removeStale(const std::string &path) {
  auto [folder, name] = split(path);
  std::string start = name + kSuffix;
  DIR *entries = opendir(folder.c_str());
  if (!entries)
    return;
  while (const dirent *entry = readdir(entries)) {
    std::string candidate = entry->d_name;
    if (!candidate.starts_with(start))
      continue;
    std::string digits = candidate.substr(start.size());
    if (digits.empty() || digits.size() > 9 || digits[0] == '0' ||
        !std::all_of(digits.begin(), digits.end(),
                     [](char c) { return c >= '0' && c <= '9'; }))
      continue;
    if (kill(pid_t(std::stol(digits)), 0) == 0 || errno != ESRCH)
      continue;
    std::string stale = folder + candidate;
    Descriptor file{
        open(stale.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)};
    struct stat info;
    if (file.get() >= 0 && fstat(file.get(), &info) == 0 &&
        S_ISREG(info.st_mode) && flock(file.get(), LOCK_EX | LOCK_NB) == 0)
      unlink(stale.c_str());
  }
  closedir(entries);
}

} // namespace

MaybeError
soap::writeFile(const std::string &name,
                const std::vector<std::pair<const char *, size_t>> &parts) {
  auto error = [&](const char *reason) {
    return Error{name + ": cannot write: " + reason};
  };
  // A link stays one, and its target is replaced.
  std::string path = name;
  if (char *real = realpath(name.c_str(), nullptr)) {
    path = real;
    free(real);
  }
  struct stat info;
  bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode))
    return error("is a directory");
  // A device or a pipe cannot be replaced: /dev/null would become a file.
  if (exists && !S_ISREG(info.st_mode)) {
    Descriptor file{open(path.c_str(), O_WRONLY | O_CLOEXEC)};
    if (file.get() < 0)
      return error(std::strerror(errno));
    if (const char *reason = writeAll(file.get(), parts))
      return error(reason);
    return std::nullopt;
  }

  removeStale(path);
  std::string temporary = path + kSuffix + std::to_string(getpid());
  Descriptor file{
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)};
  if (file.get() < 0)
    return error(std::strerror(errno));
  (void)flock(file.get(), LOCK_EX | LOCK_NB); // see removeStale
  auto failed = [&](const char *reason) {
    unlink(temporary.c_str());
    return error(reason);
  };
  if (const char *reason = writeAll(file.get(), parts))
    return failed(reason);
  // On disk before the rename makes it visible.
  if (fsync(file.get()) != 0 && errno != EINVAL)
    return failed(std::strerror(errno));
  if (rename(temporary.c_str(), path.c_str()) != 0)
    return failed(std::strerror(errno));
  // The new name is on disk once its folder is. Some file systems cannot.
  Descriptor parent{
      open(split(path).first.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (parent.get() >= 0)
    (void)fsync(parent.get());
  return std::nullopt;
}

MaybeError soap::writeFile(const std::string &path, const std::string &text) {
  return writeFile(path, {{text.data(), text.size()}});
}
