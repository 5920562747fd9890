//===- CallProducts.cpp - Products with what is around them ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: finds per product what it can read in bf16, and what cuBLASLt or
// cuDNN can do before the result is written; drops what not all programs do
// alike, and makes one call of the rest.
//
//===----------------------------------------------------------------------===//

#include "../Outline/ExpandRecurrences.h"
#include "../Outline/Library.h"
#include "../Outline/SlotNames.h"
#include "NarrowValues.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Runtime/Kernels/LibraryCalls.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

#include <array>
#include <map>
#include <set>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPCALLPRODUCTS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

using ::soap::runtime::Epilogue;
using enum ::soap::runtime::Epilogue;

/// Places in the descriptor of `soap_rt_matmul`.
enum Place { Batch, M, N, K, TransposeA, TransposeB, Precision, Narrow, Kind };
/// And in that of `soap_rt_conv2d`.
constexpr size_t convPrecision = 21, convEpilogue = 23;

/// Whether all readers of a value stand behind `place`, or are it.
bool isReadBehind(Value value, Operation *place) {
  return llvm::all_of(value.getUsers(), [&](Operation *user) {
    return user == place || place->isBeforeInBlock(user);
  });
}

/// The first op in program order that reads a value; null: none does.
Operation *firstReader(Value value) {
  Operation *first = nullptr;
  for (Operation *user : value.getUsers())
    if (!first || user->isBeforeInBlock(first))
      first = user;
  return first;
}

/// Whether nothing but casts to bf16 reads it, and perhaps `sums`.
bool isReadAsNarrow(Value value, const llvm::DenseSet<Operation *> &sums = {}) {
  bool isCast = false;
  for (Operation *user : value.getUsers()) {
    auto cast = dyn_cast<CastOp>(user);
    bool narrows = cast && typeOf(cast.getY()).getElementType().isBF16();
    if (!narrows && !sums.contains(user))
      return false;
    isCast |= narrows;
  }
  return isCast;
}

/// The layout of an image that a list of an op has at `place`.
TensorLayout layoutAt(Operation *op, size_t place) {
  auto names = op->getAttrOfType<ArrayAttr>(kLayouts);
  return names ? enumValue<TensorLayoutAttr>(names[place])
                     .value_or(TensorLayout::NCHW)
               : TensorLayout::NCHW;
}

/// A product and the ops that become part of it.
struct Candidate {
  Operation *product;
  LibraryFunction function;
  Epilogue kind = None;
  SmallVector<Operation *> others = {}; ///< in program order
  Value result = {};                    ///< what the call's first result is
  Value second = {};                    ///< what its second result is, or null
  bool readsNarrow = false, writesNarrow = false;
  /// Operands are numbers of f16: tensor cores multiply them as tf32, exactly.
  bool readsHalf = false;
  /// Whose second operand is that of the epilogue: a bias, what gelu was taken
  /// of, or what relu became.
  Operation *reader = nullptr;

  Value third() const {
    return ::soap::runtime::hasThirdOperand(kind) ? reader->getOperand(1)
                                                  : Value();
  }
  bool isWorthIt() const { return kind != None || readsNarrow || readsHalf; }
  /// The properties on which programs have to agree.
  std::array<int64_t, 3> outcome() const {
    return {static_cast<int64_t>(kind), readsNarrow + 2 * readsHalf,
            writesNarrow};
  }
  /// The op in front of which the call stands: the product, so that it reads a
  /// weight before its update, unless the epilogue reads what is made later, or
  /// the gradient of a bias is read before.
  Operation *place() const {
    if (isMovedForward())
      return firstReader(second);
    Value operand = third();
    Operation *maker = operand ? operand.getDefiningOp() : nullptr;
    return maker && product->isBeforeInBlock(maker) ? others.back() : product;
  }
  /// The op whose slot of the program is the call's.
  Operation *task() const {
    return isMovedForward() ? others.front() : place();
  }
  bool isMovedForward() const {
    return ::soap::runtime::isBiasGrad(kind) && !isReadBehind(second, product);
  }
};

