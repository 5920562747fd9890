//===- Artifact.cpp - The container of compiled modules -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A header, a table of sections, the sections. All numbers are little endian.
// Every byte is covered by a check: header and table have checksums, sections
// too, and what is between sections must be zero.
//
//===----------------------------------------------------------------------===//

#include "Soap/Artifact/Artifact.h"

#include "Soap/ABI/Runtime.h"
#include "Soap/Support/InputFile.h"
#include "Support/Json.h"

#include <algorithm>
#include <utility>
#include <zlib.h>

using namespace soap;
using namespace soap::runtime;

namespace {

constexpr std::string_view magic("SOAPX\r\n\x1a", 8);
constexpr size_t headerBytes = 32, rowBytes = 40, nameBytes = 16;
constexpr size_t alignment = 64;
constexpr const char *sectionNames[] = {"info", "manifest", "code"};
/// How a section is stored.
enum Encoding : uint32_t {
  Plain = 0,
  Deflated = 1, ///< its size (8 bytes), then a zlib stream
};
/// The limit of an unpacked section, whatever `InputLimits` allows.
constexpr uint64_t maxUnpackedBytes = uint64_t(4) << 30;

uint32_t checksum(std::string_view bytes) {
  return uint32_t(
      crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
}

void put(std::string &out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i)
    out += char(value >> (8 * i));
}

uint64_t get(std::string_view data, size_t at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes - 1; i >= 0; --i)
    value = value << 8 | (unsigned char)data[at + size_t(i)];
  return value;
}

size_t aligned(size_t size) {
  return (size + alignment - 1) / alignment * alignment;
}

std::string infoText(const ArtifactInfo &info) {
  nlohmann::ordered_json json = {{"version", artifactVersion},
                                 {"soap", info.soapVersion},
                                 {"abi", info.abi},
                                 {"architecture", info.architecture},
                                 {"features", info.features},
                                 {"opt_level", info.optLevel},
                                 {"fingerprints", info.fingerprints}};
  return json.dump(1) + "\n";
}

ArtifactInfo readInfo(const jsonfile::Cursor &cursor) {
  ArtifactInfo info;
  cursor["version"].integer(artifactVersion, artifactVersion);
  info.soapVersion = cursor["soap"].text();
  info.abi = cursor["abi"].integer(0);
  info.architecture = cursor["architecture"].text();
  jsonfile::Cursor features = cursor["features"];
  for (size_t i = 0; i < features.size(); ++i)
    info.features.push_back(features[i].text());
  info.optLevel = cursor["opt_level"].integer(0, 3);
  for (const auto &[key, print] : cursor["fingerprints"].members())
    info.fingerprints[key] = print.text();
  return info;
}

Expected<ArtifactInfo> parseInfo(std::string_view text,
                                 const std::string &source) {
  nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded())
    return Error{source + ": expected JSON"};
  return jsonfile::read(json, source, readInfo);
}

struct Section {
  std::string name;
  std::string_view bytes;
  uint32_t encoding = Plain;
};

/// Large texts of rank tables shrink to a tenth and less, images of GPU kernels
/// to a fifth.
std::string deflated(std::string_view bytes) {
  std::string out;
  put(out, bytes.size(), 8);
  uLongf size = compressBound(uLong(bytes.size()));
  out.resize(8 + size);
  // It fails for a lack of memory or space only; there is enough of both.
  if (compress2(reinterpret_cast<Bytef *>(out.data() + 8), &size,
                reinterpret_cast<const Bytef *>(bytes.data()),
                uLong(bytes.size()), Z_DEFAULT_COMPRESSION) != Z_OK)
    return {};
  out.resize(8 + size);
  return out;
}

