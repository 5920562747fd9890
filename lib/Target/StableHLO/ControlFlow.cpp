//===- ControlFlow.cpp - Calls, loops and branches ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose condition is known are unrolled; both branches of others count.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

static LogicalResult setAll(Importer &importer, Operation *op,
                            FailureOr<SmallVector<TensorRef>> results) {
  if (failed(results))
    return failure();
  if (results->size() != op->getNumResults())
    return importer.error(op) << "has " << op->getNumResults()
                              << " results, expected " << results->size();
  for (auto [i, result] : llvm::enumerate(*results))
    if (failed(importer.set(op, i, result)))
      return failure();
  return success();
}

static SmallVector<TensorRef> operandsOf(Importer &importer, Operation *op) {
  SmallVector<TensorRef> tensors;
  for (Value operand : op->getOperands())
    tensors.push_back(importer.get(operand));
  return tensors;
}

LogicalResult shlo::importCall(Importer &importer, Operation *op) {
  auto callee = dyn_cast_or_null<FlatSymbolRefAttr>(op->getAttr("callee"));
  if (!callee)
    return importer.error(op) << "names no function";
  return setAll(importer, op,
                importer.call(op, callee.getValue(), operandsOf(importer, op)));
}

LogicalResult shlo::importComposite(Importer &importer, Operation *op) {
  auto callee =
      dyn_cast_or_null<FlatSymbolRefAttr>(op->getAttr("decomposition"));
  if (!callee)
    return importer.error(op) << "names no decomposition";
  return setAll(importer, op,
                importer.call(op, callee.getValue(), operandsOf(importer, op)));
}

LogicalResult shlo::importIdentity(Importer &importer, Operation *op) {
  return setAll(importer, op, operandsOf(importer, op));
}

LogicalResult shlo::importCustomCall(Importer &importer, Operation *op) {
  auto name = dyn_cast_or_null<StringAttr>(op->getAttr("call_target_name"));
  StringRef target = name ? name.getValue() : "";
  // They say where tensors are, not what they hold.
  if (target == "Sharding" || target == "xla.sdy.FuncResultSharding" ||
      target == "annotate_device_placement")
    return importIdentity(importer, op);
  return importer.error(op)
         << "calls '" << target
         << "', which is code of XLA: no program in StableHLO says what it "
            "computes";
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static LogicalResult checkBlock(Importer &importer, Operation *op,
                                Region &region, ArrayRef<TensorRef> arguments) {
  if (!region.hasOneBlock())
    return importer.error(op) << "has a region without one block";
  Block &block = region.front();
  if (block.getNumArguments() != arguments.size())
    return importer.error(op) << "has a region with " << block.getNumArguments()
                              << " arguments, expected " << arguments.size();
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments)) {
    RankedTensorType type =
        importer.typeOf(op, argument.getType(), /*mayBeEmpty=*/true);
    if (!type)
      return failure();
    if (type != tensor->type)
      return importer.error(op)
             << "has a region with an argument of type " << argument.getType()
             << ", expected " << tensor->type;
  }
  return success();
}

LogicalResult shlo::importWhile(Importer &importer, Operation *op) {
  SmallVector<TensorRef> carried = operandsOf(importer, op);
  if (failed(checkBlock(importer, op, op->getRegion(0), carried)) ||
      failed(checkBlock(importer, op, op->getRegion(1), carried)))
    return failure();
  constexpr int64_t maxTrips = 10000;
  for (int64_t trip = 0;; ++trip) {
    FailureOr<SmallVector<TensorRef>> condition =
        importer.interpret(op->getRegion(0).front(), carried);
    if (failed(condition))
      return failure();
    std::optional<int64_t> goesOn;
    if (condition->size() == 1 &&
        (*condition)[0]->type.getElementType().isInteger(1))
      goesOn = Importer::knownInteger((*condition)[0]);
    if (!goesOn)
      return importer.error(op)
             << "has a condition that depends on data: expected a loop whose "
                "number of trips is known, as lax.scan and lax.fori_loop with "
                "constant bounds make";
    if (*goesOn == 0)
      return setAll(importer, op, carried);
    if (trip == maxTrips)
      return importer.error(op) << "has more than " << maxTrips << " trips";
    FailureOr<SmallVector<TensorRef>> next =
        importer.interpret(op->getRegion(1).front(), carried);
    if (failed(next))
      return failure();
    if (next->size() != carried.size())
      return importer.error(op) << "has a body that returns " << next->size()
                                << " values, expected " << carried.size();
    for (auto [before, after] : llvm::zip_equal(carried, *next))
      if (before->type != after->type)
        return importer.error(op)
               << "has a body that returns a value of type " << after->type
               << ", expected " << before->type;
    carried = std::move(*next);
  }
}

