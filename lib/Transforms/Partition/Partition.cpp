//===- Partition.cpp - From configs to device programs --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: prices every function, builds the program of every device, shares
// equal programs, writes the rank table.
//
//===----------------------------------------------------------------------===//

#include "Soap/Transforms/Partition.h"

#include "Cost/ProfileRecord.h"
#include "DeviceProgram.h"
#include "Soap/Analysis/ProgramTables.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/IndexBounds.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/ShardPosition.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Search/Problem/PricedStrategy.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Transforms/Passes.h"
#include "Transforms/Support/ProgramCheck.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPARTITION
#include "Soap/Plan/ActionCost.h"
#include "Soap/Transforms/Passes.h.inc"

#include <cassert>
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

static bool isWide(const ::soap::GraphValue &value, Type floats) {
  return value.elementBytes == 4 && floats &&
         floats.getIntOrFloatBitWidth() < 32;
}

/// By value; those between stages have the element type of their op's results,
/// or are statistics of narrow floats, in f32.
static std::vector<Type> elementTypesOf(const OpGraph &opGraph) {
  std::vector<Type> types(opGraph.graph.values.size());
  for (const auto &[ssa, id] : opGraph.valueIds)
    types[id] = cast<RankedTensorType>(ssa.getType()).getElementType();
  for (auto [op, node] : llvm::zip(opGraph.ops, opGraph.graph.nodes)) {
    Type floats;
    for (Type type : op->getResultTypes())
      if (Type element = cast<RankedTensorType>(type).getElementType();
          !floats && isa<FloatType>(element))
        floats = element;
    for (const ::soap::Kernel &stage : node.stages)
      for (int value : stage.results)
        if (!types[value])
          types[value] = isWide(opGraph.graph.values[value], floats)
                             ? Type(Float32Type::get(op->getContext()))
                             : floats;
  }
  for (const ::soap::Restore &restore : opGraph.graph.restores)
    types[restore.value] = types[restore.of];
  return types;
}

FailureOr<PricedFunction>
mlir::soap::priceFunction(func::FuncOp function,
                          const ::soap::Topology &topology) {
  FailureOr<PlacedFunction> placed = readPlacedFunction(function, topology);
  if (failed(placed))
    return failure();
  PricedFunction priced{
      std::move(placed->opGraph), std::move(placed->strategy), {}, {}};
  std::optional<::soap::PassOrder> &passes = placed->passes;
  std::function<bool(int)> mayAdd =
      [types = elementTypesOf(priced.opGraph)](int value) {
        return types[value] && (types[value].isF32() || types[value].isF64() ||
                                types[value].isF16() || types[value].isBF16());
      };
  ::soap::Plan plan;
  if (passes) {
    ::soap::Expected<::soap::Plan> made = ::soap::buildPipelinePlan(
        priced.opGraph.graph, priced.strategy, *passes, topology, &mayAdd);
    if (!made)
      return function.emitError("'@")
             << function.getName() << "': '" << SoapDialect::kPipeline
             << "': " << made.error();
    plan = std::move(*made);
    priced.strategy = ::soap::cutIntoMicrobatches(priced.strategy, *passes);
  } else {
    plan = ::soap::buildProgramPlan(priced.opGraph.graph, priced.strategy,
                                    topology, mayAdd);
  }
  ::soap::PricedStrategy price =
      ::soap::pricePlan(priced.opGraph.graph, std::move(plan),
                        ::soap::CostModel(topology), /*names=*/true);
  priced.plan = std::move(price.plan);
  priced.tasks = std::move(price.tasks);
  return priced;
}

