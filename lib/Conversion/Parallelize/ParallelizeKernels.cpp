//===- ParallelizeKernels.cpp - Loops of kernels on several threads -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: outlines loops with independent iterations as functions of a range.
//
//===----------------------------------------------------------------------===//

#include "CooperativeBlocks.h"
#include "CooperativeRows.h"
#include "IndependentLoops.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPARALLELIZEKERNELS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Arguments of the kernel, and memory of its own that the whole kernel sees.
bool isKernelBuffer(Value value) {
  if (!isa<MemRefType>(value.getType()))
    return false;
  auto alloca = value.getDefiningOp<memref::AllocaOp>();
  return isa<BlockArgument>(value) ||
         (alloca && !alloca->hasAttr(kTogether) &&
          isa<func::FuncOp>(alloca->getParentOp()));
}

/// The parts of the kernel that a nest needs: buffers, and ops to repeat in the
/// function of the nest, in their order.
struct Needs {
  llvm::SetVector<Value> buffers;
  llvm::SetVector<Operation *> ops;
};

/// None if something cannot be computed again in every range.
std::optional<Needs> needsOf(scf::ForOp nest,
                             const llvm::DenseSet<Value> &written) {
  Needs needs;
  auto visit = [&](auto &self, Value value) -> bool {
    if (isKernelBuffer(value)) {
      needs.buffers.insert(value);
      return true;
    }
    if (isa<BlockArgument>(value))
      return false;
    Operation *op = value.getDefiningOp();
    if (needs.ops.contains(op))
      return true;
    // Memory of a block: each part has its own.
    if (op->hasAttr(kTogether)) {
      needs.ops.insert(op);
      return true;
    }
    auto load = dyn_cast<memref::LoadOp>(op);
    if (op->getNumRegions() != 0 ||
        (load ? written.contains(rootBuffer(load.getMemRef()))
              : !isMemoryEffectFree(op)))
      return false;
    for (Value operand : op->getOperands())
      if (!self(self, operand))
        return false;
    needs.ops.insert(op);
    return true;
  };
  llvm::SetVector<Value> above;
  getUsedValuesDefinedAbove(nest->getRegions(), above);
  for (Value operand : nest->getOperands())
    above.insert(operand);
  for (Value value : above)
    if (!visit(visit, value))
      return std::nullopt;
  return needs;
}

/// Whether neighbours in `loop` read neighbours in all that `inner` folds.
static bool readsAcross(scf::ForOp inner, scf::ForOp loop) {
  bool loads = false;
  bool across = !inner
                     .walk([&](memref::LoadOp load) {
                       if (!llvm::is_contained(load.getIndices(),
                                               inner.getInductionVar()))
                         return WalkResult::advance();
                       loads = true;
                       return load.getIndices().back() == loop.getInductionVar()
                                  ? WalkResult::advance()
                                  : WalkResult::interrupt();
                     })
                     .wasInterrupted();
  return loads && across;
}

/// A softmax over an axis that is not the last one: with a thread an element,
/// each would fold all of its column again. Keeps the loops over columns, where
/// what is read again takes longer than a thread takes for a column.
static void keepColumns(SmallVector<scf::ForOp> &loops) {
  constexpr int64_t worthIt = 131072;
  int64_t columns = 1;
  for (size_t i = 0; i + 1 < loops.size(); ++i) {
    columns *= *tripCountOf(loops[i]);
    int64_t folded = 0;
    bool across = true;
    for (auto inner : loops[i].getBody()->getOps<scf::ForOp>())
      if (inner.getNumResults() > 0) {
        folded = std::max(folded, tripCountOf(inner).value_or(0));
        across &= readsAcross(inner, loops[i]);
      }
    if (folded > 0 && across && columns * folded > worthIt)
      return loops.truncate(i + 1);
  }
}

class Parallelizer {
public:
  Parallelizer(ModuleOp module, int64_t minWork, bool flatten)
      : symbols(module), minWork(minWork), flatten(flatten) {}

  void run(func::FuncOp kernel) {
    llvm::DenseSet<Value> written;
    kernel.walk([&](memref::StoreOp store) {
      written.insert(rootBuffer(store.getMemRef()));
    });
    Block &body = kernel.getBody().front();
    for (auto nest : llvm::make_early_inc_range(body.getOps<scf::ForOp>())) {
      if (countWork(nest) < minWork)
        continue;
      SmallVector<scf::ForOp> loops;
      bool haveLanes = false;
      if (flatten) {
        loops = findCooperativeRows(nest);
        haveLanes = !loops.empty();
        if (!haveLanes) {
          loops = findIndependentLoops(nest);
          keepColumns(loops);
        }
      } else if (scf::ForOp loop = findIndependentLoop(nest)) {
        loops.push_back(loop);
      }
      std::optional<Needs> needs;
      if (!loops.empty())
        needs = needsOf(nest, written);
      if (needs)
        outline(kernel, nest, loops, *needs, haveLanes);
    }
  }

private:
  SymbolTable symbols;
  int64_t minWork;
  bool flatten;

