//===- CheckProducts.cpp - Compares products with the host ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The products of CheckingDevice.h: matmul, convolutions, attention. How far
// they may be off follows from the precision and the length of the sums; of
// large ones the host computes a part (ProductParts.h).
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/CallNames.h"
#include "Runtime/Execution/CheckingDevice.h"
#include "Runtime/Execution/ProductParts.h"

#include <algorithm>
#include <cmath>

using namespace soap;
using namespace soap::runtime;

namespace {

/// The error of a sum of so many terms in f32, relative to a sum of as many
/// random terms of their size: of rounding in another order, where one of both
/// adds them one by one, and of algorithms that transform operands (Winograd).
double toleranceOfSum(double terms) {
  return 0x1p-24 * (256 + 4 * std::sqrt(terms));
}

/// Operands of tf32 may be rounded or cut off after 10 bits of fraction; in
/// tensor cores sums are aligned to their largest term. A result of bf16 may be
/// rounded the other way, and with an epilogue twice.
double toleranceOf(Precision precision, bool isNarrow, bool hasEpilogue,
                   double terms) {
  double tolerance = toleranceOfSum(terms);
  if (precision == Precision::TF32)
    tolerance += 0x1p-8;
  if (precision == Precision::BF16)
    tolerance += 0x1p-10;
  if (isNarrow)
    tolerance += hasEpilogue ? 0x1p-6 : 0x1p-7;
  return tolerance;
}

ElementType typeOf(bool isNarrow) {
  return isNarrow ? ElementType::BF16 : ElementType::F32;
}

/// The size of a sum of so many products of random signs.
double sizeOfSum(ElementType type, const AlignedBytes &a, const AlignedBytes &b,
                 double terms) {
  int64_t bytes = sizeOf(type);
  return rootMeanSquare(type, a.data(), a.size() / bytes) *
         rootMeanSquare(type, b.data(), b.size() / bytes) * std::sqrt(terms);
}

} // namespace

MaybeError CheckingDevice::matmul(const MatmulCall &matmul,
                                  const MatmulBuffers &buffers,
                                  int64_t stream) {
  auto run = [&] { return real.matmul(matmul, buffers, stream); };
  return check(nameOf(matmul), stream, run, [&](Call &call) -> MaybeError {
    const MatmulShape &s = matmul.shape;
    bool isNarrow = matmul.narrowResult;
    ElementType in = typeOf(matmul.precision == Precision::BF16),
                out = typeOf(isNarrow);
    Operands operands = {{"a", buffers.a, in, s.batch * s.m * s.k},
                         {"b", buffers.b, in, s.batch * s.k * s.n}};
    if (buffers.third)
      operands.push_back({"third", buffers.third, out, matmul.thirdVolume()});
    auto copies =
        runProduct(call, operands,
                   {{buffers.y, matmul.resultVolume() * sizeOf(out)},
                    {buffers.second, matmul.secondVolume() * sizeOf(out)}});
    if (!copies)
      return copies.takeError();
    if (!*copies)
      return std::nullopt;

    MatmulPart part = MatmulPart::of(matmul, checks.limits().work);
    call.found.part = part.text();
    AlignedBytes a = part.ofA((*copies)->of(buffers.a)),
                 b = part.ofB((*copies)->of(buffers.b)), third;
    if (buffers.third)
      third = part.ofThird((*copies)->of(buffers.third));
    AlignedBytes y(part.call.resultVolume() * sizeOf(out)),
        second(part.call.secondVolume() * sizeOf(out));
    runHostReference(
        part.call,
        {a.data(), b.data(), buffers.third ? third.data() : nullptr, y.data(),
         buffers.second ? second.data() : nullptr, nullptr},
        [&](const MatmulShape &shape, const float *x, const float *w,
            float *result) { context.kernels->matmul(shape, x, w, result); });
    context.progress.fetch_add(1, std::memory_order_relaxed);

    auto terms = double(s.k);
    double scale = sizeOfSum(in, a, b, terms);
    double relative = toleranceOf(matmul.precision, isNarrow,
                                  matmul.epilogue != Epilogue::None, terms);
    auto ours = fetch(buffers.y, matmul.resultVolume() * sizeOf(out), stream);
    if (!ours)
      return ours.takeError();
    AlignedBytes some = part.ofResult(ours->data());
    noteResult(call,
               {"y", out, part.call.resultVolume(), some.data(), y.data(),
                scale, relative, 0},
               *ours);
    if (!buffers.second)
      return std::nullopt;
    ours = fetch(buffers.second, matmul.secondVolume() * sizeOf(out), stream);
    if (!ours)
      return ours.takeError();
    some = part.ofSecond(ours->data());
    // The sum of an operand has terms of that operand's size.
    if (isBiasGrad(matmul.epilogue)) {
      const AlignedBytes &summed =
          matmul.epilogue == Epilogue::BiasGradOfA ? a : b;
      scale = rootMeanSquare(in, summed.data(), summed.size() / sizeOf(in)) *
              std::sqrt(terms);
    }
    noteResult(call,
               {"second", out, part.call.secondVolume(), some.data(),
                second.data(), scale, relative, 0},
               *ours);
    return std::nullopt;
  });
}

