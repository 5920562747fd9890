//===- Importer.cpp - From an ONNX graph to a function ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which graph inputs are data, arguments and their attributes, nodes in order,
// results.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "ExactForms.h"
#include "Safetensors.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Verifier.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

/// Values up to this many elements are printed in place, more go into
/// resources.
static constexpr int64_t kInlineElements = 64;
/// Nodes of the file and of all rounds of its loops.
static constexpr int64_t kLargestNumNodes = int64_t(1) << 20;

GraphImporter::GraphImporter(Model &model, MLIRContext *context, Location loc,
                             const ONNXImportOptions &options)
    : model(model), options(options), builder(context), loc(loc) {
  addLinearOps(table);
  addPoolingOps(table);
  addNormalizationOps(table);
  addElementwiseOps(table);
  addReductionOps(table);
  addShapeOps(table);
  addLogicOps(table);
  addIndexingOps(table);
  addRecurrentOps(table);
  addConstantOps(table);
  addConvolutionOps(table);
  addResizeOps(table);
  addScatterOps(table);
  addSelectionOps(table);
  addRoundingOps(table);
  addCurveOps(table);
  addGroupNormOps(table);
  addAttentionOps(table);
  addGatedOps(table);
  addLossOps(table);
  addQuantizationOps(table);
  addTileOps(table);
  addSubgraphOps(table);
  addSequenceOps(table);
}

std::string GraphImporter::uniqueName(const std::string &wanted,
                                      std::set<std::string> &taken) {
  std::string base = importedName(wanted);
  if (base.empty())
    base = "unnamed";
  std::string name = base;
  for (int64_t i = 1; !taken.insert(name).second; ++i)
    name = base + "_" + std::to_string(i);
  return name;
}

/// Nodes define every value once; counts uses.
LogicalResult GraphImporter::indexNodes() {
  std::set<std::string> defined;
  for (const ValueInfo &info : model.inputs)
    defined.insert(info.name);
  for (const Tensor &tensor : model.initializers)
    defined.insert(tensor.name);
  for (auto [index, node] : llvm::enumerate(model.nodes)) {
    bool hasOutput = false;
    for (const std::string &output : node.outputs) {
      if (output.empty())
        continue;
      hasOutput = true;
      if (!defined.insert(output).second)
        return error("value " + quote(output) +
                     " is defined twice, the second time by node " +
                     quote(node.name) + " (" + node.opType + ")");
      producers[output] = index;
    }
    if (!hasOutput)
      return error("node " + quote(node.name) + " (" + quote(node.opType) +
                   ") has no result");
    for (const std::string &input : node.inputs)
      ++useCounts[input];
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        countUses(*attribute.graph);
  }
  for (const ValueInfo &info : model.outputs)
    ++useCounts[info.name];
  return success();
}

/// Counts the values that branches and bodies read of the graphs around them.
void GraphImporter::countUses(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    for (const std::string &input : node.inputs)
      ++useCounts[input];
    for (const NodeAttribute &attribute : node.attributes)
      if (attribute.graph)
        countUses(*attribute.graph);
  }
  for (const std::string &output : graph.outputs)
    ++useCounts[output];
}

bool GraphImporter::isFinal(const std::string &name) const {
  auto found = useCounts.find(name);
  return found != useCounts.end() && found->second == 1 &&
         llvm::any_of(model.outputs,
                      [&](const ValueInfo &info) { return info.name == name; });
}

