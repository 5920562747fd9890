//===- ExpertKernelTest.cpp - Routing of tokens against plain loops -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The largest elements, places of experts in the order of choices, and rows
// that go there and come back; with equal elements, no number, choices that are
// no expert, and slots that no expert has.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace soap::test;

namespace {

using Index = std::vector<int64_t>;

/// `%r.. = op operands`, where integer operands and results are named.
std::string text(const std::string &op, const std::string &attributes,
                 const std::vector<std::string> &operands,
                 const std::vector<std::string> &results) {
  auto join = [](const std::vector<std::string> &parts, const std::string &name,
                 bool withTypes) {
    std::string joined;
    for (size_t i = 0; i < parts.size(); ++i)
      joined += (i ? ", " : "") +
                (name.empty() ? "" : name + std::to_string(i)) +
                (name.empty() ? parts[i]
                 : withTypes  ? ": " + parts[i]
                              : "");
    return joined;
  };
  std::string types = join(results, "", false);
  return "func.func @f(" + join(operands, "%a", true) + ") -> (" + types +
         ") { " + join(results, "%r", false) + " = " + op + " " +
         join(operands, "%a", false) + " {" + attributes + "} : (" +
         join(operands, "", false) + ") -> (" + types + ") return " +
         join(results, "%r", false) + " : " + types + " }";
}

/// Positions of the largest elements, first ones first; NaN is infinite.
std::vector<size_t> largest(const std::vector<double> &row, size_t k) {
  std::vector<size_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](size_t i) { return std::isnan(row[i]) ? INFINITY : row[i]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return key(a) > key(b); });
  order.resize(k);
  return order;
}

TEST(ExpertKernels, TopK) {
  Array x = integers({4, 7}, 3);
  x({1, 2}) = -INFINITY;
  x({1, 5}) = INFINITY;
  for (int64_t i = 0; i < 7; ++i)
    x({2, i}) = -INFINITY;
  for (int64_t k : {1, 3, 7}) {
    Array values({4, k}), indices({4, k}), dy = random({4, k}, 1), dx({4, 7});
    for (int64_t n = 0; n < 4; ++n) {
      std::vector<double> row;
      for (int64_t i = 0; i < 7; ++i)
        row.push_back(x({n, i}));
      std::vector<size_t> found = largest(row, static_cast<size_t>(k));
      for (int64_t i = 0; i < k; ++i) {
        auto at = static_cast<int64_t>(found[static_cast<size_t>(i)]);
        values({n, i}) = x({n, at});
        indices({n, i}) = static_cast<double>(at);
        dx({n, at}) = dy({n, i});
      }
    }
    std::string count = std::to_string(k);
    std::string found = "tensor<4x" + count + "xT>",
                places = "tensor<4x" + count + "xi32>";
    checkEverywhere(text("soap.top_k", "k = " + count + " : i64",
                         {"tensor<4x7xT>"}, {found, places}),
                    {x}, {values, indices});
    checkEverywhere(
        text("soap.top_k_grad", "", {found, places}, {"tensor<4x7xT>"}),
        {dy, indices}, {dx});
  }
}

TEST(ExpertKernels, TopKOfNaN) {
  Array x({1, 4});
  x.values = {1, NAN, INFINITY, NAN};
  std::vector<Array> found =
      run(text("soap.top_k", "k = 4 : i64", {"tensor<1x4xT>"},
               {"tensor<1x4xT>", "tensor<1x4xi32>"}),
          "f32", "soap-lower-to-cpu", {x});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[1].values, (std::vector<double>{1, 2, 3, 0}));
  EXPECT_TRUE(std::isnan(found[0].values[0]));
  EXPECT_EQ(found[0].values[3], 1);
}

/// The answer of soap.route about choices.
struct Routes {
  Array slots, tokens, load;

  Routes(const Array &choices, int64_t experts, int64_t capacity)
      : slots(choices.shape, -1),
        tokens({choices.dim(0), experts, capacity}, -1),
        load({choices.dim(0), experts}) {
    int64_t length = choices.dim(1);
    for (int64_t s = 0; s < choices.dim(0); ++s)
      for (int64_t k = 0; k < choices.dim(2); ++k)
        for (int64_t l = 0; l < length; ++l) {
          auto e = static_cast<int64_t>(choices({s, l, k}));
          if (e < 0 || e >= experts)
            continue;
          double &count = load({s, e});
          auto place = static_cast<int64_t>(count++);
          if (place >= capacity)
            continue;
          slots({s, l, k}) = static_cast<double>(e * capacity + place);
          tokens({s, e, place}) = static_cast<double>(k * length + l);
        }
  }
};

/// Numbers from -1 to `count`.
Array choicesOf(Index shape, int64_t count, unsigned seed) {
  Array result = random(std::move(shape), seed);
  for (double &value : result.values)
    value = std::floor((value + 1) / 2 * static_cast<double>(count + 2)) - 1;
  return result;
}

