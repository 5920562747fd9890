//===- Layouts.h - Which images have channels last --------------*- C++ -*-===//
//
// Layout assignment of one program, before its ops become calls. Convolutions
// of the library are fastest on images with channels last (NHWC); everything
// that is connected to one, and whose kernel takes either layout, follows, so
// that copies between layouts are few. Tensors that leave the program (its
// arguments and results, what is sent and received) are NCHW.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_LAYOUTS_H
#define SOAP_LIB_CONVERSION_OUTLINE_LAYOUTS_H

#include "mlir/IR/Block.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::soap {

class Layouts {
public:
  /// All tensors as the model has them.
  Layouts() = default;
  /// Decides for the ops of `block`; those for which `isLibrary` holds are
  /// library calls.
  Layouts(Block &block, function_ref<bool(Operation *)> isLibrary);

  /// The program holds `value`, a result of an op, with channels last.
  bool isChannelsLast(Value value) const { return values.contains(value); }
  /// `op` reads the operand with channels last.
  bool readsChannelsLast(OpOperand &operand) const {
    return operands.contains(&operand);
  }

private:
  llvm::DenseSet<Value> values;
  llvm::DenseSet<OpOperand *> operands;
};

/// [N, C, H, W] as the buffer with channels last has it: [N, H, W, C].
RankedTensorType channelsLastType(RankedTensorType type);
/// Both layouts of `type` have all elements in the same order.
bool layoutsAgree(RankedTensorType type);

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_LAYOUTS_H