/// The rule of `--data-inputs`: the user's list, else inputs without
/// initializer; where an op uses one of those (but the first) as its weight,
/// weights are inputs, and only the first one and integers are data.
LogicalResult GraphImporter::chooseDataInputs(std::set<std::string> &data) {
  std::set<std::string> inputs, initialized;
  for (const ValueInfo &info : model.inputs)
    inputs.insert(info.name);
  for (const std::string &name : options.dataInputs) {
    if (!inputs.count(name))
      return error(
          "the model has no input " + quote(name) + "; its inputs begin with " +
          (model.inputs.empty() ? "nothing" : quote(model.inputs[0].name)));
    data.insert(name);
  }
  if (!data.empty())
    return success();
  for (const Tensor &tensor : model.initializers)
    initialized.insert(tensor.name);

  std::set<std::string> weights;
  for (const Node &node : model.nodes) {
    bool isConv = node.opType == "Conv" || node.opType == "ConvTranspose";
    bool isNorm = node.opType == "InstanceNormalization" ||
                  node.opType == "GroupNormalization";
    size_t last =
        isConv || isNorm || node.opType == "Gemm" ? 2
        : node.opType == "BatchNormalization"     ? 4
        : node.opType == "MatMul"                 ? 1
        : node.opType == "LSTM" || node.opType == "GRU" || node.opType == "RNN"
            ? 3
            : 0;
    for (size_t i = 1; i <= last && i < node.inputs.size(); ++i)
      weights.insert(node.inputs[i]);
  }
  bool isFirst = true, weightsAreInputs = false;
  for (const ValueInfo &info : model.inputs) {
    if (initialized.count(info.name))
      continue;
    weightsAreInputs |= !isFirst && weights.count(info.name);
    isFirst = false;
  }
  isFirst = true;
  for (const ValueInfo &info : model.inputs) {
    if (initialized.count(info.name))
      continue;
    if (!weightsAreInputs || isFirst || isInteger(info.dataType))
      data.insert(info.name);
    isFirst = false;
  }
  return success();
}

FailureOr<Shape> GraphImporter::staticShape(const ValueInfo &info,
                                            bool isData) {
  auto fixed = options.inputShapes.find(info.name);
  bool isFixed = isData && fixed != options.inputShapes.end();
  if (isFixed && info.hasShape && fixed->second.size() != info.dims.size())
    return error("graph input " + quote(info.name) + " has rank " +
                 Twine(info.dims.size()) + ", the shape given for it is " +
                 shapeString(fixed->second));
  if (!info.hasShape && !isFixed)
    return error("graph input " + quote(info.name) +
                 " has no shape; give one with --input-shape=NAME:2x3x4");
  Shape shape;
  for (size_t i = 0, e = isFixed ? fixed->second.size() : info.dims.size();
       i != e; ++i) {
    int64_t extent = isFixed ? fixed->second[i] : info.dims[i].extent;
    bool isSampleDim = isData && int64_t(i) == options.sampleDim;
    if (isSampleDim && options.batch > 0)
      extent = options.batch;
    if (extent < 0)
      return error("graph input " + quote(info.name) + ": dim " + Twine(i) +
                   " is dynamic" +
                   (info.dims[i].symbol.empty()
                        ? ""
                        : " (" + quote(info.dims[i].symbol) + ")") +
                   "; fix it with " + (isSampleDim ? "--batch=N or " : "") +
                   "--input-shape=NAME:2x3x4");
    shape.push_back(extent);
  }
  if (countElements(shape) <= 0)
    return error("graph input " + quote(info.name) + ": shape " +
                 shapeString(shape) + " is empty or has too many elements");
  return shape;
}

Value GraphImporter::addArgument(RankedTensorType type,
                                 ArrayRef<NamedAttribute> attributes) {
  argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
  return body->addArgument(type, loc);
}

