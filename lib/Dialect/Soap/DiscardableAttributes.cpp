//===- DiscardableAttributes.cpp - Verifier of soap.* attributes ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The attributes that passes talk through (docs/Architecture.md, section 6):
// what each may hold, on what it may sit.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#include "Soap/Dialect/Soap/BatchNormAttributes.h"
#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/PrecisionAttribute.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/RoleAttributes.h"
#include "Soap/Dialect/Soap/ShardPosition.h"
#include "Soap/Dialect/Soap/StageAttributes.h"
#include "Soap/Dialect/Soap/SumAttribute.h"
#include "Soap/Dialect/Soap/TrainingAttributes.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::soap;

/// A string, not empty.
static LogicalResult checkString(EmitError emitError, NamedAttribute attr) {
  auto text = dyn_cast<StringAttr>(attr.getValue());
  if (text && !text.getValue().empty())
    return success();
  return emitError() << "'" << attr.getName().getValue()
                     << "' must be a string that is not empty, got "
                     << attr.getValue();
}

/// An array of strings.
static LogicalResult checkStrings(EmitError emitError, NamedAttribute attr) {
  auto texts = dyn_cast<ArrayAttr>(attr.getValue());
  if (texts && llvm::all_of(texts, llvm::IsaPred<StringAttr>))
    return success();
  return emitError() << "'" << attr.getName().getValue()
                     << "' must be an array of strings, got "
                     << attr.getValue();
}

/// An i64 in [low, high].
static LogicalResult checkInteger(EmitError emitError, NamedAttribute attr,
                                  int64_t low, int64_t high = maxExtent) {
  auto number = dyn_cast<IntegerAttr>(attr.getValue());
  if (!number || !number.getType().isInteger(64))
    return emitError() << "'" << attr.getName().getValue()
                       << "' must be an i64, got " << attr.getValue();
  if (number.getInt() >= low && number.getInt() <= high)
    return success();
  return emitError() << "'" << attr.getName().getValue() << "' must be in ["
                     << low << ", " << high << "], got " << number.getInt();
}

template <typename AttrType>
static LogicalResult checkType(EmitError emitError, NamedAttribute attr,
                               StringRef what) {
  if (isa<AttrType>(attr.getValue()))
    return success();
  return emitError() << "'" << attr.getName().getValue() << "' must be " << what
                     << ", got " << attr.getValue();
}

/// An enum attribute `#soap.NAME<VALUE>` with one of `values`, or a string that
/// names the value.
template <typename AttrT, typename Enum>
static LogicalResult checkEnum(EmitError emitError, NamedAttribute attr,
                               ArrayRef<Enum> values) {
  auto value = enumValue<AttrT>(attr.getValue());
  if (value && llvm::is_contained(values, *value))
    return success();
  InFlightDiagnostic diagnostic = emitError();
  diagnostic << "'" << attr.getName().getValue() << "' must be one of ";
  MLIRContext *context = attr.getValue().getContext();
  llvm::interleaveComma(values, diagnostic,
                        [&](Enum v) { diagnostic << AttrT::get(context, v); });
  return diagnostic << ", got " << attr.getValue();
}

static LogicalResult checkIsConfig(EmitError emitError, NamedAttribute attr) {
  return checkType<ConfigAttr>(emitError, attr, "a '#soap.config'");
}

