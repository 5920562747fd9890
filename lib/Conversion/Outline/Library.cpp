//===- Library.cpp - Which ops the library computes -----------------------===//
//
// Descriptors of convolution and matmul.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// N, groups, C per group, H, W, O per group, OH, OW, KH, KW, strides,
/// dilations, padding, layouts of x and y.
template <typename Op>
static SmallVector<int64_t> convDescriptor(Op op, Value x, Value w, Value y,
                                           const Layouts &layouts) {
  int64_t groups = op.getGroups();
  ArrayRef<int64_t> image = shapeOf(x), kernel = shapeOf(w),
                    result = shapeOf(y);
  SmallVector<int64_t> d{
      image[0],           groups,    kernel[1], image[2],  image[3],
      kernel[0] / groups, result[2], result[3], kernel[2], kernel[3]};
  llvm::append_range(d, op.getStrides());
  llvm::append_range(d, op.getDilations());
  llvm::append_range(d, op.getPadding());
  // Shards of gradients say nothing about the far ends: what the windows need.
  for (size_t i : {0, 1}) {
    int64_t span = (kernel[2 + i] - 1) * op.getDilations()[i] + 1;
    int64_t stride = op.getStrides()[i];
    int64_t before = op.getPadding()[i], after = op.getPadding()[i + 2];
    int64_t room = image[2 + i] + before + after - span;
    if (room < 0 || room / stride + 1 != result[2 + i])
      d[16 + i] = (result[2 + i] - 1) * stride + span - image[2 + i] - before;
  }
  for (Value image : {x, y}) {
    ImageLayout layout = layouts.held(image);
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == image)
        layout = layouts.read(operand);
    d.push_back(static_cast<int64_t>(layout));
  }
  return d;
}

/// Batch, M, N, K, transpose a, transpose b. None where b is shared by batches
/// of transposed matrices: no single product.
static std::optional<SmallVector<int64_t>> matmulDescriptor(MatmulOp op) {
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB()),
                    y = shapeOf(op.getY());
  int64_t batch = 1, m = y[y.size() - 2];
  for (int64_t extent : y.drop_back(2))
    batch *= extent;
  if (b.size() < a.size() && batch > 1) {
    if (op.getTransposeA())
      return std::nullopt;
    // All batches have the same b: their rows form one matrix.
    m *= batch;
    batch = 1;
  }
  int64_t depth = a[a.size() - (op.getTransposeA() ? 2 : 1)];
  return SmallVector<int64_t>{batch,
                              m,
                              y.back(),
                              depth,
                              op.getTransposeA() ? 1 : 0,
                              op.getTransposeB() ? 1 : 0};
}

/// cuDNN pads both sides alike, by what is not negative, and makes as many
/// results as windows fit.
static bool isCudaConv(ArrayRef<int64_t> d) {
  for (size_t i : {0, 1}) {
    int64_t size = d[3 + i], result = d[6 + i], kernel = d[8 + i],
            stride = d[10 + i], dilation = d[12 + i], padding = d[14 + i];
    int64_t room = size + 2 * padding - ((kernel - 1) * dilation + 1);
    if (padding < 0 || room < 0 || room / stride + 1 != result)
      return false;
  }
  return true;
}

std::optional<LibraryFunction>
mlir::soap::libraryFunctionOf(Operation *op, Library library,
                              const Layouts &layouts) {
  auto isF32 = [](Type type) {
    return cast<RankedTensorType>(type).getElementType().isF32();
  };
  using Result = std::optional<LibraryFunction>;
  if (library == Library::None ||
      !isa<Conv2DOp, Conv2DInputGradOp, Conv2DWeightGradOp, MatmulOp>(op) ||
      !llvm::all_of(op->getOperandTypes(), isF32) ||
      !llvm::all_of(op->getResultTypes(), isF32))
    return std::nullopt;
  auto convolution = [&](StringRef name,
                         SmallVector<int64_t> descriptor) -> Result {
    if (library == Library::Cuda && !isCudaConv(descriptor))
      return std::nullopt;
    return {{name, descriptor}};
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](Conv2DOp conv) -> Result {
        return convolution("conv2d_f32",
                           convDescriptor(conv, conv.getX(), conv.getW(),
                                          conv.getY(), layouts));
      })
      .Case([&](Conv2DInputGradOp conv) -> Result {
        return convolution("conv2d_input_grad_f32",
                           convDescriptor(conv, conv.getDx(), conv.getW(),
                                          conv.getDy(), layouts));
      })
      .Case([&](Conv2DWeightGradOp conv) -> Result {
        return convolution("conv2d_weight_grad_f32",
                           convDescriptor(conv, conv.getX(), conv.getDw(),
                                          conv.getDy(), layouts));
      })
      .Case([](MatmulOp matmul) -> Result {
        if (auto descriptor = matmulDescriptor(matmul))
          return {{"matmul_f32", *descriptor}};
        return std::nullopt;
      })
      .Default(std::nullopt);
}
