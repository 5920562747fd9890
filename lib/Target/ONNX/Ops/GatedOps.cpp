//===- GatedOps.cpp - GRU and RNN of ONNX -----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One product for the inputs of all steps, then the steps one by one.
//
//===----------------------------------------------------------------------===//

#include "Target/ONNX/Importer.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

/// Steps are unrolled, in each direction.
constexpr int64_t kLargestSteps = 1024;

class GatedImporter {
public:
  GatedImporter(NodeContext &node, bool isGru)
      : node(node), isGru(isGru), gates(isGru ? 3 : 1) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    Value x = node.tensor(0), w = node.tensor(1, Role::RowWeight),
          r = node.tensor(2, Role::RowWeight);
    if (isBatchFirst)
      x = node.createTranspose("x_order", x, {1, 0, 2});
    Value bias = node.hasInput(3) ? node.tensor(3, Role::Bias) : Value();
    Value first = initialState();
    if (!x || !w || !r || !first || (node.hasInput(3) && !bias))
      return failure();
    int64_t directions = int64_t(reversed.size());
    SmallVector<Value> sequences, last;
    for (int64_t i = 0; i < directions; ++i)
      if (failed(runDirection(i, x, w, r, bias, first, sequences, last)))
        return failure();
    if (node.wantsResult(0)) {
      Value y = node.createConcat("y", sequences, 1);
      if (isBatchFirst)
        y = node.createTranspose("y_order", y, {2, 0, 1, 3});
      if (failed(node.setResult(0, y)))
        return failure();
    }
    if (!node.wantsResult(1))
      return success();
    Value state = node.createConcat("last", last, 0);
    return node.setResult(
        1, isBatchFirst ? node.createTranspose("last_order", state, {1, 0, 2})
                        : state);
  }