/// A dictionary of strings: own loop to the forward op's loop.
static LogicalResult checkLoopMap(EmitError emitError, NamedAttribute attr) {
  auto dictionary = dyn_cast<DictionaryAttr>(attr.getValue());
  bool valid = static_cast<bool>(dictionary);
  if (dictionary)
    for (NamedAttribute entry : dictionary)
      valid = valid && isa<StringAttr>(entry.getValue());
  if (valid)
    return success();
  return emitError() << "'" << attr.getName().getValue()
                     << "' must map loop names to strings, got "
                     << attr.getValue();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Tables of entries and of their ranks; what else is in them is checked where
/// it is read.
static LogicalResult checkPrograms(EmitError emitError, NamedAttribute attr) {
  auto isTables = [](Attribute value) {
    auto list = dyn_cast_or_null<ArrayAttr>(value);
    return list && llvm::all_of(list, llvm::IsaPred<DictionaryAttr>);
  };
  StringRef name = attr.getName().getValue();
  if (!isTables(attr.getValue()))
    return emitError() << "'" << name << "' must be an array of dictionaries";
  for (auto entry : cast<ArrayAttr>(attr.getValue())) {
    Attribute ranks = cast<DictionaryAttr>(entry).get("ranks");
    if (!ranks)
      continue;
    if (!isTables(ranks))
      return emitError() << "'" << name
                         << "' has 'ranks' that are no array of dictionaries";
    for (auto rank : cast<ArrayAttr>(ranks).getAsRange<DictionaryAttr>())
      if (auto device = rank.getAs<IntegerAttr>("device");
          device && (device.getValue().isNegative() ||
                     device.getValue().getActiveBits() > 31))
        return emitError() << "'" << name << "' has a rank on device "
                           << llvm::toString(device.getValue(), 10,
                                             /*Signed=*/true)
                           << ": expected 0 to 2147483647";
  }
  return success();
}

/// A typed attribute, which has verified itself, or a dictionary with the same
/// entries.
static LogicalResult checkPipeline(EmitError emitError, NamedAttribute attr) {
  if (readPipeline(attr.getValue()))
    return success();
  return emitError() << "'" << attr.getName().getValue()
                     << "' must be #soap.pipeline<microbatches = N, schedule = "
                        "S, replicas = [R, ...]> with N of at least 1, S "
                        "\"1f1b\" or \"gpipe\", and, if any, R of at least "
                        "1, got "
                     << attr.getValue();
}

/// Stages are of a pipeline.
static LogicalResult checkStages(EmitError emitError, NamedAttribute attr,
                                 Operation *op) {
  PipelineAttr pipeline = readPipeline(op->getAttr(SoapDialect::kPipeline));
  if (!pipeline || !pipeline.getReplicas().empty())
    return emitError() << "'" << attr.getName().getValue() << "' needs a '"
                       << SoapDialect::kPipeline << "' without replicas";
  ::soap::Expected<std::vector<StageEntry>> stages =
      readStages(attr.getValue());
  if (stages)
    return success();
  return emitError() << "'" << attr.getName().getValue()
                     << "': " << stages.error();
}

/// A typed attribute, which has verified itself, or its text.
static LogicalResult checkTopology(EmitError emitError, NamedAttribute attr) {
  if (!topologyText(attr.getValue()).empty())
    return success();
  return emitError() << "'" << attr.getName().getValue()
                     << "' must be #soap.topology<NAME or table>, got "
                     << attr.getValue();
}

/// A layout for each operand and result; other ones than NCHW are of images.
static LogicalResult checkLayouts(EmitError emitError, NamedAttribute attr,
                                  Operation *op) {
  auto list = dyn_cast<ArrayAttr>(attr.getValue());
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  if (!list || list.size() != types.size())
    return emitError() << "'" << attr.getName().getValue()
                       << "' must have a layout for each operand and result, "
                       << types.size() << ", got " << attr.getValue();
  for (auto [layout, type] : llvm::zip(list, types)) {
    NamedAttribute one(attr.getName(), layout);
    if (failed(checkEnum<TensorLayoutAttr, TensorLayout>(
            emitError, one, {TensorLayout::NCHW, TensorLayout::NHWC})))
      return failure();
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool isImage = tensor && tensor.getRank() == 4;
    if (!isImage && enumValue<TensorLayoutAttr>(layout) != TensorLayout::NCHW)
      return emitError() << "'" << attr.getName().getValue() << "' has "
                         << layout << " for " << type
                         << ", which has no four dims";
  }
  return success();
}

/// An f64 in [0, 1], on a batch norm that has running statistics.
static LogicalResult checkMomentum(EmitError emitError, NamedAttribute attr,
                                   Operation *op) {
  StringRef name = attr.getName().getValue();
  if (!isa<BatchNormOp>(op))
    return emitError() << "is no 'soap.batch_norm', so it takes no '" << name
                       << "'";
  auto number = dyn_cast<FloatAttr>(attr.getValue());
  if (number && number.getType().isF64() && number.getValueAsDouble() >= 0 &&
      number.getValueAsDouble() <= 1)
    return success();
  return emitError() << "'" << name << "' must be an f64 in [0, 1], got "
                     << attr.getValue();
}

/// The type f32, on an op that sums floats of fewer bits and has results of it.
static LogicalResult checkSumType(EmitError emitError, NamedAttribute attr,
                                  Operation *op) {
  StringRef name = attr.getName().getValue();
  if (!mayHaveSumType(op))
    return emitError() << "takes no '" << name
                       << "', which is of a matmul, a reduce with sums, a "
                          "conv2d_weight_grad or a gather_grad";
  auto type = dyn_cast<TypeAttr>(attr.getValue());
  if (!type || !type.getValue().isF32())
    return emitError() << "'" << name << "' must be f32, got "
                       << attr.getValue();
  Type operand = getElementTypeOrSelf(op->getOperand(0).getType()),
       result = getElementTypeOrSelf(op->getResult(0).getType());
  auto narrow = dyn_cast<FloatType>(operand);
  if (!narrow || narrow.getWidth() >= 32)
    return emitError() << "'" << name
                       << "' needs operands with floats of fewer than 32 bits, "
                          "got "
                       << operand;
  if (result != type.getValue())
    return emitError() << "has elements of " << result << ", expected "
                       << type.getValue() << ", its '" << name << "'";
  return success();
}

LogicalResult SoapDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  auto emitError = [&] { return op->emitOpError(); };
  StringRef name = attr.getName().getValue();
  if (name == kConfig) {
    if (failed(checkIsConfig(emitError, attr)))
      return failure();
    // Ops with a space check the config against it in their own verifier.
    if (!isa<IterationSpaceOpInterface>(op))
      return op->emitOpError()
             << "has no loops, so it takes no '" << name << "'";
    return success();
  }
  if (name == kName || name == kGradOf || name == kUpdateOf ||
      name == kRecomputeOf)
    return checkString(emitError, attr);
  if (name == kKeep)
    return checkEnum<KeptFormAttr, KeptForm>(
        emitError, attr, {KeptForm::Both, KeptForm::Before, KeptForm::After});
  if (name == kLoopMap)
    return checkLoopMap(emitError, attr);
  if (name == kSlot)
    return checkInteger(emitError, attr, 0);
  if (name == kTopology)
    return checkTopology(emitError, attr);
  if (name == kManifest || name == kTraining || name == kExecutor)
    return checkString(emitError, attr);
  if (name == kPrograms)
    return checkPrograms(emitError, attr);
  if (name == kPipeline)
    return checkPipeline(emitError, attr);
  if (name == kStages)
    return checkStages(emitError, attr, op);
  if (name == kArenaBytes)
    return checkInteger(emitError, attr, 0);
  if (name == kFusedSlots)
    return checkType<DenseI64ArrayAttr>(emitError, attr, "an array<i64>");
  if (name == kGpuKernel)
    return checkType<SymbolRefAttr>(emitError, attr, "a symbol");
  if (name == kStreams || name == kBlock)
    return checkInteger(emitError, attr, 1);
  if (name == kStream)
    return checkInteger(emitError, attr, 0);
  if (name == kNoPost || name == kUpdate || name == kLanes ||
      name == kTogether || name == kIndependent || name == kFixed)
    return checkType<UnitAttr>(emitError, attr, "a unit attribute");
  if (name == kUncertainRoles)
    return checkStrings(emitError, attr);
  if (name == kBatchNormMomentum)
    return checkMomentum(emitError, attr, op);
  if (name == kLayouts)
    return checkLayouts(emitError, attr, op);
  if (name == kPrecision) {
    if (!isa<ModuleOp>(op))
      return emitError() << "'" << name << "' needs a module";
    return checkEnum<PrecisionAttr, Precision>(
        emitError, attr, {Precision::F32, Precision::TF32, Precision::BF16});
  }
  if (name == kSumType)
    return checkSumType(emitError, attr, op);
  if (name == kGpuTarget)
    return checkType<DictionaryAttr>(emitError, attr, "a dictionary");
  return emitError() << "unknown attribute '" << name << "'";
}

