//===- Safetensors.cpp - Named tensors in one file ------------------------===//
//
// Eight bytes of header length (little endian), a JSON header that gives type,
// shape and byte range of each tensor, then the bytes.
//
//===----------------------------------------------------------------------===//

#include "Json.h"
#include "Soap/Runtime/Files.h"

#include <algorithm>
#include <cstring>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr std::pair<const char *, ElementType> elementTypes[] = {
    {"F32", ElementType::F32}, {"F64", ElementType::F64},
    {"I32", ElementType::I32}, {"I64", ElementType::I64},
    {"U8", ElementType::U8},   {"I8", ElementType::I8}};

struct Place {
  ElementType dtype;
  std::vector<int64_t> shape;
  int64_t begin, bytes;
};

/// One tensor of the header; `size` bytes follow it.
Place readPlace(const JsonCursor &cursor, size_t size) {
  const std::string &name = cursor.at("dtype").string();
  const ElementType *type = nullptr;
  for (const auto &[typeName, dtype] : elementTypes)
    if (name == typeName)
      type = &dtype;
  if (!type)
    cursor.at("dtype").expected("one of F32, F64, I32, I64, U8, I8");
  JsonCursor dims = cursor.at("shape");
  std::vector<int64_t> shape;
  int64_t bytes = sizeOf(*type);
  for (size_t d = 0; d < dims.size(); ++d) {
    shape.push_back(dims.at(d).integer(0, int64_t(1) << 44));
    if (shape.back() && bytes > (int64_t(1) << 44) / shape.back())
      dims.fail("the tensor is too large");
    bytes *= shape.back();
  }
  JsonCursor offsets = cursor.at("data_offsets");
  if (offsets.size() != 2)
    offsets.expected("two offsets");
  int64_t begin = offsets.at(size_t(0)).integer(0, int64_t(size));
  int64_t end = offsets.at(size_t(1)).integer(begin, int64_t(size));
  if (end - begin != bytes)
    offsets.fail("expected " + std::to_string(bytes) + " bytes for shape " +
                 shapeString(shape) + ", got " + std::to_string(end - begin));
  return {*type, shape, begin, bytes};
}

Metadata readMetadata(const JsonCursor &cursor) {
  if (!cursor.json().is_object())
    cursor.expected("an object");
  Metadata metadata;
  for (const auto &item : cursor.json().items())
    metadata[item.key()] = cursor.at(item.key().c_str()).string();
  return metadata;
}

} // namespace

Expected<TensorMap> runtime::readSafetensors(const std::string &path,
                                             Metadata *metadata) {
  auto file = readFile(path);
  if (!file)
    return file.takeError();
  return parseSafetensors(*file, path, metadata);
}

Expected<TensorMap> runtime::parseSafetensors(std::string_view data,
                                              const std::string &path,
                                              Metadata *metadata) {
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
  nlohmann::json json =
      nlohmann::json::parse(data.substr(0, length), nullptr, false);
  if (!json.is_object())
    return Error{path + ": expected a JSON object as header"};
  data.remove_prefix(length);
  // Ranges may not overlap, or a small file could claim any amount of memory.
  std::vector<std::pair<int64_t, int64_t>> ranges;
  TensorMap tensors;
  try {
    for (const auto &[name, value] : json.items()) {
      if (name == "__metadata__") {
        if (metadata)
          *metadata = readMetadata(JsonCursor(value, "/" + name));
        continue;
      }
      Place place = readPlace(JsonCursor(value, "/" + name), data.size());
      ranges.push_back({place.begin, place.begin + place.bytes});
    }
    std::sort(ranges.begin(), ranges.end());
    for (size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].first < ranges[i - 1].second)
        return Error{path + ": the bytes of two tensors overlap at " +
                     std::to_string(ranges[i].first)};
    for (const auto &[name, value] : json.items()) {
      if (name == "__metadata__")
        continue;
      Place place = readPlace(JsonCursor(value, "/" + name), data.size());
      HostTensor tensor(place.dtype, place.shape);
      std::memcpy(tensor.bytes.data(), data.data() + place.begin,
                  size_t(place.bytes));
      tensors.emplace(name, std::move(tensor));
    }
  } catch (const JsonError &error) {
    return Error{path + ": " + error.what()};
  }
  return tensors;
}

MaybeError runtime::writeSafetensors(const std::string &path,
                                     const TensorMap &tensors,
                                     const Metadata &metadata) {
  nlohmann::json header = nlohmann::json::object();
  if (!metadata.empty())
    header["__metadata__"] = metadata;
  int64_t offset = 0;
  std::vector<std::pair<const char *, size_t>> parts(2);
  for (const auto &[name, tensor] : tensors) {
    const char *type = nullptr;
    for (const auto &[typeName, dtype] : elementTypes)
      if (dtype == tensor.dtype)
        type = typeName;
    int64_t bytes = tensor.volume() * sizeOf(tensor.dtype);
    header[name] = {{"dtype", type},
                    {"shape", tensor.shape},
                    {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
    parts.push_back({tensor.bytes.data(), size_t(bytes)});
  }
  std::string text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  std::string length;
  for (int i = 0; i < 8; ++i)
    length += char(text.size() >> (8 * i) & 255);
  parts[0] = {length.data(), 8};
  parts[1] = {text.data(), text.size()};
  return writeFile(path, parts);
}
