//===- BuildTrainingStep.cpp - Forward to training step -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --soap-build-training-step: from @forward to @train_step (forward,
// loss, backward, updates), @evaluate and @accumulate_step.
// docs/TrainingStep.md has the why.
//
//===----------------------------------------------------------------------===//

#include "LossCheck.h"
#include "Transforms/Attention/FuseAttention.h"
#include "Transforms/Support/CheckedOptions.h"
#include "Transforms/Support/ModuleContents.h"

#include "Differentiation.h"
#include "FuseSwiGLU.h"
#include "GradientSums.h"
#include "LossScaling.h"
#include "Losses.h"
#include "MixedPrecision.h"
#include "OpMaker.h"
#include "PaddingRows.h"
#include "ParameterPatterns.h"
#include "ScaledProducts.h"
#include "Schedule.h"
#include "Soap/Analysis/SampleMixing.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/BatchNormAttributes.h"
#include "Soap/Dialect/Soap/LoopCorrespondence.h"
#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/RoleAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Dialect/Soap/TrainingAttributes.h"
#include "Soap/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

#include <array>
#include <charconv>
#include <cmath>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPBUILDTRAININGSTEP
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-build-training-step"

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr StringLiteral kForward = "forward";
constexpr StringLiteral kTrainStep = "train_step";
constexpr StringLiteral kEvaluate = "evaluate";
constexpr StringLiteral kAccumulateStep = "accumulate_step";

/// Of the option batch-norm-momentum: what the ops of the model say.
constexpr double kMomentumOfModel = -1;
/// Where they say nothing: the default of most frameworks.
constexpr double kDefaultMomentum = 0.1;

/// `name`, or `name_1`, `name_2`, ... if it is taken; the result is then taken.
std::string uniqueName(StringRef name, llvm::StringSet<> &taken) {
  std::string candidate = name.str();
  for (int n = 1; !taken.insert(candidate).second; ++n)
    candidate = (name + "_" + Twine(n)).str();
  return candidate;
}

StringRef nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return name ? name.getValue() : StringRef();
}

/// The purpose of a result, as the model says it.
std::optional<ValueKind> resultKind(func::FuncOp function, unsigned result) {
  return enumValue<ValueKindAttr>(
      function.getResultAttr(result, SoapDialect::kKind));
}

bool isSoapOp(Operation *op) {
  return op->getName().getDialectNamespace() ==
         SoapDialect::getDialectNamespace();
}

//===----------------------------------------------------------------------===//
// The model: @forward, checked
//===----------------------------------------------------------------------===//

/// @forward with what the programs built from it need to know.
class Model {
public:
  explicit Model(func::FuncOp function) : function(function) {}

  /// Checks that the function can be trained or evaluated with a loss for each
  /// result; diagnoses if not.
  LogicalResult check(ArrayRef<LossKind> losses);
  /// Gives a name to every op and argument that has none. Fails if two ops have
  /// the same name.
  LogicalResult completeNames();

  StringRef kindOf(unsigned argument) {
    auto kind = enumValue<ValueKindAttr>(
        function.getArgAttr(argument, SoapDialect::kKind));
    return kind ? stringifyValueKind(*kind) : StringRef();
  }
  StringRef argumentName(unsigned argument) {
    return function.getArgAttrOfType<StringAttr>(argument, SoapDialect::kName)
        .getValue();
  }
  RankedTensorType resultType(unsigned result) {
    return cast<RankedTensorType>(function.getResultTypes()[result]);
  }
  unsigned numArguments() { return function.getNumArguments(); }
  /// The dim of labels of this shape that counts samples: that of the first
  /// data argument that has one and whose extent the labels have there.
  int64_t labelSampleDim(ArrayRef<int64_t> labels);

  func::FuncOp function;
  llvm::StringSet<> opNames, argumentNames;

private:
  LogicalResult checkArguments();
  LogicalResult checkLogits(unsigned result);
  LogicalResult checkResult(unsigned result, LossKind loss);
};

LogicalResult Model::check(ArrayRef<LossKind> losses) {
  if (function.isExternal())
    return function.emitError("function '@forward' has no body");
  if (!function.getBody().hasOneBlock())
    return function.emitError(
        "function '@forward' has several blocks, expected one");
  if (failed(checkArguments()))
    return failure();
  unsigned results = function.getNumResults();
  if (losses.size() == 1 && results != 1)
    return function.emitError()
           << "function '@forward' has " << results
           << " results, expected one, the logits; a model that computes a "
              "loss of its own is exported without it, or give a loss for each "
              "result, as 'loss=output,none'";
  if (losses.size() != results)
    return function.emitError()
           << "'loss' names " << losses.size()
           << " losses, expected one for each of the " << results
           << " results of '@forward', or 'none'";
  for (auto [result, loss] : llvm::enumerate(losses))
    if (failed(checkResult(result, loss)))
      return failure();
  return success();
}

LogicalResult Model::checkResult(unsigned result, LossKind loss) {
  if (loss == LossKind::None)
    return success();
  if (hasClasses(loss))
    return checkLogits(result);
  Type type = function.getResultTypes()[result];
  auto ranked = dyn_cast<RankedTensorType>(type);
  bool isFloat = ranked && ranked.hasStaticShape() &&
                 isa<FloatType>(ranked.getElementType());
  if (loss == LossKind::Output) {
    if (isFloat && ranked.getNumElements() == 1)
      return success();
    return function.emitError()
           << "result #" << result << " of '@forward' is " << type
           << ", expected one float, the loss, for 'loss=output'";
  }
  if (isFloat && ranked.getRank() > 0 && ranked.getNumElements() > 0)
    return success();
  return function.emitError()
         << "result #" << result << " of '@forward' is " << type
         << ", expected a tensor of floats of static shape [samples, ..] for "
            "'loss="
         << nameOf(loss) << "'";
}

LogicalResult Model::checkArguments() {
  for (unsigned i = 0; i < numArguments(); ++i) {
    StringRef kind = kindOf(i);
    if (kind.empty())
      return function.emitError()
             << "argument #" << i << " of '@forward' has no '"
             << SoapDialect::kKind << "'";
    if (kind != "data" && kind != "parameter" && kind != "state")
      return function.emitError()
             << "argument #" << i << " of '@forward' has kind '" << kind
             << "', expected 'data', 'parameter' or 'state'";
  }
  return success();
}

LogicalResult Model::checkLogits(unsigned index) {
  Type result = function.getResultTypes()[index];
  auto type = dyn_cast<RankedTensorType>(result);
  if (!type || type.getRank() < 2 || !type.hasStaticShape() ||
      !isa<FloatType>(type.getElementType()))
    return function.emitError() << "result of '@forward' is " << result
                                << ", expected logits: a tensor of floats "
                                   "of static shape [samples, classes] or "
                                   "[samples, .., classes]"
                                << (type && type.getRank() < 2
                                        ? "; a model that computes a loss of "
                                          "its own is exported without it, or "
                                          "trained with 'loss=output'"
                                        : "");
  if (type.getNumElements() == 0)
    return function.emitError()
           << "result of '@forward' is " << result << ", which is empty";
  return success();
}

int64_t Model::labelSampleDim(ArrayRef<int64_t> labels) {
  for (unsigned i = 0; i < numArguments(); ++i) {
    auto dim =
        function.getArgAttrOfType<IntegerAttr>(i, SoapDialect::kSampleDim);
    auto type = dyn_cast<RankedTensorType>(function.getArgumentTypes()[i]);
    if (!dim || !type || dim.getInt() < 0 || dim.getInt() >= type.getRank())
      continue;
    bool fits = dim.getInt() < static_cast<int64_t>(labels.size()) &&
                labels[dim.getInt()] == type.getDimSize(dim.getInt());
    return fits ? dim.getInt() : 0;
  }
  return 0;
}

LogicalResult Model::completeNames() {
  Builder builder(function.getContext());
  llvm::StringMap<Operation *> owners;
  for (Operation &op : function.front()) {
    StringRef name = nameOf(&op);
    if (name.empty())
      continue;
    auto [it, isNew] = owners.try_emplace(name, &op);
    if (!isNew) {
      InFlightDiagnostic diagnostic = op.emitError() << "name '" << name
                                                     << "' is used by two ops";
      diagnostic.attachNote(it->second->getLoc()) << "the other one is here";
      return diagnostic;
    }
    opNames.insert(name);
  }
  llvm::StringMap<int> counts;
  for (Operation &op : function.front()) {
    if (!isSoapOp(&op) || !nameOf(&op).empty())
      continue;
    StringRef mnemonic = op.getName().stripDialect();
    std::string name;
    do
      name = (mnemonic + "_" + Twine(counts[mnemonic]++)).str();
    while (!opNames.insert(name).second);
    op.setAttr(SoapDialect::kName, builder.getStringAttr(name));
  }
  for (unsigned i = 0; i < numArguments(); ++i)
    if (auto name =
            function.getArgAttrOfType<StringAttr>(i, SoapDialect::kName))
      if (!argumentNames.insert(name.getValue()).second)
        return function.emitError()
               << "name '" << name.getValue()
               << "' is used by two arguments of '@forward'";
  for (unsigned i = 0; i < numArguments(); ++i)
    if (!function.getArgAttr(i, SoapDialect::kName))
      function.setArgAttr(i, SoapDialect::kName,
                          builder.getStringAttr(uniqueName(
                              ("arg" + Twine(i)).str(), argumentNames)));
  return success();
}

//===----------------------------------------------------------------------===//
// Programs built from the model
//===----------------------------------------------------------------------===//

/// The loss of one result, and its factor in the sum.
struct LossTerm {
  unsigned result = 0;
  double weight = 1;
  LossOptions options;
  /// A number that the model adds to the loss in training, and says so.
  bool isAuxiliary = false;
};

/// A function under construction: the forward ops with a loss behind them.
class Program {
public:
  /// With `narrow`, values of f32 have that type where they may.
  Program(Model &model, StringRef name, FloatType narrow);

