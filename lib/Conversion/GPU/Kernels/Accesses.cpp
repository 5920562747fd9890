//===- Accesses.cpp - Which bytes the ops of a program touch --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Accesses.h.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"

#include "Conversion/Parallelize/IndependentLoops.h"
#include "Conversion/PostedSends.h"

#include "Soap/Dialect/Soap/SoapCollectives.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

bool mlir::soap::runsOnStream(Operation *op) {
  return isa<ParallelCallOp, LibraryCallOp, memref::CopyOp, SendBufferOp,
             RecvBufferOp, CollectiveBufferOp>(op);
}

bool mlir::soap::isProgram(func::FuncOp function) {
  return function->hasAttr(SoapDialect::kArenaBytes);
}

Value mlir::soap::asRow(OpBuilder &builder, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() <= 1)
    return buffer;
  SmallVector<ReassociationIndices> groups{
      llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))};
  return memref::CollapseShapeOp::create(
      builder, buffer.getLoc(),
      MemRefType::get({type.getNumElements()}, type.getElementType()), buffer,
      groups);
}

/// None for a constant; an error at `op` if the place is not known.
static FailureOr<std::optional<Access>> placeOf(Operation *op, Value buffer,
                                                bool writes) {
  auto type = cast<MemRefType>(buffer.getType());
  Access access;
  access.writes = writes;
  Value root = buffer;
  bool known = type.hasStaticShape();
  while (auto view = root.getDefiningOp<ViewLikeOpInterface>()) {
    if (auto bytes = dyn_cast<memref::ViewOp>(*view)) {
      std::optional<int64_t> shift = getConstantIntValue(bytes.getByteShift());
      known &= shift.has_value();
      access.begin += shift.value_or(0);
    } else if (auto part = dyn_cast<memref::SubViewOp>(*view)) {
      auto [strides, offset] = part.getType().getStridesAndOffset();
      known &= !ShapedType::isDynamic(offset) &&
               part.getSourceType().getLayout().isIdentity();
      access.begin +=
          offset * ((part.getType().getElementTypeBitWidth() + 7) / 8);
    }
    root = view.getViewSource();
  }
  if (root.getDefiningOp<memref::GetGlobalOp>() && !writes)
    return std::optional<Access>();
  auto argument = dyn_cast<BlockArgument>(root);
  if (!known || !argument)
    return op->emitOpError(
        "uses a buffer that is no known part of an argument: expected a "
        "program of --soap-plan-memory");
  access.argument = argument.getArgNumber();
  access.end = access.begin + sizeInBytes(type);
  return std::optional<Access>(access);
}

/// Which buffers a part of a kernel writes.
static SmallVector<bool> writtenBuffers(ParallelCallOp call) {
  SmallVector<bool> written(call.getBuffers().size());
  auto part = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  if (!part || part.isExternal()) {
    written.assign(written.size(), true);
    return written;
  }
  part.walk([&](Operation *op) {
    Value to = writtenBy(op);
    auto argument = dyn_cast_or_null<BlockArgument>(to ? rootBuffer(to) : to);
    if (argument && argument.getOwner() == &part.getBody().front() &&
        argument.getArgNumber() < written.size())
      written[argument.getArgNumber()] = true;
  });
  return written;
}

FailureOr<SmallVector<Access>> mlir::soap::accessesOf(Operation *op) {
  SmallVector<Access> accesses;
  auto add = [&](Value buffer, bool writes) -> LogicalResult {
    FailureOr<std::optional<Access>> access = placeOf(op, buffer, writes);
    if (failed(access))
      return failure();
    if (*access)
      accesses.push_back(**access);
    return success();
  };
  auto addAll = [&](ValueRange buffers, bool writes) {
    return success(llvm::all_of(
        buffers, [&](Value buffer) { return succeeded(add(buffer, writes)); }));
  };
  LogicalResult result =
      llvm::TypeSwitch<Operation *, LogicalResult>(op)
          .Case([&](ParallelCallOp call) -> LogicalResult {
            for (auto [buffer, writes] :
                 llvm::zip(call.getBuffers(), writtenBuffers(call)))
              if (failed(add(buffer, writes)))
                return failure();
            return success();
          })
          .Case([&](LibraryCallOp call) {
            return success(succeeded(addAll(call.getInputs(), false)) &&
                           succeeded(addAll(call.getOutputs(), true)));
          })
          .Case([&](CollectiveBufferOp call) {
            return success(succeeded(addAll(call.getInputs(), false)) &&
                           succeeded(addAll(call.getOutputs(), true)));
          })
          .Case([&](memref::CopyOp copy) {
            return success(succeeded(add(copy.getSource(), false)) &&
                           succeeded(add(copy.getTarget(), true)));
          })
          .Case([&](SendBufferOp send) { return add(send.getTile(), false); })
          .Case([&](RecvBufferOp recv) { return add(recv.getOutput(), true); })
          .Default(success());
  if (failed(result))
    return failure();
  return accesses;
}
