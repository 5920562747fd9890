//===- BufferizePrograms.cpp - Programs on tensors to buffers -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// States where results must lie, runs one-shot bufferization with an analysis
// of straight-line programs, a program per thread, and checks that they do lie
// there.
//
//===----------------------------------------------------------------------===//

#include "BufferizationModels.h"
#include "ForwardCopies.h"
#include "InPlaceOperands.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Threading.h"
#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPBUFFERIZEPROGRAMS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

bool hasTensors(func::FuncOp function) {
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  return llvm::any_of(function.getArgumentTypes(), isTensor) ||
         llvm::any_of(function.getResultTypes(), isTensor);
}

/// Programs that only send and receive have neither arguments nor results.
bool computesOnTensors(func::FuncOp function) {
  return llvm::any_of(function.getOps(), [](Operation &op) {
    return llvm::any_of(op.getResultTypes(), llvm::IsaPred<TensorType>);
  });
}

/// The value that `value` is a view of.
Value viewSource(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// Makes every result the new value of an argument: of the one that it
/// replaces, or of a new one. Attributes of arguments and results that later
/// steps do not need are dropped; those that they need are added.
LogicalResult giveResultsPlaces(func::FuncOp function) {
  MLIRContext *context = function.getContext();
  OpBuilder builder(context);
  auto end = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  builder.setInsertionPoint(end);
  unsigned argumentCount = function.getNumArguments();
  SmallVector<int64_t> places;
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    auto updates =
        function.getResultAttrOfType<IntegerAttr>(i, SoapDialect::kUpdates);
    places.push_back(updates ? updates.getInt() : -1);
    if (updates && llvm::count(places, updates.getInt()) > 1)
      return function.emitError("two results of '")
             << function.getName() << "' replace argument #"
             << updates.getInt();
  }
  for (unsigned i = 0; i < argumentCount; ++i) {
    Attribute memory = function.getArgAttr(i, kMemory);
    function.setArgAttrs(i, ArrayRef<NamedAttribute>());
    if (memory) // which prices launches
      function.setArgAttr(i, kMemory, memory);
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    function.setResultAttrs(i, ArrayRef<NamedAttribute>());

  // Arguments that are results, too, are copied before any is overwritten; so
  // is a value that is a result more than once, for it has one place.
  llvm::SmallDenseSet<Value> placed;
  for (OpOperand &operand : end->getOpOperands()) {
    Value value = operand.get();
    int64_t place = places[operand.getOperandNumber()];
    bool isArgument = isa<BlockArgument>(viewSource(value));
    if ((isArgument && (place < 0 || value != function.getArgument(place))) ||
        (!isArgument && !placed.insert(viewSource(value)).second))
      operand.set(bufferization::AllocTensorOp::create(
          builder, value.getLoc(), cast<RankedTensorType>(value.getType()),
          ValueRange(), /*copy=*/value));
  }
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    Location loc = end.getOperand(i).getLoc();
    bool isNew = places[i] < 0;
    if (isNew) {
      places[i] = function.getNumArguments();
      if (failed(function.insertArgument(
              places[i], function.getResultTypes()[i], DictionaryAttr(), loc)))
        return failure();
      function.setArgAttr(places[i], "soap.result",
                          builder.getI64IntegerAttr(i));
    } else {
      function.setArgAttr(places[i], "soap.updated", builder.getUnitAttr());
    }
    Value place = function.getArgument(places[i]), value = end.getOperand(i);
    auto inPlace = bufferization::MaterializeInDestinationOp::create(
        builder, loc, place.getType(), value, place);
    end.setOperand(i, inPlace.getResult());
  }
  // Only results may write to arguments.
  for (unsigned i = 0; i < argumentCount; ++i)
    if (!llvm::is_contained(places, i))
      function.setArgAttr(i, "bufferization.writable",
                          builder.getBoolAttr(false));
  return success();
}

/// Results are arguments now: drops them, and copies of a buffer to itself.
LogicalResult dropResults(func::FuncOp function) {
  auto end = cast<func::ReturnOp>(function.getBody().front().getTerminator());
  for (auto [i, result] : llvm::enumerate(end.getOperands()))
    if (!isa<BlockArgument>(result))
      return function.emitError("result #")
             << i << " of '" << function.getName() << "' did not get its place";
  end->setOperands({});
  function.setFunctionType(FunctionType::get(function.getContext(),
                                             function.getArgumentTypes(), {}));
  function.removeResAttrsAttr();
  for (memref::CopyOp copy :
       llvm::make_early_inc_range(function.getOps<memref::CopyOp>()))
    if (copy.getSource() == copy.getTarget())
      copy.erase();
  return success();
}

