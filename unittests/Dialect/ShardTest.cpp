//===- ShardTest.cpp - The shards of an op compute what the op computes ---===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws ops with random shapes and attributes, splits their loops at random
// degrees, evaluates every shard with the naive interpreter on packed tiles,
// folds the pieces, and compares with the op evaluated whole. This covers
// access maps, `localize`, neutral values, combiners and stages at once.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using namespace mlir;
using namespace mlir::soap;
using namespace soap_test;

using ::soap::Combiner;
using TileRegion = ::soap::Region;

namespace {

using Tensors = std::vector<Tensor>;
using Index = ArrayRef<int64_t>;

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

std::vector<int64_t> indicesOf(const ::soap::IndexSet &set) {
  std::vector<int64_t> indices;
  for (const ::soap::Interval &range : set.intervals())
    for (int64_t i = range.lo; i < range.hi; ++i)
      indices.push_back(i);
  return indices;
}

/// Calls visit(index in the tile, index in the tensor) for all of a region.
void forEachElement(
    const TileRegion &region,
    llvm::function_ref<void(ArrayRef<int64_t>, ArrayRef<int64_t>)> visit) {
  std::vector<std::vector<int64_t>> indices;
  for (const ::soap::IndexSet &set : region.indexSets())
    indices.push_back(indicesOf(set));
  forEachIndex(region.shape(), [&](ArrayRef<int64_t> local) {
    SmallVector<int64_t> global;
    for (size_t d = 0; d < local.size(); ++d)
      global.push_back(indices[d][local[d]]);
    visit(local, global);
  });
}

Tensor pack(const Tensor &tensor, const TileRegion &region) {
  Tensor tile(region.shape());
  forEachElement(region, [&](auto local, auto global) {
    tile.at(local) = tensor.at(global);
  });
  return tile;
}

/// Statistics folded along dim 0.
void combineStatistics(Combiner combiner, ArrayRef<double *> into,
                       ArrayRef<double> add) {
  if (combiner == Combiner::LogSumExp) {
    double lse = std::log(std::exp(*into[0]) + std::exp(add[0]));
    for (size_t s = 1; s < into.size(); ++s)
      *into[s] = std::isinf(lse) ? 0
                                 : *into[s] * std::exp(*into[0] - lse) +
                                       add[s] * std::exp(add[0] - lse);
    *into[0] = lse;
    return;
  }
  if (combiner == Combiner::Moments) {
    double count = *into[0] + add[0], delta = add[1] - *into[1];
    *into[2] += add[2] + delta * delta * *into[0] * add[0] / count;
    *into[1] += delta * add[0] / count;
    *into[0] = count;
    return;
  }
  double maximum = std::max(*into[0], add[0]);
  *into[1] = *into[1] * std::exp(*into[0] - maximum) +
             add[1] * std::exp(add[0] - maximum);
  *into[0] = maximum;
  *into[2] += add[2];
}

/// A result assembled from pieces; knows which elements it has.
struct Merged {
  Tensor value;
  std::vector<bool> written;

  void add(const Tensor &tile, const TileRegion &region, Combiner combiner) {
    if (::soap::hasStatisticsDim(combiner))
      return addStatistics(tile, region, combiner);
    forEachElement(region, [&](auto local, auto global) {
      size_t at = &value.at(global) - value.data.data();
      double x = tile.at(local), &to = value.data[at];
      if (!written[at])
        to = x;
      else
        to = combiner == Combiner::Sum   ? to + x
             : combiner == Combiner::Max ? std::max(to, x)
                                         : std::min(to, x);
      written[at] = true;
    });
  }