/// All branches are computed, and the chosen one is selected point by point:
/// ops have no effects.
static LogicalResult importBranches(Importer &importer, Operation *op,
                                    bool isCase) {
  TensorRef index = importer.get(op, 0);
  if (index->type.getRank() != 0 ||
      index->type.getElementType().isInteger(1) == isCase)
    return importer.error(op)
           << "chooses by a value of type " << op->getOperand(0).getType();
  auto last = static_cast<int64_t>(op->getNumRegions()) - 1;
  if (last < 0)
    return importer.error(op) << "has no branches";
  // The number of the branch; the last one is also that of all others.
  auto branchOf = [&](int64_t value) {
    if (!isCase)
      return value == 0 ? int64_t(1) : int64_t(0);
    return value < 0 || value > last ? last : value;
  };
  std::optional<int64_t> known = Importer::knownInteger(index);
  SmallVector<TensorRef> chosen;
  for (int64_t i = last; i >= 0; --i) {
    if (known && branchOf(*known) != i)
      continue;
    if (failed(checkBlock(importer, op, op->getRegion(i), {})))
      return failure();
    FailureOr<SmallVector<TensorRef>> results =
        importer.interpret(op->getRegion(i).front(), {});
    if (failed(results))
      return failure();
    if (chosen.empty()) {
      chosen = *results;
      continue;
    }
    if (results->size() != chosen.size())
      return importer.error(op) << "has branches with " << results->size()
                                << " and " << chosen.size() << " results";
    Location loc = op->getLoc();
    for (auto [own, other] : llvm::zip_equal(*results, chosen)) {
      if (own->type != other->type)
        return importer.error(op) << "has branches with results of types "
                                  << own->type << " and " << other->type;
      ArrayRef<int64_t> shape = own->type.getShape();
      TensorRef condition = importer.view(
          index, shape, AffineMap::get(shape.size(), 0, importer.context()));
      other = importer.elementwise(
          shape, own->type.getElementType(), {condition, own, other},
          [&](OpBuilder &builder, ValueRange x) {
            // The region of 'true' is the first one.
            Value isOwn = x[0];
            if (isCase)
              isOwn = builder.createOrFold<arith::CmpIOp>(
                  loc, arith::CmpIPredicate::eq, x[0],
                  Importer::scalar(builder, loc,
                                   builder.getIntegerAttr(x[0].getType(), i)));
            return SmallVector<Value>{
                builder.createOrFold<arith::SelectOp>(loc, isOwn, x[1], x[2])};
          });
    }
  }
  return setAll(importer, op, chosen);
}

LogicalResult shlo::importCase(Importer &importer, Operation *op) {
  return importBranches(importer, op, /*isCase=*/true);
}

LogicalResult shlo::importIf(Importer &importer, Operation *op) {
  return importBranches(importer, op, /*isCase=*/false);
}

//===----------------------------------------------------------------------===//
// Table
//===----------------------------------------------------------------------===//

const OpEntry *shlo::lookUp(StringRef name) {
  static const llvm::StringMap<OpEntry> table = {
      {"func.call", {importCall, -1, -1, 0}},
      {"stablehlo.broadcast_in_dim", {importBroadcast, 1, 1, 0}},
      {"stablehlo.case", {importCase, 1, -1, -1}},
      {"stablehlo.composite", {importComposite, -1, -1, -1}},
      {"stablehlo.concatenate", {importConcatenate, -1, 1, 0}},
      {"stablehlo.constant", {importConstant, 0, 1, 0}},
      {"stablehlo.convolution", {importConvolution, 2, 1, 0}},
      {"stablehlo.custom_call", {importCustomCall, -1, -1, 0}},
      {"stablehlo.dot_general", {importDotGeneral, 2, 1, 0}},
      {"stablehlo.dynamic_slice", {importDynamicSlice, -1, 1, 0}},
      {"stablehlo.dynamic_update_slice", {importDynamicUpdateSlice, -1, 1, 0}},
      {"stablehlo.gather", {importGather, 2, 1, 0}},
      {"stablehlo.if", {importIf, 1, -1, 2}},
      {"stablehlo.iota", {importIota, 0, 1, 0}},
      {"stablehlo.optimization_barrier", {importIdentity, -1, -1, 0}},
      {"stablehlo.pad", {importPad, 2, 1, 0}},
      {"stablehlo.reduce", {importReduce, -1, -1, 1}},
      {"stablehlo.reduce_window", {importReduceWindow, 2, 1, 1}},
      {"stablehlo.reshape", {importReshape, 1, 1, 0}},
      {"stablehlo.reverse", {importReverse, 1, 1, 0}},
      {"stablehlo.scatter", {importScatter, 3, 1, 1}},
      {"stablehlo.select_and_scatter", {importSelectAndScatter, 3, 1, 2}},
      {"stablehlo.slice", {importSlice, 1, 1, 0}},
      {"stablehlo.sort", {importSort, -1, -1, 1}},
      {"stablehlo.transpose", {importTranspose, 1, 1, 0}},
      {"stablehlo.while", {importWhile, -1, -1, 2}},
      {"chlo.top_k", {importTopK, 1, 2, 0}},
      {"sdy.sharding_constraint", {importIdentity, 1, 1, 0}},
  };
  auto it = table.find(name);
  return it == table.end() ? nullptr : &it->second;
}
