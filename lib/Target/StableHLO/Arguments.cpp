//===- Arguments.cpp - Kinds of arguments, and updates ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments and results of a program by their kinds: from options and
// donations.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

namespace {

/// `3` or `2-4`, below `limit`.
bool parseRange(StringRef text, unsigned limit, unsigned &first,
                unsigned &last) {
  auto [from, to] = text.split('-');
  if (from.getAsInteger(10, first))
    return false;
  last = first;
  if (text.contains('-') && to.getAsInteger(10, last))
    return false;
  return first <= last && last < limit;
}

class Marker {
public:
  Marker(func::FuncOp source, func::FuncOp function,
         const StableHLOImportOptions &options)
      : source(source), function(function), options(options),
        builder(function.getContext()),
        updated(function.getNumArguments(), false),
        updates(function.getNumResults(), -1) {}

  LogicalResult markKinds();
  LogicalResult markUpdates();

private:
  func::FuncOp source, function;
  const StableHLOImportOptions &options;
  Builder builder;
  SmallVector<bool> updated;
  /// The argument of each result; -1 if it is an output.
  SmallVector<int> updates;

  InFlightDiagnostic fail() { return function.emitError(); }
  std::string describePairs() const;
  LogicalResult pair(unsigned result, unsigned argument, StringRef by);
  LogicalResult readDonations();
  LogicalResult readPairs();
  LogicalResult findPairs();
  LogicalResult markLoss();
  void readArgument(unsigned result, unsigned argument);
  LogicalResult markKind(StringRef option, StringRef list, StringRef kind,
                         SmallVectorImpl<StringRef> &known);
};

LogicalResult Marker::pair(unsigned result, unsigned argument, StringRef by) {
  Type from = function.getResultTypes()[result],
       to = function.getArgumentTypes()[argument];
  if (from != to)
    return fail() << by << ": result " << result << " has type " << from
                  << ", and argument " << argument << " has type " << to;
  if (updated[argument] || updates[result] >= 0)
    return fail() << by << ": result " << result << " or argument " << argument
                  << " is in two pairs";
  updated[argument] = true;
  updates[result] = static_cast<int>(argument);
  return success();
}

/// The pairs as --updates has them.
std::string Marker::describePairs() const {
  std::string text;
  for (size_t r = 0, end; r < updates.size(); r = end) {
    end = r + 1;
    if (updates[r] < 0)
      continue;
    while (end < updates.size() && updates[end] == updates[end - 1] + 1)
      ++end;
    auto range = [&](size_t first) {
      std::string own = std::to_string(first);
      return end - r > 1 ? own + "-" + std::to_string(first + end - r - 1)
                         : own;
    };
    text += (text.empty() ? "" : ",") + range(r) + ":" +
            range(static_cast<size_t>(updates[r]));
  }
  return text;
}

/// jax.jit(..., donate_argnums=...) says whose memory results take. JAX pairs
/// arguments and results by their types alone, in order: where more results
/// have the type than donated arguments, any of them may be the new value.
LogicalResult Marker::readDonations() {
  llvm::MapVector<Type, SmallVector<unsigned>> donated;
  for (unsigned i = 0; i < source.getNumArguments(); ++i) {
    auto output = source.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    if (!output)
      continue;
    if (output.getValue().getSignificantBits() > 31 || output.getInt() < 0 ||
        output.getInt() >= static_cast<int64_t>(function.getNumResults()))
      return fail() << "argument " << i
                    << " has a 'tf.aliasing_output' that is no result";
    if (failed(pair(static_cast<unsigned>(output.getInt()), i,
                    "'tf.aliasing_output'")))
      return failure();
    donated[function.getArgumentTypes()[i]].push_back(i);
  }
  for (auto &[type, arguments] : donated) {
    auto results = llvm::count(function.getResultTypes(), type);
    if (static_cast<size_t>(results) == arguments.size())
      continue;
    return fail() << "argument " << arguments.front()
                  << " is donated, and its new value may be any of " << results
                  << " results of type " << type
                  << ": say which by --updates=RESULT:ARGUMENT, or "
                     "--updates=none";
  }
  if (!donated.empty())
    function.emitRemark() << "donated arguments get new values in their order: "
                             "--updates="
                          << describePairs();
  return success();
}

LogicalResult Marker::readPairs() {
  SmallVector<StringRef> parts;
  StringRef(options.updates).split(parts, ',');
  for (StringRef part : parts) {
    auto [results, arguments] = part.split(':');
    unsigned result, lastResult, argument, lastArgument;
    if (!parseRange(results, function.getNumResults(), result, lastResult) ||
        !parseRange(arguments, function.getNumArguments(), argument,
                    lastArgument) ||
        lastResult - result != lastArgument - argument)
      return fail() << "--updates: '" << part << "' names no pairs of the "
                    << function.getNumResults() << " results and "
                    << function.getNumArguments()
                    << " arguments, expected RESULT:ARGUMENT or ranges of one "
                       "length, such as 1-5:0-4";
    for (; result <= lastResult; ++result, ++argument)
      if (failed(pair(result, argument, "--updates")))
        return failure();
  }
  return success();
}

/// Results in a row that have the types of arguments in a row, as many as
/// there are.
LogicalResult Marker::findPairs() {
  TypeRange arguments = function.getArgumentTypes(),
            results = function.getResultTypes();
  struct Run {
    size_t result, argument, length;
  };
  SmallVector<Run> longest;
  for (size_t r = 0; r < results.size(); ++r)
    for (size_t a = 0; a < arguments.size(); ++a) {
      size_t length = 0;
      while (r + length < results.size() && a + length < arguments.size() &&
             results[r + length] == arguments[a + length])
        ++length;
      if (length == 0 || (!longest.empty() && length < longest[0].length))
        continue;
      if (!longest.empty() && length > longest[0].length)
        longest.clear();
      longest.push_back({r, a, length});
    }
  auto describe = [](const Run &run) {
    return std::to_string(run.result) + "-" +
           std::to_string(run.result + run.length - 1) + ":" +
           std::to_string(run.argument) + "-" +
           std::to_string(run.argument + run.length - 1);
  };
  if (longest.empty())
    return fail() << "--updates=auto: no result has the type of an argument";
  if (longest.size() > 1)
    return fail() << "--updates=auto: results have the types of arguments in "
                     "more than one way; write --updates="
                  << describe(longest[0])
                  << " or --updates=" << describe(longest[1]);
  const Run &run = longest[0];
  for (size_t i = 0; i < run.length; ++i)
    if (failed(pair(run.result + i, run.argument + i, "--updates=auto")))
      return failure();
  function.emitRemark() << "results are taken for new values of arguments by "
                           "their types, which gradients have, too: --updates="
                        << describePairs();
  return success();
}

/// The op that computes an update has to read what it replaces, so that no copy
/// is needed. Where another op does, one more chooses the new value.
void Marker::readArgument(unsigned result, unsigned argument) {
  Block &body = function.getBody().front();
  Operation *end = body.getTerminator();
  Value updated = end->getOperand(result), old = body.getArgument(argument);
  if (Operation *op = updated.getDefiningOp();
      op && llvm::is_contained(op->getOperands(), old))
    return;
  OpBuilder ops(end);
  auto type = cast<RankedTensorType>(updated.getType());
  AffineMap map =
      AffineMap::getMultiDimIdentityMap(type.getRank(), ops.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(),
                                         utils::IteratorType::parallel);
  Location loc = updated.getLoc();
  Value empty =
      tensor::EmptyOp::create(ops, loc, type.getShape(), type.getElementType());
  auto chosen = linalg::GenericOp::create(
      ops, loc, type, ValueRange{updated, old}, empty,
      SmallVector<AffineMap>(3, map), loops,
      [](OpBuilder &inner, Location place, ValueRange scalars) {
        Value isNew =
            arith::ConstantOp::create(inner, place, inner.getBoolAttr(true));
        Value value = arith::SelectOp::create(inner, place, isNew, scalars[0],
                                              scalars[1]);
        linalg::YieldOp::create(inner, place, value);
      });
  end->setOperand(result, chosen.getResult(0));
}

LogicalResult Marker::markKind(StringRef option, StringRef list, StringRef kind,
                               SmallVectorImpl<StringRef> &known) {
  if (list.empty())
    return success();
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  for (StringRef part : parts) {
    unsigned first, last;
    if (!parseRange(part, function.getNumArguments(), first, last))
      return fail() << "--" << option << ": '" << part
                    << "' names no arguments of '@" << function.getName()
                    << "', which has " << function.getNumArguments()
                    << ", expected numbers and ranges such as 0,2-4";
    for (unsigned i = first; i <= last; ++i) {
      if (!known[i].empty())
        return fail() << "argument " << i << " is in --" << known[i]
                      << " and in --" << option << ", expected one of them";
      known[i] = option;
      function.setArgAttr(i, SoapDialect::kKind, builder.getStringAttr(kind));
      auto type = cast<RankedTensorType>(function.getArgumentTypes()[i]);
      bool hasSamples = kind == "data" || kind == "label";
      if (!hasSamples || options.sampleDim < 0 || type.getRank() == 0)
        continue;
      if (options.sampleDim >= type.getRank())
        return fail() << "--sample-dim=" << options.sampleDim << ": argument "
                      << i << " has type " << type << ", which has no such dim";
      function.setArgAttr(i, SoapDialect::kSampleDim,
                          builder.getI64IntegerAttr(options.sampleDim));
    }
  }
  return success();
}

/// Results of a training step that update nothing are its loss and outputs.
LogicalResult Marker::markLoss() {
  SmallVector<unsigned> losses;
  for (auto [r, argument] : llvm::enumerate(updates)) {
    if (argument >= 0)
      continue;
    auto type = cast<RankedTensorType>(function.getResultTypes()[r]);
    bool isLoss = type.getRank() == 0 && isa<FloatType>(type.getElementType());
    if (isLoss)
      losses.push_back(r);
    function.setResultAttr(r, SoapDialect::kKind,
                           builder.getStringAttr(isLoss ? "loss" : "output"));
  }
  if (llvm::all_of(updates, [](int argument) { return argument < 0; }))
    return fail() << "--train-step: no result is the new value of an argument: "
                     "say which are by --updates, or donate them in JAX";
  if (losses.size() != 1)
    return fail() << "--train-step: " << losses.size()
                  << " results are floats of rank 0 that update nothing, "
                     "expected one, the loss";
  function.setResultAttr(losses[0], SoapDialect::kName,
                         builder.getStringAttr("loss"));
  function.setName("train_step");
  function.emitRemark() << "parameters have no initial values in a program: "
                           "give them to soap-run "
                           "by --init FILE.safetensors; without, they are 0";
  return success();
}

LogicalResult Marker::markKinds() {
  SmallVector<StringRef> known(function.getNumArguments());
  return success(
      succeeded(markKind("data", options.data, "data", known)) &&
      succeeded(markKind("labels", options.labels, "label", known)) &&
      succeeded(
          markKind("parameters", options.parameters, "parameter", known)) &&
      succeeded(markKind("states", options.states, "state", known)));
}

LogicalResult Marker::markUpdates() {
  if (options.updates == "auto") {
    if (failed(findPairs()))
      return failure();
  } else if (options.updates.empty()) {
    if (failed(readDonations()))
      return failure();
  } else if (options.updates != "none" && failed(readPairs())) {
    return failure();
  }
  // An argument that the step gives a new value is one that it keeps: floats
  // are parameters, unless an option says otherwise, and counters states.
  for (auto [r, argument] : llvm::enumerate(updates)) {
    if (argument < 0)
      continue;
    readArgument(r, argument);
    function.setResultAttr(r, SoapDialect::kUpdates,
                           builder.getI64IntegerAttr(argument));
    function.setResultAttr(r, SoapDialect::kKind,
                           builder.getStringAttr("update"));
    if (function.getArgAttr(argument, SoapDialect::kKind))
      continue;
    bool isFloat = isa<FloatType>(
        cast<RankedTensorType>(function.getArgumentTypes()[argument])
            .getElementType());
    function.setArgAttr(argument, SoapDialect::kKind,
                        builder.getStringAttr(isFloat ? "parameter" : "state"));
  }
  return options.trainStep ? markLoss() : success();
}

} // namespace

LogicalResult shlo::markKinds(func::FuncOp source, func::FuncOp function,
                              const StableHLOImportOptions &options) {
  return Marker(source, function, options).markKinds();
}

LogicalResult shlo::markUpdates(func::FuncOp source, func::FuncOp function,
                                const StableHLOImportOptions &options) {
  return Marker(source, function, options).markUpdates();
}
