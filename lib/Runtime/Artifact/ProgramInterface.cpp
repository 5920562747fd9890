//===- ProgramInterface.cpp - Manifest and programs agree -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProgramInterface.h; Runtime.h describes the constants of a module.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/ProgramInterface.h"

#include "Soap/ABI/Runtime.h"

#include <map>

using namespace soap;
using namespace soap::runtime;

namespace {

struct PointerNeed {
  int64_t bytes, type;
};

struct MessageNeed {
  int64_t slot, kind, bytes;
};

/// The needs of a program, as its constant states them.
struct ProgramNeeds {
  int64_t arenaBytes = 0, slots = 0;
  std::vector<PointerNeed> pointers;
  std::vector<MessageNeed> messages;
};

/// Reads a constant `soap_interface_NAME`; none if it contradicts itself.
std::optional<ProgramNeeds> readNeeds(const int64_t *words) {
  const int64_t *end = words + 1 + *words;
  ++words;
  auto left = [&] { return end - words; };
  ProgramNeeds needs;
  if (left() < 4)
    return std::nullopt;
  needs.arenaBytes = *words++;
  needs.slots = *words++;
  int64_t count = *words++;
  if (count < 0 || count > left() / 2)
    return std::nullopt;
  for (; count > 0; --count, words += 2)
    needs.pointers.push_back({words[0], words[1]});
  if (left() < 1)
    return std::nullopt;
  count = *words++;
  if (count < 0 || count > left() / 3 || count * 3 != left())
    return std::nullopt;
  for (; count > 0; --count, words += 3)
    needs.messages.push_back({words[0], words[1], words[2]});
  return needs;
}

int64_t interfaceType(DType type) {
  switch (type) {
  case DType::F32:
    return SOAP_INTERFACE_F32;
  case DType::F64:
    return SOAP_INTERFACE_F64;
  case DType::I32:
    return SOAP_INTERFACE_I32;
  case DType::I64:
    return SOAP_INTERFACE_I64;
  case DType::F16:
    return SOAP_INTERFACE_F16;
  case DType::BF16:
    return SOAP_INTERFACE_BF16;
  }
  return SOAP_INTERFACE_OTHER;
}

const char *typeName(int64_t type) {
  constexpr const char *names[] = {"f32", "f64", "i32", "i64", "f16", "bf16"};
  return type >= 0 && type < int64_t(std::size(names)) ? names[type]
                                                       : "another type";
}

/// One rank against its program.
class RankChecker {
public:
  RankChecker(const Manifest &manifest, const EntryInfo &entry,
              const RankInfo &rank, const ProgramNeeds &needs)
      : manifest(manifest), entry(entry), rank(rank), needs(needs) {}

  MaybeError check() {
    if (rank.arenaBytes != needs.arenaBytes)
      return wrong("arena_bytes", needs.arenaBytes, rank.arenaBytes);
    int64_t pointers = int64_t(rank.args.size() + rank.results.size());
    if (pointers != int64_t(needs.pointers.size()))
      return wrong("args and results, together", int64_t(needs.pointers.size()),
                   pointers);
    size_t place = 0;
    for (const std::vector<TileInfo> *tiles : {&rank.args, &rank.results})
      for (const TileInfo &tile : *tiles)
        if (MaybeError error = checkTile(tile, needs.pointers[place++]))
          return error;
    // More than a program needs do no harm.
    if (int64_t(rank.tasks.size()) < needs.slots)
      return wrong("tasks", needs.slots, int64_t(rank.tasks.size()));
    return checkMessages();
  }

private:
  Error wrong(const std::string &what, const std::string &expected,
              const std::string &got) const {
    return Error{"the manifest does not fit the programs: entry '" +
                 entry.name + "', device " + std::to_string(rank.device) +
                 ": " + what + ": program '" + rank.program + "' expects " +
                 expected + ", got " + got};
  }
  Error wrong(const std::string &what, int64_t expected, int64_t got) const {
    return wrong(what, std::to_string(expected), std::to_string(got));
  }

