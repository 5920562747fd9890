//===- DeviceProgram.cpp - The program of one device ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One op per action of the plan: local ops, fills, assembles, combines; a
// transfer is a send on one device and a recv on another, a collective the same
// op on all devices of its group.
//
//===----------------------------------------------------------------------===//

#include "DeviceProgram.h"

#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/ShardPosition.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"

#include <cassert>
#include <limits>
#include <map>

using namespace mlir;
using namespace mlir::soap;
using ::soap::Action;
using ::soap::ActionKind;
using ::soap::Buffer;
using Tile = ::soap::Region;

namespace {

class ProgramBuilder {
public:
  ProgramBuilder(func::FuncOp source, const PricedFunction &priced,
                 const KernelOps &kernelOps, const ProgramSchedule &schedule,
                 int device)
      : source(source), priced(priced), plan(priced.plan), kernelOps(kernelOps),
        schedule(schedule), device(device), builder(source.getContext()) {}

  FailureOr<DeviceProgram> run(ModuleOp module) {
    createFunction(module);
    assert(llvm::is_sorted(schedule.byDevice[device],
                           [](const auto &a, const auto &b) {
                             return a.first < b.first;
                           }) &&
           "actions in the order of tasks");
    for (auto [place, id] : schedule.byDevice[device]) {
      const Action &action = plan.actions[id];
      if (action.kind == ActionKind::Collective)
        emitCollective(schedule.collectiveOfTask[action.task], place);
      else if (failed(emit(action, schedule.transferNumbers[id], place)))
        return failure();
    }
    finish();
    return std::move(program);
  }

private:
  func::FuncOp source;
  const PricedFunction &priced;
  const ::soap::Plan &plan;
  const KernelOps &kernelOps;
  const ProgramSchedule &schedule;
  int device;
  OpBuilder builder;
  DeviceProgram program;
  DenseMap<int, Value> values;    ///< by buffer
  DenseMap<int, int> argOfBuffer; ///< argument number of an input buffer

  RankedTensorType typeOf(const Buffer &buffer) {
    return RankedTensorType::get(buffer.region.shape(),
                                 schedule.elementTypes[buffer.value]);
  }
  RankedTensorType typeOf(int buffer) { return typeOf(plan.buffers[buffer]); }

  /// Where `part` is in the tile, or elements that are the same.
  RegionAttr positions(int tile, const Tile &part) {
    const Buffer &buffer = plan.buffers[tile];
    return RegionAttr::get(builder.getContext(),
                           schedule.isSplat[buffer.value]
                               ? Tile::whole(part.shape())
                               : buffer.region.positionsOf(part));
  }

  void createFunction(ModuleOp module) {
    builder.setInsertionPointToEnd(module.getBody());
    program.function = func::FuncOp::create(builder, source.getLoc(), "program",
                                            builder.getFunctionType({}, {}));
    Block *body = program.function.addEntryBlock();
    for (auto [i, b, buffer] : schedule.inputs[device]) {
      argOfBuffer[buffer] = body->getNumArguments();
      values[buffer] = body->addArgument(typeOf(buffer), source.getLoc());
      DictionaryAttr attributes =
          source.getArgAttrDict(priced.opGraph.inputs[i].getArgNumber());
      if (!attributes) // of no argument
        attributes = builder.getDictionaryAttr({});
      auto name = attributes.getAs<StringAttr>(SoapDialect::kName);
      program.args.push_back({name ? name.str() : "arg" + std::to_string(i),
                              plan.buffers[buffer].region,
                              b < plan.updates[i].size()});
      NamedAttrList kept;
      if (Attribute kind = attributes.get(SoapDialect::kKind))
        kept.set(SoapDialect::kKind, kind);
      if (priced.opGraph.graph.values[plan.buffers[buffer].value].inHost)
        kept.set(kMemory, builder.getStringAttr(kHost));
      argAttributes.push_back(kept.getDictionary(builder.getContext()));
    }
    builder.setInsertionPointToStart(body);
  }
  SmallVector<DictionaryAttr> argAttributes;

