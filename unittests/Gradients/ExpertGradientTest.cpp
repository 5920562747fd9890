//===- ExpertGradientTest.cpp - Gradients of routed tokens ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest elements, dispatch and combine with and without gates, and a
// whole layer of experts whose router is trained, too: places are enough, or
// some choices are dropped.
//
//===----------------------------------------------------------------------===//

#include "GradientCheck.h"

#include <gtest/gtest.h>

using namespace soap_test;

namespace {

std::string typeOf(const std::string &shape, const char *element = "f64") {
  return "tensor<" + shape + "x" + element + ">";
}

TEST(TopKGradient, Rows) {
  for (const char *k : {"1", "2", "5"}) {
    std::string x = typeOf("3x5"), y = typeOf(std::string("3x") + k),
                i = typeOf(std::string("3x") + k, "i32");
    EXPECT_EQ(checkGradients("func.func @forward(%x: " + x + ") -> " + y +
                             " { %y, %i = soap.top_k %x {k = " + k +
                             " : i64} : (" + x + ") -> (" + y + ", " + i +
                             ") return %y : " + y + " }"),
              "");
  }
}

/// Two samples of four tokens of three features, three experts.
class Layer {
public:
  Layer(int choices, int capacity)
      : k(std::to_string(choices)), c(std::to_string(capacity)),
        rows("2x" + std::to_string(capacity)), x(typeOf("2x4x3")),
        choice("2x4x" + k), slots(typeOf(choice, "i32")), gates(typeOf(choice)),
        tokens(typeOf("2x3x" + c, "i32")), places(typeOf("3x" + rows + "x3")) {}

  /// Slots %s, tokens %t and load %n of the choices %i.
  std::string route() const {
    return "%s, %t, %n = soap.route %i : (" + slots + ") -> (" + slots + ", " +
           tokens + ", tensor<2x3xf64>) ";
  }
  std::string dispatch(bool gated) const {
    return move("dispatch", x, places, gated);
  }
  std::string combine(bool gated) const {
    return move("combine_experts", places, x, gated);
  }

  std::string k, c, rows, x, choice, slots, gates, tokens, places;

private:
  std::string move(const std::string &op, const std::string &from,
                   const std::string &to, bool gated) const {
    std::string gate = gated ? ", %g" : "",
                gateType = gated ? ", " + gates : "";
    return "func.func @forward(%x: " + from + ", %i: " + slots +
           (gated ? ", %g: " + gates : "") + ") -> " + to + " { " + route() +
           "%y = soap." + op + " %x, %s, %t" + gate + " : (" + from + ", " +
           slots + ", " + tokens + gateType + ") -> " + to +
           " return %y : " + to + " }";
  }
};

TEST(ExpertGradient, DispatchAndCombine) {
  for (int choices : {1, 2, 3})
    for (int capacity : {1, 3, 8}) {
      Layer layer(choices, capacity);
      for (bool gated : {false, true}) {
        EXPECT_EQ(checkGradients(layer.dispatch(gated), Range::Signed, 3), "");
        EXPECT_EQ(checkGradients(layer.combine(gated), Range::Signed, 3), "");
      }
    }
}

/// Router, choices, gates, dispatch, two products, combine, and what balances.
TEST(ExpertGradient, Layer) {
  for (int choices : {1, 2})
    for (int capacity : {1, 8}) {
      Layer l(choices, capacity);
      std::string logits = typeOf("2x4x3"), w = typeOf("3x5x3"),
                  v = typeOf("3x3x5"), wide = typeOf("3x" + l.rows + "x5"),
                  sums = typeOf("2x3");
      std::string text =
          "func.func @forward(%x: " + l.x + ", %r: tensor<3x3xf64>, %w: " + w +
          ", %v: " + v + ") -> (" + l.x + ", " + sums +
          ") { %logits = " + "soap.matmul %x, %r {transpose_b} : (" + l.x +
          ", tensor<3x3xf64>) -> " + logits +
          " %p = soap.softmax %logits {axis = 2 : i64} : (" + logits + ") -> " +
          logits + " %top, %i = soap.top_k %logits {k = " + l.k +
          " : i64} : (" + logits + ") -> (" + l.gates + ", " + l.slots +
          ") %g = soap.softmax %top {axis = 2 : i64} : (" + l.gates + ") -> " +
          l.gates + " " + l.route() + "%d = soap.dispatch %x, %s, %t : (" +
          l.x + ", " + l.slots + ", " + l.tokens + ") -> " + l.places +
          " %h = soap.matmul %d, %w {transpose_b} : (" + l.places + ", " + w +
          ") -> " + wide + " %a = soap.tanh %h : (" + wide + ") -> " + wide +
          " %y = soap.matmul %a, %v {transpose_b} : (" + wide + ", " + v +
          ") -> " + l.places + " %z = soap.combine_experts %y, %s, %t, %g : (" +
          l.places + ", " + l.slots + ", " + l.tokens + ", " + l.gates +
          ") -> " + l.x +
          " %m = soap.reduce sum %p {axes = array<i64: 1>} : (" + logits +
          ") -> " + sums + " %b = soap.mul %m, %n : (" + sums + ", " + sums +
          ") -> " + sums + " return %z, %b : " + l.x + ", " + sums + " }";
      EXPECT_EQ(checkGradients(text), "");
    }
}

} // namespace
