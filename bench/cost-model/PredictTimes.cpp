//===- PredictTimes.cpp - Times of shapes by a profile --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For bench/cost-model/run.py: reads `OP DIRECTION DTYPE NUMBERS...` (extents,
// strides, bytes, as in a profile's entries) a line, writes the time in ns that
// the cost model gives by the profile, and by its curve alone.
//
//   PredictTimes profile.json < shapes > times
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/ProfileModel.h"

#include <iostream>
#include <sstream>

using namespace soap;

int main(int argc, char **argv) {
  if (argc != 2) {
    std::cerr << "usage: PredictTimes profile.json < shapes\n";
    return 2;
  }
  Expected<Profile> profile = loadProfile(argv[1]);
  if (!profile) {
    std::cerr << profile.error() << "\n";
    return 1;
  }
  ProfileModel model(std::move(*profile));
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream text(line);
    std::string op, direction, dtype;
    text >> op >> direction >> dtype;
    std::vector<int64_t> row;
    for (int64_t number; text >> number;)
      row.push_back(number);
    const ProfileTable *table = nullptr;
    for (const ProfileTable &candidate : model.getProfile().tables)
      if (candidate.op == op && candidate.direction == direction &&
          candidate.dtype == dtype &&
          row.size() == candidate.loops.size() + candidate.strides + 1)
        table = &candidate;
    if (!table) {
      std::cerr << "no table for '" << line << "'\n";
      return 1;
    }
    OpShape shape = shapeOf(*table, row);
    std::cout << *model.opNs(shape, dtype) << " "
              << *model.curveNs(shape, dtype, {}) << "\n";
  }
  return 0;
}