  void addStatistics(const Tensor &tile, const TileRegion &region,
                     Combiner combiner) {
    int64_t count = region[0].size();
    ASSERT_EQ(count, value.shape[0]);
    forEachElement(region, [&](auto local, auto global) {
      if (local[0] != 0)
        return;
      std::vector<double *> into(static_cast<size_t>(count));
      std::vector<double> add(static_cast<size_t>(count));
      size_t at = &value.at(global) - value.data.data();
      SmallVector<int64_t> here(local), there(global);
      for (int64_t s = 0; s < count; ++s) {
        here[0] = there[0] = s;
        into[s] = &value.at(there);
        add[s] = tile.at(here);
      }
      if (written[at])
        return combineStatistics(combiner, into, add);
      for (int64_t s = 0; s < count; ++s) {
        *into[s] = add[s];
        written[into[s] - value.data.data()] = true;
      }
    });
  }
};

//===----------------------------------------------------------------------===//
// Fixture
//===----------------------------------------------------------------------===//

class ShardTest : public ::testing::Test {
protected:
  ShardTest() : builder(&context) {
    context.loadDialect<SoapDialect>();
    module = ModuleOp::create(builder.getUnknownLoc());
    builder.setInsertionPointToEnd(module->getBody());
  }

  int64_t draw(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }
  bool flip() { return draw(0, 1) == 1; }

  /// An operand: a value of this shape with small integers as data.
  Value operand(ArrayRef<int64_t> shape) {
    Tensor tensor(shape);
    for (double &x : tensor.data)
      x = static_cast<double>(draw(-3, 3));
    return operand(tensor, builder.getF64Type());
  }
  Value operand(Tensor tensor, Type element) {
    Value value = module->getBody()->addArgument(
        RankedTensorType::get(tensor.shape, element), builder.getUnknownLoc());
    data[value] = std::move(tensor);
    return value;
  }
  Value labels(ArrayRef<int64_t> rows, int64_t classes) {
    Tensor tensor(rows);
    for (double &x : tensor.data)
      x = static_cast<double>(draw(-1, classes - 1));
    return operand(tensor, builder.getI32Type());
  }
  Type f64(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF64Type());
  }
  Location loc() { return builder.getUnknownLoc(); }

  Tensors valuesOf(ValueRange values) {
    Tensors tensors;
    for (Value value : values)
      tensors.push_back(data.at(value));
    return tensors;
  }

  /// Evaluates `op` whole and split, and compares; then its stages too.
  void check(Operation *op);

  /// Random degrees of the loops that may be split in one kernel.
  ::soap::Config drawConfig(const ::soap::IterationSpace &space);
  Tensors evaluateCut(IterationSpaceOpInterface op,
                      const ::soap::Config &config);
  void evaluateShard(IterationSpaceOpInterface op,
                     const ::soap::IterationSpace &space,
                     const ::soap::Shard &shard, std::vector<Merged> &merged);
  void checkStages(IterationSpaceOpInterface op, const Tensors &expected);
  void expectEqual(Operation *op, const Tensors &actual,
                   const Tensors &expected);

  MLIRContext context;
  OpBuilder builder;
  OwningOpRef<ModuleOp> module;
  llvm::DenseMap<Value, Tensor> data;
  std::mt19937 random{7};
  std::string trace; // the op and the config under test
};

::soap::Config ShardTest::drawConfig(const ::soap::IterationSpace &space) {
  ::soap::Config config;
  for (const ::soap::Loop &loop : space.loops) {
    bool fixed = loop.stage || loop.type == ::soap::IteratorType::Serial;
    config.degrees.push_back(fixed || flip() ? 1 : draw(1, loop.extent + 1));
  }
  config.devices.assign(config.piecesPerReplica(), 0);
  return config;
}

