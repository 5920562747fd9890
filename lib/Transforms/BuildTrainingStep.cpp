//===- BuildTrainingStep.cpp - Forward to training step -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass --soap-build-training-step: from @forward to @train_step (forward,
// loss, backward, updates) and @evaluate. docs/TrainingStep.md has the why.
//
//===----------------------------------------------------------------------===//

#include "CheckedOptions.h"
#include "LossCheck.h"
#include "ModuleContents.h"

#include "Differentiation.h"
#include "Soap/Dialect/Soap/BatchNormAttributes.h"
#include "Soap/Dialect/Soap/LoopCorrespondence.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/DebugLog.h"

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

  /// Checks that the function can be trained or evaluated; diagnoses if not.
  LogicalResult check();
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
  /// [.., K].
  RankedTensorType logitsType() {
    return cast<RankedTensorType>(function.getResultTypes()[0]);
  }
  unsigned numArguments() { return function.getNumArguments(); }
  /// The dim of the labels that counts samples: that of the first data argument
  /// that has one and whose extent the labels have there.
  int64_t labelSampleDim();

  func::FuncOp function;
  llvm::StringSet<> opNames, argumentNames;

private:
  LogicalResult checkArguments();
  LogicalResult checkLogits();
};

LogicalResult Model::check() {
  if (function.isExternal())
    return function.emitError("function '@forward' has no body");
  if (!function.getBody().hasOneBlock())
    return function.emitError(
        "function '@forward' has several blocks, expected one");
  if (failed(checkArguments()))
    return failure();
  return checkLogits();
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

LogicalResult Model::checkLogits() {
  if (function.getNumResults() != 1)
    return function.emitError()
           << "function '@forward' has " << function.getNumResults()
           << " results, expected one, the logits; a model that computes a "
              "loss of its own is exported without it";
  Type result = function.getResultTypes()[0];
  auto type = dyn_cast<RankedTensorType>(result);
  if (!type || type.getRank() < 2 || !type.hasStaticShape() ||
      !isa<FloatType>(type.getElementType()))
    return function.emitError()
           << "result of '@forward' is " << result
           << ", expected logits: a tensor of floats "
              "of static shape [samples, classes] or "
              "[samples, .., classes]"
           << (type && type.getRank() < 2 ? "; a model that computes a loss of "
                                            "its own is exported without it"
                                          : "");
  if (type.getNumElements() == 0)
    return function.emitError()
           << "result of '@forward' is " << result << ", which is empty";
  return success();
}

int64_t Model::labelSampleDim() {
  ArrayRef<int64_t> labels = logitsType().getShape().drop_back();
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

/// A function under construction: the forward ops with a loss behind them.
class Program {
public:
  Program(Model &model, StringRef name);

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
  /// Clones the forward op; batch norm on running statistics becomes batch norm
  /// on the batch's if `training`.
  LogicalResult cloneForward(bool training);
  /// Appends the label argument and the loss.
  void addLoss();
  /// The number of the iteration, from 1: a state, created by the first call.
  Value step();
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
  CrossEntropyOp loss;
  CounterOp counter;
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
  void cloneDropout(DropoutOp op, bool training);

  IRMapping mapping;
  llvm::StringSet<> opNames, argumentNames;
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> resultAttrs;
  /// Which batch norm updates a state argument.
  llvm::DenseMap<unsigned, Operation *> statsOwners;
};

Program::Program(Model &model, StringRef name)
    : model(model), builder(model.function.getContext()),
      loc(model.function.getLoc()), opNames(model.opNames),
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

LogicalResult Program::cloneForward(bool training) {
  for (Operation &op : model.function.front().without_terminator()) {
    if (auto dropout = dyn_cast<DropoutOp>(op); dropout && !dropout.getStep()) {
      cloneDropout(dropout, training);
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
    if (!isNew) {
      InFlightDiagnostic diagnostic = op.emitOpError()
                                      << "shares its running statistics '"
                                      << model.argumentName(argument)
                                      << "', which only one op can update";
      diagnostic.attachNote(it->second->getLoc()) << "also used here";
      return diagnostic;
    }
  }
  auto train = BatchNormTrainOp::create(
      builder, op.getLoc(), mapping.lookup(op.getX()),
      mapping.lookup(op.getGamma()), mapping.lookup(op.getBeta()),
      op.getEpsilonAttr());
  train->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  train->removeDiscardableAttr(kBatchNormMomentum);
  mapping.map(op.getY(), train.getY());
  auto momentum = op->getAttrOfType<FloatAttr>(kBatchNormMomentum);
  runningStats.push_back(
      {train, arguments[0], arguments[1],
       momentum ? momentum.getValueAsDouble() : kDefaultMomentum});
  return success();
}

/// Inference drops nothing.
void Program::cloneDropout(DropoutOp op, bool training) {
  Value x = mapping.lookup(op.getX());
  if (!training) {
    mapping.map(op.getY(), x);
    return;
  }
  Value counted = step();
  auto drops = DropoutOp::create(builder, op.getLoc(), op.getY().getType(), x,
                                 counted, op.getRateAttr(), op.getSeedAttr());
  drops->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  mapping.map(op.getY(), drops.getY());
}

Value Program::step() {
  if (counter)
    return counter.getNewStep();
  BlockArgument argument = addArgument(
      RankedTensorType::get({}, builder.getI32Type()), "state", "step",
      builder.getNamedAttr(
          SoapDialect::kInit,
          InitRuleAttr::get(builder.getContext(), InitRule::Zeros)));
  counter = CounterOp::create(builder, loc, argument.getType(), argument);
  setName(counter, "step.counter");
  return counter.getNewStep();
}

void Program::addLoss() {
  RankedTensorType logits = model.logitsType();
  ArrayRef<int64_t> positions = logits.getShape().drop_back();
  BlockArgument label = addArgument(
      RankedTensorType::get(positions, builder.getI32Type()), "label", "label",
      {builder.getNamedAttr(SoapDialect::kSampleDim,
                            builder.getI64IntegerAttr(model.labelSampleDim())),
       builder.getNamedAttr(
           SoapDialect::kClasses,
           builder.getI64IntegerAttr(logits.getShape().back()))});
  Value output =
      mapping.lookup(model.function.front().getTerminator()->getOperand(0));
  // The mean over all positions.
  int64_t rows = 1;
  for (int64_t extent : positions)
    rows *= extent;
  loss = CrossEntropyOp::create(builder, loc, output, label,
                                builder.getF64FloatAttr(1.0 / rows));
  setName(loss, "loss");
  addResult(loss.getLoss(), "loss", "loss");
  addResult(loss.getCorrect(), "correct", "correct");
}

void Program::finish() {
  func::ReturnOp::create(builder, loc, results);
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           ValueRange(results).getTypes()));
  function.setAllResultAttrs(resultAttrs);
  // Names of gradient ops derive from names of forward ops, which may happen to
  // look like them.
  llvm::StringSet<> taken;
  for (Operation &op : function.front())
    if (StringRef name = nameOf(&op); !name.empty())
      if (std::string unique = uniqueName(name, taken); unique != name)
        op.setAttr(SoapDialect::kName, builder.getStringAttr(unique));
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
  LogicalResult run();
  LogicalResult checkOptions();
  FailureOr<OwningOpRef<func::FuncOp>> buildEvaluate(Model &model);
  FailureOr<OwningOpRef<func::FuncOp>> buildTrainStep(Model &model);
  LogicalResult addUpdates(Program &program);
  void addUpdate(Program &program, unsigned parameter, Value gradient);
  void addSgd(Program &program, unsigned parameter, Value gradient);
  void addAdam(Program &program, unsigned parameter, Value gradient);
  /// 1 / (1 - beta^step), one for all parameters of an element type.
  using ByElement = llvm::DenseMap<Type, Value>;
  Value biasCorrection(Program &program, Type element, double beta,
                       ByElement &known, StringRef name);
  BlockArgument addOptimizerState(Program &program, unsigned parameter,
                                  StringRef suffix);

  /// Factor of the schedule in this iteration, one for all parameters.
  Value scheduleFactor(Program &program, Type element);
  /// `value`, of the shape of a parameter, times the factor.
  Value scheduled(Program &program, Value value, Value weight, StringRef name);

  ByElement corrections1, corrections2, scheduleFactors;
  void addRunningStats(Program &program);
};

LogicalResult BuildTrainingStep::checkOptions() {
  auto error = [&] { return getOperation().emitError(); };
  if (loss != "auto" && loss != "softmax-cross-entropy")
    return error() << "unknown loss '" << loss
                   << "', expected 'auto' or 'softmax-cross-entropy'";
  if (optimizer != "sgd" && optimizer != "adam" && optimizer != "adamw")
    return error() << "unknown optimizer '" << optimizer
                   << "', expected 'sgd', 'adam' or 'adamw'";
  if (optimizer != "sgd" && momentum != 0)
    return error() << "momentum is of optimizer 'sgd', not '" << optimizer
                   << "', which has beta1";
  for (const auto &[name, beta] :
       {std::pair("beta1", beta1.getValue()), {"beta2", beta2.getValue()}})
    if (!(beta >= 0 && beta < 1))
      return error() << name << " is " << beta
                     << ", expected a number in [0, 1)";
  if (!(epsilon > 0) || !std::isfinite(epsilon))
    return error() << "epsilon is " << epsilon.getValue()
                   << ", expected a finite number above 0";
  if (!(learningRate >= 0) || !std::isfinite(learningRate))
    return error() << "learning-rate is " << learningRate.getValue()
                   << ", expected a finite number of at least 0";
  if (schedule != "constant" && schedule != "linear")
    return error() << "unknown schedule '" << schedule
                   << "', expected 'constant' or 'linear'";
  if (schedule == "linear" ? totalIterations < 1 : totalIterations != 0)
    return error() << "total-iterations is " << totalIterations.getValue()
                   << ", expected "
                   << (schedule == "linear"
                           ? "a number above 0 with 'schedule=linear'"
                           : "it with 'schedule=linear' only");
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
  return success();
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
  for (StringRef name : {kTrainStep, kEvaluate})
    if (Operation *existing = module.lookupSymbol(name))
      return existing->emitError()
             << "'@" << name << "' exists already, and is to be built";
  Model model(forward);
  LossChoice choice = loss != "auto" ? LossChoice::Named
                      : inference    ? LossChoice::InferenceOnly
                                     : LossChoice::Assumed;
  if (failed(model.check()) || failed(model.completeNames()) ||
      failed(checkSoftmaxCrossEntropy(forward, choice)))
    return failure();
  LDBG() << "loss " << loss << ", optimizer " << optimizer << ", "
         << model.function.getNumArguments() << " arguments";
  SmallVector<OwningOpRef<func::FuncOp>> programs;
  if (!inference) {
    FailureOr<OwningOpRef<func::FuncOp>> step = buildTrainStep(model);
    if (failed(step))
      return failure();
    programs.push_back(std::move(*step));
  }
  FailureOr<OwningOpRef<func::FuncOp>> evaluate = buildEvaluate(model);
  if (failed(evaluate))
    return failure();
  programs.push_back(std::move(*evaluate));
  for (OwningOpRef<func::FuncOp> &program : programs)
    module.push_back(program.release());
  return success();
}

FailureOr<OwningOpRef<func::FuncOp>>
BuildTrainingStep::buildEvaluate(Model &model) {
  Program program(model, kEvaluate);
  OwningOpRef<func::FuncOp> owner(program.function);
  if (failed(program.cloneForward(/*training=*/false)))
    return failure();
  program.addLoss();
  program.finish();
  return owner;
}

FailureOr<OwningOpRef<func::FuncOp>>
BuildTrainingStep::buildTrainStep(Model &model) {
  Program program(model, kTrainStep);
  OwningOpRef<func::FuncOp> owner(program.function);
  if (failed(program.cloneForward(/*training=*/true)))
    return failure();
  program.addLoss();
  if (failed(addUpdates(program)))
    return failure();
  program.finish();
  return owner;
}

/// Backward ops, then all update ops: an argument that is replaced must not be
/// read behind its update, or its buffer could not be reused.
LogicalResult BuildTrainingStep::addUpdates(Program &program) {
  for (ByElement *known : {&corrections1, &corrections2, &scheduleFactors})
    known->clear();
  Model &model = program.model;
  llvm::DenseSet<unsigned> statistics;
  for (const Program::RunningStats &stats : program.runningStats)
    statistics.insert_range(ArrayRef{stats.mean, stats.variance});
  SmallVector<unsigned> parameters;
  SmallVector<Value> wanted;
  for (unsigned i = 0; i < model.numArguments(); ++i) {
    BlockArgument argument = program.function.front().getArgument(i);
    if (model.kindOf(i) != "parameter" || statistics.contains(i))
      continue;
    if (!isa<FloatType>(getElementTypeOrSelf(argument.getType())))
      return model.function.emitError()
             << "parameter '" << model.argumentName(i) << "' has type "
             << argument.getType() << ", expected floats";
    parameters.push_back(i);
    wanted.push_back(argument);
  }
  if (parameters.empty())
    return model.function.emitError(
        "function '@forward' has no argument of kind 'parameter' to train");

  OpBuilder &builder = program.builder;
  auto lossType = cast<RankedTensorType>(program.loss.getLoss().getType());
  auto seed = ConstantOp::create(
      builder, program.loc, lossType,
      DenseElementsAttr::get(lossType, Attribute(builder.getFloatAttr(
                                           lossType.getElementType(), 1.0))));
  program.setName(seed, (nameOf(program.loss) + ".seed").str());
  setGradientOf(seed, program.loss);
  llvm::DenseMap<Value, Value> gradients;
  gradients[program.loss.getLoss()] = seed;
  if (failed(
          buildBackward(builder, program.function.front(), wanted, gradients)))
    return failure();

  bool any = false;
  for (auto [parameter, value] : llvm::zip_equal(parameters, wanted)) {
    Value gradient = gradients.lookup(value);
    if (gradient)
      addUpdate(program, parameter, gradient);
    else
      model.function.emitRemark()
          << "parameter '" << model.argumentName(parameter)
          << "' has no influence on the loss and is not trained";
    any |= bool(gradient);
  }
  if (!any)
    return model.function.emitError(
        "no parameter of '@forward' has influence on the loss");
  addRunningStats(program);
  if (CounterOp counter = program.counter)
    program.addResult(
        counter.getNewStep(), "update",
        program.argumentName(cast<BlockArgument>(counter.getStep())),
        cast<BlockArgument>(counter.getStep()).getArgNumber());
  return success();
}

/// Says which forward op the weight `parameter` belongs to: the first that uses
/// it.
static void setUpdateOf(Operation *update, unsigned tensor, Value parameter) {
  Operation *user = nullptr;
  for (Operation *candidate : parameter.getUsers())
    if (candidate != update && !nameOf(candidate).empty() &&
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

void BuildTrainingStep::addUpdate(Program &program, unsigned parameter,
                                  Value gradient) {
  if (optimizer == "sgd")
    addSgd(program, parameter, gradient);
  else
    addAdam(program, parameter, gradient);
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

/// max(0, 1 - (step - 1) / total): 1 in the first iteration, 0 after the last.
Value BuildTrainingStep::scheduleFactor(Program &program, Type element) {
  Value &known = scheduleFactors[element];
  if (known)
    return known;
  OpBuilder &builder = program.builder;
  Location loc = program.loc;
  auto scalar = RankedTensorType::get({}, element);
  auto constant = [&](double value, StringRef name) -> Value {
    auto op = ConstantOp::create(
        builder, loc, scalar,
        DenseElementsAttr::get(
            scalar, Attribute(builder.getFloatAttr(element, value))));
    program.setName(op, name);
    return op.getY();
  };
  auto named = [&](auto op, StringRef name) -> Value {
    program.setName(op, name);
    return op->getResult(0);
  };
  double share = 1 / static_cast<double>(totalIterations);
  Value step = named(CastOp::create(builder, loc, scalar, program.step()),
                     "schedule.step");
  Value done = named(ScaleOp::create(builder, loc, scalar, step,
                                     builder.getF64FloatAttr(-share)),
                     "schedule.done");
  Value left = named(
      AddOp::create(builder, loc, done, constant(1 + share, "schedule.whole")),
      "schedule.left");
  return known = named(
             MaximumOp::create(builder, loc, left, constant(0, "schedule.end")),
             "schedule.factor");
}

Value BuildTrainingStep::scheduled(Program &program, Value value, Value weight,
                                   StringRef name) {
  Value factor = scheduleFactor(program, getElementTypeOrSelf(value.getType()));
  auto product = MulOp::create(program.builder, weight.getLoc(), value, factor);
  program.setName(product, name);
  if (!cast<RankedTensorType>(value.getType()).getShape().empty())
    setUpdateOf(product, 0, weight);
  return product;
}

void BuildTrainingStep::addAdam(Program &program, unsigned parameter,
                                Value gradient) {
  OpBuilder &builder = program.builder;
  StringRef name = program.model.argumentName(parameter);
  Value weight = program.function.front().getArgument(parameter);
  Type element = getElementTypeOrSelf(weight.getType());
  BlockArgument m = addOptimizerState(program, parameter, ".m"),
                v = addOptimizerState(program, parameter, ".v");
  Value first = biasCorrection(program, element, beta1, corrections1,
                               "step.correction1"),
        second = biasCorrection(program, element, beta2, corrections2,
                                "step.correction2");
  if (schedule != "constant")
    first = scheduled(program, first, weight,
                      (name + "." + optimizer.getValue() + ".rate").str());
  auto number = [&](double value) { return builder.getF64FloatAttr(value); };
  Type type = weight.getType();
  auto update = AdamOp::create(
      builder, weight.getLoc(), type, type, type, weight, gradient, m, v, first,
      second, number(learningRate), number(beta1), number(beta2),
      number(epsilon), number(weightDecay),
      optimizer == "adamw" ? builder.getUnitAttr() : UnitAttr());
  program.setName(update, (name + "." + optimizer.getValue()).str());
  setUpdateOf(update, 0, weight);
  program.addResult(update.getNewWeight(), "update", name, parameter);
  program.addResult(update.getNewM(), "update", program.argumentName(m),
                    m.getArgNumber());
  program.addResult(update.getNewV(), "update", program.argumentName(v),
                    v.getArgNumber());
}

void BuildTrainingStep::addSgd(Program &program, unsigned parameter,
                               Value gradient) {
  OpBuilder &builder = program.builder;
  StringRef name = program.model.argumentName(parameter);
  Value weight = program.function.front().getArgument(parameter);
  BlockArgument velocity;
  if (momentum != 0)
    velocity = addOptimizerState(program, parameter, ".velocity");
  double decay = weightDecay;
  if (schedule != "constant") {
    if (decay != 0) {
      auto decayed = ScaleOp::create(builder, weight.getLoc(), weight.getType(),
                                     weight, builder.getF64FloatAttr(decay));
      program.setName(decayed, (name + ".decay").str());
      setUpdateOf(decayed, 0, weight);
      auto sum = AddOp::create(builder, weight.getLoc(), gradient,
                               decayed.getResult());
      program.setName(sum, (name + ".decayed").str());
      setUpdateOf(sum, 0, weight);
      gradient = sum;
      decay = 0;
    }
    gradient =
        scheduled(program, gradient, weight, (name + ".scheduled").str());
  }
  auto update = SgdOp::create(
      builder, weight.getLoc(), weight.getType(),
      velocity ? velocity.getType() : Type(), weight, gradient, velocity,
      builder.getF64FloatAttr(learningRate), builder.getF64FloatAttr(momentum),
      builder.getF64FloatAttr(decay));
  program.setName(update, (name + ".sgd").str());
  setUpdateOf(update, 0, weight);
  program.addResult(update.getNewWeight(), "update", name, parameter);
  if (velocity)
    program.addResult(update.getNewVelocity(), "update",
                      program.argumentName(velocity), velocity.getArgNumber());
}

void BuildTrainingStep::addRunningStats(Program &program) {
  Block &block = program.function.front();
  for (const Program::RunningStats &stats : program.runningStats) {
    Value mean = block.getArgument(stats.mean);
    Value variance = block.getArgument(stats.variance);
    BatchNormTrainOp norm = stats.op;
    double momentum = batchNormMomentum == kMomentumOfModel
                          ? stats.momentum
                          : batchNormMomentum.getValue();
    auto update = RunningStatsUpdateOp::create(
        program.builder, norm.getLoc(),
        TypeRange{mean.getType(), variance.getType()}, mean, variance,
        norm.getStats(), program.builder.getF64FloatAttr(momentum));
    program.setName(update, (nameOf(norm) + ".running_stats").str());
    update->setAttr(SoapDialect::kUpdateOf,
                    program.builder.getStringAttr(nameOf(norm)));
    program.addResult(update.getNewMean(), "update",
                      program.model.argumentName(stats.mean), stats.mean);
    program.addResult(update.getNewVar(), "update",
                      program.model.argumentName(stats.variance),
                      stats.variance);
  }
}

} // namespace