//===----------------------------------------------------------------------===//
// Function arguments and results
//===----------------------------------------------------------------------===//

/// A config over the dims d0, d1, ... of a tensor.
static LogicalResult checkTensorConfig(EmitError emitError, NamedAttribute attr,
                                       Type type) {
  if (failed(checkIsConfig(emitError, attr)) ||
      failed(checkTensorType(emitError, type)))
    return failure();
  IterationSpace space;
  space.loops = dimLoops(shapeOf(type));
  std::string error;
  auto config = resolveConfig(cast<ConfigAttr>(attr.getValue()), space, error);
  if (!config)
    return emitError() << "has a bad config: " << error;
  ::soap::ConfigCheck check = ::soap::checkConfig(space, *config, -1);
  if (check.fault != ::soap::ConfigFault::None)
    return emitError() << "has a bad config: " << check.message;
  return success();
}

/// A rule by name, or the elements themselves.
static LogicalResult checkInit(EmitError emitError, NamedAttribute attr,
                               Type type) {
  auto elements = dyn_cast<ElementsAttr>(attr.getValue());
  if (!elements)
    return checkEnum<InitRuleAttr, InitRule>(emitError, attr,
                                             {InitRule::He, InitRule::Glorot,
                                              InitRule::Zeros, InitRule::Ones,
                                              InitRule::Default});
  if (elements.getShapedType() == type)
    return success();
  return emitError() << "'" << attr.getName().getValue() << "' of type "
                     << elements.getShapedType()
                     << " does not fit an argument of type " << type;
}