void ShardTest::evaluateShard(IterationSpaceOpInterface op,
                              const ::soap::IterationSpace &space,
                              const ::soap::Shard &shard,
                              std::vector<Merged> &merged) {
  std::vector<TileRegion> operands, results;
  Tensors tiles;
  SmallVector<Value> values;
  bool empty = false;
  for (auto [i, value] : llvm::enumerate(op->getOperands())) {
    const Tensor &tensor = data.at(value);
    operands.push_back(
        ::soap::image(space.operands[i].map, shard.box, tensor.shape));
    if (operands.back().empty()) {
      empty = true;
      values.push_back({});
      continue;
    }
    tiles.push_back(pack(tensor, operands.back()));
    values.push_back(module->getBody()->addArgument(
        tileType(value.getType(), operands.back()), loc()));
  }
  for (auto [i, value] : llvm::enumerate(op->getResults()))
    results.push_back(::soap::image(
        space.results[i].map, shard.box,
        cast<RankedTensorType>(value.getType()).getShape().vec()));

  Tensors out;
  if (empty && !space.allowsEmptyOperands) {
    for (const TileRegion &region : results)
      out.emplace_back(region.shape(), op.getNeutralValue());
  } else {
    Operation *local =
        op.localize(builder, shard.box, operands, results, values);
    ASSERT_TRUE(succeeded(verify(local))) << trace;
    out = evaluate(local, tiles);
    local->erase();
  }
  for (size_t i = 0; i < results.size(); ++i)
    merged[i].add(out[i], results[i], space.results[i].combiner);
}

Tensors ShardTest::evaluateCut(IterationSpaceOpInterface op,
                               const ::soap::Config &config) {
  ::soap::IterationSpace space = op.getIterationSpace();
  std::vector<Merged> merged;
  for (Type type : op->getResultTypes()) {
    Tensor value(cast<RankedTensorType>(type).getShape());
    std::vector<bool> written(value.data.size(), false);
    merged.push_back({std::move(value), std::move(written)});
  }
  for (const ::soap::Shard &shard : ::soap::enumerateShards(space, config))
    if (!::soap::isEmpty(shard.box))
      evaluateShard(op, space, shard, merged);
  Tensors results;
  for (Merged &m : merged) {
    EXPECT_FALSE(llvm::is_contained(m.written, false))
        << trace << "some elements are written by no shard";
    results.push_back(std::move(m.value));
  }
  return results;
}

void ShardTest::expectEqual(Operation *op, const Tensors &actual,
                            const Tensors &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    ASSERT_EQ(actual[i].shape, expected[i].shape) << trace;
    for (size_t e = 0; e < actual[i].data.size(); ++e) {
      double a = actual[i].data[e], b = expected[i].data[e];
      if (a == b) // Infinities are equal, but have no difference.
        continue;
      ASSERT_NEAR(a, b, 1e-9 * (1 + std::abs(b)))
          << trace << "result " << i << ", element " << e;
    }
  }
}

void ShardTest::checkStages(IterationSpaceOpInterface op,
                            const Tensors &expected) {
  builder.setInsertionPoint(op);
  Operation *before = op->getPrevNode();
  FailureOr<SmallVector<Value>> values = op.decomposeStages(builder);
  if (failed(values))
    return;
  Operation *stage =
      before ? before->getNextNode() : &module->getBody()->front();
  SmallVector<Operation *> created;
  for (; stage != op; stage = stage->getNextNode()) {
    ASSERT_TRUE(succeeded(verify(stage)));
    auto space = cast<IterationSpaceOpInterface>(stage);
    Tensors out = evaluateCut(space, drawConfig(space.getIterationSpace()));
    for (auto [value, tensor] : llvm::zip(stage->getResults(), out))
      data[value] = tensor;
    created.push_back(stage);
  }
  EXPECT_FALSE(created.empty());
  expectEqual(op, valuesOf(*values), expected);
  for (Operation *o : llvm::reverse(created))
    o->erase();
}

void ShardTest::check(Operation *op) {
  ASSERT_TRUE(succeeded(verify(op)));
  auto space = cast<IterationSpaceOpInterface>(op);
  Tensors expected = evaluate(op, valuesOf(op->getOperands()));
  for (int round = 0; round < 4; ++round) {
    ::soap::Config config = drawConfig(space.getIterationSpace());
    trace.clear();
    llvm::raw_string_ostream stream(trace);
    op->print(stream);
    stream << "\ndegrees: ";
    llvm::interleaveComma(config.degrees, stream);
    stream << "\n";
    builder.setInsertionPointToEnd(module->getBody());
    expectEqual(op, evaluateCut(space, config), expected);
    checkStages(space, expected);
    if (HasFatalFailure() || HasNonfatalFailure())
      return;
  }
  op->erase();
  data.clear();
  module->getBody()->eraseArguments([](BlockArgument) { return true; });
}

