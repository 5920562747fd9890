//===- Losses.cpp - Losses and metrics of a result ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses are composed of ops of the dialect, whose gradients follow. The
// exponentials of a softmax are shifted by integers (OpMaker::integerPart), so
// that they neither overflow nor pass a gradient to the shift: the formulas
// have their derivatives everywhere, at 0 as well.
//
//===----------------------------------------------------------------------===//

#include "Losses.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr std::pair<LossKind, StringLiteral> kLosses[] = {
    {LossKind::SoftmaxCrossEntropy, "softmax-cross-entropy"},
    {LossKind::BceWithLogits, "bce-with-logits"},
    {LossKind::Mse, "mse"},
    {LossKind::L1, "l1"},
    {LossKind::Huber, "huber"},
    {LossKind::Output, "output"},
    {LossKind::None, "none"}};

/// 16-bit floats are too coarse for sums over a batch.
Value widened(OpMaker &ops, Value x) {
  Type element = OpMaker::elementOf(x);
  if (element.getIntOrFloatBitWidth() >= 32)
    return x;
  return ops.cast(x, Float32Type::get(element.getContext()), "wide");
}

/// x where the mask is not 0, else 0; x itself without a mask.
Value masked(OpMaker &ops, Value mask, Value x, StringRef name) {
  if (!mask)
    return x;
  Value zero = ops.scalar(OpMaker::elementOf(x), 0, (name + ".zero").str());
  return ops.make<WhereOp>(name, mask, x, zero);
}

/// 1 where the mask is 0, and the other way round.
Value negated(OpMaker &ops, Value mask, StringRef name) {
  Value zero = ops.scalar(OpMaker::elementOf(mask), 0, (name + ".zero").str());
  return ops.make<EqualOp>(name, mask, zero);
}

/// x / divisor, 0 if the divisor is not above 0.
Value divided(OpMaker &ops, Value x, Value divisor) {
  Type element = OpMaker::elementOf(x);
  Value one = ops.scalar(element, 1, "one");
  Value zero = ops.scalar(element, 0, "zero");
  Value any = ops.make<GreaterOp>("any", divisor, zero);
  Value safe = ops.make<WhereOp>("divisor", any, divisor, one);
  return ops.make<DivOp>("mean", x, safe);
}

int64_t volume(Value x) {
  int64_t count = 1;
  for (int64_t extent : OpMaker::shapeOf(x))
    count *= extent;
  return count;
}

/// The loss of all labels together, divided as the options say.
void finishLoss(OpMaker &ops, Value sum, int64_t labels,
                const LossOptions &options, LossValues &values) {
  Value divisor = values.weight ? values.weight : values.counted;
  values.loss = divisor
                    ? divided(ops, sum, divisor)
                    : ops.scale(sum, 1.0 / static_cast<double>(labels), "mean");
}

//===----------------------------------------------------------------------===//
// Softmax cross-entropy
//===----------------------------------------------------------------------===//

LossValues buildPlainCrossEntropy(OpMaker &ops, Value logits, Value labels) {
  Builder builder(logits.getContext());
  Value loss = ops.make<CrossEntropyOp>(
      "", logits, labels,
      builder.getF64FloatAttr(1.0 / static_cast<double>(volume(labels))));
  LossValues values;
  values.loss = loss;
  values.correct = loss.getDefiningOp<CrossEntropyOp>().getCorrect();
  return values;
}

/// The cross-entropy of rows of logits, with all options.
class CrossEntropyBuilder {
public:
  CrossEntropyBuilder(OpMaker &ops, Value logits, Value labels,
                      const LossOptions &options)
      : ops(ops), options(options), x(widened(ops, logits)), labels(labels),
        element(OpMaker::elementOf(x)), shape(OpMaker::shapeOf(x)),
        classes(shape.back()),
        classDim(static_cast<int64_t>(shape.size()) - 1) {}

  LossValues build();

private:
  /// Which labels count, which class each is of, and what it weighs.
  void readLabels();
  /// log sum exp of each row, and the logit of its label.
  void readRows();
  /// The loss of each row.
  Value rowLosses();
  Value metric(const Metric &metric, Value losses);

  Value overClasses(Value perClass, ReduceKind kind, StringRef name) {
    return ops.reduce(perClass, kind, classDim, name);
  }
  /// [.., K] -> [.., 1].
  Value asColumn(Value rows, StringRef name) {
    SmallVector<int64_t> column(shape);
    column.back() = 1;
    return ops.reshape(rows, column, name);
  }
  Value countOf(Value mask, StringRef name) {
    return ops.sum(ops.make<MulOp>((name + ".counted").str(), mask, valid),
                   name);
  }

  OpMaker &ops;
  const LossOptions &options;
  Value x, labels;
  Type element;
  ArrayRef<int64_t> shape;
  int64_t classes, classDim;
  Value valid, oneHot, rowWeight, weights;
  Value logSum, picked, largest;
};