  void addSlot(Operation *op, int64_t place, int64_t peer, int64_t transfer,
               int64_t collective = -1) {
    op->setAttr(
        SoapDialect::kSlot,
        builder.getI64IntegerAttr(static_cast<int64_t>(program.tasks.size())));
    program.tasks.push_back(place);
    program.peers.push_back(peer);
    program.transfers.push_back(transfer);
    program.collectives.push_back(collective);
    assert(program.tasks.size() == program.peers.size() &&
           program.tasks.size() == program.transfers.size() &&
           program.tasks.size() == program.collectives.size() &&
           "an entry a slot");
    assert((peer < 0) == (transfer < 0) && (peer < 0 || collective < 0) &&
           "a message has a peer and a number");
  }

  /// A tile with the parts of other tiles of this device.
  Value assemble(const Buffer &result, ArrayRef<int> inputs,
                 ArrayRef<Value> tiles, int64_t place) {
    assert(inputs.size() == tiles.size() && "a tile an input");
    SmallVector<Attribute> sources, targets;
    for (int input : inputs) {
      Tile part = plan.buffers[input].region.intersect(result.region);
      sources.push_back(positions(input, part));
      targets.push_back(RegionAttr::get(builder.getContext(),
                                        result.region.positionsOf(part)));
    }
    auto op = AssembleOp::create(builder, source.getLoc(), typeOf(result),
                                 tiles, builder.getArrayAttr(sources),
                                 builder.getArrayAttr(targets));
    addSlot(op, place, -1, -1);
    return op.getTile();
  }

  /// `tile`, which is `buffer`, or the part of it that `wanted` is.
  Value cutTo(int buffer, int wanted, Value tile, int64_t place) {
    const Buffer &part = plan.buffers[wanted];
    return plan.buffers[buffer].region == part.region
               ? tile
               : assemble(part, {buffer}, {tile}, place);
  }

  /// A fold that is no sum, or whose readers are not those that contribute: the
  /// root gets the sum, or gathers all parts and folds them in order, and
  /// broadcasts the result to the other readers, if there are any.
  void emitRootedFold(const ::soap::CollectiveGroup &group, int number,
                      Value tile, int64_t place) {
    Location loc = source.getLoc();
    ArrayRef<::soap::CollectiveStep> steps = schedule.steps[number];
    assert(!steps.empty() && steps.size() <= 2 &&
           "a fold, and a broadcast of it");
    assert(group.placeOf(device) >= 0 && "a member");
    size_t me = static_cast<size_t>(group.placeOf(device));
    bool isRoot = device == steps[0].members[steps[0].root];
    int output = group.outputs[me];
    // All readers want the same.
    int result = *llvm::find_if(group.outputs, [](int b) { return b >= 0; });
    auto whole = RegionAttr::get(
        builder.getContext(),
        plan.buffers[result].region.positionsOf(plan.buffers[result].region));
    int64_t step = schedule.firstStep[number];
    Value folded; // on the root
    if (tile && steps[0].kind == ::soap::CollectiveKind::Reduce) {
      tile = cutTo(group.inputs[me], result, tile, place);
      auto reduce = ReduceToRootOp::create(
          builder, loc, isRoot ? typeOf(result) : Type(), tile);
      addSlot(reduce, place, -1, -1, step);
      if (isRoot)
        folded = reduce->getResult(0);
    } else if (tile) {
      tile = cutTo(group.inputs[me], result, tile, place);
      SmallVector<Type> types(isRoot ? steps[0].members.size() : 0,
                              tile.getType());
      auto gather = GatherToRootOp::create(builder, loc, types, tile);
      addSlot(gather, place, -1, -1, step);
      if (isRoot) {
        auto combiner = static_cast<CombinerKind>(
            plan.actions[plan.buffers[result].action].combiner);
        SmallVector<Attribute> sources(types.size(), whole);
        auto combine =
            CombineOp::create(builder, loc, typeOf(result), gather.getPieces(),
                              combiner, builder.getArrayAttr(sources));
        addSlot(combine, place, -1, -1);
        folded = combine.getTile();
      }
    }
    if (isRoot && output >= 0)
      values[output] = folded;
    if (steps.size() == 1 || (!isRoot && output < 0))
      return;
    ++step;
    Operation *broadcast = nullptr;
    if (isRoot) {
      broadcast =
          BroadcastFromRootOp::create(builder, loc, Type(), folded, whole);
    } else {
      broadcast = BroadcastFromRootOp::create(builder, loc, typeOf(output),
                                              Value(), RegionAttr());
      values[output] = broadcast->getResult(0);
    }
    addSlot(broadcast, place, -1, -1, step);
  }

