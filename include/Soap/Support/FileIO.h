//===- FileIO.h - Whole files, unpacked and written -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a file that gzip may have packed, and writes files atomically.
// InputFile.h reads files as they are.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_FILEIO_H
#define SOAP_SUPPORT_FILEIO_H

#include "Soap/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace soap {

/// Returns all bytes of a file, unpacked if gzip packed it. An error if the
/// result has more than `limit` bytes, or more than `InputLimits` allows for
/// the packed file. Messages begin with the path.
Expected<std::string> readUnpacked(const std::string &path, int64_t limit);

/// Writes `parts`, pointer and number of bytes, one after the other. The file
/// appears under its name only when it is complete: the bytes go to
/// PATH.tmpPID, which is then renamed. Temporary files of processes that were
/// killed are removed first. The target of a link is replaced; devices and
/// pipes are written to as they are.
MaybeError writeFile(const std::string &path,
                     const std::vector<std::pair<const char *, size_t>> &parts);
MaybeError writeFile(const std::string &path, const std::string &text);

} // namespace soap

#endif // SOAP_SUPPORT_FILEIO_H
