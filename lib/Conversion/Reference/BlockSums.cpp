//===- BlockSums.cpp - Sums per channel by blocks of threads --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See BlockSums.h.
//
//===----------------------------------------------------------------------===//

#include "BlockSums.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Iterations of a block: 256 threads of four channels each, as
/// --soap-widen-kernels makes them.
constexpr int64_t blockIterations = 1024;

/// The largest divisor of `number` that is at most `limit`.
int64_t divisorBelow(int64_t number, int64_t limit) {
  int64_t divisor = std::clamp<int64_t>(limit, 1, number);
  while (number % divisor != 0)
    --divisor;
  return divisor;
}

/// Carries numbers through the entries from `first` on.
SmallVector<Value> foldOver(
    KernelBuilder &k, const Entries &entries, const Index &first,
    ArrayRef<Value> init,
    function_ref<SmallVector<Value>(const Index &, ArrayRef<Value>)> body) {
  auto loop = scf::ForOp::create(k.builder, k.loc, k.materialize(first),
                                 k.materialize(k.constant(entries.end)),
                                 k.materialize(k.constant(entries.step)), init);
  OpBuilder::InsertionGuard guard(k.builder);
  k.builder.setInsertionPointToEnd(loop.getBody());
  SmallVector<Value> carried(loop.getRegionIterArgs());
  scf::YieldOp::create(
      k.builder, k.loc,
      body({&k, loop.getInductionVar(), 0, entries.end - 1}, carried));
  return llvm::to_vector_of<Value>(loop.getResults());
}

class BlockSums {
public:
  BlockSums(KernelBuilder &k, int64_t groups, int64_t positions,
            int64_t channels, BlockCut cut, FoldEntries fold)
      : k(k), groups(groups), positions(positions), channels(channels),
        cut(cut), fold(fold),
        ways(std::max<int64_t>(blockIterations / 4 / cut.tile, 1)),
        own(k.allocateInBlock({2 * cut.rows * cut.tile}, k.computeType())),
        folded(k.allocateInBlock({2 * ways * cut.tile}, k.computeType())),
        parts(k.allocate({2, groups * tiles(), cut.pieces, cut.tile},
                         k.computeType())),
        counts(k.allocate({countsOfBlocks()}, k.builder.getI32Type())) {}

  void emit(NumbersOfThread thread, FinishChannel finish) {
    Type i32 = k.builder.getI32Type();
    k.forEachInOrder({countsOfBlocks()}, [&](ArrayRef<Index> i) {
      counts.storeRaw(i, arith::ConstantOp::create(
                             k.builder, k.loc, k.builder.getI32IntegerAttr(0)));
    });
    k.forEachInOrder(
        {groups, tiles(), cut.pieces, cut.rows, cut.tile},
        [&](ArrayRef<Index> i) {
          Index group = i[0], tile = i[1], piece = i[2], row = i[3],
                lane = i[4];
          Index channel = tile * cut.tile;
          GroupChannel first{channel, group * channels + channel,
                             group * positions};
          auto [a, b] =
              thread({first.origin + (piece * (cut.each * cut.rows) + row),
                      cut.rows, cut.each},
                     behind(first, lane));
          Index place = row * cut.tile + lane;
          own.set({place}, a);
          own.set({place + cut.rows * cut.tile}, b);
          k.markIndependent();
          Condition isLast = row == k.constant(cut.rows - 1) &&
                             lane == k.constant(cut.tile - 1);
          k.atBlockEnd(isLast, cut.rows * cut.tile, [&] {
            Index all = group * tiles() + tile;
            foldOwn(all, piece);
            Value before = memref::AtomicRMWOp::create(
                k.builder, k.loc, i32, arith::AtomicRMWKind::addi,
                arith::ConstantOp::create(k.builder, k.loc,
                                          k.builder.getI32IntegerAttr(1)),
                counts.getBuffer(), ValueRange{k.materialize(all)});
            Value last = arith::CmpIOp::create(
                k.builder, k.loc, arith::CmpIPredicate::eq, before,
                arith::ConstantOp::create(
                    k.builder, k.loc,
                    k.builder.getI32IntegerAttr(
                        static_cast<int32_t>(cut.pieces - 1))));
            k.ifThen({&k, last}, [&] { foldParts(first, all, finish); });
          });
        });
  }

private:
  KernelBuilder &k;
  int64_t groups, positions, channels;
  BlockCut cut;
  FoldEntries fold;
  int64_t ways; ///< threads of a block that fold for one channel
  Tensor own, folded, parts, counts;

