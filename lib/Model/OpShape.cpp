//===- OpShape.cpp - What the time of an op depends on --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the loops of a shard to the sizes that curves are functions of.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/OpShape.h"

#include <algorithm>
#include <cassert>

using namespace soap;

bool soap::isCopy(const std::string &kind) {
  return kind == "fill" || kind == "assemble" || kind == "combine";
}

bool soap::isAttention(const std::string &op) {
  return op == "attention" || op == "attention_partial" ||
         op == "attention_grad";
}

bool soap::isLayoutChange(const std::string &op) {
  return op == "reshape" || op == "transpose";
}

void soap::splitKind(const std::string &kind, OpShape &shape) {
  struct Suffix {
    std::string_view text;
    const char *direction;
  };
  constexpr Suffix suffixes[] = {{"_input_grad", "input_grad"},
                                 {"_weight_grad", "weight_grad"},
                                 {"_grad", "backward"}};
  shape.op = kind;
  shape.direction = "forward";
  // A product whose operands have scales is a product of their type.
  if (kind == "matmul_scaled") {
    shape.op = "matmul";
    shape.converts = false;
    return;
  }
  for (const Suffix &suffix : suffixes)
    if (kind.ends_with(suffix.text)) {
      shape.op = kind.substr(0, kind.size() - suffix.text.size());
      shape.direction = suffix.direction;
      return;
    }
}

namespace {

/// Whether the last dim of an operand is a loop whose name starts like this, or
/// that one and the elements of its blocks.
bool lastLoopIs(const IterationSpace &space, size_t operand, char first) {
  if (operand >= space.operands.size())
    return false;
  const AccessMap &map = space.operands[operand].map;
  if (map.empty() || map.back().terms.empty())
    return false;
  const std::vector<Term> &terms = map.back().terms;
  bool isOne = terms.size() == 1 ||
               (terms.size() == 2 &&
                space.loops[terms[1].loop].type == IteratorType::Serial);
  return isOne && space.loops[terms[0].loop].name[0] == first;
}

/// Products have up to three batch loops and one to three reduction loops; what
/// counts is how many rows, columns and terms there are.
void setMergedExtents(const IterationSpace &space, const LoopBox &box,
                      OpShape &shape) {
  int64_t m = 1, n = 1, k = 1;
  for (size_t i = 0; i < space.loops.size(); ++i) {
    char letter = space.loops[i].name[0];
    (letter == 'k' ? k : letter == 'n' ? n : m) *= box[i].size();
  }
  shape.extents = {m, n, k};
}

} // namespace

std::vector<double> soap::sizesOf(const std::string &op,
                                  const std::vector<std::string> &loops,
                                  std::span<const int64_t> extents,
                                  std::span<const int64_t> strides,
                                  const std::string &direction, int64_t bytes) {
  assert((loops.size() == extents.size() || isCopy(op)) && "an extent a loop");
  /// Product over the loops whose name the test accepts.
  auto product = [&](auto accepts) {
    double result = 1;
    for (size_t i = 0; i < loops.size(); ++i)
      if (accepts(loops[i]))
        result *= static_cast<double>(extents[i]);
    return result;
  };
  auto named = [&](std::initializer_list<std::string_view> names) {
    return product([&](std::string_view loop) {
      return std::find(names.begin(), names.end(), loop) != names.end();
    });
  };
  if (op == "conv2d") {
    double stride = 1;
    for (int64_t s : strides)
      stride *= static_cast<double>(s);
    return {named({"n", "g", "h", "w"}), named({"i"}), named({"o"}),
            named({"kh", "kw"}), stride};
  }
  if (op == "matmul") {
    // In the order of the layer that this is a gradient of: rows, features out,
    // features in.
    double m = named({"m"}), n = named({"n"}), k = named({"k"});
    if (direction == "input_grad")
      std::swap(n, k);
    if (direction == "weight_grad") {
      double rows = k;
      k = n;
      n = m;
      m = rows;
    }
    return {m, n, k};
  }
  if (isCopy(op)) {
    std::vector<double> sizes = {
        1, static_cast<double>(std::max<int64_t>(bytes, 1))};
    for (int64_t extent : extents)
      sizes.push_back(static_cast<double>(extent));
    return sizes;
  }
  return {product([](const std::string &) { return true; }),
          static_cast<double>(std::max<int64_t>(bytes, 1))};
}

size_t soap::sizeCount(const std::string &op, size_t loops) {
  return sizesOf(op, std::vector<std::string>(loops),
                 std::vector<int64_t>(loops, 1), {}, "forward", 1)
      .size();
}

OpShape soap::shapeOf(const std::string &kind, const IterationSpace &space,
                      const LoopBox &box, int64_t bytes) {
  OpShape shape;
  splitKind(kind, shape);
  // Gradients of products are products, told apart by what is transposed: of a
  // layer with weights [out, in], x w^T, dy w and dy^T x.
  if (shape.op == "matmul")
    shape.direction = !lastLoopIs(space, 0, 'k')  ? "weight_grad"
                      : lastLoopIs(space, 1, 'k') ? "forward"
                                                  : "input_grad";
  if (shape.op == "matmul")
    shape.loops = {"m", "n", "k"};
  else
    for (const Loop &loop : space.loops)
      shape.loops.push_back(loop.name);
  bool hasWindow =
      shape.op == "conv2d" || shape.op.find("pool2d") != std::string::npos;
  if (hasWindow && !space.operands.empty())
    for (const DimMap &map : space.operands[0].map)
      if (map.kind == DimMap::Kind::Window && !map.terms.empty())
        shape.strides.push_back(std::max<int64_t>(
            {1, map.divisor, map.scale, map.terms[0].coefficient}));
  shape.flopsPerPoint = space.flopsPerPoint;
  resizeShape(space, box, bytes, shape);
  return shape;
}

void soap::resizeShape(const IterationSpace &space, const LoopBox &box,
                       int64_t bytes, OpShape &shape) {
  assert(box.size() == space.loops.size() && "a range a loop");
  if (shape.op == "matmul") {
    setMergedExtents(space, box, shape);
  } else {
    shape.extents.clear();
    for (const Interval &range : box)
      shape.extents.push_back(range.size());
  }
  shape.bytes = std::max<int64_t>(bytes, 1);
  shape.points = pointsOf(space, box);
  shape.sizes = sizesOf(shape.op, shape.loops, shape.extents, shape.strides,
                        shape.direction, shape.bytes);
  if (isAttention(shape.op))
    shape.sizes[0] = shape.points;
}
