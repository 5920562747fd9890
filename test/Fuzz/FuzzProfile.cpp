//===- FuzzProfile.cpp - Fuzz target: profiles ----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Accepted input prints and parses as the same, and predicts.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Soap/Profile/ProfileModel.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto profile = parseProfile(std::string(fuzz::view(data, size)), "input");
  if (!profile)
    return 0;
  std::string text = printProfile(*profile);
  auto again = parseProfile(text, "printed");
  fuzz::require(bool(again), "what was printed is refused");
  fuzz::require(printProfile(*again) == text,
                "a round trip changes the profile");
  ProfileModel model(std::move(*again));
  for (const ProfileTable &table : model.getProfile().tables) {
    if (table.entries.size() > 64)
      continue; // time, not an error
    std::optional<double> ns =
        model.opNs(shapeOf(table, table.entries.front().shape), table.dtype);
    fuzz::require(ns && *ns > 0, "a measured shape has no time");
  }
  return 0;
}