  /// A piece of this device's tile for each device, and one of each, this one
  /// among them: nothing says which of them is its own.
  void emitAllToAll(const ::soap::CollectiveGroup &group, int64_t step,
                    int64_t place) {
    assert(group.placeOf(device) >= 0 && "a member");
    auto me = static_cast<size_t>(group.placeOf(device));
    int input = group.inputs[me];
    const Buffer &result = plan.buffers[group.outputs[me]];
    SmallVector<Attribute> parts, sources, targets;
    for (int output : group.outputs)
      parts.push_back(positions(input, plan.buffers[input].region.intersect(
                                           plan.buffers[output].region)));
    SmallVector<Type> types;
    for (int other : group.inputs) {
      Tile part = plan.buffers[other].region.intersect(result.region);
      types.push_back(RankedTensorType::get(
          part.shape(), schedule.elementTypes[result.value]));
      sources.push_back(
          RegionAttr::get(builder.getContext(), Tile::whole(part.shape())));
      targets.push_back(RegionAttr::get(builder.getContext(),
                                        result.region.positionsOf(part)));
    }
    auto op = AllToAllOp::create(builder, source.getLoc(), types,
                                 values.at(input), builder.getArrayAttr(parts));
    addSlot(op, place, -1, -1, step);
    auto tile = AssembleOp::create(
        builder, source.getLoc(), typeOf(result), op.getPieces(),
        builder.getArrayAttr(sources), builder.getArrayAttr(targets));
    addSlot(tile, place, -1, -1);
    values[group.outputs[me]] = tile.getTile();
  }

  /// The op of this device in a regular collective. Its tile is cut first where
  /// only a part of it is wanted, and what it gathers is assembled behind it.
  void emitCollective(int number, int64_t place) {
    assert(number >= 0 && schedule.groups[number] && "a regular collective");
    const ::soap::CollectiveGroup &group = *schedule.groups[number];
    assert(group.placeOf(device) >= 0 && "a member");
    size_t me = static_cast<size_t>(group.placeOf(device));
    int input = group.inputs[me], output = group.outputs[me];
    Value tile = input < 0 ? Value() : values.at(input);
    Location loc = source.getLoc();
    int64_t first = schedule.firstStep[number];
    if (group.isSpread() ||
        (schedule.steps[number][0].kind == ::soap::CollectiveKind::AllToAll &&
         schedule.steps[number][0].root >= 0))
      return emitRootedFold(group, number, tile, place);
    Operation *op = nullptr;
    switch (group.kind) {
    case ::soap::CollectiveKind::AllReduce:
      tile = cutTo(input, group.outputs[0], tile, place);
      op = AllReduceOp::create(builder, loc, tile);
      break;
    case ::soap::CollectiveKind::Reduce:
      tile = cutTo(input, group.outputs[group.root], tile, place);
      op = ReduceToRootOp::create(builder, loc,
                                  output < 0 ? Type() : typeOf(output), tile);
      break;
    case ::soap::CollectiveKind::ReduceScatter: {
      SmallVector<Attribute> parts;
      for (int part : group.outputs)
        parts.push_back(positions(input, plan.buffers[part].region));
      op = ReduceScatterOp::create(builder, loc, typeOf(output), tile,
                                   builder.getArrayAttr(parts));
      break;
    }
    case ::soap::CollectiveKind::AllGather: {
      SmallVector<Type> types;
      for (int piece : group.inputs)
        types.push_back(typeOf(piece));
      op = AllGatherOp::create(builder, loc, types, tile);
      break;
    }
    case ::soap::CollectiveKind::Broadcast:
      if (tile)
        op = BroadcastFromRootOp::create(
            builder, loc, Type(), tile,
            positions(input, plan.buffers[group.outputs[1]].region));
      else
        op = BroadcastFromRootOp::create(builder, loc, typeOf(output), Value(),
                                         RegionAttr());
      break;
    case ::soap::CollectiveKind::Exchange:
      return emitAllToAll(group, first, place);
    case ::soap::CollectiveKind::AllToAll:
      return; // no kind of a plan's group
    }
    addSlot(op, place, -1, -1, first);
    if (output < 0)
      return;
    values[output] = group.kind == ::soap::CollectiveKind::AllGather
                         ? assemble(plan.buffers[output], group.inputs,
                                    SmallVector<Value>(op->getResults()), place)
                         : op->getResult(0);
  }

