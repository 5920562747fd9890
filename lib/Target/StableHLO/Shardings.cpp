//===- Shardings.cpp - Shardings of a program ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the shardings of a program say that tensors lie: arguments, results,
// and constraints in between.
//
//===----------------------------------------------------------------------===//

#include "ShardingText.h"

#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

static constexpr StringRef shardyName = "sdy.sharding",
                           gspmdName = "mhlo.sharding";
static constexpr const char *leavesDims =
    "leaves dims to the compiler, and a config says all";

/// The sharding of an op's results; null if it has none.
static Attribute constraintOf(Operation *op) {
  if (op->getName().getStringRef() == "sdy.sharding_constraint")
    return op->getAttr("sharding");
  if (Attribute attribute = op->getAttr(shardyName))
    return attribute;
  return op->getAttr(gspmdName);
}

/// Whether an op is there for its sharding alone.
static bool isConstraint(Operation *op) {
  auto target = dyn_cast_or_null<StringAttr>(op->getAttr("call_target_name"));
  return op->getName().getStringRef() == "sdy.sharding_constraint" ||
         (target && target.getValue() == "Sharding");
}

static ::soap::IterationSpace spaceOf(ArrayRef<int64_t> shape) {
  ::soap::IterationSpace space;
  for (auto [d, extent] : llvm::enumerate(shape))
    space.loops.push_back({"d" + std::to_string(d), extent});
  return space;
}

//===----------------------------------------------------------------------===//
// Constraints on tensors
//===----------------------------------------------------------------------===//

/// The dims that a constraint of GSPMD leaves to the compiler, in
/// `backend_config = "unspecified_dims=[0,2]"`.
static bool hasUnspecifiedDims(Operation *op) {
  auto config = dyn_cast_or_null<StringAttr>(op->getAttr("backend_config"));
  return config && config.getValue().contains("unspecified_dims");
}

LogicalResult shlo::keepConstraint(Importer &importer, Operation *op) {
  Attribute attribute = constraintOf(op);
  if (!attribute) {
    if (isConstraint(op))
      emitRemark(op->getLoc())
          << "--keep-shardings: '" << op->getName()
          << "' is not kept: it has no attribute '" << gspmdName << "'";
    return success();
  }
  for (unsigned r = 0; r < op->getNumResults(); ++r) {
    TensorRef tensor = importer.get(op->getResult(r));
    ShardingReader reader(op->getParentOfType<ModuleOp>(),
                          tensor->type.getShape());
    std::optional<Sharding> sharding =
        reader.read(attribute, r, op->getNumResults());
    if (!sharding)
      return importer.error(op) << "has the sharding " << attribute << ", "
                                << reader.why() << " (--keep-shardings)";
    std::string why;
    ::soap::ConfigCheck check = ::soap::checkConfig(
        spaceOf(tensor->type.getShape()), sharding->config, -1);
    if (sharding->isOpen || hasUnspecifiedDims(op))
      why = leavesDims;
    else if (tensor->constant || tensor->iota)
      why = "is of a tensor that is known when the program is imported, which "
            "no op computes";
    else if (check.fault != ::soap::ConfigFault::None)
      why = "gives a config that Soap does not have: " + check.message;
    if (why.empty())
      importer.replace(op->getResult(r),
                       importer.place(tensor, sharding->config));
    else
      emitRemark(op->getLoc()) << "--keep-shardings: the constraint "
                               << attribute << " is not kept: it " << why;
  }
  return success();
}

TensorRef Importer::place(const TensorRef &tensor,
                          const ::soap::Config &config) {
  assert(!tensor->constant && "the tensor must be no constant");
  Value copy = materialize(fromValue(whole(tensor)));
  Operation *op = copy.getDefiningOp();
  op->setAttr(
      SoapDialect::kConfig,
      makeConfigAttr(context(), config, spaceOf(tensor->type.getShape())));
  op->setAttr(kFixed, ops.getUnitAttr());
  return fromValue(copy);
}