class Search {
public:
  Search(Block &block, bool convEpilogues) : convEpilogues(convEpilogues) {
    unsigned segment = 0;
    for (Operation &op : block) {
      segment += isa<SendOp, RecvOp>(op) || isCollective(&op);
      segments[&op] = segment;
    }
  }

  void find(Candidate &c) {
    c.result = c.product->getResult(0);
    c.readsNarrow = llvm::all_of(c.product->getOperands(), [](Value operand) {
      return narrowOf(operand) != nullptr;
    });
    c.readsHalf = llvm::all_of(c.product->getOperands(), wasHalf);
    auto matmul = dyn_cast<MatmulOp>(c.product);
    // A convolution of bf16 writes bf16.
    if (!matmul) {
      c.readsNarrow &= isReadAsNarrow(c.result);
      findAfterConvolution(c);
      c.writesNarrow = c.readsNarrow;
      return;
    }
    ArrayRef<int64_t> d = c.function.descriptor;
    if (d[Batch] == 1 && d[M] * d[N] * d[K] != 0 && !findForward(c) &&
        !findGeluGrad(c))
      findBiasGrad(c, matmul);
    // Where the step has types of 16 bits, a sum has the type of the result.
    bool isBiasGrad = ::soap::runtime::isBiasGrad(c.kind);
    c.writesNarrow =
        c.readsNarrow &&
        (isNarrow(c.result) ||
         (isReadAsNarrow(c.result) && (!isBiasGrad || isNarrow(c.second))));
  }

  /// Products that only other products read write bf16, though the gradient of
  /// a bias is the sum of what they write: it comes with one of its readers,
  /// which sums the rounded rows.
  static void findNarrow(MutableArrayRef<Candidate> candidates) {
    llvm::DenseSet<Operation *> sums;
    for (const Candidate &c : candidates)
      if (c.readsNarrow && ::soap::runtime::isBiasGrad(c.kind))
        sums.insert(c.others.back());
    for (Candidate &c : candidates)
      if (isa<MatmulOp>(c.product) && !::soap::runtime::isBiasGrad(c.kind))
        c.writesNarrow |= c.readsNarrow && isReadAsNarrow(c.result, sums);
  }

private:
  const bool convEpilogues;
  llvm::DenseMap<Operation *, unsigned> segments;

  bool isNear(Operation *op, Operation *other) const {
    return segments.lookup(op) == segments.lookup(other);
  }

  static Operation *onlyUser(Value value) {
    return value.hasOneUse() ? *value.user_begin() : nullptr;
  }

  static bool isNarrow(Value value) {
    return typeOf(value).getElementType().isBF16();
  }

  /// The value that what follows a product reads, and the rounding to it, of a
  /// step with types of 16 bits: the library rounds behind the epilogue.
  static Value behindRounding(const Candidate &c,
                              SmallVector<Operation *> &passed) {
    auto rounding = dyn_cast_or_null<CastOp>(onlyUser(c.result));
    if (!c.readsNarrow || !rounding || !isNarrow(rounding.getY()))
      return c.result;
    passed.push_back(rounding);
    return rounding.getY();
  }

  bool findForward(Candidate &c) {
    SmallVector<Operation *> passed;
    Value last = behindRounding(c, passed);
    auto take = [&](Operation *op) {
      llvm::append_range(c.others, passed);
      passed.clear();
      c.others.push_back(op);
    };
    if (auto bias = dyn_cast_or_null<BiasAddOp>(onlyUser(last));
        bias && bias.getX() == last && isNear(c.product, bias) &&
        static_cast<int64_t>(bias.getAxis()) == typeOf(last).getRank() - 1) {
      take(bias);
      c.kind = Bias;
      c.reader = bias;
      last = bias.getResult();
    }
    if (auto relu = dyn_cast_or_null<ReluOp>(onlyUser(last));
        relu && isNear(c.product, relu)) {
      take(relu);
      c.kind = c.kind == Bias ? BiasRelu : Relu;
      last = relu.getResult();
    } else if (GeluOp gelu = geluOf(last, c)) {
      take(gelu);
      c.kind = c.kind == Bias ? BiasGelu : Gelu;
      c.second = last;
      last = gelu.getResult();
    }
    if (c.kind == None)
      return false;
    c.result = last;
    return true;
  }