void CrossEntropyBuilder::readLabels() {
  Value number = ops.cast(labels, element, "label");
  valid = ops.make<GreaterEqualOp>("valid", number,
                                   ops.scalar(element, 0, "first_class"));
  if (options.ignoreIndex && *options.ignoreIndex >= 0) {
    auto index = static_cast<double>(*options.ignoreIndex);
    Value ignored = ops.make<EqualOp>(
        "ignored", number, ops.scalar(element, index, "ignore_index"));
    valid =
        ops.make<MulOp>("counts", valid, negated(ops, ignored, "not_ignored"));
  }
  SmallVector<double> numbers;
  for (int64_t c = 0; c < classes; ++c)
    numbers.push_back(static_cast<double>(c));
  oneHot =
      ops.make<EqualOp>("one_hot", asColumn(number, "label_column"),
                        ops.constant(element, classes, numbers, "classes"));
  rowWeight = valid;
  if (options.classWeights.empty())
    return;
  weights =
      ops.constant(element, classes, options.classWeights, "class_weights");
  Value weighted = ops.make<MulOp>("weighted_label", oneHot, weights);
  Value row = overClasses(weighted, ReduceKind::Sum, "label_weight");
  rowWeight = ops.make<MulOp>("row_weight", row, valid);
}

void CrossEntropyBuilder::readRows() {
  largest = overClasses(x, ReduceKind::Max, "largest");
  Value shift = ops.integerPart(largest, "shift");
  Value shifted =
      ops.make<SubOp>("shifted", x, asColumn(shift, "shift_column"));
  Value powers = ops.make<ExpOp>("powers", shifted);
  Value sum = overClasses(powers, ReduceKind::Sum, "sum_of_powers");
  logSum =
      ops.make<AddOp>("log_sum", ops.make<LogOp>("log_shifted", sum), shift);
  picked = overClasses(masked(ops, oneHot, x, "label_logits"), ReduceKind::Sum,
                       "label_logit");
}

Value CrossEntropyBuilder::rowLosses() {
  double smoothing = options.labelSmoothing;
  Value likelihood = ops.make<SubOp>("likelihood", logSum, picked);
  Value loss = ops.make<MulOp>("row", likelihood, rowWeight);
  if (smoothing == 0)
    return loss;
  // The mean of -log p over the classes, weighted by them.
  double total = static_cast<double>(classes);
  if (weights)
    total = std::accumulate(options.classWeights.begin(),
                            options.classWeights.end(), 0.0);
  Value weighted = weights ? ops.make<MulOp>("weighted_logits", x, weights) : x;
  Value logits = overClasses(weighted, ReduceKind::Sum, "sum_of_logits");
  Value uniform = ops.make<SubOp>(
      "uniform", ops.scale(logSum, total, "total_log_sum"), logits);
  Value counted = ops.make<MulOp>("uniform_row", uniform, valid);
  return ops.make<AddOp>(
      "smooth_row", ops.scale(loss, 1 - smoothing, "label_share"),
      ops.scale(counted, smoothing / static_cast<double>(classes),
                "uniform_share"));
}

Value CrossEntropyBuilder::metric(const Metric &metric, Value losses) {
  if (metric.kind == Metric::Perplexity)
    return losses;
  if (metric.kind == Metric::Accuracy)
    return countOf(ops.make<GreaterEqualOp>("right", picked, largest),
                   "accuracy");
  // A label is among the first k if fewer than k logits are larger.
  Value larger = ops.make<GreaterOp>(metric.name + ".larger", x,
                                     asColumn(picked, metric.name + ".column"));
  Value rank = overClasses(larger, ReduceKind::Sum, metric.name + ".rank");
  Value k =
      ops.scalar(element, static_cast<double>(metric.k), metric.name + ".k");
  return countOf(ops.make<GreaterOp>(metric.name + ".hit", k, rank),
                 metric.name);
}

LossValues CrossEntropyBuilder::build() {
  readLabels();
  readRows();
  LossValues values;
  if (options.hasOwnDivisor())
    values.counted = ops.sum(valid, "counted");
  if (!options.classWeights.empty())
    values.weight = ops.sum(rowWeight, "weight");
  Value losses = ops.sum(rowLosses(), "sum");
  finishLoss(ops, losses, volume(labels), options, values);
  values.correct = countOf(
      ops.make<GreaterEqualOp>("correct.rows", picked, largest), "correct");
  for (const Metric &m : options.metrics)
    values.metrics.push_back(metric(m, losses));
  return values;
}

//===----------------------------------------------------------------------===//
// Losses between a result and numbers
//===----------------------------------------------------------------------===//

/// d^2 / 2 where |d| <= delta, else delta * (|d| - delta / 2).
Value buildHuber(OpMaker &ops, Value difference, double delta) {
  Value size = ops.make<AbsOp>("size", difference);
  Value square = ops.make<MulOp>("square", difference, difference);
  Value linear = ops.make<AddOp>(
      "linear", ops.scale(size, delta, "slope"),
      ops.scalar(OpMaker::elementOf(size), -delta * delta / 2, "offset"));
  Value isLinear = ops.make<GreaterOp>(
      "is_linear", size, ops.scalar(OpMaker::elementOf(size), delta, "delta"));
  return ops.make<WhereOp>("element", isLinear, linear,
                           ops.scale(square, 0.5, "quadratic"));
}

