//===- TrainingHints.cpp - Does a file train as its author meant? ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An exporter that prepares a network for inference folds what training needs:
// batch norm into convolutions, an expanded token into a constant of the
// batch. The file does not say so. What can be seen is said here; nothing
// changes what is imported.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/RoleAttributes.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

/// A network of more convolutions without any norm is hardly trained from the
/// start: VGG-19 has 16.
static constexpr size_t kDeepWithoutNorms = 16;
static constexpr StringLiteral kHowToExport =
    "export the network in training mode (docs/ONNX.md)";

/// "PREFIX12": a name that PyTorch's exporter gives to what it computed.
static bool isNumbered(StringRef name, StringRef prefix) {
  return name.consume_front(prefix) && !name.empty() &&
         llvm::all_of(name, llvm::isDigit);
}

/// Whether names tell that a convolution or product contains a batch norm, as
/// exporters and optimizers fold them.
static bool namesTellFoldedNorm(const Node &node) {
  auto name = [](const std::vector<std::string> &names, size_t i) {
    return i < names.size() ? StringRef(names[i]) : StringRef();
  };
  StringRef weight = name(node.inputs, 1), bias = name(node.inputs, 2),
            result = name(node.outputs, 0);
  // torch.onnx.export(dynamo=True): the result is still called after that of
  // the norm, which has several.
  if (result == "getitem" || isNumbered(result, "getitem_"))
    return true;
  if (bias.empty())
    return false;
  // torch.onnx.export(dynamo=False).
  std::string prefix = "onnx::" + node.opType + "_";
  if (StringRef(node.opType).starts_with("Conv") &&
      isNumbered(weight, prefix) && isNumbered(bias, prefix))
    return true;
  // onnxscript's rewriter, tf2onnx, ONNX Runtime.
  return bias == (weight + "_bias").str() || bias.contains("fused_bn") ||
         bias.starts_with("ConvBnFusion_");
}

void GraphImporter::warnOfFolding() {
  size_t convolutions = 0, products = 0, biased = 0, named = 0, folded = 0;
  bool hasNorms = false, hasDropout = false;
  const Node *first = nullptr;
  for (const Node &node : model.nodes) {
    StringRef kind = node.opType;
    hasNorms |= kind.ends_with("Normalization") || kind == "LRN";
    hasDropout |= kind == "Dropout";
    bool isConvolution = kind == "Conv" || kind == "ConvTranspose";
    if (!isConvolution && kind != "Gemm" && kind != "MatMul")
      continue;
    ++products;
    if (isConvolution) {
      ++convolutions;
      biased += node.inputs.size() > 2 && !node.inputs[2].empty();
      // The path of a module: the exporter left this parameter alone.
      named += node.inputs.size() > 1 &&
               StringRef(node.inputs[1]).ends_with(".weight");
    }
    if (!namesTellFoldedNorm(node))
      continue;
    ++folded;
    first = first || node.inputs.size() < 2 ? first : &node;
  }
  bool hasProducts = first && !StringRef(first->opType).starts_with("Conv");
  if (first) {
    doubts.push_back("names tell that batch norm is folded into " +
                     quote(first->inputs[1]));
    emitWarning(loc) << "names tell that batch norm is folded into " << folded
                     << " of " << (hasProducts ? products : convolutions)
                     << (hasProducts ? " convolutions and products"
                                     : " convolutions")
                     << ", first into that with weight "
                     << quote(first->inputs[1])
                     << ": training has no norms there, and differs from that "
                        "of the original network; "
                     << kHowToExport;
    return;
  }
  if (!hasNorms && !hasDropout && convolutions > kDeepWithoutNorms &&
      biased == convolutions && named < convolutions) {
    doubts.push_back("batch norms may be folded into its " +
                     std::to_string(convolutions) + " convolutions");
    emitWarning(loc) << "the network has " << convolutions
                     << " convolutions with biases, and no norm or dropout: "
                        "if the original has any, the exporter folded or "
                        "dropped them, and training differs from the "
                        "original's; "
                     << kHowToExport;
  }
}

/// PyTorch's newer exporter, unless it gets optimize=False: it lifts all
/// Constant nodes, and merges equal tensors and then equal nodes.
static bool isOptimized(const Model &model) {
  return model.producer == "pytorch" &&
         llvm::any_of(model.nodes,
                      [](const Node &node) {
                        return StringRef(node.name).starts_with("node_");
                      }) &&
         llvm::none_of(model.nodes, [](const Node &node) {
           return node.opType == "Constant";
         });
}

void GraphImporter::collectDoubts() {
  if (options.parametersFrom.empty() && isOptimized(model))
    doubts.push_back(
        "layers that are equal when the file is written may be one "
        "in it, as PyTorch's newer exporter merges them without "
        "optimize=False");
  for (const NamedTensor &tensor : plan.tensors)
    if (!tensor.doubt.empty() && !tensor.uses.empty())
      doubts.push_back(
          quote(tensor.name) + " (" + shapeString(tensor.values->dims) +
          ", taken for a " +
          (tensor.kind == TensorKind::Constant ? "constant" : "parameter") +
          ": " + tensor.doubt + ")");
}

void GraphImporter::markUncertainRoles(Operation *function) {
  SmallVector<Attribute> texts;
  for (const std::string &text : doubts)
    texts.push_back(builder.getStringAttr(text));
  if (!texts.empty() && !options.assumeRoles)
    function->setAttr(kUncertainRoles, builder.getArrayAttr(texts));
}