  /// The one gelu of `value`, if the other readers stand behind it.
  GeluOp geluOf(Value value, const Candidate &c) const {
    GeluOp found;
    for (Operation *user : value.getUsers())
      if (auto gelu = dyn_cast<GeluOp>(user)) {
        if (found)
          return nullptr;
        found = gelu;
      }
    // cuBLASLt's gelu is the one by tanh; rows of what it was taken of are
    // multiples of 8 numbers.
    if (!found || !found.getApproximate() || !isNear(c.product, found) ||
        c.function.descriptor[N] % 8 != 0 || !isReadBehind(value, found))
      return nullptr;
    return found;
  }

  bool findGeluGrad(Candidate &c) {
    SmallVector<Operation *> passed;
    Value last = behindRounding(c, passed);
    auto grad = dyn_cast_or_null<GeluGradOp>(onlyUser(last));
    if (!grad || grad.getOperand(0) != last || !grad.getApproximate() ||
        grad.getOperand(1) == last || !isNear(c.product, grad) ||
        c.function.descriptor[N] % 8 != 0)
      return false;
    llvm::append_range(c.others, passed);
    c.others.push_back(grad);
    c.kind = GeluGrad;
    c.reader = grad;
    c.result = grad.getResult();
    return true;
  }

  /// A bias per channel and relu behind a convolution, or the gradient of relu
  /// behind that of a convolution's input.
  void findAfterConvolution(Candidate &c) {
    if (!convEpilogues || isEmpty(c.product))
      return;
    Value last = c.result;
    SmallVector<Operation *> passed;
    if (c.readsNarrow && !passRounding(c.product, last, passed))
      return;
    TensorLayout layout = layoutAt(c.product, 2);
    // Whether all images of the op are as the convolution writes them.
    auto fits = [&](Operation *op, ArrayRef<size_t> images) {
      return isNear(c.product, op) && llvm::all_of(images, [&](size_t place) {
               return layoutAt(op, place) == layout;
             });
    };
    auto take = [&](Operation *op, Epilogue kind) {
      llvm::append_range(c.others, passed);
      passed.clear();
      c.others.push_back(op);
      c.kind = kind;
      c.result = last = op->getResult(0);
    };
    if (isa<Conv2DOp>(c.product)) {
      if (auto bias = dyn_cast_or_null<BiasAddOp>(onlyUser(last));
          bias && bias.getX() == last && bias.getAxis() == 1 &&
          fits(bias, {0, 2})) {
        c.reader = bias;
        take(bias, Bias);
      }
      if (auto relu = dyn_cast_or_null<ReluOp>(onlyUser(last));
          relu && fits(relu, {0, 1}))
        take(relu, c.kind == Bias ? BiasRelu : Relu);
    } else if (isa<Conv2DInputGradOp>(c.product)) {
      auto grad = dyn_cast_or_null<ReluGradOp>(onlyUser(last));
      if (grad && grad.getDy() == last && grad.getY() != last &&
          fits(grad, {0, 1, 2}) && (!c.readsNarrow || narrowOf(grad.getY()))) {
        c.reader = grad;
        take(grad, ReluGrad);
      }
    }
    // A reader of f32 would need a kernel that converts the result.
    if (c.readsNarrow && !isReadAsNarrow(c.result))
      c = {c.product, c.function, None, {}, c.product->getResult(0), {}, true};
  }