LogicalResult GraphImporter::addDataInput(const ValueInfo &info) {
  bool isIndex = isInteger(info.dataType) && info.dataType != kBool;
  if (info.dataType != kFloat && info.dataType != kBool && !isIndex &&
      !isOtherFloat(info.dataType))
    return error("graph input " + quote(info.name) + ": data of type " +
                 dataTypeName(info.dataType) +
                 " is not supported, only floats, integers and bool");
  if (isOtherFloat(info.dataType))
    otherFloats.insert(info.dataType);
  auto shape = staticShape(info, /*isData=*/true);
  if (failed(shape))
    return failure();
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr(
          SoapDialect::kKind,
          ValueKindAttr::get(builder.getContext(), ValueKind::Data)),
      builder.getNamedAttr(SoapDialect::kName,
                           builder.getStringAttr(uniqueName(info.name)))};
  // Where a model has time first, its samples are another dim.
  auto sampleDim = static_cast<size_t>(options.sampleDim);
  if (sampleDim >= shape->size())
    sampleDim = 0;
  if (!shape->empty())
    attributes.push_back(
        builder.getNamedAttr(SoapDialect::kSampleDim,
                             builder.getI64IntegerAttr(int64_t(sampleDim))));
  // A bool is a mask of floats, as comparisons give it.
  operands[info.name] = {
      addArgument(isIndex ? integerType(*shape) : tensorType(*shape),
                  attributes),
      nullptr,
      nullptr,
      *shape,
      isOtherFloat(info.dataType) ? int32_t(kFloat) : info.dataType,
      nullptr};
  if (!shape->empty() && batchOfFile == 0)
    batchOfFile = info.hasShape && info.dims[sampleDim].extent > 0
                      ? info.dims[sampleDim].extent
                      : (*shape)[sampleDim];
  if (!shape->empty() && info.hasShape && info.dims[sampleDim].extent > 0 &&
      info.dims[sampleDim].extent != (*shape)[sampleDim]) {
    oldBatch = info.dims[sampleDim].extent;
    batch = (*shape)[sampleDim];
  }
  return success();
}

Operand GraphImporter::operandFor(const std::string &name,
                                  std::shared_ptr<Tensor> values) {
  Operand operand;
  operand.shape = values->dims;
  const NamedTensor *tensor = plan.find(name);
  if (!tensor || tensor->kind == TensorKind::Constant) {
    operand.constant = std::move(values);
    return operand;
  }
  if (tensor->tiedTo.empty()) {
    operand.parameter = std::make_shared<Parameter>(
        Parameter{uniqueName(name), operand.shape, std::move(values), Value(),
                  name, nullptr, "", Role::Other});
    return operand;
  }
  // The tensor that another one is tied to comes before it.
  std::shared_ptr<Parameter> leader = operands[tensor->tiedTo].parameter;
  operand.parameter = leader;
  if (tensor->isTransposed)
    operand.parameter = std::make_shared<Parameter>(
        Parameter{uniqueName(name + ".transpose"), operand.shape,
                  std::move(values), Value(), name, leader, "", Role::Other});
  return operand;
}

LogicalResult GraphImporter::addInputs() {
  std::set<std::string> data;
  if (failed(chooseDataInputs(data)))
    return failure();
  for (const auto &[name, shape] : options.inputShapes)
    if (!data.count(name))
      return error("a shape is given for " + quote(name) +
                   ", which is no data input");
  for (const ValueInfo &info : model.inputs)
    if (data.count(info.name) && failed(addDataInput(info)))
      return failure();
  if (failed(planParameters(model, data, options, loc, plan)))
    return failure();
  collectDoubts();
  remarkPaddingRows();
  return addInitializers(data);
}

/// In the order of the inputs, initializers that are no inputs last: names are
/// the same whatever is trained. What is tied to another comes after all.
LogicalResult
GraphImporter::addInitializers(const std::set<std::string> &data) {
  std::unordered_map<std::string, Tensor *> tensors;
  for (Tensor &tensor : model.initializers)
    tensors[tensor.name] = &tensor;
  std::vector<Tensor *> tied;
  auto add = [&](Tensor &tensor, bool isLast = false) {
    const NamedTensor *planned = plan.find(tensor.name);
    if (planned && !planned->tiedTo.empty() && !isLast) {
      tied.push_back(&tensor);
      return;
    }
    auto values = std::make_shared<Tensor>(std::move(tensor));
    std::string name = values->name;
    operands[name] = operandFor(name, std::move(values));
  };
  std::set<std::string> inputs;
  for (const ValueInfo &info : model.inputs) {
    inputs.insert(info.name);
    if (data.count(info.name))
      continue;
    if (tensors.count(info.name)) {
      add(*tensors[info.name]);
      continue;
    }
    if (info.dataType != kFloat)
      return error("graph input " + quote(info.name) +
                   ": a parameter of type " + dataTypeName(info.dataType) +
                   " is not supported, only float32");
    auto shape = staticShape(info, /*isData=*/false);
    if (failed(shape))
      return failure();
    Operand operand;
    operand.shape = *shape;
    operand.parameter = std::make_shared<Parameter>(
        Parameter{uniqueName(info.name), *shape, nullptr, Value(), info.name,
                  nullptr, "", Role::Other});
    operands[info.name] = operand;
  }
  for (Tensor &tensor : model.initializers)
    if (!inputs.count(tensor.name))
      add(tensor);
  for (Tensor *tensor : tied)
    add(*tensor, /*isLast=*/true);
  return success();
}

