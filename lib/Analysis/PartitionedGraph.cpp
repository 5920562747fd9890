//===- PartitionedGraph.cpp - Task graph of partitioned IR ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One task per place in the schedule; a send and its receive are one task, and
// so is all that one shard sends to one device.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/PartitionedGraph.h"

#include "ProductTypes.h"

#include "Soap/Analysis/ProgramTables.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/ShardPosition.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapQuantized.h"
#include "Soap/Dialect/Soap/SumAttribute.h"
#include "Soap/Simulator/Algorithm1Simulator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;

namespace {

int64_t bytesOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
}

/// A part of a tile; mirrors `soap::copyPart` on actions.
::soap::CopyPart partOf(Value tile, const ::soap::Region &source,
                        Type targetType, const ::soap::Region &target) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t width = (type.getElementTypeBitWidth() + 7) / 8;
  return {source.volume() * width,
          ::soap::contiguousRuns(
              source, type.getShape().vec(), target,
              cast<RankedTensorType>(targetType).getShape().vec()),
          bytesOf(type), bytesOf(targetType), isa<BlockArgument>(tile)};
}

/// A part that is sent as a packed tile.
::soap::CopyPart partOf(SendOp send) {
  ::soap::Region source = send.getSource().getRegion();
  std::vector<int64_t> shape = source.shape();
  return partOf(
      send.getTile(), source,
      RankedTensorType::get(
          shape,
          cast<RankedTensorType>(send.getTile().getType()).getElementType()),
      ::soap::Region::whole(shape));
}

/// Work of a local op; mirrors `soap::workOf` on actions.
::soap::Work workOfLocalOp(Operation *op) {
  ::soap::Work work;
  work.kind = op->getName().stripDialect().str();
  auto widthOf = [](Value value) {
    return (cast<RankedTensorType>(value.getType()).getElementTypeBitWidth() +
            7) /
           8;
  };
  work.elementBytes = op->getNumResults() ? widthOf(op->getResult(0)) : 4;
  // Sums of products may have more bits than their factors.
  if (isa<MatmulScaledOp>(op) ||
      (op->hasAttr(kSumType) && isa<MatmulOp, Conv2DWeightGradOp>(op)))
    work.elementBytes = widthOf(op->getOperand(0));
  for (Type type : op->getResultTypes())
    work.bytes += bytesOf(type);
  if (auto combine = dyn_cast<CombineOp>(op)) {
    work.flops =
        static_cast<double>(combine.getTiles().size()) *
        cast<RankedTensorType>(combine.getTile().getType()).getNumElements();
    work.bytes += static_cast<int64_t>(combine.getTiles().size()) *
                  bytesOf(combine.getTile().getType());
    return work;
  }
  if (isa<AssembleOp>(op)) {
    // Each element of the tile is read once and written once.
    work.bytes += bytesOf(op->getResult(0).getType());
    auto assemble = cast<AssembleOp>(op);
    for (auto [tile, source, target] :
         llvm::zip(assemble.getTiles(),
                   assemble.getSources().getAsRange<RegionAttr>(),
                   assemble.getTargets().getAsRange<RegionAttr>()))
      work.parts.push_back(partOf(tile, source.getRegion(),
                                  assemble.getTile().getType(),
                                  target.getRegion()));
    return work;
  }
  for (OpOperand *read : readOperands(op)) {
    Value operand = read->get();
    if (auto placed = operand.getDefiningOp<PlacedStepOp>())
      operand = placed.getStep();
    work.operandBytes += bytesOf(operand.getType());
  }
  work.bytes += work.operandBytes;
  if (auto space = dyn_cast<IterationSpaceOpInterface>(op)) {
    ::soap::IterationSpace loops = space.getIterationSpace();
    work.flops = loops.flopsPerPoint * pointsOf(loops, loops.wholeBox());
    work.shape =
        ::soap::shapeOf(work.kind, loops, loops.wholeBox(), work.bytes);
  }
  return work;
}

class Rebuilder {
public:
  Rebuilder(ModuleOp module, DictionaryAttr entry,
            const ::soap::Topology &topology)
      : module(module), entry(entry), topology(topology), workspace(topology),
        cost(topology) {}

