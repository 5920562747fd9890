//===- ZipWriter.h - Zip archives for tests ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes archives as numpy.savez and numpy.savez_compressed do, and ones that
// lie.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_RUNTIME_ZIPWRITER_H
#define SOAP_UNITTESTS_RUNTIME_ZIPWRITER_H

#include <cstdint>
#include <string>
#include <zlib.h>

namespace soap::runtime {

class ZipWriter {
public:
  /// The number that `add` writes instead of the right one; -1: the right one.
  struct Lie {
    int64_t method = -1, crc = -1, packed = -1, size = -1, header = -1,
            flags = 0;
    /// Sizes in a zip64 field, as numpy always writes them.
    bool large = false;
  };

  void add(const std::string &name, const std::string &bytes, bool deflated) {
    add(name, bytes, deflated, Lie());
  }
  void add(const std::string &name, const std::string &bytes, bool deflated,
           const Lie &lie) {
    std::string packed = deflated ? deflate(bytes) : bytes;
    auto choose = [](int64_t said, uint64_t truth) {
      return said < 0 ? truth : uint64_t(said);
    };
    uint64_t crc = choose(
        lie.crc, crc32(0, (const Bytef *)bytes.data(), unsigned(bytes.size())));
    uint64_t sizes[] = {choose(lie.packed, packed.size()),
                        choose(lie.size, bytes.size())};
    std::string common = number(20, 2) + number(uint64_t(lie.flags), 2) +
                         number(choose(lie.method, deflated ? 8 : 0), 2) +
                         number(0, 4) + number(crc, 4);
    std::string extra;
    if (lie.large) {
      extra = number(1, 2) + number(16, 2) + number(sizes[1], 8) +
              number(sizes[0], 8);
      common += number(0xffffffff, 4) + number(0xffffffff, 4);
    } else {
      common += number(sizes[0], 4) + number(sizes[1], 4);
    }
    common += number(name.size(), 2) + number(extra.size(), 2);
    uint64_t header = choose(lie.header, body.size());
    body += "PK\3\4" + common + name + extra + packed;
    directory += "PK\1\2" + number(20, 2) + common + number(0, 10) +
                 number(header, 4) + name + extra;
    ++count;
  }
  std::string finish() const {
    return body + directory + "PK\5\6" + number(0, 4) + number(count, 2) +
           number(count, 2) + number(directory.size(), 4) +
           number(body.size(), 4) + number(0, 2);
  }

private:
  static std::string number(uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i)
      text += char(i < 8 ? value >> (8 * i) : 0);
    return text;
  }
  static std::string deflate(const std::string &bytes) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(bytes.size() + 256, '\0');
    stream.next_in = (Bytef *)bytes.data();
    stream.avail_in = unsigned(bytes.size());
    stream.next_out = (Bytef *)out.data();
    stream.avail_out = unsigned(out.size());
    ::deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
  }

  std::string body, directory;
  uint64_t count = 0;
};

} // namespace soap::runtime

#endif // SOAP_UNITTESTS_RUNTIME_ZIPWRITER_H