/// The content of a section; an error says what is wrong with it.
Expected<std::string> unpack(const Section &section) {
  if (section.encoding == Plain)
    return std::string(section.bytes);
  if (section.bytes.size() < 8)
    return Error{"expected the size of its content"};
  uint64_t size = get(section.bytes, 0, 8);
  std::string_view packed = section.bytes.substr(8);
  auto limit = uint64_t(inputLimits().unpacked(int64_t(packed.size())));
  if (size > std::min(maxUnpackedBytes, limit))
    return Error{"expected at most " +
                 std::to_string(std::min(maxUnpackedBytes, limit)) +
                 " bytes in " + std::to_string(packed.size()) + ", got " +
                 std::to_string(size) + " (option --input-limit)"};
  std::string out(size, '\0');
  auto unpacked = uLongf(size);
  auto used = uLong(packed.size());
  int status =
      uncompress2(reinterpret_cast<Bytef *>(out.data()), &unpacked,
                  reinterpret_cast<const Bytef *>(packed.data()), &used);
  if (status != Z_OK || unpacked != size || used != packed.size())
    return Error{"expected a zlib stream of " + std::to_string(size) +
                 " bytes"};
  return out;
}

Error damaged(const std::string &source, const std::string &what) {
  return Error{source + ": the artifact is damaged: " + what};
}

/// The sections of a file whose header is right.
Expected<std::vector<Section>> readTable(std::string_view data, size_t count,
                                         const std::string &source) {
  std::vector<Section> sections;
  size_t at = headerBytes + count * rowBytes;
  if (at > data.size())
    return damaged(source, "expected " + std::to_string(count) +
                               " sections, got the end of the file");
  if (get(data, 24, 4) != checksum(data.substr(headerBytes, count * rowBytes)))
    return damaged(source, "the checksum of the table is wrong");
  for (size_t i = 0; i < count; ++i) {
    std::string_view row = data.substr(headerBytes + i * rowBytes, rowBytes);
    Section section;
    section.name = row.substr(0, std::min(row.find('\0'), nameBytes));
    uint64_t offset = get(row, 16, 8), size = get(row, 24, 8);
    auto wrong = [&](const std::string &what) {
      return damaged(source, "section '" + section.name + "': " + what);
    };
    size_t expected = aligned(at);
    if (offset != expected || offset > data.size() ||
        size > data.size() - offset)
      return wrong("it is not where it should be");
    for (size_t pad = at; pad < expected; ++pad)
      if (data[pad])
        return wrong("the bytes before it are not zero");
    section.bytes = data.substr(offset, size);
    if (checksum(section.bytes) != get(row, 32, 4))
      return wrong("its checksum is wrong");
    section.encoding = uint32_t(get(row, 36, 4));
    if (section.encoding > Deflated)
      return wrong("expected encoding 0 or 1, got " +
                   std::to_string(section.encoding));
    at = offset + size;
    sections.push_back(std::move(section));
  }
  if (at != data.size())
    return damaged(source, "expected its end at " + std::to_string(at) +
                               ", got " + std::to_string(data.size()) +
                               " bytes");
  return sections;
}

} // namespace

bool runtime::looksLikeArtifact(std::string_view data) {
  // The first bytes are enough: the rest shows damage.
  return data.substr(0, 5) == magic.substr(0, 5);
}

std::string runtime::serializeArtifact(const Artifact &artifact) {
  std::string info = infoText(artifact.info);
  std::string manifest = deflated(artifact.manifest);
  std::string code = deflated(artifact.code);
  std::string_view contents[] = {info, artifact.manifest, artifact.code};
  Encoding encodings[] = {Plain, Plain, Plain};
  for (auto [i, packed] : {std::pair{1, &manifest}, std::pair{2, &code}})
    if (!packed->empty() && packed->size() < contents[i].size() &&
        contents[i].size() <= maxUnpackedBytes &&
        // Readers with default limits refuse a section that is packed more
        // tightly.
        int64_t(contents[i].size()) <=
            InputLimits().unpacked(int64_t(packed->size()) - 8)) {
      contents[i] = *packed;
      encodings[i] = Deflated;
    }
  size_t count = std::size(sectionNames);
  std::string table, body;
  size_t start = headerBytes + count * rowBytes;
  for (size_t i = 0; i < count; ++i) {
    body.append(aligned(start + body.size()) - (start + body.size()), '\0');
    std::string name = sectionNames[i];
    name.resize(nameBytes, '\0');
    table += name;
    put(table, start + body.size(), 8);
    put(table, contents[i].size(), 8);
    put(table, checksum(contents[i]), 4);
    put(table, encodings[i], 4);
    body += contents[i];
  }
  std::string head(magic);
  put(head, artifactVersion, 4);
  put(head, count, 4);
  put(head, start + body.size(), 8);
  put(head, checksum(table), 4);
  put(head, checksum(head), 4);
  return head + table + body;
}

