//===- Layouts.cpp - Which images have channels last ----------------------===//
//
// See Layouts.h.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "../Reference/Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

RankedTensorType mlir::soap::channelsLastType(RankedTensorType type) {
  SmallVector<int64_t> shape;
  for (unsigned dim : channelsLastOrder)
    shape.push_back(type.getDimSize(dim));
  return RankedTensorType::get(shape, type.getElementType());
}

bool mlir::soap::layoutsAgree(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  return shape[1] == 1 || shape[2] * shape[3] == 1;
}

namespace {

/// What can have channels last on an op.
struct Images {
  SmallVector<OpOperand *> operands;
  SmallVector<Value> results;
};

bool isImage(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() == 4;
}

/// Repeats along some dims: the same elements in the same order in both
/// layouts, as long as channels and positions are not both there.
bool isOrderedBroadcast(ArrayRef<bool> has) {
  return has.size() == 4 && !(has[1] && (has[2] || has[3]));
}

/// Images of an elementwise op; none if some operand would be in another order.
Images elementwiseImages(Operation *op) {
  Images images;
  if (!isImage(op->getResult(0)))
    return images;
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get().getType() == op->getResult(0).getType())
      images.operands.push_back(&operand);
    else if (!isOrderedBroadcast(operandDims(op, operand.getOperandNumber())))
      return {};
  }
  llvm::append_range(images.results, op->getResults());
  return images;
}

Images imagesOf(Operation *op, bool isLibrary) {
  auto operandsAt = [&](std::initializer_list<unsigned> indices) {
    Images images;
    for (unsigned i : indices)
      images.operands.push_back(&op->getOpOperand(i));
    return images;
  };
  if (isLibrary)
    return llvm::TypeSwitch<Operation *, Images>(op)
        .Case<Conv2DOp, Conv2DInputGradOp>([&](Operation *) {
          Images images = operandsAt({0});
          images.results.push_back(op->getResult(0));
          return images;
        })
        .Case([&](Conv2DWeightGradOp) { return operandsAt({0, 1}); })
        .Default(Images());
  // Updates write over their operands, which are arguments of the program.
  if (isa<SgdOp>(op))
    return {};
  if (isElementwise(op))
    return elementwiseImages(op);
  Images images;
  if (!isa<MaxPool2DOp, MaxPool2DGradOp, AvgPool2DOp, AvgPool2DGradOp, ReduceOp,
           ConcatOp, SliceOp, PadOp>(op))
    return images;
  for (OpOperand &operand : op->getOpOperands())
    if (isImage(operand.get()))
      images.operands.push_back(&operand);
  if (!isa<ReduceOp>(op))
    llvm::append_range(images.results, op->getResults());
  return images;
}

} // namespace

Layouts::Layouts(Block &block, function_ref<bool(Operation *)> isLibrary) {
  llvm::EquivalenceClasses<void *> classes;
  SmallVector<void *> seeds;
  SmallVector<std::pair<Operation *, Images>> ops;
  for (Operation &op : block) {
    if (op.getNumOperands() == 0)
      continue;
    bool library = isLibrary(&op);
    Images images = imagesOf(&op, library);
    if (!llvm::all_of(images.operands,
                      [](OpOperand *o) { return isImage(o->get()); }) ||
        !llvm::all_of(images.results, isImage))
      continue;
    SmallVector<Value> values(images.results);
    for (OpOperand *operand : images.operands)
      values.push_back(operand->get());
    if (values.empty())
      continue;
    for (Value value : values)
      classes.unionSets(values[0].getAsOpaquePointer(),
                        value.getAsOpaquePointer());
    if (library)
      seeds.push_back(values[0].getAsOpaquePointer());
    ops.emplace_back(&op, std::move(images));
  }
  // For one convolution alone, two copies cost more than they gain.
  llvm::DenseMap<void *, unsigned> convolutions;
  for (void *seed : seeds)
    ++convolutions[classes.getLeaderValue(seed)];
  for (auto &[op, images] : ops) {
    Value any =
        images.results.empty() ? images.operands[0]->get() : images.results[0];
    if (convolutions.lookup(classes.getLeaderValue(any.getAsOpaquePointer())) <
        2)
      continue;
    values.insert(images.results.begin(), images.results.end());
    operands.insert(images.operands.begin(), images.operands.end());
  }
}