/// Whether the loops of the op are the dims of the result, in their order, and
/// the config splits only loops that may be split.
static std::optional<::soap::IterationSpace>
placeableSpace(OpResult result, const ::soap::Config &config) {
  Operation *op = result.getOwner();
  auto spaceOp = dyn_cast<IterationSpaceOpInterface>(op);
  if (!spaceOp || op->hasAttr(kFixed))
    return std::nullopt;
  ::soap::IterationSpace space = spaceOp.getIterationSpace();
  if (space.results.size() <= result.getResultNumber() ||
      space.loops.size() != config.degrees.size())
    return std::nullopt;
  const ::soap::AccessMap &map = space.results[result.getResultNumber()].map;
  if (map.size() != space.loops.size())
    return std::nullopt;
  for (auto [l, loop] : llvm::enumerate(space.loops))
    if (map[l] != ::soap::DimMap::loop(static_cast<int>(l)) ||
        (config.degrees[l] > 1 &&
         (loop.type != ::soap::IteratorType::Parallel || loop.stage)))
      return std::nullopt;
  return space;
}

/// Gives the op of a result a config that no search changes. Whether it could.
static bool placeAt(OpResult result, const ::soap::Config &config) {
  auto space = placeableSpace(result, config);
  if (!space)
    return false;
  MLIRContext *context = result.getContext();
  result.getOwner()->setAttr(SoapDialect::kConfig,
                             makeConfigAttr(context, config, *space));
  result.getOwner()->setAttr(kFixed, UnitAttr::get(context));
  return true;
}

/// The config of an op that has one, over the loops d0, d1, ... of its tensor.
static std::optional<::soap::Config> placeOf(Operation *op,
                                             RankedTensorType type) {
  auto config = op->getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
  if (!config || !op->hasAttr(kFixed))
    return std::nullopt;
  std::string error;
  return resolveConfig(config, spaceOf(type.getShape()), error);
}

void shlo::placeProducers(func::FuncOp function) {
  Block &block = function.getBody().front();
  for (auto copy :
       llvm::make_early_inc_range(block.getOps<linalg::GenericOp>())) {
    auto type = dyn_cast<RankedTensorType>(copy->getResult(0).getType());
    if (!type)
      continue;
    std::optional<::soap::Config> config = placeOf(copy, type);
    auto made = dyn_cast<OpResult>(copy->getOperand(0));
    if (!config || !made)
      continue;
    // A second constraint of the same kind says nothing more.
    bool isSame = made.getOwner()->getNumResults() == 1 &&
                  placeOf(made.getOwner(), type) == config;
    if (!isSame && !placeAt(made, *config))
      continue;
    copy->getResult(0).replaceAllUsesWith(made);
    copy.erase();
  }
}

//===----------------------------------------------------------------------===//
// Arguments and results
//===----------------------------------------------------------------------===//

namespace {

/// Gives arguments and results of a function their places.
class BoundaryPlacer {
public:
  BoundaryPlacer(func::FuncOp source, func::FuncOp function)
      : source(source), function(function) {}

  LogicalResult run();
  /// Of arguments and results.
  unsigned count();

private:
  func::FuncOp source, function;

  Attribute shardingOf(unsigned number, bool isArgument);
  LogicalResult visit(unsigned number, bool isArgument);
  /// The new value of an argument is where the argument is.
  void placeUpdate(unsigned result, const ::soap::Config &config,
                   const Twine &what);
  int updateOf(unsigned argument);
};

} // namespace

Attribute BoundaryPlacer::shardingOf(unsigned number, bool isArgument) {
  for (StringRef name : {shardyName, gspmdName})
    if (Attribute found = isArgument ? source.getArgAttr(number, name)
                                     : source.getResultAttr(number, name))
      return found;
  return {};
}

unsigned BoundaryPlacer::count() {
  unsigned found = 0;
  for (unsigned i = 0; i < source.getNumArguments(); ++i)
    found += shardingOf(i, /*isArgument=*/true) != nullptr;
  for (unsigned i = 0; i < source.getNumResults(); ++i)
    found += shardingOf(i, /*isArgument=*/false) != nullptr;
  return found;
}