  MaybeError checkTile(const TileInfo &tile, const PointerNeed &need) const {
    const TensorInfo &info = manifest.tensors[tile.tensor];
    int64_t bytes = tile.region.volume() * sizeOf(info.dtype);
    if (bytes != need.bytes)
      return wrong("bytes of the region of '" + info.name + "'", need.bytes,
                   bytes);
    if (interfaceType(info.dtype) == need.type)
      return std::nullopt;
    return wrong("the type of '" + info.name + "'", typeName(need.type),
                 nameOf(info.dtype));
  }

  MaybeError checkMessages() const {
    std::vector<int64_t> transfers(rank.tasks.size()),
        collectives(rank.tasks.size());
    for (const MessageNeed &message : needs.messages) {
      if (message.slot < 0 || message.slot >= needs.slots)
        return wrong("tasks", message.slot + 1, needs.slots);
      ++(message.kind == SOAP_INTERFACE_COLLECTIVE
             ? collectives
             : transfers)[size_t(message.slot)];
    }
    for (size_t slot = 0; slot < rank.tasks.size(); ++slot) {
      std::string where = " of slot " + std::to_string(slot);
      if (transfers[slot] != (rank.transfers[slot] >= 0))
        return wrong("transfers" + where, transfers[slot],
                     rank.transfers[slot] >= 0);
      if (collectives[slot] != (rank.collectives[slot] >= 0))
        return wrong("collectives" + where, collectives[slot],
                     rank.collectives[slot] >= 0);
    }
    return std::nullopt;
  }

  const Manifest &manifest;
  const EntryInfo &entry;
  const RankInfo &rank;
  const ProgramNeeds &needs;
};

/// Both ends of a transfer: one sends, the other one receives as many bytes.
class TransferChecker {
public:
  explicit TransferChecker(const EntryInfo &entry)
      : entry(entry), ends(size_t(entry.transferCount)) {}

  MaybeError add(const RankInfo &rank, const ProgramNeeds &needs) {
    for (const MessageNeed &message : needs.messages) {
      if (message.kind == SOAP_INTERFACE_COLLECTIVE)
        continue;
      int64_t number = rank.transfers[size_t(message.slot)];
      std::optional<MessageNeed> &other = ends[size_t(number)];
      if (!other) {
        other = message;
        continue;
      }
      std::string where = "the manifest does not fit the programs: entry '" +
                          entry.name + "', transfer " + std::to_string(number) +
                          ": ";
      if (other->kind == message.kind)
        return Error{
            where + "expected a sender and a receiver, got two " +
            (message.kind == SOAP_INTERFACE_SEND ? "senders" : "receivers")};
      if (other->bytes != message.bytes)
        return Error{where + "one end has " + std::to_string(other->bytes) +
                     " bytes, the other one " + std::to_string(message.bytes)};
    }
    return std::nullopt;
  }

private:
  const EntryInfo &entry;
  std::vector<std::optional<MessageNeed>> ends;
};

} // namespace

MaybeError runtime::verifyPrograms(const ProgramSource &source) {
  const Manifest &manifest = *source.manifest;
  std::map<std::string, ProgramNeeds> known;
  for (const EntryInfo &entry : manifest.entries) {
    TransferChecker transfers(entry);
    for (const RankInfo &rank : entry.ranks) {
      auto [needs, isNew] = known.try_emplace(rank.program);
      if (isNew) {
        auto *words = static_cast<const int64_t *>(
            source.data("soap_interface_" + rank.program));
        auto read = words ? readNeeds(words) : std::nullopt;
        if (!read)
          return Error{"entry '" + entry.name +
                       "': the module has no program '" + rank.program +
                       "' that says what it needs (soap_interface_" +
                       rank.program + "); lower it again"};
        needs->second = std::move(*read);
      }
      if (MaybeError error =
              RankChecker(manifest, entry, rank, needs->second).check())
        return error;
      if (MaybeError error = transfers.add(rank, needs->second))
        return error;
    }
  }
  auto *checksum =
      static_cast<const int64_t *>(source.data("soap_manifest_crc32"));
  if (!checksum || checksum[0] != manifest.textBytes ||
      checksum[1] != manifest.textChecksum)
    return Error{"the manifest is not the one that the programs were compiled "
                 "with: it was changed; lower the module again"};
  return std::nullopt;
}
