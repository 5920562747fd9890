//===- MixedPrecision.cpp - 16-bit floats in a training step --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the forward ops in their order. Ops are changed in place: their
// operands are cast where they have the other type, and their results get the
// type that the op computes. Kernels compute in f32 and round their results
// once, so what decides is what a result may lose.
//
//===----------------------------------------------------------------------===//

#include "MixedPrecision.h"

#include "Soap/Dialect/Soap/SumAttribute.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::soap;

std::optional<StepPrecision> mlir::soap::stepPrecisionNamed(StringRef name) {
  return llvm::StringSwitch<std::optional<StepPrecision>>(name)
      .Case("", StepPrecision::Default)
      .Case("f32", StepPrecision::F32)
      .Case("tf32", StepPrecision::TF32)
      .Case("bf16", StepPrecision::BF16)
      .Case("f16", StepPrecision::F16)
      .Case("fp8", StepPrecision::FP8)
      .Case("mxfp8", StepPrecision::MXFP8)
      .Default(std::nullopt);
}

FloatType mlir::soap::narrowTypeOf(StepPrecision precision,
                                   MLIRContext *context) {
  if (precision == StepPrecision::BF16 || precision == StepPrecision::FP8 ||
      precision == StepPrecision::MXFP8)
    return BFloat16Type::get(context);
  if (precision == StepPrecision::F16)
    return Float16Type::get(context);
  return {};
}

CastOp mlir::soap::workingCopyOf(Value parameter) {
  for (Operation *user : parameter.getUsers())
    if (auto cast = dyn_cast<CastOp>(user))
      if (auto element = dyn_cast<FloatType>(OpMaker::elementOf(cast.getY()));
          element && element.getWidth() < 32)
        return cast;
  return {};
}

namespace {

/// The type of a value that was f32.
enum class Kind {
  Narrow, ///< has the narrow type
  Wide,   ///< is f32, because its op loses too much in 16 bits
  Neutral ///< is f32, and its readers may round it: an argument, a constant
};

/// How an op treats its f32 operands and results.
enum class Rule {
  Narrow,    ///< all narrow, but what is wide by its own rule is rounded
  Wide,      ///< all f32
  Follow,    ///< f32 if an operand is wide, else narrow
  Norm,      ///< as Follow in the first operand and result, f32 in all others
  Comparison ///< operands in f32, and the result is 0 or 1 in any type
};

/// Computes with what a router chooses experts by: rounding would change the
/// choice, and its probabilities are summed over all tokens.
bool isOfRouter(Operation *op) {
  auto chooses = [](Value value) {
    return llvm::any_of(value.getUsers(), llvm::IsaPred<TopKOp>);
  };
  return isa<TopKOp>(op) ||
         (isa<SoftmaxOp, SigmoidOp>(op) &&
          (chooses(op->getOperand(0)) || chooses(op->getResult(0))));
}

Rule ruleOf(Operation *op) {
  if (isa<MatmulOp, Conv2DOp, LstmOp, GatherOp, DispatchOp, CombineExpertsOp,
          AttentionOp>(op))
    return Rule::Narrow;
  if (isOfRouter(op))
    return Rule::Wide;
  if (isa<LayerNormOp, RmsNormOp, BatchNormTrainOp, CrossEntropyOp>(op))
    return Rule::Norm;
  if (isa<GreaterOp, GreaterEqualOp, EqualOp>(op))
    return Rule::Comparison;
  // Powers of what was rounded, and what maps intervals to long ones.
  if (isa<ExpOp, LogOp, PowOp, SqrtOp, RsqrtOp, ReciprocalOp, SinOp, CosOp,
          Log1pOp, Expm1Op, SoftplusOp, AsinOp, AcosOp, AtanOp, AsinhOp,
          AcoshOp, AtanhOp, BatchNormOp>(op))
    return Rule::Wide;
  bool isOurs =
      op->getName().getDialectNamespace() == SoapDialect::getDialectNamespace();
  return isOurs ? Rule::Follow : Rule::Wide;
}

class Narrowing {
public:
  Narrowing(Block &block, FloatType narrow,
            llvm::function_ref<StringRef(BlockArgument)> nameOfArgument,
            const OpMaker::Namer &setName)
      : block(block), narrow(narrow), nameOfArgument(nameOfArgument),
        setName(setName), builder(narrow.getContext()) {}

  void run() {
    for (BlockArgument argument : block.getArguments())
      if (isF32(argument))
        kinds[argument] = Kind::Neutral;
    SmallVector<Operation *> ops;
    for (Operation &op : block)
      ops.push_back(&op);
    for (Operation *op : ops)
      if (!op->hasTrait<OpTrait::IsTerminator>())
        visit(op);
  }

private:
  static bool isF32(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && type.getElementType().isF32();
  }

