//===- SpecialPointsTest.cpp - Values and gradients at corners ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports a model of ONNX that has an output per case, and compares results and
// gradients at 0, bounds, ties, tiny, huge and infinite numbers with what
// utils/record_special_points.py recorded with PyTorch.
//
//===----------------------------------------------------------------------===//

#include "ReferenceProgram.h"

#include "Soap/Target/ONNX.h"
#include "Transforms/TrainingStep/Differentiation.h"

#include <cmath>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace soap_test;

namespace {

using Json = nlohmann::json;

double numberOf(const Json &json) {
  return json.is_string() ? std::stod(json.get<std::string>())
                          : json.get<double>();
}

Values numbersOf(const Json &json) {
  Values values;
  for (const Json &element : json)
    values.push_back(numberOf(element));
  return values;
}

/// Within a few roundings of f32. Numbers below the normal ones may be 0.
bool isClose(double got, double want, double absolute) {
  return got == want || (std::isnan(got) && std::isnan(want)) ||
         std::fabs(got - want) <=
             1e-5 * std::fabs(want) + std::max(absolute, 0x1p-126);
}

/// Each element is that of float64, or of PyTorch's float32. Gradients at NaN
/// are not compared: nothing follows from them.
void compare(const std::string &what, bool isGradient, const Values &at,
             const Values &got, const Values &want, const Json *want32,
             double absolute) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) {
    if ((isGradient && got.size() == at.size() && std::isnan(at[i])) ||
        isClose(got[i], want[i], absolute) ||
        (want32 && isClose(got[i], numberOf((*want32)[i]), absolute)))
      continue;
    ADD_FAILURE() << what << ", element " << i
                  << (got.size() == at.size() ? " at " + std::to_string(at[i])
                                              : "")
                  << ": " << got[i] << ", expected " << want[i]
                  << (want32 ? " or " + (*want32)[i].dump() : "");
  }
}

/// Makes `function` return its results and then, of each argument, the gradient
/// of the sum of all elements of all results.
LogicalResult appendGradients(func::FuncOp function) {
  Operation *end = function.front().getTerminator();
  OpBuilder builder(end);
  SmallVector<Value> results(end->getOperands());
  llvm::DenseMap<Value, Value> gradients;
  for (Value result : results) {
    auto type = cast<RankedTensorType>(result.getType());
    gradients[result] = mlir::soap::ConstantOp::create(
        builder, end->getLoc(), type,
        DenseElementsAttr::get(
            type, Attribute(builder.getFloatAttr(type.getElementType(), 1))));
  }
  SmallVector<Value> wanted(function.getArguments());
  if (failed(mlir::soap::buildBackward(builder, function.front(), wanted,
                                       gradients)))
    return failure();
  for (Value argument : wanted) {
    Value gradient = gradients.lookup(argument);
    // Nothing flows back to it.
    if (!gradient) {
      auto type = cast<RankedTensorType>(argument.getType());
      gradient = mlir::soap::ConstantOp::create(
          builder, end->getLoc(), type,
          cast<ElementsAttr>(builder.getZeroAttr(type)));
    }
    results.push_back(gradient);
  }
  end->setOperands(results);
  function.setType(builder.getFunctionType(
      function.getArgumentTypes(),
      SmallVector<Type>(ValueRange(results).getTypes())));
  function.removeResAttrsAttr();
  return success();
}

TEST(SpecialPoints, AsPyTorch) {
  const std::string base = std::string(SOAP_GRADIENT_DATA) + "/special_points";
  Context context;
  mlir::soap::ONNXImportOptions options;
  options.keepFinalSoftmax = true;
  OwningOpRef<ModuleOp> module =
      mlir::soap::importONNX(base + ".onnx", &context.context, options);
  ASSERT_TRUE(module) << context.messages;
  auto function = module->lookupSymbol<func::FuncOp>("forward");
  ASSERT_TRUE(succeeded(appendGradients(function))) << context.messages;
  auto program = ReferenceProgram::compile(*module);
  ASSERT_TRUE(program) << context.messages;

  std::ifstream stream(base + ".json");
  Json recorded = Json::parse(stream);
  const Json &cases = recorded["cases"];
  std::vector<Values> arguments;
  for (const Json &one : cases)
    for (const Json &input : one["inputs"])
      arguments.push_back(numbersOf(input));
  std::vector<Values> results = program->run("forward", arguments);
  ASSERT_EQ(results.size(), cases.size() + arguments.size());
  size_t argument = 0;
  for (size_t i = 0; i < cases.size(); ++i) {
    const Json &one = cases[i];
    auto name = one["name"].get<std::string>();
    auto alternative = [&](const char *key) {
      return one.contains(key) ? &one[key] : nullptr;
    };
    compare(name, /*isGradient=*/false, arguments[argument], results[i],
            numbersOf(one["value"]), alternative("value32"),
            one.value("absolute", 0.0));
    const Json *gradients32 = alternative("gradients32");
    for (size_t j = 0; j < one["inputs"].size(); ++j, ++argument)
      compare(name + ", gradient " + std::to_string(j), /*isGradient=*/true,
              arguments[argument], results[cases.size() + argument],
              numbersOf(one["gradients"][j]),
              gradients32 ? &(*gradients32)[j] : nullptr, 1e-6);
  }
}

} // namespace
