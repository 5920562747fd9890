//===- CallImageOps.cpp - Pooling and norms become library calls ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: finds pooling and norms over batches that cuDNN computes as the op
// says, drops what not all programs do alike, and makes calls of the rest. A
// pass of its own beside that of products, as it is an option per kind of op,
// and a norm's gradient depends on what became of the norm.
//
//===----------------------------------------------------------------------===//

#include "../Outline/KernelTable.h"
#include "../Outline/Library.h"
#include "../Outline/SlotNames.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Runtime/Kernels/ImageCalls.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <set>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPCALLIMAGEOPS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

using ::soap::runtime::PoolKind;

RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// All in f32, and none empty.
bool hasPlainTensors(Operation *op) {
  auto isPlain = [](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.getElementType().isF32() && tensor.getNumElements() > 0;
  };
  return llvm::all_of(op->getOperandTypes(), isPlain) &&
         llvm::all_of(op->getResultTypes(), isPlain);
}

/// Whether the images of an op have channels last; none if they do not lie
/// alike.
std::optional<bool> channelsLast(Operation *op) {
  auto names = op->getAttrOfType<ArrayAttr>(kLayouts);
  if (!names)
    return false;
  std::optional<TensorLayout> layout;
  SmallVector<Value> values(op->getOperands());
  llvm::append_range(values, op->getResults());
  for (auto [value, name] : llvm::zip(values, names)) {
    if (typeOf(value).getRank() != 4)
      continue;
    auto own = enumValue<TensorLayoutAttr>(name);
    if (!own || (layout && *layout != *own))
      return std::nullopt;
    layout = own;
  }
  if (!layout)
    return std::nullopt;
  return *layout == TensorLayout::NHWC;
}

//===----------------------------------------------------------------------===//
// Pooling
//===----------------------------------------------------------------------===//

/// A dim of a pooling's images: windows `o * stride - padding` up to `+
/// kernel`, `results` of them.
struct Windows {
  int64_t extent, results, kernel, stride, padding;

  template <typename Op>
  Windows(Op op, Value x, Value y, size_t i)
      : extent(typeOf(x).getDimSize(2 + i)),
        results(typeOf(y).getDimSize(2 + i)), kernel(op.getKernel()[i]),
        stride(op.getStrides()[i]), padding(op.getPadding()[i]) {}

  /// Where the last window ends.
  int64_t end() const { return (results - 1) * stride - padding + kernel; }
  /// As many as fit in the image with the same padding on both sides, all of
  /// which meet the image.
  bool fill() const {
    int64_t room = extent + 2 * padding - kernel;
    return padding >= 0 && padding < kernel && room >= 0 &&
           room / stride + 1 == results;
  }
};

/// Which elements of windows an average counts; none: neither all nor those
/// inside of the image.
template <typename Op>
std::optional<PoolKind> averageOf(Op op, ArrayRef<Windows> dims) {
  bool all = true, inside = true;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    int64_t low = 0, size = dim.extent;
    if (op.getCountLow() && op.getCountSize()) {
      low = (*op.getCountLow())[i];
      size = (*op.getCountSize())[i];
    } else if (op.getCountIncludePad()) {
      low = -dim.padding;
      size = dim.extent + dim.padding + op.getPadding()[i + 2];
    }
    all &= low <= -dim.padding && low + size >= dim.end();
    inside &= low == 0 && size == dim.extent;
  }
  if (all)
    return PoolKind::AverageOfAll;
  return inside ? std::optional(PoolKind::AverageOfInside) : std::nullopt;
}

