//===- Npz.cpp - Zip archives of NumPy arrays -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The end of a zip archive points to its central directory, whose entries point
// to members: a local header, then stored or deflated bytes. numpy writes zip64
// sizes for large arrays. Nothing an archive says is believed: places are
// checked against its size, members may not overlap, deflated data may not give
// more than deflate can, and checksums must agree.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Support/InputFile.h"

#include <algorithm>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr uint64_t maxMembers = 4096, maxBytes = uint64_t(1) << 40;

/// A fault of the file, as a message.
struct ZipError {
  std::string message;
};

struct Member {
  std::string name;
  uint64_t method = 0, flags = 0, crc = 0, packed = 0, size = 0, header = 0;
  /// Where the packed bytes are.
  uint64_t begin = 0;
};

class ZipReader {
public:
  explicit ZipReader(std::string_view data) : data(data) {}

  std::vector<Member> members() {
    uint64_t end = findEnd();
    uint64_t count = number(end + 10, 2), start = number(end + 16, 4);
    if (count == 0xffff || start == 0xffffffff)
      readLargeEnd(end, count, start);
    if (count > maxMembers)
      throw ZipError{"expected at most " + std::to_string(maxMembers) +
                     " members, got " + std::to_string(count)};
    std::vector<Member> result;
    for (uint64_t i = 0, at = start; i < count; ++i) {
      result.push_back(readEntry(at, i));
      at += 46 + number(at + 28, 2) + number(at + 30, 2) + number(at + 32, 2);
    }
    checkOverlap(result);
    checkUnpacked(result);
    return result;
  }

  std::string contents(const Member &member) {
    std::string_view packed = data.substr(member.begin, member.packed);
    std::string bytes =
        member.method == 0 ? std::string(packed) : inflated(member, packed);
    uint64_t crc =
        crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size());
    if (crc != member.crc)
      throw ZipError{"member '" + member.name + "': the checksum is wrong"};
    return bytes;
  }

