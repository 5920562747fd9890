//===- ExportShard.cpp - A strategy as shardings of upstream --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `soap.config` of each op becomes `shard.shard` around its tensors. One
// resharding of upstream changes one axis of one dim, so that several changes
// are several ops.
//
//===----------------------------------------------------------------------===//

#include "DeviceGrid.h"
#include "ExportedFunction.h"
#include "NearestGrid.h"

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"
#include "Soap/Dialect/Soap/SumAttribute.h"
#include "Soap/Extensions/Passes.h"
#include "Soap/Search/Problem/PricedStrategy.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/Format.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPEXPORTSHARD
#include "Soap/Extensions/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// The axes that cut each dim of a tensor of the op.
std::optional<Split> splitOf(const ::soap::AccessMap &map, Value value,
                             const GridOp &op, const Split &axes) {
  auto type = cast<RankedTensorType>(value.getType());
  return ::soap::splitOf(map, type.getShape().vec(), op.space,
                         op.config.degrees, axes);
}

class Exporter {
public:
  Exporter(func::FuncOp function, StringRef gridName, bool isPartial)
      : function(function), gridName(gridName), isPartial(isPartial),
        builder(function.getContext()) {}

  LogicalResult run() {
    if (!function.getBody().hasOneBlock())
      return function.emitError("has several blocks, expected one");
    if (failed(collectOps()) ||
        failed(isPartial ? findSomeSplits() : findSplits()))
      return failure();
    createGrid();
    annotateArguments();
    for (auto [i, op] : llvm::enumerate(ops))
      annotateOp(op, i);
    Operation *end = function.getBody().front().getTerminator();
    builder.setInsertionPoint(end);
    for (OpOperand &operand : end->getOpOperands())
      if (auto home = homes.find(operand.get()); home != homes.end())
        operand.set(forUser(operand.get(), Split(home->second)));
    dropSoapAttributes();
    return success();
  }

private:
  func::FuncOp function;
  StringRef gridName;
  bool isPartial; ///< ops that no grid has are left without shardings
  OpBuilder builder;
  SmallVector<Operation *> ops;
  std::vector<GridOp> gridOps;
  DeviceGrid grid;
  /// By op: the splits of its read operands and its results; none: it has no
  /// sharding.
  std::vector<std::vector<std::optional<Split>>> operandSplits, resultSplits;
  /// How a value is held, by the annotated value.
  llvm::DenseMap<Value, Split> homes;
  /// `shard.sharding` ops at the start of the function.
  std::map<Split, Value> shardings;
  Operation *lastSharding = nullptr;