namespace {

/// Ops to localize, by (node, stage). Stage ops are created next to the ops
/// that they replace.
KernelOps collectKernelOps(const PricedFunction &priced) {
  KernelOps ops;
  for (auto [n, op] : llvm::enumerate(priced.opGraph.ops)) {
    const ::soap::GraphNode &node = priced.opGraph.graph.nodes[n];
    int index = static_cast<int>(n);
    if (!::soap::usesStages(node, priced.strategy[n])) {
      ops[{index, -1}] = op;
      continue;
    }
    OpBuilder builder(op);
    Operation *before = op->getPrevNode();
    (void)cast<IterationSpaceOpInterface>(op).decomposeStages(builder);
    Operation *stage =
        before ? before->getNextNode() : &op->getBlock()->front();
    for (int s = 0; stage != op; stage = stage->getNextNode())
      if (isa<IterationSpaceOpInterface>(stage))
        ops[{index, s++}] = stage;
  }
  return ops;
}

/// Which tiles of the interface are on which device.
void spreadInterface(const ::soap::Plan &plan, ProgramSchedule &schedule,
                     int deviceCount) {
  for (auto *tiles : {&schedule.inputs, &schedule.outputs, &schedule.updates})
    tiles->resize(deviceCount);
  auto spread = [&](size_t entry, const std::vector<int> &buffers,
                    std::vector<std::vector<InterfaceTile>> &tiles) {
    for (auto [place, buffer] : llvm::enumerate(buffers))
      tiles[plan.buffers[buffer].device].push_back({entry, place, buffer});
  };
  for (auto [i, buffers] : llvm::enumerate(plan.inputs))
    spread(i, buffers, schedule.inputs);
  for (auto [o, output] : llvm::enumerate(plan.outputs))
    spread(o, output.buffers, schedule.outputs);
  for (auto [i, buffers] : llvm::enumerate(plan.updates))
    spread(i, buffers, schedule.updates);
}

ProgramSchedule makeSchedule(const PricedFunction &priced, ArrayRef<int> order,
                             int deviceCount) {
  ProgramSchedule schedule;
  schedule.byDevice.resize(deviceCount);
  spreadInterface(priced.plan, schedule, deviceCount);
  schedule.elementTypes = elementTypesOf(priced.opGraph);
  schedule.isSplat.resize(priced.opGraph.graph.values.size());
  for (const auto &[value, id] : priced.opGraph.valueIds)
    if (auto constant = value.getDefiningOp<ConstantOp>())
      schedule.isSplat[id] = isa<SplatElementsAttr>(constant.getValue());
  assert(priced.plan.taskStart.size() == order.size() + 1 && "each task once");
  const ::soap::Plan &plan = priced.plan;
  schedule.collectiveOfTask.assign(order.size(), -1);
  int64_t steps = 0;
  for (auto [number, collective] : llvm::enumerate(plan.collectives)) {
    schedule.groups.push_back(::soap::collectiveGroup(plan, collective));
    schedule.steps.emplace_back();
    schedule.firstStep.push_back(steps);
    if (!schedule.groups.back())
      continue;
    schedule.collectiveOfTask[collective.task] = static_cast<int>(number);
    schedule.steps.back() =
        ::soap::stepsOf(*schedule.groups.back(),
                        plan.actions[plan.taskStart[collective.task]].combiner);
    steps += static_cast<int64_t>(schedule.steps.back().size());
  }
  for (auto [place, task] : llvm::enumerate(order)) {
    if (int number = schedule.collectiveOfTask[task]; number >= 0) {
      // The op of each member stands for all actions.
      for (int device : schedule.groups[number]->members)
        schedule.byDevice[device].emplace_back(place, plan.taskStart[task]);
      continue;
    }
    for (int id = plan.taskStart[task]; id < plan.taskStart[task + 1]; ++id) {
      const ::soap::Action &action = plan.actions[id];
      schedule.byDevice[action.device].emplace_back(place, id);
      if (action.kind == ::soap::ActionKind::Transfer)
        schedule.byDevice[action.sourceDevice].emplace_back(place, id);
    }
  }
  int64_t transfers = 0;
  for (const ::soap::Action &action : priced.plan.actions)
    schedule.transferNumbers.push_back(
        action.kind == ::soap::ActionKind::Transfer ? transfers++ : -1);
  assert(schedule.groups.size() == schedule.firstStep.size() &&
         "a first step a group");
  return schedule;
}

/// Whether two programs do the same: they may be one function.
bool areEqual(func::FuncOp a, func::FuncOp b) {
  return a.getFunctionType() == b.getFunctionType() &&
         a.getArgAttrsAttr() == b.getArgAttrsAttr() &&
         a.getResAttrsAttr() == b.getResAttrsAttr() &&
         OperationEquivalence::isRegionEquivalentTo(
             &a.getBody(), &b.getBody(), OperationEquivalence::IgnoreLocations);
}

DictionaryAttr dictionary(Builder &builder,
                          ArrayRef<std::pair<StringRef, Attribute>> entries) {
  SmallVector<NamedAttribute> named;
  for (const auto &[key, value] : entries)
    named.push_back(builder.getNamedAttr(key, value));
  return builder.getDictionaryAttr(named);
}

ArrayAttr tileTable(Builder &builder, ArrayRef<TileRecord> tiles) {
  SmallVector<Attribute> rows;
  for (const TileRecord &tile : tiles)
    rows.push_back(dictionary(
        builder,
        {{"tensor", builder.getStringAttr(tile.tensor)},
         {"region", RegionAttr::get(builder.getContext(), tile.region)},
         {"updated", builder.getBoolAttr(tile.updated)}}));
  return builder.getArrayAttr(rows);
}

/// The work of a task on one device; none of communication.
std::optional<::soap::Work> workOfTask(const PricedFunction &priced, int task) {
  const ::soap::Action &action =
      priced.plan.actions[priced.plan.taskStart[task]];
  if (action.kind == ::soap::ActionKind::Transfer ||
      action.kind == ::soap::ActionKind::Collective)
    return std::nullopt;
  return ::soap::workOf(priced.opGraph.graph, priced.plan, action);
}

/// The global order: simulated start and end, name, kind, key and shape of
/// every task, and what it shares with the kernel that it is generated into
/// (Model/Fusion.h), which programs do not say.
DictionaryAttr scheduleTable(Builder &builder, const PricedFunction &priced,
                             const ::soap::Topology &topology,
                             const ProgramSchedule &schedule,
                             ArrayRef<int> order) {
  SmallVector<Attribute> names, kinds;
  llvm::MapVector<Attribute, int64_t> shapes; ///< with their numbers
  SmallVector<int64_t> starts, ends, keys, shapeOf, registerBytes;
  SmallVector<bool> joins;
  for (int id : order) {
    const ::soap::Task &task = priced.tasks.tasks[id];
    names.push_back(builder.getStringAttr(task.name));
    kinds.push_back(builder.getStringAttr(task.kind));
    std::optional<::soap::Work> work = workOfTask(priced, id);
    // The sizes that its time depends on, for calibration. Many tasks have the
    // same ones.
    shapeOf.push_back(-1);
    if (work) {
      const auto &type = topology.typeOf(task.device);
      auto shape = builder.getStringAttr(::soap::printShape(
          *work, ::soap::dtypeOf(type, *work), ::soap::cacheBytesOf(type)));
      if (!shape.empty())
        shapeOf.back() =
            shapes.insert({shape, static_cast<int64_t>(shapes.size())})
                .first->second;
    }
    registerBytes.push_back(work ? work->registerBytes : 0);
    joins.push_back(work && work->joins);
    starts.push_back(task.startNs);
    ends.push_back(task.endNs);
    keys.append(task.key.begin(), task.key.end());
  }
  // Tasks of several devices; `task` is a place in the order.
  SmallVector<int64_t> places(order.size());
  for (auto [place, id] : llvm::enumerate(order))
    places[id] = static_cast<int64_t>(place);
  SmallVector<Attribute> collectives;
  for (const ::soap::PlanCollective &collective : priced.plan.collectives) {
    SmallVector<int64_t> messages; // from, to, bytes
    for (const ::soap::Message &message : collective.messages)
      messages.append({message.from, message.to, message.bytes});
    collectives.push_back(dictionary(
        builder, {{"task", builder.getI64IntegerAttr(places[collective.task])},
                  {"kind", builder.getStringAttr(
                               ::soap::collectiveName(collective.kind))},
                  {"devices", builder.getDenseI32ArrayAttr(collective.devices)},
                  {"bytes", builder.getI64IntegerAttr(collective.bytes)},
                  {"messages", builder.getDenseI64ArrayAttr(messages)}}));
  }
  // Pairs of tasks that programs run in this order without a dependency.
  SmallVector<int64_t> waits;
  for (auto [before, task] : priced.plan.waits)
    waits.append({places[before], places[task]});
  // Collectives that programs run as one op, in the order of their numbers.
  SmallVector<Attribute> operations;
  for (const auto &steps : schedule.steps)
    for (const ::soap::CollectiveStep &step : steps) {
      bool gathers =
          step.kind == ::soap::CollectiveKind::AllToAll && step.root >= 0;
      operations.push_back(dictionary(
          builder,
          {{"kind",
            builder.getStringAttr(gathers ? "gather"
                                          : ::soap::collectiveName(step.kind))},
           {"members", builder.getDenseI32ArrayAttr(SmallVector<int32_t>(
                           step.members.begin(), step.members.end()))},
           {"root", builder.getI64IntegerAttr(step.root)}}));
    }
  return dictionary(
      builder,
      {{"names", builder.getArrayAttr(names)},
       {"kinds", builder.getArrayAttr(kinds)},
       {"start_ns", builder.getDenseI64ArrayAttr(starts)},
       {"end_ns", builder.getDenseI64ArrayAttr(ends)},
       {"keys", builder.getDenseI64ArrayAttr(keys)},
       {"shapes",
        builder.getArrayAttr(llvm::to_vector(llvm::make_first_range(shapes)))},
       {"shape", builder.getDenseI64ArrayAttr(shapeOf)},
       {"register_bytes", builder.getDenseI64ArrayAttr(registerBytes)},
       {"joins", builder.getDenseBoolArrayAttr(joins)},
       {"waits", builder.getDenseI64ArrayAttr(waits)},
       {"collectives", builder.getArrayAttr(collectives)},
       {"operations", builder.getArrayAttr(operations)}});
}

/// Whole tensors of the function's interface: attributes of its arguments and
/// outputs, with their types.
/// `positions`: the first number that is no position of a tile; 0: none.
ArrayAttr tensorTable(Builder &builder, func::FuncOp function,
                      const PricedFunction &priced, int64_t positions) {
  SmallVector<Attribute> rows;
  // Where devices have no memory beside the host's, nothing is in that.
  bool hasHost = llvm::any_of(
      priced.opGraph.graph.values,
      [](const ::soap::GraphValue &value) { return value.inHost; });
  auto add = [&](StringRef name, StringRef kind, Type type,
                 DictionaryAttr attributes, Attribute bounds = nullptr) {
    NamedAttrList row;
    row.set("kind", builder.getStringAttr(kind));
    for (NamedAttribute attribute :
         attributes ? attributes.getValue() : ArrayRef<NamedAttribute>())
      if (attribute.getName().strref().starts_with("soap.") &&
          attribute.getName() != SoapDialect::kConfig &&
          attribute.getName() != kKeep &&
          (hasHost || attribute.getName() != kMemory))
        row.set(attribute.getName().strref().drop_front(5),
                attribute.getValue());
    row.set("name", builder.getStringAttr(name));
    row.set("type", TypeAttr::get(type));
    if (bounds)
      row.set("classes", bounds);
    rows.push_back(row.getDictionary(builder.getContext()));
  };
  for (auto [i, argument] : llvm::enumerate(priced.opGraph.inputs)) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      SoapDialect::kName);
    add(name ? name.str() : "arg" + std::to_string(i), "data",
        argument.getType(), function.getArgAttrDict(argument.getArgNumber()),
        boundsAttribute(function, argument));
  }
  for (auto [o, result] : llvm::enumerate(priced.opGraph.outputResults))
    add(priced.opGraph.graph.outputs[o].name, "output",
        function.getResultTypes()[result], function.getResultAttrDict(result));
  if (positions > 0)
    add(kPositionsTensor, kPositions,
        RankedTensorType::get({positions}, builder.getI32Type()),
        builder.getDictionaryAttr(builder.getNamedAttr(
            SoapDialect::kKind,
            ValueKindAttr::get(builder.getContext(), ValueKind::Positions))));
  return builder.getArrayAttr(rows);
}