#define CHECK_MANY(count, ...)                                                 \
  for (int i = 0; i < (count) && !HasFailure(); ++i) {                         \
    builder.setInsertionPointToEnd(module->getBody());                         \
    check([&]() -> Operation * { __VA_ARGS__ }());                             \
  }

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Attributes of a window for which at least one output exists.
struct DrawnWindow {
  std::vector<int64_t> kernel, strides, dilations, padding, image, outputs;
};

template <typename Draw>
DrawnWindow drawWindow(Draw draw) {
  while (true) {
    DrawnWindow w;
    for (int d = 0; d < 2; ++d) {
      w.kernel.push_back(draw(1, 3));
      w.strides.push_back(draw(1, 4)); // also larger than the kernel
      w.dilations.push_back(draw(1, 2));
      w.image.push_back(draw(1, 8));
    }
    for (int d = 0; d < 4; ++d)
      w.padding.push_back(draw(-1, 3));
    for (int d = 0; d < 2; ++d) {
      int64_t room = w.image[d] + w.padding[d] + w.padding[d + 2] -
                     (w.kernel[d] - 1) * w.dilations[d] - 1;
      w.outputs.push_back(room < 0 ? 0 : room / w.strides[d] + 1);
    }
    if (w.outputs[0] > 0 && w.outputs[1] > 0)
      return w;
  }
}

#define DRAW_WINDOW(w)                                                         \
  DrawnWindow w = drawWindow([&](int64_t a, int64_t b) { return draw(a, b); })

TEST_F(ShardTest, Convolution) {
  CHECK_MANY(150, DRAW_WINDOW(w); int64_t n = draw(1, 3), g = draw(1, 2),
                                  o = draw(1, 3), c = draw(1, 3);
             return Conv2DOp::create(
                 builder, loc(), f64({n, g * o, w.outputs[0], w.outputs[1]}),
                 operand({n, g * c, w.image[0], w.image[1]}),
                 operand({g * o, c, w.kernel[0], w.kernel[1]}), w.strides,
                 w.padding, w.dilations, g););
}

TEST_F(ShardTest, ConvolutionInputGradient) {
  CHECK_MANY(150, DRAW_WINDOW(w); int64_t n = draw(1, 3), g = draw(1, 2),
                                  o = draw(1, 3), c = draw(1, 3);
             return Conv2DInputGradOp::create(
                 builder, loc(), f64({n, g * c, w.image[0], w.image[1]}),
                 operand({n, g * o, w.outputs[0], w.outputs[1]}),
                 operand({g * o, c, w.kernel[0], w.kernel[1]}), w.strides,
                 w.padding, w.dilations, g););
}

TEST_F(ShardTest, ConvolutionWeightGradient) {
  CHECK_MANY(150, DRAW_WINDOW(w); int64_t n = draw(1, 3), g = draw(1, 2),
                                  o = draw(1, 3), c = draw(1, 3);
             return Conv2DWeightGradOp::create(
                 builder, loc(), f64({g * o, c, w.kernel[0], w.kernel[1]}),
                 operand({n, g * c, w.image[0], w.image[1]}),
                 operand({n, g * o, w.outputs[0], w.outputs[1]}), w.strides,
                 w.padding, w.dilations, g););
}

TEST_F(ShardTest, MaxPool) {
  CHECK_MANY(200, DRAW_WINDOW(w); int64_t n = draw(1, 2), c = draw(1, 2);
             return MaxPool2DOp::create(
                 builder, loc(), f64({n, c, w.outputs[0], w.outputs[1]}),
                 operand({n, c, w.image[0], w.image[1]}), w.kernel, w.strides,
                 w.padding, w.dilations););
}

