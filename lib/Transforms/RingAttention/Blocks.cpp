//===- Blocks.cpp - Attention, block by block -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folded tensors are [X.., N, L, D]: N blocks of L positions. The rows of a
// block of queries belong to all heads that share a head of keys. In step t
// block i of the queries meets block i - t of the keys; blocks of a causal
// attention that have met all their keys are finished, and leave
// (docs/ContextParallelism.md).
//
//===----------------------------------------------------------------------===//

#include "Blocks.h"

#include "Transforms/TrainingStep/OpMaker.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"
#include "Soap/Model/AttentionBlocks.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

using Shape = SmallVector<int64_t>;

/// A folded tensor of which blocks leave when they are finished.
struct Running {
  Value value;
  /// In the order of the sequence.
  SmallVector<Value> finished;
};

class BlockWriter {
public:
  BlockWriter(Attention attention, const BlockOptions &options,
              llvm::StringSet<> &names);

  void write();

private:
  /// A new op, called `prefix`.`step`.name.
  template <typename Op, typename... Arguments>
  Value make(StringRef name, Arguments &&...arguments) {
    return ops.make<Op>(step + name.str(),
                        std::forward<Arguments>(arguments)...);
  }
  Value product(Value a, Value b, bool transposeA, bool transposeB,
                StringRef name) {
    return make<MatmulOp>(name, a, b, transposeA, transposeB,
                          DenseI64ArrayAttr());
  }
  Value cast(Value x, Type to, StringRef name) {
    return ops.cast(x, to, step + name.str());
  }
  void setName(Operation *op, StringRef name);
  DictionaryAttr loopsOfScores(Operation *op);

  /// `count` positions of a dim, from `first` on.
  Value slice(Value x, size_t dim, int64_t first, int64_t count,
              StringRef name);
  Value sliceBlocks(Value x, int64_t first, int64_t count, StringRef name) {
    return slice(x, blockDim, first, count, name);
  }
  Value reduceRows(Value x, ReduceKind kind, StringRef name);
  /// [X.., H, T, D] to [X.., K, N, group * L, D], and back.
  Value foldQueries(Value x, StringRef name);
  Value unfoldQueries(Value x, StringRef name);
  /// [X.., K, S, D] to [X.., K, N, L, D], and back.
  Value foldKeys(Value x, StringRef name);
  Value unfoldKeys(Value x, StringRef name);
  Value swapDims(Value x, int64_t one, int64_t other, StringRef name);
  Value transposeLast(Value x, StringRef name) {
    return swapDims(x, 1, 2, name);
  }
  /// `x`, once the number `state` is known.
  Value waitFor(Value state, Value x, StringRef name);
  /// The blocks of a step, from the blocks of the step before.
  Value turnKeys(Value keys, StringRef name);
  Value remainingQueries(Value x, StringRef name);
  /// The state that blocks of step `t` wait for before they are sent on; null:
  /// none.
  Value stateBefore(int64_t t, ArrayRef<Value> states);
  void nextBlocks(int64_t t, ArrayRef<Value> states, Value &queries,
                  Value &keys, Value &values);
  /// Scores of a step.
  Value scores(int64_t t, Value queries, Value keys);
  /// The first block is finished.
  void finishFirst(Running &running, StringRef name);
  /// The last block is finished.
  void finishLast(Running &running, StringRef name);
  Value join(const Running &running, bool finishedFirst, StringRef name);
  /// Adds what a step gives to the blocks of its queries.
  void addToQueries(int64_t t, Running &sum, Value part, StringRef name);
  /// Adds what a step gives to the blocks of its keys, where these are.
  void addToKeys(int64_t t, Running &sum, Value part, StringRef name);

  void writeForward();
  void writeBackward();
  /// Every reader of `old` reads `by`.
  void replace(Value old, Value by);
  /// Erases what is computed for nothing.
  void eraseUnused();

