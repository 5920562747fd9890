//===- ExportShardy.cpp - Strategies as shardings of Shardy -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Carries shardings of upstream's shard dialect to the StableHLO they are for.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <set>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;

namespace {

constexpr StringRef meshName = "soap_mesh";

OpaqueAttr shardyAttr(MLIRContext *context, const Twine &text) {
  return OpaqueAttr::get(StringAttr::get(context, "sdy"), text.str(),
                         NoneType::get(context));
}

/// Ops that both modules have: an export makes constants and init operands
/// again for each user.
SmallVector<Operation *> commonOps(func::FuncOp function) {
  SmallVector<Operation *> ops;
  for (Operation &op : function.getBody().front().without_terminator())
    if (!isa<tensor::EmptyOp, linalg::FillOp, arith::ConstantOp>(op) &&
        !isa<shard::ShardDialect>(op.getDialect()))
      ops.push_back(&op);
  return ops;
}

class ShardyExporter {
public:
  ShardyExporter(ModuleOp program, ModuleOp imported, ModuleOp sharded,
                 ModuleOp planned)
      : program(program), imported(imported), sharded(sharded),
        planned(planned), context(program.getContext()) {}

  LogicalResult run(func::FuncOp source);

private:
  /// `planned` may be null.
  ModuleOp program, imported, sharded, planned;
  MLIRContext *context;
  /// Extents of the axes.
  SmallVector<int64_t> grid;