/// The numbers of `soap_rt_pool2d`; none where cuDNN does not compute this.
template <typename Op, typename KindOf>
std::optional<SmallVector<int64_t>> poolDescriptor(Op op, Value x, Value y,
                                                   KindOf kindOf) {
  const Windows dims[] = {{op, x, y, 0}, {op, x, y, 1}};
  std::optional<bool> isLast = channelsLast(op);
  if (!isLast || !dims[0].fill() || !dims[1].fill() ||
      llvm::any_of(op.getDilations(), [](int64_t step) { return step != 1; }))
    return std::nullopt;
  std::optional<PoolKind> kind = kindOf(ArrayRef(dims));
  if (!kind)
    return std::nullopt;
  SmallVector<int64_t> d(typeOf(x).getShape());
  llvm::append_range(d, typeOf(y).getShape().drop_front(2));
  llvm::append_range(d, op.getKernel());
  llvm::append_range(d, op.getStrides());
  d.append({dims[0].padding, dims[1].padding, *isLast ? 1 : 0,
            static_cast<int64_t>(*kind), x == op->getResult(0) ? 1 : 0});
  return d;
}

std::optional<SmallVector<int64_t>> poolDescriptorOf(Operation *op,
                                                     bool maximumGrads) {
  using Result = std::optional<SmallVector<int64_t>>;
  auto maximum = [](ArrayRef<Windows>) { return std::optional(PoolKind::Max); };
  auto average = [&](auto pool) {
    return [pool](ArrayRef<Windows> dims) { return averageOf(pool, dims); };
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](MaxPool2DOp pool) {
        return poolDescriptor(pool, pool.getX(), pool.getY(), maximum);
      })
      .Case([&](AvgPool2DOp pool) {
        return poolDescriptor(pool, pool.getX(), pool.getY(), average(pool));
      })
      .Case([&](AvgPool2DGradOp pool) {
        return poolDescriptor(pool, pool.getDx(), pool.getDy(), average(pool));
      })
      .Case([&](MaxPool2DGradOp pool) -> Result {
        // A shard reads more of x than it has of dx.
        bool isWhole = pool.getX().getType() == pool.getDx().getType() &&
                       llvm::all_of(pool.getXOffset(),
                                    [](int64_t offset) { return offset == 0; });
        if (!maximumGrads || !isWhole)
          return std::nullopt;
        return poolDescriptor(pool, pool.getDx(), pool.getDy(), maximum);
      })
      .Default(std::nullopt);
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// The numbers of `soap_rt_batch_norm` without the workspace.
std::optional<SmallVector<int64_t>>
normDescriptor(Operation *op, Value x, const APFloat &epsilon, bool isGrad) {
  ArrayRef<int64_t> shape = typeOf(x).getShape();
  std::optional<bool> isLast = channelsLast(op);
  if (!isLast || shape.size() > 4)
    return std::nullopt;
  SmallVector<int64_t> d(shape);
  d.resize(4, 1);
  d.append({*isLast ? 1 : 0, isGrad ? 1 : 0,
            llvm::bit_cast<int64_t>(epsilon.convertToDouble())});
  return d;
}

/// Whether the elements of a channel lie in rows: kernels then read the image
/// once more than the library does. Where channels lie side by side, they read
/// it as often.
bool hasChannelsFirst(BatchNormTrainOp norm) {
  ArrayRef<int64_t> inner = typeOf(norm.getX()).getShape().drop_front(2);
  return channelsLast(norm) == false && ShapedType::getNumElements(inner) > 1;
}

