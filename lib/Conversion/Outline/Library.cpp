//===- Library.cpp - Which ops the library computes -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptors of convolution and matmul.
//
//===----------------------------------------------------------------------===//

#include "Library.h"

#include "Runtime/Kernels/CpuAttention.h"
#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <bit>
#include <cassert>
#include <type_traits>

using namespace mlir;
using namespace mlir::soap;
using ::soap::runtime::CpuAttentionCall;
using ::soap::runtime::CpuAttentionKind;

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
  assert(d.size() == 18 && "all that the runtime reads, except layouts");
  for (Value image : {x, y}) {
    ImageLayout layout = layouts.held(image);
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == image)
        layout = layouts.read(operand);
    d.push_back(static_cast<int64_t>(layout));
  }
  return d;
}

/// Batch, M, N, K, transpose a, transpose b. None where batches of transposed
/// matrices share b: no single product.
static std::optional<SmallVector<int64_t>> matmulDescriptor(MatmulOp op) {
  ArrayRef<int64_t> a = shapeOf(op.getA()), b = shapeOf(op.getB()),
                    y = shapeOf(op.getY());
  assert(y.size() >= b.size() && b.size() >= 2 &&
         "matrices, and batches of them");
  int64_t batch = llvm::product_of(b.drop_back(2)), m = y[y.size() - 2];
  // Batches with the same b: their rows form one matrix.
  int64_t sharing = llvm::product_of(y.drop_back(2).drop_front(b.size() - 2));
  if (sharing > 1 && op.getTransposeA())
    return std::nullopt;
  m *= sharing;
  int64_t depth = a[a.size() - (op.getTransposeA() ? 2 : 1)];
  return SmallVector<int64_t>{batch,
                              m,
                              y.back(),
                              depth,
                              op.getTransposeA() ? 1 : 0,
                              op.getTransposeB() ? 1 : 0};
}

/// The numbers of `CpuAttentionCall`, of `soap.attention` and its like.
template <typename Op>
static SmallVector<int64_t> attentionDescriptor(Op op, CpuAttentionKind kind) {
  ArrayRef<int64_t> q = shapeOf(op.getQ()), k = shapeOf(op.getK());
  auto bound = [](std::optional<uint64_t> distance) {
    return distance ? static_cast<int64_t>(*distance)
                    : CpuAttentionCall::unbounded;
  };
  auto bits = [](const APFloat &number) {
    return std::bit_cast<int64_t>(number.convertToDouble());
  };
  SmallVector<int64_t> d{static_cast<int64_t>(kind),
                         q[0],
                         q[1],
                         k[1],
                         q[2],
                         k[2],
                         q[3],
                         shapeOf(op.getV()).back(),
                         bits(op.getScale()),
                         bits(op.getSoftcap()),
                         bound(op.getLeft()),
                         bound(op.getRight()),
                         static_cast<int64_t>(op.getOffset())};
  if (Value bias = op.getBias())
    llvm::append_range(d, shapeOf(bias));
  else
    d.append(4, 0);
  d.push_back(op.getQuerySegments() ? 1 : 0);
  if constexpr (std::is_same_v<Op, AttentionGradOp>)
    d.append({op.getDlse() ? 1 : 0, op.getDbias() ? 1 : 0});
  else
    d.append({0, 0});
  assert(d.size() == CpuAttentionCall::numbers && "all that the runtime reads");
  return d;
}

/// Attention by the CPU's library; none of other types than f32 and bf16.
static std::optional<LibraryFunction> attentionFunctionOf(Operation *op) {
  if (!isa<AttentionOp, AttentionPartialOp, AttentionGradOp>(op))
    return std::nullopt;
  Type element =
      cast<RankedTensorType>(op->getOperandTypes()[0]).getElementType();
  if (!element.isF32() && !element.isBF16())
    return std::nullopt;
  StringRef name = element.isF32() ? "attention_f32" : "attention_bf16";
  return llvm::TypeSwitch<Operation *, std::optional<LibraryFunction>>(op)
      .Case([&](AttentionOp of) -> std::optional<LibraryFunction> {
        return {{name, attentionDescriptor(of, CpuAttentionKind::Forward)}};
      })
      .Case([&](AttentionPartialOp of) -> std::optional<LibraryFunction> {
        return {{name, attentionDescriptor(of, CpuAttentionKind::Partial)}};
      })
      .Case([&](AttentionGradOp of) -> std::optional<LibraryFunction> {
        return {{name, attentionDescriptor(of, CpuAttentionKind::Gradient)}};
      })
      .Default(std::nullopt);
}

