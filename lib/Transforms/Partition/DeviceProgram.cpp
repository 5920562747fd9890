//===- DeviceProgram.cpp - The program of one device ----------------------===//
//
// One op per action of the plan: local ops, fills, assembles, combines; a
// transfer is a send on one device and a recv on another.
//
//===----------------------------------------------------------------------===//

#include "DeviceProgram.h"

#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

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
                 const KernelOps &kernelOps, int device)
      : source(source), priced(priced), plan(priced.plan), kernelOps(kernelOps),
        device(device), builder(source.getContext()) {}

  FailureOr<DeviceProgram> run(ModuleOp module, const Schedule &schedule) {
    createFunction(module);
    for (auto [place, id] : schedule.byDevice[device])
      if (failed(emit(plan.actions[id], schedule.transferNumbers[id], place)))
        return failure();
    finish();
    return std::move(program);
  }

private:
  func::FuncOp source;
  const PricedFunction &priced;
  const ::soap::Plan &plan;
  const KernelOps &kernelOps;
  int device;
  OpBuilder builder;
  DeviceProgram program;
  DenseMap<int, Value> values;    ///< by buffer
  DenseMap<int, int> argOfBuffer; ///< argument number of an input buffer

  Type elementType(int value) const {
    value = priced.opGraph.graph.rootOf(value);
    for (const auto &[ssa, id] : priced.opGraph.valueIds)
      if (id == value)
        return cast<RankedTensorType>(ssa.getType()).getElementType();
    return stageElementType(value);
  }

  /// Values between stages have the element type of their kernel's float
  /// results.
  Type stageElementType(int value) const {
    for (const auto &[key, op] : kernelOps) {
      const ::soap::GraphNode &node = priced.opGraph.graph.nodes[key.first];
      const ::soap::Kernel &kernel =
          key.second < 0 ? node.whole : node.stages[key.second];
      for (auto [i, result] : llvm::enumerate(kernel.results))
        if (result == value)
          return cast<RankedTensorType>(op->getResult(i).getType())
              .getElementType();
    }
    return {};
  }

  DenseMap<int, Type> elementTypes;
  RankedTensorType typeOf(const Buffer &buffer) {
    Type &element = elementTypes[buffer.value];
    if (!element)
      element = elementType(buffer.value);
    return RankedTensorType::get(buffer.region.shape(), element);
  }
  RankedTensorType typeOf(int buffer) { return typeOf(plan.buffers[buffer]); }

  RegionAttr positions(int tile, const Tile &part) {
    return RegionAttr::get(builder.getContext(),
                           plan.buffers[tile].region.positionsOf(part));
  }

  void createFunction(ModuleOp module) {
    builder.setInsertionPointToEnd(module.getBody());
    program.function = func::FuncOp::create(builder, source.getLoc(), "program",
                                            builder.getFunctionType({}, {}));
    Block *body = program.function.addEntryBlock();
    for (auto [i, buffers] : llvm::enumerate(plan.inputs))
      for (auto [b, buffer] : llvm::enumerate(buffers)) {
        if (plan.buffers[buffer].device != device)
          continue;
        argOfBuffer[buffer] = body->getNumArguments();
        values[buffer] = body->addArgument(typeOf(buffer), source.getLoc());
        auto name = source.getArgAttrOfType<StringAttr>(
            priced.opGraph.inputs[i].getArgNumber(), SoapDialect::kName);
        program.args.push_back({name ? name.str() : "arg" + std::to_string(i),
                                plan.buffers[buffer].region,
                                b < plan.updates[i].size()});
        argKinds.push_back(source.getArgAttrOfType<StringAttr>(
            priced.opGraph.inputs[i].getArgNumber(), SoapDialect::kKind));
      }
    builder.setInsertionPointToStart(body);
  }
  SmallVector<StringAttr> argKinds;

  void addSlot(Operation *op, int64_t place, int64_t peer, int64_t transfer) {
    op->setAttr(
        SoapDialect::kSlot,
        builder.getI64IntegerAttr(static_cast<int64_t>(program.tasks.size())));
    program.tasks.push_back(place);
    program.peers.push_back(peer);
    program.transfers.push_back(transfer);
  }

  LogicalResult emit(const Action &action, int64_t transfer, int64_t place) {
    if (action.kind == ActionKind::Transfer) {
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
      const Buffer &result = plan.buffers[action.outputs[0]];
      SmallVector<Value> tiles;
      SmallVector<Attribute> sources, targets;
      for (int input : action.inputs) {
        Tile part = plan.buffers[input].region.intersect(result.region);
        tiles.push_back(values.at(input));
        sources.push_back(positions(input, part));
        targets.push_back(positions(action.outputs[0], part));
      }
      auto assemble = AssembleOp::create(
          builder, source.getLoc(), typeOf(action.outputs[0]), tiles,
          builder.getArrayAttr(sources), builder.getArrayAttr(targets));
      values[action.outputs[0]] = assemble.getTile();
      addSlot(assemble, place, -1, -1);
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
    case ActionKind::Collective: // is expanded
    case ActionKind::Transfer:
      break;
    }
    return success();
  }

  LogicalResult emitCompute(const Action &action, int64_t place) {
    Operation *op = kernelOps.at({action.node, action.stage});
    const ::soap::Kernel &kernel =
        ::soap::kernelOf(priced.opGraph.graph, action);
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
                 "cannot be cut as its config says: no local op for piece ")
             << action.shard;
    local->removeAttr(kKeep); // is done
    for (auto [output, result] : llvm::zip(action.outputs, local->getResults()))
      values[output] = result;
    addSlot(local, place, -1, -1);
    return success();
  }

  /// Returns outputs, then the new values of updated tiles, which replace their
  /// arguments.
  void finish() {
    SmallVector<Value> results;
    SmallVector<int64_t> updates;
    for (auto [o, output] : llvm::enumerate(plan.outputs))
      for (int buffer : output.buffers) {
        if (plan.buffers[buffer].device != device)
          continue;
        results.push_back(values.at(buffer));
        updates.push_back(-1);
        program.results.push_back({priced.opGraph.graph.outputs[o].name,
                                   plan.buffers[buffer].region, false});
      }
    for (auto [i, buffers] : llvm::enumerate(plan.updates))
      for (auto [b, buffer] : llvm::enumerate(buffers)) {
        if (plan.buffers[buffer].device != device)
          continue;
        results.push_back(values.at(buffer));
        updates.push_back(argOfBuffer.at(plan.inputs[i][b]));
      }
    func::ReturnOp::create(builder, source.getLoc(), results);
    program.function.setFunctionType(
        builder.getFunctionType(program.function.getBody().getArgumentTypes(),
                                ValueRange(results).getTypes()));
    for (auto [i, kind] : llvm::enumerate(argKinds))
      if (kind)
        program.function.setArgAttr(i, SoapDialect::kKind, kind);
    for (auto [i, argument] : llvm::enumerate(updates))
      if (argument >= 0)
        program.function.setResultAttr(i, SoapDialect::kUpdates,
                                       builder.getI64IntegerAttr(argument));
  }
};

} // namespace

FailureOr<DeviceProgram> mlir::soap::buildDeviceProgram(
    ModuleOp module, func::FuncOp source, const PricedFunction &priced,
    const KernelOps &kernelOps, const Schedule &schedule, int device) {
  return ProgramBuilder(source, priced, kernelOps, device)
      .run(module, schedule);
}