MaybeError CheckingDevice::conv(const ConvCall &conv,
                                const ConvBuffers &buffers, int64_t stream) {
  auto run = [&] { return real.conv(conv, buffers, stream); };
  return check(nameOf(conv), stream, run, [&](Call &call) -> MaybeError {
    const ConvShape &s = conv.shape;
    bool isNarrow = conv.precision == Precision::BF16;
    ElementType type = typeOf(isNarrow);
    Operands operands = {{"a", buffers.a, type, conv.volumeOf(0)},
                         {"b", buffers.b, type, conv.volumeOf(1)}};
    if (buffers.third)
      operands.push_back({"third", buffers.third, type, conv.thirdVolume()});
    auto copies = runProduct(
        call, operands, {{buffers.result, conv.volumeOf(2) * sizeOf(type)}});
    if (!copies)
      return copies.takeError();
    if (!*copies)
      return std::nullopt;

    ConvPart part = ConvPart::of(conv, checks.limits().work);
    call.found.part = part.text();
    AlignedBytes a = part.ofA((*copies)->of(buffers.a)),
                 b = part.ofB((*copies)->of(buffers.b)), third;
    if (buffers.third)
      third = part.ofThird((*copies)->of(buffers.third));
    AlignedBytes result(part.call.volumeOf(2) * sizeOf(type));
    runHostReference(part.call,
                     {a.data(), b.data(), result.data(), nullptr,
                      buffers.third ? third.data() : nullptr},
                     [&](ConvKind kind, const ConvShape &shape, const float *x,
                         const float *w, float *to) {
                       context.kernels->conv(kind, shape, x, w, to);
                     });
    context.progress.fetch_add(1, std::memory_order_relaxed);

    int64_t taps = s.kh * s.kw;
    auto terms = double(conv.kind == ConvKind::Forward     ? s.c * taps
                        : conv.kind == ConvKind::InputGrad ? s.o * taps
                                                           : s.n * s.oh * s.ow);
    auto ours = fetch(buffers.result, conv.volumeOf(2) * sizeOf(type), stream);
    if (!ours)
      return ours.takeError();
    AlignedBytes some = part.ofResult(ours->data());
    const char *names[] = {"y", "dx", "dw"};
    noteResult(call,
               {names[int(conv.kind)], type, part.call.volumeOf(2), some.data(),
                result.data(), sizeOfSum(type, a, b, terms),
                toleranceOf(conv.precision, isNarrow,
                            conv.epilogue != Epilogue::None, terms),
                0},
               *ours);
    return std::nullopt;
  });
}

MaybeError CheckingDevice::attention(const AttentionCall &attention,
                                     const AttentionBuffers &buffers,
                                     int64_t stream) {
  using enum AttentionTensor;
  auto run = [&] { return real.attention(attention, buffers, stream); };
  return check(nameOf(attention), stream, run, [&](Call &call) -> MaybeError {
    struct Named {
      AttentionTensor tensor;
      const char *name;
      bool isResult;
    };
    bool isBackward = attention.isBackward();
    std::vector<Named> tensors = {{Q, "q", false},
                                  {K, "k", false},
                                  {V, "v", false},
                                  {O, "o", !isBackward}};
    if (isBackward)
      tensors.insert(tensors.end(), {{DO, "do", false},
                                     {DQ, "dq", true},
                                     {DK, "dk", true},
                                     {DV, "dv", true}});
    Operands operands;
    std::vector<Result> results;
    for (const Named &named : tensors) {
      int64_t volume = attention.volumeOf(named.tensor);
      if (named.isResult)
        results.push_back({buffers[named.tensor], volume * 2});
      else
        operands.push_back(
            {named.name, buffers[named.tensor], ElementType::BF16, volume});
    }
    if (isBackward)
      operands.push_back({"statistics", buffers.statistics, ElementType::F32,
                          attention.statisticsVolume()});
    auto copies = runProduct(call, operands, results);
    if (!copies)
      return copies.takeError();
    if (!*copies)
      return std::nullopt;

    AttentionPart part = AttentionPart::of(attention, checks.limits().work);
    call.found.part = part.text();
    std::vector<AlignedBytes> held;
    AttentionBuffers list;
    for (const Named &named : tensors) {
      held.push_back(
          named.isResult
              ? AlignedBytes(part.call.volumeOf(named.tensor) * 2)
              : part.of(named.tensor, (*copies)->of(buffers[named.tensor])));
      list[named.tensor] = held.back().data();
    }
    AlignedBytes statistics =
        isBackward ? part.ofStatistics((*copies)->of(buffers.statistics))
                   : AlignedBytes(part.call.statisticsVolume() * 4);
    list.statistics = reinterpret_cast<float *>(statistics.data());
    runHostReference(
        part.call, list,
        [&](const MatmulShape &shape, const float *a, const float *b,
            float *y) { context.kernels->matmul(shape, a, b, y); });
    context.progress.fetch_add(1, std::memory_order_relaxed);

    // Shares are rounded to bf16 before they are summed, in the gradients
    // twice, where sums over keys cancel.
    for (const Named &named : tensors) {
      if (!named.isResult)
        continue;
      auto ours = fetch(buffers[named.tensor],
                        attention.volumeOf(named.tensor) * 2, stream);
      if (!ours)
        return ours.takeError();
      AlignedBytes some = part.of(named.tensor, ours->data());
      noteResult(call,
                 {named.name, ElementType::BF16,
                  part.call.volumeOf(named.tensor), some.data(),
                  list[named.tensor], 0, isBackward ? 0x1p-5 : 0x1p-6, 0},
                 *ours);
    }
    if (attention.kind != AttentionKind::Training)
      return std::nullopt;
    auto ours =
        fetch(buffers.statistics, attention.statisticsVolume() * 4, stream);
    if (!ours)
      return ours.takeError();
    AlignedBytes some = part.ofStatistics(ours->data());
    // Logarithms of sums, whose terms have been rounded as much.
    noteResult(call,
               {"statistics", ElementType::F32, part.call.statisticsVolume(),
                some.data(), statistics.data(), 1, 0x1p-10, 0},
               *ours);
    return std::nullopt;
  });
}
