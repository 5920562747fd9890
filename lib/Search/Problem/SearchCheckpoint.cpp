//===- SearchCheckpoint.cpp - Files of states of searches -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SearchCheckpoint.h.
//
//===----------------------------------------------------------------------===//

#include "Search/Problem/SearchCheckpoint.h"

#include "Soap/Plan/StrategyFile.h"
#include "Support/Hasher.h"

#include <algorithm>

using namespace soap;
using jsonfile::Cursor;
using nlohmann::json;

static constexpr const char *checksumKey = "checksum";

/// Of all that a document says, without its checksum.
static std::string checksumOf(json document) {
  document.erase(checksumKey);
  Hasher hasher;
  hasher.add(document.dump());
  return hasher.hex();
}

std::string searchcheckpoint::print(const ParallelizationProblem &problem,
                                    const std::string &search,
                                    const std::string &options, json members) {
  members["version"] = 1;
  members["search"] = search;
  members["model"] = fingerprint(problem.getGraph());
  members["topology"] = fingerprint(problem.getTopology());
  members["profiles"] = fingerprintOfProfiles(problem.getTopology());
  if (!problem.getTopology().executor.isDefault())
    members["executor"] = printExecutor(problem.getTopology().executor);
  members["precision"] = precisionName(problem.getGraph().precision);
  members["options"] = options;
  members[checksumKey] = checksumOf(members);
  return members.dump() + "\n";
}

static bool knowsTf32(const Topology &topology) {
  return std::any_of(topology.deviceTypes.begin(), topology.deviceTypes.end(),
                     [](const DeviceType &type) {
                       return type.flopsPerSecond.contains("tf32");
                     });
}

static void expect(const Cursor &entry, const std::string &expected,
                   const std::string &what) {
  std::string actual = entry.string();
  if (actual != expected)
    entry.fail("expected " + what + " " + jsonfile::quote(expected) + ", got " +
               jsonfile::quote(actual));
}

void searchcheckpoint::checkIdentity(const Cursor &document,
                                     const ParallelizationProblem &problem,
                                     const std::string &search,
                                     const std::string &options,
                                     const std::vector<const char *> &keys) {
  // The members depend on both.
  document.expectVersion();
  expect(document["search"], search, "a checkpoint of algorithm");
  std::vector<std::string> known = {"version",  "search",   "model",
                                    "topology", "profiles", "precision",
                                    "options",  "executor", checksumKey};
  known.insert(known.end(), keys.begin(), keys.end());
  for (const auto &[name, member] : document.members())
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      std::string list;
      for (const std::string &key : known)
        list += (list.empty() ? "" : ", ") + key;
      document.fail("unknown key " + jsonfile::quote(name) +
                    ", expected one of " + list);
    }
  const Topology &topology = problem.getTopology();
  expect(document["model"], fingerprint(problem.getGraph()),
         "a checkpoint of the model with fingerprint");
  expect(document["topology"], fingerprint(topology),
         "a checkpoint for the topology with fingerprint");
  if (!topology.executor.isDefault() || document.has("executor"))
    expect(document["executor"], printExecutor(topology.executor),
           "a checkpoint of plans that run by");
  // Older files go by the names of profiles.
  if (document.has("profiles"))
    expect(document["profiles"], fingerprintOfProfiles(topology),
           "a checkpoint of prices by profiles with fingerprint");
  // Older files have prices in f32, but of devices with tf32, in that.
  if (document.has("precision") || knowsTf32(topology))
    expect(document["precision"], precisionName(problem.getGraph().precision),
           "a checkpoint of prices of products in");
  expect(document["options"], options, "a checkpoint of a search with");
}

bool searchcheckpoint::hasChecksum(const Cursor &document) {
  return document.has(checksumKey);
}

void searchcheckpoint::checkChecksum(const json &document,
                                     const Cursor &cursor) {
  Cursor entry = cursor[checksumKey];
  std::string actual = entry.string(), expected = checksumOf(document);
  if (actual != expected)
    entry.fail("the file is damaged: expected " + jsonfile::quote(expected) +
               ", the checksum of what it says, got " +
               jsonfile::quote(actual));
}

std::vector<Cursor> searchcheckpoint::elements(const Cursor &entry,
                                               size_t count) {
  std::vector<Cursor> list = entry.elements();
  if (list.size() != count)
    entry.failExpected("a list of " + std::to_string(count));
  return list;
}
