//===- FileIO.cpp - Whole files that may be gzipped -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Soap/Support/InputFile.h reads whole files as they are; WriteFile.cpp writes.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/FileIO.h"

#include "Support/GzipFile.h"

#include <new>

using namespace soap;

Expected<std::string> soap::readUnpacked(const std::string &path,
                                         int64_t limit) {
  auto file = GzipFile::open(path);
  if (!file)
    return file.takeError();
  std::string text, chunk(size_t(1) << 20, '\0');
  try {
    for (;;) {
      auto count = file->read(chunk.data(), int64_t(chunk.size()));
      if (!count)
        return count.takeError();
      if (*count == 0)
        return text;
      if (MaybeError error = checkInputSize(path, file->plainSize(), limit))
        return *error;
      if (int64_t(text.size()) + *count > limit)
        return Error{path + ": expected at most " + std::to_string(limit) +
                     " bytes"};
      text.append(chunk, 0, size_t(*count));
    }
  } catch (const std::bad_alloc &) {
    return Error{path + ": not enough memory to read it"};
  }
}
