//===- CApiTest.cpp - The C API
//--------------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From C: training with a session and with an artifact, descriptions, prices,
// and what bad input says. Program.c is the C side.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace {

const std::string lenet = std::string(SOAP_EXAMPLES) + "/lenet.onnx";

std::string takeText(Text text) {
  std::string result = text.data ? text.data : "";
  freeText(&text);
  return result;
}

class CApi : public testing::Test {
protected:
  CApi() : context(soapContextCreate()) {}
  ~CApi() override { soapContextDestroy(context); }

  std::string diagnostics() { return takeText(diagnosticsOf(context)); }

  SoapIRModule parse(const std::string &text) {
    return soapIRModuleParse(context, text.data(), text.size(), "test.mlir");
  }

  /// A training step of a dense layer.
  SoapIRModule makeStep() {
    SoapIRModule module = parse(R"(
      func.func @forward(
          %x: tensor<8x4xf32> {soap.kind = #soap.kind<data>, soap.name = "x",
                               soap.sample_dim = 0 : i64},
          %w: tensor<4x6xf32> {soap.kind = #soap.kind<parameter>,
                               soap.name = "w"}) -> tensor<8x6xf32> {
        %y = soap.matmul %x, %w {soap.name = "fc"}
           : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
        return %y : tensor<8x6xf32>
      })");
    EXPECT_NE(module.ptr, nullptr) << diagnostics();
    EXPECT_EQ(soapIRModuleRunPasses(
                  module, "soap-build-training-step{learning-rate=0.1}"),
              SOAP_SUCCESS)
        << diagnostics();
    return module;
  }

  /// The JSON that a function hands out.
  template <typename Function, typename... Arguments>
  nlohmann::json jsonOf(Function function, Arguments... arguments) {
    Text text = {nullptr, 0};
    EXPECT_EQ(function(arguments..., appendText, &text), SOAP_SUCCESS)
        << diagnostics();
    return nlohmann::json::parse(takeText(text), nullptr, false);
  }

  SoapContext context;
};

TEST_F(CApi, TrainsTheSameFromArtifacts) {
  constexpr int steps = 12;
  float compiled[steps], loaded[steps];
  const char *fault =
      trainModel(context, lenet.c_str(), nullptr, steps, compiled);
  ASSERT_EQ(fault, nullptr) << fault << ": " << diagnostics();
  EXPECT_NEAR(compiled[0], std::log(10.0), 0.3); // of ten classes, unknown
  EXPECT_LT(compiled[steps - 1], compiled[0] - 0.05);
  auto artifact = std::filesystem::temp_directory_path() /
                  ("soap-capi-" + std::to_string(getpid()) + ".soapx");
  fault = trainModel(context, lenet.c_str(), artifact.c_str(), steps, loaded);
  EXPECT_EQ(fault, nullptr) << fault << ": " << diagnostics();
  std::filesystem::remove(artifact);
  for (int i = 0; i < steps; ++i)
    EXPECT_EQ(compiled[i], loaded[i]) << i;
}

TEST_F(CApi, ComputesAMatrixProduct) {
  SoapIRModule module = makeStep();
  ASSERT_EQ(soapIRModuleRunPasses(module,
                                  "soap-apply-strategy{preset=data-parallel "
                                  "topology=cpu-2}"),
            SOAP_SUCCESS)
      << diagnostics();
  SoapSession session = soapSessionCompile(module, nullptr);
  ASSERT_NE(session.ptr, nullptr) << diagnostics();
  float x[32], w[24], y[48];
  for (int i = 0; i < 32; ++i)
    x[i] = float(i % 5 - 2);
  for (int i = 0; i < 24; ++i)
    w[i] = float(i % 7 - 3);
  const int64_t xShape[] = {8, 4}, wShape[] = {4, 6};
  EXPECT_EQ(soapSessionGet(session, "w", w, sizeof(w)), SOAP_FAILURE);
  EXPECT_EQ(diagnostics(), "error: tensor 'w' has no value yet\n");
  ASSERT_EQ(soapSessionSet(session, "x", SOAP_ELEMENT_F32, xShape, 2, x),
            SOAP_SUCCESS);
  ASSERT_EQ(soapSessionSet(session, "w", SOAP_ELEMENT_F32, wShape, 2, w),
            SOAP_SUCCESS);
  ASSERT_EQ(soapSessionRun(session, "forward"), SOAP_SUCCESS) << diagnostics();
  nlohmann::json about = jsonOf(soapSessionDescribe, session);
  ASSERT_TRUE(about.contains("entries"));
  std::string result;
  for (const auto &entry : about["entries"])
    if (entry["name"] == "forward")
      result = about["tensors"][entry["results"][0].get<size_t>()]["name"];
  ASSERT_EQ(soapSessionResult(session, "forward", result.c_str(), y, sizeof(y)),
            SOAP_SUCCESS)
      << diagnostics();
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 6; ++j) {
      float sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += x[i * 4 + k] * w[k * 6 + j];
      EXPECT_EQ(y[i * 6 + j], sum) << i << ", " << j;
    }
  EXPECT_EQ(soapSessionResult(session, "forward", "x", y, sizeof(x)),
            SOAP_FAILURE);
  EXPECT_EQ(diagnostics(),
            "error: tensor 'x' is no result of entry 'forward'\n");
  const int64_t wrong[] = {4, 8};
  EXPECT_EQ(soapSessionSet(session, "x", SOAP_ELEMENT_F32, wrong, 2, x),
            SOAP_FAILURE);
  EXPECT_EQ(diagnostics(),
            "error: tensor 'x': expected f32 [8, 4], got f32 [4, 8]\n");
  EXPECT_EQ(soapSessionSet(session, "x", SOAP_ELEMENT_I64, xShape, 2, x),
            SOAP_FAILURE);
  EXPECT_EQ(diagnostics(),
            "error: tensor 'x': expected f32 [8, 4], got i64 [8, 4]\n");
  EXPECT_EQ(soapSessionGet(session, "w", w, 4), SOAP_FAILURE);
  EXPECT_EQ(diagnostics(), "error: tensor 'w' has 96 bytes, got room for 4\n");
  EXPECT_EQ(soapSessionRun(session, "backward"), SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("backward"), std::string::npos);
  soapSessionDestroy(session);
  soapIRModuleDestroy(module);
}

