//===- IterationSpaceTest.cpp - Loops and maps as documented --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exact loops, regions and shard attributes of examples that the op
// descriptions give, and of the awkward corners of reshape.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

class IterationSpaceTest : public ::testing::Test {
protected:
  IterationSpaceTest() {
    context.loadDialect<SoapDialect>();
    context.allowUnregisteredDialects();
  }

  /// Parses one op whose operands are results of ops before it.
  IterationSpaceOpInterface parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text.str(), &context);
    EXPECT_TRUE(module);
    IterationSpaceOpInterface last;
    module->walk([&](IterationSpaceOpInterface op) { last = op; });
    return last;
  }

  /// `n=64 g=1 i=3:reduction k=4:serial c=2:stage`
  static std::string loops(IterationSpaceOpInterface op) {
    std::string text;
    for (const ::soap::Loop &loop : op.getIterationSpace().loops) {
      if (!text.empty())
        text += " ";
      text += loop.name + "=" + std::to_string(loop.extent);
      if (loop.type == ::soap::IteratorType::Reduction)
        text += ":reduction";
      if (loop.type == ::soap::IteratorType::Serial)
        text += ":serial";
      if (loop.stage)
        text += ":stage";
    }
    return text;
  }

  static ::soap::LoopBox box(IterationSpaceOpInterface op, StringRef loop,
                             int64_t lo, int64_t hi) {
    ::soap::IterationSpace space = op.getIterationSpace();
    ::soap::LoopBox result = space.wholeBox();
    result[space.findLoop(loop.str())] = {lo, hi};
    return result;
  }

  static std::string operandRegion(IterationSpaceOpInterface op, unsigned i,
                                   const ::soap::LoopBox &box) {
    auto type = cast<RankedTensorType>(op->getOperand(i).getType());
    return ::soap::image(op.getIterationSpace().operands[i].map, box,
                         type.getShape().vec())
        .str();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(IterationSpaceTest, Convolution) {
  auto op = parse(R"(
    %x, %w = "test.source"() : () -> (tensor<64x3x32x32xf32>, tensor<16x3x5x5xf32>)
    %y = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 2, 2, 2, 2>, dilations = array<i64: 1, 1>, groups = 1 : i64}
      : (tensor<64x3x32x32xf32>, tensor<16x3x5x5xf32>) -> tensor<64x16x32x32xf32>
  )");
  EXPECT_EQ(loops(op), "n=64 g=1 o=16 h=32 w=32 i=3:reduction kh=5:reduction "
                       "kw=5:reduction");
  // The example of the interface: rows [16, 32) of 32 with padding 2.
  ::soap::LoopBox half = box(op, "h", 16, 32);
  EXPECT_EQ(operandRegion(op, 0, half), "[0:64], [0:3], [14:32], [0:32]");
  EXPECT_EQ(operandRegion(op, 1, half), "[0:16], [0:3], [0:5], [0:5]");
  OpBuilder builder(op);
  using ::soap::IndexSet;
  ::soap::Region x(
      {IndexSet(0, 64), IndexSet(0, 3), IndexSet(14, 32), IndexSet(0, 32)}),
      w = ::soap::Region::whole({16, 3, 5, 5}),
      y({IndexSet(0, 64), IndexSet(0, 16), IndexSet(16, 32), IndexSet(0, 32)});
  Operation *source = OpBuilder(op).create(
      OperationState(op.getLoc(), "test.source", ValueRange(),
                     TypeRange{tileType(op->getOperand(0).getType(), x),
                               op->getOperand(1).getType()},
                     ArrayRef<NamedAttribute>()));
  auto local = cast<Conv2DOp>(
      op.localize(builder, half, {x, w}, {y}, source->getResults()));
  EXPECT_EQ(local.getPadding().vec(), (std::vector<int64_t>{0, 2, 2, 2}));
}

TEST_F(IterationSpaceTest, GroupsAreRadixDigits) {
  auto op = parse(R"(
    %x, %w = "test.source"() : () -> (tensor<1x4x1x1xf32>, tensor<6x2x1x1xf32>)
    %y = soap.conv2d %x, %w {strides = array<i64: 1, 1>, padding = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, groups = 2 : i64}
      : (tensor<1x4x1x1xf32>, tensor<6x2x1x1xf32>) -> tensor<1x6x1x1xf32>
  )");
  EXPECT_EQ(operandRegion(op, 1, box(op, "o", 0, 1)),
            "[0:1, 3:4], [0:2], [0:1], [0:1]");
  EXPECT_EQ(operandRegion(op, 0, box(op, "i", 1, 2)),
            "[0:1], [1:2, 3:4], [0:1], [0:1]");
}