  /// A new argument; its name is made unique.
  BlockArgument addArgument(Type type, StringRef kind, StringRef name,
                            ArrayRef<NamedAttribute> attributes = {});
  StringRef argumentName(BlockArgument argument) {
    return function
        .getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                      SoapDialect::kName)
        .getValue();
  }
  /// A new result.
  Attribute kindAttr(StringRef kind) {
    return ValueKindAttr::get(builder.getContext(), *symbolizeValueKind(kind));
  }
  void addResult(Value value, StringRef kind, StringRef name,
                 std::optional<unsigned> updates = std::nullopt);
  /// A new value of an argument; the old one stays where gradients are not
  /// finite. `updated` is a result of an update op.
  void addUpdate(Value updated, BlockArgument argument);
  /// Clones the forward op; batch norm on running statistics becomes batch norm
  /// on the batch's if `training`.
  LogicalResult cloneForward(bool training);
  /// Appends the labels and the sum of the losses, as @evaluate has them unless
  /// `training`.
  void addLoss(ArrayRef<LossTerm> terms, bool training);
  /// The number of the iteration, from 1: a state, created by the first call.
  Value step() {
    return mayKeepStates ? uncertainStep() : count(stepCounter, "step");
  }
  /// The number of the batch, from 1; an iteration may have several.
  Value batchStep() {
    return countsBatches ? count(batchCounter, "batch_step") : step();
  }
  /// New values of the counters, as results.
  void addCounters();
  OpMaker makeOps(StringRef prefix, Location loc) {
    return OpMaker(
        builder, loc, prefix.str(),
        [this](Operation *op, StringRef name) { setName(op, name); });
  }
  /// Writes signature and return op.
  void finish();

  void setName(Operation *op, StringRef name) {
    op->setAttr(SoapDialect::kName,
                builder.getStringAttr(uniqueName(name, opNames)));
  }

  Model &model;
  func::FuncOp function;
  OpBuilder builder;
  Location loc;
  Value loss;
  /// The program is one of several that make up an iteration.
  bool countsBatches = false;
  /// Iterations with gradients that are not finite change no state.
  bool mayKeepStates = false;
  /// The factor of the loss, and whether gradients are finite (1 or 0); null
  /// without a loss scale.
  Value lossScale, finite;
  /// Groups of samples that batch norms in training normalize apart.
  int64_t normGroups = 1;
  /// Batch norms whose running statistics are to be updated, with the numbers
  /// of the arguments that hold mean and variance, and the momentum that the
  /// model asks for.
  struct RunningStats {
    BatchNormTrainOp op;
    unsigned mean, variance;
    double momentum;
  };
  SmallVector<RunningStats> runningStats;

private:
  LogicalResult cloneBatchNorm(BatchNormOp op);
  LogicalResult cloneBatchNorm(BatchNormTrainOp op);
  LogicalResult checkNormGroups(Operation *op, Value x);
  void cloneDropout(DropoutOp op, bool training);
  Value count(CounterOp &counter, StringRef name);
  /// The number of the iteration where the state may stay as it is: f64, which
  /// ops choose between.
  Value uncertainStep();
  BlockArgument addLabels(const LossTerm &term, bool isOnly);
  void addMeasures(const LossTerm &term, const LossValues &values,
                   BlockArgument labels, bool isOnly);
  void addCounts(BlockArgument labels);
  void addPerplexity(const LossValues &values, BlockArgument labels);

  FloatType narrow;
  CounterOp stepCounter, batchCounter;
  BlockArgument uncertainCount;
  Value uncertainNumber;
  IRMapping mapping;
  llvm::StringSet<> opNames, argumentNames;
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> resultAttrs;
  /// Which batch norm updates a state argument.
  llvm::DenseMap<unsigned, Operation *> statsOwners;
};

Program::Program(Model &model, StringRef name, FloatType narrow)
    : model(model), builder(model.function.getContext()),
      loc(model.function.getLoc()), narrow(narrow), opNames(model.opNames),
      argumentNames(model.argumentNames) {
  ArrayRef<Type> inputs = model.function.getArgumentTypes();
  function =
      func::FuncOp::create(loc, name, builder.getFunctionType(inputs, {}));
  function.setVisibility(SymbolTable::Visibility::Public);
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  for (unsigned i = 0; i < inputs.size(); ++i) {
    mapping.map(model.function.getArgument(i), block->getArgument(i));
    if (DictionaryAttr attrs = model.function.getArgAttrDict(i))
      function.setArgAttrs(i, attrs);
  }
}

BlockArgument Program::addArgument(Type type, StringRef kind, StringRef name,
                                   ArrayRef<NamedAttribute> attributes) {
  SmallVector<NamedAttribute> attrs(attributes);
  attrs.push_back(builder.getNamedAttr(SoapDialect::kKind, kindAttr(kind)));
  attrs.push_back(builder.getNamedAttr(
      SoapDialect::kName,
      builder.getStringAttr(uniqueName(name, argumentNames))));
  unsigned index = function.getNumArguments();
  // Fails only for functions whose type cannot be changed.
  (void)function.insertArgument(index, type, builder.getDictionaryAttr(attrs),
                                loc);
  return function.getArgument(index);
}

void Program::addResult(Value value, StringRef kind, StringRef name,
                        std::optional<unsigned> updates) {
  SmallVector<NamedAttribute> attrs = {
      builder.getNamedAttr(SoapDialect::kKind, kindAttr(kind)),
      builder.getNamedAttr(SoapDialect::kName, builder.getStringAttr(name))};
  if (updates)
    attrs.push_back(builder.getNamedAttr(SoapDialect::kUpdates,
                                         builder.getI64IntegerAttr(*updates)));
  results.push_back(value);
  resultAttrs.push_back(builder.getDictionaryAttr(attrs));
}

void Program::addUpdate(Value updated, BlockArgument argument) {
  StringRef name = argumentName(argument);
  OpMaker ops = makeOps(name, updated.getLoc());
  Operation *update = updated.getDefiningOp();
  // Of several updates in a row, the last reads the argument so.
  Value condition = finite;
  if (!finite && !llvm::is_contained(update->getOperands(), argument))
    condition =
        ops.scalar(getElementTypeOrSelf(updated.getType()), 1, "always");
  if (!condition)
    return addResult(updated, "update", name, argument.getArgNumber());
  Value kept = ops.make<WhereOp>("finite", condition, updated, argument);
  if (auto of = update->getAttrOfType<StringAttr>(SoapDialect::kUpdateOf)) {
    Operation *keep = kept.getDefiningOp();
    keep->setAttr(SoapDialect::kUpdateOf, of);
    // Loops of the update as loops of the forward op.
    auto loops = update->getAttrOfType<DictionaryAttr>(SoapDialect::kLoopMap);
    unsigned tensor =
        update->getNumOperands() + cast<OpResult>(updated).getResultNumber();
    SmallVector<NamedAttribute> map;
    for (auto &[own, other] : correspondingLoops(keep, 1, update, tensor)) {
      Attribute forward = loops ? loops.get(other) : Attribute();
      auto same = builder.getStringAttr(other);
      if (!forward)
        forward = same;
      if (forward != builder.getStringAttr(own))
        map.push_back(builder.getNamedAttr(own, forward));
    }
    if (!map.empty())
      keep->setAttr(SoapDialect::kLoopMap, builder.getDictionaryAttr(map));
  }
  addResult(kept, "update", name, argument.getArgNumber());
}

LogicalResult Program::cloneForward(bool training) {
  for (Operation &op : model.function.front().without_terminator()) {
    if (auto dropout = dyn_cast<DropoutOp>(op); dropout && !dropout.getStep()) {
      cloneDropout(dropout, training);
      continue;
    }
    if (auto stop = dyn_cast<StopGradientOp>(op); stop && !training) {
      mapping.map(stop.getY(), mapping.lookup(stop.getX()));
      continue;
    }
    if (auto norm = dyn_cast<BatchNormTrainOp>(op); norm && training) {
      if (failed(cloneBatchNorm(norm)))
        return failure();
      continue;
    }
    auto norm = dyn_cast<BatchNormOp>(op);
    bool onRunningStats = norm && isa<BlockArgument>(norm.getMean()) &&
                          isa<BlockArgument>(norm.getVar());
    if (!training || !onRunningStats) {
      builder.clone(op, mapping);
      continue;
    }
    if (failed(cloneBatchNorm(norm)))
      return failure();
  }
  if (narrow)
    narrowForward(
        function.front(), narrow,
        [&](BlockArgument argument) { return argumentName(argument); },
        [&](Operation *op, StringRef name) { setName(op, name); });
  return success();
}

LogicalResult Program::cloneBatchNorm(BatchNormOp op) {
  unsigned arguments[] = {cast<BlockArgument>(op.getMean()).getArgNumber(),
                          cast<BlockArgument>(op.getVar()).getArgNumber()};
  for (unsigned argument : arguments) {
    if (model.kindOf(argument) == "data")
      return op.emitOpError()
             << "takes its statistics from the data argument '"
             << model.argumentName(argument) << "', expected a state";
    auto [it, isNew] = statsOwners.try_emplace(argument, op);
    auto owner = cast<BatchNormOp>(it->second);
    // One norm that is called again updates its statistics again.
    bool isRepeated = owner != op && owner.getMean() == op.getMean() &&
                      owner.getVar() == op.getVar();
    if (!isNew && !isRepeated) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "shares its running statistics '"
                                      << model.argumentName(argument)
                                      << "', which only one op can update";
      diagnostic.attachNote(it->second->getLoc()) << "also used here";
      return diagnostic;
    }
  }
  if (failed(checkNormGroups(op, op.getX())))
    return failure();
  auto train = BatchNormTrainOp::create(
      builder, op.getLoc(), mapping.lookup(op.getX()),
      mapping.lookup(op.getGamma()), mapping.lookup(op.getBeta()),
      op.getEpsilonAttr(), builder.getI64IntegerAttr(normGroups));
  train->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  train->removeDiscardableAttr(kBatchNormMomentum);
  mapping.map(op.getY(), train.getY());
  auto momentum = op->getAttrOfType<FloatAttr>(kBatchNormMomentum);
  runningStats.push_back(
      {train, arguments[0], arguments[1],
       momentum ? momentum.getValueAsDouble() : kDefaultMomentum});
  return success();
}

LogicalResult Program::checkNormGroups(Operation *op, Value x) {
  int64_t samples = cast<RankedTensorType>(x.getType()).getDimSize(0);
  if (samples % normGroups == 0)
    return success();
  return op->emitOpError() << "normalizes " << samples
                           << " samples, expected a multiple of the "
                           << normGroups << " groups of option 'batch-norm'";
}