/// One case of an op is enough for GPUs: a compilation is long.
void checkOnCpu(const std::string &text, const std::vector<Array> &inputs,
                const std::vector<Array> &expected) {
  check(text, inputs, expected);
}

TEST(ExpertKernels, Route) {
  const int64_t samples = 3, length = 9, choices = 2, experts = 4;
  for (int64_t capacity : {1, 2, 3, 5, 8, 20}) {
    Array indices = choicesOf({samples, length, choices}, experts, 5);
    Routes routes(indices, experts, capacity);
    std::string c = std::to_string(capacity);
    auto checkRoute = capacity == 3 ? checkEverywhere : checkOnCpu;
    checkRoute(text("soap.route", "", {"tensor<3x9x2xi32>"},
                    {"tensor<3x9x2xi32>", "tensor<3x4x" + c + "xi32>",
                     "tensor<3x4xT>"}),
               {indices}, {routes.slots, routes.tokens, routes.load});
  }
}

TEST(ExpertKernels, ThereAndBack) {
  const int64_t samples = 2, length = 5, width = 3, experts = 3, capacity = 2;
  for (int64_t choices : {1, 3, 20}) {
    Array indices = choicesOf({samples, length, choices}, experts, 7),
          x = random({samples, length, width}, 1),
          places = random({experts, samples, capacity, width}, 2),
          gates = random({samples, length, choices}, 3);
    Routes routes(indices, experts, capacity);
    // From the second expert on: the first one's tokens count nowhere.
    for (int64_t first : {0, 1}) {
      auto checkOp = choices == 3 ? checkEverywhere : checkOnCpu;
      Array y({experts, samples, capacity, width}),
          gated = y, z({samples, length, width}), gatedZ = z,
          dgates(indices.shape);
      for (int64_t s = 0; s < samples; ++s)
        for (int64_t l = 0; l < length; ++l)
          for (int64_t k = 0; k < choices; ++k) {
            auto slot = static_cast<int64_t>(routes.slots({s, l, k}));
            if (slot < 0)
              continue;
            double gate = gates({s, l, k});
            for (int64_t d = 0; d < width; ++d) {
              Index at{slot / capacity, s, slot % capacity, d};
              y(at) = x({s, l, d});
              gated(at) = gate * x({s, l, d});
              if ((at[0] -= first) < 0)
                continue;
              z({s, l, d}) += places(at);
              gatedZ({s, l, d}) += gate * places(at);
              dgates({s, l, k}) += x({s, l, d}) * places(at);
            }
          }
      std::string k = std::to_string(choices);
      std::string tokenType = "tensor<2x5x3xT>",
                  placeType = "tensor<3x2x2x3xT>",
                  slotType = "tensor<2x5x" + k + "xi32>",
                  gateType = "tensor<2x5x" + k + "xT>",
                  takenType = "tensor<2x3x2xi32>";
      if (first == 0) {
        checkOp(text("soap.dispatch", "", {tokenType, slotType, takenType},
                     {placeType}),
                {x, routes.slots, routes.tokens}, {y});
        checkOp(text("soap.dispatch", "",
                     {tokenType, slotType, takenType, gateType}, {placeType}),
                {x, routes.slots, routes.tokens, gates}, {gated});
      }
      std::string attributes =
          "first_expert = " + std::to_string(first) + " : i64";
      checkOp(text("soap.combine_experts", attributes,
                   {placeType, slotType, takenType}, {tokenType}),
              {places, routes.slots, routes.tokens}, {z});
      checkOp(text("soap.combine_experts", attributes,
                   {placeType, slotType, takenType, gateType}, {tokenType}),
              {places, routes.slots, routes.tokens, gates}, {gatedZ});
      checkOp(text("soap.gates_grad", attributes,
                   {tokenType, placeType, slotType}, {gateType}),
              {x, places, routes.slots}, {dgates});
    }
  }
}

/// Slots and tokens that no soap.route makes are read nowhere.
TEST(ExpertKernels, WildIndices) {
  Array x = random({1, 2, 3}, 1), slots({1, 2, 1}), tokens({1, 2, 1}),
        y({2, 1, 1, 3});
  slots.values = {1000000, -7};
  tokens.values = {2000000000, -2000000000};
  checkEverywhere(
      text("soap.dispatch", "",
           {"tensor<1x2x3xT>", "tensor<1x2x1xi32>", "tensor<1x2x1xi32>"},
           {"tensor<2x1x1x3xT>"}),
      {x, slots, tokens}, {y});
  checkEverywhere(
      text("soap.combine_experts", "",
           {"tensor<2x1x1x3xT>", "tensor<1x2x1xi32>", "tensor<1x2x1xi32>"},
           {"tensor<1x2x3xT>"}),
      {random({2, 1, 1, 3}, 2), slots, tokens}, {Array({1, 2, 3})});
}

} // namespace
