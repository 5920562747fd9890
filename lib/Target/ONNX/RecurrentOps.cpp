//===- RecurrentOps.cpp - LSTM of ONNX --------------------------*- C++ -*-===//
//
// What the input adds to the gates is one matmul for all time steps, the
// recurrence is soap.lstm. The order of the gates is ONNX's.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

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
    if (!x || !w || !r)
      return failure();
    Value gates = node.createReshape("gates", inputGates(x, w),
                                     {steps, samples, kGates, hidden});
    Value recurrent =
        node.createReshape("recurrent", r, {kGates, hidden, hidden});
    Value h0 = initial(5, "h0"), c0 = initial(6, "c0");
    if (!gates || !recurrent || !h0 || !c0)
      return failure();
    auto op = LstmOp::create(node.importer.builder, node.loc, gates, recurrent,
                             h0, c0);
    node.nameOp(op, "");
    Value y = node.createReshape("y", op.getY(), {steps, 1, samples, hidden});
    if (failed(set(0, isBatchFirst
                          ? node.createTranspose("y_order", y, {2, 0, 1, 3})
                          : y)))
      return failure();
    return success(succeeded(setLast(1, "h", op.getY())) &&
                   succeeded(setLast(2, "c", op.getCells())));
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
    if (direction != "forward")
      return node.error("attribute 'direction': " + quote(direction) +
                        " is not supported, only 'forward'");
    if (node.hasInput(4))
      return node.error("operand " + quote(node.node.inputs[4]) +
                        ": sequence lengths are not supported");
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
    Shape state =
        isBatchFirst ? Shape{samples, 1, hidden} : Shape{1, samples, hidden};
    Shape expected[] = {x,
                        {1, kGates * hidden, x[2]},
                        {1, kGates * hidden, hidden},
                        {1, 2 * kGates * hidden},
                        {},
                        state,
                        state};
    for (size_t i = 1; i < 7; ++i)
      if (node.hasInput(i) && node.shape(i) != expected[i])
        return node.error("expected operand " + quote(node.node.inputs[i]) +
                          " of shape " + shapeString(expected[i]) + ", got " +
                          shapeString(node.shape(i)));
    return success();
  }

  /// [N, T, ..] to [T, N, ..].
  Value timeFirst(StringRef suffix, Value value) {
    return isBatchFirst ? node.createTranspose((suffix + "_order").str(), value,
                                               {1, 0, 2})
                        : value;
  }
  Value inputGates(Value x, Value w) {
    Shape shape{steps, samples, kGates * hidden};
    int64_t inputs = node.shape(0)[2];
    Value weight = node.createReshape("weight", w, {kGates * hidden, inputs});
    Value product = weight ? node.create<MatmulOp>("input", shape, x, weight,
                                                   /*transpose_a=*/false,
                                                   /*transpose_b=*/true)
                           : Value();
    if (!product || !node.hasInput(3))
      return product;
    // Biases of the input and of the recurrence.
    Value both = node.tensor(3, Role::Bias);
    Value halves[2];
    for (int64_t i = 0; i < 2; ++i)
      halves[i] = node.createReshape(
          "bias_row" + std::to_string(i),
          node.createSlice("bias" + std::to_string(i), both,
                           {0, i * kGates * hidden}, {1, kGates * hidden}),
          {kGates * hidden});
    Value bias = node.createBinary<AddOp>("bias", halves[0], halves[1]);
    return bias ? node.create<BiasAddOp>("bias_add", shape, product, bias, 2)
                : Value();
  }
  Value initial(size_t index, StringRef suffix) {
    if (!node.hasInput(index))
      return node.createSplat(suffix, {1, samples, hidden}, 0);
    return timeFirst(suffix, node.tensor(index, node.operand(index).parameter
                                                    ? Role::Bias
                                                    : Role::Other));
  }
  LogicalResult set(size_t index, Value value) {
    return node.wantsResult(index) ? node.setResult(index, value)
                                   : success(bool(value));
  }
  /// The last step of all.
  LogicalResult setLast(size_t index, StringRef suffix, Value all) {
    if (!node.wantsResult(index))
      return success();
    Value last =
        node.createSlice(suffix, all, {steps - 1, 0, 0}, {1, samples, hidden});
    return node.setResult(
        index, isBatchFirst ? node.createTranspose((suffix + "_order").str(),
                                                   last, {1, 0, 2})
                            : last);
  }

  NodeContext &node;
  int64_t steps = 0, samples = 0, hidden = 0;
  bool isBatchFirst = false;
};

LogicalResult importLstm(NodeContext &node) { return LstmImporter(node).run(); }

} // namespace

void mlir::soap::onnx::addRecurrentOps(OpTable &table) {
  table["LSTM"] = {7, kLastOpset, importLstm, nullptr};
}
