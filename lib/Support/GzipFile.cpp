//===- GzipFile.cpp - Files that may be gzipped ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GzipFile.h.
//
//===----------------------------------------------------------------------===//

#include "Support/GzipFile.h"

#include <algorithm>

using namespace soap;

Expected<GzipFile> GzipFile::open(const std::string &path) {
  auto input = openInputFile(path);
  if (!input)
    return input.takeError();
  GzipFile result(path);
  result.isPipe = input->isPipe;
  result.fileSize = input->size;
  result.file.reset(gzdopen(input->descriptor.get(), "rb"));
  if (!result.file)
    return Error{path + ": cannot open: not enough memory"};
  input->descriptor.release();
  return result;
}

MaybeError GzipFile::checkRatio() const {
  if (gzdirect(file.get())) {
    if (!isPipe || unpacked <= inputLimits().pipeBytes)
      return std::nullopt;
    return Error{path + ": expected at most " +
                 std::to_string(inputLimits().pipeBytes) +
                 " bytes from a pipe (option --input-limit)"};
  }
  int64_t packed = gzoffset(file.get());
  int64_t limit = inputLimits().unpacked(isPipe ? 0 : packed);
  if (unpacked <= limit)
    return std::nullopt;
  return Error{path + ": " + std::to_string(packed) +
               " bytes of gzip data unpack to more than " +
               std::to_string(limit) + " bytes (option --input-limit)"};
}

Expected<int64_t> GzipFile::read(char *data, int64_t size) {
  int64_t done = 0;
  while (done < size) {
    auto step = unsigned(std::min<int64_t>(size - done, 1 << 20));
    int count = gzread(file.get(), data + done, step);
    // A truncated file shows as Z_BUF_ERROR at its end.
    int status = Z_OK;
    gzerror(file.get(), &status);
    if (count < 0 || (status != Z_OK && status != Z_STREAM_END))
      return Error{path + ": the gzip data is " +
                   (status == Z_BUF_ERROR ? "truncated" : "damaged")};
    if (count == 0)
      break;
    done += count;
    unpacked += count;
    if (MaybeError error = checkRatio())
      return *error;
  }
  return done;
}
