//===- BuildersTest.cpp - Ops and attributes made by C++ users ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builders fill in types and attributes: compared with the text.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Topology/Topology.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

template <typename T>
std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// A block with an image and a matrix, and a builder in it.
class Builders : public testing::Test {
protected:
  Builders() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<SoapDialect, func::FuncDialect>();
    module = ModuleOp::create(loc);
    builder.setInsertionPointToStart(module->getBody());
    image = type({2, 3, 8, 8});
    matrix = type({4, 6});
    auto function = func::FuncOp::create(
        builder, loc, "f", builder.getFunctionType({image, matrix}, {}));
    Block *block = function.addEntryBlock();
    builder.setInsertionPointToEnd(block);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPointToStart(block);
    x = block->getArgument(0);
    m = block->getArgument(1);
  }

  RankedTensorType type(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }

  MLIRContext context;
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  RankedTensorType image, matrix;
  Value x, m;
};

TEST_F(Builders, Ops) {
  Value w = ConstantOp::create(
      builder, loc,
      cast<ElementsAttr>(DenseElementsAttr::get(type({5, 3, 3, 3}), 1.0f)));
  auto conv = Conv2DOp::create(builder, loc, x, w, ArrayRef<int64_t>({2, 2}),
                               ArrayRef<int64_t>({1, 1, 1, 1}));
  EXPECT_EQ(conv.getType(), type({2, 5, 4, 4}));
  EXPECT_EQ(conv.getGroups(), 1U);
  auto pool = MaxPool2DOp::create(builder, loc, x, ArrayRef<int64_t>({2, 2}),
                                  ArrayRef<int64_t>({2, 2}));
  EXPECT_EQ(pool.getType(), type({2, 3, 4, 4}));
  Value flat = ReshapeOp::create(builder, loc, m, ArrayRef<int64_t>({24}));
  EXPECT_EQ(flat.getType(), type({24}));
  Value part = SliceOp::create(builder, loc, m, ArrayRef<int64_t>({1, 0}),
                               ArrayRef<int64_t>({2, 6}));
  EXPECT_EQ(part.getType(), type({2, 6}));
  Value padded = PadOp::create(builder, loc, part, ArrayRef<int64_t>({1, -1}),
                               ArrayRef<int64_t>({1, 0}), 2.5);
  EXPECT_EQ(padded.getType(), type({4, 5}));
  EXPECT_EQ(padded.getDefiningOp<PadOp>().getNeutralValue(), 2.5);
  Value wide = BroadcastOp::create(
      builder, loc, m, ArrayRef<int64_t>({4, 2, 6}), ArrayRef<int64_t>({1}));
  EXPECT_EQ(wide.getType(), type({4, 2, 6}));
  Value narrow = CastOp::create(builder, loc, m, builder.getBF16Type());
  EXPECT_EQ(narrow.getType(),
            RankedTensorType::get({4, 6}, builder.getBF16Type()));
  Value dropped = DropoutOp::create(builder, loc, m, 0.25, 7);
  EXPECT_EQ(dropped.getType(), matrix);
  Value product = MatmulOp::create(
      builder, loc, m,
      TransposeOp::create(builder, loc, m, ArrayRef<int64_t>({1, 0})));
  EXPECT_EQ(product.getType(), type({4, 4}));
  EXPECT_TRUE(succeeded(verify(*module))) << print(*module);
}

TEST_F(Builders, Configs) {
  std::pair<StringRef, int64_t> degrees[] = {{"m", 2}, {"k", 2}};
  ConfigAttr config =
      ConfigAttr::get(&context, degrees, ArrayRef<int64_t>({0, 1, 4, 5}));
  EXPECT_EQ(print(config),
            "#soap.config<{m = 2, k = 2}, devices = [0, 1, 4, 5]>");
  EXPECT_EQ(Attribute(config), parseAttribute(print(config), &context));
}

/// A built-in topology is a name; one that is changed is a table which parses
/// to the same attribute.
TEST_F(Builders, Topologies) {
  auto topology = ::soap::builtinTopology("v100-1x2");
  ASSERT_TRUE(topology);
  EXPECT_EQ(print(TopologyAttr::get(&context, *topology)),
            "#soap.topology<\"v100-1x2\">");
  topology->deviceTypes[0].memoryBytes = 12345;
  TopologyAttr changed = TopologyAttr::get(&context, *topology);
  EXPECT_EQ(changed, TopologyAttr::getInFull(&context, *topology));
  EXPECT_NE(print(changed).find("memory_bytes = 12345"), std::string::npos);
  EXPECT_EQ(Attribute(changed), parseAttribute(print(changed), &context));
  auto parsed = ::soap::parseTopology(topologyText(changed).str(), "text");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(::soap::printTopology(*parsed), ::soap::printTopology(*topology));
}

/// Every built-in family survives being written in full.
TEST_F(Builders, TopologiesInFull) {
  for (const char *name :
       {"cpu-3", "k80-2x4", "p100-2x4", "dgx1-2x8", "p3-1x8", "a100-2x8",
        "h200-1x8", "pcie-2x4", "ring-5", "fat-tree-4"}) {
    SCOPED_TRACE(name);
    auto topology = ::soap::builtinTopology(name);
    ASSERT_TRUE(topology);
    TopologyAttr full = TopologyAttr::getInFull(&context, *topology);
    EXPECT_EQ(Attribute(full), parseAttribute(print(full), &context));
    auto parsed = ::soap::parseTopology(topologyText(full).str(), "text");
    ASSERT_TRUE(parsed);
    EXPECT_EQ(::soap::printTopology(*parsed), ::soap::printTopology(*topology));
  }
}

TEST_F(Builders, EnumsReadStrings) {
  EXPECT_EQ(enumValue<ValueKindAttr>(builder.getStringAttr("state")),
            ValueKind::State);
  EXPECT_EQ(
      enumValue<ValueKindAttr>(ValueKindAttr::get(&context, ValueKind::Loss)),
      ValueKind::Loss);
  EXPECT_EQ(enumValue<ValueKindAttr>(builder.getStringAttr("weight")),
            std::nullopt);
  EXPECT_EQ(enumValue<ValueKindAttr>(Attribute()), std::nullopt);
  auto table = parseAttribute(
      "{microbatches = 4 : i64, schedule = \"1f1b\", replicas = array<i64: 2, "
      "1>}",
      &context);
  ASSERT_TRUE(readPipeline(table));
  EXPECT_EQ(print(readPipeline(table)),
            "#soap.pipeline<microbatches = 4, schedule = \"1f1b\", replicas = "
            "[2, 1]>");
  EXPECT_FALSE(readPipeline(builder.getStringAttr("1f1b")));
  EXPECT_FALSE(readPipeline(parseAttribute(
      "{microbatches = 0 : i64, schedule = \"1f1b\"}", &context)));
}

} // namespace