  void visit(Operation *op) {
    // Values made of constants alone, as the angles of rotary embeddings, are
    // f32, too: 16 bits do not hold positions.
    if (llvm::all_of(op->getOperands(), [&](Value operand) {
          return constants.contains(operand);
        })) {
      setResults(op, Kind::Neutral);
      constants.insert_range(op->getResults());
      return;
    }
    if (isa<CastOp>(op)) {
      // A conversion of the model: what it makes f32 stays f32.
      setResults(op, Kind::Wide);
      return;
    }
    Rule rule = ruleOf(op);
    if (rule == Rule::Comparison || rule == Rule::Wide) {
      for (OpOperand &operand : op->getOpOperands())
        makeWide(operand);
      bool isMask = rule == Rule::Comparison;
      setResults(op, isMask ? Kind::Neutral : Kind::Wide);
      // The inference form of a norm is one of its neighbours' precision.
      if (auto norm = dyn_cast<BatchNormOp>(op))
        narrowResult(norm.getY());
      return;
    }
    MutableArrayRef<OpOperand> leading = op->getOpOperands();
    if (rule == Rule::Norm) {
      for (OpOperand &operand : leading.drop_front())
        makeWide(operand);
      leading = leading.take_front(1);
    }
    bool isWide =
        rule != Rule::Narrow && llvm::any_of(leading, [&](OpOperand &operand) {
          auto kind = kinds.find(operand.get());
          return kind != kinds.end() && kind->second == Kind::Wide;
        });
    bool any = false;
    for (OpOperand &operand : leading) {
      any |= kinds.contains(operand.get());
      isWide ? makeWide(operand) : makeNarrow(operand);
    }
    // An op that reads no f32 keeps the f32 that it makes.
    if (!any || isWide)
      return setResults(op, Kind::Wide);
    ResultRange results = op->getResults();
    if (rule == Rule::Norm) {
      bool isLoss = isa<CrossEntropyOp>(op);
      setKinds(isLoss ? results : results.drop_front(), Kind::Wide);
      results = results.take_front(isLoss ? 0 : 1);
    }
    // The logarithm of the sum of a row of scores.
    if (auto attention = dyn_cast<AttentionOp>(op)) {
      setKinds(attention.getLse(), Kind::Wide);
      results = results.take_front(1);
    }
    // A sum to one number is over samples, too: it has no other dims left, and
    // 16 bits would lose what is small beside the sum so far.
    if (auto sum = dyn_cast<ReduceOp>(op);
        sum && mayHaveSumType(sum) && isF32(sum.getY()) &&
        sum.getY().getType().getRank() == 0) {
      op->setAttr(kSumType, TypeAttr::get(builder.getF32Type()));
      return setResults(op, Kind::Wide);
    }
    for (Value result : results)
      if (isF32(result)) {
        result.setType(
            cast<RankedTensorType>(result.getType()).clone(Type(narrow)));
        kinds[result] = Kind::Narrow;
      }
  }

  void setKinds(ValueRange values, Kind kind) {
    for (Value value : values)
      if (isF32(value))
        kinds[value] = kind;
  }
  void setResults(Operation *op, Kind kind) {
    setKinds(op->getResults(), kind);
  }

  void makeNarrow(OpOperand &operand) {
    auto kind = kinds.find(operand.get());
    if (kind != kinds.end() && kind->second != Kind::Narrow)
      operand.set(converted(operand, narrow, narrowed));
  }
  void makeWide(OpOperand &operand) {
    auto kind = kinds.find(operand.get());
    if (kind != kinds.end() && kind->second == Kind::Narrow)
      operand.set(converted(operand, builder.getF32Type(), widened));
  }

  /// The operand in another type, converted once, before its first reader.
  Value converted(OpOperand &operand, FloatType type,
                  llvm::DenseMap<Value, Value> &known) {
    Value value = operand.get();
    Value &made = known[value];
    if (!made) {
      builder.setInsertionPoint(operand.getOwner());
      made = convert(value, type);
    }
    return made;
  }

  Value convert(Value value, FloatType type) {
    auto constant = value.getDefiningOp<ConstantOp>();
    Attribute elements = constant ? rounded(constant.getValue()) : Attribute();
    Value made =
        elements && type == narrow
            ? ConstantOp::create(
                  builder, value.getLoc(),
                  cast<RankedTensorType>(value.getType()).clone(Type(type)),
                  cast<ElementsAttr>(elements))
                  .getResult()
            : CastOp::create(builder, value.getLoc(), value, Type(type))
                  .getResult();
    std::string name = nameOf(value);
    llvm::raw_string_ostream(name) << '.' << type;
    setName(made.getDefiningOp(), name);
    return made;
  }

  /// The elements in the narrow type, null if they are no dense floats. Finite
  /// numbers stay finite: a mask of -1e9 has to.
  Attribute rounded(Attribute elements) {
    auto dense = dyn_cast<DenseFPElementsAttr>(elements);
    if (!dense)
      return {};
    const llvm::fltSemantics &semantics = narrow.getFloatSemantics();
    return dense.mapValues(narrow, [&](const APFloat &number) {
      APFloat result = number;
      bool losesInfo = false;
      result.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      if (result.isInfinity() && !number.isInfinity())
        result = APFloat::getLargest(semantics, number.isNegative());
      return result.bitcastToAPInt();
    });
  }

  std::string nameOf(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return nameOfArgument(argument).str();
    auto name =
        value.getDefiningOp()->getAttrOfType<StringAttr>(SoapDialect::kName);
    return name ? name.str() : "value";
  }

  /// All readers of `value` read it rounded.
  void narrowResult(Value value) {
    if (!isF32(value))
      return;
    builder.setInsertionPointAfterValue(value);
    Value made = convert(value, narrow);
    value.replaceAllUsesExcept(made, made.getDefiningOp());
    kinds[made] = Kind::Narrow;
  }

  Block &block;
  FloatType narrow;
  llvm::function_ref<StringRef(BlockArgument)> nameOfArgument;
  const OpMaker::Namer &setName;
  OpBuilder builder;
  llvm::DenseMap<Value, Kind> kinds;
  llvm::DenseMap<Value, Value> narrowed, widened;
  llvm::DenseSet<Value> constants; ///< and what is made of them alone
};

} // namespace

void mlir::soap::narrowForward(
    Block &block, FloatType narrow,
    llvm::function_ref<StringRef(BlockArgument)> nameOfArgument,
    const OpMaker::Namer &setName) {
  Narrowing(block, narrow, nameOfArgument, setName).run();
}