TEST_F(CApi, LabelsNameClasses) {
  SoapIRModule module = makeStep();
  SoapSession session = soapSessionCompile(module, nullptr);
  ASSERT_NE(session.ptr, nullptr) << diagnostics();
  const int64_t shape[] = {8};
  int32_t labels[8] = {0, 5, 1, 2, -1, 4, 3, 0};
  auto set = [&] {
    return soapSessionSet(session, "label", SOAP_ELEMENT_I32, shape, 1, labels);
  };
  EXPECT_EQ(set(), SOAP_SUCCESS) << diagnostics();
  for (int wrong : {6, 999, -7}) {
    labels[3] = wrong;
    EXPECT_EQ(set(), SOAP_FAILURE);
    EXPECT_EQ(diagnostics(),
              "error: tensor 'label': sample 3: expected 0 to 5 or -1 for "
              "label 'label', got " +
                  std::to_string(wrong) + "\n");
  }
  // The tensor keeps its value.
  int32_t kept[8];
  ASSERT_EQ(soapSessionGet(session, "label", kept, sizeof(kept)), SOAP_SUCCESS);
  EXPECT_EQ(kept[3], 2);
  soapSessionDestroy(session);
  soapIRModuleDestroy(module);
}

TEST_F(CApi, DescribesStrategyAndPlacement) {
  SoapIRModule module = makeStep();
  ASSERT_EQ(soapIRModuleRunPasses(
                module, "soap-apply-strategy{preset=zero topology=cpu-2}"),
            SOAP_SUCCESS)
      << diagnostics();
  nlohmann::json about = jsonOf(soapIRModuleDescribe, module);
  EXPECT_EQ(about["topology"], "cpu-2");
  EXPECT_EQ(about["functions"].size(), 3u);
  nlohmann::json strategy =
      jsonOf(soapIRModuleStrategy, module, static_cast<const char *>(nullptr));
  EXPECT_EQ(strategy["function"], "train_step");
  EXPECT_EQ(strategy["devices"], 2);
  EXPECT_EQ(strategy["ops"][0]["name"], "fc");
  EXPECT_EQ(strategy["ops"][0]["degrees"], nlohmann::json({{"m", 2}}));
  EXPECT_EQ(strategy["ops"][0]["loops"][0]["role"], "sample");
  nlohmann::json placement =
      jsonOf(soapIRModulePlacement, module, static_cast<const char *>(nullptr));
  // Data by samples; ZeRO cuts a weight along its largest dim.
  const nlohmann::json &x = placement["tensors"][0],
                       &w = placement["tensors"][1];
  EXPECT_EQ(x["name"], "x");
  EXPECT_EQ(x["argument"], 0);
  EXPECT_EQ(x["kind"], "data");
  EXPECT_EQ(x["tiles"], nlohmann::json::parse(
                            R"([{"device": 0, "region": [[[0, 4]], [[0, 4]]]},
                    {"device": 1, "region": [[[4, 8]], [[0, 4]]]}])"));
  EXPECT_EQ(w["tiles"], nlohmann::json::parse(
                            R"([{"device": 0, "region": [[[0, 4]], [[0, 3]]],
                     "updated": true},
                    {"device": 1, "region": [[[0, 4]], [[3, 6]]],
                     "updated": true}])"));
  soapIRModuleDestroy(module);
}