/// The result that is the new value of an argument; -1: none.
int BoundaryPlacer::updateOf(unsigned argument) {
  for (unsigned r = 0; r < function.getNumResults(); ++r)
    if (auto updates =
            function.getResultAttrOfType<IntegerAttr>(r, SoapDialect::kUpdates);
        updates && updates.getInt() == static_cast<int64_t>(argument))
      return static_cast<int>(r);
  return -1;
}

void BoundaryPlacer::placeUpdate(unsigned result, const ::soap::Config &config,
                                 const Twine &what) {
  Value value = function.getBody().front().getTerminator()->getOperand(result);
  auto made = dyn_cast<OpResult>(value);
  if (made && placeOf(made.getOwner(),
                      cast<RankedTensorType>(value.getType())) == config)
    return;
  if (!made || !placeAt(made, config))
    function.emitRemark() << "--keep-shardings: the sharding of " << what
                          << " is not kept: "
                          << (made && made.getOwner()->hasAttr(kFixed)
                                  ? "its new value has another one"
                                  : "the op of its new value cannot be split "
                                    "so");
}

LogicalResult BoundaryPlacer::visit(unsigned number, bool isArgument) {
  Attribute attribute = shardingOf(number, isArgument);
  if (!attribute)
    return success();
  auto type =
      cast<RankedTensorType>(isArgument ? function.getArgumentTypes()[number]
                                        : function.getResultTypes()[number]);
  std::string what =
      (isArgument ? "argument " : "result ") + std::to_string(number);
  auto fail = [&](const Twine &reason) {
    return source.emitError()
           << "--keep-shardings: " << what << " has the sharding " << attribute
           << ", " << reason;
  };
  ShardingReader reader(source->getParentOfType<ModuleOp>(), type.getShape());
  std::optional<Sharding> sharding = reader.read(attribute, 0, 1);
  if (!sharding)
    return fail(reader.why());
  if (sharding->isOpen) {
    function.emitRemark() << "--keep-shardings: the sharding of " << what
                          << " is not kept: it " << leavesDims;
    return success();
  }
  ::soap::IterationSpace space = spaceOf(type.getShape());
  ::soap::ConfigCheck check = ::soap::checkConfig(space, sharding->config, -1);
  if (check.fault != ::soap::ConfigFault::None)
    return fail(check.message);
  ConfigAttr config =
      makeConfigAttr(source.getContext(), sharding->config, space);
  if (!isArgument) {
    if (function.getResultAttr(number, SoapDialect::kUpdates))
      placeUpdate(number, sharding->config, what);
    else
      function.setResultAttr(number, SoapDialect::kConfig, config);
    return success();
  }
  if (int result = updateOf(number); result >= 0)
    placeUpdate(static_cast<unsigned>(result), sharding->config, what);
  else
    function.setArgAttr(number, SoapDialect::kConfig, config);
  return success();
}

LogicalResult BoundaryPlacer::run() {
  for (unsigned i = 0; i < source.getNumArguments(); ++i)
    if (failed(visit(i, /*isArgument=*/true)))
      return failure();
  for (unsigned i = 0; i < source.getNumResults(); ++i)
    if (failed(visit(i, /*isArgument=*/false)))
      return failure();
  return success();
}

LogicalResult shlo::keepShardings(func::FuncOp source, func::FuncOp function,
                                  bool keep) {
  BoundaryPlacer placer(source, function);
  if (keep)
    return placer.run();
  unsigned unused = placer.count();
  source->getParentOfType<ModuleOp>().walk([&](Operation *op) {
    unused += !isa<func::FuncOp>(op) && (constraintOf(op) || isConstraint(op));
  });
  if (unused)
    function.emitRemark() << unused
                          << " shardings of the program are not used; "
                             "--keep-shardings keeps arguments, results and "
                             "constrained tensors where they say";
  return success();
}