  /// With `haveLanes` an iteration of `loops` is as many as a warp has lanes.
  void outline(func::FuncOp kernel, scf::ForOp nest, ArrayRef<scf::ForOp> loops,
               const Needs &needs, bool haveLanes) {
    OpBuilder builder(kernel.getContext());
    SmallVector<Type> types;
    for (Value buffer : needs.buffers)
      types.push_back(buffer.getType());
    types.append(2, builder.getIndexType());
    auto function = func::FuncOp::create(builder, nest.getLoc(),
                                         (kernel.getName() + "_loop").str(),
                                         builder.getFunctionType(types, {}));
    function.setPrivate();
    function->setDiscardableAttrs(
        llvm::to_vector(kernel->getDiscardableAttrs()));
    if (haveLanes)
      function->setAttr(kLanes, builder.getUnitAttr());
    int64_t block = iterationsOfBlock(nest);
    if (block > 0)
      function->setAttr(kBlock, builder.getI64IntegerAttr(block));
    symbols.insert(function);
    Block *body = function.addEntryBlock();
    IRMapping map;
    for (auto [i, buffer] : llvm::enumerate(needs.buffers)) {
      map.map(buffer, body->getArgument(i));
      auto argument = dyn_cast<BlockArgument>(buffer);
      if (!argument)
        continue;
      if (DictionaryAttr attributes =
              kernel.getArgAttrDict(argument.getArgNumber()))
        function.setArgAttrs(i, attributes);
    }
    builder.setInsertionPointToEnd(body);
    for (Operation *op : needs.ops)
      builder.clone(*op, map);
    Value begin = body->getArgument(needs.buffers.size()),
          end = body->getArgument(needs.buffers.size() + 1);
    int64_t extent =
        flatten ? flatRange(builder, nest, loops, map, begin, end, haveLanes)
                : oneRange(builder, nest, loops[0], map, begin, end);
    builder.setInsertionPointToEnd(body);
    func::ReturnOp::create(builder, nest.getLoc());
    // The function has it now, for its own iterations.
    if (scf::IfOp end = blockEndOf(function))
      end->removeAttr(kBlock);

    builder.setInsertionPoint(nest);
    // Innermost loops in whole vectors, so that no element is in the rest of
    // one range and in a vector of another; and whole blocks.
    scf::ForOp last = loops.back();
    bool isInnermost = last.getBody()->getOps<scf::ForOp>().empty();
    int64_t grain = isInnermost && extent >= 64 ? 16 : 1;
    ParallelCallOp::create(builder, nest.getLoc(), function.getName(), extent,
                           block > 0 ? block : grain,
                           needs.buffers.getArrayRef());
    nest.erase();
  }

  /// The copy of a loop of the nest that `map` knows.
  static scf::ForOp copyOf(scf::ForOp loop, const IRMapping &map) {
    Value variable = map.lookup(Value(loop.getInductionVar()));
    return cast<scf::ForOp>(
        cast<BlockArgument>(variable).getOwner()->getParentOp());
  }

  /// The nest with one loop restricted to the range.
  static int64_t oneRange(OpBuilder &builder, scf::ForOp nest, scf::ForOp loop,
                          IRMapping &map, Value begin, Value end) {
    builder.clone(*nest, map);
    scf::ForOp range = copyOf(loop, map);
    range.setLowerBound(begin);
    range.setUpperBound(end);
    return *tripCountOf(loop);
  }

  /// A loop over the range, whose iterations are the iterations of all `loops`
  /// together, the last one fastest; of the nest the others remain. With
  /// `haveLanes` each of them is as many iterations as a warp has lanes, of
  /// which the first does it.
  static int64_t flatRange(OpBuilder &builder, scf::ForOp nest,
                           ArrayRef<scf::ForOp> loops, IRMapping &map,
                           Value begin, Value end, bool haveLanes) {
    Location loc = nest.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    SmallVector<Value> trips;
    int64_t extent = 1;
    for (scf::ForOp loop : loops) {
      trips.push_back(constant(*tripCountOf(loop)));
      extent *= *tripCountOf(loop);
    }
    auto range = scf::ForOp::create(builder, loc, begin, end, constant(1));
    builder.setInsertionPoint(range.getBody()->getTerminator());
    SmallVector<Value> variables(loops.size());
    Value rest = range.getInductionVar();
    if (haveLanes) {
      extent *= kWarpLanes;
      Value lanes = constant(kWarpLanes), zero = constant(0);
      Value lane = arith::RemUIOp::create(builder, loc, rest, lanes);
      rest = arith::DivUIOp::create(builder, loc, rest, lanes);
      Value isFirst = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::eq, lane, zero);
      auto row = scf::IfOp::create(builder, loc, isFirst,
                                   /*withElseRegion=*/false);
      row->setAttr(kLanes, builder.getUnitAttr());
      builder.setInsertionPoint(row.thenBlock()->getTerminator());
    }
    // Not negative, so that unsigned division is right, and cheaper.
    for (size_t i = loops.size(); i-- > 0;) {
      variables[i] =
          i == 0 ? rest : arith::RemUIOp::create(builder, loc, rest, trips[i]);
      if (i > 0)
        rest = arith::DivUIOp::create(builder, loc, rest, trips[i]);
    }
    builder.clone(*nest, map);
    IRRewriter rewriter(builder.getContext());
    for (auto [loop, variable] : llvm::zip(loops, variables)) {
      scf::ForOp copy = copyOf(loop, map);
      rewriter.eraseOp(copy.getBody()->getTerminator());
      rewriter.inlineBlockBefore(copy.getBody(), copy, variable);
      rewriter.eraseOp(copy);
    }
    return extent;
  }
};

struct ParallelizeKernelsPass
    : public mlir::soap::impl::SoapParallelizeKernelsBase<
          ParallelizeKernelsPass> {
  using SoapParallelizeKernelsBase::SoapParallelizeKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::SetVector<StringAttr> names;
    module.walk([&](KernelCallOp call) {
      names.insert(call.getCalleeAttr().getAttr());
    });
    Parallelizer parallelizer(module, minWork, flatten);
    for (StringAttr name : names)
      if (auto kernel = module.lookupSymbol<func::FuncOp>(name);
          kernel && kernel.getBody().hasOneBlock())
        parallelizer.run(kernel);
  }
};

} // namespace