/// A norm of the model that has no running statistics.
LogicalResult Program::cloneBatchNorm(BatchNormTrainOp op) {
  if (normGroups == 1 || op.getGroups() != 1) {
    builder.clone(*op, mapping);
    return success();
  }
  if (!op.getStats().use_empty())
    return op.emitOpError() << "has statistics that are read, expected none "
                               "with option 'batch-norm'";
  if (failed(checkNormGroups(op, op.getX())))
    return failure();
  auto train = BatchNormTrainOp::create(
      builder, op.getLoc(), mapping.lookup(op.getX()),
      mapping.lookup(op.getGamma()), mapping.lookup(op.getBeta()),
      op.getEpsilonAttr(), builder.getI64IntegerAttr(normGroups));
  train->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  mapping.map(op.getY(), train.getY());
  return success();
}

/// Inference drops nothing.
void Program::cloneDropout(DropoutOp op, bool training) {
  Value x = mapping.lookup(op.getX());
  if (!training) {
    mapping.map(op.getY(), x);
    return;
  }
  Value counted = batchStep();
  auto drops = DropoutOp::create(builder, op.getLoc(), op.getY().getType(), x,
                                 counted, op.getRateAttr(), op.getSeedAttr());
  drops->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  mapping.map(op.getY(), drops.getY());
}

Value Program::count(CounterOp &counter, StringRef name) {
  if (counter)
    return counter.getNewStep();
  BlockArgument argument = addArgument(
      RankedTensorType::get({}, builder.getI32Type()), "state", name,
      builder.getNamedAttr(
          SoapDialect::kInit,
          InitRuleAttr::get(builder.getContext(), InitRule::Zeros)));
  counter = CounterOp::create(builder, loc, argument.getType(), argument);
  setName(counter, (name + ".counter").str());
  return counter.getNewStep();
}

Value Program::uncertainStep() {
  if (uncertainNumber)
    return uncertainNumber;
  auto type = RankedTensorType::get({}, builder.getF64Type());
  uncertainCount =
      addArgument(type, "state", "step",
                  builder.getNamedAttr(SoapDialect::kInit,
                                       InitRuleAttr::get(builder.getContext(),
                                                         InitRule::Zeros)));
  OpMaker ops = makeOps("step", loc);
  Value next = ops.make<AddOp>("next", uncertainCount,
                               ops.scalar(type.getElementType(), 1, "one"));
  return uncertainNumber = ops.cast(next, builder.getI32Type(), "number");
}

void Program::addCounters() {
  if (uncertainCount) {
    OpMaker ops = makeOps("step", loc);
    Type element = OpMaker::elementOf(uncertainCount);
    Value counted = finite
                        ? ops.make<AddOp>("counted", uncertainCount,
                                          ops.cast(finite, element, "counts"))
                        : uncertainCount;
    addResult(counted, "update", argumentName(uncertainCount),
              uncertainCount.getArgNumber());
  }
  for (CounterOp counter : {stepCounter, batchCounter})
    if (counter) {
      auto argument = cast<BlockArgument>(counter.getStep());
      addResult(counter.getNewStep(), "update", argumentName(argument),
                argument.getArgNumber());
    }
}

BlockArgument Program::addLabels(const LossTerm &term, bool isOnly) {
  RankedTensorType result = model.resultType(term.result);
  ArrayRef<int64_t> shape = result.getShape();
  Type element = result.getElementType();
  SmallVector<NamedAttribute> attributes;
  if (hasClasses(term.options.kind)) {
    attributes.push_back(builder.getNamedAttr(
        SoapDialect::kClasses, builder.getI64IntegerAttr(shape.back())));
    shape = shape.drop_back();
    element = builder.getI32Type();
  } else if (element.getIntOrFloatBitWidth() < 32) {
    element = builder.getF32Type();
  }
  attributes.push_back(builder.getNamedAttr(
      SoapDialect::kSampleDim,
      builder.getI64IntegerAttr(model.labelSampleDim(shape))));
  std::string name = isOnly ? "label" : "label_" + std::to_string(term.result);
  return addArgument(RankedTensorType::get(shape, element), "label", name,
                     attributes);
}

/// Results called MEASURE@LABELS, which the runtime adds up over batches.
void Program::addMeasures(const LossTerm &term, const LossValues &values,
                          BlockArgument labels, bool isOnly) {
  auto add = [&](Value value, const std::string &measure) {
    if (value)
      addResult(value, "output", measure + "@" + argumentName(labels).str());
  };
  add(values.counted, "counted");
  if (isOnly)
    add(values.weight, "weight");
  for (auto [metric, value] :
       llvm::zip_equal(term.options.metrics, values.metrics))
    add(value, metric.name);
}

/// Numbers that the model counts beside the logits, as measures of its one loss
/// with labels.
void Program::addCounts(BlockArgument labels) {
  for (unsigned i = 1; i < model.function.getNumResults(); ++i) {
    auto name =
        model.function.getResultAttrOfType<StringAttr>(i, SoapDialect::kName);
    if (!name || resultKind(model.function, i) != ValueKind::Output)
      continue;
    Value count =
        mapping.lookup(model.function.front().getTerminator()->getOperand(i));
    OpMaker ops = makeOps(name.getValue(), loc);
    addResult(ops.cast(count, model.resultType(i).getElementType(), "wide"),
              "output", name.str() + "@" + argumentName(labels).str());
  }
}

/// The measure of a loss to which others are added: exp of their sum is no
/// perplexity.
void Program::addPerplexity(const LossValues &values, BlockArgument labels) {
  OpMaker ops = makeOps("perplexity", loc);
  // By what the runtime divides sums of perplexities.
  Value divisor = values.weight ? values.weight : values.counted;
  auto count = static_cast<double>(
      cast<RankedTensorType>(labels.getType()).getNumElements());
  Value sum =
      divisor
          ? ops.make<MulOp>(
                "", values.loss,
                ops.cast(divisor, OpMaker::elementOf(values.loss), "same_type"))
          : ops.scale(values.loss, count, "");
  addResult(sum, "output", "perplexity@" + argumentName(labels).str());
}

void Program::addLoss(ArrayRef<LossTerm> terms, bool training) {
  bool isOnly = llvm::count_if(terms, [](const LossTerm &term) {
                  return !term.isAuxiliary;
                }) == 1;
  bool hasOwnLoss = false;
  SmallVector<Value> losses;
  SmallVector<std::tuple<const LossTerm *, LossValues, BlockArgument>> measured;
  for (const LossTerm &term : terms) {
    if (term.isAuxiliary && !training)
      continue;
    LossOptions options = term.options;
    options.mayHaveFiller = !training;
    // Terms of a batch that is filled up must agree on what counts.
    options.meanOfCounted = !training && !isOnly;
    if (training)
      options.metrics.clear();
    BlockArgument labels;
    if (options.kind != LossKind::Output)
      labels = addLabels(term, isOnly);
    hasOwnLoss |= options.kind == LossKind::Output && !term.isAuxiliary;
    Value output = mapping.lookup(
        model.function.front().getTerminator()->getOperand(term.result));
    OpMaker ops = makeOps(isOnly && !term.isAuxiliary
                              ? "loss"
                              : "loss_" + std::to_string(term.result),
                          loc);
    if (options.kind == LossKind::Output)
      output = ops.cast(output, model.resultType(term.result).getElementType(),
                        "wide");
    LossValues values = buildLoss(ops, output, labels, options);
    Value value = values.loss;
    if (!losses.empty())
      value = ops.cast(value, OpMaker::elementOf(losses.front()), "same_type");
    losses.push_back(term.weight == 1 ? value
                                      : ops.scale(value, term.weight, "term"));
    if (labels)
      measured.emplace_back(&term, values, labels);
  }
  loss = losses.front();
  OpMaker sum = makeOps("loss", loc);
  for (Value next : ArrayRef(losses).drop_front())
    loss = sum.make<AddOp>("", loss, next);
  // The mean over a batch is one number: filler can not be left out.
  addResult(loss, "loss", hasOwnLoss ? "batch_loss" : "loss");
  if (isOnly && !measured.empty())
    if (Value correct = std::get<LossValues>(measured.front()).correct)
      addResult(correct, "correct", "correct");
  for (auto &[term, values, labels] : measured) {
    LossTerm shown = *term;
    if (training)
      shown.options.metrics.clear();
    addMeasures(shown, values, labels, isOnly);
  }
  // Filler would count, which only evaluation has.
  bool hasAuxiliary = llvm::any_of(
      terms, [](const LossTerm &term) { return term.isAuxiliary; });
  if (!training || !hasAuxiliary || measured.empty())
    return;
  auto &[term, values, labels] = measured.front();
  addCounts(labels);
  if (hasClasses(term->options.kind))
    addPerplexity(values, labels);
}

