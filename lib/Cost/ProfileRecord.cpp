//===- ProfileRecord.cpp - Measurements on their way to a profile ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProfileRecord.h.
//
//===----------------------------------------------------------------------===//

#include "ProfileRecord.h"

#include "Soap/Profile/ProfileModel.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cmath>
#include <sstream>

using namespace soap;

std::string soap::printShape(const ProfileTable &table,
                             const ProfileEntry &entry) {
  std::string loops, strides;
  for (size_t i = 0; i + 1 < entry.shape.size(); ++i) {
    std::string number = std::to_string(entry.shape[i]);
    if (i < table.loops.size())
      loops += (i ? "," : "") + table.loops[i] + "=" + number;
    else
      strides += (strides.empty() ? "" : ",") + number;
  }
  return table.op + " " + table.direction + " " + table.dtype + " " +
         (loops.empty() ? "-" : loops) + " " +
         (strides.empty() ? "-" : strides) + " " +
         std::to_string(entry.shape.back());
}

int64_t soap::cacheBytesOf(const DeviceType &type) {
  return type.costs && type.costs->getProfile().device == type.name
             ? type.costs->getProfile().cacheBytes
             : defaultCacheBytes;
}

std::string soap::printShape(const Work &work, const std::string &dtype,
                             int64_t cacheBytes) {
  const OpShape &shape = work.shape;
  if (shape.op.empty() && !isCopy(work.kind))
    return "";
  ProfileTable table;
  table.op = shape.op.empty() ? work.kind : shape.op;
  table.direction = shape.op.empty() ? "forward" : shape.direction;
  table.dtype = dtype;
  table.loops = shape.loops;
  ProfileEntry entry;
  entry.shape = shape.extents;
  if (!work.parts.empty()) {
    CopySizes sizes = assembleSizes(work.parts, cacheBytes);
    table.loops.assign(copySizeNames.begin(), copySizeNames.end());
    for (int64_t size :
         {sizes.copiedBytes, sizes.runs, sizes.coldBytes, sizes.coldRuns})
      entry.shape.push_back(std::max<int64_t>(size, 1));
  }
  entry.shape.insert(entry.shape.end(), shape.strides.begin(),
                     shape.strides.end());
  entry.shape.push_back(std::max<int64_t>(work.bytes, 1));
  return printShape(table, entry);
}

Expected<ProfileTable> soap::parseShape(const std::string &text) {
  auto fail = [&] {
    return Error{"'" + text +
                 "': expected op, direction, dtype, loops, strides and bytes"};
  };
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; stream >> word;)
    words.push_back(word);
  if (words.size() != 6)
    return fail();
  ProfileTable table;
  table.op = words[0];
  table.direction = words[1];
  table.dtype = words[2];
  ProfileEntry entry;
  auto number = [&](const std::string &digits) {
    int64_t value = 0;
    auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        value < 1)
      return false;
    entry.shape.push_back(value);
    return true;
  };
  auto parts = [](const std::string &list) {
    std::vector<std::string> result;
    std::istringstream stream(list == "-" ? "" : list);
    for (std::string part; std::getline(stream, part, ',');)
      result.push_back(part);
    return result;
  };
  for (const std::string &part : parts(words[3])) {
    size_t equals = part.find('=');
    if (equals == std::string::npos || !number(part.substr(equals + 1)))
      return fail();
    table.loops.push_back(part.substr(0, equals));
  }
  for (const std::string &part : parts(words[4])) {
    if (!number(part))
      return fail();
    ++table.strides;
  }
  if (!number(words[5]))
    return fail();
  table.entries.push_back(std::move(entry));
  return table;
}

void ProfileRecord::add(const std::string &shape, double ns) {
  assert(ns >= 0 && "a negative time");
  Sum &sum = times[shape];
  sum.ns += ns;
  ++sum.count;
}

/// `a` is no larger than `b` in any respect, with the same strides.
static bool isWithin(const ProfileTable &table, const ProfileEntry &a,
                     const ProfileEntry &b) {
  size_t loops = table.loops.size();
  for (size_t i = 0; i < a.shape.size(); ++i) {
    bool isStride = i >= loops && i < loops + table.strides;
    if (isStride ? a.shape[i] != b.shape[i] : a.shape[i] > b.shape[i])
      return false;
  }
  return true;
}

/// Puts new entries in place of old ones of the same shape, and leaves no more
/// disorder than a profile may have.
static void merge(ProfileTable &table, std::vector<ProfileEntry> added) {
  std::erase_if(table.entries, [&](const ProfileEntry &old) {
    return std::any_of(
        added.begin(), added.end(),
        [&](const ProfileEntry &entry) { return old.shape == entry.shape; });
  });
  table.entries.insert(table.entries.end(), added.begin(), added.end());
  for (ProfileEntry &large : table.entries)
    for (const ProfileEntry &small : table.entries)
      if (isWithin(table, small, large))
        large.ns = std::max(
            large.ns, static_cast<int64_t>(std::ceil(
                          static_cast<double>(small.ns) / maxProfileDisorder)));
}

MaybeError ProfileRecord::addTo(Profile &profile) const {
  // Entries by table.
  std::map<std::string, ProfileTable> added;
  for (const auto &[text, sum] : times) {
    Expected<ProfileTable> parsed = parseShape(text);
    if (!parsed)
      return Error{parsed.error()};
    ProfileEntry entry = std::move(parsed->entries.front());
    parsed->entries.clear();
    constexpr double longest = 1e15;
    entry.ns = static_cast<int64_t>(std::clamp(
        std::round(sum.ns / static_cast<double>(sum.count)), 1.0, longest));
    std::string key = parsed->op + " " + parsed->direction + " " +
                      parsed->dtype + " " + std::to_string(parsed->strides);
    for (const std::string &loop : parsed->loops)
      key += " " + loop;
    ProfileTable &table = added.try_emplace(key, *parsed).first->second;
    table.entries.push_back(std::move(entry));
  }
  for (auto &[key, table] : added) {
    auto same = [&, &table = table](const ProfileTable &other) {
      return other.op == table.op && other.direction == table.direction &&
             other.dtype == table.dtype && other.loops == table.loops &&
             other.strides == table.strides;
    };
    auto it = std::find_if(profile.tables.begin(), profile.tables.end(), same);
    if (it == profile.tables.end()) {
      it = profile.tables.insert(it, table);
      it->entries.clear();
    }
    merge(*it, std::move(table.entries));
    it->noise = exactProfileNoise;
    if (!isCopy(it->op))
      continue;
    std::erase_if(profile.curves, [&](const CostCurve &curve) {
      return curve.op == it->op && curve.dtype == it->dtype;
    });
    profile.curves.push_back(fitCurve(*it));
  }
  return std::nullopt;
}
