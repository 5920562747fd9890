//===- Tiles.cpp - Kernels of fill, assemble and combine ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of device programs on tiles: parts of packed tiles are copied, or
// folded in order.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

#include <functional>
#include <limits>

using namespace mlir;
using namespace mlir::soap;
using ::soap::IndexSet;
using ::soap::Interval;
using TileRegion = ::soap::Region;

namespace {

/// Positions `source + i * sourceStep + j` for i < count, j < length of a dim,
/// and the positions of another tile that they correspond to.
struct Run {
  int64_t source, target, length;
  int64_t count = 1, sourceStep = 0, targetStep = 0;
};

/// Pairs the positions of two equally large sets in order. Equally spaced
/// intervals become one run with a step.
SmallVector<Run> pairPositions(const IndexSet &sources,
                               const IndexSet &targets) {
  SmallVector<Run> pieces;
  size_t s = 0, t = 0;
  int64_t doneSource = 0, doneTarget = 0;
  while (s < sources.intervals().size() && t < targets.intervals().size()) {
    Interval from = sources.intervals()[s], to = targets.intervals()[t];
    int64_t length = std::min(from.size() - doneSource, to.size() - doneTarget);
    pieces.push_back({from.lo + doneSource, to.lo + doneTarget, length});
    doneSource += length;
    doneTarget += length;
    if (doneSource == from.size())
      ++s, doneSource = 0;
    if (doneTarget == to.size())
      ++t, doneTarget = 0;
  }
  SmallVector<Run> runs;
  for (const Run &piece : pieces) {
    if (!runs.empty() && runs.back().length == piece.length) {
      Run &run = runs.back();
      int64_t sourceStep =
          piece.source - run.source - (run.count - 1) * run.sourceStep;
      int64_t targetStep =
          piece.target - run.target - (run.count - 1) * run.targetStep;
      if (run.count == 1 ||
          (sourceStep == run.sourceStep && targetStep == run.targetStep)) {
        run.sourceStep = sourceStep;
        run.targetStep = targetStep;
        ++run.count;
        continue;
      }
    }
    runs.push_back(piece);
  }
  return runs;
}

/// Loops over corresponding positions of two regions of the same shape.
void forEachPair(KernelBuilder &k, const TileRegion &sources,
                 const TileRegion &targets,
                 function_ref<void(ArrayRef<Index>, ArrayRef<Index>)> body) {
  SmallVector<SmallVector<Run>> runs;
  for (size_t d = 0; d < sources.rank(); ++d)
    runs.push_back(pairPositions(sources[d], targets[d]));
  SmallVector<Run> box;
  std::function<void()> visit = [&] {
    if (box.size() < runs.size()) {
      for (const Run &run : runs[box.size()]) {
        box.push_back(run);
        visit();
        box.pop_back();
      }
      return;
    }
    SmallVector<int64_t> extents;
    for (const Run &run : box)
      extents.append({run.count, run.length});
    k.forEachOf(extents, [&](ArrayRef<Index> loops) {
      SmallVector<Index> from, to;
      for (auto [d, run] : llvm::enumerate(box)) {
        const Index &i = loops[2 * d], &j = loops[2 * d + 1];
        from.push_back(i * run.sourceStep + j + run.source);
        to.push_back(i * run.targetStep + j + run.target);
      }
      body(from, to);
    });
  };
  visit();
}

void emitFill(FillOp op, KernelBuilder &k) {
  Tensor tile = k.out();
  double value = op.getValue().convertToDouble();
  k.forEachOf(tile.shape(),
              [&](ArrayRef<Index> i) { tile.set(i, k.number(value)); });
}

void emitAssemble(AssembleOp op, KernelBuilder &k) {
  for (size_t i = 0; i < k.inputCount(); ++i)
    emitRegionCopy(k, k.in(i), cast<RegionAttr>(op.getSources()[i]).getRegion(),
                   k.out(), cast<RegionAttr>(op.getTargets()[i]).getRegion());
}

/// Chan et al.: moments of the union of two sets from the moments of each.
void foldMoments(KernelBuilder &k, ArrayRef<Scalar> a, ArrayRef<Scalar> b,
                 SmallVector<Scalar> &merged) {
  Scalar zero = k.number(0), one = k.number(1);
  Scalar count = a[0] + b[0];
  // Two empty sets: no division by zero.
  Scalar divisor =
      select(compare(arith::CmpFPredicate::OEQ, count, zero), one, count);
  Scalar delta = b[1] - a[1];
  Scalar weight = b[0] / divisor;
  merged = {count, a[1] + delta * weight,
            a[2] + b[2] + delta * delta * a[0] * weight};
}

/// Log-sum-exp: sums of exponentials relative to the larger maximum.
void foldSoftmax(ArrayRef<Scalar> a, ArrayRef<Scalar> b,
                 SmallVector<Scalar> &merged) {
  Scalar maximum = max(a[0], b[0]);
  auto rescaled = [&](ArrayRef<Scalar> x) {
    return x[1] * expBelow(x[0], maximum);
  };
  merged = {maximum, rescaled(a) + rescaled(b), a[2] + b[2]};
}

/// Statistics of each column fold together; other elements alone.
bool foldsStatistics(CombinerKind combiner) {
  return ::soap::hasStatisticsDim(static_cast<::soap::Combiner>(combiner));
}

/// The statistics of the union of two sets, from the statistics of each: three,
/// or an element.
SmallVector<Scalar> fold(KernelBuilder &k, CombinerKind combiner,
                         ArrayRef<Scalar> a, ArrayRef<Scalar> b) {
  SmallVector<Scalar> merged;
  switch (combiner) {
  case CombinerKind::Moments:
    foldMoments(k, a, b, merged);
    break;
  case CombinerKind::Softmax:
    foldSoftmax(a, b, merged);
    break;
  case CombinerKind::Max:
    merged = {max(a[0], b[0])};
    break;
  case CombinerKind::Min:
    merged = {min(a[0], b[0])};
    break;
  default:
    merged = {a[0] + b[0]};
  }
  return merged;
}

/// The logarithm of exp(a) + exp(b).
Scalar foldLse(const Scalar &a, const Scalar &b) {
  Scalar maximum = max(a, b);
  return maximum + log(expBelow(a, maximum) + expBelow(b, maximum));
}

/// The weight of a part with `lse` in all of them, with `total`.
Scalar weightOf(KernelBuilder &k, const Scalar &lse, const Scalar &total) {
  Scalar nothing = k.number(-std::numeric_limits<double>::infinity());
  return select(compare(arith::CmpFPredicate::OEQ, total, nothing), k.number(0),
                exp(lse - total));
}

/// Means of the union of two sets, each with its own weight.
void foldMeans(KernelBuilder &k, const Tensor &tile, const Tensor &result,
               function_ref<SmallVector<Index>(const Index &)> from,
               function_ref<SmallVector<Index>(const Index &)> to) {
  Index first = k.constant(0);
  Scalar before = result(to(first)), next = tile(from(first));
  Scalar total = foldLse(before, next);
  Scalar ofBefore = weightOf(k, before, total),
         ofNext = weightOf(k, next, total);
  result.set(to(first), total);
  k.forEach({result.dim(0) - 1}, [&](Index e) {
    result.set(to(e + 1),
               ofBefore * result(to(e + 1)) + ofNext * tile(from(e + 1)));
  });
}

/// Statistics lie along dim 0 and fold together.
void emitCombineStatistics(CombineOp op, KernelBuilder &k) {
  Tensor result = k.out();
  SmallVector<int64_t> extents(result.shape().drop_front());
  TileRegion targets = TileRegion::whole(
      std::vector<int64_t>(result.shape().begin(), result.shape().end()));
  TileRegion columns(std::vector<IndexSet>(targets.indexSets().begin() + 1,
                                           targets.indexSets().end()));
  for (size_t i = 0; i < k.inputCount(); ++i) {
    Tensor tile = k.in(i);
    TileRegion source = cast<RegionAttr>(op.getSources()[i]).getRegion();
    TileRegion sourceColumns(std::vector<IndexSet>(
        source.indexSets().begin() + 1, source.indexSets().end()));
    forEachPair(
        k, sourceColumns, columns,
        [&](ArrayRef<Index> from, ArrayRef<Index> to) {
          auto along = [&](const Index &statistic, ArrayRef<Index> rest) {
            SmallVector<Index> indices{statistic};
            indices.append(rest.begin(), rest.end());
            return indices;
          };
          auto at = [&](int64_t statistic, ArrayRef<Index> rest) {
            return along(k.constant(statistic), rest);
          };
          if (op.getCombiner() == CombinerKind::LogSumExp) {
            auto source = [&](const Index &s) { return along(s, from); };
            auto target = [&](const Index &s) { return along(s, to); };
            if (i > 0)
              return foldMeans(k, tile, result, source, target);
            k.forEach({result.dim(0)},
                      [&](Index s) { result.set(target(s), tile(source(s))); });
            return;
          }
          SmallVector<Scalar> next, merged;
          for (int64_t s = 0; s < 3; ++s)
            next.push_back(tile(at(s, from)));
          if (i == 0) {
            merged = next;
          } else {
            SmallVector<Scalar> sofar;
            for (int64_t s = 0; s < 3; ++s)
              sofar.push_back(result(at(s, to)));
            merged = fold(k, op.getCombiner(), sofar, next);
          }
          for (int64_t s = 0; s < 3; ++s)
            result.set(at(s, to), merged[s]);
        });
  }
}

/// The part that a combine reads of one tile, element for element of its
/// result: positions `offsets + i`.
struct Part {
  Tensor tile;
  SmallVector<int64_t> offsets;
};

/// The parts, if none of them has gaps.
std::optional<SmallVector<Part>> partsOf(CombineOp op, const Tensor &result,
                                         KernelBuilder &k) {
  SmallVector<Part> parts;
  for (auto [i, source] :
       llvm::enumerate(op.getSources().getAsRange<RegionAttr>())) {
    Part &part = parts.emplace_back();
    part.tile = k.in(i);
    TileRegion region = source.getRegion();
    for (auto [d, extent] : llvm::enumerate(result.shape())) {
      const auto &intervals = region[d].intervals();
      if (intervals.size() != 1 || intervals[0].size() != extent)
        return std::nullopt;
      part.offsets.push_back(intervals[0].lo);
    }
  }
  return parts;
}

/// Tiles in the order of the model, of which a slab of the first dim is read,
/// are rows: one long loop.
void flatten(SmallVector<Part> &parts, Tensor &result) {
  ArrayRef<int64_t> inner = result.shape();
  if (result.getLayout() != ImageLayout::ChannelsFirst || inner.empty())
    return;
  inner = inner.drop_front();
  for (const Part &part : parts)
    if (part.tile.getLayout() != ImageLayout::ChannelsFirst ||
        part.tile.shape().drop_front() != inner)
      return;
  int64_t size = llvm::product_of(inner);
  for (Part &part : parts) {
    part.tile = part.tile.flattened();
    part.offsets = {part.offsets[0] * size};
  }
  result = result.flattened();
}

void emitCombine(CombineOp op, KernelBuilder &k) {
  if (foldsStatistics(op.getCombiner()))
    return emitCombineStatistics(op, k);
  Tensor result = k.out();
  auto foldTwo = [&](const Scalar &a, const Scalar &b) {
    return fold(k, op.getCombiner(), a, b)[0];
  };
  if (std::optional<SmallVector<Part>> parts = partsOf(op, result, k);
      parts && !parts->empty()) {
    // In their order, whatever the loops: replicas have other tiles in other
    // layouts, and the same sums.
    llvm::SaveAndRestore inOrder(k.fast, false);
    flatten(*parts, result);
    k.forEachOf(result.shape(), [&](ArrayRef<Index> to) {
      auto at = [&](const Part &part) {
        SmallVector<Index> from;
        for (auto [index, offset] : llvm::zip(to, part.offsets))
          from.push_back(index + offset);
        return part.tile(from);
      };
      Scalar sofar = at(parts->front());
      for (const Part &part : ArrayRef(*parts).drop_front())
        sofar = foldTwo(sofar, at(part));
      result.set(to, sofar);
    });
    return;
  }
  TileRegion whole = TileRegion::whole(
      std::vector<int64_t>(result.shape().begin(), result.shape().end()));
  // A result of 16 bits is rounded once, behind all additions.
  bool rounds = result.elementType() != k.computeType() && k.inputCount() > 2;
  Tensor sums = rounds ? k.allocate(result.shape(), k.computeType()) : result;
  for (size_t i = 0; i < k.inputCount(); ++i)
    forEachPair(k, cast<RegionAttr>(op.getSources()[i]).getRegion(), whole,
                [&](ArrayRef<Index> from, ArrayRef<Index> to) {
                  Scalar part = k.in(i)(from);
                  sums.set(to, i == 0 ? part : foldTwo(sums(to), part));
                });
  if (rounds)
    k.forEachOf(result.shape(),
                [&](ArrayRef<Index> to) { result.set(to, sums(to)); });
}

} // namespace

