//===- ModelBuilder.cpp - Layers as soap ops ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ModelBuilder.h.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

ModelBuilder::ModelBuilder(MLIRContext *context)
    : builder(context), loc(builder.getUnknownLoc()) {
  module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, loc, "forward",
                                  builder.getFunctionType({}, {}));
  body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
}

OwningOpRef<ModuleOp> ModelBuilder::finish(Value logits,
                                           ArrayRef<Result> others) {
  SmallVector<Result> results{{logits, ValueKind::Output, "logits"}};
  llvm::append_range(results, others);
  SmallVector<Value> values;
  SmallVector<DictionaryAttr> attributes;
  for (const Result &result : results) {
    values.push_back(result.value);
    attributes.push_back(builder.getDictionaryAttr(
        {kindOf(result.kind), text(SoapDialect::kName, result.name)}));
  }
  func::ReturnOp::create(builder, loc, values);
  function.setFunctionType(builder.getFunctionType(
      body->getArgumentTypes(), ValueRange(values).getTypes()));
  function.setAllArgAttrs(argumentAttributes);
  function.setAllResultAttrs(attributes);
  return std::move(module);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

NamedAttribute ModelBuilder::text(StringRef key, const Twine &value) {
  return builder.getNamedAttr(key, builder.getStringAttr(value));
}

NamedAttribute ModelBuilder::kindOf(ValueKind kind) {
  return builder.getNamedAttr(SoapDialect::kKind,
                              ValueKindAttr::get(builder.getContext(), kind));
}

NamedAttribute ModelBuilder::initBy(InitRule rule) {
  return builder.getNamedAttr(SoapDialect::kInit,
                              InitRuleAttr::get(builder.getContext(), rule));
}

NamedAttribute ModelBuilder::count(StringRef key, int64_t value) {
  return builder.getNamedAttr(key, builder.getI64IntegerAttr(value));
}

Value ModelBuilder::addArgument(Type type,
                                ArrayRef<NamedAttribute> attributes) {
  argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
  return body->addArgument(type, loc);
}

Value ModelBuilder::image(ArrayRef<int64_t> shape) {
  return addArgument(type(shape), {kindOf(ValueKind::Data),
                                   text(SoapDialect::kName, "image"),
                                   count(SoapDialect::kSampleDim, 0)});
}

Value ModelBuilder::tokens(StringRef name, ArrayRef<int64_t> shape,
                           int64_t sampleDim) {
  return addArgument(RankedTensorType::get(shape, builder.getI32Type()),
                     {kindOf(ValueKind::Data), text(SoapDialect::kName, name),
                      count(SoapDialect::kSampleDim, sampleDim)});
}

Value ModelBuilder::parameter(const Twine &name, ArrayRef<int64_t> shape,
                              StringRef init, int64_t fanIn, int64_t fanOut,
                              StringRef kind) {
  SmallVector<NamedAttribute> attributes = {kindOf(*symbolizeValueKind(kind)),
                                            text(SoapDialect::kName, name),
                                            initBy(*symbolizeInitRule(init))};
  if (fanIn > 0) {
    attributes.push_back(count(SoapDialect::kFanIn, fanIn));
    attributes.push_back(count(SoapDialect::kFanOut, fanOut));
  }
  return addArgument(type(shape), attributes);
}

Value ModelBuilder::zeros(StringRef name, ArrayRef<int64_t> shape) {
  RankedTensorType result = type(shape);
  return create<ConstantOp>(name, result,
                            cast<ElementsAttr>(DenseElementsAttr::get(
                                result, ArrayRef<float>(0.0f))));
}

Value ModelBuilder::constant(StringRef name, ArrayRef<int64_t> shape,
                             ArrayRef<float> values) {
  RankedTensorType result = type(shape);
  return create<ConstantOp>(
      name, result, cast<ElementsAttr>(DenseElementsAttr::get(result, values)));
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

Value ModelBuilder::conv(Value x, StringRef name, int64_t channels, Pair kernel,
                         Pair stride, Pair padding, bool bias, int64_t groups) {
  ArrayRef<int64_t> in = shapeOf(x);
  int64_t inputs = in[1] / groups, window = kernel.h * kernel.w;
  Value weight =
      parameter(name + Twine(".weight"), {channels, inputs, kernel.h, kernel.w},
                "he", inputs * window, channels / groups * window);
  Shape shape = {in[0], channels,
                 (in[2] + 2 * padding.h - kernel.h) / stride.h + 1,
                 (in[3] + 2 * padding.w - kernel.w) / stride.w + 1};
  Value y = create<Conv2DOp>(
      name, type(shape), x, weight, ArrayRef<int64_t>{stride.h, stride.w},
      ArrayRef<int64_t>{padding.h, padding.w, padding.h, padding.w},
      ArrayRef<int64_t>{1, 1}, groups);
  if (!bias)
    return y;
  return create<BiasAddOp>(
      name + Twine(".bias_add"), type(shape), y,
      parameter(name + Twine(".bias"), {channels}, "zeros"), 1);
}

Value ModelBuilder::batchNorm(Value x, StringRef name) {
  int64_t channels = shapeOf(x)[1];
  auto vector = [&](StringRef what, StringRef init, StringRef kind) {
    return parameter(name + Twine(".") + what, {channels}, init, 0, 0, kind);
  };
  Value gamma = vector("weight", "ones", "parameter"),
        beta = vector("bias", "zeros", "parameter"),
        mean = vector("running_mean", "zeros", "state"),
        variance = vector("running_var", "ones", "state");
  return create<BatchNormOp>(name, x.getType(), x, gamma, beta, mean, variance,
                             builder.getF64FloatAttr(1e-5));
}

Value ModelBuilder::relu(Value x, StringRef name) {
  return create<ReluOp>(name, x.getType(), x);
}

static Shape pooled(Value x, Pair kernel, Pair stride, Pair padding) {
  ArrayRef<int64_t> in = ModelBuilder::shapeOf(x);
  return {in[0], in[1], (in[2] + 2 * padding.h - kernel.h) / stride.h + 1,
          (in[3] + 2 * padding.w - kernel.w) / stride.w + 1};
}

Value ModelBuilder::maxPool(Value x, StringRef name, Pair kernel, Pair stride,
                            Pair padding) {
  return create<MaxPool2DOp>(
      name, type(pooled(x, kernel, stride, padding)), x,
      ArrayRef<int64_t>{kernel.h, kernel.w},
      ArrayRef<int64_t>{stride.h, stride.w},
      ArrayRef<int64_t>{padding.h, padding.w, padding.h, padding.w},
      ArrayRef<int64_t>{1, 1});
}

Value ModelBuilder::avgPool(Value x, StringRef name, Pair kernel, Pair stride,
                            Pair padding) {
  return create<AvgPool2DOp>(
      name, type(pooled(x, kernel, stride, padding)), x,
      ArrayRef<int64_t>{kernel.h, kernel.w},
      ArrayRef<int64_t>{stride.h, stride.w},
      ArrayRef<int64_t>{padding.h, padding.w, padding.h, padding.w},
      ArrayRef<int64_t>{1, 1}, /*count_include_pad=*/true, DenseI64ArrayAttr(),
      DenseI64ArrayAttr());
}

Value ModelBuilder::globalAvgPool(Value x, StringRef name) {
  ArrayRef<int64_t> in = shapeOf(x);
  Value sum = create<ReduceOp>(name + Twine(".sum"), type({in[0], in[1]}), x,
                               ReduceKind::Sum, ArrayRef<int64_t>{2, 3});
  return scale(sum, name, 1.0 / static_cast<double>(in[2] * in[3]));
}

Value ModelBuilder::concat(ArrayRef<Value> xs, StringRef name, int64_t axis) {
  Shape shape(shapeOf(xs[0]));
  shape[axis] = 0;
  for (Value x : xs)
    shape[axis] += shapeOf(x)[axis];
  return create<ConcatOp>(name, type(shape), ValueRange(xs), axis);
}

//===----------------------------------------------------------------------===//
// Elementwise and shapes
//===----------------------------------------------------------------------===//

Value ModelBuilder::biasAdd(Value x, Value bias, StringRef name, int64_t axis) {
  if (axis < 0)
    axis += static_cast<int64_t>(shapeOf(x).size());
  return create<BiasAddOp>(name, x.getType(), x, bias, axis);
}

Value ModelBuilder::add(Value x, Value y, StringRef name) {
  return create<AddOp>(name, x.getType(), x, y);
}

Value ModelBuilder::sub(Value x, Value y, StringRef name) {
  return create<SubOp>(name, x.getType(), x, y);
}

Value ModelBuilder::mul(Value x, Value y, StringRef name) {
  return create<MulOp>(name, x.getType(), x, y);
}

Value ModelBuilder::div(Value x, Value y, StringRef name) {
  return create<DivOp>(name, x.getType(), x, y);
}

Value ModelBuilder::scale(Value x, StringRef name, double factor) {
  return create<ScaleOp>(name, x.getType(), x, builder.getF64FloatAttr(factor));
}

Value ModelBuilder::outerProduct(Value column, Value row, StringRef name) {
  return create<MulOp>(name, type({shapeOf(column)[0], shapeOf(row)[1]}),
                       column, row);
}

Value ModelBuilder::neg(Value x, StringRef name) {
  return create<NegOp>(name, x.getType(), x);
}

Value ModelBuilder::sin(Value x, StringRef name) {
  return create<SinOp>(name, x.getType(), x);
}

Value ModelBuilder::cos(Value x, StringRef name) {
  return create<CosOp>(name, x.getType(), x);
}

Value ModelBuilder::swiglu(Value gate, Value up, StringRef name, double beta) {
  return create<SwiGLUOp>(name, up.getType(), gate, up, llvm::APFloat(beta));
}

Value ModelBuilder::sigmoid(Value x, StringRef name) {
  return create<SigmoidOp>(name, x.getType(), x);
}

Value ModelBuilder::tanh(Value x, StringRef name) {
  return create<TanhOp>(name, x.getType(), x);
}

Value ModelBuilder::gelu(Value x, StringRef name) {
  return create<GeluOp>(name, x.getType(), x, /*approximate=*/true);
}

Value ModelBuilder::softmax(Value x, StringRef name, int64_t axis) {
  return create<SoftmaxOp>(name, x.getType(), x,
                           builder.getI64IntegerAttr(axis));
}

Value ModelBuilder::dropout(Value x, StringRef name, double rate) {
  // A seed of its own, so that masks of layers differ.
  auto seed = static_cast<int64_t>(llvm::hash_value(name) & 0x7fffffff);
  return create<DropoutOp>(
      name, x.getType(), x, /*step=*/Value(), builder.getF64FloatAttr(rate),
      builder.getI64IntegerAttr(seed), builder.getDenseI64ArrayAttr({}),
      builder.getDenseI64ArrayAttr({}));
}

Value ModelBuilder::reshape(Value x, StringRef name, ArrayRef<int64_t> shape) {
  return create<ReshapeOp>(name, type(shape), x);
}

Value ModelBuilder::transpose(Value x, StringRef name,
                              ArrayRef<int64_t> permutation) {
  Shape shape;
  for (int64_t dim : permutation)
    shape.push_back(shapeOf(x)[dim]);
  return create<TransposeOp>(name, type(shape), x, permutation);
}

Value ModelBuilder::broadcast(Value x, StringRef name, int64_t axis,
                              int64_t extent) {
  Shape shape(shapeOf(x));
  shape.insert(shape.begin() + axis, extent);
  return create<BroadcastOp>(name, type(shape), x, ArrayRef<int64_t>{axis});
}

Value ModelBuilder::sum(Value x, StringRef name, int64_t axis) {
  Shape shape(shapeOf(x));
  shape.erase(shape.begin() + axis);
  return create<ReduceOp>(name, type(shape), x, ReduceKind::Sum,
                          ArrayRef<int64_t>{axis});
}

Value ModelBuilder::number(StringRef name, double value) {
  return constant(name, {}, {static_cast<float>(value)});
}

Value ModelBuilder::atMost(Value x, StringRef name, double bound) {
  return create<MinimumOp>(name, x.getType(), x,
                           number((name + ".bound").str(), bound));
}

Value ModelBuilder::atLeast(Value x, StringRef name, double bound) {
  return create<MaximumOp>(name, x.getType(), x,
                           number((name + ".bound").str(), bound));
}

Value ModelBuilder::plus(Value x, StringRef name, double value) {
  return add(x, number((name + ".number").str(), value), name);
}

Value ModelBuilder::slice(Value x, StringRef name, int64_t axis, int64_t from,
                          int64_t size) {
  Shape sizes(shapeOf(x)), offsets(sizes.size(), 0), strides(sizes.size(), 1);
  if (from == 0 && size == sizes[axis])
    return x;
  sizes[axis] = size;
  offsets[axis] = from;
  return create<SliceOp>(name, type(sizes), x, offsets, sizes, strides);
}

//===----------------------------------------------------------------------===//
// Linear layers
//===----------------------------------------------------------------------===//

Value ModelBuilder::matmul(Value a, Value b, StringRef name, bool transposeB) {
  Shape shape(shapeOf(a));
  shape.back() =
      transposeB ? shapeOf(b)[shapeOf(b).size() - 2] : shapeOf(b).back();
  return create<MatmulOp>(name, type(shape), a, b, /*transpose_a=*/false,
                          transposeB, DenseI64ArrayAttr());
}

Value ModelBuilder::linear(Value x, StringRef name, int64_t features, bool bias,
                           Value tied) {
  int64_t inputs = shapeOf(x).back();
  Value weight = tied ? tied
                      : parameter(name + Twine(".weight"), {features, inputs},
                                  "default", inputs, features);
  Value y = matmul(x, weight, name, /*transposeB=*/true);
  if (!bias)
    return y;
  return biasAdd(y, parameter(name + Twine(".bias"), {features}, "zeros"),
                 (name + ".bias_add").str());
}

ModelBuilder::Attention ModelBuilder::attention(Value q, Value k, Value v,
                                                StringRef name,
                                                const AttentionForm &form) {
  auto left =
      form.window ? builder.getI64IntegerAttr(form.window - 1) : IntegerAttr();
  auto op = create<AttentionOp>(
      name, q, k, v, Value(), Value(), Value(),
      builder.getF64FloatAttr(form.scale), builder.getF64FloatAttr(form.cap),
      left, builder.getI64IntegerAttr(0), builder.getI64IntegerAttr(0));
  return {op.getOut(), op.getLse()};
}

Value ModelBuilder::layerNorm(Value x, StringRef name) {
  ArrayRef<int64_t> shape = shapeOf(x);
  int64_t width = shape.back();
  RankedTensorType rows = type(shape.drop_back());
  return create<LayerNormOp>(
             name, x.getType(), rows, rows, x,
             parameter(name + Twine(".weight"), {width}, "ones"),
             parameter(name + Twine(".bias"), {width}, "zeros"),
             builder.getI64IntegerAttr(static_cast<int64_t>(shape.size()) - 1),
             builder.getF64FloatAttr(1e-5))
      .getY();
}

Value ModelBuilder::rmsNorm(Value x, StringRef name, double epsilon) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return create<RmsNormOp>(
             name, x.getType(), type(shape.drop_back()), x,
             parameter(name + Twine(".weight"), {shape.back()}, "ones"),
             builder.getI64IntegerAttr(static_cast<int64_t>(shape.size()) - 1),
             builder.getF64FloatAttr(epsilon))
      .getY();
}

Value ModelBuilder::causalMask(Value scores, StringRef name) {
  ArrayRef<int64_t> shape = shapeOf(scores);
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  // Positions are compared where they are needed: a mask of all pairs would be
  // most of a model's text.
  auto positions = [&](const char *what, ArrayRef<int64_t> extents) {
    std::vector<float> values;
    for (int64_t i = 0; i < extents[0] * extents[1]; ++i)
      values.push_back(static_cast<float>(i));
    return constant((name + Twine(what)).str(), extents, values);
  };
  Value visible = create<GreaterEqualOp>(
      name + Twine(".visible"), type({rows, columns}),
      positions(".rows", {rows, 1}), positions(".columns", {1, columns}));
  RankedTensorType scalar = type({});
  Value never =
      create<ConstantOp>(name + Twine(".never"), scalar,
                         cast<ElementsAttr>(DenseElementsAttr::get(
                             scalar, -std::numeric_limits<float>::infinity())));
  return create<WhereOp>(name, scores.getType(), visible, scores, never);
}

Value ModelBuilder::embedding(Value indices, StringRef name, int64_t vocabulary,
                              int64_t width, Value *table) {
  Value weight = table && *table
                     ? *table
                     : parameter(name + Twine(".weight"), {vocabulary, width},
                                 "default", width, width);
  if (table)
    *table = weight;
  Shape shape(shapeOf(indices));
  shape.push_back(width);
  return create<GatherOp>(name, type(shape), weight, indices, 0, 0);
}

//===----------------------------------------------------------------------===//
// Experts
//===----------------------------------------------------------------------===//

ModelBuilder::Choice ModelBuilder::topK(Value x, StringRef name, int64_t k) {
  Shape shape(shapeOf(x));
  shape.back() = k;
  auto op = create<TopKOp>(name, type(shape),
                           RankedTensorType::get(shape, builder.getI32Type()),
                           x, builder.getI64IntegerAttr(k));
  return {op.getValues(), op.getIndices()};
}

ModelBuilder::Routes ModelBuilder::route(Value indices, StringRef name,
                                         int64_t experts, int64_t capacity) {
  int64_t samples = shapeOf(indices)[0];
  auto op = create<RouteOp>(
      name, indices.getType(),
      RankedTensorType::get({samples, experts, capacity}, builder.getI32Type()),
      type({samples, experts}), indices);
  return {op.getSlots(), op.getTokens(), op.getLoad()};
}

Value ModelBuilder::dispatch(Value x, const Routes &routes, StringRef name) {
  ArrayRef<int64_t> tokens = shapeOf(routes.tokens);
  return create<DispatchOp>(
      name, type({tokens[1], tokens[0], tokens[2], shapeOf(x).back()}), x,
      routes.slots, routes.tokens, /*gates=*/Value());
}

Value ModelBuilder::combineExperts(Value y, const Routes &routes, Value gates,
                                   StringRef name) {
  ArrayRef<int64_t> slots = shapeOf(routes.slots);
  return create<CombineExpertsOp>(
      name, type({slots[0], slots[1], shapeOf(y).back()}), y, routes.slots,
      routes.tokens, gates, builder.getI64IntegerAttr(0));
}

//===----------------------------------------------------------------------===//
// Recurrence
//===----------------------------------------------------------------------===//

Value ModelBuilder::lstm(Value x, StringRef name, int64_t hidden, int64_t chunk,
                         State *state) {
  constexpr int64_t gates = 4;
  ArrayRef<int64_t> in = shapeOf(x);
  int64_t steps = in[0], samples = in[1], inputs = in[2];
  Value weight = parameter(name + Twine(".weight"), {gates * hidden, inputs},
                           "default", inputs, hidden),
        recurrent =
            parameter(name + Twine(".recurrent"), {gates, hidden, hidden},
                      "default", hidden, hidden),
        bias = parameter(name + Twine(".bias"), {gates * hidden}, "zeros");
  Shape stateShape = {1, samples, hidden};
  Value h = state && state->h ? state->h
                              : zeros((name + ".h0").str(), stateShape),
        c = state && state->c ? state->c
                              : zeros((name + ".c0").str(), stateShape);
  SmallVector<Value> outputs;
  for (int64_t from = 0, i = 0; from < steps; from += chunk, ++i) {
    int64_t size = std::min(chunk, steps - from);
    std::string part =
        chunk < steps ? (name + "." + Twine(i)).str() : name.str();
    Value piece = slice(x, part + ".steps", 0, from, size);
    Value product = matmul(piece, weight, part + ".input", /*transposeB=*/true);
    Value biased = create<BiasAddOp>(part + ".input.bias_add",
                                     product.getType(), product, bias, 2);
    Value gateInputs =
        reshape(biased, part + ".gates", {size, samples, gates, hidden});
    auto op = create<LstmOp>(
        part, type({size, samples, hidden}), type({size, samples, hidden}),
        type({size, samples, gates, hidden}), gateInputs, recurrent, h, c);
    outputs.push_back(op.getY());
    bool last = from + size >= steps;
    if (!last || state) {
      h = slice(op.getY(), part + ".last_h", 0, size - 1, 1);
      c = slice(op.getCells(), part + ".last_c", 0, size - 1, 1);
    }
  }
  if (state)
    *state = {h, c};
  return outputs.size() == 1 ? outputs[0]
                             : concat(outputs, (name + ".all").str(), 0);
}