  /// The rounding of a convolution's result, if nothing else reads it: the
  /// library rounds behind the epilogue.
  static bool passRounding(Operation *product, Value &last,
                           SmallVector<Operation *> &passed) {
    auto narrow = dyn_cast_or_null<CastOp>(onlyUser(last));
    if (!narrow)
      return false;
    auto wide = dyn_cast_or_null<CastOp>(onlyUser(narrow.getY()));
    if (!wide || !typeOf(wide.getY()).getElementType().isF32())
      return false;
    for (Operation *op : {narrow.getOperation(), wide.getOperation()})
      if (layoutAt(op, 0) != layoutAt(product, 2) ||
          layoutAt(op, 1) != layoutAt(product, 2))
        return false;
    passed = {narrow, wide};
    last = wide.getY();
    return true;
  }

  static bool isEmpty(Operation *op) {
    auto none = [](Type type) {
      return cast<RankedTensorType>(type).getNumElements() == 0;
    };
    return llvm::any_of(op->getOperandTypes(), none) ||
           llvm::any_of(op->getResultTypes(), none);
  }

  /// The tensor that a value is a reshape or a rounding of.
  static Value origin(Value value) {
    for (;;) {
      Operation *definition = value.getDefiningOp();
      if (!definition || !isa<ReshapeOp, CastOp>(definition))
        return value;
      value = definition->getOperand(0);
    }
  }

  /// The sum over all dims but the last, of which there are `extent`, of what
  /// `operand` is.
  ReduceOp sumOf(Value operand, int64_t extent, const Candidate &c) const {
    SmallVector<Value> values{origin(operand)};
    while (!values.empty()) {
      Value value = values.pop_back_val();
      for (Operation *user : value.getUsers()) {
        if (isa<ReshapeOp, CastOp>(user))
          values.push_back(user->getResult(0));
        auto sum = dyn_cast<ReduceOp>(user);
        if (!sum || sum.getKind() != ReduceKind::Sum)
          continue;
        int64_t rank = typeOf(value).getRank();
        ArrayRef<int64_t> axes = sum.getAxes();
        bool isOverRows = rank > 1 &&
                          static_cast<int64_t>(axes.size()) == rank - 1 &&
                          axes.back() == rank - 2;
        bool fits = isNarrow(sum.getY())
                        ? c.readsNarrow && isReadAsNarrow(c.result)
                        : typeOf(sum.getY()).getElementType().isF32();
        if (isOverRows && typeOf(value).getShape().back() == extent && fits &&
            canJoin(sum, c))
          return sum;
      }
    }
    return nullptr;
  }

  /// Whether one call can be the product and the sum: where the product is, or
  /// in front of the first reader of the sum. There, messages of others only
  /// wait for the product.
  bool canJoin(ReduceOp sum, const Candidate &c) const {
    if (isReadBehind(sum.getY(), c.product))
      return isNear(c.product, sum);
    Operation *place = firstReader(sum.getY());
    return llvm::all_of(c.product->getOperands(), [&](Value operand) {
      Operation *maker =
          (c.readsNarrow ? narrowOf(operand) : operand).getDefiningOp();
      return !maker || maker->isBeforeInBlock(place);
    });
  }

  void findBiasGrad(Candidate &c, MatmulOp matmul) {
    ArrayRef<int64_t> d = c.function.descriptor;
    ReduceOp sum;
    if (d[TransposeA] && (sum = sumOf(matmul.getA(), d[M], c)))
      c.kind = BiasGradOfA;
    else if (!d[TransposeB] && (sum = sumOf(matmul.getB(), d[N], c)))
      c.kind = BiasGradOfB;
    else
      return;
    c.others.push_back(sum);
    c.second = sum.getY();
  }
};

/// Makes the calls.
class Rewriter {
public:
  explicit Rewriter(MLIRContext *context) : builder(context) {}