void GraphImporter::remarkPaddingRows() {
  std::vector<std::string> tables;
  for (const NamedTensor &tensor : plan.tensors) {
    bool isTable = llvm::any_of(tensor.uses, [](const TensorUse &use) {
      return use.kind == UseKind::Table;
    });
    if (!isTable || tensor.kind != TensorKind::Parameter ||
        tensor.values->dims.size() != 2 || isSplat(*tensor.values))
      continue;
    size_t width = tensor.values->dims[1];
    ArrayRef<float> values = tensor.values->floats;
    for (size_t row = 0; row * width < values.size(); ++row)
      if (llvm::all_of(values.slice(row * width, width),
                       [](float value) { return value == 0; })) {
        tables.push_back(importedName(tensor.name) + "=" + std::to_string(row));
        break;
      }
  }
  if (!tables.empty())
    emitRemark(loc) << "a row of zeros may be padding, which PyTorch does not "
                       "train: 'padding-rows="
                    << llvm::join(tables, ",")
                    << "' of the training step keeps it";
}

bool mlir::soap::onnx::normalizesWithBatch(const Node &node, int64_t opset) {
  if (node.opType != "BatchNormalization")
    return false;
  if (opset >= 14)
    return llvm::any_of(node.attributes, [](const NodeAttribute &attribute) {
      return attribute.name == "training_mode" && attribute.i != 0;
    });
  return llvm::any_of(llvm::drop_begin(node.outputs),
                      [](const std::string &name) { return !name.empty(); });
}

bool GraphImporter::noteBatchNorm(const NodeContext &node, bool trains) {
  if (!someNormTrains)
    someNormTrains = llvm::any_of(model.nodes, [&](const Node &other) {
      return normalizesWithBatch(other, model.opset);
    });
  bool isFrozen = !trains && (*someNormTrains || options.freezeNorms);
  std::string *first = trains     ? &training.norm
                       : isFrozen ? &training.frozenNorm
                                  : nullptr;
  if (first && first->empty())
    *first = node.baseName();
  return isFrozen;
}

void GraphImporter::remarkTrainingMode() {
  if (!training.norm.empty())
    emitRemark(loc) << "batch norm is in training mode, first in node "
                    << quote(training.norm)
                    << ": the training step normalizes with the statistics of "
                       "its batch, @forward and @evaluate with running ones";
  if (!training.frozenNorm.empty())
    emitRemark(loc) << "batch norm in evaluation mode is frozen"
                    << (options.freezeNorms ? "" : " beside the others")
                    << ", first in node " << quote(training.frozenNorm)
                    << ": its running statistics are constants";
  if (!training.dropout.empty())
    emitRemark(loc) << "dropout is in training mode, first in node "
                    << quote(training.dropout)
                    << ": the training step drops, @forward and @evaluate do "
                       "not";
}

/// Whether the slices along `dim` are all the same.
static bool repeatsAlong(const Tensor &tensor, size_t dim) {
  size_t inner = 1;
  for (size_t i = dim + 1; i < tensor.dims.size(); ++i)
    inner *= tensor.dims[i];
  size_t period = inner * tensor.dims[dim];
  for (size_t i = 0; i < tensor.floats.size(); ++i)
    if (tensor.floats[i] != tensor.floats[i / period * period + i % inner])
      return false;
  return true;
}

/// Whether `value` is the weight of a product, whose extents may be the batch's
/// by chance.
static bool isWeightOfProduct(Value value) {
  SmallVector<Value> moved = {value};
  while (!moved.empty())
    for (Operation *user : moved.pop_back_val().getUsers()) {
      if (isa<MatmulOp, Conv2DOp, LstmOp, GatherOp>(user))
        return true;
      if (isa<TransposeOp, ReshapeOp>(user))
        moved.push_back(user->getResult(0));
    }
  return false;
}

void GraphImporter::remarkBatchAxes() {
  auto dim = static_cast<size_t>(options.sampleDim);
  if (batchOfFile < 2)
    return;
  // In the order of the arguments; names that share a parameter share a remark.
  std::map<unsigned, const Parameter *> parameters;
  for (auto &[name, operand] : operands)
    if (const auto &parameter = operand.parameter;
        parameter && parameter->tensor &&
        isa_and_nonnull<BlockArgument>(parameter->argument) &&
        parameter->shape.size() > std::max<size_t>(dim, 1) &&
        parameter->shape[dim] == batchOfFile &&
        repeatsAlong(*parameter->tensor, dim) &&
        !isWeightOfProduct(parameter->argument))
      parameters[cast<BlockArgument>(parameter->argument).getArgNumber()] =
          parameter.get();
  std::set<std::string> constants;
  for (auto &[name, operand] : operands)
    if (const auto &tensor = operand.constant;
        tensor && isPlanned(name) && tensor->isFloat() &&
        tensor->dims.size() > std::max<size_t>(dim, 1) &&
        tensor->dims[dim] == batchOfFile && repeatsAlong(*tensor, dim) &&
        llvm::any_of(tensor->floats,
                     [&](float value) { return value != tensor->floats[0]; }))
      constants.insert(name);
  auto remark = [&](StringRef kind, const std::string &name, const Shape &shape,
                    StringRef consequence) {
    emitRemark(loc) << kind << " " << quote(name) << " of shape "
                    << shapeString(shape) << " has the same values for each of "
                    << "the " << batchOfFile << " samples of the batch in dim "
                    << dim << ": exporters expand a smaller parameter so, and "
                    << consequence << "; export without constant folding";
  };
  for (auto [number, parameter] : parameters)
    remark("parameter", parameter->name, parameter->shape,
           "each sample would train values of its own");
  for (const std::string &name : constants)
    remark("constant", name, operands[name].shape,
           "it is not trained when it is a constant");
}