  Attention from;
  BlockOptions options;
  llvm::StringSet<> &names;
  OpBuilder builder;
  Type element, exact;
  int64_t blocks, length, block;
  std::string step;
  /// The op whose gradients are written; empty in the forward pass.
  std::string origin;
  OpMaker ops;
  size_t blockDim = 0;
  Value visible, never; ///< of the mask of a block on the diagonal
  Value logSums;        ///< folded, [X.., K, N, group * L, 1]
  Value joinedResult;
  SmallVector<std::string> scoreNames; ///< by step
  SmallVector<Operation *> unused;     ///< nothing may read their results
  DenseSet<Value> late;                ///< computed from the gradient
};

} // namespace

static Shape shapeOf(Value x) { return llvm::to_vector(OpMaker::shapeOf(x)); }

static std::string nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return name ? name.str() : "attention";
}

BlockWriter::BlockWriter(Attention attention, const BlockOptions &options,
                         llvm::StringSet<> &names)
    : from(attention), options(options), names(names), builder(attention.mixed),
      element(OpMaker::elementOf(attention.queries)),
      exact(element.getIntOrFloatBitWidth() < 32 ? builder.getF32Type()
                                                 : element),
      blocks(options.blocks), length(attention.length()),
      block(length / options.blocks),
      ops(builder, attention.mixed->getLoc(), nameOf(attention.mixed),
          [this](Operation *op, StringRef name) { setName(op, name); }),
      blockDim(shapeOf(attention.queries).size() - 2) {}

/// Gradients belong to the scores of their step: batches are split alike.
DictionaryAttr BlockWriter::loopsOfScores(Operation *op) {
  SmallVector<NamedAttribute> loops;
  auto spaceOp = dyn_cast<IterationSpaceOpInterface>(op);
  if (!spaceOp || op->getNumResults() == 0)
    return builder.getDictionaryAttr(loops);
  // Tensors that are not folded lack the dim of blocks.
  Value shaped = isa<ReduceOp>(op) ? op->getOperand(0) : op->getResult(0);
  size_t rank = shapeOf(shaped).size(),
         batches = rank == blockDim + 3   ? blockDim + 1
                   : rank == blockDim + 2 ? blockDim
                                          : 0;
  for (const ::soap::Loop &loop : spaceOp.getIterationSpace().loops) {
    StringRef name = loop.name, number = name.drop_front();
    size_t dim = 0;
    bool isBatch = (name.front() == 'b' || name.front() == 'd') &&
                   !number.getAsInteger(10, dim) && dim < batches;
    loops.push_back(builder.getNamedAttr(
        name, builder.getStringAttr(isBatch ? "b" + std::to_string(dim) : "")));
  }
  return builder.getDictionaryAttr(loops);
}

