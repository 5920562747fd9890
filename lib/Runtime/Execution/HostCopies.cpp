//===- HostCopies.cpp - Operands of a call on the host --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HostCopies.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/HostCopies.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace soap;
using namespace soap::runtime;

void HostCopies::add(const void *device, int64_t bytes) {
  assert(bytes >= 0 && "a negative size");
  assert(std::ranges::none_of(
             parts, [](const Part &part) { return part.copy.data(); }) &&
         "must come before `read`");
  if (!device)
    return;
  auto *begin = static_cast<const char *>(device);
  const char *end = begin + bytes;
  // Takes over the parts that it meets.
  auto meets = [&](const Part &part) {
    return part.device < end && begin < part.device + part.bytes;
  };
  for (const Part &part : parts)
    if (meets(part)) {
      begin = std::min(begin, part.device);
      end = std::max(end, part.device + part.bytes);
    }
  std::erase_if(parts, meets);
  auto place = std::find_if(parts.begin(), parts.end(), [&](const Part &part) {
    return part.device > begin;
  });
  parts.insert(place, Part{begin, end - begin, {}});
  assert(std::ranges::is_sorted(parts, {}, &Part::device) && "by address");
}

bool HostCopies::meets(const void *device, int64_t bytes) const {
  auto *begin = static_cast<const char *>(device);
  return std::any_of(parts.begin(), parts.end(), [&](const Part &part) {
    return part.device < begin + bytes && begin < part.device + part.bytes;
  });
}

int64_t HostCopies::bytes() const {
  int64_t sum = 0;
  for (const Part &part : parts)
    sum += part.bytes;
  return sum;
}

MaybeError HostCopies::read(BackendDevice &device, int64_t stream) {
  for (Part &part : parts) {
    part.copy = AlignedBytes(part.bytes);
    if (MaybeError error =
            device.copy(part.copy.data(), part.device, part.bytes, stream))
      return error;
  }
  return std::nullopt;
}

HostCopies HostCopies::clone() const {
  HostCopies result;
  for (const Part &part : parts) {
    assert(part.copy.data() && "must come after `read`");
    result.parts.push_back({part.device, part.bytes, AlignedBytes(part.bytes)});
    std::memcpy(result.parts.back().copy.data(), part.copy.data(),
                size_t(part.bytes));
  }
  return result;
}

void *HostCopies::find(const void *device) const {
  auto *place = static_cast<const char *>(device);
  if (!place)
    return nullptr;
  for (const Part &part : parts)
    if (place >= part.device && place < part.device + part.bytes)
      return part.copy.data() + (place - part.device);
  // An operand without elements has no place.
  return parts.empty() ? nullptr : parts.front().copy.data();
}
