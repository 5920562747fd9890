//===- InsideExchange.h - Exchanges inside of machines ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages of an exchange between devices of one machine, and the
// all-to-all of one machine that moves as much: profiles have measured it, and
// an exchange takes at least as long.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_COST_INSIDEEXCHANGE_H
#define SOAP_LIB_COST_INSIDEEXCHANGE_H

#include "Soap/Cost/CollectiveCost.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace soap {

class InsideExchange {
public:
  /// Begins an exchange; always of the same workspace, which is kept.
  void begin(CollectiveWorkspace &workspace);
  /// Each of `readers`, ascending, gets from every other sender as many bytes
  /// as stand beside it.
  void add(std::span<const int> senders, std::span<const int64_t> bytes,
           std::span<const int> readers);

  /// An all-to-all of a whole tensor of `bytes`.
  struct AllToAll {
    std::vector<int> devices; ///< ascending, at least two
    int64_t bytes = 0;
  };
  /// The one in which each device that has messages inside of the machine of
  /// the busiest device sends as much as that one sends or receives there; none
  /// where nothing moves inside of machines, or no all-to-all was measured.
  /// `devices`: of the exchange, ascending; others may stand between them.
  std::optional<AllToAll> measured(std::span<const int> devices) const;

private:
  const Topology *topology = nullptr;
  const std::vector<int> *machines = nullptr; ///< by device
  std::vector<bool> isMeasured;        ///< by device type: an all-to-all is
  std::vector<int64_t> sent, received; ///< bytes, by device
  /// By machine: what its devices send, and how many read. 0 between calls.
  std::vector<int64_t> bytesOf, readersOf;
};

} // namespace soap

#endif // SOAP_LIB_COST_INSIDEEXCHANGE_H