/// Constants are globals of the module in which a program became one on
/// buffers: gives them to `module`, equal ones once.
void moveConstants(func::FuncOp program, ModuleOp from, ModuleOp module) {
  auto globals = llvm::to_vector(from.getOps<memref::GlobalOp>());
  if (globals.empty())
    return;
  SymbolTable symbols(module);
  llvm::DenseMap<std::pair<Type, Attribute>, StringAttr> known;
  auto keyOf = [](memref::GlobalOp global) {
    return std::pair(Type(global.getType()), global.getInitialValueAttr());
  };
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getConstant() && global.getInitialValueAttr())
      known.try_emplace(keyOf(global), global.getSymNameAttr());
  llvm::DenseMap<StringAttr, StringAttr> names;
  for (memref::GlobalOp global : globals) {
    StringAttr before = global.getSymNameAttr();
    auto [name, isNew] = known.try_emplace(keyOf(global));
    if (isNew) {
      global->remove();
      name->second = symbols.insert(global, module.getBody()->begin());
    }
    names[before] = name->second;
  }
  program.walk([&](memref::GetGlobalOp use) {
    if (StringAttr name = names.lookup(use.getNameAttr().getAttr()))
      use.setNameAttr(FlatSymbolRefAttr::get(name));
  });
}

struct BufferizeProgramsPass
    : public mlir::soap::impl::SoapBufferizeProgramsBase<
          BufferizeProgramsPass> {
  using SoapBufferizeProgramsBase::SoapBufferizeProgramsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    SoapBufferizeProgramsBase::getDependentDialects(registry);
    registry.insert<tensor::TensorDialect>();
    registerBufferizationModels(registry);
  }

  void runOnOperation() override {
    if (failed(bufferize(getOperation())))
      signalPassFailure();
  }

  LogicalResult bufferize(ModuleOp module) {
    SmallVector<func::FuncOp> programs;
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isExternal() &&
          (hasTensors(function) || computesOnTensors(function))) {
        if (!function.getBody().hasOneBlock())
          return function.emitError("program '")
                 << function.getName() << "' must be straight-line code";
        programs.push_back(function);
      }
    // Programs know nothing of each other: each is bufferized in a module of
    // its own, several at a time, and gets back to its place.
    SmallVector<OwningOpRef<ModuleOp>> alone;
    SmallVector<Operation *> behind; // each program, in the order of the module
    for (func::FuncOp program : programs) {
      alone.push_back(ModuleOp::create(module.getLoc()));
      behind.push_back(program->getNextNode());
      program->moveBefore(alone.back()->getBody(),
                          alone.back()->getBody()->end());
    }
    LogicalResult result = failableParallelForEachN(
        module.getContext(), 0, programs.size(),
        [&](size_t i) { return bufferizeAlone(*alone[i], programs[i]); });
    // From the last one on: what is behind a program is in place again.
    for (size_t i = programs.size(); i-- > 0;)
      if (behind[i])
        programs[i]->moveBefore(behind[i]);
      else
        programs[i]->moveBefore(module.getBody(), module.getBody()->end());
    if (succeeded(result))
      for (auto [program, from] : llvm::zip(programs, alone))
        moveConstants(program, *from, module);
    return result;
  }

  static LogicalResult bufferizeAlone(ModuleOp module, func::FuncOp program) {
    if (failed(giveResultsPlaces(program)))
      return failure();
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(
        bufferization::LayoutMapOption::IdentityLayoutMap);
    // Ops write to their results' places directly where nothing speaks against
    // it. This needs no analysis: it follows the chain of ops that write a
    // result, whose last one is in place by its nature.
    IRRewriter rewriter(module.getContext());
    bufferization::OneShotAnalysisState undecided(module, options);
    if (failed(
            bufferization::eliminateEmptyTensors(rewriter, module, undecided)))
      return failure();

    InPlaceOperands inPlace(options);
    bufferization::BufferizationState state;
    if (failed(inPlace.analyze(program)) ||
        failed(bufferization::insertTensorCopies(module, inPlace, state)) ||
        failed(bufferization::bufferizeModuleOp(module, options, state)))
      return failure();
    bufferization::removeBufferizationAttributesInModule(module);
    if (failed(dropResults(program)))
      return failure();
    forwardCopies(program);
    return success();
  }
};

} // namespace
