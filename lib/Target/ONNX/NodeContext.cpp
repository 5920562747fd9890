//===- NodeContext.cpp - What the handler of a node sees --------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed attributes and operands with errors that name node, op and opset, and
// the ops that several handlers need.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

/// Lists of extents, strides, pads or axes: what the dialect accepts, and sums
/// and products of two stay within 64 bits.
static constexpr int64_t kLargestInt = int64_t(1) << 20;

NodeContext::NodeContext(GraphImporter &importer, const Node &node)
    : importer(importer), node(node),
      loc(NameLoc::get(importer.builder.getStringAttr(baseName()),
                       importer.loc)) {}

std::string NodeContext::baseName() const {
  if (!node.name.empty())
    return node.name;
  for (const std::string &output : node.outputs)
    if (!output.empty())
      return llvm::all_of(output, llvm::isDigit) ? node.opType + "_" + output
                                                 : output;
  return node.opType;
}

LogicalResult NodeContext::error(const Twine &message) {
  hasFailed = true;
  emitError(importer.loc) << "node " << quote(baseName()) << " ("
                          << quote(node.opType) << ", opset " << opset()
                          << "): " << message;
  return failure();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const NodeAttribute *NodeContext::rawAttribute(const char *name) {
  used.insert(name);
  for (const NodeAttribute &attribute : node.attributes)
    if (attribute.name == name)
      return &attribute;
  return nullptr;
}

bool NodeContext::hasAttribute(const char *name) {
  return rawAttribute(name) != nullptr;
}

const NodeAttribute *NodeContext::typedAttribute(const char *name,
                                                 NodeAttribute::Kind kind,
                                                 const char *expected) {
  const NodeAttribute *attribute = rawAttribute(name);
  if (!attribute || attribute->kind == kind)
    return attribute;
  (void)error("attribute " + quote(name) + ": expected " + expected);
  return nullptr;
}

int64_t NodeContext::intAttribute(const char *name, int64_t defaultValue) {
  const NodeAttribute *attribute =
      typedAttribute(name, NodeAttribute::Kind::Int, "an integer");
  return attribute ? attribute->i : defaultValue;
}

float NodeContext::floatAttribute(const char *name, float defaultValue) {
  const NodeAttribute *attribute =
      typedAttribute(name, NodeAttribute::Kind::Float, "a float");
  return attribute ? attribute->f : defaultValue;
}

std::string NodeContext::stringAttribute(const char *name,
                                         const char *defaultValue) {
  const NodeAttribute *attribute =
      typedAttribute(name, NodeAttribute::Kind::String, "a string");
  return attribute ? attribute->s : defaultValue;
}

std::optional<Shape> NodeContext::intsAttribute(const char *name) {
  const NodeAttribute *attribute =
      typedAttribute(name, NodeAttribute::Kind::Ints, "a list of integers");
  if (!attribute)
    return std::nullopt;
  for (int64_t value : attribute->ints)
    if (value > kLargestInt || value < -kLargestInt) {
      (void)error("attribute " + quote(name) + ": " + Twine(value) +
                  " is out of range");
      return std::nullopt;
    }
  return attribute->ints;
}

LogicalResult NodeContext::checkAttributes() {
  for (const NodeAttribute &attribute : node.attributes)
    if (!used.count(attribute.name))
      return error("attribute " + quote(attribute.name) + " is not supported");
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool NodeContext::checkCounts(size_t low, size_t high, size_t results) {
  if (numInputs() < low || numInputs() > high) {
    std::string expected =
        low == high ? std::to_string(low)
        : high == SIZE_MAX
            ? "at least " + std::to_string(low)
            : std::to_string(low) + " to " + std::to_string(high);
    (void)error("expected " + expected + " operands, got " +
                Twine(numInputs()));
    return false;
  }
  for (size_t i = 0; i < low; ++i)
    if (!hasInput(i)) {
      (void)error("operand " + Twine(i) + " is missing");
      return false;
    }
  for (size_t i = results; i < node.outputs.size(); ++i)
    if (wantsResult(i)) {
      (void)error("result " + Twine(i) + " (" + quote(node.outputs[i]) +
                  ") is not supported");
      return false;
    }
  return true;
}

bool NodeContext::allConstant() const {
  return llvm::all_of(inputs, [](const Operand *operand) {
    return !operand || operand->constant;
  });
}

Value NodeContext::tensor(size_t index, Role role) {
  Operand &operand = *inputs[index];
  if (!operand)
    return (void)error("operand " + quote(node.inputs[index]) +
                       " is a sequence, expected a tensor"),
           Value();
  if (operand.constant && !operand.constant->isFloat())
    return (void)error("operand " + quote(node.inputs[index]) +
                       " has element type " +
                       dataTypeName(operand.constant->dataType) +
                       ", only float32 is supported"),
           Value();
  if (operand.constant && operand.constant->size() == 0)
    return (void)error("operand " + quote(node.inputs[index]) + " is empty"),
           Value();
  if (isInteger(index))
    return (void)error("operand " + quote(node.inputs[index]) +
                       " holds integers, only float32 is supported here"),
           Value();
  return importer.materialize(operand, role, loc,
                              baseName() + "." + node.inputs[index]);
}

Value NodeContext::frozen(size_t index) {
  const Operand &operand = *inputs[index];
  if (operand.value)
    return operand.value;
  Operand known = operand;
  known.parameter = nullptr;
  if (operand.parameter)
    known.constant = operand.parameter->tensor;
  if (!known.constant)
    return (void)error("operand " + quote(node.inputs[index]) +
                       " has no values in the file, and is not trained"),
           Value();
  return importer.materialize(known, Role::Other, loc,
                              baseName() + "." + node.inputs[index]);
}

/// The elements are of an integer type of MLIR.
static bool holdsIntegers(Value value) {
  return getElementTypeOrSelf(value.getType()).isInteger();
}

Value NodeContext::floats(size_t index, Role role) {
  if (Value x = inputs[index]->value) {
    if (!holdsIntegers(x))
      return x;
    importer.noteIntegers(x);
    return createFloats("float" + std::to_string(index), x);
  }
  const Tensor *tensor = isConstant(index) ? constant(index) : nullptr;
  if (!tensor || tensor->isFloat() || tensor->size() == 0)
    return hasFailed ? Value() : this->tensor(index, role);
  SmallVector<float> values(tensor->ints.begin(), tensor->ints.end());
  auto type = importer.tensorType(tensor->dims);
  auto op = ConstantOp::create(importer.builder, loc, type,
                               DenseElementsAttr::get(type, ArrayRef(values)));
  nameOp(op, node.inputs[index]);
  return op.getY();
}

Value NodeContext::floatsOf(const Operand &operand) {
  // As one more operand.
  Operand copy = operand;
  Node other = node;
  other.inputs = {"part"};
  NodeContext context(importer, other);
  context.inputs = {&copy};
  Value result = context.floats(0);
  hasFailed |= context.hasFailed;
  return result;
}

Value NodeContext::integers(size_t index) {
  if (Value x = inputs[index]->value; x && isInteger(index))
    return holdsIntegers(x) ? x
                            : createCast("index" + std::to_string(index), x);
  const Tensor *tensor = isConstant(index) ? constant(index) : nullptr;
  if (!tensor || tensor->isFloat() || tensor->size() == 0) {
    if (!hasFailed)
      (void)error("operand " + quote(node.inputs[index]) +
                  ": expected integers");
    return Value();
  }
  SmallVector<int32_t> values;
  for (int64_t value : tensor->ints) {
    if (value != static_cast<int32_t>(value)) {
      (void)error("operand " + quote(node.inputs[index]) + " holds " +
                  Twine(value) + ", which is no 32-bit integer");
      return Value();
    }
    values.push_back(static_cast<int32_t>(value));
  }
  auto type = importer.integerType(tensor->dims);
  auto op = ConstantOp::create(importer.builder, loc, type,
                               DenseElementsAttr::get(type, ArrayRef(values)));
  nameOp(op, node.inputs[index]);
  return op.getY();
}

const Tensor *NodeContext::constant(size_t index) {
  const Operand &operand = *inputs[index];
  const Tensor *tensor = operand.constant.get();
  // Training would not change the number that is read.
  if (!tensor)
    return (void)error("operand " + quote(node.inputs[index]) +
                       (operand.parameter ? " is a parameter"
                                          : " is not known at import") +
                       ", only constants are supported here"),
           nullptr;
  if (!tensor->isDecoded())
    return (void)error("operand " + quote(node.inputs[index]) +
                       " has element type " + dataTypeName(tensor->dataType) +
                       ", which is not supported"),
           nullptr;
  return tensor;
}

std::optional<Shape> NodeContext::constantInts(size_t index) {
  const Tensor *tensor = constant(index);
  if (!tensor)
    return std::nullopt;
  if (tensor->isFloat() || tensor->dims.size() > 1) {
    (void)error("operand " + quote(node.inputs[index]) +
                ": expected a vector of integers, got " +
                dataTypeName(tensor->dataType) + " of shape " +
                shapeString(tensor->dims));
    return std::nullopt;
  }
  return tensor->ints;
}

std::optional<float> NodeContext::constantScalar(size_t index) {
  const Tensor *tensor = inputs[index]->constant.get();
  if (!tensor || !tensor->isFloat() || tensor->size() != 1)
    return std::nullopt;
  return tensor->floats[0];
}

std::optional<double> NodeContext::constantNumber(size_t index) {
  const Tensor *tensor = inputs[index]->constant.get();
  if (!tensor || !tensor->isDecoded() || tensor->size() != 1)
    return std::nullopt;
  return tensor->number(0);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult NodeContext::setOperand(size_t index, const Operand &operand) {
  if (wantsResult(index))
    importer.operands[node.outputs[index]] = operand;
  return success();
}

LogicalResult NodeContext::setResult(size_t index, Value value, int32_t type) {
  if (!value)
    return failure();
  return setOperand(index, Operand{value, nullptr, nullptr, shapeOf(value),
                                   isOtherFloat(type) ? int32_t(kFloat) : type,
                                   nullptr});
}

LogicalResult NodeContext::setConstant(size_t index, Tensor tensor) {
  if (wantsResult(index))
    tensor.name = node.outputs[index];
  Shape shape = tensor.dims;
  return setOperand(index, Operand{Value(), nullptr,
                                   std::make_shared<Tensor>(std::move(tensor)),
                                   shape, kFloat, nullptr});
}

bool NodeContext::checkShape(const Shape &shape) {
  if (hasFailed)
    return false;
  int64_t count = countElements(shape);
  if (count > 0)
    return true;
  (void)error(count == 0 ? "a result of shape " + shapeString(shape) +
                               " is empty, which is not supported"
                         : "a result of shape " + shapeString(shape) +
                               " has too many elements");
  return false;
}

void NodeContext::nameOp(Operation *op, StringRef suffix) {
  std::string name = baseName();
  if (!suffix.empty())
    name += "." + suffix.str();
  op->setAttr(SoapDialect::kName,
              importer.builder.getStringAttr(importer.uniqueName(name)));
}

Value NodeContext::createReshape(StringRef suffix, Value x,
                                 const Shape &shape) {
  // Of reshapes in a row only the last is left; dims that a reduction keeps and
  // a flatten drops vanish.
  while (x && shapeOf(x) != shape && x.getDefiningOp<ReshapeOp>())
    x = x.getDefiningOp<ReshapeOp>().getX();
  if (!x || shapeOf(x) == shape)
    return x;
  if (!checkShape(shape))
    return Value();
  auto type = cast<RankedTensorType>(x.getType()).clone(shape);
  auto op = ReshapeOp::create(importer.builder, loc, type, x);
  nameOp(op, suffix);
  return op.getY();
}

Value NodeContext::createScale(StringRef suffix, Value x, double factor) {
  return x ? create<ScaleOp>(suffix, shapeOf(x), x,
                             importer.builder.getF64FloatAttr(factor))
           : Value();
}

Value NodeContext::createScalar(StringRef suffix, double value) {
  auto type = importer.tensorType({});
  return create<ConstantOp>(
      suffix, {}, DenseElementsAttr::get(type, static_cast<float>(value)));
}

Value NodeContext::createSplat(StringRef suffix, const Shape &shape,
                               double value) {
  auto type = importer.tensorType(shape);
  return create<ConstantOp>(
      suffix, shape, DenseElementsAttr::get(type, static_cast<float>(value)));
}

Value NodeContext::createTranspose(StringRef suffix, Value x,
                                   const Shape &permutation) {
  if (!x || llvm::is_sorted(permutation))
    return x;
  Shape from = shapeOf(x), shape;
  for (int64_t dim : permutation)
    shape.push_back(from[dim]);
  return create<TransposeOp>(suffix, shape, x, ArrayRef<int64_t>(permutation));
}

Value NodeContext::createSlice(StringRef suffix, Value x, const Shape &offsets,
                               const Shape &sizes) {
  if (!x || shapeOf(x) == sizes)
    return x;
  Shape steps(sizes.size(), 1);
  return create<SliceOp>(suffix, sizes, x, ArrayRef<int64_t>(offsets),
                         ArrayRef<int64_t>(sizes), ArrayRef<int64_t>(steps));
}

Value NodeContext::createBroadcast(StringRef suffix, Value x,
                                   const Shape &shape) {
  if (!x || shapeOf(x) == shape)
    return x;
  // Dims that repeat are dropped, then added again as new ones.
  Shape from = shapeOf(x), kept, axes;
  size_t added = shape.size() - from.size();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i >= added && from[i - added] == shape[i])
      kept.push_back(shape[i]);
    else
      axes.push_back(static_cast<int64_t>(i));
  }
  Value dropped = createReshape(
      (suffix + (suffix.empty() ? "reshape" : ".reshape")).str(), x, kept);
  return dropped ? create<BroadcastOp>(suffix, shape, dropped,
                                       ArrayRef<int64_t>(axes))
                 : Value();
}

Value NodeContext::createWhere(StringRef suffix, Value condition, Value x,
                               Value y) {
  if (!condition || !x || !y)
    return Value();
  auto shape = broadcastShapes(shapeOf(x), shapeOf(y));
  if (shape)
    shape = broadcastShapes(*shape, shapeOf(condition));
  if (!shape)
    return (void)error("operands " + shapeString(shapeOf(condition)) + ", " +
                       shapeString(shapeOf(x)) + " and " +
                       shapeString(shapeOf(y)) + " do not broadcast"),
           Value();
  return create<WhereOp>(suffix, *shape, condition, x, y);
}

Value NodeContext::createReduce(StringRef suffix, Value x, ReduceKind kind,
                                const Shape &axes, bool keepDims) {
  if (!x)
    return x;
  Shape dropped, kept;
  for (auto [d, extent] : llvm::enumerate(shapeOf(x))) {
    bool isReduced = llvm::is_contained(axes, static_cast<int64_t>(d));
    kept.push_back(isReduced ? 1 : extent);
    if (!isReduced)
      dropped.push_back(extent);
  }
  if (!axes.empty())
    x = create<ReduceOp>(keepDims ? (suffix + "_reduced").str() : suffix.str(),
                         dropped, x, kind, ArrayRef<int64_t>(axes));
  return keepDims ? createReshape(suffix, x, kept) : x;
}

Value NodeContext::createConstant(StringRef suffix, const Shape &shape,
                                  ArrayRef<float> values) {
  return create<ConstantOp>(
      suffix, shape,
      DenseElementsAttr::get(importer.tensorType(shape), values));
}

Value NodeContext::createIndices(StringRef suffix, const Shape &shape,
                                 ArrayRef<int32_t> values) {
  if (!checkShape(shape))
    return Value();
  auto type = importer.integerType(shape);
  auto op = ConstantOp::create(importer.builder, loc, type,
                               DenseElementsAttr::get(type, values));
  nameOp(op, suffix);
  return op.getY();
}

Value NodeContext::createPositions(StringRef suffix, int64_t extent,
                                   int64_t axis, int64_t rank) {
  Shape shape(rank, 1);
  shape[axis] = extent;
  SmallVector<float> numbers(extent);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  return createConstant(suffix, shape, numbers);
}

Value NodeContext::createMatmul(StringRef suffix, Value a, Value b,
                                bool transposeA, bool transposeB) {
  if (!a || !b)
    return Value();
  Shape left = shapeOf(a), right = shapeOf(b), shape = left;
  size_t rank = left.size();
  shape[rank - 2] = left[rank - (transposeA ? 1 : 2)];
  shape[rank - 1] = right[right.size() - (transposeB ? 2 : 1)];
  return create<MatmulOp>(suffix, shape, a, b, transposeA, transposeB,
                          DenseI64ArrayAttr());
}

Value NodeContext::createConcat(StringRef suffix, ArrayRef<Value> values,
                                int64_t axis) {
  if (llvm::is_contained(values, Value()))
    return Value();
  if (values.size() == 1)
    return values[0];
  Shape shape = shapeOf(values[0]);
  shape[axis] = 0;
  for (Value value : values)
    shape[axis] += shapeOf(value)[axis];
  return create<ConcatOp>(suffix, shape, ValueRange(values), axis);
}

Value NodeContext::createCast(StringRef suffix, Value x) {
  if (!x)
    return x;
  auto op = CastOp::create(importer.builder, loc,
                           importer.integerType(shapeOf(x)), x);
  nameOp(op, suffix);
  return op.getY();
}

Value NodeContext::createFloats(StringRef suffix, Value x) {
  return x ? create<CastOp>(suffix, shapeOf(x), x) : x;
}

Value NodeContext::createPick(StringRef suffix, Value x, int64_t axis,
                              ArrayRef<int32_t> positions) {
  if (!x)
    return x;
  Shape shape = shapeOf(x);
  int64_t rank = shape.size(), count = positions.size();
  // A range is a slice.
  int64_t step = count > 1 ? positions[1] - positions[0] : 1;
  bool isRange = step > 0;
  for (int64_t i = 1; isRange && i < count; ++i)
    isRange = positions[i] - positions[i - 1] == step;
  if (isRange) {
    Shape offsets(rank, 0), steps(rank, 1), sizes = shape;
    offsets[axis] = positions[0];
    steps[axis] = step;
    sizes[axis] = count;
    if (sizes == shape)
      return x;
    return create<SliceOp>(suffix, sizes, x, ArrayRef<int64_t>(offsets),
                           ArrayRef<int64_t>(sizes), ArrayRef<int64_t>(steps));
  }
  Value which =
      createIndices((suffix + "_positions").str(), {count}, positions);
  // Rows are dim 0.
  Shape order = swappedDims(rank, 0, axis);
  Value table = createTranspose((suffix + "_rows").str(), x, order);
  if (!table || !which)
    return Value();
  Shape picked = shapeOf(table);
  picked[0] = count;
  Value rows =
      create<GatherOp>(axis == 0 ? suffix.str() : (suffix + "_gather").str(),
                       picked, table, which, /*offset=*/0, /*wrap=*/0);
  return createTranspose(suffix, rows, order);
}

Value NodeContext::createPad(StringRef suffix, Value x, const Shape &low,
                             const Shape &high, double value) {
  if (!x)
    return x;
  Shape shape = shapeOf(x);
  for (size_t i = 0; i < shape.size(); ++i)
    shape[i] += low[i] + high[i];
  if (llvm::all_of(low, [](int64_t pad) { return pad == 0; }) &&
      shape == shapeOf(x))
    return x;
  return create<PadOp>(suffix, shape, x, ArrayRef<int64_t>(low),
                       ArrayRef<int64_t>(Shape(shape.size(), 0)),
                       APFloat(value));
}

//===----------------------------------------------------------------------===//
// Shapes and axes
//===----------------------------------------------------------------------===//

Shape mlir::soap::onnx::swappedDims(int64_t rank, int64_t a, int64_t b) {
  Shape permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation[a], permutation[b]);
  return permutation;
}

std::optional<Shape> mlir::soap::onnx::broadcastShapes(const Shape &a,
                                                       const Shape &b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1,
            y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1)
      return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

std::optional<int64_t>
mlir::soap::onnx::normalizeAxis(NodeContext &node, int64_t axis, int64_t rank) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  (void)node.error("axis " + Twine(axis) + " is out of range for rank " +
                   Twine(rank));
  return std::nullopt;
}

std::optional<Shape> mlir::soap::onnx::normalizeAxes(NodeContext &node,
                                                     const Shape &axes,
                                                     int64_t rank) {
  Shape result;
  for (int64_t axis : axes) {
    auto wrapped = normalizeAxis(node, axis, rank);
    if (!wrapped)
      return std::nullopt;
    result.push_back(*wrapped);
  }
  llvm::sort(result);
  if (std::adjacent_find(result.begin(), result.end()) != result.end()) {
    (void)node.error("an axis is given twice");
    return std::nullopt;
  }
  return result;
}