void BlockWriter::setName(Operation *op, StringRef name) {
  std::string unique = name.str();
  for (int number = 2; !names.insert(unique).second; ++number)
    unique = (name + "." + Twine(number)).str();
  op->setAttr(SoapDialect::kName, builder.getStringAttr(unique));
  if (origin.empty())
    return;
  bool readsGradient = llvm::any_of(op->getOperands(), [&](Value operand) {
    return operand == from.resultGrad || late.contains(operand);
  });
  if (readsGradient)
    late.insert_range(op->getResults());
  // Ops that move elements of gradients follow them.
  if (readsGradient && isa<ReshapeOp, TransposeOp, SliceOp, ConcatOp>(op))
    return;
  op->setAttr(SoapDialect::kGradOf, builder.getStringAttr(origin));
  op->setAttr(SoapDialect::kLoopMap, loopsOfScores(op));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

Value BlockWriter::slice(Value x, size_t dim, int64_t first, int64_t count,
                         StringRef name) {
  Shape sizes = shapeOf(x), offsets(sizes.size(), 0);
  offsets[dim] = first;
  sizes[dim] = count;
  return make<SliceOp>(name, x, offsets, sizes);
}

/// [.., M, D] to [.., M, 1].
Value BlockWriter::reduceRows(Value x, ReduceKind kind, StringRef name) {
  Shape shape = shapeOf(x);
  shape.back() = 1;
  auto last = static_cast<int64_t>(shape.size()) - 1;
  Value rows = ops.reduce(x, kind, {last}, step + name.str() + ".rows");
  // Not a reshape: a step of one block keeps the loop over blocks.
  return make<BroadcastOp>(name, rows, shape, ArrayRef<int64_t>{last});
}

/// Swaps two dims, counted from the last one, which is 1.
Value BlockWriter::swapDims(Value x, int64_t one, int64_t other,
                            StringRef name) {
  auto rank = static_cast<int64_t>(shapeOf(x).size());
  Shape order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  std::swap(order[rank - one], order[rank - other]);
  return make<TransposeOp>(name, x, builder.getDenseI64ArrayAttr(order));
}

Value BlockWriter::foldQueries(Value x, StringRef name) {
  int64_t group = from.group;
  if (group == 1)
    return foldKeys(x, name);
  Shape shape = shapeOf(x);
  int64_t width = shape.back();
  shape.truncate(shape.size() - 2);
  shape.back() /= group;
  Shape apart = shape;
  apart.append({group, blocks, block, width});
  Value heads = ops.reshape(x, apart, step + name.str() + ".heads");
  Value turned = swapDims(heads, 4, 3, name.str() + ".turned");
  shape.append({blocks, group * block, width});
  return ops.reshape(turned, shape, step + name.str());
}

Value BlockWriter::unfoldQueries(Value x, StringRef name) {
  int64_t group = from.group;
  if (group == 1)
    return unfoldKeys(x, name);
  Shape shape = shapeOf(x);
  int64_t width = shape.back();
  shape.truncate(shape.size() - 3);
  Shape whole = shape;
  whole.back() *= group;
  whole.append({length, width});
  shape.append({blocks, group, block, width});
  Value heads = ops.reshape(x, shape, step + name.str() + ".heads");
  Value turned = swapDims(heads, 4, 3, name.str() + ".turned");
  return ops.reshape(turned, whole, step + name.str());
}

Value BlockWriter::foldKeys(Value x, StringRef name) {
  Shape shape = shapeOf(x);
  int64_t width = shape.back();
  shape.truncate(shape.size() - 2);
  shape.append({blocks, block, width});
  return ops.reshape(x, shape, step + name.str());
}

Value BlockWriter::unfoldKeys(Value x, StringRef name) {
  Shape shape = shapeOf(x);
  int64_t width = shape.back();
  shape.truncate(shape.size() - 3);
  shape.append({length, width});
  return ops.reshape(x, shape, step + name.str());
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// A choice between a value and itself: no device has the result before it has
/// computed the state, so that blocks do not gather where they are read.
Value BlockWriter::waitFor(Value state, Value x, StringRef name) {
  Value condition = cast(state, OpMaker::elementOf(x), name.str() + ".state");
  return make<WhereOp>(name, condition, x, x);
}

Value BlockWriter::turnKeys(Value keys, StringRef name) {
  int64_t count = shapeOf(keys)[blockDim];
  if (from.isCausal)
    return sliceBlocks(keys, 0, count - 1, name);
  Value last = sliceBlocks(keys, count - 1, 1, name.str() + ".last");
  Value others = sliceBlocks(keys, 0, count - 1, name.str() + ".others");
  return make<ConcatOp>(name, ValueRange{last, others},
                        static_cast<uint64_t>(blockDim));
}

Value BlockWriter::remainingQueries(Value x, StringRef name) {
  return from.isCausal ? sliceBlocks(x, 1, shapeOf(x)[blockDim] - 1, name) : x;
}

Value BlockWriter::stateBefore(int64_t t, ArrayRef<Value> states) {
  int64_t of = t - 1 - options.ahead;
  if (of < 0)
    return {};
  Value state = states[of];
  Shape sizes = shapeOf(state), offsets(sizes.size(), 0);
  // The blocks of queries that step t - 1 has.
  if (from.isCausal) {
    offsets[blockDim] = options.ahead;
    sizes[blockDim] -= options.ahead;
  }
  sizes[blockDim + 1] = sizes[blockDim + 2] = 1;
  return make<SliceOp>("done", state, offsets, sizes);
}

void BlockWriter::nextBlocks(int64_t t, ArrayRef<Value> states, Value &queries,
                             Value &keys, Value &values) {
  if (t == 0)
    return;
  if (Value state = stateBefore(t, states)) {
    keys = waitFor(state, keys, "keys.next");
    values = waitFor(state, values, "values.next");
    if (from.isCausal)
      queries = waitFor(state, queries, "queries.next");
  }
  queries = remainingQueries(queries, "queries");
  keys = turnKeys(keys, "keys");
  values = turnKeys(values, "values");
}

Value BlockWriter::scores(int64_t t, Value queries, Value keys) {
  Value products = product(queries, keys, false, true, "scores");
  if (origin.empty())
    scoreNames.push_back(nameOf(products.getDefiningOp()));
  products = cast(products, exact, "scores.exact");
  // Only blocks on the diagonal have keys that some queries must not see.
  if (!from.isCausal || t != 0)
    return products;
  return make<WhereOp>("masked", visible, products, never);
}

void BlockWriter::finishFirst(Running &running, StringRef name) {
  running.finished.push_back(sliceBlocks(running.value, 0, 1, name));
}

void BlockWriter::finishLast(Running &running, StringRef name) {
  running.finished.insert(running.finished.begin(),
                          sliceBlocks(running.value,
                                      shapeOf(running.value)[blockDim] - 1, 1,
                                      name));
}

Value BlockWriter::join(const Running &running, bool finishedFirst,
                        StringRef name) {
  if (running.finished.empty())
    return running.value;
  SmallVector<Value> parts;
  if (!finishedFirst)
    parts.push_back(running.value);
  llvm::append_range(parts, running.finished);
  if (finishedFirst)
    parts.push_back(running.value);
  return make<ConcatOp>(name, parts, static_cast<uint64_t>(blockDim));
}

void BlockWriter::addToQueries(int64_t t, Running &sum, Value part,
                               StringRef name) {
  part = cast(part, exact, name.str() + ".part");
  if (t == 0) {
    sum.value = part;
    return;
  }
  if (from.isCausal)
    finishFirst(sum, name.str() + ".finished");
  Value before = remainingQueries(sum.value, name.str() + ".before");
  sum.value = make<AddOp>(name, before, part);
}

void BlockWriter::addToKeys(int64_t t, Running &sum, Value part,
                            StringRef name) {
  if (t == 0) {
    sum.value = cast(part, exact, name.str() + ".part");
    return;
  }
  Value before = sum.value;
  if (from.isCausal) {
    finishLast(sum, name.str() + ".finished");
    before = sliceBlocks(before, 0, blocks - t, name.str() + ".before");
  } else {
    Value first = sliceBlocks(part, t, blocks - t, name.str() + ".first"),
          last = sliceBlocks(part, 0, t, name.str() + ".last");
    part = make<ConcatOp>(name.str() + ".back", ValueRange{first, last},
                          static_cast<uint64_t>(blockDim));
  }
  part = cast(part, exact, name.str() + ".part");
  sum.value = make<AddOp>(name, before, part);
}

//===----------------------------------------------------------------------===//
// The two passes
//===----------------------------------------------------------------------===//

void BlockWriter::writeForward() {
  step = "";
  if (from.isCausal) {
    std::vector<double> rows, columns;
    for (int64_t row = 0; row < from.group * block; ++row)
      rows.push_back(static_cast<double>(row % block));
    for (int64_t column = 0; column < block; ++column)
      columns.push_back(static_cast<double>(column));
    Value r = ops.constant(exact, {from.group * block, 1}, rows, "mask.rows"),
          c = ops.constant(exact, {1, block}, columns, "mask.columns");
    visible = make<GreaterEqualOp>("mask", r, c);
    never = ops.scalar(exact, -std::numeric_limits<double>::infinity(),
                       "mask.never");
  }
  Value queries = from.queries;
  if (from.factor != 1)
    queries = ops.scale(queries, from.factor, "queries.scaled");
  queries = foldQueries(queries, "queries");
  Value keys = from.keys;
  if (from.keysAreColumns)
    keys = transposeLast(keys, "keys.rows");
  keys = foldKeys(keys, "keys");
  Value values = foldKeys(from.values, "values");

  Running maximum, sum, mixed;
  SmallVector<Value> states;
  for (int64_t t = 0; t < blocks; ++t) {
    step = ::soap::blockStepName(t, "");
    nextBlocks(t, states, queries, keys, values);
    Value logits = scores(t, queries, keys);
    Value highest = reduceRows(logits, ReduceKind::Max, "highest");
    Value maximumBefore;
    if (t > 0) {
      if (from.isCausal)
        for (auto [running, name] :
             {std::pair<Running *, const char *>{&maximum, "maximum.finished"},
              {&sum, "sum.finished"},
              {&mixed, "mixed.finished"}})
          finishFirst(*running, name);
      maximumBefore = remainingQueries(maximum.value, "maximum.before");
      highest = make<MaximumOp>("maximum", maximumBefore, highest);
    }
    Value weights =
        make<ExpOp>("weights", make<SubOp>("differences", logits, highest));
    Value total = reduceRows(weights, ReduceKind::Sum, "total");
    Value part = cast(product(cast(weights, element, "weights.rounded"), values,
                              false, false, "part"),
                      exact, "part.exact");
    if (t > 0) {
      // The sums so far are relative to the maximum before.
      Value factor =
          make<ExpOp>("factor", make<SubOp>("rise", maximumBefore, highest));
      Value sumBefore = remainingQueries(sum.value, "sum.before"),
            mixedBefore = remainingQueries(mixed.value, "mixed.before");
      total = make<AddOp>("sum", make<MulOp>("sum.scaled", sumBefore, factor),
                          total);
      part = make<AddOp>(
          "mixed", make<MulOp>("mixed.scaled", mixedBefore, factor), part);
    }
    maximum.value = highest;
    sum.value = total;
    mixed.value = part;
    states.push_back(total);
  }
  step = "";
  Value sums = join(sum, true, "sums");
  Value result = make<DivOp>("quotient", join(mixed, true, "blocks"), sums);
  result = unfoldQueries(cast(result, element, "rounded"), "joined");
  // Of no use without gradients.
  if (from.resultGrad)
    logSums = make<AddOp>("log_sums", join(maximum, true, "maximums"),
                          make<LogOp>("log", sums));
  // The result goes by the name that it had.
  MatmulOp old = from.mixed;
  if (Attribute name = old->getAttr(SoapDialect::kName))
    result.getDefiningOp()->setAttr(SoapDialect::kName, name);
  joinedResult = result;
  replace(old.getY(), result);
}

/// Nothing is computed before the gradient of the result has come.
void BlockWriter::writeBackward() {
  builder.setInsertionPoint(from.firstGrad);
  origin = scoreNames.front();
  step = "grad.";
  Value grad = from.resultGrad;
  auto column = [&](Value like, StringRef name) {
    // Heads of keys may be fewer; the first ones will do.
    Shape sizes = shapeOf(like), offsets(sizes.size(), 0);
    sizes.back() = 1;
    return make<SliceOp>(name, grad, offsets, sizes);
  };
  Value queriesState = column(from.queries, "queries.state");
  Value keys = from.keys, values = from.values;
  if (from.keysAreColumns)
    keys = transposeLast(keys, "keys.rows");
  Value keysState = from.group == 1 ? queriesState : column(keys, "keys.state");
  Value queries = waitFor(queriesState, from.queries, "queries.again");
  if (from.factor != 1)
    queries = ops.scale(queries, from.factor, step + "queries.scaled");
  queries = foldQueries(queries, "queries");
  keys = foldKeys(waitFor(keysState, keys, "keys.again"), "keys");
  values = foldKeys(waitFor(keysState, values, "values.again"), "values");
  // The sum over the keys of probability times its gradient.
  Value weighted = make<MulOp>("weighted", cast(grad, exact, "result.exact"),
                               cast(joinedResult, exact, "joined.exact"));
  Value shift =
      foldQueries(reduceRows(weighted, ReduceKind::Sum, "shift"), "shifts");
  grad = foldQueries(grad, "result");

  Running queriesGrad, keysGrad, valuesGrad;
  Value logSum = logSums;
  SmallVector<Value> states;
  for (int64_t t = 0; t < blocks; ++t) {
    origin = scoreNames[t];
    step = "grad." + ::soap::blockStepName(t, "");
    if (t > 0 && from.isCausal) {
      if (Value state = stateBefore(t, states))
        grad = waitFor(state, grad, "result.next");
      grad = remainingQueries(grad, "result");
      shift = remainingQueries(shift, "shift");
      logSum = remainingQueries(logSum, "log_sum");
    }
    nextBlocks(t, states, queries, keys, values);
    Value probabilities = make<ExpOp>(
        "probabilities",
        make<SubOp>("differences", scores(t, queries, keys), logSum));
    if (from.valuesGrad)
      addToKeys(t, valuesGrad,
                product(cast(probabilities, element, "rounded"), grad, true,
                        false, "values_grad.of_step"),
                "values_grad");
    Value ofProbabilities =
        cast(product(grad, values, false, true, "probabilities_grad"), exact,
             "probabilities_grad.exact");
    Value ofScores =
        cast(make<MulOp>("scores_grad", probabilities,
                         make<SubOp>("shifted", ofProbabilities, shift)),
             element, "scores_grad.rounded");
    // Computed even where nothing reads it in the end: later blocks wait for
    // it.
    addToQueries(t, queriesGrad,
                 product(ofScores, keys, false, false, "queries_grad.of_step"),
                 "queries_grad");
    states.push_back(queriesGrad.value);
    if (from.keysGrad)
      addToKeys(t, keysGrad,
                product(ofScores, queries, true, false, "keys_grad.of_step"),
                "keys_grad");
  }
  origin = scoreNames.front();
  step = "grad.";
  if (from.queriesGrad) {
    Value whole = join(queriesGrad, true, "queries_grad.blocks");
    if (from.factor != 1)
      whole = ops.scale(whole, from.factor, step + "queries_grad.scaled");
    whole = unfoldQueries(cast(whole, element, "queries_grad.rounded"),
                          "queries_grad");
    replace(from.queriesGrad, whole);
  }
  if (from.keysGrad) {
    Value whole = cast(join(keysGrad, false, "keys_grad.blocks"), element,
                       "keys_grad.rounded");
    whole = unfoldKeys(whole, "keys_grad");
    if (from.keysAreColumns)
      whole = transposeLast(whole, "keys_grad.columns");
    replace(from.keysGrad, whole);
  }
  if (from.valuesGrad) {
    Value whole = cast(join(valuesGrad, false, "values_grad.blocks"), element,
                       "values_grad.rounded");
    replace(from.valuesGrad, unfoldKeys(whole, "values_grad"));
  }
}

void BlockWriter::replace(Value old, Value by) {
  old.replaceAllUsesWith(by);
  unused.push_back(old.getDefiningOp());
}

void BlockWriter::eraseUnused() {
  while (!unused.empty()) {
    Operation *op = unused.pop_back_val();
    if (!op->use_empty())
      continue;
    SmallVector<Operation *> operands;
    for (Value operand : op->getOperands())
      if (Operation *writer = operand.getDefiningOp();
          writer && !llvm::is_contained(operands, writer))
        operands.push_back(writer);
    op->erase();
    for (Operation *writer : operands)
      if (!llvm::is_contained(unused, writer))
        unused.push_back(writer);
  }
}

void BlockWriter::write() {
  writeForward();
  if (from.resultGrad)
    writeBackward();
  eraseUnused();
}

void mlir::soap::writeBlocks(const Attention &attention,
                             const BlockOptions &options,
                             llvm::StringSet<> &names) {
  BlockWriter(attention, options, names).write();
}