  FailureOr<::soap::TaskGraph> run() {
    graph.resources = ::soap::makeResources(topology);
    auto schedule = entry.getAs<DictionaryAttr>("schedule");
    auto names = schedule.getAs<ArrayAttr>("names"),
         kinds = schedule.getAs<ArrayAttr>("kinds");
    ArrayRef<int64_t> keys =
        schedule.getAs<DenseI64ArrayAttr>("keys").asArrayRef();
    registerBytes = schedule.getAs<DenseI64ArrayAttr>("register_bytes");
    joins = schedule.getAs<DenseBoolArrayAttr>("joins");
    graph.tasks.resize(names.size());
    seen.assign(names.size(), 0);
    received.assign(names.size(), 0);
    transferNs.assign(names.size(), 0);
    packNs.assign(names.size(), 0);
    roles.assign(names.size(), ::soap::TaskRole::Movement);
    for (auto [i, task] : llvm::enumerate(graph.tasks)) {
      task.name = cast<StringAttr>(names[i]).str();
      task.kind = cast<StringAttr>(kinds[i]).str();
      std::copy_n(keys.begin() + i * task.key.size(), task.key.size(),
                  task.key.begin());
    }
    isCollective.assign(names.size(), false);
    if (auto collectives = schedule.getAs<ArrayAttr>("collectives"))
      for (Attribute attribute : collectives)
        if (failed(addCollective(cast<DictionaryAttr>(attribute))))
          return failure();
    ProductTypes products;
    for (Attribute rank : entry.getAs<ArrayAttr>("ranks"))
      if (auto program = module.lookupSymbol<func::FuncOp>(
              cast<DictionaryAttr>(rank).getAs<FlatSymbolRefAttr>("program")))
        products.add(program);
    precision = products.resolve(module);
    for (Attribute rank : entry.getAs<ArrayAttr>("ranks"))
      if (failed(addRank(cast<DictionaryAttr>(rank))))
        return failure();
    if (failed(addWaits(schedule.getAs<DenseI64ArrayAttr>("waits"))))
      return failure();
    for (auto [i, task] : llvm::enumerate(graph.tasks)) {
      if (isCollective[i]           ? seen[i] == 0
          : task.kind == "transfer" ? seen[i] == 0 || seen[i] != received[i]
                                    : seen[i] != 1 || received[i] != 0)
        return module.emitError("task '")
               << task.name << "' is run by " << seen[i] + received[i]
               << " ops, expected "
               << (task.kind == "transfer" ? "as many sends as recvs" : "one");
      if (!isCollective[i] && task.kind == "transfer")
        task.durationNs = transferNs[i] + packNs[i];
      std::sort(task.preds.begin(), task.preds.end());
      task.preds.erase(std::unique(task.preds.begin(), task.preds.end()),
                       task.preds.end());
    }
    ::soap::markDeferred(graph, roles);
    ::soap::simulateFull(graph);
    return std::move(graph);
  }

private:
  ModuleOp module;
  DictionaryAttr entry;
  const ::soap::Topology &topology;
  ::soap::CollectiveWorkspace workspace;
  ::soap::CostModel cost;
  ::soap::ProductPrecision precision = ::soap::ProductPrecision::F32;
  ::soap::TaskGraph graph;
  DenseI64ArrayAttr registerBytes; ///< by task; null: none
  DenseBoolArrayAttr joins;        ///< by task; null: none does
  std::vector<bool> isCollective;  ///< by task
  std::vector<int> seen, received; ///< ops per task, receives apart
  /// Of transfers: known on the receiver, and on the sender.
  std::vector<int64_t> transferNs, packNs;
  std::vector<::soap::TaskRole> roles;

  LogicalResult addCollective(DictionaryAttr attribute) {
    ::soap::PlanCollective collective;
    collective.task =
        static_cast<int>(attribute.getAs<IntegerAttr>("task").getInt());
    collective.bytes = attribute.getAs<IntegerAttr>("bytes").getInt();
    ArrayRef<int32_t> devices =
        attribute.getAs<DenseI32ArrayAttr>("devices").asArrayRef();
    collective.devices.assign(devices.begin(), devices.end());
    ArrayRef<int64_t> messages =
        attribute.getAs<DenseI64ArrayAttr>("messages").asArrayRef();
    for (size_t m = 0; m + 2 < messages.size(); m += 3)
      collective.messages.push_back({static_cast<int>(messages[m]),
                                     static_cast<int>(messages[m + 1]),
                                     messages[m + 2]});
    StringRef kind = attribute.getAs<StringAttr>("kind").getValue();
    for (int k = 0; k <= static_cast<int>(::soap::CollectiveKind::Exchange);
         ++k)
      if (kind ==
          ::soap::collectiveName(static_cast<::soap::CollectiveKind>(k)))
        collective.kind = static_cast<::soap::CollectiveKind>(k);
    if (collective.task < 0 ||
        collective.task >= static_cast<int>(graph.tasks.size()))
      return module.emitError("a collective names task ")
             << collective.task << ", which is not in the schedule";
    isCollective[collective.task] = true;
    ::soap::setCollective(graph.tasks[collective.task], collective, workspace);
    return success();
  }