TEST_F(ShardTest, MaxPoolGradient) {
  CHECK_MANY(
      300, DRAW_WINDOW(w); int64_t n = draw(1, 2), c = draw(1, 2);
      Value x = operand({n, c, w.image[0], w.image[1]});
      auto pool = MaxPool2DOp::create(
          builder, loc(), f64({n, c, w.outputs[0], w.outputs[1]}), x, w.kernel,
          w.strides, w.padding, w.dilations);
      Value y = operand(evaluate(pool, {data.at(x)})[0], builder.getF64Type());
      pool->erase(); Value dy = operand({n, c, w.outputs[0], w.outputs[1]});
      return MaxPool2DGradOp::create(builder, loc(), x.getType(), dy, x, y,
                                     w.kernel, w.strides, w.padding,
                                     w.dilations, ArrayRef<int64_t>{0, 0}););
}

/// Some average pools have an explicit counted image, as shards and importers
/// make them.
std::pair<DenseI64ArrayAttr, DenseI64ArrayAttr>
drawCount(OpBuilder &builder, bool explicitCount, int64_t low, int64_t size) {
  if (!explicitCount)
    return {};
  return {builder.getDenseI64ArrayAttr({low, low}),
          builder.getDenseI64ArrayAttr({size, size})};
}

TEST_F(ShardTest, AveragePool) {
  CHECK_MANY(200, DRAW_WINDOW(w); int64_t n = draw(1, 2), c = draw(1, 2);
             auto [low, size] =
                 drawCount(builder, flip(), draw(-2, 1), draw(1, 9));
             return AvgPool2DOp::create(
                 builder, loc(), f64({n, c, w.outputs[0], w.outputs[1]}),
                 operand({n, c, w.image[0], w.image[1]}),
                 builder.getDenseI64ArrayAttr(w.kernel),
                 builder.getDenseI64ArrayAttr(w.strides),
                 builder.getDenseI64ArrayAttr(w.padding),
                 builder.getDenseI64ArrayAttr(w.dilations),
                 flip() ? builder.getUnitAttr() : UnitAttr(), low, size););
}

TEST_F(ShardTest, AveragePoolGradient) {
  CHECK_MANY(200, DRAW_WINDOW(w); int64_t n = draw(1, 2), c = draw(1, 2);
             auto [low, size] =
                 drawCount(builder, flip(), draw(-2, 1), draw(1, 9));
             return AvgPool2DGradOp::create(
                 builder, loc(), f64({n, c, w.image[0], w.image[1]}),
                 operand({n, c, w.outputs[0], w.outputs[1]}),
                 builder.getDenseI64ArrayAttr(w.kernel),
                 builder.getDenseI64ArrayAttr(w.strides),
                 builder.getDenseI64ArrayAttr(w.padding),
                 builder.getDenseI64ArrayAttr(w.dilations),
                 flip() ? builder.getUnitAttr() : UnitAttr(), low, size););
}

//===----------------------------------------------------------------------===//
// Linear and elementwise ops
//===----------------------------------------------------------------------===//

TEST_F(ShardTest, Matmul) {
  CHECK_MANY(
      60, int64_t m = draw(1, 5), n = draw(1, 5), k = draw(1, 5);
      std::vector<int64_t> batch;
      for (int64_t b = draw(0, 2); b > 0; --b) batch.push_back(draw(1, 3));
      // Rows that were several dims.
      DenseI64ArrayAttr factors; if (flip()) {
        std::vector<int64_t> extents = {draw(1, 4), draw(1, 3)};
        if (flip())
          extents.push_back(draw(1, 2));
        factors = builder.getDenseI64ArrayAttr(extents);
        k = 1;
        for (int64_t extent : extents)
          k *= extent;
      } bool ta = flip(),
                                 tb = flip();
      auto own = draw(0, static_cast<int64_t>(batch.size()));
      std::vector<int64_t> a = batch, b(batch.begin(), batch.begin() + own),
      y = batch;
      a.insert(a.end(), {ta ? k : m, ta ? m : k});
      b.insert(b.end(), {tb ? n : k, tb ? k : n}); y.insert(y.end(), {m, n});
      return MatmulOp::create(builder, loc(), f64(y), operand(a), operand(b),
                              ta, tb, factors););
}

