//===- LearningRateTest.cpp - Learning rates by iteration -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that PyTorch's LambdaLR has for the same formulas, by hand; and what
// is not known. test/Tools/run-log.test compares with programs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/LearningRate.h"

#include "gtest/gtest.h"

using namespace soap::runtime;

namespace {

TEST(LearningRate, FollowsTheSchedule) {
  EXPECT_EQ(learningRateAt("loss=mse optimizer=sgd learning-rate=0.1", 7), 0.1);
  std::string linear = "optimizer=adamw learning-rate=1 schedule=linear "
                       "total-iterations=10 warmup-iterations=2";
  EXPECT_DOUBLE_EQ(*learningRateAt(linear, 1), 0.5);
  EXPECT_DOUBLE_EQ(*learningRateAt(linear, 2), 1);
  EXPECT_DOUBLE_EQ(*learningRateAt(linear, 3), 1);
  EXPECT_DOUBLE_EQ(*learningRateAt(linear, 7), 0.5);
  EXPECT_DOUBLE_EQ(*learningRateAt(linear, 11), 0);
  EXPECT_DOUBLE_EQ(*learningRateAt(linear, 99), 0);
  EXPECT_DOUBLE_EQ(*learningRateAt(linear + " final-factor=0.2", 99), 0.2);
  std::string cosine =
      "learning-rate=0.5 schedule=cosine total-iterations=8 final-factor=0.5";
  EXPECT_DOUBLE_EQ(*learningRateAt(cosine, 5), 0.375);
  EXPECT_DOUBLE_EQ(*learningRateAt(cosine, 9), 0.25);
  std::string step = "learning-rate=1 schedule=step decay-every=3 "
                     "decay-factor=0.5";
  EXPECT_DOUBLE_EQ(*learningRateAt(step, 3), 1);
  EXPECT_DOUBLE_EQ(*learningRateAt(step, 4), 0.5);
  EXPECT_DOUBLE_EQ(*learningRateAt(step, 7), 0.25);
}

TEST(LearningRate, SaysWhatIsNotKnown) {
  EXPECT_FALSE(learningRateAt("", 1));
  EXPECT_FALSE(learningRateAt("loss=mse optimizer=sgd", 1));
  // Iterations whose gradients are not finite are not counted.
  std::string scaled = "precision=f16 loss-scale=65536 learning-rate=0.1";
  EXPECT_EQ(learningRateAt(scaled, 5), 0.1);
  EXPECT_FALSE(learningRateAt(scaled + " warmup-iterations=10", 5));
}

} // namespace
