//===- Roles.cpp - Roles of loops -----------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The S, A and P of the SOAP paper for every loop: sample dims are propagated
// from the data arguments, weights are the parameter arguments.
//
//===----------------------------------------------------------------------===//

#include "LoopCorrespondence.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// The samples within one dim: digit `index / stride % extent` (a reshape may
/// have merged samples with other dims).
struct SampleDigit {
  int64_t stride = 1;
  int64_t extent = 0; ///< 0: the dim has no samples
};

class Roles {
public:
  explicit Roles(const OpGraph &opGraph)
      : opGraph(opGraph), nodes(nodesByName(opGraph)),
        samples(opGraph.graph.values.size()),
        weight(opGraph.graph.values.size(), false) {
    for (size_t v = 0; v < samples.size(); ++v)
      samples[v].resize(opGraph.graph.values[v].shape.size());
  }

  std::vector<std::vector<::soap::Role>> compute();

private:
  void seed();
  SmallVector<SampleDigit> sampleLoops(int node, const Origin &origin) const;
  void propagate(int node, ArrayRef<SampleDigit> digits);
  ::soap::Role roleOf(int node, int loop) const;

  const OpGraph &opGraph;
  llvm::StringMap<int> nodes;
  std::vector<SmallVector<SampleDigit>> samples; ///< per value and dim
  std::vector<bool> weight; ///< values computed from parameters alone
  std::vector<std::vector<::soap::Role>> roles;
};

} // namespace

void Roles::seed() {
  for (auto [input, argument] :
       llvm::zip_equal(opGraph.graph.inputs, opGraph.inputs)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    unsigned number = argument.getArgNumber();
    auto &dims = samples[input.value];
    if (auto dim = function.getArgAttrOfType<IntegerAttr>(
            number, SoapDialect::kSampleDim);
        dim && dim.getInt() >= 0 &&
        dim.getInt() < static_cast<int64_t>(dims.size()))
      dims[dim.getInt()] = {
          1, opGraph.graph.values[input.value].shape[dim.getInt()]};
    if (auto kind = enumValue<ValueKindAttr>(
            function.getArgAttr(number, SoapDialect::kKind)))
      weight[input.value] = *kind == ValueKind::Parameter;
  }
}

/// The samples that `coefficient * loop` runs over within a dim whose samples
/// are `digit`.
static SampleDigit digitOfLoop(const ::soap::DimMap &map,
                               const ::soap::Term &term,
                               const ::soap::Loop &loop, SampleDigit digit) {
  if (map.kind != ::soap::DimMap::Kind::Radix) // windows: of a whole image dim
    return loop.type == ::soap::IteratorType::Parallel
               ? SampleDigit{1, loop.extent}
               : SampleDigit{};
  int64_t low = digit.stride, high = low * digit.extent;
  int64_t from = term.coefficient, to = from * loop.extent;
  if (from == low && (loop.extent == 1 || digit.extent == 1))
    return {1, 1};
  low = std::max(low, from);
  high = std::min(high, to);
  if (low >= high)
    return {};
  return {low / from, high / low};
}

/// Per loop the samples that it runs over: an operand's, or those that the
/// corresponding loop of the forward op runs over.
SmallVector<SampleDigit> Roles::sampleLoops(int node,
                                            const Origin &origin) const {
  const ::soap::Kernel &kernel = opGraph.graph.nodes[node].whole;
  const std::vector<::soap::Loop> &loops = kernel.space.loops;
  SmallVector<SampleDigit> found(loops.size());
  for (size_t o = 0; o < kernel.operands.size(); ++o) {
    const ::soap::AccessMap &map = kernel.space.operands[o].map;
    const auto &digits = samples[opGraph.graph.rootOf(kernel.operands[o])];
    for (size_t d = 0; d < map.size() && d < digits.size(); ++d)
      for (const ::soap::Term &term : map[d].terms)
        if (digits[d].extent && !found[term.loop].extent)
          found[term.loop] =
              digitOfLoop(map[d], term, loops[term.loop], digits[d]);
  }
  if (origin.node >= 0 && origin.node < static_cast<int>(roles.size()))
    for (size_t l = 0; l < loops.size(); ++l)
      if (!found[l].extent && origin.loops[l] >= 0 &&
          roles[origin.node][origin.loops[l]] == ::soap::Role::Sample)
        found[l] = {1, loops[l].extent};
  return found;
}

void Roles::propagate(int node, ArrayRef<SampleDigit> digits) {
  const ::soap::Kernel &kernel = opGraph.graph.nodes[node].whole;
  bool fromWeights = kernel.phase == ::soap::Phase::Forward &&
                     !kernel.operands.empty() &&
                     llvm::all_of(kernel.operands, [&](int value) {
                       return weight[opGraph.graph.rootOf(value)];
                     });
  for (size_t r = 0; r < kernel.results.size(); ++r) {
    int value = kernel.results[r];
    weight[value] = fromWeights;
    const ::soap::AccessMap &map = kernel.space.results[r].map;
    for (size_t d = 0; d < map.size() && d < samples[value].size(); ++d) {
      int64_t low = 0, high = 0;
      for (const ::soap::Term &term : map[d].terms) {
        SampleDigit digit = digits[term.loop];
        if (!digit.extent || term.coefficient <= 0)
          continue;
        int64_t from = term.coefficient * digit.stride;
        low = low ? std::min(low, from) : from;
        high = std::max(high, from * digit.extent);
      }
      if (!low)
        continue;
      samples[value][d] =
          map[d].kind == ::soap::DimMap::Kind::Radix
              ? SampleDigit{low, high / low}
              : SampleDigit{1, opGraph.graph.values[value].shape[d]};
    }
  }
}

/// Role of a loop that does not run over samples.
::soap::Role Roles::roleOf(int node, int loop) const {
  const ::soap::Kernel &kernel = opGraph.graph.nodes[node].whole;
  for (size_t o = 0; o < kernel.operands.size(); ++o)
    if (weight[opGraph.graph.rootOf(kernel.operands[o])] &&
        ::soap::usesLoop(kernel.space.operands[o].map, loop))
      return ::soap::Role::Parameter;
  for (const ::soap::ResultAccess &result : kernel.space.results)
    if (::soap::usesLoop(result.map, loop))
      return ::soap::Role::Attribute;
  return ::soap::Role::Reduction;
}

std::vector<std::vector<::soap::Role>> Roles::compute() {
  seed();
  int count = static_cast<int>(opGraph.graph.nodes.size());
  for (int node = 0; node < count; ++node) {
    Origin origin = originOf(opGraph, nodes, node);
    SmallVector<SampleDigit> digits = sampleLoops(node, origin);
    std::vector<::soap::Role> own;
    for (int l = 0; l < static_cast<int>(digits.size()); ++l) {
      // A gradient of a weight reads no weight; its loops are the forward's.
      bool cutsForwardWeight =
          origin.node >= 0 && origin.node < node && origin.loops[l] >= 0 &&
          roles[origin.node][origin.loops[l]] == ::soap::Role::Parameter;
      own.push_back(digits[l].extent    ? ::soap::Role::Sample
                    : cutsForwardWeight ? ::soap::Role::Parameter
                                        : roleOf(node, l));
    }
    propagate(node, digits);
    roles.push_back(std::move(own));
  }
  return std::move(roles);
}

std::vector<std::vector<::soap::Role>>
mlir::soap::computeRoles(const OpGraph &opGraph) {
  return Roles(opGraph).compute();
}