/// The memory of the host holds states.
static LogicalResult checkMemory(EmitError emitError, NamedAttribute attr,
                                 FunctionOpInterface function,
                                 unsigned argument) {
  StringRef name = attr.getName().getValue();
  auto memory = dyn_cast<StringAttr>(attr.getValue());
  if (!memory || memory.getValue() != kHost)
    return emitError() << "'" << name << "' must be \"" << kHost
                       << "\" (absent: the memory of the device), got "
                       << attr.getValue();
  // Programs on buffers have no kinds any more.
  bool isBuffer = isa<MemRefType>(function.getArgumentTypes()[argument]);
  if (isBuffer || enumValue<ValueKindAttr>(function.getArgAttr(
                      argument, SoapDialect::kKind)) == ValueKind::State)
    return success();
  return emitError() << "'" << name << "' needs a state of an optimizer ("
                     << SoapDialect::kKind << " = #soap.kind<state>)";
}

LogicalResult SoapDialect::verifyRegionArgAttribute(Operation *op,
                                                    unsigned region,
                                                    unsigned argument,
                                                    NamedAttribute attr) {
  auto emitError = [&] {
    return op->emitOpError() << "argument #" << argument << ": ";
  };
  StringRef name = attr.getName().getValue();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitError() << "'" << name << "' needs a function";
  Type type = function.getArgumentTypes()[argument];
  if (name == kKind)
    return checkEnum<ValueKindAttr, ValueKind>(
        emitError, attr,
        {ValueKind::Data, ValueKind::Label, ValueKind::Parameter,
         ValueKind::State, ValueKind::Positions});
  if (name == kName)
    return checkString(emitError, attr);
  if (name == kSampleDim) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return checkInteger(emitError, attr, 0, tensor ? tensor.getRank() - 1 : -1);
  }
  if (name == kMemory)
    return checkMemory(emitError, attr, function, argument);
  if (name == kInit)
    return checkInit(emitError, attr, type);
  if (name == kKeep)
    return checkEnum<KeptFormAttr, KeptForm>(
        emitError, attr, {KeptForm::Both, KeptForm::Before});
  if (name == kFanIn || name == kFanOut)
    return checkInteger(emitError, attr, 1);
  if (name == kClasses) {
    // Labels do not count from the end.
    auto classes = dyn_cast<IntegerAttr>(attr.getValue());
    bool mayBeNegative =
        enumValue<ValueKindAttr>(function.getArgAttr(argument, kKind)) !=
        ValueKind::Label;
    return classes && classes.getValue().isNegative() && mayBeNegative
               ? checkInteger(emitError, attr, -maxExtent, -1)
               : checkInteger(emitError, attr, 1);
  }
  if (name == kConfig)
    return checkTensorConfig(emitError, attr, type);
  if (name == kResult)
    return checkInteger(emitError, attr, 0);
  if (name == kUpdated)
    return checkType<UnitAttr>(emitError, attr, "a unit attribute");
  return emitError() << "unknown attribute '" << name << "'";
}

LogicalResult SoapDialect::verifyRegionResultAttribute(Operation *op,
                                                       unsigned region,
                                                       unsigned result,
                                                       NamedAttribute attr) {
  auto emitError = [&] {
    return op->emitOpError() << "result #" << result << ": ";
  };
  StringRef name = attr.getName().getValue();
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return emitError() << "'" << name << "' needs a function";
  if (name == kKind)
    return checkEnum<ValueKindAttr, ValueKind>(
        emitError, attr,
        {ValueKind::Loss, ValueKind::Correct, ValueKind::Output,
         ValueKind::Update});
  if (name == kName)
    return checkString(emitError, attr);
  if (name == kConfig)
    return checkTensorConfig(emitError, attr,
                             function.getResultTypes()[result]);
  if (name != kUpdates)
    return emitError() << "unknown attribute '" << name << "'";
  if (failed(
          checkInteger(emitError, attr, 0,
                       static_cast<int64_t>(function.getNumArguments()) - 1)))
    return failure();
  int64_t argument = cast<IntegerAttr>(attr.getValue()).getInt();
  Type from = function.getResultTypes()[result],
       to = function.getArgumentTypes()[argument];
  if (from != to)
    return emitError() << "'" << name << "' names argument #" << argument
                       << " of type " << to << ", got a result of type "
                       << from;
  return success();
}
