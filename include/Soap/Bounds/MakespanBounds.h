//===- MakespanBounds.h - Lower bounds of the makespan ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lower bounds of the makespan of a changed strategy, before the values around
// the change are planned: from the work of each device, from what must pass the
// cuts of the topology, and from paths through kernels. A search refuses most
// proposals by them. docs/Simulator.md has each bound with its formula.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_BOUNDS_MAKESPANBOUNDS_H
#define SOAP_BOUNDS_MAKESPANBOUNDS_H

#include "Soap/Plan/StrategyPlan.h"

namespace soap {

class InboundTransfers;
class KernelPaths;

/// Observes a plan, to which it keeps a reference. The plan then also gives up
/// a transaction (`StrategyPlan::finish`) where these bounds refuse it. There
/// must be no transaction when one is made. All times are in ns.
class MakespanBounds final : private PlanObserver {
public:
  explicit MakespanBounds(StrategyPlan &plan);
  ~MakespanBounds();
  MakespanBounds(const MakespanBounds &) = delete;
  MakespanBounds &operator=(const MakespanBounds &) = delete;

  /// Without a transaction: sets `ns` to a lower bound of the work of each
  /// device for the kernels of all nodes but these, whatever their configs.
  void loadWithoutNs(std::span<const int> nodes, std::vector<int64_t> &ns);
  /// Adds a lower bound of the duration of each shard of a node under a config
  /// to the entry of `ns` that the config's list of devices names.
  void addShardNs(int node, const Config &config, std::vector<int64_t> &ns);
  /// Between `change` and `finish`: the load bound, from the kernels of each
  /// device. Replicas of linear ops may turn out to have nothing to do; they
  /// are looked for only if the bound is above the limit with them.
  int64_t loadBoundNs(int64_t limitNs);
  /// Between `change` and `finish`: the greatest of the cut bounds and of the
  /// path bound. Returns the first that is above the limit. Takes microseconds,
  /// planning takes far more.
  int64_t boundNs(int64_t limitNs = std::numeric_limits<int64_t>::max());
  /// After `StrategyPlan::prepare`: plans pending values between kernels that
  /// have changed and others. Returns false as soon as paths show that the
  /// makespan is above the limit.
  bool planBoundaryValues(int64_t limitNs);
  /// Computes heads and tails of all slots: the longest paths through kernels,
  /// without any waiting for resources.
  void findPaths();
  /// Lower bound of the time from the end of any shard of a slot to the end of
  /// the iteration; 0 if neither `boundNs` nor `findPaths` was called since the
  /// last change.
  int64_t tailNs(int slot) const { return validTails ? validTails[slot] : 0; }

private:
  StrategyPlan &plan;
  std::unique_ptr<KernelPaths> paths;
  std::unique_ptr<InboundTransfers> inbound;
  std::vector<bool> isLeftOut; ///< by slot, in `loadWithoutNs` only
  /// After `boundNs`: lower bounds of the bytes that pass each cut in the end,
  /// and the values that count with `minBytes` (by value and cut) in them.
  std::vector<int64_t> expectedBytes;
  std::vector<int> boundedValues;
  std::vector<std::vector<int64_t>> minBytes;
  /// Tails by slot, if they are tails of the plan; null otherwise.
  const int64_t *validTails = nullptr;
  /// The last bound from paths, and by how much delays have grown since.
  int64_t pathNs = 0, grownDelayNs = 0;
  struct Scratch; ///< memory of single calls
  std::unique_ptr<Scratch> scratch;

  void kernelsChanged(std::span<const int> slots) override;
  void valueDropped(int value) override;
  bool valuePlanned(int value, int64_t limitNs) override;
  bool valueFinished(int value, int64_t limitNs) override;
  void finished() override;
  void committed() override;
  void reverted(std::span<const int> slots) override;

  void findTails();
  int64_t pathBoundNs();
  int64_t addInbound(int value, std::vector<int64_t> &bytes);
  void expect(const std::vector<int64_t> &before,
              const std::vector<int64_t> &now);
  void forgetBounds();
};

} // namespace soap

#endif // SOAP_BOUNDS_MAKESPANBOUNDS_H
