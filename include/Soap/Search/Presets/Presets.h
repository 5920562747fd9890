//===- Presets.h - Strategies that need no search ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The presets: strategies that are known by name (data parallelism, model
// parallelism, an expert's, ZeRO, ...). Baselines, and starts of searches.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SEARCH_PRESETS_PRESETS_H
#define SOAP_SEARCH_PRESETS_PRESETS_H

#include "Soap/Model/Reuse.h"
#include "Soap/Search/Problem/ParallelizationProblem.h"

namespace soap {

/// Everything on device 0.
Strategy singleStrategy(const ParallelizationProblem &problem);
/// Sample loops split over all devices; ops without samples (updates)
/// replicated on all.
Strategy dataParallelStrategy(const ParallelizationProblem &problem);
/// The largest parameter loop of each group's leader split over all devices;
/// groups without one whole on the device with the least work so far (the
/// operator dimension).
Strategy modelParallelStrategy(const ParallelizationProblem &problem);
/// Spatial loops (attribute loops that slide windows) split over all devices;
/// groups without them by samples.
Strategy spatialStrategy(const ParallelizationProblem &problem);

/// The strategy that an expert would choose, by the family of the network:
/// linear layers split by outputs and all others by samples (CNNs, "one weird
/// trick"); samples over machines, layers over the devices of a machine (RNNs,
/// as GNMT); linear layers by outputs and inputs in turn, heads of attention,
/// samples over machines (transformers, Megatron).
Strategy expertStrategy(const ParallelizationProblem &problem);
/// Data parallelism with every update split over the devices that have its
/// gradient.
Strategy zeroStrategy(const ParallelizationProblem &problem);
/// Gives every conversion of a weight (to the 16-bit floats that a step
/// computes with) the config of the weight's update, so that what is gathered
/// are the narrow numbers.
void shardWorkingCopies(const Graph &graph, Strategy &strategy);

/// Data parallelism where devices differ in speed or links: pieces in
/// proportion to speed, so that a device may have several and some none; the
/// fastest of a few choices, by simulation. Where all devices are alike, data
/// parallelism.
Strategy weightedDataParallelStrategy(const ParallelizationProblem &problem);
/// Data parallelism in equal pieces without those devices that slow it down,
/// whether they compute or send slowly. Where all devices are alike, data
/// parallelism.
Strategy fastDevicesStrategy(const ParallelizationProblem &problem);

/// Strategies whose runs together show the shapes that searches meet: number 0
/// has every group whole on one device; others split in each group's leader the
/// number-th of its choices, every loop alone over all devices, then (from four
/// devices on) every two loops. Groups with fewer choices begin again.
Strategy probeStrategy(const ParallelizationProblem &problem, int number);

/// Every group by itself takes one of these choices, or one device: a random
/// strategy for measurements. `seed` decides.
Strategy mixedStrategy(const ParallelizationProblem &problem, int seed);

/// The families that `expertStrategy` tells apart.
enum class NetworkFamily {
  Feedforward, ///< convolutions, linear layers
  Recurrent,   ///< has LSTM layers
  Transformer, ///< multiplies activations with each other
};
NetworkFamily familyOf(const ParallelizationProblem &problem);

/// Names of all presets without options; recipes are not among them.
const std::vector<std::string> &presetNames();

/// A strategy, and the values that are kept in one form from the forward pass
/// to the backward pass (Reuse.h); those are for `restoreValue` on the graph
/// that the strategy is priced with.
struct NamedStrategy {
  Strategy strategy;
  std::vector<KeptValue> keeps;
  /// The states of the optimizer are in the memory of the host
  /// (Memory/HostMemory.h): for `putOptimizerInHost` on that graph.
  bool offload = false;
};

/// The strategy that a text names: a preset, `probe-N`, `mixed-N`, or a recipe
/// with options in parentheses:
/// - `context(cp=N,zigzag,tp=N,zero)`: sequences split over N devices (default:
///   as many as attention has blocks, for a zigzag half of these), for networks
///   whose attention is in blocks; `zigzag`: each device has an early and a
///   late part of every sequence; `tp=N`: tensor parallelism inside of these;
///   `zero`: updates split over all devices.
/// - `fsdp`: data parallelism whose parameters and updates are split over the
///   devices. Parameters that both passes read are gathered in each; a program
///   that has no backward pass of its own (an imported training step) gathers
///   them once.
/// - `gshard(ep=N)`: data parallelism whose experts are split over groups of N
///   devices (default: as many as the experts allow), which exchange tokens.
/// - `megatron(tp=N,sp)`: tensor parallelism of degree N (default: the devices
///   of a machine) inside of machines, data parallelism outside; `sp`: norms
///   and what else these devices would all compute are split along the
///   sequence.
/// With the option `devices=N`, as in `zero(devices=8)`, a strategy is that of
/// the topology's first N devices; the others are idle.
/// With the option `offload`, as in `zero(offload)` and
/// `megatron(tp=N,offload)`, the states of the optimizer are in the memory of
/// the host. The problem's graph must restore nothing yet. An error names the
/// text and says what was expected.
Expected<NamedStrategy> namedStrategy(const std::string &text,
                                      const ParallelizationProblem &problem);
/// Takes `offload` out of the options in parentheses of such a text, and these
/// away if there are no others; false if it is not there.
bool takeOffload(std::string &text);
/// As `namedStrategy` where strategies are configs alone, as starts of a search
/// are: `fsdp` and `offload` are errors.
Expected<Strategy> presetStrategy(const std::string &name,
                                  const ParallelizationProblem &problem);

/// Where searches start: all presets that lie in the space of the problem, each
/// strategy once, with its name; data parallelism first. Data parallelism that
/// does not lie in the space is moved into it where that is possible. All are
/// on all devices, except `single`; FewerDevices.h has others.
std::vector<std::pair<std::string, Strategy>>
presetStarts(const ParallelizationProblem &problem);

} // namespace soap

#endif // SOAP_SEARCH_PRESETS_PRESETS_H