  LogicalResult collectOps() {
    llvm::StringMap<unsigned> counts;
    for (Operation &op : llvm::make_early_inc_range(
             function.getBody().front().without_terminator())) {
      if (isRepeated(&op))
        continue;
      if (isCheck(&op)) {
        op.emitRemark() << "'" << op.getName()
                        << "' has no result: its assertions are dropped";
        op.erase();
        continue;
      }
      auto spaceOp = dyn_cast<IterationSpaceOpInterface>(op);
      if (!spaceOp || !isModelOp(&op))
        return op.emitError()
               << "'" << op.getName()
               << "' has no iteration space, expected an op of a model";
      auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName);
      GridOp entry;
      // As --soap-print-op-graph calls it.
      entry.name =
          name ? name.str()
               : (op.getName().stripDialect() + "_" + Twine(ops.size())).str();
      entry.space = spaceOp.getIterationSpace();
      auto config = op.getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
      if (!config)
        return op.emitError()
               << "'" << op.getName()
               << "' has no 'soap.config', expected one on every op (run "
                  "'--soap-auto-parallel' or '--soap-apply-strategy' first)";
      std::string error;
      std::optional<::soap::Config> resolved =
          resolveConfig(config, entry.space, error);
      if (resolved)
        if (::soap::ConfigCheck check = checkConfig(entry.space, *resolved, -1);
            check.fault != ::soap::ConfigFault::None) {
          error = check.message;
          resolved.reset();
        }
      if (!resolved)
        return op.emitError() << "'soap.config': " << error;
      entry.config = std::move(*resolved);
      ops.push_back(&op);
      gridOps.push_back(std::move(entry));
    }
    if (ops.empty())
      return function.emitError("'@")
             << function.getName() << "' has no op of a model";
    return success();
  }

  LogicalResult findSplits() {
    ::soap::Expected<DeviceGrid> found = findDeviceGrid(gridOps);
    if (!found) {
      InFlightDiagnostic error =
          function.emitError("no grid has this strategy: ");
      error << found.error();
      notePrice(error);
      return error;
    }
    grid = std::move(*found);
    for (auto [i, op] : llvm::enumerate(ops)) {
      const GridOp &entry = gridOps[i];
      auto refuse = [&](StringRef what, Value value) {
        InFlightDiagnostic error = op->emitError();
        error << "'" << op->getName() << "' op '" << entry.name << "' needs "
              << what << " of type " << value.getType()
              << " in parts that overlap or are no blocks of its dims, which "
                 "no sharding of a grid has";
        notePrice(error);
        return LogicalResult(error);
      };
      // Upstream's partition leaves `linalg.index` as it is, which would count
      // from the start of the shard.
      WalkResult indices = op->walk([&](linalg::IndexOp index) {
        uint64_t loop = index.getDim();
        if (index->getParentOp() != op || grid.axes[i][loop].empty())
          return WalkResult::advance();
        InFlightDiagnostic error = index.emitError();
        error << "is the position along loop '" << entry.space.loops[loop].name
              << "' of op '" << entry.name
              << "', which is cut: upstream's partition does not add where "
                 "the shard begins";
        notePrice(error);
        return WalkResult::interrupt();
      });
      if (indices.wasInterrupted())
        return failure();
      std::vector<std::optional<Split>> operands, results;
      for (auto [access, operand] :
           llvm::zip_equal(entry.space.operands, readOperands(op))) {
        operands.push_back(
            splitOf(access.map, operand->get(), entry, grid.axes[i]));
        if (!operands.back())
          return refuse("an operand", operand->get());
      }
      for (auto [access, result] :
           llvm::zip_equal(entry.space.results, op->getResults())) {
        results.push_back(splitOf(access.map, result, entry, grid.axes[i]));
        if (!results.back())
          return refuse("a result", result);
      }
      operandSplits.push_back(std::move(operands));
      resultSplits.push_back(std::move(results));
    }
    return success();
  }

  /// Splits of the ops that the best grid has, and a warning that counts the
  /// others. Of these ops, an operand may have none: a window that overlaps.
  LogicalResult findSomeSplits() {
    int devices = 0;
    auto module = function->getParentOfType<ModuleOp>();
    if (module->hasAttr(SoapDialect::kTopology)) {
      FailureOr<::soap::Topology> topology = resolveTopology(module, "");
      if (failed(topology))
        return failure();
      devices = topology->deviceCount();
    } else {
      for (const GridOp &entry : gridOps)
        for (int device : entry.config.devices)
          devices = std::max(devices, device + 1);
    }
    PartialGrid found = findGridOfMost(
        gridOps, devices,
        [&](size_t i, const GridOp &entry, const Split &axes) {
          return llvm::all_of_zip(
              entry.space.results, ops[i]->getResults(),
              [&](const auto &access, Value result) {
                return splitOf(access.map, result, entry, axes).has_value();
              });
        });
    grid = std::move(found.grid);
    size_t misfits = 0;
    std::string reasons;
    for (auto [i, op] : llvm::enumerate(ops)) {
      const GridOp &entry = gridOps[i];
      std::vector<std::optional<Split>> operands, results;
      bool fits = found.faults[i].empty();
      for (auto [access, operand] :
           llvm::zip_equal(entry.space.operands, readOperands(op)))
        operands.push_back(
            fits ? splitOf(access.map, operand->get(), entry, grid.axes[i])
                 : std::nullopt);
      for (auto [access, result] :
           llvm::zip_equal(entry.space.results, op->getResults()))
        results.push_back(fits
                              ? splitOf(access.map, result, entry, grid.axes[i])
                              : std::nullopt);
      operandSplits.push_back(std::move(operands));
      resultSplits.push_back(std::move(results));
      constexpr size_t named = 5;
      if (!fits && misfits++ < named)
        reasons += "; op '" + entry.name + "' " + found.faults[i];
    }
    if (misfits > 0)
      function.emitWarning() << misfits << " of " << ops.size()
                             << " ops of the strategy are on no grid of the "
                             << devices << " devices and have no sharding"
                             << reasons << (misfits > 5 ? "; ..." : "");
    return success();
  }

  /// Whether upstream can express an op whose loops are split by axes.
  bool hasShardings(size_t i, const GridOp &entry, const Split &axes) {
    Operation *op = ops[i];
    WalkResult indices = op->walk([&](linalg::IndexOp index) {
      return index->getParentOp() == op && !axes[index.getDim()].empty()
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (indices.wasInterrupted())
      return false;
    for (auto [access, operand] :
         llvm::zip_equal(entry.space.operands, readOperands(op)))
      if (!splitOf(access.map, operand->get(), entry, axes))
        return false;
    for (auto [access, result] :
         llvm::zip_equal(entry.space.results, op->getResults()))
      if (!splitOf(access.map, result, entry, axes))
        return false;
    return true;
  }

  /// Says what the nearest strategy costs that can be exported, where the
  /// module has a topology to price it on.
  void notePrice(InFlightDiagnostic &error) {
    auto module = function->getParentOfType<ModuleOp>();
    if (!module->hasAttr(SoapDialect::kTopology))
      return;
    FailureOr<::soap::Topology> topology = resolveTopology(module, "");
    FailureOr<OpGraph> opGraph = buildOpGraph(function);
    if (failed(topology) || failed(opGraph))
      return;
    std::vector<GridOp> nearest =
        nearestOnGrid(gridOps, topology->deviceCount(),
                      [&](size_t i, const GridOp &entry, const Split &axes) {
                        return hasShardings(i, entry, axes);
                      });
    llvm::DenseMap<Operation *, size_t> numbers;
    for (auto [i, op] : llvm::enumerate(ops))
      numbers[op] = i;
    ::soap::Strategy own, changed;
    std::string first;
    int count = 0;
    for (auto [op, node] :
         llvm::zip_equal(opGraph->ops, opGraph->graph.nodes)) {
      auto it = numbers.find(op);
      if (it == numbers.end())
        return;
      own.push_back(gridOps[it->second].config);
      changed.push_back(nearest[it->second].config);
      if (own.back() == changed.back())
        continue;
      if (count++ == 0)
        first = node.whole.name;
    }
    auto price = [&](const ::soap::Strategy &strategy) {
      return ::soap::priceStrategy(opGraph->graph, strategy,
                                   ::soap::CostModel(*topology),
                                   /*names=*/false)
                 .tasks.makespanNs *
             1e-6;
    };
    std::string text;
    llvm::raw_string_ostream(text)
        << "the nearest strategy of a grid has other configs for " << count
        << " of " << ops.size() << " ops, of which '" << first
        << "' is the first, and takes "
        << llvm::format("%.3f ms an iteration; this one takes %.3f ms",
                        price(changed), price(own))
        << " (simulated on " << topology->name << ")";
    error.attachNote(function.getLoc()) << text;
  }

  void createGrid() {
    auto module = function->getParentOfType<ModuleOp>();
    OpBuilder top = OpBuilder::atBlockBegin(module.getBody());
    shard::GridOp::create(top, function.getLoc(), gridName, grid.shape);
  }

  Value shardingOf(Split split) {
    while (split.size() > 1 && split.back().empty())
      split.pop_back();
    if (split.empty())
      split.emplace_back();
    Value &known = shardings[split];
    if (known)
      return known;
    OpBuilder::InsertionGuard guard(builder);
    if (lastSharding)
      builder.setInsertionPointAfter(lastSharding);
    else
      builder.setInsertionPointToStart(&function.getBody().front());
    SmallVector<shard::GridAxesAttr> axes;
    for (const Axes &own : split)
      axes.push_back(builder.getDenseI16ArrayAttr(
          SmallVector<int16_t>(own.begin(), own.end())));
    auto sharding = shard::ShardingOp::create(
        builder, function.getLoc(),
        FlatSymbolRefAttr::get(builder.getContext(), gridName), axes);
    lastSharding = sharding;
    return known = sharding.getResult();
  }

  Value shard(Value value, const Split &split, bool forUsers) {
    return shard::ShardOp::create(builder, value.getLoc(), value,
                                  shardingOf(split), forUsers);
  }

  /// How upstream goes from one split to another: one axis leaves or enters the
  /// end of the list of a dim. It takes two such changes at once for the first
  /// of them, except for a tensor with one axis that moves to another dim.
  static std::vector<Split> stepsBetween(const Split &from, const Split &to) {
    auto count = [](const Split &split) {
      size_t axes = 0;
      for (const Axes &own : split)
        axes += own.size();
      return axes;
    };
    auto only = [](const Split &split) {
      return llvm::find_if(split, [](const Axes &own) { return !own.empty(); });
    };
    if (from == to)
      return {};
    if (count(from) == 1 && count(to) == 1 && *only(from) == *only(to))
      return {to};
    std::vector<Split> steps;
    Split now = from;
    for (size_t d = 0; d < now.size(); ++d)
      while (now[d].size() > to[d].size() ||
             !std::equal(now[d].begin(), now[d].end(), to[d].begin())) {
        now[d].pop_back();
        steps.push_back(now);
      }
    for (size_t d = 0; d < now.size(); ++d)
      while (now[d].size() < to[d].size()) {
        now[d].push_back(to[d][now[d].size()]);
        steps.push_back(now);
      }
    return steps;
  }

  /// The annotated value, for a user that needs it in `split`.
  Value forUser(Value value, const Split &split) {
    std::vector<Split> steps;
    if (auto home = homes.find(value); home != homes.end())
      steps = stepsBetween(home->second, split);
    if (steps.empty())
      steps.push_back(split);
    for (const Split &step : steps)
      value = shard(value, step, /*forUsers=*/true);
    return value;
  }

  /// An argument is held as its users need it, if they all need the same; else
  /// whole, and each takes its part.
  void annotateArguments() {
    builder.setInsertionPointToStart(&function.getBody().front());
    llvm::DenseMap<Value, std::optional<Split>> needed;
    for (auto [i, op] : llvm::enumerate(ops))
      for (auto [split, operand] :
           llvm::zip_equal(operandSplits[i], readOperands(op))) {
        auto [known, isNew] = needed.try_emplace(operand->get(), split);
        if (!isNew && known->second != split)
          known->second = std::nullopt;
      }
    for (BlockArgument argument : function.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type)
        continue;
      std::optional<Split> common;
      if (auto found = needed.find(argument); found != needed.end())
        common = found->second;
      hold(argument, common.value_or(Split(type.getRank())));
    }
  }

  /// Annotates a value behind its definition.
  void hold(Value value, const Split &split) {
    Value sharding = shardingOf(split);
    OpBuilder::InsertionGuard guard(builder);
    if (Operation *op = value.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointAfter(lastSharding);
    auto held =
        shard::ShardOp::create(builder, value.getLoc(), value, sharding);
    value.replaceAllUsesExcept(held, held);
    homes[held] = split;
  }

  void annotateOp(Operation *op, size_t index) {
    if (!llvm::all_of(resultSplits[index],
                      [](const auto &split) { return split.has_value(); }))
      return;
    builder.setInsertionPoint(op);
    SmallVector<OpOperand *> read = readOperands(op);
    for (auto [split, operand] : llvm::zip_equal(operandSplits[index], read))
      if (split)
        operand->set(forUser(operand->get(), *split));
    // An operand that is not read has the place of a result, or only a shape.
    for (OpOperand &operand : op->getOpOperands()) {
      auto type = dyn_cast<RankedTensorType>(operand.get().getType());
      if (!type || llvm::is_contained(read, &operand))
        continue;
      auto style = dyn_cast<DestinationStyleOpInterface>(op);
      Split split(type.getRank());
      if (style && style.isDpsInit(&operand))
        split =
            *resultSplits[index]
                         [style.getTiedOpResult(&operand).getResultNumber()];
      operand.set(cloneAnnotated(operand.get(), split));
    }
    for (auto [result, split] :
         llvm::zip_equal(op->getResults(), resultSplits[index]))
      hold(result, *split);
  }

  /// A copy of the ops that make an init operand, for one user: their tensors
  /// are held in `split`.
  Value cloneAnnotated(Value value, const Split &split) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return value;
    IRMapping map;
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        map.map(operand, cloneAnnotated(operand, split));
    Operation *copy = builder.clone(*op, map);
    Value result = copy->getResult(cast<OpResult>(value).getResultNumber());
    Value held = shard(result, split, /*forUsers=*/false);
    return shard(held, split, /*forUsers=*/true);
  }

  static SmallVector<NamedAttribute> withoutSoap(DictionaryAttr attributes) {
    SmallVector<NamedAttribute> others;
    if (attributes)
      for (NamedAttribute attribute : attributes)
        if (!attribute.getName().strref().starts_with("soap."))
          others.push_back(attribute);
    return others;
  }

  void dropSoapAttributes() {
    Block &body = function.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (isOpTriviallyDead(&op))
        op.erase();
    function->getParentOfType<ModuleOp>()->walk([](Operation *op) {
      for (NamedAttribute attribute :
           llvm::to_vector(op->getDiscardableAttrs()))
        // The type of a product's sums is a part of what it computes.
        if (attribute.getName().strref().starts_with("soap.") &&
            attribute.getName() != kSumType)
          op->removeDiscardableAttr(attribute.getName());
      if (auto other = dyn_cast<func::FuncOp>(op)) {
        for (unsigned i = 0; i < other.getNumArguments(); ++i)
          other.setArgAttrs(i, withoutSoap(other.getArgAttrDict(i)));
        for (unsigned i = 0; i < other.getNumResults(); ++i)
          other.setResultAttrs(i, withoutSoap(other.getResultAttrDict(i)));
      }
    });
  }
};

struct ExportShardPass
    : public mlir::soap::impl::SoapExportShardBase<ExportShardPass> {
  using SoapExportShardBase::SoapExportShardBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<func::FuncOp> chosen = exportedFunction(module, function);
    if (failed(chosen))
      return signalPassFailure();
    if (SymbolTable::lookupSymbolIn(module, grid)) {
      module.emitError("option 'grid=")
          << grid << "': the module has a symbol of this name";
      return signalPassFailure();
    }
    if (failed(Exporter(*chosen, grid, partial).run()))
      signalPassFailure();
  }
};

} // namespace
