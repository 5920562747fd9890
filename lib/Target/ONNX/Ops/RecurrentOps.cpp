//===- RecurrentOps.cpp - LSTM of ONNX --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The input's share of the gates is one matmul for all time steps, the
// recurrence is soap.lstm. The order of the gates is ONNX's. A reversed
// direction gathers the steps in the other order, in front and behind.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

constexpr int64_t kGates = 4;

class LstmImporter {
public:
  explicit LstmImporter(NodeContext &node) : node(node) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    Value x = timeFirst("x", node.tensor(0));
    Value w = node.tensor(1, Role::RowWeight),
          r = node.tensor(2, Role::RowWeight);
    Value bias = node.hasInput(3) ? node.tensor(3, Role::Bias) : Value();
    if (!x || !w || !r || (node.hasInput(3) && !bias))
      return failure();
    warnIfTimeIsTheSampleDim(x);
    Value h0 = initial(5, "h0"), c0 = initial(6, "c0");
    if (!h0 || !c0)
      return failure();
    SmallVector<Value> sequences, lastH, lastC;
    for (size_t i = 0; i < reversed.size(); ++i)
      if (failed(run(i, {x, w, r, bias, h0, c0}, sequences, lastH, lastC)))
        return failure();
    int64_t directions = int64_t(reversed.size());
    Value y = join("y", sequences, {steps, directions, samples, hidden}, 1);
    if (failed(set(0, isBatchFirst
                          ? node.createTranspose("y_order", y, {2, 0, 1, 3})
                          : y)))
      return failure();
    return success(succeeded(setLast(1, "h", lastH)) &&
                   succeeded(setLast(2, "c", lastC)));
  }

