//===- InputFile.cpp - Files that a user names as input -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InputFile.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

using namespace soap;

namespace {

/// Shorter than a user waits for a message, longer than a program takes to
/// start and write.
constexpr int pipePatienceMs = 3000;

Error systemError(const std::string &path, const char *what) {
  return Error{path + ": cannot " + what + ": " + std::strerror(errno)};
}

const char *specialKind(mode_t mode) {
  if (S_ISREG(mode))
    return nullptr;
  return S_ISDIR(mode)    ? "a directory"
         : S_ISFIFO(mode) ? "a pipe"
         : S_ISSOCK(mode) ? "a socket"
                          : "a device";
}

/// Null for what can be read: a regular file or a pipe.
const char *unreadableKind(mode_t mode) {
  return S_ISFIFO(mode) ? nullptr : specialKind(mode);
}

int64_t memoryOfMachine() {
  int64_t pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  return pages > 0 && size > 0 ? pages * size : int64_t(1) << 40;
}

Error tooLarge(const std::string &path, int64_t limit, const char *what) {
  return Error{path + ": expected at most " + std::to_string(limit) + " bytes" +
               what};
}

/// Reads to the end; more than `limit` bytes are never held.
Expected<std::string> readToEnd(int fd, const std::string &path, int64_t limit,
                                const char *what) {
  std::string text, chunk(size_t(1) << 20, '\0');
  for (;;) {
    ssize_t count;
    do
      count = read(fd, chunk.data(), chunk.size());
    while (count < 0 && errno == EINTR);
    if (count < 0)
      return systemError(path, "read");
    if (count == 0)
      return text;
    if (int64_t(text.size()) + count > limit)
      return tooLarge(path, limit, what);
    text.append(chunk.data(), size_t(count));
  }
}

/// A file whose size is known: its bytes go to their place at once.
Expected<std::string> readSized(int fd, const std::string &path, int64_t size) {
  std::string text(size_t(size), '\0');
  size_t done = 0;
  while (done < text.size()) {
    ssize_t count = read(fd, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return systemError(path, "read");
    if (count == 0)
      break;
    done += size_t(count);
  }
  text.resize(done);
  return text;
}

/// An error unless bytes come, or a writer that ends without any.
MaybeError awaitWriter(int fd, const std::string &path) {
  pollfd wait{fd, POLLIN, 0};
  int count;
  do
    count = poll(&wait, 1, pipePatienceMs);
  while (count < 0 && errno == EINTR);
  if (count < 0)
    return systemError(path, "read");
  if (count == 0)
    return Error{path +
                 ": expected a file, got a pipe that nothing was "
                 "written to within " +
                 std::to_string(pipePatienceMs / 1000) + " s"};
  if (fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK) != 0)
    return systemError(path, "read");
  return std::nullopt;
}

} // namespace

int64_t InputLimits::unpacked(int64_t packed) const {
  int64_t most = INT64_MAX / unpackRatio;
  return std::max(unpackedBytes, std::min(packed, most) * unpackRatio);
}

InputLimits &soap::inputLimits() {
  static InputLimits limits;
  return limits;
}

Expected<int64_t> soap::parseByteCount(const std::string &text) {
  int64_t number = 0;
  const char *last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number);
  std::string unit(end, last);
  int shift = unit.empty()   ? 0
              : unit == "KB" ? 10
              : unit == "MB" ? 20
              : unit == "GB" ? 30
                             : -1;
  if (error != std::errc() || shift < 0 || number < 1 ||
      number > (INT64_MAX >> 1) >> shift)
    return Error{"expected a number of bytes such as 1048576, 512MB or 4GB, "
                 "got '" +
                 text + "'"};
  return number << shift;
}

MaybeError soap::setInputLimit(const std::string &text) {
  auto bytes = parseByteCount(text);
  if (!bytes)
    return bytes.takeError();
  inputLimits().pipeBytes = inputLimits().unpackedBytes = *bytes;
  return std::nullopt;
}

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  std::swap(fd, other.fd);
  return *this;
}

Descriptor::~Descriptor() {
  if (fd >= 0)
    close(fd);
}

int Descriptor::release() { return std::exchange(fd, -1); }

Expected<InputFile> soap::openInputFile(const std::string &path) {
  struct stat info{};
  // Before it is opened: that alone may start a device.
  if (stat(path.c_str(), &info) != 0)
    return systemError(path, "open");
  auto refuse = [&](const char *kind) {
    return Error{path + ": expected a file, got " + kind};
  };
  if (const char *kind = unreadableKind(info.st_mode))
    return refuse(kind);
  InputFile file;
  file.descriptor = Descriptor(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  int fd = file.descriptor.get();
  if (fd < 0)
    return systemError(path, "open");
  if (fstat(fd, &info) != 0)
    return systemError(path, "read");
  if (const char *kind = unreadableKind(info.st_mode))
    return refuse(kind);
  file.isPipe = S_ISFIFO(info.st_mode);
  if (!file.isPipe) {
    file.size = info.st_size;
    return file;
  }
  if (MaybeError error = awaitWriter(fd, path))
    return *error;
  return file;
}

MaybeError soap::checkInputSize(const std::string &path, int64_t size,
                                int64_t limit) {
  int64_t memory = memoryOfMachine();
  if (size > std::min(limit, memory))
    return tooLarge(path, std::min(limit, memory),
                    memory < limit ? ", the memory of this machine" : "");
  return std::nullopt;
}

Expected<std::string> soap::readFile(const std::string &path, int64_t limit) {
  auto file = openInputFile(path);
  if (!file)
    return file.takeError();
  if (MaybeError error = checkInputSize(path, file->size, limit))
    return *error;
  const char *what = "";
  if (file->isPipe && inputLimits().pipeBytes < limit) {
    limit = inputLimits().pipeBytes;
    what = " from a pipe (option --input-limit)";
  }
  try {
    int fd = file->descriptor.get();
    return file->size ? readSized(fd, path, file->size)
                      : readToEnd(fd, path, limit, what);
  } catch (const std::bad_alloc &) {
    return Error{path + ": not enough memory to read it"};
  }
}

Expected<std::string>
soap::readDescriptor(int descriptor, const std::string &name, int64_t limit) {
  return readToEnd(descriptor, name, limit, " (option --input-limit)");
}

const char *soap::specialKind(const std::string &path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 ? ::specialKind(info.st_mode) : nullptr;
}
