//===- PaddingRows.cpp - Rows of tables without a gradient ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PaddingRows.h.
//
//===----------------------------------------------------------------------===//

#include "PaddingRows.h"

#include "Soap/Dialect/Soap/LoopCorrespondence.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::soap;

/// The argument that is the table of a look-up, or whose 16-bit copy is.
static BlockArgument argumentOf(Value table) {
  while (auto cast = table.getDefiningOp<CastOp>())
    table = cast.getX();
  return dyn_cast<BlockArgument>(table);
}

namespace {

/// Masks the gradient of one look-up.
class LookUpMask {
public:
  LookUpMask(OpBuilder &builder, GatherOp lookUp, GatherGradOp gradient,
             const OpMaker::Namer &setName)
      : builder(builder), lookUp(lookUp), gradient(gradient),
        ops(builder, gradient.getLoc(),
            gradient->getAttrOfType<StringAttr>(SoapDialect::kName).str(),
            setName) {}

  void mask(int64_t row) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(gradient);
    auto wrap = static_cast<int64_t>(gradient.getWrap());
    Value dy = gradient.getDy();
    Value index = ops.make<CastOp>("index", gradient.getIndices(),
                                   Type(builder.getF32Type()));
    follow(index, 0, indicesTensor);
    dy = without(dy, index, row, "padding");
    if (wrap != 0) // Indices below 0 count from the end.
      dy = without(dy, index, row - wrap, "padding_from_end");
    gradient.getDyMutable().assign(dy);
  }

private:
  static constexpr unsigned indicesTensor = 1, resultTensor = 2;

  /// dy with 0 where the index is `row`.
  Value without(Value dy, Value index, int64_t row, StringRef name) {
    Value number = ops.scalar(builder.getF32Type(), static_cast<double>(row),
                              (name + ".row").str());
    setGradientOf(number.getDefiningOp(), lookUp);
    Value isRow = ops.make<EqualOp>(name, index, number);
    follow(isRow, 0, indicesTensor);
    SmallVector<int64_t> shape(OpMaker::shapeOf(index));
    shape.resize(OpMaker::shapeOf(dy).size(), 1);
    isRow = ops.reshape(isRow, shape, (name + ".along").str());
    Type element = OpMaker::elementOf(dy);
    isRow = ops.cast(isRow, element, (name + ".mask").str());
    Value zero = ops.scalar(element, 0, (name + ".zero").str());
    setGradientOf(zero.getDefiningOp(), lookUp);
    Value kept = ops.make<WhereOp>((name + ".kept").str(), isRow, zero, dy);
    follow(kept, 2, resultTensor);
    return kept;
  }

  /// Marks the op of a value as one of the look-up's gradient; its loops are
  /// those that both have over a tensor.
  void follow(Value value, unsigned tensor, unsigned lookUpTensor) {
    auto pairs =
        correspondingLoops(value.getDefiningOp(), tensor, lookUp, lookUpTensor);
    SmallVector<std::pair<StringRef, StringRef>> views(pairs.begin(),
                                                       pairs.end());
    setGradientOf(value.getDefiningOp(), lookUp, views);
  }

  OpBuilder &builder;
  GatherOp lookUp;
  GatherGradOp gradient;
  OpMaker ops;
};

} // namespace

LogicalResult
mlir::soap::maskPaddingRows(OpBuilder &builder, Block &block,
                            const ParameterPatterns &rows,
                            llvm::function_ref<StringRef(BlockArgument)> nameOf,
                            const OpMaker::Namer &setName) {
  auto rowOf = [&](BlockArgument argument) {
    StringRef name = nameOf(argument);
    return name.empty() ? std::nullopt : rows.find(name);
  };
  llvm::DenseMap<Attribute, GatherOp> lookUps;
  llvm::SmallBitVector isTable(block.getNumArguments());
  for (auto lookUp : block.getOps<GatherOp>())
    if (BlockArgument table = argumentOf(lookUp.getTable())) {
      lookUps[lookUp->getAttr(SoapDialect::kName)] = lookUp;
      isTable.set(table.getArgNumber());
    }
  for (BlockArgument argument : block.getArguments())
    if (rowOf(argument) && !isTable.test(argument.getArgNumber()))
      return emitError(argument.getLoc())
             << "padding-rows: parameter '" << nameOf(argument)
             << "' is no table of a look-up, expected the weight of an "
                "embedding";
  for (auto gradient :
       llvm::make_early_inc_range(block.getOps<GatherGradOp>())) {
    GatherOp lookUp = lookUps.lookup(gradient->getAttr(SoapDialect::kGradOf));
    if (!lookUp)
      continue;
    BlockArgument table = argumentOf(lookUp.getTable());
    std::optional<double> row = rowOf(table);
    if (!row)
      continue;
    // Indices are compared as f32.
    constexpr int64_t maxRows = int64_t(1) << 24;
    int64_t count = OpMaker::shapeOf(table)[0];
    if (count > maxRows)
      return emitError(table.getLoc())
             << "padding-rows: parameter '" << nameOf(table) << "' has "
             << count << " rows, expected at most 2^24";
    auto number = static_cast<int64_t>(*row);
    if (static_cast<double>(number) != *row || number >= count) {
      std::string got;
      llvm::raw_string_ostream(got) << llvm::format("%g", *row);
      return emitError(table.getLoc())
             << "padding-rows: expected the number of one of the " << count
             << " rows of parameter '" << nameOf(table) << "', got " << got;
    }
    LookUpMask(builder, lookUp, gradient, setName).mask(number);
  }
  return success();
}