  void replace(Candidate &c) {
    Location loc = c.product->getLoc();
    Operation *place = c.place(), *task = c.task();
    builder.setInsertionPoint(place);
    // The operand of gelu has the type of the result; its product was
    // replaced before.
    Value third = c.third();
    if (c.kind == GeluGrad) {
      bool isTyped = typeOf(third).getElementType().isBF16();
      Value from = isTyped ? third : narrowOf(third);
      c.writesNarrow &= from != nullptr;
      if (c.writesNarrow)
        third = from;
    }
    if (c.kind == ReluGrad && c.writesNarrow)
      if (Value from = narrowOf(third))
        third = from;
    Type element = c.writesNarrow ? Type(builder.getBF16Type())
                                  : typeOf(c.result).getElementType();
    SmallVector<int64_t> descriptor = c.function.descriptor;
    bool isMatmul = isa<MatmulOp>(c.product);
    if (c.readsNarrow)
      descriptor[isMatmul ? size_t(Precision) : convPrecision] = 2;
    if (c.readsHalf)
      descriptor[isMatmul ? size_t(Precision) : convPrecision] = 1;
    if (isMatmul) {
      descriptor[Narrow] = c.writesNarrow;
    }
    descriptor[isMatmul ? size_t(Kind) : convEpilogue] =
        static_cast<int64_t>(c.kind);
    SmallVector<Value> inputs;
    for (Value operand : c.product->getOperands())
      inputs.push_back(c.readsNarrow ? narrowOf(operand) : operand);
    if (third)
      inputs.push_back(inType(third, element, task));
    SmallVector<Type> types{typeOf(c.result).clone(element)};
    if (c.second)
      types.push_back(typeOf(c.second).clone(element));
    if (c.function.workspace > 0)
      types.push_back(c.function.workspaceType(builder.getContext()));
    SmallVector<Value> outputs;
    for (Type type : types)
      outputs.push_back(tensor::EmptyOp::create(
          builder, loc, cast<RankedTensorType>(type).getShape(),
          cast<RankedTensorType>(type).getElementType()));
    auto call = LibraryCallOp::create(builder, loc, types, c.function.name,
                                      descriptor, inputs, outputs);
    setSlots(c, task, call);
    copyLayouts(c, call);
    builder.setInsertionPointAfter(call);
    take(c.result, call.getValues()[0], call);
    if (c.second)
      take(c.second, call.getValues()[1], call);
    llvm::SetVector<Value> before;
    before.insert_range(c.product->getOperands());
    for (Operation *op : llvm::reverse(c.others)) {
      before.insert_range(op->getOperands());
      for (Value result : op->getResults())
        before.remove(result);
      op->erase();
    }
    before.remove(c.product->getResult(0));
    c.product->erase();
    // Roundings that only the product read.
    for (Value value : before)
      if (auto cast = value.getDefiningOp<CastOp>(); cast && cast->use_empty())
        cast->erase();
  }

private:
  OpBuilder builder;

  static void copySlot(Operation *from, Operation *to) {
    if (Attribute slot = from->getAttr(SoapDialect::kSlot))
      to->setAttr(SoapDialect::kSlot, slot);
  }

  /// Copies the layouts of a convolution's operands, of an image that the
  /// epilogue reads, and of its result.
  void copyLayouts(const Candidate &c, LibraryCallOp call) {
    auto known = c.product->getAttrOfType<ArrayAttr>(kLayouts);
    if (!known)
      return;
    Attribute plain = TensorLayoutAttr::get(builder.getContext(),
                                            TensorLayout::NCHW),
              result = known[2];
    SmallVector<Attribute> names(call->getNumOperands() + call->getNumResults(),
                                 plain);
    names[0] = known[0];
    names[1] = known[1];
    if (c.kind == ReluGrad)
      names[2] = result;
    names[call.getInputs().size()] = result;
    names[call->getNumOperands()] = result;
    call->setAttr(kLayouts, builder.getArrayAttr(names));
  }

  Value inType(Value value, Type element, Operation *task) {
    if (typeOf(value).getElementType() == element)
      return value;
    auto cast = CastOp::create(builder, value.getLoc(),
                               typeOf(value).clone(element), value);
    copySlot(task, cast);
    return cast;
  }