void mlir::soap::emitRegionCopy(KernelBuilder &k, const Tensor &source,
                                const TileRegion &sources, const Tensor &target,
                                const TileRegion &targets) {
  forEachPair(k, sources, targets,
              [&](ArrayRef<Index> from, ArrayRef<Index> to) {
                target.storeRaw(to, source.loadRaw(from));
              });
}

/// `emitRowCombine` of states of attention.
static void emitRowOfMeans(int64_t pieces, KernelBuilder &k) {
  Tensor row = k.in(0), result = k.out();
  int64_t statistics = result.dim(0);
  SmallVector<int64_t> extents(result.shape().drop_front());
  int64_t columns = llvm::product_of(extents);
  k.forEachOf(extents, [&](ArrayRef<Index> indices) {
    Index column = k.constant(0);
    for (auto [extent, index] : llvm::zip(extents, indices))
      column = column * extent + index;
    auto valueAt = [&](const Index &piece, const Index &statistic) {
      return row((piece * statistics + statistic) * columns + column);
    };
    auto to = [&](const Index &statistic) {
      SmallVector<Index> at{statistic};
      at.append(indices.begin(), indices.end());
      return at;
    };
    Index first = k.constant(0);
    Scalar total = k.reduce({pieces}, -std::numeric_limits<double>::infinity(),
                            [&](const Scalar &sofar, Index piece) {
                              return foldLse(sofar, valueAt(piece, first));
                            });
    result.set(to(first), total);
    k.forEach({statistics - 1}, [&](Index e) {
      result.set(to(e + 1), k.sum({pieces}, [&](Index piece) {
        return weightOf(k, valueAt(piece, first), total) *
               valueAt(piece, e + 1);
      }));
    });
  });
}