/// Whether there is an image, and windows that the padded image has: paddings
/// may differ between sides, and crop.
static bool isCudaConv(ArrayRef<int64_t> d) {
  assert(d.size() >= 18 && "a descriptor of a convolution");
  for (size_t i : {0, 1}) {
    int64_t size = d[3 + i], result = d[6 + i], kernel = d[8 + i],
            stride = d[10 + i], dilation = d[12 + i];
    int64_t padded = size + d[14 + i] + d[16 + i];
    int64_t room = padded - ((kernel - 1) * dilation + 1);
    if (size < 1 || result < 1 || room < 0 || room / stride + 1 != result)
      return false;
  }
  return true;
}

std::optional<LibraryOptions> mlir::soap::cudaOptions(ModuleOp module,
                                                      StringRef precision,
                                                      int64_t workspace) {
  auto resolved = resolvePrecision(module, precision);
  if (!resolved)
    return std::nullopt;
  constexpr int64_t most = int64_t(1) << 20;
  if (workspace < 0 || workspace > most) {
    module.emitError("expected a workspace of 0 to ")
        << most << " MiB, got " << workspace;
    return std::nullopt;
  }
  bool isTf32 = *resolved == ::soap::ProductPrecision::TF32;
  return LibraryOptions{Library::Cuda, isTf32, workspace << 20};
}

/// The data that libraries split and reorder are as large as what they read and
/// write, some times over.
static int64_t workspaceOf(Operation *op, LibraryOptions options) {
  constexpr int64_t times = 4, least = int64_t(1) << 16;
  int64_t bytes = 0;
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    bytes += cast<RankedTensorType>(type).getNumElements() *
             (cast<RankedTensorType>(type).getElementTypeBitWidth() / 8);
  return std::min(options.workspace, std::max(least, times * bytes));
}

std::optional<LibraryFunction>
mlir::soap::libraryFunctionOf(Operation *op, LibraryOptions options,
                              const Layouts &layouts) {
  using Result = std::optional<LibraryFunction>;
  if (options.library == Library::OneDnn)
    if (Result attention = attentionFunctionOf(op))
      return attention;
  if (options.library == Library::None ||
      !isa<Conv2DOp, Conv2DInputGradOp, Conv2DWeightGradOp, MatmulOp>(op))
    return std::nullopt;
  bool isCuda = options.library == Library::Cuda;
  auto elementOf = [](Type type) {
    return cast<RankedTensorType>(type).getElementType();
  };
  Type element = elementOf(op->getOperandTypes()[0]),
       result = elementOf(op->getResultTypes()[0]);
  auto hasElement = [&](Type type) { return elementOf(type) == element; };
  bool isNarrow = element.isBF16() && !isCuda;
  bool isWideSum = isNarrow && result.isF32() && isa<MatmulOp>(op);
  if (result != element && !isWideSum)
    return std::nullopt;
  if (!(element.isF32() || isNarrow) ||
      !llvm::all_of(op->getOperandTypes(), hasElement))
    return std::nullopt;
  int64_t precision = options.tf32 ? 1 : 0;
  enum Kind : int64_t { Forward, InputGrad, WeightGrad };
  auto named = [&](StringRef wide, StringRef narrow) {
    return isNarrow ? narrow : wide;
  };
  auto convolution = [&](StringRef name, Kind kind,
                         SmallVector<int64_t> descriptor) -> Result {
    if (!isCuda)
      return {{name, descriptor}};
    if (!isCudaConv(descriptor))
      return std::nullopt;
    int64_t workspace = workspaceOf(op, options);
    descriptor.append({kind, precision, workspace, /*epilogue=*/0});
    return {{"conv2d", descriptor, workspace}};
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](Conv2DOp conv) -> Result {
        return convolution(named("conv2d_f32", "conv2d_bf16"), Forward,
                           convDescriptor(conv, conv.getX(), conv.getW(),
                                          conv.getY(), layouts));
      })
      .Case([&](Conv2DInputGradOp conv) -> Result {
        return convolution(
            named("conv2d_input_grad_f32", "conv2d_input_grad_bf16"), InputGrad,
            convDescriptor(conv, conv.getDx(), conv.getW(), conv.getDy(),
                           layouts));
      })
      .Case([&](Conv2DWeightGradOp conv) -> Result {
        return convolution(
            named("conv2d_weight_grad_f32", "conv2d_weight_grad_bf16"),
            WeightGrad,
            convDescriptor(conv, conv.getX(), conv.getDw(), conv.getDy(),
                           layouts));
      })
      .Case([&](MatmulOp matmul) -> Result {
        auto descriptor = matmulDescriptor(matmul);
        if (!descriptor)
          return std::nullopt;
        if (!isCuda)
          return {{isWideSum ? "matmul_bf16_f32"
                             : named("matmul_f32", "matmul_bf16"),
                   *descriptor}};
        int64_t workspace = workspaceOf(op, options);
        descriptor->append(
            {precision, /*narrow=*/0, /*epilogue=*/0, workspace});
        return {{"matmul", *descriptor, workspace}};
      })
      .Default(std::nullopt);
}
