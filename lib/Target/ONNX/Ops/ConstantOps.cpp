//===- ConstantOps.cpp - Constants and shape arithmetic of ONNX -*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant, Identity, Cast, and the ops that exporters compute shapes with: all
// are gone after import.
//
//===----------------------------------------------------------------------===//

#include "Folding.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

/// Larger results of folds are not constants but a mistake, or an attack.
static constexpr int64_t kLargestConstant = int64_t(1) << 22;

std::optional<Tensor> mlir::soap::onnx::pickElements(NodeContext &node,
                                                     const Tensor &source,
                                                     const Shape &shape,
                                                     const IndexMap &map) {
  int64_t count = countElements(shape);
  if (count < 0 || count > kLargestConstant) {
    (void)node.error("a constant of shape " + shapeString(shape) +
                     " is too large");
    return std::nullopt;
  }
  Tensor result;
  result.dataType = source.dataType;
  result.dims = shape;
  Shape index(shape.size(), 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t position = map(index);
    if (source.isFloat())
      result.floats.push_back(source.floats[position]);
    else
      result.ints.push_back(source.ints[position]);
    for (size_t dim = shape.size(); dim-- > 0 && ++index[dim] == shape[dim];)
      index[dim] = 0;
  }
  return result;
}

Tensor mlir::soap::onnx::withShape(const Tensor &source, const Shape &shape) {
  Tensor result = source;
  result.dims = shape;
  return result;
}

