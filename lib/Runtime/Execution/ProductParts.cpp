//===- ProductParts.cpp - Products of which a part is enough --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProductParts.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/ProductParts.h"

#include <algorithm>
#include <cassert>
#include <cstring>

using namespace soap;
using namespace soap::runtime;

Selection runtime::spread(int64_t extent, int64_t count) {
  Selection selection;
  selection.of = extent;
  count = std::clamp<int64_t>(count, std::min<int64_t>(1, extent), extent);
  for (int64_t i = 0; i < count; ++i)
    selection.indices.push_back(count == 1 ? 0
                                           : i * (extent - 1) / (count - 1));
  assert(
      std::ranges::adjacent_find(selection.indices, std::greater_equal<>()) ==
          selection.indices.end() &&
      "indices ascend");
  return selection;
}

AlignedBytes runtime::select(const void *data, int64_t outer,
                             const Selection &dim, int64_t innerBytes) {
  assert(outer >= 0 && innerBytes >= 0 && "a negative size");
  assert((dim.indices.empty() || dim.indices.back() < dim.of) &&
         "indices of the dim");
  AlignedBytes result(outer * dim.count() * innerBytes);
  char *to = result.data();
  const char *from = static_cast<const char *>(data);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i : dim.indices) {
      std::memcpy(to, from + (o * dim.of + i) * innerBytes, size_t(innerBytes));
      to += innerBytes;
    }
  return result;
}

/// All of it.
static AlignedBytes copyOf(const void *data, int64_t bytes) {
  return select(data, 1, spread(1, 1), bytes);
}

static std::string parts(const Selection &chosen, const char *what) {
  return std::to_string(chosen.count()) + " of " + std::to_string(chosen.of) +
         " " + what;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

MatmulPart MatmulPart::of(const MatmulCall &call, int64_t work) {
  const MatmulShape &s = call.shape;
  // A sum over batches needs all of them.
  bool isWhole = isBiasGrad(call.epilogue) && s.batch > 1;
  int64_t most =
      isWhole ? s.batch * s.m : work / std::max<int64_t>(1, s.n * s.k);
  MatmulPart part;
  part.whole = part.call = call;
  part.batches = spread(s.batch, most);
  part.rows = spread(s.m, most / std::max<int64_t>(1, part.batches.count()));
  part.call.shape.batch = part.batches.count();
  part.call.shape.m = part.rows.count();
  return part;
}

std::string MatmulPart::text() const {
  if (isAll())
    return "";
  std::string text = parts(rows, "rows");
  return batches.of == 1 ? text : parts(batches, "batches") + ", " + text;
}

/// Of [batch][row][inner bytes].
static AlignedBytes selectTwice(const void *data, const Selection &batches,
                                const Selection &rows, int64_t innerBytes) {
  AlignedBytes some = select(data, 1, batches, rows.of * innerBytes);
  return select(some.data(), batches.count(), rows, innerBytes);
}

AlignedBytes MatmulPart::ofA(const void *a) const {
  const MatmulShape &s = whole.shape;
  int64_t bytes = whole.precision == Precision::BF16 ? 2 : 4;
  if (!s.transposeA)
    return selectTwice(a, batches, rows, s.k * bytes);
  AlignedBytes some = select(a, 1, batches, s.k * s.m * bytes);
  return select(some.data(), batches.count() * s.k, rows, bytes);
}

AlignedBytes MatmulPart::ofB(const void *b) const {
  int64_t bytes = whole.precision == Precision::BF16 ? 2 : 4;
  return select(b, 1, batches, whole.shape.k * whole.shape.n * bytes);
}

AlignedBytes MatmulPart::ofResult(const void *data) const {
  return selectTwice(data, batches, rows, whole.shape.n * resultBytes());
}

AlignedBytes MatmulPart::ofThird(const void *data) const {
  if (hasBias(whole.epilogue))
    return copyOf(data, whole.thirdVolume() * resultBytes());
  return ofResult(data);
}

AlignedBytes MatmulPart::ofSecond(const void *data) const {
  if (whole.epilogue == Epilogue::BiasGradOfA)
    return select(data, 1, rows, resultBytes());
  if (whole.epilogue == Epilogue::BiasGradOfB)
    return copyOf(data, whole.secondVolume() * resultBytes());
  return ofResult(data);
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

ConvPart ConvPart::of(const ConvCall &call, int64_t work) {
  ConvPart part;
  part.whole = part.call = call;
  ConvShape &shape = part.call.shape;
  int64_t all = call.shape.work();
  int64_t &extent = call.kind == ConvKind::WeightGrad ? shape.o : shape.n;
  // Of each, as many multiply-adds.
  int64_t each = std::max<int64_t>(1, extent ? all / extent : 1);
  part.chosen = spread(extent, work / each);
  extent = part.chosen.count();
  return part;
}

std::string ConvPart::text() const {
  if (isAll())
    return "";
  return parts(chosen, whole.kind != ConvKind::WeightGrad ? "samples"
                       : whole.shape.g > 1 ? "outputs of each group"
                                           : "outputs");
}

AlignedBytes ConvPart::samples(const void *data, int64_t volume) const {
  int64_t each = chosen.of ? volume / chosen.of : 0;
  return select(data, 1, chosen, each * bytes());
}

AlignedBytes ConvPart::ofA(const void *a) const {
  return whole.kind == ConvKind::WeightGrad
             ? copyOf(a, whole.volumeOf(0) * bytes())
             : samples(a, whole.volumeOf(0));
}

AlignedBytes ConvPart::ofB(const void *b) const {
  if (whole.kind != ConvKind::WeightGrad)
    return copyOf(b, whole.volumeOf(1) * bytes());
  // The gradient of the result: [N, G, O, positions] or [N, positions, G, O].
  const ConvShape &s = whole.shape;
  int64_t positions = s.oh * s.ow;
  return whole.channelsLast()
             ? select(b, s.n * positions * s.g, chosen, bytes())
             : select(b, s.n * s.g, chosen, positions * bytes());
}

AlignedBytes ConvPart::ofResult(const void *data) const {
  if (whole.kind != ConvKind::WeightGrad)
    return samples(data, whole.volumeOf(2));
  // [G, O, the rest] in both layouts.
  const ConvShape &s = whole.shape;
  return select(data, s.g, chosen, s.c * s.kh * s.kw * bytes());
}

AlignedBytes ConvPart::ofThird(const void *data) const {
  return hasBias(whole.epilogue) ? copyOf(data, whole.thirdVolume() * bytes())
                                 : samples(data, whole.thirdVolume());
}

//===----------------------------------------------------------------------===//
// Attention
//===----------------------------------------------------------------------===//

AttentionPart AttentionPart::of(const AttentionCall &call, int64_t work) {
  AttentionPart part;
  part.whole = part.call = call;
  int64_t each = call.heads * call.queries * call.keys *
                 (call.width + call.valueWidth) * (call.isBackward() ? 3 : 1);
  part.batches = spread(call.batch, work / std::max<int64_t>(1, each));
  part.call.batch = part.batches.count();
  return part;
}

std::string AttentionPart::text() const {
  return batches.isAll() ? "" : parts(batches, "batches");
}

AlignedBytes AttentionPart::of(AttentionTensor tensor, const void *data) const {
  // Batches are outermost in both layouts.
  AttentionCall one = whole;
  one.batch = 1;
  return select(data, 1, batches, one.volumeOf(tensor) * 2);
}

AlignedBytes AttentionPart::ofStatistics(const void *data) const {
  return select(data, 1, batches, whole.heads * whole.queries * 4);
}
