//===- FileIO.cpp - Whole files -------------------------------------------===//
//
// Reading with a limit. WriteFile.cpp writes.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Files.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0)
      close(fd);
  }
};

Error systemError(const std::string &path, const char *what) {
  return Error{path + ": cannot " + what + ": " + std::strerror(errno)};
}

/// What `next(data, size)` reads into chunks until it returns 0; an error if
/// that is more than `limit` bytes.
template <typename Next>
Expected<std::string> readAll(const std::string &path, int64_t limit,
                              Next next) {
  std::string text, chunk(size_t(1) << 20, '\0');
  for (;;) {
    Expected<size_t> count = next(chunk.data(), chunk.size());
    if (!count)
      return count.takeError();
    if (*count == 0)
      return text;
    text.append(chunk.data(), *count);
    if (int64_t(text.size()) > limit)
      return Error{path + ": expected at most " + std::to_string(limit) +
                   " bytes"};
  }
}

} // namespace

Expected<std::string> runtime::readFile(const std::string &path,
                                        int64_t limit) {
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  if (file.fd < 0)
    return systemError(path, "open");
  struct stat info;
  if (fstat(file.fd, &info) != 0)
    return systemError(path, "read");
  if (S_ISDIR(info.st_mode))
    return Error{path + ": expected a file, got a directory"};
  return readAll(path, limit, [&](char *data, size_t size) -> Expected<size_t> {
    ssize_t count;
    do
      count = read(file.fd, data, size);
    while (count < 0 && errno == EINTR);
    if (count < 0)
      return systemError(path, "read");
    return size_t(count);
  });
}

Expected<std::string> runtime::readUnpacked(const std::string &path,
                                            int64_t limit) {
  struct stat info;
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode))
    return Error{path + ": expected a file, got a directory"};
  struct Gzip {
    gzFile file;
    ~Gzip() {
      if (file)
        gzclose(file);
    }
  } gzip{gzopen(path.c_str(), "rb")};
  if (!gzip.file)
    return systemError(path, "open");
  return readAll(path, limit, [&](char *data, size_t size) -> Expected<size_t> {
    int count = gzread(gzip.file, data, unsigned(size));
    // A truncated file shows as Z_BUF_ERROR at its end.
    int status = Z_OK;
    gzerror(gzip.file, &status);
    if (count < 0 || (status != Z_OK && status != Z_STREAM_END))
      return Error{path + ": the gzip data is damaged"};
    return size_t(count);
  });
}