TEST_F(ShardTest, Reduce) {
  CHECK_MANY(
      60, std::vector<int64_t> x = {draw(1, 4), draw(1, 4), draw(1, 4)};
      std::vector<int64_t> axes, y; for (int64_t d = 0; d < 3; ++d) {
        if (flip())
          axes.push_back(d);
        else
          y.push_back(x[d]);
      } auto kind = static_cast<ReduceKind>(draw(0, 2));
      return ReduceOp::create(builder, loc(), f64(y), operand(x), kind, axes););
}

TEST_F(ShardTest, Broadcast) {
  CHECK_MANY(
      40, std::vector<int64_t> y = {draw(1, 4), draw(1, 4), draw(1, 4)};
      std::vector<int64_t> axes, x; for (int64_t d = 0; d < 3; ++d) {
        if (flip())
          axes.push_back(d);
        else
          x.push_back(y[d]);
      } return BroadcastOp::create(builder, loc(), f64(y), operand(x), axes););
}

TEST_F(ShardTest, BinaryWithBroadcasting) {
  CHECK_MANY(
      60, std::vector<int64_t> z = {draw(1, 4), draw(1, 4), draw(1, 4)};
      std::vector<int64_t> x = z, y(z.begin() + draw(0, 3), z.end());
      for (int64_t &extent : y) if (flip()) extent = 1;
      if (y.size() < 3 && flip()) std::swap(x, y);
      Value a = operand(x), b = operand(y); switch (draw(0, 3)) {
        case 0:
          return AddOp::create(builder, loc(), f64(z), a, b);
        case 1:
          return SubOp::create(builder, loc(), f64(z), a, b);
        case 2:
          return MulOp::create(builder, loc(), f64(z), a, b);
        default:
          return GreaterEqualOp::create(builder, loc(), f64(z), a, b);
      });
}

TEST_F(ShardTest, BiasAddReluAccumulate) {
  CHECK_MANY(15, int64_t axis = draw(0, 2);
             std::vector<int64_t> x = {draw(1, 4), draw(1, 4), draw(1, 4)};
             return BiasAddOp::create(builder, loc(), f64(x), operand(x),
                                      operand({x[axis]}), axis););
  CHECK_MANY(
      10, return ReluOp::create(builder, loc(), f64({3, 4}), operand({3, 4})););
  CHECK_MANY(10, return ReluGradOp::create(builder, loc(), f64({3, 4}),
                                           operand({3, 4}), operand({3, 4})););
  CHECK_MANY(
      10, return AccumulateOp::create(
              builder, loc(), f64({3, 4}),
              ValueRange{operand({3, 4}), operand({3, 4}), operand({3, 4})}););
}

//===----------------------------------------------------------------------===//
// Shape ops
//===----------------------------------------------------------------------===//

TEST_F(ShardTest, Reshape) {
  const std::vector<std::vector<std::vector<int64_t>>> shapes = {
      {{4, 3, 2, 5}, {4, 30}},
      {{4, 6}, {2, 12, 1}},
      {{6, 4}, {4, 6}},
      {{1, 8, 1}, {2, 2, 2}},
      {{12}, {3, 4}},
      {{2, 6, 5}, {2, 2, 15}},
      {{}, {1, 1}},
      {{2, 4, 9}, {8, 3, 3}}};
  for (const auto &pair : shapes)
    for (bool back : {false, true})
      CHECK_MANY(5, return ReshapeOp::create(builder, loc(), f64(pair[!back]),
                                             operand(pair[back])););
}

TEST_F(ShardTest, Transpose) {
  CHECK_MANY(30, std::vector<int64_t> x = {draw(1, 4), draw(1, 4), draw(1, 4)};
             std::vector<int64_t> permutation = {0, 1, 2};
             std::shuffle(permutation.begin(), permutation.end(), random);
             std::vector<int64_t> y = {x[permutation[0]], x[permutation[1]],
                                       x[permutation[2]]};
             return TransposeOp::create(builder, loc(), f64(y), operand(x),
                                        permutation););
}

