//===- SampleMixing.cpp - Do samples of a batch meet? ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SampleMixing.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/SampleMixing.h"

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace mlir::soap;
using ::soap::DimMap;
using ::soap::IterationSpace;

namespace {

/// Where a value has its samples: index i of dim `dim` belongs to sample
/// (i / inner) % count. A reshape of [4, 6, 8] to [24, 8] has inner = 6.
struct Samples {
  int64_t dim = 0, inner = 1, count = 1;
};

/// The loop that counts samples, `inner` of its rounds for each.
struct SampleLoop {
  int loop = 0;
  int64_t inner = 1;
  bool operator==(const SampleLoop &) const = default;
};

/// The loop behind the sample dim of an operand; nothing where a part of the
/// samples is taken, or a loop has a part of their number.
std::optional<SampleLoop> findLoop(const IterationSpace &space,
                                   const DimMap &map, const Samples &samples) {
  DimMap plain = DimMap::radix(map.terms);
  plain.kind = map.kind;
  if (map.kind == DimMap::Kind::Whole || !(map == plain))
    return std::nullopt;
  int64_t end = samples.inner * samples.count;
  for (const ::soap::Term &term : map.terms) {
    int64_t extent = space.loops[term.loop].extent;
    if (term.coefficient <= 0 || term.coefficient >= end ||
        term.coefficient * extent <= samples.inner)
      continue;
    if (samples.inner % term.coefficient ||
        term.coefficient * extent % end != 0)
      return std::nullopt;
    return SampleLoop{term.loop, samples.inner / term.coefficient};
  }
  return std::nullopt;
}

class Finder {
public:
  SampleMixing run(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments()) {
      auto dim = function.getArgAttrOfType<IntegerAttr>(
          argument.getArgNumber(), SoapDialect::kSampleDim);
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (dim && type && dim.getInt() >= 0 && dim.getInt() < type.getRank() &&
          type.getDimSize(dim.getInt()) > 1)
        known[argument] = {dim.getInt(), 1, type.getDimSize(dim.getInt())};
    }
    for (Operation &op : function.front())
      if (isModelOp(&op))
        visit(cast<IterationSpaceOpInterface>(op));
    return std::move(result);
  }

private:
  void visit(IterationSpaceOpInterface op) {
    IterationSpace space = op.getIterationSpace();
    std::optional<SampleLoop> loop;
    int64_t count = 1;
    bool sums = false, isTotal = true;
    for (auto [i, operand] : llvm::enumerate(readOperands(op))) {
      auto found = known.find(operand->get());
      if (found == known.end())
        continue;
      const Samples &samples = found->second;
      if (isa<GatherOp>(op) && i == 0 && samples.dim == 0) {
        result.gathers.push_back(op);
        return;
      }
      auto own = findLoop(space, space.operands[i].map[samples.dim], samples);
      if (!own) {
        result.parts.push_back(op);
        return;
      }
      if (loop && !(*loop == *own && count == samples.count)) {
        sums = true;
        isTotal = false;
      }
      if (!loop) {
        loop = own;
        count = samples.count;
      }
    }
    if (!loop)
      return;
    // A stage reduces along the loop.
    sums |= space.loops[loop->loop].stage;
    isTotal &= space.loops[loop->loop].type == ::soap::IteratorType::Reduction;
    for (auto [value, access] : llvm::zip(op->getResults(), space.results)) {
      bool isKept = false;
      for (auto [dim, map] : llvm::enumerate(access.map))
        for (const ::soap::Term &term : map.terms)
          if (term.loop == loop->loop && term.coefficient > 0 && !isKept) {
            known[value] = {int64_t(dim), loop->inner * term.coefficient,
                            count};
            isKept = true;
          }
      sums |= !isKept;
      isTotal &= !isKept && access.combiner == ::soap::Combiner::Sum;
    }
    if (sums)
      result.sums.push_back(op);
    if (sums && isTotal)
      result.totals.push_back(op);
  }

  llvm::DenseMap<Value, Samples> known;
  SampleMixing result;
};

} // namespace

SampleMixing mlir::soap::findSampleMixing(func::FuncOp function) {
  return Finder().run(function);
}