  /// The channel that is so many behind another one of its group.
  static GroupChannel behind(const GroupChannel &first, const Index &lane) {
    return {first.channel + lane, first.of + lane, first.origin};
  }

  int64_t tiles() const { return channels / cut.tile; }
  /// More than one, so that a loop clears them, which other launches take up.
  int64_t countsOfBlocks() const {
    return std::max<int64_t>(groups * tiles(), 2);
  }

  /// Folds `count` entries of each channel of the tile, each of `weight`
  /// positions, in two loops that threads share: several threads a channel,
  /// then one.
  void
  foldTogether(int64_t count, int64_t weight,
               function_ref<ScalarPair(const Index &, const Index &)> at,
               function_ref<void(const Index &, const ScalarPair &)> store) {
    // As many entries for each, unless that leaves most threads without.
    int64_t used = divisorBelow(count, ways);
    if (used * 2 < std::min(ways, count))
      used = std::min(ways, count);
    k.forEachInOrder({used * cut.tile}, [&](ArrayRef<Index> i) {
      Index lane = i[0] % cut.tile;
      auto entry = [&](const Index &e) { return at(e, lane); };
      auto same = [&](const Index &) {
        return k.number(static_cast<double>(weight));
      };
      auto [a, b] =
          fold(k, {i[0] / cut.tile, count, used, entry, same, weight});
      folded.set({i[0]}, a);
      folded.set({i[0] + ways * cut.tile}, b);
    });
    k.forEachInOrder({cut.tile}, [&](ArrayRef<Index> i) {
      auto entry = [&](const Index &e) {
        Index place = e * cut.tile + i[0];
        return ScalarPair(folded({place}), folded({place + ways * cut.tile}));
      };
      auto weights = [&](const Index &e) {
        Index entries = (k.constant(count - 1 + used) - e) / used;
        return k.toScalar(entries * weight);
      };
      std::optional<int64_t> alike;
      if (count % used == 0)
        alike = weight * (count / used);
      store(i[0], fold(k, {k.constant(0), used, 1, entry, weights, alike}));
    });
  }

  /// The numbers of a block's threads.
  void foldOwn(const Index &tile, const Index &piece) {
    foldTogether(
        cut.rows, cut.each,
        [&](const Index &row, const Index &lane) {
          Index place = row * cut.tile + lane;
          return ScalarPair(own({place}), own({place + cut.rows * cut.tile}));
        },
        [&](const Index &lane, const ScalarPair &numbers) {
          parts.set({k.constant(0), tile, piece, lane}, numbers.first);
          parts.set({k.constant(1), tile, piece, lane}, numbers.second);
        });
  }

  /// The numbers of all blocks.
  void foldParts(const GroupChannel &first, const Index &tile,
                 FinishChannel finish) {
    foldTogether(
        cut.pieces, cut.each * cut.rows,
        [&](const Index &piece, const Index &lane) {
          return ScalarPair(parts({k.constant(0), tile, piece, lane}),
                            parts({k.constant(1), tile, piece, lane}));
        },
        [&](const Index &lane, const ScalarPair &numbers) {
          finish(behind(first, lane), numbers);
        });
  }
};

} // namespace