/// A dense attribute, or for more than a few elements a resource that shares
/// the tensor's memory.
static ElementsAttr makeElements(RankedTensorType type,
                                 std::shared_ptr<Tensor> tensor,
                                 StringRef name) {
  ArrayRef<float> values(tensor->floats);
  if (int64_t(values.size()) <= kInlineElements)
    return DenseElementsAttr::get(type, values);
  AsmResourceBlob blob(
      values, [tensor](const float *, size_t, size_t) { (void)tensor; },
      /*dataIsMutable=*/false);
  return DenseResourceElementsAttr::get(type, name, std::move(blob));
}

Value GraphImporter::addParameter(Parameter &parameter, Role role) {
  const Shape &shape = parameter.shape;
  bool isState = role == Role::Mean || role == Role::Variance;
  bool isWeight = role == Role::Weight || role == Role::RowWeight ||
                  role == Role::InputMajorWeight ||
                  (role == Role::Other && shape.size() > 1);
  SmallVector<NamedAttribute> attributes = {
      builder.getNamedAttr(SoapDialect::kKind,
                           ValueKindAttr::get(builder.getContext(),
                                              isState ? ValueKind::State
                                                      : ValueKind::Parameter)),
      builder.getNamedAttr(SoapDialect::kName,
                           builder.getStringAttr(parameter.name))};
  bool hasValues = parameter.tensor != nullptr;
  mlir::Attribute init = InitRuleAttr::get(
      builder.getContext(), isWeight ? InitRule::Default
                            : role == Role::Scale || role == Role::Variance
                                ? InitRule::Ones
                                : InitRule::Zeros);
  if (hasValues && options.weightsOut.empty())
    init = makeElements(tensorType(shape), parameter.tensor, parameter.name);
  else if (hasValues)
    externalWeights.emplace_back(parameter.name, parameter.tensor);
  attributes.push_back(builder.getNamedAttr(SoapDialect::kInit, init));
  if (isWeight && shape.size() > 1) {
    // [out, in, window..], [.., out, in] or [.., in, out]: what one result
    // element sums over, and how many one operand element goes into.
    size_t in = 1, out = 0;
    int64_t window = 1;
    if (role == Role::InputMajorWeight || role == Role::RowWeight) {
      in = shape.size() - (role == Role::RowWeight ? 1 : 2);
      out = shape.size() - (role == Role::RowWeight ? 2 : 1);
    } else {
      for (size_t i = 2; i < shape.size(); ++i)
        window *= shape[i];
    }
    attributes.push_back(builder.getNamedAttr(
        SoapDialect::kFanIn, builder.getI64IntegerAttr(shape[in] * window)));
    attributes.push_back(builder.getNamedAttr(
        SoapDialect::kFanOut, builder.getI64IntegerAttr(shape[out] * window)));
  }
  return addArgument(tensorType(shape), attributes);
}

static bool isStatistic(Role role) {
  return role == Role::Mean || role == Role::Variance;
}