  /// Pairs of tasks of which the second waits for the first without reading
  /// anything of it.
  LogicalResult addWaits(DenseI64ArrayAttr waits) {
    if (!waits)
      return success();
    auto count = static_cast<int64_t>(graph.tasks.size());
    ArrayRef<int64_t> places = waits.asArrayRef();
    for (size_t i = 0; i + 1 < places.size(); i += 2) {
      if (places[i] < 0 || places[i] >= places[i + 1] || places[i + 1] >= count)
        return module.emitError("task ")
               << places[i + 1] << " waits for task " << places[i]
               << ", expected two places of the schedule in order";
      graph.tasks[places[i + 1]].preds.push_back(static_cast<int>(places[i]));
    }
    return success();
  }

  LogicalResult addRank(DictionaryAttr rank) {
    int device = static_cast<int>(rank.getAs<IntegerAttr>("device").getInt());
    auto program = module.lookupSymbol<func::FuncOp>(
        rank.getAs<FlatSymbolRefAttr>("program"));
    if (!program)
      return module.emitError("rank table names no function: ")
             << rank.get("program");
    ArrayRef<int64_t> tasks =
        rank.getAs<DenseI64ArrayAttr>("tasks").asArrayRef();
    ArrayRef<int64_t> peers =
        rank.getAs<DenseI64ArrayAttr>("peers").asArrayRef();
    llvm::SmallDenseSet<Value> outputs, updated, inHost;
    auto isInHost = [&](unsigned argument) {
      return static_cast<bool>(program.getArgAttr(argument, kMemory));
    };
    for (BlockArgument argument : program.getArguments())
      if (isInHost(argument.getArgNumber()))
        inHost.insert(argument);
    for (OpOperand &operand :
         program.getBody().front().getTerminator()->getOpOperands()) {
      auto updates = program.getResultAttrOfType<IntegerAttr>(
          operand.getOperandNumber(), SoapDialect::kUpdates);
      (updates ? updated : outputs).insert(operand.get());
      if (updates && isInHost(static_cast<unsigned>(updates.getInt())))
        inHost.insert(operand.get());
    }
    int64_t last = -1;
    for (Operation &op : program.getBody().front().without_terminator()) {
      auto slot = op.getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
      // Of an op behind it, which is the task.
      if (!slot || makesPositions(&op))
        continue;
      int64_t id = tasks[slot.getInt()];
      // The messages of one task follow each other.
      if (id < last)
        return op.emitError("is out of schedule order on device ") << device;
      last = id;
      ::soap::Task &task = graph.tasks[id];
      ++(isa<RecvOp>(op) ? received : seen)[id];
      if (isCollective[id]) {
        addPreds(task, &op, tasks, id);
        continue;
      }
      int peer = static_cast<int>(peers[slot.getInt()]);
      if (auto send = dyn_cast<SendOp>(op)) {
        addPreds(task, send, tasks, id);
        task.sourceDevice = device;
        packNs[id] += cost.packNs(device, partOf(send));
      } else if (auto recv = dyn_cast<RecvOp>(op)) {
        task.device = device;
        task.sourceDevice = peer;
        task.bytes += bytesOf(recv.getTile().getType());
        transferNs[id] = cost.transferNs(peer, device, task.bytes);
        task.resources = ::soap::transferResources(topology, peer, device);
      } else {
        addPreds(task, &op, tasks, id);
        task.device = device;
        ::soap::Work work = workOfLocalOp(&op);
        work.precision = precision;
        if (!inHost.empty() && isa<IterationSpaceOpInterface>(op)) {
          SmallVector<Value> values(op.getOperands());
          llvm::append_range(values, op.getResults());
          for (Value value : values)
            if (inHost.contains(value))
              work.hostBytes += bytesOf(value.getType());
        }
        if (registerBytes && id < registerBytes.size())
          work.registerBytes =
              std::clamp<int64_t>(registerBytes[id], 0, work.bytes);
        work.joins = joins && id < joins.size() && joins[id];
        task.durationNs = cost.computeNs(device, work);
        task.resources = {device};
        auto updates = [&](Value result) {
          return updated.contains(result) && !outputs.contains(result);
        };
        if (!isa<FillOp, AssembleOp, CombineOp>(op))
          roles[id] = llvm::all_of(op.getResults(), updates)
                          ? ::soap::TaskRole::Update
                          : ::soap::TaskRole::Compute;
      }
    }
    return success();
  }

