//===- HybridComparison.cpp - Recipes as hybrid plans ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridComparison.h.
//
//===----------------------------------------------------------------------===//

#include "HybridComparison.h"

#include "HybridReport.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <optional>

using namespace mlir::soap;
using llvm::StringRef;

/// Reads `tp=8,pp=4,sp`. An error names the option.
static std::string readOptions(StringRef options, ::soap::HybridShape &shape) {
  while (!options.empty()) {
    auto [option, rest] = options.split(',');
    options = rest;
    option = option.trim();
    auto [name, value] = option.split('=');
    int number = 0;
    bool isNumber = !value.getAsInteger(10, number) && number >= 0;
    if (option == "sp")
      shape.sequence = true;
    else if (name == "tp" && isNumber && number > 0)
      shape.tensor = number;
    else if (name == "pp" && isNumber && number > 0)
      shape.groups = number;
    else if (name == "cp" && isNumber && number > 0)
      shape.context = number;
    else if (name == "zero" && isNumber && number <= 1)
      shape.zero = number;
    else
      return "unknown option '" + option.str() +
             "', expected tp=N, pp=N, cp=N (numbers from 1 on), sp or zero=1";
  }
  return {};
}

std::optional<::soap::Expected<HybridRow>>
mlir::soap::priceRecipe(const std::string &text, ::soap::HybridModel &model,
                        const ::soap::Topology &topology) {
  auto fail = [&](const std::string &why) {
    return ::soap::Expected<HybridRow>(
        ::soap::Error{"recipe '" + text + "': " + why});
  };
  int devices = topology.deviceCount();
  ::soap::HybridShape shape;
  StringRef name = text;
  if (name == "zero" || name == "fsdp") {
    // Without weights that it gathers, ZeRO-3 is ZeRO-1.
    shape.zero = name == "fsdp" && model.gathersWeights() ? 3 : 1;
  } else if (name == "megatron" || name.starts_with("megatron(")) {
    shape.tensor = static_cast<int>(topology.machines().front().size());
    if (name.consume_front("megatron(")) {
      if (!name.consume_back(")"))
        return fail("expected options in parentheses");
      if (std::string why = readOptions(name, shape); !why.empty())
        return fail(why);
    }
  } else if (name != "data-parallel") {
    return std::nullopt;
  }
  int64_t together = int64_t(shape.unit()) * shape.groups;
  if (together > devices || devices % together != 0)
    return fail(
        "tensor " + std::to_string(shape.tensor) + " x " +
        (shape.context > 1 ? "context " + std::to_string(shape.context) + " x "
                           : "") +
        std::to_string(shape.groups) + " stages do not divide the " +
        std::to_string(devices) + " devices of '" + topology.name + "'");
  shape.data = static_cast<int>(devices / together);
  shape.sequence &= shape.tensor > 1;
  for (auto [places, zigzag] : model.contexts())
    if (places == shape.context)
      shape.zigzag = zigzag;
  if (shape.holders() == 1)
    shape.zero = 0;
  HybridRow row{text, {}, model.getMemoryBytes()};
  std::string why;
  constexpr int64_t maxSamples = 16; // longer microbatches do not gain
  for (; shape.samples <= maxSamples; shape.samples *= 2) {
    std::string reason = model.check(shape);
    if (!reason.empty()) {
      if (why.empty())
        why = std::move(reason);
      continue;
    }
    ::soap::HybridPlan plan = model.price(shape);
    if (plan.exists() &&
        (!row.plan.exists() || ::soap::isBetter(plan, row.plan)))
      row.plan = std::move(plan);
  }
  if (!row.plan.exists())
    return fail(why.empty() ? "there is no such plan of this model" : why);
  return ::soap::Expected<HybridRow>(std::move(row));
}

