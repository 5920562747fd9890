//===- InputFile.h - Files that a user names as input -----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every reader of every tool opens its files here, so that no name can hang it
// or fill the memory: a folder, a device or a socket is an error at once, a
// pipe has to be written to soon and gives a bounded number of bytes, and a
// file is refused before it is read if it is larger than its reader's limit.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_INPUTFILE_H
#define SOAP_SUPPORT_INPUTFILE_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <string>

namespace soap {

/// Bounds input whose size nothing says before it is read. Option --input-limit
/// of the tools sets both numbers of bytes.
struct InputLimits {
  /// Maximum bytes that a pipe may give.
  int64_t pipeBytes = int64_t(256) << 20;
  /// Maximum bytes that a compressed file may unpack to, or `unpackRatio` times
  /// its packed bytes where that is more.
  int64_t unpackedBytes = int64_t(64) << 20;
  int64_t unpackRatio = 100;

  /// The largest number of bytes that `packed` bytes may unpack to.
  int64_t unpacked(int64_t packed) const;
};

/// The limits of this process. Tools set them before they read anything.
InputLimits &inputLimits();

/// Reads `16777216`, `64KB`, `512MB` or `4GB` (powers of 1024; at least one
/// byte); an error says what was expected.
Expected<int64_t> parseByteCount(const std::string &text);

/// Sets both limits of this process to what the text says.
MaybeError setInputLimit(const std::string &text);

/// Owns a descriptor of the operating system and closes it.
class Descriptor {
public:
  explicit Descriptor(int fd = -1) : fd(fd) {}
  Descriptor(Descriptor &&other) noexcept : fd(other.release()) {}
  Descriptor &operator=(Descriptor &&other) noexcept;
  ~Descriptor();

  int get() const { return fd; }
  /// The caller closes it.
  int release();

private:
  int fd;
};

/// An open input: a regular file or a pipe.
struct InputFile {
  Descriptor descriptor;
  bool isPipe = false;
  /// In bytes; 0 for pipes, and for files of /proc, which have bytes all the
  /// same.
  int64_t size = 0;
};

/// Opens a file for reading. An error if there is none, if it is a folder, a
/// device or a socket, or a pipe that nothing is written to for 3 seconds.
Expected<InputFile> openInputFile(const std::string &path);

/// All bytes of a file. An error if it cannot be opened (see `openInputFile`),
/// or has more bytes than `limit`, than this machine has memory, or, as a pipe,
/// than `inputLimits().pipeBytes`. Messages begin with the path.
Expected<std::string> readFile(const std::string &path,
                               int64_t limit = int64_t(1) << 40);

/// An error that says that `path` has more than `limit` bytes, or more than
/// this machine has memory, if `size` is.
MaybeError checkInputSize(const std::string &path, int64_t size,
                          int64_t limit = int64_t(1) << 40);

/// All bytes that an open descriptor gives, such as standard input; `name`
/// stands for it in messages. An error if they are more than `limit`.
Expected<std::string> readDescriptor(int descriptor, const std::string &name,
                                     int64_t limit);

/// Names the kind of a `path` that cannot be read as a whole and repeatedly: "a
/// directory", "a device", "a pipe" or "a socket"; null for regular files and
/// where there is nothing.
const char *specialKind(const std::string &path);

} // namespace soap

#endif // SOAP_SUPPORT_INPUTFILE_H