private:
  LogicalResult check() {
    if (!node.checkCounts(3, 8, 3))
      return failure();
    hidden = node.intAttribute("hidden_size", 0);
    std::string direction = node.stringAttribute("direction", "forward");
    isBatchFirst = node.opset() >= 14 && node.intAttribute("layout", 0) != 0;
    if (node.intAttribute("input_forget", 0) != 0)
      return node.error("attribute 'input_forget': only 0 is supported");
    if (node.failed())
      return failure();
    if (direction == "forward" || direction == "reverse")
      reversed = {direction == "reverse"};
    else if (direction == "bidirectional")
      reversed = {false, true};
    else
      return node.error("attribute 'direction': expected 'forward', 'reverse' "
                        "or 'bidirectional', got " +
                        quote(direction));
    if (node.hasInput(7))
      return node.error("operand " + quote(node.node.inputs[7]) +
                        ": peepholes are not supported");
    const Shape &x = node.shape(0);
    if (x.size() != 3)
      return node.error("expected an operand of rank 3, got " + shapeString(x));
    steps = x[isBatchFirst ? 1 : 0];
    samples = x[isBatchFirst ? 0 : 1];
    if (node.shape(2).size() == 3 && !node.hasAttribute("hidden_size"))
      hidden = node.shape(2)[2];
    if (hidden < 1 || hidden > (1 << 20))
      return node.error("attribute 'hidden_size' is " + Twine(hidden));
    if (failed(checkLengths()))
      return failure();
    int64_t directions = int64_t(reversed.size());
    Shape state = isBatchFirst ? Shape{samples, directions, hidden}
                               : Shape{directions, samples, hidden};
    Shape expected[] = {x,
                        {directions, kGates * hidden, x[2]},
                        {directions, kGates * hidden, hidden},
                        {directions, 2 * kGates * hidden},
                        {samples},
                        state,
                        state};
    for (size_t i = 1; i < 7; ++i)
      if (node.hasInput(i) && node.shape(i) != expected[i] &&
          !(i > 4 && isZeroState(i)))
        return node.error("expected operand " + quote(node.node.inputs[i]) +
                          " of shape " + shapeString(expected[i]) + ", got " +
                          shapeString(node.shape(i)));
    return success();
  }

  /// Lengths that equal the tensor's say nothing.
  LogicalResult checkLengths() {
    if (!node.hasInput(4))
      return success();
    const Tensor *lengths = node.isConstant(4) ? node.constant(4) : nullptr;
    if (lengths && !lengths->isFloat() &&
        llvm::all_of(lengths->ints,
                     [&](int64_t length) { return length == steps; }))
      return success();
    if (node.failed())
      return failure();
    return node.error("operand " + quote(node.node.inputs[4]) +
                      ": sequence lengths are not supported, only sequences "
                      "that are all as long as the tensor (" +
                      Twine(steps) + " steps)");
  }

  /// A state of zeros as exporters write it, for the batch of the file.
  bool isZeroState(size_t index) const {
    const Tensor *state = node.operand(index).constant.get();
    return state && state->isFloat() && state->dims.size() == 3 &&
           state->dims[isBatchFirst ? 1 : 0] == int64_t(reversed.size()) &&
           state->dims[2] == hidden &&
           llvm::all_of(state->floats, [](float value) { return value == 0; });
  }

  /// Rows of a batch-first tensor without a sample dim are taken for time.
  void warnIfTimeIsTheSampleDim(Value x) {
    if (auto gather = x.getDefiningOp<GatherOp>())
      x = gather.getIndices();
    auto data = dyn_cast<BlockArgument>(x);
    // A tensor that was transposed on its way here is no argument.
    if (!data || node.importer.options.sampleDim != 0)
      return;
    emitWarning(node.importer.loc)
        << "node " << quote(node.node.name)
        << " ('LSTM'): dim 0 of the model's input is time here, and is taken "
           "for samples; --sample-dim=1 says that dim 1 counts them";
  }

  /// The op and what belongs to it, for direction `index`.
  struct Operands {
    Value x, w, r, bias, h0, c0;
  };
  LogicalResult run(size_t index, Operands all,
                    SmallVectorImpl<Value> &sequences,
                    SmallVectorImpl<Value> &lastH,
                    SmallVectorImpl<Value> &lastC) {
    direction = index;
    Value x = reversed[index] ? reverse("x", all.x) : all.x;
    Value gates =
        node.createReshape(suffix("gates"), inputGates(x, all.w, all.bias),
                           {steps, samples, kGates, hidden});
    Value recurrent = node.createReshape(
        suffix("recurrent"),
        part("recurrent", all.r, {1, kGates * hidden, hidden}),
        {kGates, hidden, hidden});
    Value h0 = part("h0", all.h0, {1, samples, hidden}),
          c0 = part("c0", all.c0, {1, samples, hidden});
    if (!gates || !recurrent || !h0 || !c0)
      return failure();
    auto op = LstmOp::create(node.importer.builder, node.loc, gates, recurrent,
                             h0, c0);
    node.nameOp(op, reversed.size() > 1 ? suffix("") : "");
    Value y = reversed[index] ? reverse("y", op.getY()) : op.getY();
    sequences.push_back(
        node.createReshape(suffix("y"), y, {steps, 1, samples, hidden}));
    // The last step of all, of a reversed sequence that of time 0.
    auto last = [&](StringRef name, Value values) {
      return node.createSlice(suffix(name), values, {steps - 1, 0, 0},
                              {1, samples, hidden});
    };
    if (node.wantsResult(1))
      lastH.push_back(last("h", op.getY()));
    if (node.wantsResult(2))
      lastC.push_back(last("c", op.getCells()));
    return success(bool(sequences.back()));
  }

  /// Names of the second direction's ops differ from the first's.
  std::string suffix(StringRef name) const {
    if (direction == 0)
      return name.str();
    return name.empty() ? "reverse" : ("reverse_" + name).str();
  }
  /// The part of direction `direction` of a tensor [directions, ..].
  Value part(StringRef name, Value x, const Shape &shape) {
    if (reversed.size() == 1 || !x)
      return x;
    Shape offsets(shape.size(), 0);
    offsets[0] = int64_t(direction);
    return node.createSlice(suffix(name.str() + "_part"), x, offsets, shape);
  }
  /// The last step first: rows gathered by falling numbers.
  Value reverse(StringRef name, Value x) {
    if (!x)
      return x;
    if (!falling) {
      SmallVector<int32_t> numbers;
      for (int64_t t = steps; t-- > 0;)
        numbers.push_back(static_cast<int32_t>(t));
      auto type = node.importer.integerType({steps});
      auto op =
          ConstantOp::create(node.importer.builder, node.loc, type,
                             DenseElementsAttr::get(type, ArrayRef(numbers)));
      node.nameOp(op, "falling");
      falling = op.getY();
    }
    return node.create<GatherOp>(suffix(name.str() + "_reversed"), shapeOf(x),
                                 x, falling, /*offset=*/0, /*wrap=*/0);
  }
  Value join(StringRef name, ArrayRef<Value> parts, const Shape &shape,
             int64_t axis) {
    if (llvm::is_contained(parts, Value()))
      return Value();
    return parts.size() == 1
               ? parts[0]
               : node.create<ConcatOp>(name, shape, ValueRange(parts), axis);
  }

  /// [N, T, ..] to [T, N, ..].
  Value timeFirst(StringRef name, Value value) {
    return isBatchFirst
               ? node.createTranspose((name + "_order").str(), value, {1, 0, 2})
               : value;
  }
  Value inputGates(Value x, Value w, Value bias) {
    Shape shape{steps, samples, kGates * hidden};
    int64_t inputs = node.shape(0)[2];
    Value weight = node.createReshape(
        suffix("weight"), part("weight", w, {1, kGates * hidden, inputs}),
        {kGates * hidden, inputs});
    Value product =
        weight
            ? node.create<MatmulOp>(suffix("input"), shape, x, weight,
                                    /*transpose_a=*/false,
                                    /*transpose_b=*/true, DenseI64ArrayAttr())
            : Value();
    if (!product || !bias)
      return product;
    // Biases of the input and of the recurrence.
    Value halves[2];
    for (int64_t i = 0; i < 2; ++i)
      halves[i] = node.createReshape(
          suffix("bias_row" + std::to_string(i)),
          node.createSlice(suffix("bias" + std::to_string(i)), bias,
                           {int64_t(direction), i * kGates * hidden},
                           {1, kGates * hidden}),
          {kGates * hidden});
    Value both = node.createBinary<AddOp>(suffix("bias"), halves[0], halves[1]);
    return both ? node.create<BiasAddOp>(suffix("bias_add"), shape, product,
                                         both, 2)
                : Value();
  }
  /// [directions, N, H].
  Value initial(size_t index, StringRef name) {
    Shape shape{int64_t(reversed.size()), samples, hidden};
    if (!node.hasInput(index) || isZeroState(index))
      return node.createSplat(name, shape, 0);
    return timeFirst(name, node.tensor(index, node.operand(index).parameter
                                                  ? Role::Bias
                                                  : Role::Other));
  }
  LogicalResult set(size_t index, Value value) {
    return node.wantsResult(index) ? node.setResult(index, value)
                                   : success(bool(value));
  }
  LogicalResult setLast(size_t index, StringRef name, ArrayRef<Value> parts) {
    if (!node.wantsResult(index))
      return success();
    Value all =
        join(name, parts, {int64_t(reversed.size()), samples, hidden}, 0);
    return node.setResult(
        index, isBatchFirst ? node.createTranspose((name + "_order").str(), all,
                                                   {1, 0, 2})
                            : all);
  }

  NodeContext &node;
  int64_t steps = 0, samples = 0, hidden = 0;
  bool isBatchFirst = false;
  /// Per direction: it runs from the last step to the first.
  SmallVector<bool> reversed;
  size_t direction = 0;
  Value falling;
};

LogicalResult importLstm(NodeContext &node) { return LstmImporter(node).run(); }

} // namespace

void mlir::soap::onnx::addRecurrentOps(OpTable &table) {
  table["LSTM"] = {7, kLastOpset, importLstm, nullptr};
}