void mlir::soap::simulateRecipe(HybridRow &row, ::soap::HybridModel &model,
                                const ::soap::HybridSimulator &simulate) {
  // Whether all devices are simulated where replicas differ depends on the time
  // that is left. What a table says does not depend on the machine.
  constexpr double seconds = 10;
  auto always = [] { return seconds; };
  auto simulated = [&](::soap::HybridPlan plan) {
    if (auto figures = simulate(plan, always))
      useSimulation(plan, std::move(*figures), model.getMemoryBytes());
    return plan;
  };
  if (row.plan.excessBytes > 0)
    return;
  ::soap::HybridPlan plan = simulated(row.plan);
  if (plan.isSimulated() && plan.excessBytes > 0) {
    // By its price it fits: it needs a price of as much less.
    auto fitBytes =
        static_cast<int64_t>(static_cast<double>(model.getMemoryBytes()) *
                             static_cast<double>(plan.pricedBytes) /
                             static_cast<double>(plan.peakBytes));
    ::soap::HybridPlan other = model.price(plan.shape, nullptr, fitBytes);
    if (other.exists() && other.peakBytes <= fitBytes &&
        (other = simulated(std::move(other))).isSimulated() &&
        ::soap::isBetter(other, plan))
      plan = std::move(other);
  }
  row.plan = std::move(plan);
}

/// How many times as fast as the row a strategy is that takes `makespanNs`;
/// none: the row does not fit.
static std::optional<double> gainOver(const HybridRow &row,
                                      int64_t makespanNs) {
  if (row.plan.excessBytes > 0 || makespanNs == 0)
    return std::nullopt;
  return static_cast<double>(row.plan.makespanNs) /
         static_cast<double>(makespanNs);
}

void mlir::soap::printHybridRows(int64_t makespanNs,
                                 const std::vector<HybridRow> &rows,
                                 llvm::raw_ostream &stream) {
  constexpr double nsPerMs = 1e6, bytesPerGB = 1e9;
  size_t width = 0;
  for (const HybridRow &row : rows)
    width = std::max(width, row.name.size());
  stream << "  compared with recipes:\n";
  for (const HybridRow &row : rows) {
    const ::soap::HybridPlan &plan = row.plan;
    std::optional<double> gain = gainOver(row, makespanNs);
    stream << "    " << llvm::left_justify(row.name, width)
           << llvm::format("  %10.3f ms  gain ",
                           static_cast<double>(plan.makespanNs) / nsPerMs)
           << (gain ? llvm::formatv("{0,5:F2}", *gain).str() : "    -")
           << llvm::format("  %6.1f GB  bubble %4.1f %%  ",
                           static_cast<double>(plan.peakBytes) / bytesPerGB,
                           100 * plan.bubble)
           << ::soap::describe(plan);
    if (!plan.isSimulated())
      stream << " (priced, not simulated" << memoryCaveat(plan, row.memoryBytes)
             << ')';
    if (row.name == "fsdp" && plan.shape.zero == 1)
      stream << "; no weight is large enough for ZeRO-3";
    if (plan.excessBytes > 0)
      stream << llvm::format("; does not fit: %.1f GB more than a device has",
                             static_cast<double>(plan.excessBytes) /
                                 bytesPerGB);
    stream << '\n';
  }
}

void mlir::soap::printHybridRows(llvm::json::OStream &json, int64_t makespanNs,
                                 const std::vector<HybridRow> &rows) {
  json.attributeArray("compared_plans", [&] {
    for (const HybridRow &row : rows)
      json.object([&] {
        json.attribute("name", row.name);
        json.attribute("plan", ::soap::describe(row.plan));
        json.attribute("makespan_ns", row.plan.makespanNs);
        if (std::optional<double> gain = gainOver(row, makespanNs))
          json.attribute("gain", *gain);
        else
          json.attribute("gain", nullptr);
        json.attribute("peak_bytes", row.plan.peakBytes);
        json.attribute("excess_bytes", row.plan.excessBytes);
        json.attribute("fits",
                       row.plan.excessBytes == 0 &&
                           ::soap::maxBytes(row.plan) <= row.memoryBytes);
        json.attribute("bubble", row.plan.bubble);
        json.attribute("simulated", row.plan.isSimulated());
      });
  });
}
