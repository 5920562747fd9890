//===- RankTable.cpp - Programs of each rank and what they exchange -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RankTable.h.
//
//===----------------------------------------------------------------------===//

#include "RankTable.h"

#include "Soap/Analysis/ProgramTables.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::soap;

int64_t Rank::at(ArrayRef<int64_t> list, int64_t slot) {
  return slot >= 0 && slot < static_cast<int64_t>(list.size()) ? list[slot]
                                                               : -1;
}

namespace {

class Reader {
public:
  Reader(ModuleOp module) : module(module), symbols(module) {}

  FailureOr<RankTable> read(DictionaryAttr entry) {
    ::soap::Expected<DictionaryAttr> listed = listTasks(entry);
    if (!listed)
      return module.emitError("'")
             << SoapDialect::kPrograms << "': " << listed.error();
    entry = *listed;
    auto name = entry.getAs<StringAttr>("entry");
    auto tensors = entry.getAs<ArrayAttr>("tensors"),
         ranks = entry.getAs<ArrayAttr>("ranks");
    auto schedule = entry.getAs<DictionaryAttr>("schedule");
    if (!name || !tensors || !ranks || !schedule)
      return lacks("entry, tensors, ranks and schedule");
    table.entry = name;
    for (Attribute attribute : tensors)
      if (failed(readTensor(attribute)))
        return failure();
    if (auto operations = schedule.getAs<ArrayAttr>("operations"))
      for (Attribute attribute : operations) {
        auto row = dyn_cast<DictionaryAttr>(attribute);
        auto members =
            row ? row.getAs<DenseI32ArrayAttr>("members") : DenseI32ArrayAttr();
        if (!members)
          return lacks("members of a collective");
        table.collectives.push_back(
            {SmallVector<int32_t>(members.asArrayRef())});
      }
    for (Attribute attribute : ranks)
      if (failed(readRank(attribute)))
        return failure();
    return std::move(table);
  }

private:
  ModuleOp module;
  SymbolTable symbols;
  RankTable table;
  llvm::DenseMap<StringAttr, unsigned> numbers;

  LogicalResult lacks(StringRef what) {
    return module.emitError("'")
           << SoapDialect::kPrograms << "' has a table without proper " << what;
  }

  LogicalResult readTensor(Attribute attribute) {
    auto row = dyn_cast<DictionaryAttr>(attribute);
    auto name = row ? row.getAs<StringAttr>("name") : StringAttr();
    auto type = row ? row.getAs<TypeAttr>("type") : TypeAttr();
    auto ranked =
        type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
    if (!name || !ranked || !ranked.hasStaticShape())
      return lacks("name and type of a tensor");
    numbers[name] = static_cast<unsigned>(table.tensors.size());
    table.tensors.push_back(ranked);
    table.names.push_back(name);
    return success();
  }

  LogicalResult readTiles(DictionaryAttr rank, StringRef key,
                          SmallVectorImpl<RankTile> &tiles) {
    auto list = rank.getAs<ArrayAttr>(key);
    if (!list)
      return lacks(key);
    for (Attribute attribute : list) {
      auto row = dyn_cast<DictionaryAttr>(attribute);
      auto name = row ? row.getAs<StringAttr>("tensor") : StringAttr();
      auto region = row ? row.getAs<RegionAttr>("region") : RegionAttr();
      auto found = name ? numbers.find(name) : numbers.end();
      if (!region || found == numbers.end() ||
          region.getRegion().rank() !=
              static_cast<size_t>(table.tensors[found->second].getRank()))
        return lacks("tensor and region of a tile");
      auto updated = row.getAs<BoolAttr>("updated");
      tiles.push_back(
          {found->second, region.getRegion(), updated && updated.getValue()});
    }
    return success();
  }

  LogicalResult readRank(Attribute attribute) {
    auto row = dyn_cast<DictionaryAttr>(attribute);
    auto device = row ? row.getAs<IntegerAttr>("device") : IntegerAttr();
    auto program =
        row ? row.getAs<FlatSymbolRefAttr>("program") : FlatSymbolRefAttr();
    auto peers =
             row ? row.getAs<DenseI64ArrayAttr>("peers") : DenseI64ArrayAttr(),
         transfers = row ? row.getAs<DenseI64ArrayAttr>("transfers")
                         : DenseI64ArrayAttr();
    if (!device || !program || !peers || !transfers)
      return lacks("device, program, peers and transfers of a rank");
    Rank rank;
    rank.device = device.getInt();
    rank.program = symbols.lookup<func::FuncOp>(program.getValue());
    if (!rank.program || !rank.program->hasAttr(SoapDialect::kArenaBytes))
      return module.emitError("'")
             << SoapDialect::kPrograms << "' names '" << program.getValue()
             << "', expected a program after soap-plan-memory";
    rank.peers = peers.asArrayRef();
    rank.transfers = transfers.asArrayRef();
    if (auto list = row.getAs<DenseI64ArrayAttr>("collectives"))
      rank.collectives = list.asArrayRef();
    if (failed(readTiles(row, "args", rank.args)) ||
        failed(readTiles(row, "results", rank.results)))
      return failure();
    if (rank.program.getNumArguments() !=
        rank.args.size() + rank.results.size() + 1)
      return rank.program.emitError("program '")
             << rank.program.getName() << "' has "
             << rank.program.getNumArguments() << " buffers, expected "
             << rank.args.size() << " arguments, " << rank.results.size()
             << " results and an arena";
    table.ranks.push_back(std::move(rank));
    return success();
  }
};

} // namespace

FailureOr<RankTable> mlir::soap::readRankTable(ModuleOp module,
                                               DictionaryAttr entry) {
  return Reader(module).read(entry);
}
