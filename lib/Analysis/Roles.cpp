//===- Roles.cpp - Roles of loops -----------------------------------------===//
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
  std::vector<bool> sampleLoops(int node, const Origin &origin) const;
  void propagate(int node, const std::vector<bool> &isSample);
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
    if (auto kind =
            function.getArgAttrOfType<StringAttr>(number, SoapDialect::kKind))
      weight[input.value] = kind.getValue() == "parameter";
  }
}

/// Loops that run over samples of an operand, or correspond to a sample loop of
/// the forward op.
std::vector<bool> Roles::sampleLoops(int node, const Origin &origin) const {
  const ::soap::Kernel &kernel = opGraph.graph.nodes[node].whole;
  const std::vector<::soap::Loop> &loops = kernel.space.loops;
  std::vector<bool> isSample(loops.size(), false);
  for (size_t o = 0; o < kernel.operands.size(); ++o) {
    const ::soap::AccessMap &map = kernel.space.operands[o].map;
    const auto &digits = samples[kernel.operands[o]];
    for (size_t d = 0; d < map.size() && d < digits.size(); ++d) {
      if (!digits[d].extent)
        continue;
      int64_t low = digits[d].stride, high = low * digits[d].extent;
      for (const ::soap::Term &term : map[d].terms) {
        const ::soap::Loop &loop = loops[term.loop];
        int64_t from = term.coefficient, to = from * loop.extent;
        bool overlaps = map[d].kind == ::soap::DimMap::Kind::Radix
                            ? (from < high && to > low) ||
                                  (loop.extent == 1 && from == low) ||
                                  (digits[d].extent == 1 && from == low)
                            : loop.type == ::soap::IteratorType::Parallel;
        if (overlaps)
          isSample[term.loop] = true;
      }
    }
  }
  if (origin.node >= 0 && origin.node < static_cast<int>(roles.size()))
    for (size_t l = 0; l < loops.size(); ++l)
      if (origin.loops[l] >= 0 &&
          roles[origin.node][origin.loops[l]] == ::soap::Role::Sample)
        isSample[l] = true;
  return isSample;
}

void Roles::propagate(int node, const std::vector<bool> &isSample) {
  const ::soap::Kernel &kernel = opGraph.graph.nodes[node].whole;
  bool fromWeights =
      kernel.phase == ::soap::Phase::Forward && !kernel.operands.empty() &&
      llvm::all_of(kernel.operands, [&](int value) { return weight[value]; });
  for (size_t r = 0; r < kernel.results.size(); ++r) {
    int value = kernel.results[r];
    weight[value] = fromWeights;
    const ::soap::AccessMap &map = kernel.space.results[r].map;
    for (size_t d = 0; d < map.size() && d < samples[value].size(); ++d) {
      int64_t low = 0, high = 0;
      for (const ::soap::Term &term : map[d].terms)
        if (isSample[term.loop]) {
          int64_t to = term.coefficient * kernel.space.loops[term.loop].extent;
          low = low ? std::min(low, term.coefficient) : term.coefficient;
          high = std::max(high, to);
        }
      if (low <= 0)
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
    if (weight[kernel.operands[o]] &&
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
    std::vector<bool> isSample = sampleLoops(node, origin);
    std::vector<::soap::Role> own;
    for (int l = 0; l < static_cast<int>(isSample.size()); ++l) {
      ::soap::Role role = isSample[l] ? ::soap::Role::Sample : roleOf(node, l);
      // A gradient of a weight reads no weight; its loops are the forward's.
      if (!isSample[l] && origin.node >= 0 && origin.node < node &&
          origin.loops[l] >= 0 &&
          roles[origin.node][origin.loops[l]] == ::soap::Role::Parameter)
        role = ::soap::Role::Parameter;
      own.push_back(role);
    }
    propagate(node, isSample);
    roles.push_back(std::move(own));
  }
  return std::move(roles);
}

std::vector<std::vector<::soap::Role>>
mlir::soap::computeRoles(const OpGraph &opGraph) {
  return Roles(opGraph).compute();
}