TEST_F(CApi, ComparesAndDraws) {
  SoapIRModule module = makeStep();
  const char *names[] = {"single", "data-parallel"};
  nlohmann::json rows =
      jsonOf(soapIRModuleCompare, module, static_cast<const char *>(nullptr),
             "cpu-2", static_cast<const char *const *>(names), size_t(2));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["name"], "single");
  EXPECT_EQ(rows[1]["name"], "data-parallel");
  // Comparing leaves the module as it is.
  EXPECT_TRUE(jsonOf(soapIRModuleDescribe, module)["topology"].is_null());
  for (const char *name : names) {
    SoapIRModule copy = soapIRModuleClone(module);
    ASSERT_EQ(soapIRModuleRunPasses(copy, ("soap-apply-strategy{topology=cpu-2 "
                                           "preset=" +
                                           std::string(name) + "}")
                                              .c_str()),
              SOAP_SUCCESS);
    nlohmann::json report = jsonOf(soapIRModuleSimulate, copy, "");
    EXPECT_EQ(rows[name == names[1]]["makespan_ns"], report["makespan_ns"]);
    Text drawing = {nullptr, 0};
    EXPECT_EQ(soapIRModuleDraw(copy, nullptr, appendText, &drawing),
              SOAP_SUCCESS);
    EXPECT_NE(takeText(drawing).find("</svg>"), std::string::npos);
    soapIRModuleDestroy(copy);
  }
  const char *bad[] = {"fsdpp"};
  EXPECT_EQ(
      soapIRModuleCompare(module, nullptr, "cpu-2", bad, 1, nullptr, nullptr),
      SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("fsdpp"), std::string::npos) << diagnostics();
  soapIRModuleDestroy(module);
}

TEST_F(CApi, ExportsAStrategyAsShardy) {
  const std::string text = R"mlir("builtin.module"() ({
    "func.func"() <{function_type = (tensor<8x4xf32>, tensor<4x6xf32>)
        -> tensor<8x6xf32>, sym_name = "main"}> ({
    ^bb0(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>):
      %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers =
          #stablehlo.dot<lhs_contracting_dimensions = [1],
                         rhs_contracting_dimensions = [0]>}>
         : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
      "func.return"(%0) : (tensor<8x6xf32>) -> ()
    }) : () -> ()
  }) : () -> ())mlir";
  const char *options[] = {"data=0", "parameters=1", "no-recognition"};
  SoapIRModule module = soapIRModuleImportStableHLO(
      context, text.data(), text.size(), "step.mlir", options, 3);
  ASSERT_NE(module.ptr, nullptr) << diagnostics();
  SoapIRModule whole = soapIRModuleClone(module);
  for (auto [each, preset] :
       {std::pair(module, "data-parallel"), std::pair(whole, "single")})
    ASSERT_EQ(soapIRModuleRunPasses(
                  each, (std::string("soap-apply-strategy{topology=cpu-2 "
                                     "function=main preset=") +
                         preset + "}")
                            .c_str()),
              SOAP_SUCCESS)
        << diagnostics();
  SoapIRModule planned = soapIRModuleClone(module);
  ASSERT_EQ(soapIRModuleRunPasses(module, "soap-export-shard"), SOAP_SUCCESS)
      << diagnostics();
  Text exported = {nullptr, 0};
  EXPECT_EQ(soapIRModuleExportShardy(module, planned, text.data(), text.size(),
                                     options, 3, appendText, &exported),
            SOAP_SUCCESS)
      << diagnostics();
  std::string result = takeText(exported);
  EXPECT_NE(result.find("#sdy.mesh<[\"axis0\"=2]>"), std::string::npos);
  EXPECT_NE(result.find("sdy.sharding_constraint"), std::string::npos);
  // Another program.
  std::string other = text;
  for (size_t at = 0; (at = other.find("6xf32", at)) != std::string::npos;)
    other[at] = '7';
  EXPECT_EQ(soapIRModuleExportShardy(module, {nullptr}, other.data(),
                                     other.size(), options, 3, appendText,
                                     &exported),
            SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("is not the import of the program"),
            std::string::npos)
      << diagnostics();
  const char *wrong[] = {"batch=3"};
  EXPECT_EQ(soapIRModuleExportShardy(module, {nullptr}, text.data(),
                                     text.size(), wrong, 1, appendText,
                                     &exported),
            SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("'batch=3'"), std::string::npos);
  // Another strategy has other regions.
  EXPECT_EQ(soapIRModuleExportShardy(module, whole, text.data(), text.size(),
                                     options, 3, appendText, &exported),
            SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("of its result on device 0, and the exported "
                               "sharding"),
            std::string::npos)
      << diagnostics();
  for (SoapIRModule each : {module, planned, whole})
    soapIRModuleDestroy(each);
}