Expected<Artifact> runtime::parseArtifact(std::string_view data,
                                          const std::string &source) {
  if (!looksLikeArtifact(data))
    return Error{source + ": expected an artifact, which starts with 'SOAPX'"};
  if (data.size() < headerBytes)
    return damaged(source, "expected a header of 32 bytes, got " +
                               std::to_string(data.size()));
  if (data.substr(0, 8) != magic)
    return damaged(source, "its first bytes are wrong, as after a transfer as "
                           "text");
  // The version comes first: other versions may have another header.
  if (uint64_t version = get(data, 8, 4); version != artifactVersion)
    return Error{source + ": expected an artifact of version " +
                 std::to_string(artifactVersion) + ", got version " +
                 std::to_string(version) + "; make it again from its IR"};
  if (get(data, 28, 4) != checksum(data.substr(0, 28)))
    return damaged(source, "the checksum of the header is wrong");
  if (uint64_t size = get(data, 16, 8); size != data.size())
    return damaged(source, "expected " + std::to_string(size) + " bytes, got " +
                               std::to_string(data.size()));
  size_t count = size_t(get(data, 12, 4));
  if (count != std::size(sectionNames))
    return damaged(source, "expected 3 sections, got " + std::to_string(count));
  auto sections = readTable(data, count, source);
  if (!sections)
    return sections.takeError();
  for (size_t i = 0; i < count; ++i)
    if ((*sections)[i].name != sectionNames[i])
      return damaged(source, std::string("expected section '") +
                                 sectionNames[i] + "', got '" +
                                 (*sections)[i].name + "'");
  std::vector<std::string> contents;
  for (const Section &section : *sections) {
    auto content = unpack(section);
    if (!content)
      return damaged(source,
                     "section '" + section.name + "': " + content.error());
    contents.push_back(std::move(*content));
  }
  auto info = parseInfo(contents[0], source + " (info)");
  if (!info)
    return info.takeError();
  Artifact artifact;
  artifact.info = std::move(*info);
  artifact.manifest = std::move(contents[1]);
  artifact.code = std::move(contents[2]);
  return artifact;
}

MaybeError runtime::checkArtifactHost(const Artifact &artifact,
                                      const std::string &source) {
  const ArtifactInfo &info = artifact.info;
  if (info.abi != SOAP_RT_ABI_VERSION)
    return Error{source + ": expected an artifact for version " +
                 std::to_string(SOAP_RT_ABI_VERSION) +
                 " of the runtime, got one for version " +
                 std::to_string(info.abi) + "; make it again from its IR"};
  if (info.architecture != hostArchitecture())
    return Error{source + ": expected an artifact for " + hostArchitecture() +
                 ", got one for " + info.architecture};
  std::string missing;
  const auto &host = hostCpuFeatures();
  for (const std::string &feature : info.features)
    if (std::find(host.begin(), host.end(), feature) == host.end())
      missing += (missing.empty() ? "" : ", ") + feature;
  if (!missing.empty())
    return Error{source +
                 ": needs CPU features that this machine lacks: " + missing};
  std::string_view code = artifact.code;
  uint64_t machine = info.architecture == "x86_64" ? 62 : 183;
  bool elf = code.size() > 64 &&
             code.substr(0, 6) == "\x7f"
                                  "ELF\2\1" &&
             get(code, 16, 2) == 3 && get(code, 18, 2) == machine;
  if (!elf)
    return Error{source + ": the code is no ELF shared object for " +
                 info.architecture};
  return std::nullopt;
}
