//===- SlotNames.cpp - Which ops of the model a slot computes -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SlotNames.h.
//
//===----------------------------------------------------------------------===//

#include "SlotNames.h"

#include "Soap/Analysis/ProgramTables.h"
#include "Soap/Dialect/Soap/SoapOps.h"

using namespace mlir;
using namespace mlir::soap;

SlotNames::SlotNames(ModuleOp module) {
  auto entries = module->getAttrOfType<ArrayAttr>(SoapDialect::kPrograms);
  if (!entries)
    return;
  for (auto written : entries.getAsRange<DictionaryAttr>()) {
    // A table that can not be read is diagnosed where the manifest is written.
    ::soap::Expected<DictionaryAttr> listed = listTasks(written);
    if (!listed)
      continue;
    DictionaryAttr entry = *listed;
    auto symbol = entry.getAs<StringAttr>("entry");
    StringRef of = symbol ? symbol.getValue() : StringRef();
    auto schedule = entry.getAs<DictionaryAttr>("schedule");
    auto tasksNamed = schedule ? schedule.getAs<ArrayAttr>("names") : nullptr;
    auto ranks = entry.getAs<ArrayAttr>("ranks");
    if (!tasksNamed || !ranks)
      continue;
    for (auto rank : ranks.getAsRange<DictionaryAttr>()) {
      auto program = rank.getAs<FlatSymbolRefAttr>("program");
      auto tasks = rank.getAs<DenseI64ArrayAttr>("tasks");
      if (!program || !tasks)
        continue;
      for (auto [slot, task] : llvm::enumerate(tasks.asArrayRef())) {
        auto name = task >= 0 && task < static_cast<int64_t>(tasksNamed.size())
                        ? dyn_cast<StringAttr>(tasksNamed[task])
                        : nullptr;
        // "conv1[2]" is shard 2 of conv1.
        if (name)
          names[{program.getValue(), static_cast<int64_t>(slot)}].insert(
              texts.insert((of + "/" + name.getValue().rsplit('[').first).str())
                  .first->getKey());
      }
    }
  }
}

std::set<StringRef> SlotNames::of(func::FuncOp program, Operation *op) const {
  auto slot = op->getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
  if (!slot)
    return {};
  auto found = names.find({program.getName(), slot.getInt()});
  return found == names.end() ? std::set<StringRef>() : found->second;
}