std::optional<BlockCut>
mlir::soap::cutInBlocks(int64_t groups, int64_t positions, int64_t channels) {
  // Threads side by side read a sector of 16-bit numbers at least; there are
  // threads enough in a block for barriers to be worth it, and positions enough
  // for each; and blocks enough to fill a large GPU by half, at most, so that
  // the last one has few parts to fold.
  constexpr int64_t minTile = 16, maxTile = 32, minRows = 8, minEach = 4,
                    blocks = 512;
  if (positions < minRows)
    return std::nullopt;
  BlockCut cut{};
  cut.tile = maxTile;
  while (cut.tile >= minTile && channels % cut.tile != 0)
    cut.tile /= 2;
  if (cut.tile < minTile)
    return std::nullopt;
  cut.rows = divisorBelow(positions, blockIterations / cut.tile);
  if (cut.rows < minRows)
    return std::nullopt;
  int64_t left = positions / cut.rows;
  cut.pieces = divisorBelow(
      left, std::min(blocks * cut.tile / (groups * channels), left / minEach));
  cut.each = left / cut.pieces;
  return cut;
}

ScalarPair mlir::soap::foldSums(KernelBuilder &k, const Entries &entries) {
  Value zero = k.number(0).value;
  SmallVector<Value> sums =
      foldOver(k, entries, entries.first, {zero, zero},
               [&](const Index &e, ArrayRef<Value> acc) {
                 auto [a, b] = entries.at(e);
                 return SmallVector<Value>{(Scalar{&k, acc[0]} + a).value,
                                           (Scalar{&k, acc[1]} + b).value};
               });
  return {{&k, sums[0]}, {&k, sums[1]}};
}

/// With n of `weight` for each of `count` entries.
static ScalarPair foldAlike(KernelBuilder &k, const Entries &entries,
                            int64_t weight, int64_t count) {
  Value zero = k.number(0).value;
  auto [first, own] = entries.at(entries.first);
  SmallVector<Value> sums = foldOver(
      k, entries, entries.first + entries.step, {zero, zero, own.value},
      [&, &first = first](const Index &e, ArrayRef<Value> acc) {
        auto [mean, squares] = entries.at(e);
        Scalar distance = mean - first;
        return SmallVector<Value>{
            (Scalar{&k, acc[0]} + distance).value,
            (Scalar{&k, acc[1]} + distance * distance).value,
            (Scalar{&k, acc[2]} + squares).value};
      });
  Scalar sum{&k, sums[0]}, between{&k, sums[1]}, within{&k, sums[2]};
  Scalar shift = sum * k.number(1 / static_cast<double>(count));
  Scalar n = k.number(static_cast<double>(weight));
  return {first + shift, within + n * max(between - sum * shift, k.number(0))};
}

ScalarPair mlir::soap::foldMoments(KernelBuilder &k, const Entries &entries) {
  if (std::optional<int64_t> count = entries.count();
      count && entries.weightOfAll)
    return foldAlike(k, entries, *entries.weightOfAll, *count);
  Value zero = k.number(0).value;
  auto [first, own] = entries.at(entries.first);
  SmallVector<Value> sums = foldOver(
      k, entries, entries.first + entries.step,
      {entries.weight(entries.first).value, zero, own.value},
      [&, &first = first](const Index &e, ArrayRef<Value> acc) {
        auto [mean, squares] = entries.at(e);
        Scalar weight = entries.weight(e), distance = mean - first;
        Scalar weighted = weight * distance;
        return SmallVector<Value>{
            (Scalar{&k, acc[0]} + weight).value,
            (Scalar{&k, acc[1]} + weighted).value,
            (Scalar{&k, acc[2]} + (squares + weighted * distance)).value};
      });
  Scalar count{&k, sums[0]}, sum{&k, sums[1]}, squares{&k, sums[2]};
  return {first + sum / count, max(squares - sum * sum / count, k.number(0))};
}

void mlir::soap::emitInBlocks(KernelBuilder &k, int64_t groups,
                              int64_t positions, int64_t channels, BlockCut cut,
                              NumbersOfThread thread, FoldEntries fold,
                              FinishChannel finish) {
  BlockSums(k, groups, positions, channels, cut, fold).emit(thread, finish);
}