TEST_F(IterationSpaceTest, Reshape) {
  auto reshape = [&](StringRef from, StringRef to) {
    return parse(("%x = \"test.source\"() : () -> tensor<" + from +
                  "xf32>\n%y = soap.reshape %x : (tensor<" + from +
                  "xf32>) -> tensor<" + to + "xf32>")
                     .str());
  };
  auto flatten = reshape("64x16x5x5", "64x400");
  EXPECT_EQ(loops(flatten), "f0=64 f1=16 f2=5 f3=5");
  EXPECT_EQ(operandRegion(flatten, 0, box(flatten, "f2", 0, 2)),
            "[0:64], [0:16], [0:2], [0:5]");
  EXPECT_EQ(loops(reshape("4x6", "2x12x1")), "f0=2 f1=2 f2=6");
  // 6x4 and 4x6 share no refinement.
  EXPECT_EQ(loops(reshape("3x6x4", "3x4x6")), "f0=3 f1=24:serial");
  EXPECT_EQ(loops(reshape("1x1", "1")), "");
}

TEST_F(IterationSpaceTest, StageLoops) {
  auto norm = parse(R"(
    %x, %c = "test.source"() : () -> (tensor<8x3x4x5xf32>, tensor<3xf32>)
    %y:2 = soap.batch_norm_train %x, %c, %c {epsilon = 1.0e-5 : f64}
      : (tensor<8x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<8x3x4x5xf32>, tensor<3x3xf32>)
  )");
  EXPECT_EQ(loops(norm), "n=8:stage c=3 h=4:stage w=5:stage");
  auto loss = parse(R"(
    %x, %l = "test.source"() : () -> (tensor<8x10xf32>, tensor<8xi32>)
    %y:3 = soap.cross_entropy %x, %l {scale = 0.125 : f64}
      : (tensor<8x10xf32>, tensor<8xi32>) -> (tensor<f32>, tensor<f32>, tensor<3x8xf32>)
  )");
  EXPECT_EQ(loops(loss), "n=8 k=10:reduction:stage");
}

TEST_F(IterationSpaceTest, LinearOpsPassPartialSumsOn) {
  auto linear = [&](StringRef op) {
    return parse(("%x, %r = \"test.source\"() : () -> (tensor<2x2xf32>, "
                  "tensor<2xf32>)\n%y = soap." +
                  op)
                     .str())
        .getIterationSpace()
        .linear;
  };
  StringRef same = " : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>",
            repeated = " : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>",
            unary = " : (tensor<2x2xf32>) -> tensor<2x2xf32>",
            reduced =
                " {axes = array<i64: 0>} : (tensor<2x2xf32>) -> tensor<2xf32>";
  EXPECT_TRUE(linear(("add %x, %x" + same).str()));
  EXPECT_FALSE(linear(("add %x, %r" + repeated).str()));
  EXPECT_FALSE(linear(("mul %x, %x" + same).str()));
  EXPECT_TRUE(linear(("neg %x" + unary).str()));
  EXPECT_FALSE(linear(("relu %x" + unary).str()));
  EXPECT_TRUE(linear(("reduce sum %x" + reduced).str()));
  EXPECT_FALSE(linear(("reduce max %x" + reduced).str()));
  auto pad = [&](StringRef value) {
    return ("pad %x {low = array<i64: 1, 1>, interior = array<i64: 0, 0>, "
            "value = " +
            value + " : f64} : (tensor<2x2xf32>) -> tensor<4x4xf32>")
        .str();
  };
  EXPECT_TRUE(linear(pad("0.0")));
  EXPECT_FALSE(linear(pad("1.0")));
}

TEST_F(IterationSpaceTest, ConfigsRoundTrip) {
  auto op = parse(R"(
    %x = "test.source"() : () -> tensor<2x2xf32>
    %y = soap.matmul %x, %x {soap.config = #soap.config<{m = 2, n = 1}, replicas = 2, devices = [3, 1, 1, 0]>}
      : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  )");
  ::soap::IterationSpace space = op.getIterationSpace();
  std::string error;
  auto attr = cast<ConfigAttr>(op->getAttr(SoapDialect::kConfig));
  auto config = resolveConfig(attr, space, error);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->degrees, (std::vector<int64_t>{2, 1, 1}));
  EXPECT_EQ(config->devices, (std::vector<int>{3, 1, 1, 0}));
  ConfigAttr back = makeConfigAttr(&context, *config, space);
  EXPECT_EQ(back.getLoops().size(), 1u); // degrees of 1 are left out
  EXPECT_EQ(resolveConfig(back, space, error), config);
}

} // namespace
