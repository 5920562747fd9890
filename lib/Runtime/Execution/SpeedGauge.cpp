//===- SpeedGauge.cpp - How fast the cores are right now ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SpeedGauge.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/SpeedGauge.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <numeric>

using namespace soap::runtime;

int64_t soap::runtime::gaugeSpeed() {
  using Clock = std::chrono::steady_clock;
  constexpr int rounds = 25'000;
  uint64_t a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0;
  auto begin = Clock::now();
  for (int round = 0; round < rounds; ++round) {
    ++a, ++b, ++c, ++d, ++e, ++f, ++g, ++h;
    // Every addition is wanted, in a register.
    asm volatile(""
                 : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f),
                   "+r"(g), "+r"(h));
  }
  auto end = Clock::now();
  return std::max<int64_t>(
      1, std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin)
             .count());
}

std::vector<size_t>
soap::runtime::fullSpeedIterations(const std::vector<int64_t> &gauges,
                                   int64_t best) {
  std::vector<size_t> result;
  for (int64_t gauge : gauges)
    best = best ? std::min(best, gauge) : gauge;
  for (size_t i = 0; i + 1 < gauges.size(); ++i)
    if (isFullSpeed(std::max(gauges[i], gauges[i + 1]), best))
      result.push_back(i);
  return result;
}

static void sortByLength(std::vector<size_t> &iterations,
                         const std::vector<int64_t> &lengths) {
  std::stable_sort(iterations.begin(), iterations.end(),
                   [&](size_t a, size_t b) { return lengths[a] < lengths[b]; });
}

std::vector<size_t> soap::runtime::steadyIterations(
    const std::vector<int64_t> &gauges, int64_t best,
    const std::vector<int64_t> &lengths, size_t minimum) {
  assert((gauges.empty() || gauges.size() == lengths.size() + 1) &&
         "one more of them than of iterations");
  std::vector<size_t> steady = fullSpeedIterations(gauges, best);
  if (steady.size() >= minimum)
    return steady;
  steady.resize(lengths.size());
  std::iota(steady.begin(), steady.end(), size_t(0));
  sortByLength(steady, lengths);
  steady.resize(std::min(steady.size(), minimum));
  return steady;
}

std::vector<size_t>
soap::runtime::typicalIterations(std::vector<size_t> iterations,
                                 const std::vector<int64_t> &lengths) {
  assert(std::ranges::all_of(iterations,
                             [&](size_t i) { return i < lengths.size(); }) &&
         "no such iteration");
  sortByLength(iterations, lengths);
  auto quarter = static_cast<ptrdiff_t>(iterations.size() / 4);
  return {iterations.begin() + quarter, iterations.end() - quarter};
}