TEST_F(ShardTest, Concat) {
  CHECK_MANY(
      60, std::vector<int64_t> shape = {draw(1, 4), draw(1, 4)};
      int64_t axis = draw(0, 1), total = 0; SmallVector<Value> xs;
      for (int64_t n = draw(1, 4); n > 0; --n) {
        shape[axis] = draw(1, 3);
        total += shape[axis];
        xs.push_back(operand(shape));
      } shape[axis] = total;
      return ConcatOp::create(builder, loc(), f64(shape), xs, axis););
}

TEST_F(ShardTest, Bucket) {
  CHECK_MANY(
      40, SmallVector<Value> xs; for (int64_t n = draw(1, 4); n > 0; --n) {
        std::vector<int64_t> shape(static_cast<size_t>(draw(0, 3)));
        for (int64_t &extent : shape)
          extent = draw(1, 4);
        xs.push_back(operand(shape));
      } return BucketOp::create(builder, loc(), xs););
}

TEST_F(ShardTest, Unbucket) {
  CHECK_MANY(
      40, SmallVector<Type> types; int64_t elements = 0;
      for (int64_t n = draw(1, 4); n > 0; --n) {
        std::vector<int64_t> shape = {draw(1, 4), draw(1, 3)};
        types.push_back(f64(shape));
        elements += shape[0] * shape[1];
      } return UnbucketOp::create(builder, loc(), types, operand({elements})););
}

TEST_F(ShardTest, Slice) {
  CHECK_MANY(
      60, std::vector<int64_t> x, offsets, sizes, strides;
      for (int d = 0; d < 2; ++d) {
        offsets.push_back(draw(0, 2));
        sizes.push_back(draw(1, 5));
        strides.push_back(draw(1, 3));
        x.push_back(offsets[d] + (sizes[d] - 1) * strides[d] + 1 + draw(0, 2));
      } return SliceOp::create(builder, loc(), f64(sizes), operand(x), offsets,
                               sizes, strides););
}

TEST_F(ShardTest, Pad) {
  CHECK_MANY(
      100, std::vector<int64_t> x, y, low, interior;
      for (int d = 0; d < 2; ++d) {
        x.push_back(draw(1, 4));
        y.push_back(draw(1, 12));
        low.push_back(draw(-4, 6)); // also all in the padding
        interior.push_back(draw(0, 2));
      } return PadOp::create(builder, loc(), f64(y), operand(x), low, interior,
                             APFloat(flip() ? 0.0 : 2.5)););
}

TEST_F(ShardTest, Constant) {
  CHECK_MANY(20, std::vector<double> values;
             for (int i = 0; i < 24; ++i) values.push_back(i);
             if (flip()) values = {7};
             auto type = cast<RankedTensorType>(f64({4, 2, 3}));
             return ConstantOp::create(
                 builder, loc(), type,
                 DenseElementsAttr::get(type, ArrayRef<double>(values))););
}

//===----------------------------------------------------------------------===//
// Ops with stages
//===----------------------------------------------------------------------===//

TEST_F(ShardTest, BatchNorm) {
  APFloat epsilon(1e-5);
  auto image = [&] {
    std::vector<int64_t> shape = {draw(2, 4), draw(1, 4)};
    for (int64_t d = draw(0, 2); d > 0; --d)
      shape.push_back(draw(1, 3));
    return shape;
  };
  auto moments = [&](Value x) {
    std::vector<int64_t> shape = data.at(x).shape;
    auto op = BatchNormStatsOp::create(builder, loc(), f64({3, shape[1]}), x);
    Tensor stats = evaluate(op, {data.at(x)})[0];
    op->erase();
    return operand(stats, builder.getF64Type());
  };
  CHECK_MANY(40, auto x = image(); int64_t c = x[1];
             return BatchNormTrainOp::create(
                 builder, loc(), TypeRange{f64(x), f64({3, c})},
                 ValueRange{operand(x), operand({c}), operand({c})},
                 ArrayRef<NamedAttribute>{
                     {"epsilon", builder.getF64FloatAttr(1e-5)}}););
  CHECK_MANY(40, auto shape = image(); int64_t c = shape[1];
             Value x = operand(shape), stats = moments(x);
             return BatchNormGradOp::create(builder, loc(), f64(shape),
                                            f64({c}), f64({c}), operand(shape),
                                            x, stats, operand({c}), epsilon););
  CHECK_MANY(10, auto shape = image(); int64_t c = shape[1];
             Tensor ones(Index{c}, 1.0); return BatchNormOp::create(
                 builder, loc(), f64(shape), operand(shape), operand({c}),
                 operand({c}), operand({c}),
                 operand(ones, builder.getF64Type()), epsilon););
  CHECK_MANY(10, Value x = operand({4, 3}); Value stats = moments(x);
             return RunningStatsUpdateOp::create(
                 builder, loc(), f64({3}), f64({3}), operand({3}), operand({3}),
                 stats, APFloat(0.1)););
}

