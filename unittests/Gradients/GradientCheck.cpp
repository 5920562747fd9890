//===- GradientCheck.cpp - Gradients against central differences ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GradientCheck.h.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include "ReferenceProgram.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"
#include "Transforms/TrainingStep/Differentiation.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

#include <cmath>
#include <numeric>
#include <random>

using namespace mlir;
using mlir::soap::IterationSpaceOpInterface;
using mlir::soap::SoapDialect;

namespace soap_test {

namespace {

constexpr double kStep = 1e-5;
constexpr double kTolerance = 1e-7;

/// One function under test.
class Check {
public:
  std::string run(StringRef text, Range range, int classes);

private:
  void nameOps();
  std::string addGradient(const std::string &name, ArrayRef<unsigned> wanted);
  std::string checkLoopMaps(func::FuncOp function);
  void draw(Range range, int classes);
  double loss();
  Values numericGradient(unsigned argument);

  Context context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp forward;
  std::vector<unsigned> differentiated;
  std::unique_ptr<ReferenceProgram> program;
  /// Arguments, then the weights of the results in the loss.
  std::vector<Values> arguments, weights;
};

} // namespace

static int64_t elements(Type type) {
  return cast<RankedTensorType>(type).getNumElements();
}

/// Appends `@name(arguments, result gradients) -> gradients of `wanted`.
std::string Check::addGradient(const std::string &name,
                               ArrayRef<unsigned> wanted) {
  OpBuilder builder(&context.context);
  SmallVector<Type> inputs(forward.getArgumentTypes());
  llvm::append_range(inputs, forward.getResultTypes());
  auto function = func::FuncOp::create(forward.getLoc(), name,
                                       builder.getFunctionType(inputs, {}));
  module->push_back(function);
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToStart(block);
  IRMapping mapping;
  for (BlockArgument argument : forward.getArguments())
    mapping.map(argument, block->getArgument(argument.getArgNumber()));
  for (Operation &op : forward.front().without_terminator())
    builder.clone(op, mapping);
  llvm::DenseMap<Value, Value> gradients;
  for (auto [i, result] :
       llvm::enumerate(forward.front().getTerminator()->getOperands()))
    gradients[mapping.lookup(result)] =
        block->getArgument(forward.getNumArguments() + i);
  // The sum of an argument's gradients is named after it.
  for (unsigned i = 0; i < forward.getNumArguments(); ++i)
    function.setArgAttr(i, SoapDialect::kName,
                        builder.getStringAttr("argument" + Twine(i)));
  SmallVector<Value> values, results;
  for (unsigned argument : wanted)
    values.push_back(block->getArgument(argument));
  if (failed(mlir::soap::buildBackward(builder, *block, values, gradients)))
    return "not differentiated: " + context.messages;
  for (Value value : values) {
    if (!gradients.lookup(value))
      return "argument has no gradient";
    results.push_back(gradients[value]);
  }
  func::ReturnOp::create(builder, forward.getLoc(), results);
  function.setType(builder.getFunctionType(
      inputs, SmallVector<Type>(ValueRange(results).getTypes())));
  if (failed(verify(function)))
    return "gradient is not valid: " + context.messages;
  return checkLoopMaps(function);
}

/// Gradient ops say whose they are, and their loop maps pair loops that exist.
std::string Check::checkLoopMaps(func::FuncOp function) {
  llvm::StringMap<Operation *> ops;
  for (Operation &op : function.front())
    if (auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName))
      ops[name.getValue()] = &op;
  std::string error;
  llvm::raw_string_ostream os(error);
  for (Operation &op : function.front().without_terminator()) {
    auto own = cast<IterationSpaceOpInterface>(op).getIterationSpace();
    if (!op.getAttrOfType<StringAttr>(SoapDialect::kName))
      os << "op has no name: " << op << "\n";
    auto gradOf = op.getAttrOfType<StringAttr>(SoapDialect::kGradOf);
    auto map = op.getAttrOfType<DictionaryAttr>(SoapDialect::kLoopMap);
    if (!map)
      continue;
    Operation *origin = gradOf ? ops.lookup(gradOf.getValue()) : nullptr;
    if (!origin) {
      os << "loop map without forward op: " << op << "\n";
      continue;
    }
    auto forwards = cast<IterationSpaceOpInterface>(origin).getIterationSpace();
    for (NamedAttribute entry : map) {
      // "" says that the loop is none of the forward op's, whatever its name.
      std::string forward = cast<StringAttr>(entry.getValue()).str();
      if (own.findLoop(entry.getName().str()) < 0 ||
          (!forward.empty() && forwards.findLoop(forward) < 0))
        os << "loop map pairs loops that do not exist: " << op << "\n";
    }
  }
  return error;
}

/// Where a range begins, and how long it is.
static std::pair<double, double> intervalOf(Range range) {
  switch (range) {
  case Range::Signed:
    return {-2, 4};
  case Range::Positive:
    return {0.5, 2};
  case Range::Unit:
    return {-0.8, 1.6};
  case Range::AboveOne:
    return {1.5, 2};
  }
  return {0, 0};
}