  LogicalResult emit(const Action &action, int64_t transfer, int64_t place) {
    if (action.kind == ActionKind::Transfer) {
      assert(action.sourceDevice != action.device &&
             "a message to another device");
      assert(transfer >= 0 && "transfers have numbers");
      const Tile &message = plan.buffers[action.outputs[0]].region;
      if (action.sourceDevice == device) {
        auto send = SendOp::create(builder, source.getLoc(),
                                   values.at(action.inputs[0]),
                                   positions(action.inputs[0], message));
        addSlot(send, place, action.device, transfer);
      }
      if (action.device == device) {
        auto recv =
            RecvOp::create(builder, source.getLoc(), typeOf(action.outputs[0]));
        values[action.outputs[0]] = recv.getTile();
        addSlot(recv, place, action.sourceDevice, transfer);
      }
      return success();
    }
    if (action.device != device)
      return success();
    switch (action.kind) {
    case ActionKind::Compute:
      return emitCompute(action, place);
    case ActionKind::Fill: {
      // Every output of a filled shard has the neutral value; the slot is that
      // of the first.
      for (auto [i, output] : llvm::enumerate(action.outputs)) {
        auto fill = FillOp::create(builder, source.getLoc(), typeOf(output),
                                   builder.getF64FloatAttr(action.fillValue));
        values[output] = fill.getTile();
        if (i == 0)
          addSlot(fill, place, -1, -1);
      }
      return success();
    }
    case ActionKind::Assemble: {
      SmallVector<Value> tiles;
      for (int input : action.inputs)
        tiles.push_back(values.at(input));
      values[action.outputs[0]] = assemble(plan.buffers[action.outputs[0]],
                                           action.inputs, tiles, place);
      return success();
    }
    case ActionKind::Combine: {
      SmallVector<Value> tiles;
      SmallVector<Attribute> sources;
      for (int input : action.inputs) {
        tiles.push_back(values.at(input));
        sources.push_back(
            positions(input, plan.buffers[action.outputs[0]].region));
      }
      auto combine =
          CombineOp::create(builder, source.getLoc(), typeOf(action.outputs[0]),
                            tiles, static_cast<CombinerKind>(action.combiner),
                            builder.getArrayAttr(sources));
      values[action.outputs[0]] = combine.getTile();
      addSlot(combine, place, -1, -1);
      return success();
    }
    case ActionKind::Collective:
    case ActionKind::Transfer:
      break;
    }
    return success();
  }

  LogicalResult emitCompute(const Action &action, int64_t place) {
    Operation *op = kernelOps.at({action.node, action.stage});
    const ::soap::Kernel &kernel =
        ::soap::kernelOf(priced.opGraph.graph, action);
    assert(action.inputs.size() == kernel.operands.size() &&
           action.outputs.size() == kernel.results.size() &&
           "a buffer an operand and a result");
    SmallVector<Tile> operandRegions, resultRegions;
    SmallVector<Value> operands;
    for (auto [i, input] : llvm::enumerate(action.inputs)) {
      operandRegions.push_back(
          ::soap::image(kernel.space.operands[i].map, action.box,
                        priced.opGraph.graph.values[kernel.operands[i]].shape));
      operands.push_back(input < 0 ? Value() : values.at(input));
    }
    for (int output : action.outputs)
      resultRegions.push_back(plan.buffers[output].region);
    Operation *local = cast<IterationSpaceOpInterface>(op).localize(
        builder, action.box, operandRegions, resultRegions, operands);
    if (!local)
      return op->emitError(
                 "cannot be split as its config says: no local op for piece ")
             << action.shard;
    assert(local->getNumResults() >= action.outputs.size() &&
           "a tile a result");
    local->removeAttr(kKeep); // is done
    givePosition(local, kernel.space.loops, action.box);
    if (auto dropout = dyn_cast<DropoutOp>(local))
      placeDropout(dropout);
    for (auto [output, result] : llvm::zip(action.outputs, local->getResults()))
      values[output] = result;
    addSlot(local, place, -1, -1);
    return success();
  }

