//===- Safetensors.cpp - Named tensors in one file ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight bytes of header length (little endian), a JSON header that gives type,
// shape and byte range of each tensor, then the bytes. Files that are written
// here have checksums of zlib in the header's metadata (Files.h): one of every
// tensor and one of the header.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"
#include "Support/Json.h"

#include <algorithm>
#include <cstring>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr std::pair<const char *, ElementType> elementTypes[] = {
    {"F32", ElementType::F32}, {"F64", ElementType::F64},
    {"I32", ElementType::I32}, {"I64", ElementType::I64},
    {"F16", ElementType::F16}, {"BF16", ElementType::BF16},
    {"U8", ElementType::U8},   {"I8", ElementType::I8}};

constexpr const char *metadataKey = "__metadata__";
constexpr const char *tensorsKey = "soap_tensors_crc32";
constexpr const char *headerKey = "soap_header_crc32";
constexpr std::string_view noDigits = "00000000";

uint32_t checksum(std::string_view bytes, uint32_t before = 0) {
  return uint32_t(crc32_z(before, reinterpret_cast<const Bytef *>(bytes.data()),
                          bytes.size()));
}

std::string digits(uint32_t value) {
  std::string text;
  for (int shift = 28; shift >= 0; shift -= 4)
    text += "0123456789abcdef"[value >> shift & 15];
  return text;
}

std::string lengthBytes(size_t length) {
  std::string bytes;
  for (int i = 0; i < 8; ++i)
    bytes += char(length >> (8 * i) & 255);
  return bytes;
}

/// Where the digits of the header's own checksum are; npos: nowhere. Quotes in
/// other texts of the header have a backslash before them.
size_t findHeaderDigits(std::string_view header) {
  std::string before = '"' + std::string(headerKey) + "\":\"";
  size_t at = header.find(before);
  if (at == std::string_view::npos)
    return at;
  at += before.size();
  bool closed = header.size() > at + noDigits.size() &&
                header[at + noDigits.size()] == '"';
  return closed ? at : std::string_view::npos;
}

uint32_t headerChecksum(std::string_view header, size_t digitsAt) {
  uint32_t sum = checksum(lengthBytes(header.size()));
  sum = checksum(header.substr(0, digitsAt), sum);
  sum = checksum(noDigits, sum);
  return checksum(header.substr(digitsAt + noDigits.size()), sum);
}

struct Place {
  ElementType dtype;
  std::vector<int64_t> shape;
  int64_t begin, bytes;
};

/// One tensor of the header; `size` bytes follow it.
Place readPlace(const jsonfile::Cursor &cursor, size_t size) {
  const std::string &name = cursor["dtype"].text();
  const ElementType *type = nullptr;
  for (const auto &[typeName, dtype] : elementTypes)
    if (name == typeName)
      type = &dtype;
  if (!type)
    cursor["dtype"].failExpected(
        "one of F32, F64, I32, I64, F16, BF16, U8, I8");
  jsonfile::Cursor dims = cursor["shape"];
  std::vector<int64_t> shape;
  int64_t bytes = sizeOf(*type);
  for (size_t d = 0; d < dims.size(); ++d) {
    shape.push_back(dims[d].integer(0, int64_t(1) << 44));
    if (shape.back() && bytes > (int64_t(1) << 44) / shape.back())
      dims.fail("the tensor is too large");
    bytes *= shape.back();
  }
  jsonfile::Cursor offsets = cursor["data_offsets"];
  if (offsets.size() != 2)
    offsets.failExpected("two offsets");
  int64_t begin = offsets[size_t(0)].integer(0, int64_t(size));
  int64_t end = offsets[size_t(1)].integer(begin, int64_t(size));
  if (end - begin != bytes)
    offsets.fail("expected " + std::to_string(bytes) + " bytes for shape " +
                 shapeString(shape) + ", got " + std::to_string(end - begin));
  return {*type, shape, begin, bytes};
}

Metadata readMetadata(const jsonfile::Cursor &cursor) {
  Metadata metadata;
  for (const auto &[key, text] : cursor.members())
    metadata[key] = text.text();
  return metadata;
}

/// Removes the texts with checksums from the metadata. Null: there are none;
/// else the checksums of tensors by name, where that of the header is right.
nlohmann::json takeChecksums(Metadata &metadata, std::string_view header) {
  auto ofTensors = metadata.extract(tensorsKey),
       ofHeader = metadata.extract(headerKey);
  if (ofTensors.empty() && ofHeader.empty())
    return nullptr;
  if (ofTensors.empty() || ofHeader.empty())
    throw jsonfile::JsonError(
        std::string("the file is damaged: expected both '") + tensorsKey +
        "' and '" + headerKey + "' in the metadata");
  size_t at = findHeaderDigits(header);
  if (at == std::string_view::npos ||
      header.substr(at, noDigits.size()) != ofHeader.mapped() ||
      digits(headerChecksum(header, at)) != ofHeader.mapped())
    throw jsonfile::JsonError(
        "the file is damaged: the checksum of the header is wrong");
  auto sums = nlohmann::json::parse(ofTensors.mapped(), nullptr, false);
  if (!sums.is_object())
    throw jsonfile::JsonError(std::string("expected a JSON object as '") +
                              tensorsKey + "' in the metadata");
  return sums;
}