Value GraphImporter::materialize(Parameter &parameter, Role role,
                                 Location loc) {
  std::string user = "the graph";
  if (auto name = dyn_cast<NameLoc>(loc))
    user = "node " + quote(name.getName().str());
  if (parameter.transposeOf) {
    if (parameter.argument)
      return parameter.argument;
    // The role of the transpose: what were rows are columns.
    Role transposed = role == Role::InputMajorWeight ? Role::RowWeight
                      : role == Role::Other          ? Role::Other
                                                     : Role::InputMajorWeight;
    Value x = materialize(*parameter.transposeOf, transposed, loc);
    if (!x)
      return Value();
    auto op = TransposeOp::create(builder, loc, tensorType(parameter.shape), x,
                                  ArrayRef<int64_t>{1, 0});
    op->setAttr(SoapDialect::kName, builder.getStringAttr(parameter.name));
    parameter.argument = op->getResult(0);
    return parameter.argument;
  }
  if (!parameter.argument) {
    parameter.firstUser = user;
    parameter.role = role;
    parameter.argument = addParameter(parameter, role);
    return parameter.argument;
  }
  if ((isStatistic(role) || isStatistic(parameter.role)) &&
      role != parameter.role) {
    auto nameOf = [](Role role) {
      return role == Role::Mean       ? "the running mean"
             : role == Role::Variance ? "the running variance"
                                      : "a parameter";
    };
    (void)error(quote(parameter.source) + " is " + nameOf(parameter.role) +
                " of " + parameter.firstUser + " and " + nameOf(role) + " of " +
                user + ", expected a tensor for each");
    return Value();
  }
  return parameter.argument;
}

Value GraphImporter::materialize(Operand &operand, Role role, Location loc,
                                 const std::string &nameHint) {
  if (operand.value)
    return operand.value;
  if (operand.parameter)
    return materialize(*operand.parameter, role, loc);
  auto type = tensorType(operand.shape);
  std::string name = uniqueName(nameHint);
  auto op = ConstantOp::create(builder, loc, type,
                               makeElements(type, operand.constant, name));
  op->setAttr(SoapDialect::kName, builder.getStringAttr(name));
  return op->getResult(0);
}

LogicalResult GraphImporter::importNode(const Node &node) {
  NodeContext context(*this, node);
  if (++numNodes > kLargestNumNodes)
    return context.error("loops make more than " + Twine(kLargestNumNodes) +
                         " nodes");
  if (!node.domain.empty() && node.domain != kSoapDomain)
    return context.error("ops of the domain " + quote(node.domain) +
                         " are not supported");
  auto entry =
      table.find((node.domain.empty() ? "" : node.domain + "::") + node.opType);
  if (entry == table.end())
    return context.error("this op is not supported");
  const OpEntry &op = entry->second;
  if (context.opset() < op.firstOpset || context.opset() > op.lastOpset)
    return context.error("this op is supported in opsets " +
                         Twine(op.firstOpset) + " to " + Twine(op.lastOpset));
  for (const std::string &name : node.inputs) {
    auto found = operands.find(name);
    if (name.empty()) {
      context.inputs.push_back(nullptr);
    } else if (found != operands.end()) {
      context.inputs.push_back(&found->second);
    } else if (producers.count(name)) {
      return context.error("operand " + quote(name) +
                           " is computed by this or a later node: nodes must "
                           "be sorted, without cycles");
    } else {
      return context.error("operand " + quote(name) + " is defined nowhere");
    }
  }
  Handler handler =
      op.fold && (!op.build || context.allConstant()) ? op.fold : op.build;
  if (!op.build && !context.allConstant() && node.opType != "Shape" &&
      node.opType != "Size")
    return context.error(
        "this op is only supported on values that are known at import");
  if (failed(handler(context)) || context.failed())
    return failure();
  return context.checkAttributes();
}