  /// The call stands for one op; the others are over as soon as they begin.
  void setSlots(const Candidate &c, Operation *task, LibraryCallOp call) {
    copySlot(task, call);
    SmallVector<int64_t> slots;
    auto own = task->getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
    auto add = [&](Operation *op) {
      auto slot = op->getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
      if (slot && slot != own)
        slots.push_back(slot.getInt());
    };
    add(c.product);
    for (Operation *op : c.others)
      add(op);
    if (!slots.empty())
      call->setAttr(SoapDialect::kFusedSlots,
                    builder.getDenseI64ArrayAttr(slots));
  }

  /// Readers of `old` read `made`, which may be narrower.
  void take(Value old, Value made, Operation *task) {
    if (old.getType() == made.getType()) {
      old.replaceAllUsesWith(made);
      return;
    }
    for (Operation *user : llvm::make_early_inc_range(old.getUsers()))
      if (auto cast = dyn_cast<CastOp>(user);
          cast && cast.getY().getType() == made.getType()) {
        cast.getY().replaceAllUsesWith(made);
        cast->erase();
      }
    if (!old.use_empty())
      old.replaceAllUsesWith(inType(made, typeOf(old).getElementType(), task));
  }
};

struct CallProductsPass
    : public mlir::soap::impl::SoapCallProductsBase<CallProductsPass> {
  using SoapCallProductsBase::SoapCallProductsBase;

  void runOnOperation() override {
    if (failed(inlineSharedOps(getOperation())))
      return signalPassFailure();
    ModuleOp module = getOperation();
    std::optional<LibraryOptions> options =
        cudaOptions(module, precision, workspace);
    if (!options)
      return signalPassFailure();
    SlotNames names(module);
    std::vector<Candidate> candidates;
    // An op of the model is treated alike in all programs of an entry.
    std::map<std::pair<StringRef, StringRef>, std::set<std::array<int64_t, 3>>>
        outcomes;
    for (func::FuncOp program : module.getOps<func::FuncOp>()) {
      if (program.isExternal() || !program.getBody().hasOneBlock())
        continue;
      Block &block = program.getBody().front();
      expandRecurrences(block);
      Search search(block, convEpilogues);
      Layouts layouts = Layouts::ofAttributes(block);
      std::vector<Candidate> own;
      for (Operation &op : block) {
        auto function = libraryFunctionOf(&op, *options, layouts);
        if (!function)
          continue;
        Candidate candidate{&op, *function};
        search.find(candidate);
        own.push_back(candidate);
      }
      Search::findNarrow(own);
      for (const Candidate &candidate : own) {
        for (StringRef name : names.of(program, candidate.product))
          outcomes[kindOf(name, candidate.product)].insert(candidate.outcome());
        if (candidate.isWorthIt())
          candidates.push_back(candidate);
      }
    }
    llvm::erase_if(candidates, [&](Candidate &c) {
      auto program = c.product->getParentOfType<func::FuncOp>();
      return llvm::any_of(names.of(program, c.product), [&](StringRef name) {
        return outcomes[kindOf(name, c.product)].size() > 1;
      });
    });
    Rewriter rewriter(&getContext());
    llvm::DenseSet<Operation *> gone;
    for (Candidate &c : candidates) {
      // A sum belongs to one product.
      if (llvm::any_of(c.others,
                       [&](Operation *op) { return !gone.insert(op).second; }))
        c = {c.product,
             c.function,
             None,
             {},
             c.product->getResult(0),
             {},
             c.readsNarrow,
             false,
             c.readsHalf};
      if (!c.isWorthIt())
        continue;
      addTo(fused, c.kind != None);
      addTo(narrow, c.readsNarrow);
      rewriter.replace(c);
    }
  }

  /// A task may be several ops.
  static std::pair<StringRef, StringRef> kindOf(StringRef name, Operation *op) {
    return {name, op->getName().getStringRef()};
  }
};

} // namespace