  void addPreds(::soap::Task &task, Operation *op, ArrayRef<int64_t> tasks,
                int64_t id) {
    for (OpOperand *read : readOperands(op)) {
      Value operand = read->get();
      if (Operation *maker = operand.getDefiningOp(); makesPositions(maker))
        operand = maker->getOperand(0);
      if (Operation *producer = operand.getDefiningOp())
        if (auto slot =
                producer->getAttrOfType<IntegerAttr>(SoapDialect::kSlot))
          if (int64_t pred = tasks[slot.getInt()]; pred != id)
            task.preds.push_back(static_cast<int>(pred));
    }
  }
};

} // namespace

FailureOr<::soap::TaskGraph>
mlir::soap::rebuildTaskGraph(ModuleOp module, DictionaryAttr entry,
                             const ::soap::Topology &topology) {
  ::soap::Expected<DictionaryAttr> listed = listTasks(entry);
  if (!listed)
    return module.emitError("'")
           << SoapDialect::kPrograms << "': " << listed.error();
  return Rebuilder(module, *listed, topology).run();
}

std::string mlir::soap::compareTaskGraphs(const ::soap::TaskGraph &expected,
                                          const ::soap::TaskGraph &actual) {
  if (expected.tasks.size() != actual.tasks.size())
    return "expected " + std::to_string(expected.tasks.size()) +
           " tasks, got " + std::to_string(actual.tasks.size());
  auto byKey = [](const ::soap::TaskGraph &graph) {
    std::vector<const ::soap::Task *> tasks;
    for (const ::soap::Task &task : graph.tasks)
      tasks.push_back(&task);
    std::sort(tasks.begin(), tasks.end(),
              [](auto *a, auto *b) { return a->key < b->key; });
    return tasks;
  };
  auto predKeys = [](const ::soap::TaskGraph &graph, const ::soap::Task &task) {
    std::vector<::soap::TaskKey> keys;
    for (int pred : task.preds)
      keys.push_back(graph.tasks[pred].key);
    std::sort(keys.begin(), keys.end());
    return keys;
  };
  std::vector<const ::soap::Task *> a = byKey(expected), b = byKey(actual);
  for (size_t i = 0; i < a.size(); ++i) {
    std::string place = "task '" + a[i]->name + "': ";
    if (a[i]->key != b[i]->key || a[i]->name != b[i]->name)
      return place + "got '" + b[i]->name + "'";
    auto differs = [&](const char *what, auto x, auto y) {
      return x == y ? std::string()
                    : place + what + ": expected " + std::to_string(x) +
                          ", got " + std::to_string(y);
    };
    for (std::string text :
         {differs("device", a[i]->device, b[i]->device),
          differs("source device", a[i]->sourceDevice, b[i]->sourceDevice),
          differs("bytes", a[i]->bytes, b[i]->bytes),
          differs("duration", a[i]->durationNs, b[i]->durationNs)})
      if (!text.empty())
        return text;
    if (a[i]->kind != b[i]->kind)
      return place + "kind: expected " + a[i]->kind + ", got " + b[i]->kind;
    if (a[i]->resources != b[i]->resources)
      return place + "resources differ";
    if (predKeys(expected, *a[i]) != predKeys(actual, *b[i]))
      return place + "predecessors differ";
    if (a[i]->readyNs != b[i]->readyNs || a[i]->startNs != b[i]->startNs ||
        a[i]->endNs != b[i]->endNs)
      return place + "times differ";
  }
  return "";
}