/// The result of the function: integers are i32, constants ops. Null after an
/// error.
Value GraphImporter::outputValue(Operand &operand, const std::string &name) {
  if (operand.sequence || operand.parameter) {
    (void)error("graph output " + quote(name) +
                (operand.sequence ? " is a sequence, which is not supported"
                                  : " does not depend on a computation"));
    return Value();
  }
  bool isInteger = onnx::isInteger(operand.type()) && operand.type() != kBool;
  Value value = operand.value;
  auto nameOp = [&](Operation *op) {
    op->setAttr(SoapDialect::kName, builder.getStringAttr(uniqueName(name)));
    return op->getResult(0);
  };
  if (operand.constant) {
    const Tensor &tensor = *operand.constant;
    if (!tensor.isDecoded() || tensor.size() <= 0) {
      (void)error("graph output " + quote(name) + " is a constant " +
                  dataTypeName(tensor.dataType) + " of shape " +
                  shapeString(tensor.dims) + ", which is not supported");
      return Value();
    }
    if (isInteger) {
      SmallVector<int32_t> values;
      for (int64_t number : tensor.ints) {
        if (number != static_cast<int32_t>(number)) {
          (void)error("graph output " + quote(name) + " holds " +
                      Twine(number) + ", which is no 32-bit integer");
          return Value();
        }
        values.push_back(static_cast<int32_t>(number));
      }
      auto type = integerType(tensor.dims);
      return nameOp(ConstantOp::create(
          builder, loc, type, DenseElementsAttr::get(type, ArrayRef(values))));
    }
    SmallVector<float> values(tensor.floats.begin(), tensor.floats.end());
    values.append(tensor.ints.begin(), tensor.ints.end());
    auto type = tensorType(tensor.dims);
    return nameOp(ConstantOp::create(
        builder, loc, type, DenseElementsAttr::get(type, ArrayRef(values))));
  }
  if (isInteger && !getElementTypeOrSelf(value.getType()).isInteger())
    return nameOp(
        CastOp::create(builder, loc, integerType(shapeOf(value)), value));
  // A result is computed, if by an op that changes nothing.
  if (!value.getDefiningOp())
    return nameOp(ReshapeOp::create(
        builder, loc, cast<RankedTensorType>(value.getType()), value));
  return value;
}

/// One remark for all integers of the data.
void GraphImporter::noteIntegers(Value value) {
  if (integersNoted || !isa<BlockArgument>(value))
    return;
  integersNoted = true;
  emitRemark(loc) << "integers are computed with as float32, which is exact up "
                     "to 2^24; a gather by the integers of the data is exact "
                     "for all";
}

FailureOr<SmallVector<Value>>
GraphImporter::collectOutputs(std::vector<DictionaryAttr> &attributes) {
  if (model.outputs.empty())
    return error("the graph has no outputs");
  SmallVector<Value> values;
  // Results share a name space with arguments, not with ops.
  std::set<std::string> taken;
  for (DictionaryAttr argument : argumentAttributes)
    taken.insert(cast<StringAttr>(argument.get(SoapDialect::kName)).str());
  for (const ValueInfo &info : model.outputs) {
    auto found = operands.find(info.name);
    if (found == operands.end())
      return error("graph output " + quote(info.name) +
                   " is computed by no node");
    Value value = outputValue(found->second, info.name);
    if (!value)
      return failure();
    Shape declared;
    for (const Dim &dim : info.dims)
      declared.push_back(dim.extent);
    if (info.hasShape && options.batch == 0 && options.inputShapes.empty() &&
        !llvm::is_contained(declared, -1) && declared != shapeOf(value))
      emitWarning(loc) << "graph output " << quote(info.name)
                       << ": its shape is " << shapeString(shapeOf(value))
                       << ", the file says " << shapeString(declared);
    values.push_back(value);
    attributes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr(
             SoapDialect::kKind,
             ValueKindAttr::get(builder.getContext(), ValueKind::Output)),
         builder.getNamedAttr(
             SoapDialect::kName,
             builder.getStringAttr(uniqueName(info.name, taken)))}));
  }
  return values;
}

/// Erases ops whose results are unused, then parameters that only they used.
void GraphImporter::eraseDead() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (op.use_empty() && !op.hasTrait<OpTrait::IsTerminator>())
      op.erase();
  for (size_t i = body->getNumArguments(); i-- > 0;) {
    auto kind =
        enumValue<ValueKindAttr>(argumentAttributes[i].get(SoapDialect::kKind));
    if (!body->getArgument(i).use_empty() || kind == ValueKind::Data)
      continue;
    auto name = cast<StringAttr>(argumentAttributes[i].get(SoapDialect::kName))
                    .getValue();
    llvm::erase_if(externalWeights,
                   [&](auto &weight) { return weight.first == name; });
    body->eraseArgument(i);
    argumentAttributes.erase(argumentAttributes.begin() + i);
  }
}

