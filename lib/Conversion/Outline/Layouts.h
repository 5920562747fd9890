//===- Layouts.h - How a program holds its images ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layout assignment of one program, before its ops become calls. Convolutions
// of the library are fastest on images in blocks of channels, and faster with
// channels last (NHWC) than with channels first; everything that is connected
// to one, and whose kernel takes any layout, follows, so that copies between
// layouts are few. Tensors that leave the program (its arguments and results,
// what is sent and received) are NCHW.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_LAYOUTS_H
#define SOAP_LIB_CONVERSION_OUTLINE_LAYOUTS_H

#include "../Reference/KernelBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::soap {

/// The layouts that images may get.
struct LayoutRules {
  /// Images that cannot have it, because their channels are no multiple of its
  /// blocks, have channels last.
  ImageLayout preferred = ImageLayout::ChannelsFirst;
  /// As for kernels of GPUs: norms over batches take any layout, too, and
  /// elementwise ops may change the type of elements.
  bool gpu = false;
};

class Layouts {
public:
  /// All tensors as the model has them.
  Layouts() = default;
  /// Decides for the ops of `block` that are not in `fixed`; those for which
  /// `isLibrary` holds are library calls.
  Layouts(Block &block, function_ref<bool(Operation *)> isLibrary,
          LayoutRules rules, const llvm::DenseSet<Operation *> &fixed);
  /// The layouts that `soap.layouts` of the ops of `block` name.
  static Layouts ofAttributes(Block &block);
  /// Writes them: of each op that has an image in another layout than NCHW a
  /// name for each operand, then for each result.
  void writeAttributes(Block &block) const;

  /// Sums of tiles, which read any layout element by element, read their tiles
  /// as they are held.
  void readSumsAsHeld(Block &block);

  /// How the program holds `value`, a result of an op.
  ImageLayout held(Value value) const { return values.lookup(value); }
  /// How `op` reads the operand.
  ImageLayout read(OpOperand &operand) const {
    return operands.lookup(&operand);
  }
  void setHeld(Value value, ImageLayout layout) { values[value] = layout; }
  void setRead(OpOperand &operand, ImageLayout layout) {
    operands[&operand] = layout;
  }

private:
  llvm::DenseMap<Value, ImageLayout> values;
  llvm::DenseMap<OpOperand *, ImageLayout> operands;
};

/// Layouts of all programs of a module, in their order. An op of the model that
/// several programs compute, shards or replicas of it, has the same layouts in
/// all of them: sums in another order would make replicas differ.
SmallVector<Layouts> assignLayouts(ModuleOp module,
                                   ArrayRef<func::FuncOp> programs,
                                   function_ref<bool(Operation *)> isLibrary,
                                   LayoutRules rules);

/// The layout named `nchw`, `nhwc`, `nchw8c` or `nchw16c`; `auto` is the one
/// whose blocks fill a vector register of this machine. None for other names.
std::optional<ImageLayout> parseLayout(StringRef name);
StringRef layoutName(ImageLayout layout);

/// [N, C, H, W] as the buffer has it.
RankedTensorType bufferType(RankedTensorType type, ImageLayout layout);
/// Both layouts of `type` have all elements in the same order.
bool layoutsAgree(RankedTensorType type, ImageLayout a, ImageLayout b);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_LAYOUTS_H