TEST_F(ShardTest, CrossEntropy) {
  APFloat scale(0.25);
  // Rows of one to three dims, with classes, and with statistics.
  auto rows = [&] {
    SmallVector<int64_t> shape;
    for (int64_t d = draw(1, 3); d-- > 0;)
      shape.push_back(draw(1, 4));
    return shape;
  };
  auto with = [](ArrayRef<int64_t> shape, int64_t classes) {
    SmallVector<int64_t> result(shape);
    result.push_back(classes);
    return result;
  };
  auto stats = [](ArrayRef<int64_t> shape) {
    SmallVector<int64_t> result{3};
    llvm::append_range(result, shape);
    return result;
  };
  CHECK_MANY(60, auto n = rows(); int64_t k = draw(1, 6);
             return CrossEntropyOp::create(builder, loc(), f64({}), f64({}),
                                           f64(stats(n)), operand(with(n, k)),
                                           labels(n, k), scale););
  CHECK_MANY(60, auto n = rows(); int64_t k = draw(1, 6);
             Value logits = operand(with(n, k)); Value label = labels(n, k);
             auto op = SoftmaxStatsOp::create(builder, loc(), f64(stats(n)),
                                              logits, label, 0);
             Tensor known = evaluate(op, {data.at(logits), data.at(label)})[0];
             op->erase(); return CrossEntropyGradOp::create(
                 builder, loc(), f64(with(n, k)), operand(ArrayRef<int64_t>{}),
                 logits, label, operand(known, builder.getF64Type()), scale,
                 0););
}

TEST_F(ShardTest, Attention) {
  APFloat scale(0.5);
  auto bound = [&](int64_t low, int64_t high) {
    return flip() ? builder.getI64IntegerAttr(draw(low, high)) : IntegerAttr();
  };
  CHECK_MANY(
      80, int64_t n = draw(1, 2), heads = draw(1, 3), groups = draw(1, 3),
      queries = draw(1, 6), keys = draw(1, 6), width = draw(1, 3),
      valueWidth = draw(1, 3);
      Value segments[2] = {}; if (flip()) {
        segments[0] = labels({n, queries}, 2);
        segments[1] = labels({n, keys}, 2);
      } Value bias = flip() ? operand({n, flip() ? 1 : heads * groups, queries,
                                       flip() ? 1 : keys})
                            : Value();
      return AttentionOp::create(
          builder, loc(), operand({n, heads * groups, queries, width}),
          operand({n, heads, keys, width}),
          operand({n, heads, keys, valueWidth}), bias, segments[0], segments[1],
          scale, APFloat(flip() ? 0.0 : 2.0), bound(-1, 4), bound(-1, 4),
          draw(-3, 3)););
}

TEST_F(ShardTest, Sgd) {
  APFloat rate(0.5), momentum(0.5), decay(0.25);
  CHECK_MANY(10, return SgdOp::create(builder, loc(), f64({3, 4}), f64({3, 4}),
                                      operand({3, 4}), operand({3, 4}),
                                      operand({3, 4}), rate, momentum, decay););
  CHECK_MANY(10, return SgdOp::create(builder, loc(), f64({3, 4}), Type(),
                                      operand({3, 4}), operand({3, 4}), Value(),
                                      rate, APFloat(0.0), decay););
}

} // namespace