void checkTensor(const std::string &name, std::string_view bytes,
                 const nlohmann::json &sums) {
  auto sum = sums.find(name);
  if (sum == sums.end() || *sum != digits(checksum(bytes)))
    throw jsonfile::JsonError(
        "tensor '" + name +
        "': the checksum is wrong: the file is damaged, or a "
        "program changed the tensor and kept the metadata");
}

/// Every byte belongs to one tensor: or a small file could claim any amount of
/// memory, and appended bytes would not be noticed.
void checkRanges(std::vector<std::pair<int64_t, int64_t>> ranges,
                 int64_t size) {
  std::sort(ranges.begin(), ranges.end());
  ranges.push_back({size, size});
  int64_t end = 0;
  for (auto [begin, next] : ranges) {
    if (begin < end)
      throw jsonfile::JsonError("the bytes of two tensors overlap at " +
                                std::to_string(begin));
    if (begin > end)
      throw jsonfile::JsonError(
          "expected " + std::to_string(end) + " bytes of tensors" +
          (begin == size ? "" : " before the next tensor") + ", got " +
          std::to_string(begin));
    end = next;
  }
}

} // namespace

Expected<TensorMap> runtime::readSafetensors(const std::string &path,
                                             SafetensorsInfo *info) {
  auto file = readFile(path);
  if (!file)
    return file.takeError();
  return parseSafetensors(*file, path, info);
}

Expected<TensorMap> runtime::parseSafetensors(std::string_view data,
                                              const std::string &path,
                                              SafetensorsInfo *info) {
  if (data.size() < 8)
    return Error{path + ": expected a safetensors header, got the end of the "
                        "file"};
  uint64_t length = 0;
  for (int i = 7; i >= 0; --i)
    length = length << 8 | (unsigned char)data[size_t(i)];
  data.remove_prefix(8);
  if (length > data.size())
    return Error{path + ": expected a header of " + std::to_string(length) +
                 " bytes, got " + std::to_string(data.size())};
  std::string_view header = data.substr(0, length);
  nlohmann::json json = nlohmann::json::parse(header, nullptr, false);
  if (!json.is_object())
    return Error{path + ": expected a JSON object as header"};
  data.remove_prefix(length);
  SafetensorsInfo found;
  TensorMap tensors;
  try {
    if (auto metadata = json.find(metadataKey); metadata != json.end())
      found.metadata = readMetadata(
          jsonfile::Cursor(*metadata, std::string("/") + metadataKey));
    json.erase(metadataKey);
    nlohmann::json sums = takeChecksums(found.metadata, header);
    found.checked = !sums.is_null();
    std::vector<std::pair<std::string, Place>> places;
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const auto &[name, value] : json.items()) {
      Place place = readPlace(jsonfile::Cursor(value, "/" + name), data.size());
      ranges.push_back({place.begin, place.begin + place.bytes});
      places.emplace_back(name, std::move(place));
    }
    checkRanges(std::move(ranges), int64_t(data.size()));
    for (const auto &[name, place] : places) {
      std::string_view bytes =
          data.substr(size_t(place.begin), size_t(place.bytes));
      if (found.checked)
        checkTensor(name, bytes, sums);
      HostTensor tensor(place.dtype, place.shape);
      std::memcpy(tensor.bytes.data(), bytes.data(), bytes.size());
      tensors.emplace(name, std::move(tensor));
    }
  } catch (const jsonfile::JsonError &error) {
    return Error{path + ": " + error.what()};
  }
  if (info)
    *info = std::move(found);
  return tensors;
}

MaybeError runtime::writeSafetensors(
    const std::string &path,
    const std::vector<std::pair<std::string, TensorView>> &tensors,
    const Metadata &metadata) {
  // Names that are no UTF-8 are written as near to them as JSON can.
  auto print = [](const nlohmann::json &json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  nlohmann::json header = nlohmann::json::object();
  nlohmann::json sums = nlohmann::json::object();
  int64_t offset = 0;
  std::vector<std::pair<const char *, size_t>> parts(2);
  for (const auto &[name, tensor] : tensors) {
    const char *type = nullptr;
    for (const auto &[typeName, dtype] : elementTypes)
      if (dtype == tensor.dtype)
        type = typeName;
    int64_t bytes = sizeOf(tensor.dtype);
    for (int64_t extent : tensor.shape)
      bytes *= extent;
    header[name] = {{"dtype", type},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
    parts.push_back({tensor.data, size_t(bytes)});
    sums[name] = digits(checksum({tensor.data, size_t(bytes)}));
  }
  nlohmann::json texts = metadata;
  texts[tensorsKey] = print(sums);
  texts[headerKey] = noDigits;
  header[metadataKey] = std::move(texts);
  std::string text = print(header);
  text.append((8 - text.size() % 8) % 8, ' ');
  size_t at = findHeaderDigits(text);
  text.replace(at, noDigits.size(), digits(headerChecksum(text, at)));
  std::string length = lengthBytes(text.size());
  parts[0] = {length.data(), length.size()};
  parts[1] = {text.data(), text.size()};
  return writeFile(path, parts);
}

MaybeError runtime::writeSafetensors(const std::string &path,
                                     const TensorMap &tensors,
                                     const Metadata &metadata) {
  std::vector<std::pair<std::string, TensorView>> views;
  for (const auto &[name, tensor] : tensors)
    views.emplace_back(
        name, TensorView{tensor.dtype, tensor.shape, tensor.bytes.data()});
  return writeSafetensors(path, views, metadata);
}