void Check::draw(Range range, int classes) {
  std::mt19937_64 random(1);
  int64_t count = 0;
  for (Type type : forward.getArgumentTypes())
    count += elements(type);
  // A random order of equidistant numbers, each moved by up to a quarter of
  // their distance; an even number of them, so that 0 is in a gap.
  count += count % 2;
  std::vector<int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), random);
  std::uniform_real_distribution<double> unit(-1, 1);
  auto [low, size] = intervalOf(range);
  size_t next = 0;
  for (Type type : forward.getArgumentTypes()) {
    Values &values = arguments.emplace_back(elements(type));
    for (double &value : values)
      if (cast<RankedTensorType>(type).getElementType().isInteger())
        value = std::uniform_int_distribution<int>(-1, classes - 1)(random);
      else
        value = low + size * (order[next++] + 0.5 + 0.25 * unit(random)) /
                          static_cast<double>(count);
  }
  for (Type type : forward.getResultTypes()) {
    Values &values = weights.emplace_back(elements(type));
    for (double &value : values)
      value = unit(random);
  }
}

double Check::loss() {
  double sum = 0;
  std::vector<Values> results = program->run("forward", arguments);
  for (auto [result, weight] : llvm::zip_equal(results, weights))
    sum +=
        std::inner_product(result.begin(), result.end(), weight.begin(), 0.0);
  return sum;
}

Values Check::numericGradient(unsigned argument) {
  Values gradient;
  for (double &element : arguments[argument]) {
    double value = element;
    element = value + kStep;
    double above = loss();
    element = value - kStep;
    double below = loss();
    element = value;
    gradient.push_back((above - below) / (2 * kStep));
  }
  return gradient;
}

/// |a - b| relative to |b|; NaN if there is one.
static double distance(const Values &a, const Values &b) {
  double difference = 0, norm = 0;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    difference += (x - y) * (x - y);
    norm += y * y;
  }
  return std::sqrt(difference) / std::max(std::sqrt(norm), 1e-3);
}

void Check::nameOps() {
  Builder builder(&context.context);
  int n = 0;
  for (Operation &op : forward.front().without_terminator())
    op.setAttr(SoapDialect::kName, builder.getStringAttr("op" + Twine(n++)));
}

std::string Check::run(StringRef text, Range range, int classes) {
  module = context.parse(text);
  if (!module)
    return "does not parse: " + context.messages;
  forward = module->lookupSymbol<func::FuncOp>("forward");
  nameOps();
  for (BlockArgument argument : forward.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto kind = mlir::soap::enumValue<mlir::soap::ValueKindAttr>(
        forward.getArgAttr(i, SoapDialect::kKind));
    auto type = cast<RankedTensorType>(argument.getType());
    if (type.getElementType().isF64() && kind != mlir::soap::ValueKind::State)
      differentiated.push_back(i);
  }
  std::string error = addGradient("gradient", differentiated);
  for (unsigned i : differentiated)
    if (error.empty())
      error = addGradient("gradient_" + std::to_string(i), i);
  if (!error.empty())
    return error;
  program = ReferenceProgram::compile(*module);
  if (!program)
    return "not compiled: " + context.messages;
  draw(range, classes);
  std::vector<Values> inputs = arguments;
  inputs.insert(inputs.end(), weights.begin(), weights.end());
  std::vector<Values> together = program->run("gradient", inputs);
  llvm::raw_string_ostream os(error);
  for (auto [i, all] : llvm::zip_equal(differentiated, together)) {
    Values numeric = numericGradient(i);
    Values alone = program->run("gradient_" + std::to_string(i), inputs)[0];
    for (const auto &[what, values] :
         {std::pair("with the others", &all), std::pair("alone", &alone)})
      if (double d = distance(*values, numeric); !(d <= kTolerance))
        os << "gradient of argument #" << i << ", wanted " << what
           << ", differs from central differences by " << d << "\n";
  }
  return error;
}

std::string checkGradients(StringRef text, Range range, int classes) {
  return Check().run(text, range, classes);
}

std::string functionOf(StringRef op, StringRef attributes,
                       const std::vector<std::string> &shapes,
                       const std::string &result) {
  auto type = [](const std::string &shape) {
    return "tensor<" + (shape.empty() ? "" : shape + "x") + "f64>";
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "func.func @forward(";
  llvm::interleaveComma(llvm::enumerate(shapes), os, [&](auto shape) {
    os << "%a" << shape.index() << ": " << type(shape.value());
  });
  os << ") -> " << type(result) << " {\n  %y = " << op << " ";
  llvm::interleaveComma(llvm::seq(shapes.size()), os,
                        [&](size_t i) { os << "%a" << i; });
  os << " {" << attributes << "} : (";
  llvm::interleaveComma(shapes, os,
                        [&](const std::string &shape) { os << type(shape); });
  os << ") -> " << type(result) << "\n  return %y : " << type(result)
     << "\n}\n";
  return text;
}

} // namespace soap_test