/// Which elements have the side of 0 that their label says.
Value buildRightSide(OpMaker &ops, Value x, Value y) {
  Type element = OpMaker::elementOf(x);
  Value predicted =
      ops.make<GreaterOp>("predicted", x, ops.scalar(element, 0, "boundary"));
  Value wanted =
      ops.make<GreaterOp>("wanted", y, ops.scalar(element, 0.5, "half"));
  return ops.make<EqualOp>("right", predicted, wanted);
}

LossValues buildTargetLoss(OpMaker &ops, Value result, Value labels,
                           const LossOptions &options) {
  Value x = widened(ops, result), y = labels, valid;
  if (options.mayHaveFiller) {
    // NaN differs from itself.
    valid = ops.make<EqualOp>("valid", labels, labels);
    y = masked(ops, valid, labels, "target");
  }
  Value elements, difference;
  if (options.kind != LossKind::BceWithLogits)
    difference = ops.make<SubOp>("difference", x, y);
  switch (options.kind) {
  case LossKind::BceWithLogits:
    elements = ops.make<SubOp>("element", ops.make<SoftplusOp>("softplus", x),
                               ops.make<MulOp>("product", x, y));
    break;
  case LossKind::Mse:
    elements = ops.make<MulOp>("element", difference, difference);
    break;
  case LossKind::L1:
    elements = ops.make<AbsOp>("element", difference);
    break;
  default:
    elements = buildHuber(ops, difference, options.huberDelta);
    break;
  }
  LossValues values;
  if (options.hasOwnDivisor()) {
    Value all = valid ? valid : ops.make<EqualOp>("all", labels, labels);
    values.counted = ops.sum(all, "counted");
  }
  Value sum = ops.sum(masked(ops, valid, elements, "counts"), "sum");
  finishLoss(ops, sum, volume(labels), options, values);
  auto sumOfRight = [&](StringRef name) {
    Value right = buildRightSide(ops, x, y);
    return ops.sum(masked(ops, valid, right, (name + ".counts").str()), name);
  };
  if (options.kind == LossKind::BceWithLogits)
    values.correct = sumOfRight("correct");
  for (const Metric &metric : options.metrics) {
    if (metric.kind == Metric::Accuracy) {
      values.metrics.push_back(sumOfRight("accuracy"));
      continue;
    }
    if (!difference)
      difference = ops.make<SubOp>("difference", x, y);
    Value size = ops.make<AbsOp>(metric.name + ".size", difference);
    values.metrics.push_back(ops.sum(
        masked(ops, valid, size, metric.name + ".counts"), metric.name));
  }
  return values;
}

} // namespace

std::optional<LossKind> mlir::soap::lossNamed(StringRef name) {
  if (name == "auto")
    return LossKind::SoftmaxCrossEntropy;
  for (const auto &[kind, known] : kLosses)
    if (name == known)
      return kind;
  return std::nullopt;
}

StringRef mlir::soap::nameOf(LossKind kind) {
  for (const auto &[known, name] : kLosses)
    if (known == kind)
      return name;
  llvm_unreachable("every kind has a name");
}

std::string mlir::soap::lossNames() {
  std::string names = "'auto'";
  for (const auto &[kind, name] : kLosses)
    names += (kind == LossKind::None ? " or '" : ", '") + name.str() + "'";
  return names;
}

std::optional<Metric> Metric::parse(StringRef name) {
  Metric metric = {Accuracy, 0, name.str()};
  if (name == "accuracy")
    return metric;
  metric.kind = MeanAbsoluteError;
  if (name == "mean-absolute-error")
    return metric;
  metric.kind = Perplexity;
  if (name == "perplexity")
    return metric;
  metric.kind = TopK;
  if (name.consume_front("top-") && !name.getAsInteger(10, metric.k) &&
      metric.k > 0)
    return metric;
  return std::nullopt;
}

bool Metric::fits(LossKind loss) const {
  switch (kind) {
  case TopK:
  case Perplexity:
    return hasClasses(loss);
  case MeanAbsoluteError:
    return hasTargets(loss);
  case Accuracy:
    return hasClasses(loss) || loss == LossKind::BceWithLogits;
  }
  llvm_unreachable("all kinds are listed");
}

LossValues mlir::soap::buildLoss(OpMaker &ops, Value result, Value labels,
                                 const LossOptions &options) {
  if (options.kind == LossKind::Output) {
    LossValues values;
    values.loss = ops.reshape(result, {}, "scalar");
    return values;
  }
  if (hasTargets(options.kind))
    return buildTargetLoss(ops, result, labels, options);
  if (options.isPlain())
    return buildPlainCrossEntropy(ops, result, labels);
  return CrossEntropyBuilder(ops, result, labels, options).build();
}
