//===- RecordedGradientsTest.cpp - Training steps against a framework's ---===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the training step of the models in test/Gradients/data on recorded
// inputs and compares with the gradients that utils/record_gradients.py
// recorded with JAX.
//
//===----------------------------------------------------------------------===//

#include "ReferenceProgram.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace mlir;
using namespace soap_test;
using mlir::soap::SoapDialect;

namespace {

std::string readFile(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

template <typename T>
Values convert(const char *data, size_t bytes) {
  std::vector<T> elements(bytes / sizeof(T));
  std::memcpy(elements.data(), data, bytes);
  return {elements.begin(), elements.end()};
}

/// Tensors of a safetensors file.
std::map<std::string, Values> readTensors(const std::string &path) {
  std::string bytes = readFile(path);
  uint64_t size = 0;
  std::memcpy(&size, bytes.data(), 8);
  auto header = nlohmann::json::parse(bytes.substr(8, size));
  std::map<std::string, Values> tensors;
  for (const auto &[name, entry] : header.items()) {
    const char *data =
        bytes.data() + 8 + size + entry["data_offsets"][0].get<size_t>();
    size_t length = entry["data_offsets"][1].get<size_t>() -
                    entry["data_offsets"][0].get<size_t>();
    std::string type = entry["dtype"];
    tensors[name] = type == "F64"   ? convert<double>(data, length)
                    : type == "F32" ? convert<float>(data, length)
                                    : convert<int32_t>(data, length);
  }
  return tensors;
}

double relativeDistance(const Values &a, const Values &b) {
  double difference = 0, norm = 0;
  for (auto [x, y] : llvm::zip_equal(a, b)) {
    difference += (x - y) * (x - y);
    norm += y * y;
  }
  return std::sqrt(difference) / std::sqrt(norm);
}

/// Trains one step on the recorded inputs: gradients are old minus new weights,
/// divided by the learning rate. In f32 that is large, so that weights do not
/// swallow the digits of small gradients.
void compare(const std::string &model, bool single, double tolerance) {
  std::string base = std::string(SOAP_GRADIENT_DATA) + "/" + model;
  std::map<std::string, Values> recorded = readTensors(base + ".safetensors");
  std::string text = readFile(base + ".mlir");
  if (single)
    for (size_t at = 0; (at = text.find("xf64>", at)) != std::string::npos;)
      text.replace(at, 5, "xf32>");
  Context context;
  OwningOpRef<ModuleOp> module = context.parse(text);
  ASSERT_TRUE(module) << context.messages;
  PassManager manager(&context.context, "builtin.module");
  mlir::soap::SoapBuildTrainingStepOptions options;
  double rate = single ? 4096 : 1;
  options.learningRate = rate;
  manager.addPass(mlir::soap::createSoapBuildTrainingStep(options));
  ASSERT_TRUE(succeeded(manager.run(*module))) << context.messages;
  auto step = module->lookupSymbol<func::FuncOp>("train_step");
  std::vector<Values> arguments;
  for (unsigned i = 0; i < step.getNumArguments(); ++i)
    arguments.push_back(recorded.at(
        step.getArgAttrOfType<StringAttr>(i, SoapDialect::kName).str()));
  auto program = ReferenceProgram::compile(*module);
  ASSERT_TRUE(program) << context.messages;
  std::vector<Values> results = program->run("train_step", arguments);

  size_t gradients = 0;
  for (auto [i, result] : llvm::enumerate(results)) {
    std::string name =
        step.getResultAttrOfType<StringAttr>(i, SoapDialect::kName).str();
    auto updates =
        step.getResultAttrOfType<IntegerAttr>(i, SoapDialect::kUpdates);
    Values values = result;
    std::string reference = name;
    if (updates && recorded.count("grad." + name)) {
      reference = "grad." + name;
      const Values &old = arguments[updates.getInt()];
      for (size_t e = 0; e < values.size(); ++e)
        values[e] = (old[e] - values[e]) / rate;
      ++gradients;
    } else if (updates) {
      reference = "new." + name;
    }
    EXPECT_LT(relativeDistance(values, recorded.at(reference)), tolerance)
        << reference;
  }
  size_t expected = 0;
  for (const auto &[name, values] : recorded)
    expected += name.rfind("grad.", 0) == 0;
  EXPECT_EQ(gradients, expected);
}

TEST(RecordedGradients, LeNet) { compare("lenet", false, 1e-9); }
TEST(RecordedGradients, LeNetSingle) { compare("lenet", true, 1e-5); }
TEST(RecordedGradients, ResidualBlock) {
  compare("residual_block", false, 1e-9);
}

} // namespace
