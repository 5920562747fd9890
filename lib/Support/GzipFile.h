//===- GzipFile.h - Files that may be gzipped -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file, unpacked if gzip packed it. The unpacked size is bounded by
// `InputLimits`: gzip packs a gigabyte of zeros into a megabyte.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_GZIPFILE_H
#define SOAP_LIB_SUPPORT_GZIPFILE_H

#include "Soap/Support/InputFile.h"

#include <memory>
#include <zlib.h>

namespace soap {

class GzipFile {
public:
  /// Errors are as in `openInputFile`.
  static Expected<GzipFile> open(const std::string &path);

  /// Reads up to `size` bytes; fewer only at the end of the file. An error if
  /// the packed data is damaged or truncated, or unpacks to too much.
  Expected<int64_t> read(char *data, int64_t size);

  /// The bytes of the file as it is, if gzip did not pack it; else 0, and for
  /// pipes. Once something was read.
  int64_t plainSize() const { return gzdirect(file.get()) ? fileSize : 0; }

private:
  struct Closer {
    void operator()(gzFile file) const { gzclose(file); }
  };
  explicit GzipFile(const std::string &path) : path(path) {}

  /// An error if more was unpacked than the packed bytes so far may give.
  MaybeError checkRatio() const;

  std::string path;
  std::unique_ptr<gzFile_s, Closer> file;
  bool isPipe = false;
  int64_t fileSize = 0, unpacked = 0;
};

} // namespace soap

#endif // SOAP_LIB_SUPPORT_GZIPFILE_H