void mlir::soap::emitRowCombine(CombinerKind combiner, int64_t pieces,
                                KernelBuilder &k) {
  if (combiner == CombinerKind::LogSumExp)
    return emitRowOfMeans(pieces, k);
  Tensor row = k.in(0);
  // An element of each statistic per iteration.
  size_t statistics = foldsStatistics(combiner) ? 3 : 1;
  Tensor result = statistics > 1 ? k.out() : k.out().flattened();
  ArrayRef<int64_t> extents = result.shape().drop_front(statistics > 1 ? 1 : 0);
  int64_t columns = llvm::product_of(extents);
  k.forEachOf(extents, [&](ArrayRef<Index> indices) {
    Index column = k.constant(0);
    for (auto [extent, index] : llvm::zip(extents, indices))
      column = column * extent + index;
    auto pieceAt = [&](const Index &piece) {
      SmallVector<Scalar> values;
      for (size_t s = 0; s < statistics; ++s)
        values.push_back(row((piece * static_cast<int64_t>(statistics) +
                              static_cast<int64_t>(s)) *
                                 columns +
                             column));
      return values;
    };
    SmallVector<Value> first;
    for (const Scalar &value : pieceAt(k.constant(0)))
      first.push_back(value.value);
    SmallVector<Value> folded =
        k.foldOf({pieces - 1}, first,
                 [&](ArrayRef<Index> piece, ArrayRef<Value> carried) {
                   SmallVector<Scalar> sofar;
                   for (Value value : carried)
                     sofar.push_back({&k, value});
                   SmallVector<Value> merged;
                   for (const Scalar &value :
                        fold(k, combiner, sofar, pieceAt(piece[0] + 1)))
                     merged.push_back(value.value);
                   return merged;
                 });
    for (auto [s, value] : llvm::enumerate(folded)) {
      SmallVector<Index> to(indices);
      if (statistics > 1)
        to.insert(to.begin(), k.constant(static_cast<int64_t>(s)));
      result.set(to, {&k, value});
    }
  });
}

bool mlir::soap::emitTileKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](FillOp fill) { return emitFill(fill, k), true; })
      .Case(
          [&](AssembleOp assemble) { return emitAssemble(assemble, k), true; })
      .Case([&](CombineOp combine) { return emitCombine(combine, k), true; })
      .Default(false);
}

LogicalResult mlir::soap::emitKernel(Operation *op, KernelBuilder &k) {
  if (isElementwise(op)) {
    emitElementwiseKernel(op, op->getOperands(), op->getResults(),
                          /*collapse=*/false, k);
    return success();
  }
  return success(emitLinearKernel(op, k) || emitPoolingKernel(op, k) ||
                 emitBatchNormKernel(op, k) || emitCrossEntropyKernel(op, k) ||
                 emitRowNormKernel(op, k) || emitGatherKernel(op, k) ||
                 emitLstmKernel(op, k) || emitExpertKernel(op, k) ||
                 emitIntegerKernel(op, k) || emitShapeKernel(op, k) ||
                 emitAttentionKernel(op, k) || emitQuantizedKernel(op, k) ||
                 emitTileKernel(op, k));
}