  /// Where the table or the classes are split, the place of the tile among them
  /// becomes an argument, on the device of the first tile, too: the rows of the
  /// rank table say it, so that programs are the same. The op that makes the
  /// indices is part of the task of the first op that reads them.
  void givePosition(Operation *local, ArrayRef<::soap::Loop> loops,
                    const ::soap::LoopBox &box) {
    std::optional<ShardPosition> position = positionOf(local);
    if (!position)
      return;
    int64_t extent = loops[position->loop].extent, first = position->first;
    ::soap::Interval rows = box[position->loop];
    if (rows.size() == extent ||
        first - rows.lo + extent > std::numeric_limits<int32_t>::max())
      return;
    Value indices = local->getOperand(position->operand);
    // Ops that are split alike share it, on every device.
    Value &known = localIndices[{indices.getAsOpaquePointer(), first,
                                 rows.size(), position->wrap}];
    if (!known) {
      OpBuilder before(local);
      auto op = LocalIndexOp::create(before, source.getLoc(), indices,
                                     positionArgument(first),
                                     before.getI64IntegerAttr(position->wrap));
      makeNextTasks(op);
      known = op.getLocal();
    }
    useLocalIndices(local, known);
  }
  std::map<std::tuple<void *, int64_t, int64_t, int64_t>, Value> localIndices;

  /// The same of dropout, which asks where its tile begins in the whole tensor.
  void placeDropout(DropoutOp local) {
    std::optional<int64_t> first = firstElement(local);
    if (!first)
      return;
    // Also by what the tile is of: devices that have the same number by chance
    // would have another program.
    std::vector<int64_t> key(local.getExtents());
    llvm::append_range(key, cast<RankedTensorType>(local.getType()).getShape());
    key.push_back(*first);
    Value &known = placedSteps[{local.getStep().getAsOpaquePointer(), key}];
    if (!known) {
      OpBuilder before(local);
      auto op =
          PlacedStepOp::create(before, source.getLoc(),
                               RankedTensorType::get({2}, before.getI32Type()),
                               local.getStep(), positionArgument(*first));
      makeNextTasks(op);
      known = op.getBoth();
    }
    usePlacedStep(local, known);
  }
  std::map<std::pair<void *, std::vector<int64_t>>, Value> placedSteps;

  /// A new argument: that number, on this device.
  Value positionArgument(int64_t number) {
    auto type = RankedTensorType::get({1}, builder.getI32Type());
    argAttributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
        SoapDialect::kKind,
        ValueKindAttr::get(builder.getContext(), ValueKind::Positions))));
    program.args.push_back({kPositionsTensor.str(),
                            Tile({::soap::IndexSet(number, number + 1)}),
                            false});
    return program.function.getBody().addArgument(type, source.getLoc());
  }

  /// It is part of the task of the next op.
  void makeNextTasks(Operation *op) {
    op->setAttr(
        SoapDialect::kSlot,
        builder.getI64IntegerAttr(static_cast<int64_t>(program.tasks.size())));
  }

  /// Returns outputs, then the new values of updated tiles, which replace their
  /// arguments.
  void finish() {
    SmallVector<Value> results;
    SmallVector<DictionaryAttr> attributes;
    for (auto [o, place, buffer] : schedule.outputs[device]) {
      results.push_back(values.at(buffer));
      attributes.push_back(builder.getDictionaryAttr({}));
      program.results.push_back({priced.opGraph.graph.outputs[o].name,
                                 plan.buffers[buffer].region, false});
    }
    for (auto [i, b, buffer] : schedule.updates[device]) {
      results.push_back(values.at(buffer));
      attributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(
          SoapDialect::kUpdates,
          builder.getI64IntegerAttr(argOfBuffer.at(plan.inputs[i][b])))));
    }
    assert(program.args.size() ==
               program.function.getBody().getNumArguments() &&
           program.args.size() == argAttributes.size() && "a tile an argument");
    func::ReturnOp::create(builder, source.getLoc(), results);
    program.function.setFunctionType(
        builder.getFunctionType(program.function.getBody().getArgumentTypes(),
                                ValueRange(results).getTypes()));
    program.function.setAllArgAttrs(argAttributes);
    program.function.setAllResultAttrs(attributes);
  }
};

} // namespace

FailureOr<DeviceProgram> mlir::soap::buildDeviceProgram(
    ModuleOp module, func::FuncOp source, const PricedFunction &priced,
    const KernelOps &kernelOps, const ProgramSchedule &schedule, int device) {
  return ProgramBuilder(source, priced, kernelOps, schedule, device)
      .run(module);
}
