//===- NormalizationGradientTest.cpp - Gradients of batch norm and loss ---===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batch norm in both forms and cross-entropy.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

std::string batchNorm(const std::string &shape, const std::string &channels) {
  std::string x = "tensor<" + shape + "xf64>",
              c = "tensor<" + channels + "xf64>";
  return "func.func @forward(%x: " + x + ", %gamma: " + c + ", %beta: " + c +
         ", %mean: " + c + " {soap.kind = #soap.kind<state>}, %var: " + c +
         " {soap.kind = #soap.kind<state>}) -> " + x +
         " { %y = soap.batch_norm %x, %gamma, %beta, %mean, %var {epsilon = "
         "1.0e-2 : f64} : (" +
         x + ", " + c + ", " + c + ", " + c + ", " + c + ") -> " + x +
         " return %y : " + x + " }";
}

std::string batchNormTrain(const std::string &shape,
                           const std::string &channels) {
  std::string x = "tensor<" + shape + "xf64>",
              c = "tensor<" + channels + "xf64>";
  return "func.func @forward(%x: " + x + ", %gamma: " + c + ", %beta: " + c +
         ") -> " + x +
         " { %y, %s = soap.batch_norm_train %x, %gamma, %beta {epsilon = "
         "1.0e-2 : f64} : (" +
         x + ", " + c + ", " + c + ") -> (" + x + ", tensor<3x" + channels +
         "xf64>) return %y : " + x + " }";
}

TEST(BatchNormGradient, GivenStatistics) {
  // Positive, as variances are.
  EXPECT_EQ(checkGradients(batchNorm("2x3x4x5", "3"), Range::Positive), "");
  EXPECT_EQ(checkGradients(batchNorm("6x5", "5"), Range::Positive), "");
  EXPECT_EQ(checkGradients(batchNorm("3x2x4", "2"), Range::Positive), "");
}

TEST(BatchNormGradient, StatisticsOfTheBatch) {
  EXPECT_EQ(checkGradients(batchNormTrain("3x2x4x5", "2")), "");
  EXPECT_EQ(checkGradients(batchNormTrain("6x5", "5")), "");
  EXPECT_EQ(checkGradients(batchNormTrain("3x2x4", "2")), "");
}

std::string crossEntropy(const std::string &rows, int classes,
                         const char *scale) {
  std::string x = "tensor<" + rows + "x" + std::to_string(classes) + "xf64>";
  std::string labels = "tensor<" + rows + "xi32>";
  return "func.func @forward(%x: " + x + ", %labels: " + labels +
         ") -> tensor<f64> { %loss, %correct, %stats = soap.cross_entropy %x, "
         "%labels {scale = " +
         scale + " : f64} : (" + x + ", " + labels +
         ") -> (tensor<f64>, tensor<f64>, tensor<3x" + rows +
         "xf64>) return %loss : tensor<f64> }";
}

TEST(CrossEntropyGradient, Logits) {
  EXPECT_EQ(checkGradients(crossEntropy("8", 5, "0.125"), Range::Signed, 5),
            "");
  EXPECT_EQ(checkGradients(crossEntropy("3", 2, "-3.0"), Range::Signed, 2), "");
  EXPECT_EQ(checkGradients(crossEntropy("2x3", 4, "0.5"), Range::Signed, 4),
            "");
}

/// A norm with one parameter per position of the dims from `axis` on.
std::string rowNorm(const std::string &op, const std::string &shape,
                    const std::string &rows, const std::string &normalized,
                    int axis) {
  auto type = [](const std::string &dims) {
    return "tensor<" + dims + (dims.empty() ? "" : "x") + "f64>";
  };
  bool layer = op == "layer_norm";
  std::string x = type(shape), p = type(normalized), r = type(rows);
  return "func.func @forward(%x: " + x + ", %gamma: " + p +
         (layer ? ", %beta: " + p : "") + ") -> " + x +
         " { %y:" + (layer ? "3" : "2") + " = soap." + op + " %x, %gamma" +
         (layer ? ", %beta" : "") + " {axis = " + std::to_string(axis) +
         " : i64, epsilon = 1.0e-2 : f64} : (" + x + ", " + p +
         (layer ? ", " + p : "") + ") -> (" + x + ", " + r +
         (layer ? ", " + r : "") + ") return %y#0 : " + x + " }";
}

TEST(RowNormGradient, LayerNormAndRmsNorm) {
  for (const char *op : {"layer_norm", "rms_norm"}) {
    EXPECT_EQ(checkGradients(rowNorm(op, "3x5", "3", "5", 1)), "") << op;
    EXPECT_EQ(checkGradients(rowNorm(op, "2x3x4", "2x3", "4", 2)), "") << op;
    EXPECT_EQ(checkGradients(rowNorm(op, "2x3x4", "2", "3x4", 1)), "") << op;
    EXPECT_EQ(checkGradients(rowNorm(op, "6", "", "6", 0)), "") << op;
  }
}

TEST(SoftmaxGradient, EveryAxis) {
  for (int axis = 0; axis < 3; ++axis)
    EXPECT_EQ(checkGradients(functionOf(
                  "soap.softmax", "axis = " + std::to_string(axis) + " : i64",
                  {"2x3x4"}, "2x3x4")),
              "")
        << axis;
}

} // namespace