/// Where the file has each argument that is left.
void GraphImporter::recordPlaces() {
  if (!options.weightPlaces)
    return;
  std::set<std::string> arguments;
  for (DictionaryAttr argument : argumentAttributes)
    arguments.insert(cast<StringAttr>(argument.get(SoapDialect::kName)).str());
  auto add = [&](const Parameter &parameter, const std::string &name,
                 bool isTransposed) {
    if (!arguments.count(parameter.name))
      return;
    ONNXWeightPlace place;
    if (auto found = plan.places.find(name); found != plan.places.end())
      place = found->second;
    place.name = name;
    place.isTransposed = isTransposed;
    (*options.weightPlaces)[parameter.name].push_back(std::move(place));
  };
  for (const auto &[name, operand] : operands) {
    if (!operand.parameter)
      continue;
    const NamedTensor *tensor = plan.find(name);
    bool isTied = tensor && !tensor->tiedTo.empty();
    // An Identity of a weight that is tied to it has no values of its own.
    if (tensor ? isTied && !tensor->identityOf.empty() &&
                     plan.rootOf(name) == plan.rootOf(tensor->tiedTo)
               : operand.parameter->source != name)
      continue;
    add(operand.parameter->transposeOf ? *operand.parameter->transposeOf
                                       : *operand.parameter,
        name, operand.parameter->transposeOf != nullptr);
  }
}

OwningOpRef<ModuleOp> GraphImporter::run() {
  if (model.opset < kFirstOpset || model.opset > kLastOpset)
    return (void)error("opset " + Twine(model.opset) +
                       " is not supported, only " + Twine(kFirstOpset) +
                       " to " + Twine(kLastOpset)),
           nullptr;
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto function = func::FuncOp::create(builder, loc, "forward",
                                       builder.getFunctionType({}, {}));
  body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);

  if (failed(indexNodes()))
    return nullptr;
  warnOfFolding();
  if (failed(addInputs()))
    return nullptr;
  std::vector<DictionaryAttr> resultAttributes;
  for (const Node &node : model.nodes)
    if (failed(importNode(node)))
      return nullptr;
  auto results = collectOutputs(resultAttributes);
  if (failed(results))
    return nullptr;
  auto end = func::ReturnOp::create(builder, loc, *results);
  recognizeGelu(*body);
  recognizeExactForms(*this, *body);
  otherFloats.insert(model.otherFloats.begin(), model.otherFloats.end());
  for (int32_t type : otherFloats)
    emitWarning(loc) << "the file has tensors of " << dataTypeName(type)
                     << "; they are float32 here, so results differ by its "
                        "rounding";
  remarkTrainingMode();
  remarkBatchAxes();
  eraseDead();
  markUncertainRoles(function);
  recordPlaces();

  function.setFunctionType(
      builder.getFunctionType(body->getArgumentTypes(), end.getOperandTypes()));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(resultAttributes);
  if (failed(verify(*module)))
    return nullptr;
  if (oldBatch > 0 && !options.assumeBatch &&
      failed(checkBatch(cast<FileLineColLoc>(loc).getFilename().getValue(),
                        *module, *this)))
    return nullptr;
  // A model that is refused leaves no file.
  if (!options.weightsOut.empty()) {
    if (auto failure = writeSafetensors(options.weightsOut, externalWeights))
      return (void)error(failure->message), nullptr;
  }
  return module;
}

OwningOpRef<ModuleOp> mlir::soap::importONNX(StringRef path,
                                             MLIRContext *context,
                                             const ONNXImportOptions &options) {
  context->loadDialect<SoapDialect, func::FuncDialect>();
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  auto model = readModel(path.str());
  if (!model)
    return emitError(loc) << model.error(), nullptr;
  GraphImporter importer(*model, context, loc, options);
  OwningOpRef<ModuleOp> module = importer.run();
  // The name of the model in drawings and reports.
  if (StringRef name = llvm::sys::path::stem(path); module && !name.empty())
    module->setSymName(name);
  return module;
}