  LogicalResult addMesh();
  shard::ShardingOp findSharding(Value value);
  OpaqueAttr shardingOf(Value value);
  FailureOr<OpaqueAttr> shardingOf(ArrayRef<size_t> makers,
                                   RankedTensorType type);
  ::soap::Region regionOn(int64_t device, shard::ShardingOp sharding,
                          ArrayRef<int64_t> shape);
  LogicalResult matchOps(func::FuncOp own, func::FuncOp other,
                         SmallVectorImpl<Operation *> &found);
  LogicalResult checkRegions(Operation *op, unsigned result, Value annotated);
  /// Ops of the import, and the same ones with shardings and with configs.
  SmallVector<Operation *> ops, annotatedOps, plannedOps;
};

LogicalResult ShardyExporter::addMesh() {
  auto grids = llvm::to_vector(sharded.getOps<shard::GridOp>());
  if (grids.size() != 1)
    return sharded.emitError()
           << "has " << grids.size()
           << " grids of devices, expected one: what 'soap-opt "
              "--soap-export-shard' writes for a strategy";
  std::string text = "mesh<[";
  int64_t devices = 1;
  for (auto [i, extent] : llvm::enumerate(grids[0].getShape())) {
    if (ShapedType::isDynamic(extent))
      return grids[0].emitError() << "has an axis of unknown size";
    devices *= extent;
    grid.push_back(extent);
    text +=
        (i ? ", " : "") + ("\"axis" + Twine(i) + "\"=" + Twine(extent)).str();
  }
  OpBuilder builder = OpBuilder::atBlockBegin(program.getBody());
  OperationState state(program.getLoc(), "sdy.mesh");
  state.propertiesAttr = builder.getDictionaryAttr(
      {builder.getNamedAttr("mesh", shardyAttr(context, text + "]>")),
       builder.getNamedAttr("sym_name", builder.getStringAttr(meshName))});
  builder.create(state);
  program->setAttr("mhlo.num_partitions",
                   builder.getI32IntegerAttr(static_cast<int32_t>(devices)));
  program->setAttr("mhlo.num_replicas", builder.getI32IntegerAttr(1));
  return success();
}

/// How the op that makes a value holds it; null if nothing says so.
shard::ShardingOp ShardyExporter::findSharding(Value value) {
  for (Operation *user : value.getUsers())
    if (auto shard = dyn_cast<shard::ShardOp>(user);
        shard && !shard.getAnnotateForUsers())
      if (auto op = shard.getSharding().getDefiningOp<shard::ShardingOp>())
        return op;
  return nullptr;
}

/// The same as Shardy has it.
OpaqueAttr ShardyExporter::shardingOf(Value value) {
  shard::ShardingOp sharding = findSharding(value);
  if (!sharding)
    return nullptr;
  std::string text = ("sharding<@" + meshName + ", [").str();
  ArrayRef<shard::GridAxesAttr> split = sharding.getSplitAxes().getAxes();
  int64_t rank = cast<RankedTensorType>(value.getType()).getRank();
  for (int64_t d = 0; d < rank; ++d) {
    text += d ? ", {" : "{";
    if (d < static_cast<int64_t>(split.size()))
      for (auto [i, axis] : llvm::enumerate(split[d].asArrayRef()))
        text += (i ? ", " : "") + ("\"axis" + Twine(axis) + "\"").str();
    text += "}";
  }
  return shardyAttr(context, text + "]>");
}

/// The region of a device: its coordinates along the axes of a dim, the first
/// one the most significant, number its block of the dim.
::soap::Region ShardyExporter::regionOn(int64_t device,
                                        shard::ShardingOp sharding,
                                        ArrayRef<int64_t> shape) {
  SmallVector<int64_t> place(grid.size());
  for (size_t axis = grid.size(); axis-- > 0; device /= grid[axis])
    place[axis] = device % grid[axis];
  ArrayRef<shard::GridAxesAttr> split = sharding.getSplitAxes().getAxes();
  std::vector<::soap::IndexSet> dims;
  for (auto [d, extent] : llvm::enumerate(shape)) {
    int64_t block = 0, blocks = 1;
    if (d < split.size())
      for (int16_t axis : split[d].asArrayRef()) {
        block = block * grid[axis] + place[axis];
        blocks *= grid[axis];
      }
    dims.emplace_back(block * extent / blocks, (block + 1) * extent / blocks);
  }
  return ::soap::Region(dims);
}

/// The region of a result that an op of the plan makes on each device is the
/// one that the exported sharding gives the device.
LogicalResult ShardyExporter::checkRegions(Operation *op, unsigned result,
                                           Value annotated) {
  auto spaceOp = dyn_cast<IterationSpaceOpInterface>(op);
  auto config = op->getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
  if (!spaceOp || !config)
    return op->emitError() << "'" << op->getName()
                           << "' has no strategy: expected the module that "
                              "--soap-export-shard took";
  ::soap::IterationSpace space = spaceOp.getIterationSpace();
  std::string error;
  std::optional<::soap::Config> resolved = resolveConfig(config, space, error);
  if (!resolved)
    return op->emitError() << "'soap.config': " << error;
  shard::ShardingOp sharding = findSharding(annotated);
  auto shape = cast<RankedTensorType>(annotated.getType()).getShape().vec();
  for (const ::soap::Shard &shard : ::soap::enumerateShards(space, *resolved)) {
    if (::soap::isEmpty(shard.box))
      continue;
    ::soap::Region ours =
        ::soap::image(space.results[result].map, shard.box, shape);
    ::soap::Region theirs = regionOn(shard.device, sharding, shape);
    if (ours != theirs)
      return op->emitError()
             << "'" << op->getName() << "' leaves " << ours.str()
             << " of its result on device " << shard.device
             << ", and the exported sharding " << theirs.str();
  }
  return success();
}

LogicalResult ShardyExporter::matchOps(func::FuncOp own, func::FuncOp other,
                                       SmallVectorImpl<Operation *> &found) {
  SmallVector<Operation *> ours = commonOps(own), theirs = commonOps(other);
  bool fits = ours.size() == theirs.size() &&
              own.getFunctionType() == other.getFunctionType();
  for (size_t i = 0; fits && i < ours.size(); ++i)
    fits = ours[i]->getName() == theirs[i]->getName() &&
           ours[i]->getResultTypes() == theirs[i]->getResultTypes();
  ops = ours;
  found.assign(theirs.begin(), theirs.end());
  if (fits)
    return success();
  return other.emitError()
         << "'@" << other.getName()
         << "' is not the import of the program of --stablehlo: expected its "
            "types and its "
         << ours.size() << " ops, got " << theirs.size()
         << " (give the options of the import, and run no other pass between)";
}

/// The sharding that ops by number leave their results in, which are tensors of
/// this type; null where they differ or have none.
FailureOr<OpaqueAttr> ShardyExporter::shardingOf(ArrayRef<size_t> makers,
                                                 RankedTensorType type) {
  OpaqueAttr common;
  for (size_t maker : makers) {
    Value value = annotatedOps[maker]->getResult(0);
    OpaqueAttr own;
    if (cast<RankedTensorType>(value.getType()).getShape() == type.getShape())
      own = shardingOf(value);
    if (!own || (common && own != common))
      return OpaqueAttr();
    common = own;
    if (planned && failed(checkRegions(plannedOps[maker], 0, value)))
      return failure();
  }
  return common;
}

/// Meshes of no axes and constraints on them, which JAX writes around PRNG
/// keys: they say nothing.
static SmallVector<Operation *> emptyShardings(ModuleOp program) {
  auto textOf = [](Operation *op, StringRef name) {
    std::string text;
    if (Attribute attribute = op->getAttr(name))
      llvm::raw_string_ostream(text) << attribute;
    return text;
  };
  SmallVector<Operation *> found;
  std::set<std::string> meshes;
  program.walk([&](Operation *op) {
    auto symbol = dyn_cast_or_null<StringAttr>(op->getAttr("sym_name"));
    if (op->getName().getStringRef() != "sdy.mesh" || !symbol ||
        !StringRef(textOf(op, "mesh")).contains("mesh<[]>"))
      return;
    meshes.insert(("<@" + symbol.getValue() + ",").str());
    found.push_back(op);
  });
  program.walk([&](Operation *op) {
    if (op->getName().getStringRef() != "sdy.sharding_constraint" ||
        op->getNumOperands() != 1 || op->getNumResults() != 1)
      return;
    std::string text = textOf(op, "sharding");
    if (llvm::any_of(meshes, [&](const std::string &mesh) {
          return StringRef(text).contains(mesh);
        }))
      found.push_back(op);
  });
  return found;
}

LogicalResult ShardyExporter::run(func::FuncOp source) {
  std::vector<Operation *> programOps = opsOf(program);
  SmallVector<Operation *> empty = emptyShardings(program);
  bool hasShardings = false;
  program.walk([&](Operation *op) {
    StringRef name = op->getName().getStringRef();
    auto target = dyn_cast_or_null<StringAttr>(op->getAttr("call_target_name"));
    hasShardings |=
        (name.starts_with("sdy.") && !llvm::is_contained(empty, op)) ||
        (target && target.getValue() == "Sharding");
  });
  if (hasShardings)
    return source.emitError()
           << "has shardings already: lower the function without them";
  auto own = *imported.getOps<func::FuncOp>().begin();
  auto other = sharded.lookupSymbol<func::FuncOp>(own.getName());
  if (!other || !other.getBody().hasOneBlock())
    return sharded.emitError()
           << "has no function '@" << own.getName() << "' with one block";
  if (failed(matchOps(own, other, annotatedOps)) || failed(addMesh()))
    return failure();
  if (planned) {
    auto function = planned.lookupSymbol<func::FuncOp>(own.getName());
    if (!function || !function.getBody().hasOneBlock())
      return planned.emitError()
             << "has no function '@" << own.getName() << "' with one block";
    if (failed(matchOps(own, function, plannedOps)))
      return failure();
  }
  for (BlockArgument argument : other.getArguments())
    if (OpaqueAttr sharding = shardingOf(argument))
      source.setArgAttr(argument.getArgNumber(), "sdy.sharding", sharding);
  // Ops that compute a result of the program, in the order of its dims: one,
  // or one for each turn of a loop and each call of a function.
  llvm::DenseMap<std::pair<unsigned, unsigned>, SmallVector<size_t, 1>> makers;
  for (auto [i, op] : llvm::enumerate(ops)) {
    SmallVector<Location> places = {op->getLoc()};
    if (auto fused = dyn_cast<FusedLoc>(op->getLoc()))
      places.assign(fused.getLocations().begin(), fused.getLocations().end());
    for (Location loc : places)
      if (auto place = dyn_cast<FileLineColLoc>(loc);
          place && place.getFilename().getValue() == tracedResult)
        makers[{place.getLine(), place.getColumn()}].push_back(i);
  }
  unsigned number = 0, differing = 0;
  for (Operation *op : programOps) {
    ++number;
    for (OpResult result : op->getResults()) {
      auto found = makers.find({number, result.getResultNumber()});
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (found == makers.end() || !type)
        continue;
      FailureOr<OpaqueAttr> sharding = shardingOf(found->second, type);
      if (failed(sharding))
        return failure();
      differing += !*sharding && found->second.size() > 1;
      if (!*sharding)
        continue;
      OpBuilder builder(context);
      builder.setInsertionPointAfter(op);
      OperationState state(op->getLoc(), "sdy.sharding_constraint");
      state.addOperands(result);
      state.addTypes(result.getType());
      state.propertiesAttr = builder.getDictionaryAttr(
          builder.getNamedAttr("sharding", *sharding));
      Operation *constraint = builder.create(state);
      result.replaceAllUsesExcept(constraint->getResult(0), constraint);
    }
  }
  if (differing > 0)
    source.emitRemark() << differing
                        << " values of loops and called functions lie at other "
                           "places in each turn or call, and have no sharding";
  for (Operation *op : empty) {
    if (op->getNumResults() == 1)
      op->replaceAllUsesWith(op->getOperands());
    op->erase();
  }
  // A result has the sharding of what it returns.
  Operation *end = source.getBody().front().getTerminator();
  for (OpOperand &operand : end->getOpOperands())
    if (Operation *op = operand.get().getDefiningOp();
        op && op->getName().getStringRef() == "sdy.sharding_constraint")
      source.setResultAttr(operand.getOperandNumber(), "sdy.sharding",
                           op->getAttr("sharding"));
  return success();
}

} // namespace

LogicalResult mlir::soap::exportShardy(std::unique_ptr<llvm::MemoryBuffer> text,
                                       ModuleOp sharded, ModuleOp planned,
                                       const StableHLOImportOptions &options,
                                       llvm::raw_ostream &output) {
  MLIRContext *context = sharded.getContext();
  OwningOpRef<ModuleOp> program = parseStableHLO(std::move(text), context);
  if (!program)
    return failure();
  Importer importer(*program, options, /*tracesResults=*/true);
  OwningOpRef<ModuleOp> imported = importer.run();
  if (!imported || failed(ShardyExporter(*program, *imported, sharded, planned)
                              .run(importer.chosen())))
    return failure();
  // Text of ops that are not registered is no error of this context.
  // Newer MLIR reads other hexadecimal digits of booleans.
  program->print(
      output,
      OpPrintingFlags().printGenericOpForm().printLargeElementsAttrWithHex(-1));
  output << "\n";
  return success();
}
