//===- Npy.cpp - NumPy arrays ---------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A magic string, a version, and the text of a Python dictionary with exactly
// the keys descr, fortran_order and shape; then the elements.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"

#include <cstring>

using namespace soap;
using namespace soap::runtime;

namespace {

struct Header {
  std::string descr;
  bool fortranOrder = false;
  std::vector<int64_t> shape;
};

/// Reads the little of Python that headers are written in.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  /// Empty on success, else the text of the expectation that failed.
  std::string parse(Header &header) {
    bool descr = false, order = false, shape = false;
    if (!eat('{'))
      return "a dictionary";
    while (!eat('}')) {
      std::string key;
      if (!parseString(key) || !eat(':'))
        return "a key";
      if (key == "descr" && !descr) {
        descr = true;
        if (!parseString(header.descr))
          return "a simple element type as descr";
      } else if (key == "fortran_order" && !order) {
        order = true;
        if (eatWord("True"))
          header.fortranOrder = true;
        else if (!eatWord("False"))
          return "True or False as fortran_order";
      } else if (key == "shape" && !shape) {
        shape = true;
        if (!parseShape(header.shape))
          return "a tuple of numbers as shape";
      } else {
        return "the keys descr, fortran_order and shape";
      }
      if (!eat(',') && !peek('}'))
        return "a comma";
    }
    return descr && order && shape ? ""
                                   : "the keys descr, fortran_order and shape";
  }

private:
  void skipSpace() {
    while (!text.empty() && (text[0] == ' ' || text[0] == '\n'))
      text.remove_prefix(1);
  }
  bool peek(char c) {
    skipSpace();
    return !text.empty() && text[0] == c;
  }
  bool eat(char c) {
    if (!peek(c))
      return false;
    text.remove_prefix(1);
    return true;
  }
  bool eatWord(std::string_view word) {
    skipSpace();
    if (text.substr(0, word.size()) != word)
      return false;
    text.remove_prefix(word.size());
    return true;
  }
  bool parseString(std::string &out) {
    skipSpace();
    if (text.empty() || (text[0] != '\'' && text[0] != '"'))
      return false;
    size_t end = text.find(text[0], 1);
    if (end == std::string_view::npos)
      return false;
    out = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    return true;
  }
  bool parseShape(std::vector<int64_t> &shape) {
    if (!eat('('))
      return false;
    while (!eat(')')) {
      skipSpace();
      int64_t value = 0;
      size_t digits = 0;
      while (digits < text.size() && text[digits] >= '0' &&
             text[digits] <= '9' && digits < 16)
        value = value * 10 + (text[digits++] - '0');
      if (!digits || shape.size() >= 32)
        return false;
      shape.push_back(value);
      text.remove_prefix(digits);
      if (!eat(',') && !peek(')'))
        return false;
    }
    return true;
  }

  std::string_view text;
};

constexpr std::pair<const char *, ElementType> elementTypes[] = {
    {"<f4", ElementType::F32}, {"<f8", ElementType::F64},
    {"<i4", ElementType::I32}, {"<i8", ElementType::I64},
    {"<f2", ElementType::F16}, {"|u1", ElementType::U8},
    {"|i1", ElementType::I8}};

/// Types that tensors do not have become the next larger signed one.
template <typename From, typename To>
HostTensor widened(ElementType type, const std::vector<int64_t> &shape,
                   const char *data) {
  HostTensor tensor(type, shape);
  for (int64_t i = 0, count = tensor.volume(); i < count; ++i) {
    From value;
    std::memcpy(&value, data + i * int64_t(sizeof(From)), sizeof(From));
    tensor.as<To>()[i] = To(value);
  }
  return tensor;
}

} // namespace

Expected<HostTensor> runtime::readNpy(const std::string &path) {
  auto file = readFile(path);
  if (!file)
    return file.takeError();
  return parseNpy(*file, path);
}

Expected<HostTensor> runtime::parseNpy(std::string_view data,
                                       const std::string &path) {
  if (data.size() < 10 || data.compare(0, 6, "\x93NUMPY") != 0)
    return Error{path + ": expected a NumPy file, which starts with "
                        "'\\x93NUMPY'"};
  auto byte = [&](size_t i) { return size_t((unsigned char)data[i]); };
  size_t version = byte(6), length = byte(8) | byte(9) << 8, start = 10;
  if (version < 1 || version > 3)
    return Error{path + ": expected version 1, 2 or 3, got " +
                 std::to_string(version)};
  if (version > 1) {
    if (data.size() < 12)
      return Error{path + ": the header is truncated"};
    length |= byte(10) << 16 | byte(11) << 24;
    start = 12;
  }
  if (length > data.size() - start)
    return Error{path + ": the header is truncated"};
  Header header;
  std::string expected = HeaderParser(data.substr(start, length)).parse(header);
  if (!expected.empty())
    return Error{path + ": at the header: expected " + expected};
  const ElementType *type = nullptr;
  for (const auto &[name, dtype] : elementTypes)
    if (header.descr == name)
      type = &dtype;
  bool shorts = header.descr == "<u2", words = header.descr == "<u4";
  if (!type && !shorts && !words)
    return Error{
        path +
        ": expected an element type of <f2, <f4, <f8, <i4, <i8, <u2, <u4, "
        "|u1 or |i1, got '" +
        header.descr + "'"};
  if (header.fortranOrder)
    return Error{path + ": expected C order, got Fortran order"};
  int64_t bytes = shorts  ? 2
                  : words ? 4
                          : sizeOf(*type),
          present = int64_t(data.size() - start - length);
  for (int64_t extent : header.shape) {
    if (extent && bytes > (int64_t(1) << 44) / extent)
      return Error{path + ": the header claims an absurd size: shape " +
                   shapeString(header.shape)};
    bytes *= extent;
  }
  if (bytes != present)
    return Error{path + ": expected " + std::to_string(bytes) +
                 " bytes of elements for shape " + shapeString(header.shape) +
                 ", got " + std::to_string(present)};
  const char *elements = data.data() + start + length;
  if (shorts)
    return widened<uint16_t, int32_t>(ElementType::I32, header.shape, elements);
  if (words)
    return widened<uint32_t, int64_t>(ElementType::I64, header.shape, elements);
  HostTensor tensor(*type, header.shape);
  std::memcpy(tensor.bytes.data(), elements, size_t(bytes));
  return tensor;
}

MaybeError runtime::writeNpy(const std::string &path,
                             const HostTensor &tensor) {
  // NumPy has no bf16; every one of its numbers is one of f32.
  if (tensor.dtype == ElementType::BF16)
    return writeNpy(path, tensor.converted(ElementType::F32));
  std::string text = "{'descr': '";
  for (const auto &[name, dtype] : elementTypes)
    if (dtype == tensor.dtype)
      text += name;
  text += "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape)
    text += std::to_string(extent) + ",";
  text += "), }";
  // The elements start at a multiple of 64.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += char(text.size() & 255);
  head += char(text.size() >> 8);
  head += text;
  return writeFile(path, {{head.data(), head.size()},
                          {tensor.bytes.data(),
                           size_t(tensor.volume() * sizeOf(tensor.dtype))}});
}