/// Devices whose programs are built at a time: on threads, if there are.
constexpr int kBatch = 8;

FailureOr<DictionaryAttr> partitionFunction(ModuleOp module,
                                            SymbolTable &symbols,
                                            func::FuncOp function,
                                            const PricedFunction *priced,
                                            const ::soap::Topology &topology) {
  std::vector<int> order = ::soap::scheduleOrder(priced->tasks);
  KernelOps kernelOps = collectKernelOps(*priced);
  ProgramSchedule schedule =
      makeSchedule(*priced, order, topology.deviceCount());

  Builder builder(module.getContext());
  SmallVector<func::FuncOp> classes;
  SmallVector<Attribute> ranks;
  SmallVector<OwningOpRef<ModuleOp>> scratch;
  std::vector<FailureOr<DeviceProgram>> built;
  int64_t positions = 0;
  for (int device = 0; device < topology.deviceCount(); ++device) {
    if (device % kBatch == 0) {
      size_t count = std::min(kBatch, topology.deviceCount() - device);
      scratch.clear();
      for (size_t i = 0; i < count; ++i)
        scratch.push_back(ModuleOp::create(module.getLoc()));
      built.assign(count, failure());
      parallelFor(module.getContext(), 0, count, [&](size_t i) {
        built[i] = buildDeviceProgram(*scratch[i], function, *priced, kernelOps,
                                      schedule, device + static_cast<int>(i));
      });
    }
    FailureOr<DeviceProgram> &program = built[device % kBatch];
    if (failed(program))
      return failure();
    for (const TileRecord &arg : program->args)
      if (arg.tensor == kPositionsTensor)
        positions = std::max(positions, arg.region[0].hi());
    auto known = llvm::find_if(classes, [&](func::FuncOp other) {
      return areEqual(other, program->function);
    });
    if (known == classes.end()) {
      program->function->remove();
      program->function.setName(
          (function.getName() + "__" + Twine(classes.size())).str());
      symbols.insert(program->function);
      known = classes.insert(known, program->function);
    } else {
      program->function.erase();
    }
    ranks.push_back(dictionary(
        builder,
        {{"device", builder.getI64IntegerAttr(device)},
         {"program", FlatSymbolRefAttr::get(*known)},
         {"tasks", builder.getDenseI64ArrayAttr(program->tasks)},
         {"peers", builder.getDenseI64ArrayAttr(program->peers)},
         {"transfers", builder.getDenseI64ArrayAttr(program->transfers)},
         {"collectives", builder.getDenseI64ArrayAttr(program->collectives)},
         {"args", tileTable(builder, program->args)},
         {"results", tileTable(builder, program->results)}}));
  }
  int64_t batch = 0;
  for (BlockArgument argument : priced->opGraph.inputs)
    if (auto dim = function.getArgAttrOfType<IntegerAttr>(
            argument.getArgNumber(), SoapDialect::kSampleDim))
      batch =
          cast<RankedTensorType>(argument.getType()).getDimSize(dim.getInt());
  return writeScheduleRows(dictionary(
      builder,
      {{"entry", builder.getStringAttr(function.getName())},
       {"batch", builder.getI64IntegerAttr(batch)},
       {"tensors", tensorTable(builder, function, *priced, positions)},
       {"schedule", scheduleTable(builder, *priced, topology, schedule, order)},
       {"ranks", builder.getArrayAttr(ranks)}}));
}

