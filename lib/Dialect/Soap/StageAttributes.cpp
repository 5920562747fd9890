//===- StageAttributes.cpp - The stages of a pipeline ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StageAttributes.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Dialect/Soap/StageAttributes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::soap;

::soap::Expected<std::vector<StageEntry>>
mlir::soap::readStages(Attribute attribute) {
  std::vector<StageEntry> stages;
  if (!attribute)
    return stages;
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list || list.empty())
    return ::soap::Error{"expected a list of stages, each a dictionary with a "
                         "string 'first' and an array of i32 'devices'"};
  std::map<int, size_t> stageOf; // by device: the first that has it
  for (Attribute entry : list) {
    std::string place = "stage " + std::to_string(stages.size()) + " ";
    auto table = dyn_cast<DictionaryAttr>(entry);
    auto first = table ? table.getAs<StringAttr>("first") : StringAttr();
    auto devices =
        table ? table.getAs<DenseI32ArrayAttr>("devices") : DenseI32ArrayAttr();
    if (!first || first.empty() || !devices || devices.empty() ||
        table.size() != 2)
      return ::soap::Error{place + "must be a dictionary with a string "
                                   "'first' and an array of i32 'devices'"};
    StageEntry &stage = stages.emplace_back();
    stage.first = first.str();
    stage.devices.assign(devices.asArrayRef().begin(),
                         devices.asArrayRef().end());
    std::set<int> own;
    for (int device : stage.devices) {
      if (device < 0)
        return ::soap::Error{place + "has device " + std::to_string(device) +
                             ", expected numbers of at least 0"};
      if (!own.insert(device).second)
        return ::soap::Error{place + "has device " + std::to_string(device) +
                             " twice"};
      auto [it, isNew] = stageOf.try_emplace(device, stages.size() - 1);
      if (!isNew && stages[it->second].devices != stage.devices)
        return ::soap::Error{place + "shares device " + std::to_string(device) +
                             " with stage " + std::to_string(it->second) +
                             ", expected the same devices or none in common"};
    }
  }
  return stages;
}

Attribute mlir::soap::makeStagesAttr(MLIRContext *context,
                                     const std::vector<StageEntry> &stages) {
  Builder builder(context);
  SmallVector<Attribute> entries;
  for (const StageEntry &stage : stages)
    entries.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("first", builder.getStringAttr(stage.first)),
         builder.getNamedAttr(
             "devices", builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                            stage.devices.begin(), stage.devices.end())))}));
  return builder.getArrayAttr(entries);
}