private:
  uint64_t number(uint64_t at, int bytes) const {
    if (at > data.size() || data.size() - at < uint64_t(bytes))
      throw ZipError{"the archive is truncated"};
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; --i)
      value = value << 8 | (unsigned char)data[at + uint64_t(i)];
    return value;
  }
  bool signature(uint64_t at, const char *letters) const {
    return at <= data.size() &&
           data.substr(at, 4) == std::string_view(letters, 4);
  }

  /// The end record is last, before a comment of up to 64 KiB.
  uint64_t findEnd() const {
    if (data.size() >= 22)
      for (uint64_t at = data.size() - 22, tries = 0;; --at, ++tries) {
        if (signature(at, "PK\5\6") &&
            number(at + 20, 2) == data.size() - at - 22)
          return at;
        if (at == 0 || tries == 0xffff)
          break;
      }
    throw ZipError{"expected a zip archive of NumPy arrays"};
  }
  void readLargeEnd(uint64_t end, uint64_t &count, uint64_t &start) const {
    if (end < 20 || !signature(end - 20, "PK\6\7"))
      throw ZipError{"the zip64 directory is missing"};
    uint64_t at = number(end - 12, 8);
    if (!signature(at, "PK\6\6"))
      throw ZipError{"the zip64 directory is missing"};
    count = number(at + 32, 8);
    start = number(at + 48, 8);
  }

  Member readEntry(uint64_t at, uint64_t index) const {
    if (!signature(at, "PK\1\2"))
      throw ZipError{"directory entry " + std::to_string(index) +
                     " is not where it should be"};
    Member member;
    member.flags = number(at + 8, 2);
    member.method = number(at + 10, 2);
    member.crc = number(at + 16, 4);
    member.packed = number(at + 20, 4);
    member.size = number(at + 24, 4);
    uint64_t nameLength = number(at + 28, 2), extra = number(at + 30, 2);
    member.header = number(at + 42, 4);
    number(at + 46, 0);
    if (data.size() - (at + 46) < nameLength + extra)
      throw ZipError{"the archive is truncated"};
    member.name = data.substr(at + 46, nameLength);
    readLargeSizes(at + 46 + nameLength, extra, member);
    checkMember(member);
    return member;
  }
  /// Sizes that do not fit 32 bits are in an extra field, in this order.
  void readLargeSizes(uint64_t at, uint64_t length, Member &member) const {
    for (uint64_t end = at + length; end - at >= 4;) {
      uint64_t id = number(at, 2), size = number(at + 2, 2), from = at + 4;
      if (size > end - from)
        return;
      at = from + size;
      if (id != 1)
        continue;
      for (uint64_t *value : {&member.size, &member.packed, &member.header})
        if (*value == 0xffffffff && at - from >= 8) {
          *value = number(from, 8);
          from += 8;
        }
    }
  }
  void checkMember(Member &member) const {
    auto fail = [&](const std::string &message) {
      throw ZipError{"member '" + member.name + "': " + message};
    };
    if (member.flags & 1)
      fail("is encrypted");
    if (member.method != 0 && member.method != 8)
      fail("expected stored or deflated bytes, got compression method " +
           std::to_string(member.method));
    if (member.header > data.size() || !signature(member.header, "PK\3\4"))
      fail("its header is not where it should be");
    member.begin = member.header + 30 + number(member.header + 26, 2) +
                   number(member.header + 28, 2);
    if (member.begin > data.size() ||
        data.size() - member.begin < member.packed)
      fail("expected " + std::to_string(member.packed) +
           " bytes, got the end of the archive");
    if (member.method == 0 && member.size != member.packed)
      fail("is stored, but its two sizes differ");
    // Deflate packs at most 1032 bytes into one.
    if (member.size > maxBytes || member.size / 1033 > member.packed + 64)
      fail("claims an absurd size of " + std::to_string(member.size) +
           " bytes");
  }
  /// Or a small archive could claim any amount of memory.
  static void checkOverlap(const std::vector<Member> &members) {
    std::vector<std::pair<uint64_t, uint64_t>> ranges;
    for (const Member &member : members)
      ranges.push_back({member.header, member.begin + member.packed});
    std::sort(ranges.begin(), ranges.end());
    for (size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].first < ranges[i - 1].second)
        throw ZipError{"the bytes of two members overlap at " +
                       std::to_string(ranges[i].first)};
  }

  static void checkUnpacked(const std::vector<Member> &members) {
    uint64_t packed = 0, size = 0;
    for (const Member &member : members)
      if (member.method != 0) {
        packed += member.packed;
        size += member.size;
      }
    auto limit = uint64_t(inputLimits().unpacked(int64_t(packed)));
    if (size > limit)
      throw ZipError{std::to_string(packed) + " bytes unpack to " +
                     std::to_string(size) + " bytes, expected at most " +
                     std::to_string(limit) + " (option --input-limit)"};
  }

  static std::string inflated(const Member &member, std::string_view packed) {
    struct Stream {
      z_stream z{};
      ~Stream() { inflateEnd(&z); }
    } stream;
    if (inflateInit2(&stream.z, -MAX_WBITS) != Z_OK)
      throw ZipError{"not enough memory"};
    std::string bytes;
    // The buffer grows with the data, so that a lying size costs nothing.
    std::string chunk(size_t(1) << 20, '\0');
    int status = Z_OK;
    while (status == Z_OK) {
      if (stream.z.avail_in == 0 && !packed.empty()) {
        size_t step = std::min(packed.size(), size_t(1) << 26);
        stream.z.next_in =
            reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
        stream.z.avail_in = unsigned(step);
        packed.remove_prefix(step);
      }
      stream.z.next_out = reinterpret_cast<Bytef *>(chunk.data());
      stream.z.avail_out = unsigned(chunk.size());
      status = inflate(&stream.z, Z_NO_FLUSH);
      bytes.append(chunk, 0, chunk.size() - stream.z.avail_out);
      if (bytes.size() > member.size)
        break;
    }
    if (status != Z_STREAM_END && bytes.size() <= member.size)
      throw ZipError{"member '" + member.name +
                     "': the deflated data is damaged"};
    if (bytes.size() != member.size)
      throw ZipError{
          "member '" + member.name + "': expected " +
          std::to_string(member.size) + " bytes, got " +
          (bytes.size() > member.size ? "more" : std::to_string(bytes.size()))};
    return bytes;
  }

  std::string_view data;
};

} // namespace

Expected<TensorMap> runtime::parseNpz(std::string_view data,
                                      const std::string &source) {
  TensorMap tensors;
  try {
    ZipReader zip(data);
    for (const Member &member : zip.members()) {
      std::string name = member.name;
      if (name.size() > 4 && name.ends_with(".npy"))
        name.resize(name.size() - 4);
      auto tensor = parseNpy(zip.contents(member), source + ": " + member.name);
      if (!tensor)
        return tensor.takeError();
      if (!tensors.emplace(name, std::move(*tensor)).second)
        return Error{source + ": two members are called '" + name + "'"};
    }
  } catch (const ZipError &error) {
    return Error{source + ": " + error.message};
  }
  return tensors;
}

Expected<TensorMap> runtime::readNpz(const std::string &path) {
  auto file = readFile(path);
  if (!file)
    return file.takeError();
  return parseNpz(*file, path);
}