Shape mlir::soap::onnx::stridesOf(const Shape &shape) {
  Shape strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

IndexMap mlir::soap::onnx::broadcastIndex(const Shape &from, const Shape &to) {
  Shape strides = stridesOf(from);
  size_t added = to.size() - from.size();
  return [=](const Shape &index) {
    int64_t position = 0;
    for (size_t i = 0; i < from.size(); ++i)
      position += from[i] == 1 ? 0 : index[added + i] * strides[i];
    return position;
  };
}

std::optional<std::pair<Tensor, Tensor>>
mlir::soap::onnx::broadcastOperands(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return std::nullopt;
  const Tensor *x = node.constant(0), *y = node.constant(1);
  if (!x || !y)
    return std::nullopt;
  auto shape = broadcastShapes(x->dims, y->dims);
  if (!shape) {
    (void)node.error("operands " + shapeString(x->dims) + " and " +
                     shapeString(y->dims) + " do not broadcast");
    return std::nullopt;
  }
  auto a = pickElements(node, *x, *shape, broadcastIndex(x->dims, *shape));
  auto b = pickElements(node, *y, *shape, broadcastIndex(y->dims, *shape));
  if (!a || !b)
    return std::nullopt;
  return std::pair(std::move(*a), std::move(*b));
}

namespace {

LogicalResult importConstant(NodeContext &node) {
  if (!node.checkCounts(0, 0))
    return failure();
  if (node.node.attributes.size() != 1)
    return node.error("expected exactly one attribute, got " +
                      Twine(node.node.attributes.size()));
  const NodeAttribute &attribute =
      *node.rawAttribute(node.node.attributes[0].name.c_str());
  using Kind = NodeAttribute::Kind;
  const std::string &name = attribute.name;
  Tensor tensor;
  tensor.dataType = name.find("float") != std::string::npos ? kFloat : kInt64;
  if (name == "value" && attribute.kind == Kind::Tensor) {
    tensor = attribute.tensor;
  } else if (name == "value_float" && attribute.kind == Kind::Float) {
    tensor.floats = {attribute.f};
  } else if (name == "value_int" && attribute.kind == Kind::Int) {
    tensor.ints = {attribute.i};
  } else if (name == "value_ints" && attribute.kind == Kind::Ints) {
    tensor.ints = attribute.ints;
    tensor.dims = {static_cast<int64_t>(tensor.ints.size())};
  } else if (name == "value_floats" && attribute.kind == Kind::Floats) {
    tensor.floats = attribute.floats;
    tensor.dims = {static_cast<int64_t>(tensor.floats.size())};
  } else {
    return node.error("attribute " + quote(name) + " is not supported");
  }
  if (!tensor.isFloat())
    return node.setConstant(0, std::move(tensor));
  const std::string &output = node.node.outputs[0];
  tensor.name = output;
  return node.setOperand(
      0, node.importer.operandFor(output,
                                  std::make_shared<Tensor>(std::move(tensor))));
}

/// `detach`, as exporters write it if they are told to (docs/ONNX.md): ONNX has
/// no op for it.
LogicalResult importStopGradient(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  if (node.isConstant(0) || node.isInteger(0))
    return node.setOperand(0, node.operand(0));
  Value x = node.tensor(0);
  return x ? node.setResult(0, node.create<StopGradientOp>("", shapeOf(x), x),
                            node.typeOf(0))
           : failure();
}

LogicalResult importIdentity(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  // An Identity of a tensor of the file is a tensor, perhaps of its own.
  const Operand &operand = node.operand(0);
  const std::shared_ptr<Tensor> &values =
      operand.parameter ? operand.parameter->tensor : operand.constant;
  if (values && node.wantsResult(0) &&
      node.importer.isPlanned(node.node.outputs[0]))
    return node.setOperand(
        0, node.importer.operandFor(node.node.outputs[0], values));
  return node.setOperand(0, operand);
}

/// The element type asked for; 0 after an error.
int32_t castTarget(NodeContext &node) {
  node.ignoreAttribute("saturate");
  int64_t to = node.intAttribute("to", kUndefined);
  if (node.failed())
    return kUndefined;
  if (to >= 0 && to <= INT32_MAX && isOtherFloat(static_cast<int32_t>(to))) {
    node.importer.otherFloats.insert(static_cast<int32_t>(to));
    return kFloat;
  }
  if (to < 0 || to > INT32_MAX ||
      (to != kFloat && !isInteger(static_cast<int32_t>(to)))) {
    (void)node.error("attribute 'to': " +
                     (to < 0 || to > INT32_MAX
                          ? std::to_string(to)
                          : dataTypeName(static_cast<int32_t>(to))) +
                     " is not supported");
    return kUndefined;
  }
  return static_cast<int32_t>(to);
}

/// The bits of the integers of a type, sign apart.
int bitsOf(int32_t dataType) {
  switch (dataType) {
  case kInt8:
    return 7;
  case kUInt8:
    return 8;
  case kInt16:
    return 15;
  case kUInt16:
    return 16;
  default:
    return 31;
  }
}

bool isUnsigned(int32_t dataType) {
  return dataType == kUInt8 || dataType == kUInt16 || dataType == kUInt32;
}

/// Tensors of the model are floats, masks (bools) among them, or int32.
/// Operand 0, computed, as elements of type `to`.
LogicalResult importCastTo(NodeContext &node, int32_t to) {
  if (to == node.typeOf(0))
    return node.setOperand(0, node.operand(0));
  if (to == kBool) {
    // 1 - (x == 0).
    Value zero = node.createBinary<EqualOp>("zero", node.floats(0),
                                            node.createScalar("none", 0));
    return node.setResult(
        0, node.createBinary<SubOp>("", node.createScalar("one", 1), zero),
        kBool);
  }
  if (to == kFloat)
    return node.setResult(0, node.floats(0));
  // Whole numbers, another type of which holds the same.
  if (node.isBool(0) || node.isInteger(0)) {
    if (node.isInteger(0) && (bitsOf(to) < bitsOf(node.typeOf(0)) ||
                              (isUnsigned(to) && !isUnsigned(node.typeOf(0)))))
      return node.error("attribute 'to': " + dataTypeName(node.typeOf(0)) +
                        " to " + dataTypeName(to) +
                        " may wrap, which is not supported");
    Operand same = node.operand(0);
    same.dataType = to;
    return node.setOperand(0, same);
  }
  return node.setResult(0, node.createCast("", node.tensor(0)), to);
}

/// Operand 0, known, as elements of type `to`.
LogicalResult foldCastTo(NodeContext &node, int32_t to) {
  const Tensor *x = node.constant(0);
  if (!x)
    return failure();
  Tensor result;
  result.dataType = to;
  result.dims = x->dims;
  auto narrow = [&](int64_t value) -> int64_t {
    switch (to) {
    case kBool:
      return value != 0;
    case kUInt8:
      return static_cast<uint8_t>(value);
    case kInt8:
      return static_cast<int8_t>(value);
    case kUInt16:
      return static_cast<uint16_t>(value);
    case kInt16:
      return static_cast<int16_t>(value);
    case kUInt32:
      return static_cast<uint32_t>(value);
    case kInt32:
      return static_cast<int32_t>(value);
    }
    return value;
  };
  if (to == kFloat) {
    result.floats = x->floats;
    result.floats.insert(result.floats.end(), x->ints.begin(), x->ints.end());
  } else {
    for (int64_t value : x->ints)
      result.ints.push_back(narrow(value));
    bool isBeyond = false;
    for (float value : x->floats) {
      if (to == kBool) {
        result.ints.push_back(value != 0);
        continue;
      }
      int64_t whole =
          std::fabs(value) < 9e18f ? static_cast<int64_t>(value) : INT64_MIN;
      bool fits = whole != INT64_MIN && narrow(whole) == whole;
      if (!fits && to != kInt32 && to != kInt64)
        return node.error("value " + Twine(std::to_string(value)) +
                          " can not be cast to " + dataTypeName(to));
      isBeyond |= !fits;
      result.ints.push_back(fits           ? whole
                            : to == kInt32 ? INT32_MIN
                                           : INT64_MIN);
    }
    // Exporters cast the logarithm of 0, and select another value there.
    if (isBeyond)
      emitWarning(node.importer.loc)
          << "node " << quote(node.baseName()) << ": values that "
          << dataTypeName(to)
          << " does not have are cast to its smallest one, as x86 does; ONNX "
             "does not define them";
  }
  return node.setConstant(0, std::move(result));
}

template <LogicalResult castTo(NodeContext &, int32_t)>
LogicalResult importCast(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  int32_t to = castTarget(node);
  return to == kUndefined ? failure() : castTo(node, to);
}

/// To the type of operand 1.
LogicalResult importCastLike(NodeContext &node) {
  if (!node.checkCounts(2, 2))
    return failure();
  node.ignoreAttribute("saturate"); // of types that are not supported
  int32_t to = node.typeOf(1);
  if (to != kFloat && !isInteger(to))
    return node.error("operand " + quote(node.node.inputs[1]) +
                      " has element type " + dataTypeName(to) +
                      ", which is not supported");
  return node.isConstant(0) ? foldCastTo(node, to) : importCastTo(node, to);
}

Tensor intTensor(Shape values, Shape dims) {
  Tensor result;
  result.dataType = kInt64;
  result.dims = std::move(dims);
  result.ints = std::move(values);
  return result;
}

LogicalResult foldShape(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  const Shape &x = node.shape(0);
  int64_t rank = x.size(), start = 0, end = rank;
  if (node.opset() >= 15) {
    start = node.intAttribute("start", 0);
    end = node.intAttribute("end", rank);
  }
  auto clamp = [&](int64_t position) {
    return std::clamp<int64_t>(
        position < 0 && position >= -rank ? position + rank : position, 0,
        rank);
  };
  if (node.failed())
    return failure();
  start = clamp(start);
  end = std::max(start, clamp(end));
  return node.setConstant(
      0, intTensor(Shape(x.begin() + start, x.begin() + end), {end - start}));
}

LogicalResult foldSize(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  return node.setConstant(0, intTensor({countElements(node.shape(0))}, {}));
}

LogicalResult foldConstantOfShape(NodeContext &node) {
  if (!node.checkCounts(1, 1))
    return failure();
  auto shape = node.constantInts(0);
  if (!shape)
    return failure();
  Tensor value;
  value.dataType = kFloat;
  value.floats = {0};
  if (const NodeAttribute *attribute = node.rawAttribute("value"))
    value = attribute->tensor;
  if (!value.isDecoded() || value.size() != 1)
    return node.error("attribute 'value': expected a tensor with one element");
  auto result =
      pickElements(node, value, *shape, [](const Shape &) { return 0; });
  return result ? node.setConstant(0, std::move(*result)) : failure();
}

LogicalResult foldFloatRange(NodeContext &node) {
  std::optional<float> bounds[3];
  for (size_t i = 0; i < 3; ++i)
    if (!(bounds[i] = node.constantScalar(i)))
      return node.error("expected scalars of one type");
  auto [start, limit, step] = bounds;
  double count = std::ceil((double(*limit) - *start) / *step);
  if (!(count <= double(kLargestConstant)))
    return node.error("the range is too large to be a constant, or step 0");
  Tensor result;
  result.dataType = kFloat;
  for (int64_t i = 0; i < static_cast<int64_t>(count); ++i)
    result.floats.push_back(static_cast<float>(*start + double(i) * *step));
  result.dims = {static_cast<int64_t>(result.floats.size())};
  return node.setConstant(0, std::move(result));
}

LogicalResult foldRange(NodeContext &node) {
  if (!node.checkCounts(3, 3))
    return failure();
  int64_t bounds[3];
  if (const Tensor *first = node.constant(0); first && first->isFloat())
    return foldFloatRange(node);
  for (size_t i = 0; i < 3; ++i) {
    auto value = node.constantInts(i);
    if (!value || value->size() != 1)
      return node.failed() ? failure() : node.error("expected integer scalars");
    bounds[i] = value->front();
  }
  auto [start, limit, step] = bounds;
  Shape values;
  if (step == 0)
    return node.error("step 0");
  for (int64_t value = start; step > 0 ? value < limit : value > limit;) {
    values.push_back(value);
    if (int64_t(values.size()) > kLargestConstant)
      return node.error("the range is too large to be a constant");
    if (__builtin_add_overflow(value, step, &value))
      break;
  }
  int64_t count = values.size();
  Tensor result = intTensor(std::move(values), {count});
  result.dataType = node.typeOf(0);
  return node.setConstant(0, std::move(result));
}

} // namespace

void mlir::soap::onnx::addConstantOps(OpTable &table) {
  table["Constant"] = {7, kLastOpset, nullptr, importConstant};
  table["soap::StopGradient"] = {7, kLastOpset, importStopGradient,
                                 importStopGradient};
  table["Identity"] = {7, kLastOpset, importIdentity, importIdentity};
  table["Cast"] = {7, kLastOpset, importCast<importCastTo>,
                   importCast<foldCastTo>};
  table["CastLike"] = {15, kLastOpset, importCastLike, importCastLike};
  table["Shape"] = {7, kLastOpset, nullptr, foldShape};
  table["Size"] = {7, kLastOpset, nullptr, foldSize};
  table["ConstantOfShape"] = {9, kLastOpset, nullptr, foldConstantOfShape};
  table["Range"] = {11, kLastOpset, nullptr, foldRange};
}