void Program::finish() {
  func::ReturnOp::create(builder, loc, results);
  // Behind the backward pass they are copies of what is there.
  for (Operation &op : llvm::make_early_inc_range(function.front()))
    if (auto stop = dyn_cast<StopGradientOp>(op)) {
      stop.getY().replaceAllUsesWith(stop.getX());
      stop.erase();
    }
  function.setType(builder.getFunctionType(
      function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
  function.setAllResultAttrs(resultAttrs);
  // Names of gradient ops derive from names of forward ops, which may happen to
  // look like them.
  llvm::StringSet<> taken;
  for (Operation &op : function.front())
    if (StringRef name = nameOf(&op); !name.empty())
      if (std::string unique = uniqueName(name, taken); unique != name)
        op.setAttr(SoapDialect::kName, builder.getStringAttr(unique));
}

/// Says which forward op the weight `parameter` belongs to: the first that uses
/// it.
static void setUpdateOf(Operation *update, unsigned tensor, Value parameter) {
  Operation *user = nullptr;
  for (Operation *candidate : parameter.getUsers())
    if (candidate != update && !nameOf(candidate).empty() &&
        !isa<StopGradientOp>(candidate) &&
        (!user || candidate->isBeforeInBlock(user)))
      user = candidate;
  if (!user)
    return;
  Builder builder(update->getContext());
  update->setAttr(SoapDialect::kUpdateOf, builder.getStringAttr(nameOf(user)));
  unsigned operand =
      llvm::find(user->getOperands(), parameter) - user->operand_begin();
  SmallVector<NamedAttribute> loops;
  for (auto &[own, forward] : correspondingLoops(update, tensor, user, operand))
    if (own != forward)
      loops.push_back(
          builder.getNamedAttr(own, builder.getStringAttr(forward)));
  if (!loops.empty())
    update->setAttr(SoapDialect::kLoopMap, builder.getDictionaryAttr(loops));
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

class BuildTrainingStep
    : public CheckedOptions<
          mlir::soap::impl::SoapBuildTrainingStepBase<BuildTrainingStep>> {
public:
  using CheckedOptions::CheckedOptions;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  /// A parameter that is trained, by its argument, with its gradient.
  struct Trained {
    unsigned parameter;
    Value weight, gradient;
  };
  /// One value for all parameters of an element type.
  using ByElement = llvm::DenseMap<Type, Value>;

  LogicalResult run();
  LogicalResult checkOptions();
  /// The options that the training depends on, as "name=value name=value".
  std::string describeOptions();
  LogicalResult readLosses();
  void addAuxiliaryLosses(func::FuncOp forward);
  LogicalResult readPatterns();
  LogicalResult checkLosses(func::FuncOp forward);
  LogicalResult checkPatterns(Model &model);
  FailureOr<OwningOpRef<ModuleOp>> readEvaluationModel(Model &model);
  FailureOr<OwningOpRef<func::FuncOp>> buildEvaluate(Model &model);
  FailureOr<OwningOpRef<func::FuncOp>> buildTrainStep(Model &model);
  FailureOr<OwningOpRef<func::FuncOp>> buildAccumulateStep(Model &model);
  /// Appends the backward ops.
  LogicalResult differentiate(Program &program, bool remarks,
                              SmallVectorImpl<Trained> &trained);
  void widenSums(Program &program, ArrayRef<Value> wanted,
                 llvm::DenseMap<Value, Value> &gradients);
  void addUpdates(Program &program, MutableArrayRef<Trained> trained);
  void addSgd(Program &program, const Trained &trained);
  void addAdam(Program &program, const Trained &trained);
  void addLion(Program &program, const Trained &trained);
  /// A gradient times the factor of the schedule, with the decay of the weight,
  /// which is then no longer in `decay`.
  Value scheduled(Program &program, const Trained &trained, Value gradient,
                  double &decay);
  /// Of the published optimizer, where the user says none.
  double secondBeta() const {
    return optimizer == "lion" && !beta2.hasValue() ? 0.99 : beta2.getValue();
  }
  Value addScheduledDecay(Program &program, const Trained &trained,
                          Value updated, double decay);
  void addRunningStats(Program &program);
  Value biasCorrection(Program &program, Type element, double beta,
                       ByElement &known, StringRef name);
  BlockArgument addOptimizerState(Program &program, unsigned parameter,
                                  StringRef suffix);

  /// The sums over the batches of an iteration before this one.
  struct Sums {
    SmallVector<BlockArgument> gradients;
    /// How many batches that are.
    BlockArgument batches;
  };
  Sums addSums(Program &program, ArrayRef<Trained> trained);
  /// Gradients become means over the batches, and the sums 0.
  void finishSums(Program &program, const Sums &sums,
                  MutableArrayRef<Trained> trained);
  /// The sum of the squares of all gradients, of rank 0.
  Value sumOfSquares(Program &program, ArrayRef<Trained> trained);
  void clip(Program &program, Value squares, MutableArrayRef<Trained> trained);

  FloatType narrowType() { return narrowTypeOf(stepPrecision, &getContext()); }
  LossScale lossScaleOptions() const { return {lossScale, lossScaleWindow}; }
  bool scalesLoss() const { return stepPrecision == StepPrecision::F16; }
  LogicalResult checkPrecision(Model &model);
  /// Where the precision has 8-bit floats; `remarks`: says which layers have
  /// none.
  LogicalResult scaleProducts(Program &program, bool remarks);
  LogicalResult checkGradientSums(Model &model);
  void addLossScale(Program &program);
  /// Divides gradients by the factor of the loss.
  void unscale(Program &program, MutableArrayRef<Trained> trained);

  /// Factor of the schedule in this iteration, one for all parameters.
  Value scheduleFactor(Program &program, Type element);
  /// `value`, of the shape of a parameter or a number, times a number.
  Value scaled(Program &program, Value value, Value factor, Value weight,
               StringRef name);
  double decayOf(Program &program, unsigned parameter) {
    return decays.find(program.model.argumentName(parameter))
        .value_or(weightDecay);
  }

  Schedule schedule() const {
    return {scheduleKind, totalIterations, warmupIterations,
            decayEvery,   finalFactor,     decayFactor};
  }

  LogicalResult readBatchNorm();

  /// Groups of samples that batch norms normalize apart.
  int64_t normGroups = 1;
  SmallVector<LossTerm> terms;
  SmallVector<LossKind> kinds;
  ParameterPatterns frozen, decays, tablePadding;
  ByElement corrections1, corrections2, scheduleFactors;
  StepPrecision stepPrecision = StepPrecision::Default;
};

LogicalResult BuildTrainingStep::checkOptions() {
  auto error = [&] { return getOperation().emitError(); };
  constexpr StringLiteral kOptimizers[] = {"sgd", "adam", "adamw", "lion"};
  if (!llvm::is_contained(kOptimizers, optimizer.getValue()))
    return error() << "unknown optimizer '" << optimizer
                   << "', expected 'sgd', 'adam', 'adamw' or 'lion'";
  if (optimizer != "sgd" && momentum != 0)
    return error() << "momentum is of optimizer 'sgd', not '" << optimizer
                   << "', which has beta1";
  for (const auto &[name, beta] :
       {std::pair("beta1", beta1.getValue()), {"beta2", secondBeta()}})
    if (!(beta >= 0 && beta < 1))
      return error() << name << " is " << beta
                     << ", expected a number in [0, 1)";
  if (!(epsilon > 0) || !std::isfinite(epsilon))
    return error() << "epsilon is " << epsilon.getValue()
                   << ", expected a finite number above 0";
  if (!(learningRate >= 0) || !std::isfinite(learningRate))
    return error() << "learning-rate is " << learningRate.getValue()
                   << ", expected a finite number of at least 0";
  if (std::string wrong = schedule().check(); !wrong.empty())
    return error() << wrong;
  if (!(clipNorm >= 0) || !std::isfinite(clipNorm))
    return error() << "clip-norm is " << clipNorm.getValue()
                   << ", expected a finite number of at least 0";
  if (!(momentum >= 0 && momentum < 1))
    return error() << "momentum is " << momentum.getValue()
                   << ", expected a number in [0, 1)";
  if (!(weightDecay >= 0) || !std::isfinite(weightDecay))
    return error() << "weight-decay is " << weightDecay.getValue()
                   << ", expected a finite number of at least 0";
  if (!(batchNormMomentum >= 0 && batchNormMomentum <= 1) &&
      batchNormMomentum != kMomentumOfModel)
    return error() << "batch-norm-momentum is " << batchNormMomentum.getValue()
                   << ", expected a number in [0, 1], or -1 for the model's";
  std::optional<StepPrecision> named = stepPrecisionNamed(precision);
  if (!named)
    return error() << "unknown precision '" << precision
                   << "', expected f32, tf32, bf16, f16, fp8 or mxfp8";
  stepPrecision = *named;
  bool hasScale =
      lossScale != LossScale().initial || lossScaleWindow != LossScale().window;
  if (hasScale && !scalesLoss())
    return error() << "loss-scale and loss-scale-window are of precision "
                      "'f16', got precision '"
                   << precision << "'";
  if (std::string wrong = lossScaleOptions().check(); !wrong.empty())
    return error() << wrong;
  if (failed(readBatchNorm()) || failed(readLosses()))
    return failure();
  return readPatterns();
}

/// Also sets the module's precision of products where it follows from that of
/// the step.
LogicalResult BuildTrainingStep::checkPrecision(Model &model) {
  if (stepPrecision == StepPrecision::Default)
    return success();
  ModuleOp module = getOperation();
  FloatType narrow = narrowType();
  StringRef products = stepPrecision == StepPrecision::TF32 ? "tf32" : "f32";
  if (auto known = enumValue<PrecisionAttr>(module->getAttr(kPrecision));
      known && stringifyPrecision(*known) != products)
    return module.emitError("option 'precision=")
           << precision << "': the module has '" << kPrecision << "' "
           << stringifyPrecision(*known) << ", expected " << products
           << " or none";
  if (stepPrecision == StepPrecision::TF32)
    module->setAttr(kPrecision,
                    PrecisionAttr::get(&getContext(), Precision::TF32));
  if (!narrow)
    return success();
  for (unsigned i = 0; i < model.numArguments(); ++i) {
    Type element =
        getElementTypeOrSelf(model.function.getArgument(i).getType());
    if (isa<FloatType>(element) && !element.isF32())
      return model.function.emitError()
             << "argument '" << model.argumentName(i) << "' has elements of "
             << element << ", expected f32 for 'precision=" << precision
             << "', which says where narrower floats are";
  }
  return success();
}

LogicalResult BuildTrainingStep::scaleProducts(Program &program, bool remarks) {
  bool hasBlocks = stepPrecision == StepPrecision::MXFP8;
  if (!hasBlocks && stepPrecision != StepPrecision::FP8)
    return success();
  Model &model = program.model;
  SmallVector<std::string> refused;
  int64_t count = mlir::soap::scaleProducts(
      program.function.front(),
      hasBlocks ? ScaleSharing::Blocks : ScaleSharing::Tensor,
      lastProducts(model.function),
      [&](BlockArgument argument) {
        unsigned number = argument.getArgNumber();
        return number < model.numArguments() &&
               model.kindOf(number) == "parameter";
      },
      [&](Operation *op, StringRef name) { program.setName(op, name); },
      refused);
  if (count == 0) {
    InFlightDiagnostic error =
        model.function.emitError()
        << "option 'precision=" << precision
        << "': no product can read 8-bit floats, expected a layer before the "
           "last: a matmul of a parameter and an activation";
    for (const std::string &why : refused)
      error.attachNote() << "op " << why;
    return error;
  }
  if (remarks)
    for (const std::string &why : refused)
      model.function.emitRemark() << "op " << why << ": it stays in bf16";
  return success();
}

/// Sums of 16 bits need a weight, or a working copy of one, of that type.
LogicalResult BuildTrainingStep::checkGradientSums(Model &model) {
  if (gradientSums == "f32")
    return success();
  if (gradientSums != "bf16" && gradientSums != "f16")
    return getOperation().emitError("unknown gradient-sums '")
           << gradientSums << "', expected f32, bf16 or f16";
  auto isMeant = [&](Type element) {
    return gradientSums == "bf16" ? element.isBF16() : element.isF16();
  };
  bool found = narrowType() && isMeant(narrowType());
  for (unsigned i = 0; i < model.numArguments(); ++i)
    found |=
        model.kindOf(i) == "parameter" &&
        isMeant(getElementTypeOrSelf(model.function.getArgument(i).getType()));
  if (found)
    return success();
  return getOperation().emitError("option 'gradient-sums=")
         << gradientSums << "': no gradient has elements of " << gradientSums
         << ", expected 'precision=" << gradientSums
         << "' or a parameter of that type";
}

LogicalResult BuildTrainingStep::readBatchNorm() {
  auto error = [&] { return getOperation().emitError(); };
  normGroups = 1;
  if (batchNorm != "device" && !topology.empty())
    return error() << "topology is of batch-norm=device, and batch-norm is '"
                   << batchNorm << "'";
  if (batchNorm == "batch")
    return success();
  if (batchNorm == "device") {
    FailureOr<::soap::Topology> devices =
        resolveTopology(getOperation(), topology);
    if (failed(devices))
      return failure();
    normGroups = devices->deviceCount();
    return success();
  }
  StringRef number = batchNorm;
  if (number.consume_front("groups(") && number.consume_back(")") &&
      !number.getAsInteger(10, normGroups) && normGroups >= 1)
    return success();
  return error() << "unknown batch-norm '" << batchNorm
                 << "', expected batch, device or groups(N) of a number N of "
                    "at least 1";
}

/// One term for each result that has a loss.
LogicalResult BuildTrainingStep::readLosses() {
  auto error = [&] { return getOperation().emitError(); };
  terms.clear();
  kinds.clear();
  SmallVector<StringRef> names;
  StringRef(loss).split(names, ',');
  if (!lossWeights.empty() && lossWeights.size() != names.size())
    return error() << "loss-weights has " << lossWeights.size()
                   << " numbers, expected one for each of the " << names.size()
                   << " results";
  bool hasClassLoss = false, hasHuber = false;
  for (auto [result, name] : llvm::enumerate(names)) {
    std::optional<LossKind> kind = lossNamed(name);
    if (!kind)
      return error() << "unknown loss '" << name << "', expected "
                     << lossNames();
    kinds.push_back(*kind);
    LossTerm term;
    term.result = result;
    if (!lossWeights.empty())
      term.weight = lossWeights[result];
    if (!(term.weight >= 0) || !std::isfinite(term.weight))
      return error() << "loss-weights has " << term.weight
                     << ", expected finite numbers of at least 0";
    term.options.kind = *kind;
    term.options.huberDelta = huberDelta;
    hasClassLoss |= hasClasses(*kind);
    hasHuber |= *kind == LossKind::Huber;
    if (hasClasses(*kind)) {
      term.options.labelSmoothing = labelSmoothing;
      term.options.classWeights.assign(classWeights.begin(),
                                       classWeights.end());
      int64_t index = 0;
      if (ignoreIndex != "none") {
        if (StringRef(ignoreIndex).getAsInteger(10, index))
          return error() << "ignore-index is '" << ignoreIndex
                         << "', expected an integer or 'none'";
        term.options.ignoreIndex = index;
      }
    }
    if (*kind != LossKind::None)
      terms.push_back(std::move(term));
  }
  if (terms.empty())
    return error() << "loss is '" << loss
                   << "', expected a loss for one result at least";
  if (!(labelSmoothing >= 0 && labelSmoothing <= 1))
    return error() << "label-smoothing is " << labelSmoothing.getValue()
                   << ", expected a number in [0, 1]";
  for (double weight : classWeights)
    if (!(weight >= 0) || !std::isfinite(weight))
      return error() << "class-weights has " << weight
                     << ", expected finite numbers of at least 0";
  if (!(huberDelta > 0) || !std::isfinite(huberDelta))
    return error() << "huber-delta is " << huberDelta.getValue()
                   << ", expected a finite number above 0";
  if (!hasHuber && huberDelta != LossOptions().huberDelta)
    return error() << "huber-delta is of loss 'huber', got loss '" << loss
                   << "'";
  for (auto [name, given] : {std::pair("ignore-index", ignoreIndex != "none"),
                             {"label-smoothing", labelSmoothing != 0},
                             {"class-weights", !classWeights.empty()}})
    if (given && !hasClassLoss)
      return error() << name
                     << " is of loss 'softmax-cross-entropy', got loss '"
                     << loss << "'";
  for (const std::string &name : metrics) {
    std::optional<Metric> metric = Metric::parse(name);
    if (!metric)
      return error() << "unknown metric '" << name
                     << "', expected 'accuracy', 'top-K' with a number K, "
                        "'mean-absolute-error' or 'perplexity'";
    bool fits = false;
    for (LossTerm &term : terms)
      if (metric->fits(term.options.kind)) {
        term.options.metrics.push_back(*metric);
        fits = true;
      }
    if (!fits)
      return error() << "metric '" << name << "' does not fit loss '" << loss
                     << "'";
  }
  return success();
}

/// A model of one loss may say itself what its other results are for: a number
/// of kind `loss` is added to the loss in training, others are no loss.
void BuildTrainingStep::addAuxiliaryLosses(func::FuncOp forward) {
  unsigned results = forward.getNumResults();
  if (kinds.size() != 1 || results < 2)
    return;
  SmallVector<ValueKind> others;
  for (unsigned i = 1; i < results; ++i) {
    std::optional<ValueKind> kind = resultKind(forward, i);
    auto type = dyn_cast<RankedTensorType>(forward.getResultTypes()[i]);
    if (!type || type.getRank() != 0 ||
        !isa<FloatType>(type.getElementType()) ||
        (kind != ValueKind::Loss && kind != ValueKind::Output))
      return;
    others.push_back(*kind);
  }
  if (!llvm::is_contained(others, ValueKind::Loss))
    return;
  for (auto [i, kind] : llvm::enumerate(others)) {
    bool isLoss = kind == ValueKind::Loss;
    kinds.push_back(isLoss ? LossKind::Output : LossKind::None);
    if (!isLoss)
      continue;
    LossTerm term;
    term.result = static_cast<unsigned>(i) + 1;
    term.options.kind = LossKind::Output;
    term.isAuxiliary = true;
    terms.push_back(std::move(term));
  }
}

LogicalResult BuildTrainingStep::readPatterns() {
  auto fail = [&](const Twine &message) -> LogicalResult {
    return getOperation().emitError(message);
  };
  frozen = decays = tablePadding = ParameterPatterns();
  for (const std::string &pattern : freeze)
    if (failed(frozen.add("freeze", pattern, 0, fail)))
      return failure();
  for (const std::string &text : weightDecayOf)
    if (failed(decays.addWithValue("weight-decay-of", text, fail)))
      return failure();
  for (const std::string &text : paddingRows)
    if (failed(tablePadding.addWithValue("padding-rows", text, fail)))
      return failure();
  return success();
}

/// Compares the options with the types of the model.
LogicalResult BuildTrainingStep::checkLosses(func::FuncOp forward) {
  LossChoice choice = loss != "auto" ? LossChoice::Named
                      : inference    ? LossChoice::InferenceOnly
                                     : LossChoice::Assumed;
  for (const LossTerm &term : terms) {
    if (term.options.kind == LossKind::BceWithLogits)
      warnOfActivation(forward, term.result);
    if (!hasClasses(term.options.kind))
      continue;
    if (failed(checkSoftmaxCrossEntropy(forward, term.result, choice)))
      return failure();
    auto type = cast<RankedTensorType>(forward.getResultTypes()[term.result]);
    int64_t classes = type.getShape().back();
    const LossOptions &options = term.options;
    if (!options.classWeights.empty() &&
        static_cast<int64_t>(options.classWeights.size()) != classes)
      return forward.emitError()
             << "class-weights has " << options.classWeights.size()
             << " numbers, expected one for each of the " << classes
             << " classes of " << type;
    if (options.ignoreIndex && *options.ignoreIndex >= classes)
      return forward.emitError()
             << "ignore-index is " << *options.ignoreIndex
             << ", expected a negative number or one of the " << classes
             << " classes of " << type;
    for (const Metric &metric : options.metrics)
      if (metric.k >= classes)
        return forward.emitError()
               << "metric '" << metric.name << "' is 1 for all " << classes
               << " classes of " << type << ", expected fewer than these";
    if (!options.isPlain() && classes > int64_t(1) << 24)
      return forward.emitError()
             << "result of '@forward' is " << type
             << ": options of softmax-cross-entropy and metrics take at most "
                "2^24 classes";
  }
  return success();
}

LogicalResult BuildTrainingStep::checkPatterns(Model &model) {
  SmallVector<StringRef> names;
  for (unsigned i = 0; i < model.numArguments(); ++i)
    if (model.kindOf(i) == "parameter")
      names.push_back(model.argumentName(i));
  auto fail = [&](const Twine &message) -> LogicalResult {
    return model.function.emitError(message);
  };
  if (failed(frozen.checkUsed(names, fail)) ||
      failed(tablePadding.checkUsed(names, fail)))
    return failure();
  return decays.checkUsed(names, fail);
}

std::string BuildTrainingStep::describeOptions() {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto print = [&](const auto &value) {
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      // The shortest text of exactly this number.
      std::array<char, 32> digits;
      char *end =
          std::to_chars(digits.begin(), digits.end(), double(value)).ptr;
      os << StringRef(digits.data(), end - digits.begin());
    } else {
      os << value;
    }
  };
  auto always = [&](StringRef name, const auto &option) {
    os << ' ' << name << '=';
    print(option.getValue());
  };
  auto list = [&](StringRef name, const auto &values) {
    if (values.empty())
      return;
    os << ' ' << name << '=';
    llvm::interleave(values, print, [&] { os << ','; });
  };
  // Options that keep their default are left out, so that a new option does not
  // change the text of a training without it.
  auto unless = [&](StringRef name, const auto &option, const auto &byDefault) {
    if (option.getValue() != byDefault)
      always(name, option);
  };
  os << "loss=" << (loss == "auto" ? "softmax-cross-entropy" : loss.getValue());
  list("loss-weights", lossWeights);
  unless("ignore-index", ignoreIndex, "none");
  unless("label-smoothing", labelSmoothing, 0.0);
  list("class-weights", classWeights);
  unless("huber-delta", huberDelta, 1.0);
  list("freeze", freeze);
  list("padding-rows", paddingRows);
  unless("clip-norm", clipNorm, 0.0);
  // By default, what the module's attribute says.
  unless("precision", precision, "");
  unless("gradient-sums", gradientSums, "f32");
  if (scalesLoss()) {
    always("loss-scale", lossScale);
    always("loss-scale-window", lossScaleWindow);
  }
  always("optimizer", optimizer);
  always("learning-rate", learningRate);
  if (optimizer != "sgd") {
    always("beta1", beta1);
    os << " beta2=";
    print(secondBeta());
  }
  if (optimizer == "adam" || optimizer == "adamw")
    always("epsilon", epsilon);
  unless("momentum", momentum, 0.0);
  unless("weight-decay", weightDecay, 0.0);
  list("weight-decay-of", weightDecayOf);
  unless("schedule", scheduleKind, "constant");
  unless("total-iterations", totalIterations, 0);
  unless("warmup-iterations", warmupIterations, 0);
  unless("final-factor", finalFactor, 0.0);
  unless("decay-every", decayEvery, 0);
  if (scheduleKind == "step")
    always("decay-factor", decayFactor);
  unless("batch-norm-momentum", batchNormMomentum, kMomentumOfModel);
  if (normGroups != 1)
    os << " batch-norm=groups(" << normGroups << ')';
  return text;
}

/// Refuses a function of which import only guesses what is trained.
static LogicalResult checkRoles(func::FuncOp forward) {
  auto uncertain = forward->getAttrOfType<ArrayAttr>(kUncertainRoles);
  if (!uncertain || uncertain.empty())
    return success();
  constexpr size_t kLimit = 8;
  InFlightDiagnostic diagnostic = forward.emitError()
                                  << "the file of '@forward' does not say what "
                                     "is trained: ";
  for (auto [i, text] :
       llvm::enumerate(uncertain.getValue().take_front(kLimit)))
    diagnostic << (i ? "; " : "") << cast<StringAttr>(text).getValue();
  if (uncertain.size() > kLimit)
    diagnostic << "; and " << uncertain.size() - kLimit << " more";
  return diagnostic
         << "; expected an import with --parameters-from=FILE, the exact names "
            "of all parameters (--parameters= and --constants= name single "
            "tensors), or with --assume-roles, or the module itself by "
            "soap.from_torch (docs/ONNX.md)";
}

/// Numbers of samples in the data mean others after a shuffle.
static void warnOfPlaces(func::FuncOp forward) {
  for (Operation *op : findSampleMixing(forward).gathers) {
    if (op->getOperand(1).getDefiningOp<ConstantOp>())
      continue;
    forward.emitWarning()
        << "op '" << nameOf(op)
        << "' picks samples of the batch by numbers in the data, as the edges "
           "of a graph do: if so, a shuffle of the samples trains on another "
           "graph, and soap-run needs --no-shuffle";
    return;
  }
}

LogicalResult BuildTrainingStep::run() {
  ModuleOp module = getOperation();
  if (failed(checkOptions()))
    return failure();
  auto forward = module.lookupSymbol<func::FuncOp>(kForward);
  if (!forward)
    return module.emitError("module has no function '@forward', expected a "
                            "function of that name from data and parameters to "
                            "logits: the module has ")
           << describeFunctions(module);
  if (failed(checkModelOps(forward)))
    return failure();
  if (!inference && failed(checkRoles(forward)))
    return failure();
  for (StringRef name : {kTrainStep, kEvaluate, kAccumulateStep})
    if (Operation *existing = module.lookupSymbol(name))
      return existing->emitError()
             << "'@" << name << "' exists already, and is to be built";
  addAuxiliaryLosses(forward);
  if (attentionAsOp && forward.getBody().hasOneBlock())
    fuseAttention(forward.getBody().front(), /*remarks=*/true);
  if (forward.getBody().hasOneBlock())
    fuseSwiGLU(forward.getBody().front());
  Model model(forward);
  if (failed(model.check(kinds)) || failed(model.completeNames()) ||
      failed(checkLosses(forward)) || failed(checkPatterns(model)) ||
      failed(checkPrecision(model)) || failed(checkGradientSums(model)))
    return failure();
  if (!inference)
    warnOfPlaces(forward);
  LDBG() << "loss " << loss << ", optimizer " << optimizer << ", "
         << model.function.getNumArguments() << " arguments";
  SmallVector<OwningOpRef<func::FuncOp>> programs;
  if (!inference) {
    FailureOr<OwningOpRef<func::FuncOp>> step = buildTrainStep(model);
    if (failed(step))
      return failure();
    programs.push_back(std::move(*step));
  }
  if (!inference && accumulate) {
    FailureOr<OwningOpRef<func::FuncOp>> step = buildAccumulateStep(model);
    if (failed(step))
      return failure();
    programs.push_back(std::move(*step));
  }
  OwningOpRef<ModuleOp> other;
  std::optional<Model> evaluated;
  if (!evaluationModel.empty()) {
    FailureOr<OwningOpRef<ModuleOp>> read = readEvaluationModel(model);
    if (failed(read))
      return failure();
    other = std::move(*read);
    auto function = other->lookupSymbol<func::FuncOp>(kForward);
    if (attentionAsOp)
      fuseAttention(function.getBody().front(), /*remarks=*/false);
    fuseSwiGLU(function.getBody().front());
    evaluated.emplace(function);
    if (failed(evaluated->check(kinds)) || failed(evaluated->completeNames()))
      return failure();
  }
  FailureOr<OwningOpRef<func::FuncOp>> evaluate =
      buildEvaluate(evaluated ? *evaluated : model);
  if (failed(evaluate))
    return failure();
  programs.push_back(std::move(*evaluate));
  for (OwningOpRef<func::FuncOp> &program : programs)
    module.push_back(program.release());
  if (!inference)
    module->setAttr(kTraining,
                    StringAttr::get(&getContext(), describeOptions()));
  return success();
}

/// A module with a @forward that has the parameters and states of the model.
FailureOr<OwningOpRef<ModuleOp>>
BuildTrainingStep::readEvaluationModel(Model &model) {
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(evaluationModel, &getContext());
  auto error = [&] {
    return getOperation().emitError()
           << "evaluation-model '" << evaluationModel << "': ";
  };
  if (!module) {
    error() << "cannot read the module";
    return failure();
  }
  auto forward = module->lookupSymbol<func::FuncOp>(kForward);
  if (!forward || forward.isExternal()) {
    error() << "has no function '@forward' with a body";
    return failure();
  }
  llvm::StringMap<Type> weights;
  for (unsigned i = 0; i < model.numArguments(); ++i)
    if (model.kindOf(i) != "data")
      weights[model.argumentName(i)] = model.function.getArgumentTypes()[i];
  Model other(forward);
  for (unsigned i = 0; i < other.numArguments(); ++i) {
    StringRef kind = other.kindOf(i);
    if (kind == "data")
      continue;
    auto name = forward.getArgAttrOfType<StringAttr>(i, SoapDialect::kName);
    auto known = weights.find(name ? name.getValue() : StringRef());
    Type type = forward.getArgumentTypes()[i];
    if (known == weights.end() || known->second != type) {
      error() << "argument #" << i << " (" << name << ") is " << type
              << ", expected a parameter or state of the model with the same "
                 "name and type";
      return failure();
    }
  }
  return module;
}

FailureOr<OwningOpRef<func::FuncOp>>
BuildTrainingStep::buildEvaluate(Model &model) {
  Program program(model, kEvaluate, narrowType());
  OwningOpRef<func::FuncOp> owner(program.function);
  if (failed(program.cloneForward(/*training=*/false)))
    return failure();
  program.addLoss(terms, /*training=*/false);
  if (failed(scaleProducts(program, /*remarks=*/inference)))
    return failure();
  program.finish();
  return owner;
}

FailureOr<OwningOpRef<func::FuncOp>>
BuildTrainingStep::buildTrainStep(Model &model) {
  Program program(model, kTrainStep, narrowType());
  program.normGroups = normGroups;
  program.countsBatches = accumulate;
  program.mayKeepStates = scalesLoss();
  OwningOpRef<func::FuncOp> owner(program.function);
  if (failed(program.cloneForward(/*training=*/true)))
    return failure();
  program.addLoss(terms, /*training=*/true);
  addLossScale(program);
  SmallVector<Trained> trained;
  if (failed(differentiate(program, /*remarks=*/true, trained)))
    return failure();
  addUpdates(program, trained);
  addRunningStats(program);
  program.addCounters();
  if (failed(scaleProducts(program, /*remarks=*/true)))
    return failure();
  program.finish();
  return owner;
}

/// A batch of an iteration that has another one behind it.
FailureOr<OwningOpRef<func::FuncOp>>
BuildTrainingStep::buildAccumulateStep(Model &model) {
  Program program(model, kAccumulateStep, narrowType());
  program.normGroups = normGroups;
  program.countsBatches = true;
  OwningOpRef<func::FuncOp> owner(program.function);
  if (failed(program.cloneForward(/*training=*/true)))
    return failure();
  program.addLoss(terms, /*training=*/true);
  addLossScale(program);
  SmallVector<Trained> trained;
  if (failed(differentiate(program, /*remarks=*/false, trained)))
    return failure();
  unscale(program, trained);
  Sums sums = addSums(program, trained);
  for (auto [gradient, sum] : llvm::zip_equal(trained, sums.gradients)) {
    StringRef name = program.argumentName(sum);
    OpMaker ops = program.makeOps(name, gradient.weight.getLoc());
    // An addition that is no linear op: a state is complete on its devices, so
    // what goes into it has to be. sum - (-1) * gradient.
    auto number = [&](double value) {
      return program.builder.getF64FloatAttr(value);
    };
    Value added =
        ops.make<SgdOp>("sum", sum.getType(), Type(), sum, gradient.gradient,
                        Value(), number(-1), number(0), number(0));
    setUpdateOf(added.getDefiningOp(), 0, gradient.weight);
    program.addResult(added, "update", name, sum.getArgNumber());
  }
  OpMaker ops = program.makeOps("batches", program.loc);
  Value one = ops.scalar(OpMaker::elementOf(sums.batches), 1, "one");
  program.addResult(ops.make<AddOp>("sum", sums.batches, one), "update",
                    program.argumentName(sums.batches),
                    sums.batches.getArgNumber());
  addRunningStats(program);
  program.addCounters();
  if (failed(scaleProducts(program, /*remarks=*/false)))
    return failure();
  program.finish();
  return owner;
}

LogicalResult
BuildTrainingStep::differentiate(Program &program, bool remarks,
                                 SmallVectorImpl<Trained> &trained) {
  for (ByElement *known : {&corrections1, &corrections2, &scheduleFactors})
    known->clear();
  Model &model = program.model;
  llvm::DenseSet<unsigned> statistics;
  for (const Program::RunningStats &stats : program.runningStats)
    statistics.insert_range(ArrayRef{stats.mean, stats.variance});
  SmallVector<unsigned> parameters;
  SmallVector<Value> wanted;
  bool anyFrozen = false;
  for (unsigned i = 0; i < model.numArguments(); ++i) {
    BlockArgument argument = program.function.front().getArgument(i);
    if (model.kindOf(i) != "parameter" || statistics.contains(i))
      continue;
    if (frozen.find(model.argumentName(i))) {
      anyFrozen = true;
      continue;
    }
    if (!isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      return model.function.emitError()
             << "parameter '" << model.argumentName(i) << "' has type "
             << argument.getType() << ", expected floats";
    parameters.push_back(i);
    wanted.push_back(argument);
  }
  if (parameters.empty())
    return model.function.emitError(
        anyFrozen
            ? "'freeze' names all parameters of '@forward': none is left to "
              "train"
            : "function '@forward' has no argument of kind 'parameter' to "
              "train");

  OpBuilder &builder = program.builder;
  llvm::DenseMap<Value, Value> gradients;
  if (program.lossScale) {
    gradients[program.loss] = program.lossScale;
  } else if (Operation *last = program.loss.getDefiningOp()) {
    auto lossType = cast<RankedTensorType>(program.loss.getType());
    auto seed = ConstantOp::create(
        builder, program.loc, lossType,
        DenseElementsAttr::get(lossType, Attribute(builder.getFloatAttr(
                                             lossType.getElementType(), 1.0))));
    program.setName(seed, (nameOf(last) + ".seed").str());
    setGradientOf(seed, last);
    gradients[program.loss] = seed;
  }
  if (failed(
          buildBackward(builder, program.function.front(), wanted, gradients)))
    return failure();
  auto nameOf = [&](BlockArgument argument) {
    unsigned number = argument.getArgNumber();
    return number < model.numArguments() && model.kindOf(number) == "parameter"
               ? model.argumentName(number)
               : StringRef();
  };
  if (!paddingRows.empty() &&
      failed(maskPaddingRows(
          builder, program.function.front(), tablePadding, nameOf,
          [&](Operation *op, StringRef name) { program.setName(op, name); })))
    return failure();
  widenSums(program, wanted, gradients);
  for (auto [parameter, value] : llvm::zip_equal(parameters, wanted))
    if (Value gradient = gradients.lookup(value)) {
      // The conversion of a complete gradient is part of the update.
      auto cast = gradient.getDefiningOp<CastOp>();
      if (cast && (narrowType() ? workingCopyOf(value) != nullptr
                                : hasNarrowFloats(value))) {
        cast->removeAttr(SoapDialect::kGradOf);
        cast->removeAttr(SoapDialect::kLoopMap);
        setUpdateOf(cast, 0, value);
      }
      trained.push_back({parameter, value, gradient});
    } else if (remarks)
      model.function.emitRemark()
          << "parameter '" << model.argumentName(parameter)
          << "' has no influence on the loss and is not trained";
  if (trained.empty())
    return model.function.emitError(
        "no parameter of '@forward' has influence on the loss");
  return success();
}

/// Gradients of 16 bits are summed in f32, unless others are asked for.
void BuildTrainingStep::widenSums(Program &program, ArrayRef<Value> wanted,
                                  llvm::DenseMap<Value, Value> &gradients) {
  if (gradientSums != "f32")
    return;
  func::FuncOp function = program.function;
  GradientSums sums(
      function.front(),
      [&](BlockArgument argument) {
        auto kind = enumValue<ValueKindAttr>(
            function.getArgAttr(argument.getArgNumber(), SoapDialect::kKind));
        return kind == ValueKind::Data || kind == ValueKind::Label;
      },
      [&](Operation *op, StringRef name) { program.setName(op, name); });
  llvm::DenseMap<Value, Value> wide = sums.widenConversions();
  for (Value weight : wanted)
    if (Value &gradient = gradients[weight])
      gradient = hasNarrowFloats(weight) ? sums.roundedOnce(gradient, weight)
                                         : wide.lookup_or(gradient, gradient);
  sums.eraseUnused();
}

/// All update ops behind the backward ops: an argument that is replaced must
/// not be read behind its update, or its buffer could not be reused.
void BuildTrainingStep::addUpdates(Program &program,
                                   MutableArrayRef<Trained> trained) {
  unscale(program, trained);
  Sums sums;
  if (accumulate) {
    sums = addSums(program, trained);
    finishSums(program, sums, trained);
  }
  Value squares;
  if (clipNorm > 0 || program.lossScale)
    squares = sumOfSquares(program, trained);
  if (program.lossScale) {
    OpMaker ops = program.makeOps("loss_scale", program.loc);
    program.finite = buildIsFinite(ops, squares);
  }
  if (clipNorm > 0)
    clip(program, squares, trained);
  for (const Trained &one : trained)
    if (optimizer == "sgd")
      addSgd(program, one);
    else if (optimizer == "lion")
      addLion(program, one);
    else
      addAdam(program, one);
  if (!program.lossScale)
    return;
  auto scale = cast<BlockArgument>(program.lossScale);
  BlockArgument good = program.addArgument(
      scale.getType(), "state", "loss_scale_good_steps",
      program.builder.getNamedAttr(
          SoapDialect::kInit,
          InitRuleAttr::get(program.builder.getContext(), InitRule::Zeros)));
  OpMaker ops = program.makeOps("loss_scale", program.loc);
  auto [nextScale, nextGood] =
      buildNextScale(ops, scale, good, program.finite, lossScaleOptions());
  for (auto [value, argument] :
       {std::pair(nextScale, scale), std::pair(nextGood, good)})
    program.addResult(value, "update", program.argumentName(argument),
                      argument.getArgNumber());
}

void BuildTrainingStep::addLossScale(Program &program) {
  if (!scalesLoss())
    return;
  Builder &builder = program.builder;
  auto type = RankedTensorType::get({}, builder.getF32Type());
  auto initial = static_cast<float>(lossScale.getValue());
  program.lossScale = program.addArgument(
      type, "state", "loss_scale",
      builder.getNamedAttr(SoapDialect::kInit,
                           DenseElementsAttr::get(type, initial)));
}

void BuildTrainingStep::unscale(Program &program,
                                MutableArrayRef<Trained> trained) {
  if (!program.lossScale)
    return;
  OpMaker ops = program.makeOps("loss_scale", program.loc);
  Value inverse = ops.make<ReciprocalOp>("inverse", program.lossScale.getType(),
                                         program.lossScale);
  for (Trained &one : trained) {
    StringRef name = program.model.argumentName(one.parameter);
    one.gradient = scaled(program, one.gradient, inverse, one.weight,
                          (name + ".unscaled").str());
  }
}

/// A state like the parameter, 0 at first.
BlockArgument BuildTrainingStep::addOptimizerState(Program &program,
                                                   unsigned parameter,
                                                   StringRef suffix) {
  Builder &builder = program.builder;
  return program.addArgument(
      program.function.front().getArgument(parameter).getType(), "state",
      (program.model.argumentName(parameter) + suffix).str(),
      builder.getNamedAttr(
          SoapDialect::kInit,
          InitRuleAttr::get(builder.getContext(), InitRule::Zeros)));
}

Value BuildTrainingStep::biasCorrection(Program &program, Type element,
                                        double beta, ByElement &known,
                                        StringRef name) {
  Value &correction = known[element];
  if (!correction) {
    auto op = BiasCorrectionOp::create(
        program.builder, program.loc, RankedTensorType::get({}, element),
        program.step(), program.builder.getF64FloatAttr(beta));
    program.setName(op, name);
    correction = op.getCorrection();
  }
  return correction;
}

Value BuildTrainingStep::scheduleFactor(Program &program, Type element) {
  Value &known = scheduleFactors[element];
  if (!known) {
    Value step = program.step();
    OpMaker ops = program.makeOps("schedule", program.loc);
    known = buildScheduleFactor(ops, step, element, schedule());
  }
  return known;
}

Value BuildTrainingStep::scaled(Program &program, Value value, Value factor,
                                Value weight, StringRef name) {
  auto product = MulOp::create(program.builder, weight.getLoc(), value, factor);
  program.setName(product, name);
  if (!cast<RankedTensorType>(value.getType()).getShape().empty())
    setUpdateOf(product, 0, weight);
  return product;
}

BuildTrainingStep::Sums BuildTrainingStep::addSums(Program &program,
                                                   ArrayRef<Trained> trained) {
  Sums sums;
  for (const Trained &one : trained)
    sums.gradients.push_back(
        addOptimizerState(program, one.parameter, ".gradient"));
  Builder &builder = program.builder;
  sums.batches = program.addArgument(
      RankedTensorType::get({}, builder.getF32Type()), "state", "batches",
      builder.getNamedAttr(
          SoapDialect::kInit,
          InitRuleAttr::get(builder.getContext(), InitRule::Zeros)));
  return sums;
}

void BuildTrainingStep::finishSums(Program &program, const Sums &sums,
                                   MutableArrayRef<Trained> trained) {
  OpMaker ops = program.makeOps("batches", program.loc);
  Type single = OpMaker::elementOf(sums.batches);
  Value all =
      ops.make<AddOp>("sum", sums.batches, ops.scalar(single, 1, "one"));
  Value share = ops.make<ReciprocalOp>("share", all);
  ByElement shares;
  for (auto [one, sum] : llvm::zip_equal(trained, sums.gradients)) {
    Type element = OpMaker::elementOf(sum);
    Value &factor = shares[element];
    if (!factor)
      factor = ops.cast(share, element, "share_cast");
    StringRef name = program.argumentName(sum);
    OpMaker own = program.makeOps(name, one.weight.getLoc());
    // By the name that the op has in @accumulate_step, whose strategy this is.
    Value total = own.make<AddOp>("sum", sum, one.gradient);
    setUpdateOf(total.getDefiningOp(), 0, one.weight);
    one.gradient =
        scaled(program, total, factor, one.weight, (name + ".mean").str());
  }
  // Nothing reads the sums behind this.
  auto reset = [&](BlockArgument sum, Value weight) {
    StringRef name = program.argumentName(sum);
    OpMaker ops = program.makeOps(name, sum.getLoc());
    Value zero;
    if (program.lossScale) {
      // The sum may not be finite, so that no factor makes it 0.
      Type element = OpMaker::elementOf(sum);
      Value none = ops.scalar(element, 0, "reset_to");
      zero = ops.make<WhereOp>("reset", none, sum, none);
    } else {
      zero = ops.scale(sum, 0, "reset");
    }
    if (weight)
      setUpdateOf(zero.getDefiningOp(), program.lossScale ? 1 : 0, weight);
    program.addResult(zero, "update", name, sum.getArgNumber());
  };
  for (auto [one, sum] : llvm::zip_equal(trained, sums.gradients))
    reset(sum, one.weight);
  reset(sums.batches, Value());
}

Value BuildTrainingStep::sumOfSquares(Program &program,
                                      ArrayRef<Trained> trained) {
  OpMaker ops = program.makeOps("clip", program.loc);
  Type widest = program.builder.getF32Type();
  for (const Trained &one : trained)
    if (OpMaker::elementOf(one.gradient).isF64())
      widest = program.builder.getF64Type();
  SmallVector<Value> squares;
  for (const Trained &one : trained) {
    StringRef name = program.model.argumentName(one.parameter);
    OpMaker own = program.makeOps(name, one.weight.getLoc());
    Value square = own.make<MulOp>("square", one.gradient, one.gradient);
    setUpdateOf(square.getDefiningOp(), 0, one.weight);
    Value sum = own.sum(square, "squares");
    if (sum != square)
      setUpdateOf(sum.getDefiningOp(), 0, one.weight);
    squares.push_back(own.cast(sum, widest, "squares_cast"));
  }
  return squares.size() == 1
             ? squares.front()
             : ops.make<AccumulateOp>("squares", squares.front().getType(),
                                      ValueRange(squares));
}

/// Times min(1, limit / (norm + 1e-6)), where the norm is that of all gradients
/// together: one number, whatever devices hold them.
void BuildTrainingStep::clip(Program &program, Value squares,
                             MutableArrayRef<Trained> trained) {
  OpMaker ops = program.makeOps("clip", program.loc);
  Type widest = OpMaker::elementOf(squares);
  Value norm = ops.make<SqrtOp>("norm", squares);
  Value above =
      ops.make<AddOp>("above_zero", norm, ops.scalar(widest, 1e-6, "smallest"));
  Value ratio =
      ops.make<DivOp>("ratio", ops.scalar(widest, clipNorm, "limit"), above);
  Value factor =
      ops.make<MinimumOp>("factor", ratio, ops.scalar(widest, 1, "one"));
  ByElement factors;
  for (Trained &one : trained) {
    Type element = OpMaker::elementOf(one.gradient);
    Value &cast = factors[element];
    if (!cast)
      cast = ops.cast(factor, element, "factor_cast");
    StringRef name = program.model.argumentName(one.parameter);
    one.gradient = scaled(program, one.gradient, cast, one.weight,
                          (name + ".clipped").str());
  }
}

void BuildTrainingStep::addAdam(Program &program, const Trained &trained) {
  OpBuilder &builder = program.builder;
  unsigned parameter = trained.parameter;
  StringRef name = program.model.argumentName(parameter);
  Value weight = trained.weight;
  Type element = getElementTypeOrSelf(weight.getType());
  BlockArgument m = addOptimizerState(program, parameter, ".m"),
                v = addOptimizerState(program, parameter, ".v");
  Value first = biasCorrection(program, element, beta1, corrections1,
                               "step.correction1"),
        second = biasCorrection(program, element, beta2, corrections2,
                                "step.correction2");
  bool isDecoupled = optimizer == "adamw",
       isScheduled = !schedule().isConstant();
  double decay = decayOf(program, parameter);
  if (isScheduled)
    first = scaled(program, first, scheduleFactor(program, element), weight,
                   (name + "." + optimizer.getValue() + ".rate").str());
  bool decaysBehind = isDecoupled && isScheduled && decay != 0;
  auto number = [&](double value) { return builder.getF64FloatAttr(value); };
  Type type = weight.getType();
  auto update = AdamOp::create(
      builder, weight.getLoc(), type, type, type, weight, trained.gradient, m,
      v, first, second, number(learningRate), number(beta1), number(beta2),
      number(epsilon), number(decaysBehind ? 0 : decay),
      isDecoupled ? builder.getUnitAttr() : UnitAttr());
  program.setName(update, (name + "." + optimizer.getValue()).str());
  setUpdateOf(update, 0, weight);
  Value updated = update.getNewWeight();
  if (decaysBehind)
    updated = addScheduledDecay(program, trained, updated, decay);
  program.addUpdate(updated, cast<BlockArgument>(weight));
  program.addUpdate(update.getNewM(), m);
  program.addUpdate(update.getNewV(), v);
}

/// updated - rate * decay * factor * weight, as an update of the weight itself:
/// weight - ((weight - updated) + rate * decay * factor * weight).
Value BuildTrainingStep::addScheduledDecay(Program &program,
                                           const Trained &trained,
                                           Value updated, double decay) {
  Value weight = trained.weight;
  StringRef name = program.model.argumentName(trained.parameter);
  OpMaker ops = program.makeOps(name, weight.getLoc());
  auto ofWeight = [&](Value value) {
    setUpdateOf(value.getDefiningOp(), 0, weight);
    return value;
  };
  Value rate = ops.scale(scheduleFactor(program, OpMaker::elementOf(weight)),
                         learningRate * decay, "decay_rate");
  Value taken = ofWeight(ops.make<MulOp>("decay", weight, rate));
  Value moved = ofWeight(ops.make<SubOp>("moved", weight, updated));
  Value step = ofWeight(ops.make<AddOp>("decayed", moved, taken));
  auto number = [&](double value) {
    return program.builder.getF64FloatAttr(value);
  };
  return ofWeight(ops.make<SgdOp>("sgd", weight.getType(), Type(), weight, step,
                                  Value(), number(1), number(0), number(0)));
}

Value BuildTrainingStep::scheduled(Program &program, const Trained &trained,
                                   Value gradient, double &decay) {
  if (schedule().isConstant())
    return gradient;
  OpBuilder &builder = program.builder;
  Value weight = trained.weight;
  StringRef name = program.model.argumentName(trained.parameter);
  if (decay != 0) {
    auto decayed = ScaleOp::create(builder, weight.getLoc(), weight.getType(),
                                   weight, builder.getF64FloatAttr(decay));
    program.setName(decayed, (name + ".decay").str());
    setUpdateOf(decayed, 0, weight);
    auto sum =
        AddOp::create(builder, weight.getLoc(), gradient, decayed.getResult());
    program.setName(sum, (name + ".decayed").str());
    setUpdateOf(sum, 0, weight);
    gradient = sum;
    decay = 0;
  }
  Value factor =
      scheduleFactor(program, getElementTypeOrSelf(gradient.getType()));
  return scaled(program, gradient, factor, weight, (name + ".scheduled").str());
}

/// The weight moves by the sign of a mean of gradients, and decays apart from
/// it; the state is another mean.
void BuildTrainingStep::addLion(Program &program, const Trained &trained) {
  Value weight = trained.weight;
  BlockArgument m = addOptimizerState(program, trained.parameter, ".m");
  OpMaker ops = program.makeOps(program.model.argumentName(trained.parameter),
                                weight.getLoc());
  auto ofWeight = [&](Value value) {
    setUpdateOf(value.getDefiningOp(), 0, weight);
    return value;
  };
  // A mean with `beta` of the old one is the old one, moved to the gradient.
  Value apart = ofWeight(ops.make<SubOp>("apart", trained.gradient, m));
  auto mean = [&](double beta, StringRef name) {
    Value moved = ofWeight(ops.scale(apart, 1 - beta, "moved"));
    return ofWeight(ops.make<AddOp>(name, m, moved));
  };
  Value sign =
      ofWeight(ops.make<SignOp>("sign", weight.getType(), mean(beta1, "mean")));
  double decay = decayOf(program, trained.parameter);
  Value step = scheduled(program, trained, sign, decay);
  auto number = [&](double value) {
    return program.builder.getF64FloatAttr(value);
  };
  Value updated = ofWeight(
      ops.make<SgdOp>("lion", weight.getType(), Type(), weight, step, Value(),
                      number(learningRate), number(0), number(decay)));
  program.addUpdate(updated, cast<BlockArgument>(weight));
  program.addUpdate(mean(secondBeta(), "m_next"), m);
}

void BuildTrainingStep::addSgd(Program &program, const Trained &trained) {
  OpBuilder &builder = program.builder;
  unsigned parameter = trained.parameter;
  StringRef name = program.model.argumentName(parameter);
  Value weight = trained.weight, gradient = trained.gradient;
  BlockArgument velocity;
  if (momentum != 0)
    velocity = addOptimizerState(program, parameter, ".velocity");
  double decay = decayOf(program, parameter);
  gradient = scheduled(program, trained, gradient, decay);
  auto update = SgdOp::create(
      builder, weight.getLoc(), weight.getType(),
      velocity ? velocity.getType() : Type(), weight, gradient, velocity,
      builder.getF64FloatAttr(learningRate), builder.getF64FloatAttr(momentum),
      builder.getF64FloatAttr(decay));
  program.setName(update, (name + ".sgd").str());
  setUpdateOf(update, 0, weight);
  program.addUpdate(update.getNewWeight(), cast<BlockArgument>(weight));
  if (velocity)
    program.addUpdate(update.getNewVelocity(), velocity);
}

void BuildTrainingStep::addRunningStats(Program &program) {
  Block &block = program.function.front();
  // Of statistics that several ops update, in their order.
  llvm::MapVector<unsigned, Value> newest;
  for (const Program::RunningStats &stats : program.runningStats)
    for (unsigned argument : {stats.mean, stats.variance})
      newest[argument] = block.getArgument(argument);
  for (const Program::RunningStats &stats : program.runningStats) {
    Value &mean = newest[stats.mean], &variance = newest[stats.variance];
    BatchNormTrainOp norm = stats.op;
    double momentum = batchNormMomentum == kMomentumOfModel
                          ? stats.momentum
                          : batchNormMomentum.getValue();
    auto update = RunningStatsUpdateOp::create(
        program.builder, norm.getLoc(),
        TypeRange{mean.getType(), variance.getType()}, mean, variance,
        norm.getStats(), program.builder.getF64FloatAttr(momentum),
        norm.getGroupsAttr());
    program.setName(update, (nameOf(norm) + ".running_stats").str());
    update->setAttr(SoapDialect::kUpdateOf,
                    program.builder.getStringAttr(nameOf(norm)));
    mean = update.getNewMean();
    variance = update.getNewVar();
  }
  for (auto [argument, value] : newest)
    program.addUpdate(value, block.getArgument(argument));
}

} // namespace
