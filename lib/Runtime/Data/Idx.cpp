//===- Idx.cpp - The MNIST family's format --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Four bytes of magic (0, 0, element type, rank), the extents as big-endian
// 32-bit numbers, then the elements, big endian. zlib reads both gzipped and
// plain files.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/TensorFiles.h"

#include "Support/GzipFile.h"

#include <algorithm>
#include <cstring>

using namespace soap;
using namespace soap::runtime;

namespace {

std::optional<ElementType> typeOf(unsigned char code) {
  switch (code) {
  case 0x08:
    return ElementType::U8;
  case 0x09:
    return ElementType::I8;
  case 0x0c:
    return ElementType::I32;
  case 0x0d:
    return ElementType::F32;
  case 0x0e:
    return ElementType::F64;
  default:
    return std::nullopt;
  }
}

} // namespace

Expected<HostTensor> runtime::readIdx(const std::string &path) {
  auto file = GzipFile::open(path);
  if (!file)
    return file.takeError();
  // The next bytes of the header; an error at the end of the file.
  auto readHeader = [&](unsigned char (&bytes)[4]) -> MaybeError {
    auto count = file->read(reinterpret_cast<char *>(bytes), 4);
    if (!count)
      return count.takeError();
    if (*count != 4)
      return Error{path + ": expected an IDX header, got the end of the file"};
    return std::nullopt;
  };
  unsigned char magic[4];
  if (MaybeError error = readHeader(magic))
    return *error;
  if (magic[0] || magic[1])
    return Error{path + ": expected an IDX file, which starts with two zero "
                        "bytes"};
  auto type = typeOf(magic[2]);
  if (!type)
    return Error{path +
                 ": expected an element type of 8, 9, 12, 13 or 14, "
                 "got " +
                 std::to_string(magic[2])};
  if (magic[3] < 1 || magic[3] > 8)
    return Error{path + ": expected 1 to 8 dimensions, got " +
                 std::to_string(magic[3])};
  std::vector<int64_t> shape;
  int64_t bytes = sizeOf(*type);
  for (int d = 0; d < magic[3]; ++d) {
    unsigned char e[4];
    if (MaybeError error = readHeader(e))
      return *error;
    int64_t extent = int64_t(e[0]) << 24 | e[1] << 16 | e[2] << 8 | e[3];
    shape.push_back(extent);
    if (extent == 0)
      return Error{path + ": the array is empty: shape " + shapeString(shape)};
    if (bytes > (int64_t(1) << 36) / extent)
      return Error{path + ": the header claims an absurd size: shape " +
                   shapeString(shape) + "..."};
    bytes *= extent;
  }
  // The buffer grows with the data, so that a lying header costs nothing.
  std::string data;
  while (int64_t(data.size()) < bytes) {
    size_t old = data.size();
    int64_t step = std::min<int64_t>(bytes - int64_t(old), 1 << 24);
    data.resize(old + size_t(step));
    auto count = file->read(data.data() + old, step);
    if (!count)
      return count.takeError();
    if (*count != step)
      return Error{path + ": expected " + std::to_string(bytes) +
                   " bytes of elements for shape " + shapeString(shape) +
                   ", got " + std::to_string(int64_t(old) + *count)};
  }
  // Damage behind the last element shows at the end only.
  char extra;
  auto behind = file->read(&extra, 1);
  if (!behind)
    return behind.takeError();
  if (*behind)
    return Error{path + ": more bytes than shape " + shapeString(shape) +
                 " has"};
  size_t size = size_t(sizeOf(*type));
  if (size > 1)
    for (size_t i = 0; i < data.size(); i += size)
      std::reverse(data.begin() + i, data.begin() + i + size);
  HostTensor tensor(*type, shape);
  std::memcpy(tensor.bytes.data(), data.data(), data.size());
  return tensor;
}
