//===- KernelClass.cpp - Kernels that are alike ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is written down as bytes, lengths first, so that different kernels
// are different strings.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/KernelClass.h"

#include <bit>
#include <cassert>

using namespace soap;

namespace {

class KeyWriter {
public:
  std::string key;

  void add(int64_t number) {
    key.append(reinterpret_cast<const char *>(&number), sizeof(number));
  }
  void add(const std::string &text) {
    add(static_cast<int64_t>(text.size()));
    key += text;
  }
  void add(const AccessMap &map) {
    add(static_cast<int64_t>(map.size()));
    for (const DimMap &dim : map) {
      for (int64_t number :
           {static_cast<int64_t>(dim.kind), dim.offset, dim.divisor, dim.clip,
            dim.scale, dim.extraLow, dim.extraHigh,
            static_cast<int64_t>(dim.terms.size())})
        add(number);
      for (const Term &term : dim.terms) {
        add(int64_t(term.loop));
        add(term.coefficient);
      }
    }
  }
  void add(const GraphValue &value, bool inRegister) {
    add(value.elementBytes);
    add(int64_t(inRegister) | int64_t(value.inHost) << 1);
    add(static_cast<int64_t>(value.shape.size()));
    for (int64_t extent : value.shape)
      add(extent);
  }
};

} // namespace

std::string KernelClasses::keyOf(const Kernel &kernel) const {
  const IterationSpace &space = kernel.space;
  KeyWriter writer;
  assert((kernel.wholeLoops.empty() ||
          kernel.wholeLoops.size() == space.loops.size()) &&
         "a loop of the whole op for each of the stage");
  writer.add(kernel.kind);
  writer.add(int64_t(space.allowsEmptyOperands));
  writer.add(int64_t(withRegisters && kernel.registers.joins));
  writer.add(int64_t(withRegisters && kernel.registers.ofProducts));
  writer.add(std::bit_cast<int64_t>(space.flopsPerPoint));
  writer.add(int64_t(space.band.has_value()));
  if (const std::optional<Band> &band = space.band)
    for (int64_t number :
         {int64_t(band->rows), int64_t(band->columns), band->low, band->high,
          std::bit_cast<int64_t>(band->share)})
      writer.add(number);
  writer.add(static_cast<int64_t>(space.loops.size()));
  for (size_t l = 0; l < space.loops.size(); ++l) {
    const Loop &loop = space.loops[l];
    writer.add(loop.name);
    writer.add(loop.extent);
    writer.add(static_cast<int64_t>(loop.type));
    writer.add(int64_t(loop.stage));
    // Whether a stage's loop is one of the whole op, which may be split.
    writer.add(int64_t(kernel.wholeLoops.empty() || kernel.wholeLoops[l] >= 0));
  }
  auto addValues = [&](const std::vector<int> &values,
                       const std::vector<uint8_t> &inRegisters, auto mapOf) {
    writer.add(static_cast<int64_t>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) {
      writer.add(graph.values[values[i]],
                 withRegisters && i < inRegisters.size() && inRegisters[i]);
      writer.add(mapOf(i));
    }
  };
  addValues(
      kernel.operands, kernel.registers.operands,
      [&](size_t i) -> const AccessMap & { return space.operands[i].map; });
  addValues(
      kernel.results, kernel.registers.results,
      [&](size_t r) -> const AccessMap & { return space.results[r].map; });
  return std::move(writer.key);
}

int KernelClasses::of(const Kernel &kernel) {
  auto [it, isNew] = known.try_emplace(&kernel);
  if (isNew)
    it->second = byKey.try_emplace(keyOf(kernel), count()).first->second;
  return it->second;
}
