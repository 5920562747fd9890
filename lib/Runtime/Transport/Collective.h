//===- Collective.h - One device's part in a collective ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One device's view of an operation of several devices, as a transport gets it
// from the C ABI: the operation, the group of devices, and the buffers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_COLLECTIVE_H
#define SOAP_LIB_RUNTIME_TRANSPORT_COLLECTIVE_H

#include "Soap/ABI/Runtime.h"
#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Support/Error.h"

#include <cassert>
#include <cstdint>
#include <string>
#include <vector>

namespace soap::runtime {

class BackendDevice;

/// Buffers as for `soap_rt_collective`.
struct Collective {
  /// `AllToAll` with a root is a gather.
  CollectiveKind kind = CollectiveKind::AllReduce;
  /// In the entry; every collective happens once per iteration.
  int64_t number = 0;
  /// Devices in the order in which sums are folded. Outlives the call.
  const std::vector<int64_t> *group = nullptr;
  /// Places in the group: of the root (-1: none), and of this device.
  int64_t root = -1, place = 0;
  /// SOAP_BYTES, or the type of a sum: SOAP_F32, SOAP_F64, SOAP_F16, SOAP_BF16.
  int64_t elementType = SOAP_BYTES;
  std::vector<void *> inputs, outputs;
  /// In elements, by input and by output.
  std::vector<int64_t> inputCounts, outputCounts;
  /// The pieces lie one after the other in one buffer, and have one size.
  bool isContiguous = false;
  /// Of devices of a backend: the device's view, and the stream that does it.
  BackendDevice *device = nullptr;
  int64_t stream = 0;

  int64_t size() const { return int64_t(group->size()); }
  int64_t me() const {
    assert(place >= 0 && place < size() && "a member of the group");
    return (*group)[size_t(place)];
  }
  bool isRoot() const { return place == root; }
  /// Every device gives a piece to every device.
  bool isAllToAll() const {
    return kind == CollectiveKind::AllToAll && root < 0;
  }
  int64_t elementBytes() const {
    switch (elementType) {
    case SOAP_F32:
      return 4;
    case SOAP_F64:
      return 8;
    case SOAP_F16:
    case SOAP_BF16:
      return 2;
    default:
      return 1;
    }
  }
  /// Elements of the whole tensor that is summed, gathered or sent. Of an
  /// all-to-all, elements that this device gives.
  int64_t elements() const;
  /// Elements of each member's piece; empty unless it is a reduce-scatter or an
  /// all-gather.
  const std::vector<int64_t> &pieces() const;
  /// Where the pieces begin, and where the last one ends.
  std::vector<int64_t> pieceOffsets() const;
  /// "all-reduce 7 of 4 devices".
  std::string describe() const;
  /// Where a kind takes a buffer for each member, one may hold all, in equal
  /// pieces: makes one buffer for each of it.
  void splitPieces();
  /// Why the buffers are none of such a collective; empty if they are.
  std::string check() const;
  /// How another device's call differs from this one where both must agree;
  /// empty if it does not.
  std::string differenceTo(const Collective &other) const;
  /// Puts the call among the calls of its group, by place. An error if this
  /// device is there already, or if its call differs from another one's.
  MaybeError addTo(std::vector<const Collective *> &calls) const;
};

/// to[i] = sources[0][i] + sources[1][i] + ..., in this order. `to` may be one
/// of the sources.
void foldSums(int64_t elementType, const std::vector<const void *> &sources,
              void *to, int64_t count);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_COLLECTIVE_H