/// The norm that has made the statistics of a gradient, of the same epsilon.
BatchNormTrainOp normOf(BatchNormGradOp grad) {
  auto norm = grad.getStats().getDefiningOp<BatchNormTrainOp>();
  return norm && norm.getStats() == grad.getStats() &&
                 norm.getEpsilon().bitwiseIsEqual(grad.getEpsilon())
             ? norm
             : BatchNormTrainOp();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The calls that the ops of all programs may become.
class Candidates {
public:
  explicit Candidates(ModuleOp module) : names(module) {}

  /// To be called for every op of its kind; null: it stays.
  void add(func::FuncOp program, Operation *op,
           std::optional<SmallVector<int64_t>> descriptor) {
    for (StringRef name : names.of(program, op))
      outcomes[{name, op->getName().getStringRef()}].insert(
          descriptor.has_value());
    if (descriptor)
      descriptors[op] = std::move(*descriptor);
  }

  /// Its descriptor, if all programs have one for this op of the model.
  const SmallVector<int64_t> *find(func::FuncOp program, Operation *op) const {
    auto found = descriptors.find(op);
    if (found == descriptors.end())
      return nullptr;
    for (StringRef name : names.of(program, op))
      if (outcomes.at({name, op->getName().getStringRef()}).size() > 1)
        return nullptr;
    return &found->second;
  }

private:
  SlotNames names;
  std::map<std::pair<StringRef, StringRef>, std::set<bool>> outcomes;
  llvm::DenseMap<Operation *, SmallVector<int64_t>> descriptors;
};

/// Makes the calls of one module.
class Rewriter {
public:
  /// Calls of norms have `workspace` bytes.
  Rewriter(ModuleOp module, int64_t workspace)
      : kernels(module, /*fast=*/true, /*forThreads=*/true),
        builder(module.getContext()), workspace(workspace) {}

  void replacePooling(Operation *op, ArrayRef<int64_t> descriptor) {
    LibraryCallOp call = create(op, "pool2d", descriptor, op->getOperands(),
                                llvm::to_vector(op->getResultTypes()));
    op->getResult(0).replaceAllUsesWith(call.getValues()[0]);
    op->erase();
  }

  /// The norm, its gradients and `updates`, which read what cuDNN keeps. Other
  /// readers of the statistics have them from a kernel.
  LogicalResult
  replaceNorm(BatchNormTrainOp norm, ArrayRef<int64_t> descriptor,
              ArrayRef<std::pair<BatchNormGradOp, ArrayRef<int64_t>>> grads,
              ArrayRef<RunningStatsUpdateOp> updates) {
    auto stats = typeOf(norm.getStats());
    auto row =
        RankedTensorType::get({stats.getDimSize(1)}, stats.getElementType());
    LibraryCallOp call = createNorm(norm, descriptor, norm->getOperands(),
                                    {norm.getY().getType(), row, row});
    ValueRange kept = call.getValues().slice(1, 2);
    for (auto [grad, numbers] : grads)
      replaceGrad(grad, numbers, kept);
    for (RunningStatsUpdateOp update : updates)
      if (failed(replaceUpdate(update, norm, kept)))
        return failure();
    norm.getY().replaceAllUsesWith(call.getValues()[0]);
    if (!norm.getStats().use_empty()) {
      FailureOr<FlatSymbolRefAttr> kernel =
          kernels.momentsKernel(norm.getLoc(), stats, countOf(norm),
                                norm.getEpsilon().convertToDouble());
      if (failed(kernel))
        return failure();
      builder.setInsertionPointAfter(call);
      auto moments = KernelCallOp::create(
          builder, norm.getLoc(), TypeRange{stats}, kernel->getValue(), kept,
          createEmpty(norm.getLoc(), stats), /*in_place=*/false,
          /*elementwise=*/false);
      copySlot(norm, moments);
      norm.getStats().replaceAllUsesWith(moments.getValues()[0]);
    }
    norm->erase();
    return success();
  }

private:
  KernelTable kernels;
  OpBuilder builder;
  const int64_t workspace;

  void replaceGrad(BatchNormGradOp grad, ArrayRef<int64_t> descriptor,
                   ValueRange kept) {
    LibraryCallOp call = createNorm(
        grad, descriptor,
        {grad.getDy(), grad.getX(), kept[0], kept[1], grad.getGamma()},
        llvm::to_vector(grad->getResultTypes()));
    grad->replaceAllUsesWith(call.getValues().take_front(3));
    grad->erase();
  }

  static int64_t countOf(BatchNormTrainOp norm) {
    RankedTensorType x = typeOf(norm.getX());
    return x.getNumElements() / x.getDimSize(1);
  }

  /// In place, as the op itself is.
  LogicalResult replaceUpdate(RunningStatsUpdateOp update,
                              BatchNormTrainOp norm, ValueRange kept) {
    FailureOr<FlatSymbolRefAttr> kernel = kernels.runningStatsKernel(
        update.getLoc(), typeOf(update.getMean()), countOf(norm),
        norm.getEpsilon().convertToDouble(),
        update.getMomentum().convertToDouble());
    if (failed(kernel))
      return failure();
    builder.setInsertionPoint(update);
    auto call = KernelCallOp::create(
        builder, update.getLoc(), update->getResultTypes(), kernel->getValue(),
        kept, ValueRange{update.getMean(), update.getVar()},
        /*in_place=*/true, /*elementwise=*/false);
    copySlot(update, call);
    update->replaceAllUsesWith(call.getValues());
    update->erase();
    return success();
  }

  static void copySlot(Operation *from, Operation *to) {
    if (Attribute slot = from->getAttr(SoapDialect::kSlot))
      to->setAttr(SoapDialect::kSlot, slot);
  }

  Value createEmpty(Location loc, RankedTensorType type) {
    return tensor::EmptyOp::create(builder, loc, type.getShape(),
                                   type.getElementType());
  }

  LibraryCallOp createNorm(Operation *op, ArrayRef<int64_t> descriptor,
                           ValueRange inputs, SmallVector<Type> types) {
    SmallVector<int64_t> numbers(descriptor);
    numbers.push_back(workspace);
    if (workspace > 0)
      types.push_back(
          RankedTensorType::get({workspace}, builder.getIntegerType(8)));
    return create(op, "batch_norm", numbers, inputs, types);
  }

  /// A call in the place of `op`, whose images lie as the images of `op`.
  LibraryCallOp create(Operation *op, StringRef name,
                       ArrayRef<int64_t> descriptor, ValueRange inputs,
                       ArrayRef<Type> types) {
    builder.setInsertionPoint(op);
    SmallVector<Value> outputs;
    for (Type type : types)
      outputs.push_back(
          createEmpty(op->getLoc(), cast<RankedTensorType>(type)));
    auto call = LibraryCallOp::create(builder, op->getLoc(), types, name,
                                      descriptor, inputs, outputs);
    copySlot(op, call);
    if (channelsLast(op).value_or(false)) {
      SmallVector<Attribute> names;
      auto add = [&](Value value) {
        names.push_back(TensorLayoutAttr::get(builder.getContext(),
                                              typeOf(value).getRank() == 4
                                                  ? TensorLayout::NHWC
                                                  : TensorLayout::NCHW));
      };
      llvm::for_each(call->getOperands(), add);
      llvm::for_each(call->getResults(), add);
      call->setAttr(kLayouts, builder.getArrayAttr(names));
    }
    return call;
  }
};

struct CallImageOpsPass
    : public mlir::soap::impl::SoapCallImageOpsBase<CallImageOpsPass> {
  using SoapCallImageOpsBase::SoapCallImageOpsBase;

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    if (pooling != "none" && pooling != "exact" && pooling != "all") {
      module.emitError("unknown pooling '")
          << pooling << "': expected none, exact or all";
      return signalPassFailure();
    }
    if (norms != "true" && norms != "false" && norms != "auto") {
      module.emitError("unknown norms '")
          << norms << "': expected true, false or auto";
      return signalPassFailure();
    }
    if (!cudaOptions(module, /*precision=*/"", workspace))
      return signalPassFailure();
    SmallVector<func::FuncOp> programs;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock())
        programs.push_back(function);
    if (pooling != "none")
      callPooling(module, programs);
    if (norms != "false" && failed(callNorms(module, programs)))
      signalPassFailure();
  }

