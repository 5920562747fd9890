//===- Fuzz.h - What fuzz targets share -------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A target is one file with `LLVMFuzzerTestOneInput`. With SOAP_FUZZERS it is
// linked with libFuzzer; in every other build with Replay.cpp, which runs it on
// the files that it is given.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_FUZZ_FUZZ_H
#define SOAP_TEST_FUZZ_FUZZ_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

namespace soap::fuzz {

inline std::string_view view(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// A condition that must hold for every input.
inline void require(bool holds, const char *what) {
  if (holds)
    return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Bytes as a file, for readers that take a name.
class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size)
      : fd(memfd_create("fuzz", MFD_CLOEXEC)) {
    require(fd >= 0 && write(fd, data, size) == ssize_t(size),
            "cannot make a file in memory");
  }
  ~MemoryFile() { close(fd); }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd;
};

} // namespace soap::fuzz

#endif // SOAP_TEST_FUZZ_FUZZ_H