private:
  LogicalResult check() {
    if (!node.checkCounts(3, 6, 2))
      return failure();
    hidden = node.intAttribute("hidden_size", 0);
    std::string direction = node.stringAttribute("direction", "forward");
    isBatchFirst = node.opset() >= 14 && node.intAttribute("layout", 0) != 0;
    if (isGru)
      resetsAfter = node.intAttribute("linear_before_reset", 0) != 0;
    node.ignoreAttribute(
        "output_sequence"); // of opset 7: all steps in any case
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
    if (failed(readActivations()))
      return failure();
    const Shape &x = node.shape(0);
    if (x.size() != 3)
      return node.error("expected an operand of rank 3, got " + shapeString(x));
    steps = x[isBatchFirst ? 1 : 0];
    samples = x[isBatchFirst ? 0 : 1];
    if (steps > kLargestSteps)
      return node.error(Twine(steps) + " steps are not supported, at most " +
                        Twine(kLargestSteps));
    if (node.shape(2).size() == 3 && hidden == 0)
      hidden = node.shape(2)[2];
    if (hidden < 1 || hidden > (1 << 20))
      return node.error("attribute 'hidden_size' is " + Twine(hidden));
    if (node.hasInput(4)) {
      const Tensor *lengths = node.constant(4);
      if (!lengths)
        return failure();
      for (int64_t length : lengths->ints)
        if (length != steps)
          return node.error("operand " + quote(node.node.inputs[4]) +
                            ": sequences of different lengths are not "
                            "supported, only of all " +
                            Twine(steps) + " steps");
    }
    int64_t directions = int64_t(reversed.size());
    Shape expected[] = {x,
                        {directions, gates * hidden, x[2]},
                        {directions, gates * hidden, hidden},
                        {directions, 2 * gates * hidden},
                        {samples},
                        isBatchFirst ? Shape{samples, directions, hidden}
                                     : Shape{directions, samples, hidden}};
    for (size_t i = 1; i < 6; ++i)
      if (node.hasInput(i) && node.shape(i) != expected[i] &&
          !(i == 5 && isZeroState()))
        return node.error("expected operand " + quote(node.node.inputs[i]) +
                          " of shape " + shapeString(expected[i]) + ", got " +
                          shapeString(node.shape(i)));
    return success();
  }

  /// Functions other than the default ones: a GRU has none, an RNN two.
  LogicalResult readActivations() {
    size_t directions = reversed.size();
    activations.assign(directions, "tanh");
    const NodeAttribute *given = node.rawAttribute("activations");
    if (!given)
      return success();
    SmallVector<std::string> expected;
    for (size_t i = 0; i < directions; ++i) {
      if (isGru)
        expected.push_back("sigmoid");
      expected.push_back("tanh");
    }
    SmallVector<std::string> names;
    for (const std::string &name : given->strings)
      names.push_back(StringRef(name).lower());
    if (names.size() == expected.size() && !isGru) {
      activations.assign(names.begin(), names.end());
      for (const std::string &name : activations)
        if (name != "tanh" && name != "relu" && name != "sigmoid")
          return node.error("attribute 'activations': " + quote(name) +
                            " is not supported");
      return success();
    }
    if (names == expected)
      return success();
    return node.error("attribute 'activations': only 'Sigmoid' and 'Tanh' of "
                      "each direction are supported");
  }

  /// A state of zeros as exporters write it, for the batch of the file.
  bool isZeroState() const {
    const Tensor *state = node.operand(5).constant.get();
    return state && state->isFloat() && state->dims.size() == 3 &&
           state->dims[isBatchFirst ? 1 : 0] == int64_t(reversed.size()) &&
           state->dims[2] == hidden &&
           llvm::all_of(state->floats, [](float value) { return value == 0; });
  }

  /// [directions, N, H].
  Value initialState() {
    Shape shape{int64_t(reversed.size()), samples, hidden};
    if (!node.hasInput(5) || isZeroState())
      return node.createSplat("h0", shape, 0);
    Value state =
        node.tensor(5, node.operand(5).parameter ? Role::Bias : Role::Other);
    return isBatchFirst ? node.createTranspose("h0_order", state, {1, 0, 2})
                        : state;
  }

  /// A box of x, without the first dim.
  Value part(const std::string &name, Value x, const Shape &offsets,
             const Shape &sizes) {
    return node.createReshape(
        name, node.createSlice(name + "_slice", x, offsets, sizes),
        Shape(sizes.begin() + 1, sizes.end()));
  }

  Value activate(const std::string &name, Value x, StringRef function) {
    if (function == "relu")
      return node.createUnary<ReluOp>(name, x);
    return function == "sigmoid" ? node.createUnary<SigmoidOp>(name, x)
                                 : node.createUnary<TanhOp>(name, x);
  }

  LogicalResult runDirection(int64_t index, Value x, Value w, Value r,
                             Value bias, Value first,
                             SmallVectorImpl<Value> &sequences,
                             SmallVectorImpl<Value> &last) {
    std::string prefix = index == 0 ? "" : "reverse_";
    int64_t width = gates * hidden, inputs = node.shape(0)[2];
    Value weight =
        part(prefix + "weight", w, {index, 0, 0}, {1, width, inputs});
    Value recurrent =
        part(prefix + "recurrent", r, {index, 0, 0}, {1, width, hidden});
    Value all = node.createMatmul(prefix + "input", x, weight, false,
                                  /*transposeB=*/true);
    // The biases of the input, and of the recurrence where no gate multiplies
    // them.
    Value late;
    if (bias) {
      Value own = part(prefix + "bias", bias, {index, 0}, {1, width}),
            other = part(prefix + "bias_recurrent", bias, {index, width},
                         {1, width});
      if (!isGru || !resetsAfter) {
        own = node.createBinary<AddOp>(prefix + "bias_sum", own, other);
      } else {
        late = node.createSlice(prefix + "bias_late", other, {2 * hidden},
                                {hidden});
        Value early =
            node.createSlice(prefix + "bias_early", other, {0}, {2 * hidden});
        early = node.createPad(prefix + "bias_pad", early, {0}, {hidden});
        own = node.createBinary<AddOp>(prefix + "bias_sum", own, early);
      }
      all = all && own ? node.create<BiasAddOp>(prefix + "bias_add",
                                                Shape{steps, samples, width},
                                                all, own, 2)
                       : Value();
    }
    Value h =
        part(prefix + "h0_part", first, {index, 0, 0}, {1, samples, hidden});
    if (!all || !recurrent || !h)
      return failure();
    SmallVector<Value> outputs(steps);
    for (int64_t i = 0; i < steps; ++i) {
      int64_t t = reversed[index] ? steps - 1 - i : i;
      std::string step = prefix + "step" + std::to_string(t);
      Value now = part(step + "_input", all, {t, 0, 0}, {1, samples, width});
      h = isGru ? gruStep(step, now, h, recurrent, late)
                : activate(step,
                           node.createBinary<AddOp>(
                               step + "_sum", now,
                               node.createMatmul(step + "_product", h,
                                                 recurrent, false, true)),
                           activations[index]);
      if (!h)
        return failure();
      outputs[t] =
          node.createReshape(step + "_row", h, {1, 1, samples, hidden});
    }
    sequences.push_back(node.wantsResult(0)
                            ? node.createConcat(prefix + "steps", outputs, 0)
                            : Value());
    last.push_back(
        node.createReshape(prefix + "last_row", h, {1, samples, hidden}));
    return success();
  }

  /// z, r = sigmoid(..); n = tanh(..); h = n + z * (h - n).
  Value gruStep(const std::string &step, Value x, Value h, Value recurrent,
                Value late) {
    auto columns = [&](const char *name, Value value, int64_t begin,
                       int64_t size) {
      return node.createSlice(step + name, value, {0, begin}, {samples, size});
    };
    auto rows = [&](const char *name, int64_t begin, int64_t size) {
      return node.createSlice(step + name, recurrent, {begin, 0},
                              {size, hidden});
    };
    Value product = node.createMatmul(
        step + "_product", h,
        resetsAfter ? recurrent : rows("_gate_rows", 0, 2 * hidden), false,
        true);
    Value sums = node.createBinary<AddOp>(
        step + "_gate_sum", columns("_gate_input", x, 0, 2 * hidden),
        columns("_gate_product", product, 0, 2 * hidden));
    Value open = node.createUnary<SigmoidOp>(step + "_gates", sums);
    Value z = columns("_z", open, 0, hidden),
          r = columns("_r", open, hidden, hidden);
    Value inner;
    if (resetsAfter) {
      inner = columns("_inner", product, 2 * hidden, hidden);
      if (late)
        inner = node.create<BiasAddOp>(step + "_late", shapeOf(inner), inner,
                                       late, 1);
      inner = node.createBinary<MulOp>(step + "_reset", r, inner);
    } else {
      inner = node.createMatmul(
          step + "_inner", node.createBinary<MulOp>(step + "_reset", r, h),
          rows("_inner_rows", 2 * hidden, hidden), false, true);
    }
    Value candidate = node.createUnary<TanhOp>(
        step + "_new",
        node.createBinary<AddOp>(step + "_new_sum",
                                 columns("_new_input", x, 2 * hidden, hidden),
                                 inner));
    return node.createBinary<AddOp>(
        step, candidate,
        node.createBinary<MulOp>(
            step + "_kept", z,
            node.createBinary<SubOp>(step + "_change", h, candidate)));
  }

  NodeContext &node;
  bool isGru;
  int64_t gates, steps = 0, samples = 0, hidden = 0;
  bool isBatchFirst = false, resetsAfter = false;
  SmallVector<bool> reversed;
  std::vector<std::string> activations;
};

template <bool isGru>
LogicalResult importGated(NodeContext &node) {
  return GatedImporter(node, isGru).run();
}

} // namespace

void mlir::soap::onnx::addGatedOps(OpTable &table) {
  table["GRU"] = {7, kLastOpset, importGated<true>, nullptr};
  table["RNN"] = {7, kLastOpset, importGated<false>, nullptr};
}