struct PartitionPass
    : public mlir::soap::impl::SoapPartitionBase<PartitionPass> {
  using SoapPartitionBase::SoapPartitionBase;
  void runOnOperation() override {
    if (outlineTasks < 0) {
      getOperation().emitError(
          "soap-partition: expected outline-tasks of at least 0, got ")
          << outlineTasks.getValue();
      return signalPassFailure();
    }
    FailureOr<::soap::Topology> loaded =
        resolveTopology(getOperation(), topology);
    if (failed(loaded) || failed(partitionModule(getOperation(), *loaded)))
      return signalPassFailure();
    outlineSharedOps(getOperation(), outlineTasks);
  }
};

} // namespace

LogicalResult mlir::soap::partitionModule(ModuleOp module,
                                          const ::soap::Topology &topology) {
  if (module->hasAttr(SoapDialect::kPrograms))
    return module.emitError("is already partitioned: it has '")
           << SoapDialect::kPrograms << "'";
  SmallVector<func::FuncOp> functions = functionsWithPrograms(module);
  if (functions.empty())
    return module.emitError("has no function of soap ops to partition");
  SymbolTable symbols(module);
  // Prices need nothing of each other.
  std::vector<std::optional<PricedFunction>> priced(functions.size());
  parallelFor(module.getContext(), 0, functions.size(), [&](size_t i) {
    FailureOr<PricedFunction> result = priceFunction(functions[i], topology);
    if (succeeded(result))
      priced[i].emplace(std::move(*result));
  });
  if (!llvm::all_of(priced, [](const auto &one) { return one.has_value(); }))
    return failure();
  SmallVector<Attribute> entries;
  for (auto [function, plan] : llvm::zip(functions, priced)) {
    FailureOr<DictionaryAttr> entry =
        partitionFunction(module, symbols, function, &*plan, topology);
    plan.reset();
    if (failed(entry))
      return failure();
    entries.push_back(*entry);
  }
  for (func::FuncOp function : functions)
    symbols.erase(function);
  module->setAttr(SoapDialect::kPrograms,
                  ArrayAttr::get(module.getContext(), entries));
  module->setAttr(SoapDialect::kTopology,
                  TopologyAttr::getInFull(module.getContext(), topology));
  return success();
}