private:
  void callPooling(ModuleOp module, ArrayRef<func::FuncOp> programs) {
    Candidates candidates(module);
    auto forEach = [&](auto body) {
      for (func::FuncOp program : programs)
        for (Operation &op :
             llvm::make_early_inc_range(program.getBody().front()))
          if (isa<MaxPool2DOp, MaxPool2DGradOp, AvgPool2DOp, AvgPool2DGradOp>(
                  op))
            body(program, &op);
    };
    forEach([&](func::FuncOp program, Operation *op) {
      candidates.add(program, op,
                     hasPlainTensors(op)
                         ? poolDescriptorOf(op, pooling == "all")
                         : std::nullopt);
    });
    Rewriter rewriter(module, /*workspace=*/0);
    forEach([&](func::FuncOp program, Operation *op) {
      if (const auto *descriptor = candidates.find(program, op)) {
        rewriter.replacePooling(op, *descriptor);
        addTo(poolings);
      }
    });
  }

  LogicalResult callNorms(ModuleOp module, ArrayRef<func::FuncOp> programs) {
    Candidates trained(module), differentiated(module), averaged(module);
    for (func::FuncOp program : programs)
      for (auto norm : program.getBody().front().getOps<BatchNormTrainOp>())
        trained.add(program, norm,
                    // The library has no groups of samples.
                    norm.getGroups() == 1 && hasPlainTensors(norm) &&
                            (norms == "true" || hasChannelsFirst(norm))
                        ? normDescriptor(norm, norm.getX(), norm.getEpsilon(),
                                         /*isGrad=*/false)
                        : std::nullopt);
    for (func::FuncOp program : programs)
      for (auto grad : program.getBody().front().getOps<BatchNormGradOp>()) {
        BatchNormTrainOp norm = normOf(grad);
        differentiated.add(
            program, grad,
            norm && hasPlainTensors(grad) && trained.find(program, norm)
                ? normDescriptor(grad, grad.getX(), grad.getEpsilon(),
                                 /*isGrad=*/true)
                : std::nullopt);
      }
    for (func::FuncOp program : programs)
      for (auto update :
           program.getBody().front().getOps<RunningStatsUpdateOp>()) {
        auto norm = update.getStats().getDefiningOp<BatchNormTrainOp>();
        bool isRead = norm && hasPlainTensors(update) &&
                      update.getMean() != update.getVar() &&
                      trained.find(program, norm);
        averaged.add(program, update,
                     isRead ? std::optional(SmallVector<int64_t>())
                            : std::nullopt);
      }
    // The bytes that engines which keep images between passes share among their
    // blocks.
    constexpr int64_t most = int64_t(4) << 20;
    Rewriter rewriter(module, std::min(most, workspace << 20));
    for (func::FuncOp program : programs) {
      SmallVector<BatchNormTrainOp> all =
          llvm::to_vector(program.getBody().front().getOps<BatchNormTrainOp>());
      for (BatchNormTrainOp norm : all) {
        const auto *descriptor = trained.find(program, norm);
        if (!descriptor)
          continue;
        SmallVector<std::pair<BatchNormGradOp, ArrayRef<int64_t>>> grads;
        SmallVector<RunningStatsUpdateOp> updates;
        for (Operation *user : norm.getStats().getUsers()) {
          if (auto grad = dyn_cast<BatchNormGradOp>(user);
              grad && normOf(grad) == norm)
            if (const auto *numbers = differentiated.find(program, grad))
              grads.emplace_back(grad, *numbers);
          if (auto update = dyn_cast<RunningStatsUpdateOp>(user);
              update && averaged.find(program, update))
            updates.push_back(update);
        }
        addTo(normCalls, 1 + static_cast<int64_t>(grads.size()));
        if (failed(rewriter.replaceNorm(norm, *descriptor, grads, updates)))
          return failure();
      }
    }
    return success();
  }
};

} // namespace