TEST_F(CApi, BadInputHasDiagnostics) {
  EXPECT_EQ(parse("func.func @f() {").ptr, nullptr);
  EXPECT_NE(diagnostics().find("test.mlir:1:"), std::string::npos)
      << diagnostics();
  EXPECT_EQ(soapIRModuleParseFile(context, "no-such-file.mlir").ptr, nullptr);
  EXPECT_NE(diagnostics().find("no-such-file.mlir"), std::string::npos);
  EXPECT_EQ(
      soapIRModuleImportONNX(context, "no-such-file.onnx", nullptr, 0).ptr,
      nullptr);
  EXPECT_NE(diagnostics().find("no-such-file.onnx"), std::string::npos);
  for (auto [option, text] :
       {std::pair("batch=many", "expected a number of at least 1, got 'many'"),
        std::pair("batches=3", "unknown option 'batches'"),
        std::pair("keep-final-softmax=1", "is a flag"),
        std::pair("input-shape=x:3xx", "expected NAME:2x3x4")}) {
    const char *options[] = {option};
    EXPECT_EQ(soapIRModuleImportONNX(context, lenet.c_str(), options, 1).ptr,
              nullptr);
    EXPECT_NE(diagnostics().find(text), std::string::npos) << diagnostics();
  }
  EXPECT_EQ(soapIRModuleImportStableHLO(context, "module {", 8, "step.mlir",
                                        nullptr, 0)
                .ptr,
            nullptr);
  EXPECT_NE(diagnostics().find("step.mlir"), std::string::npos);
  EXPECT_EQ(soapIRModuleGenerate(context, "alexnett", 0, nullptr, 0).ptr,
            nullptr);
  EXPECT_NE(diagnostics().find("alexnett"), std::string::npos);
  EXPECT_EQ(soapSessionLoad(context, lenet.c_str(), nullptr).ptr, nullptr);
  EXPECT_NE(diagnostics().find("lenet.onnx"), std::string::npos);
  SoapIRModule module = makeStep();
  EXPECT_EQ(soapIRModuleRunPasses(module, "soap-no-pass"), SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("soap-no-pass"), std::string::npos);
  EXPECT_EQ(soapIRModuleStrategy(module, nullptr, nullptr, nullptr),
            SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("error: "), std::string::npos);
  EXPECT_EQ(soapIRModuleEmitArtifact(module, "x.soapx", 4, "host"),
            SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("expected 0 to 3, got 4"), std::string::npos);
  // A successful call has no diagnostics of the call before.
  EXPECT_EQ(soapIRModuleDescribe(module, nullptr, nullptr), SOAP_SUCCESS);
  EXPECT_EQ(diagnostics(), "");
  soapIRModuleDestroy(module);
}

TEST_F(CApi, NamesArguments) {
  SoapIRModule module = makeStep();
  const char *names[] = {"left", "right"};
  EXPECT_EQ(soapIRModuleNameArguments(module, "forward", names, 2),
            SOAP_SUCCESS)
      << diagnostics();
  nlohmann::json about = jsonOf(soapIRModuleDescribe, module);
  for (const auto &function : about["functions"])
    if (function["name"] == "forward")
      EXPECT_EQ(function["arguments"][1]["name"], "right");
  EXPECT_EQ(soapIRModuleNameArguments(module, "forward", names, 1),
            SOAP_FAILURE);
  EXPECT_EQ(diagnostics(), "error: '@forward' has 2 arguments, got 1 names\n");
  names[1] = "left";
  EXPECT_EQ(soapIRModuleNameArguments(module, "forward", names, 2),
            SOAP_FAILURE);
  EXPECT_NE(diagnostics().find("'left' of argument 1"), std::string::npos);
  soapIRModuleDestroy(module);
}

TEST_F(CApi, ObjectsOutliveTheirContext) {
  SoapContext other = soapContextCreate();
  SoapIRModule module = soapIRModuleGenerate(other, "lenet", 8, nullptr, 0);
  ASSERT_NE(module.ptr, nullptr);
  soapContextDestroy(other);
  nlohmann::json about = jsonOf(soapIRModuleDescribe, module);
  EXPECT_EQ(about["functions"][0]["arguments"][0]["shape"][0], 8);
  soapIRModuleDestroy(module);
}

} // namespace
