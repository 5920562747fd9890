//===- ParallelizeKernels.cpp - Loops of kernels on several threads -------===//
//
// The pass: outlines loops with independent iterations as functions of a range.
//
//===----------------------------------------------------------------------===//

#include "IndependentLoops.h"

#include "Soap/Conversion/Passes.h"
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

/// What of the kernel a nest needs: arguments, and ops to repeat in the
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
    if (isa<BlockArgument>(value))
      return isa<MemRefType>(value.getType())
                 ? (needs.buffers.insert(value), true)
                 : false;
    Operation *op = value.getDefiningOp();
    if (needs.ops.contains(op))
      return true;
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

class Parallelizer {
public:
  Parallelizer(ModuleOp module, int64_t minWork)
      : symbols(module), minWork(minWork) {}

  void run(func::FuncOp kernel) {
    llvm::DenseSet<Value> written;
    kernel.walk([&](memref::StoreOp store) {
      written.insert(rootBuffer(store.getMemRef()));
    });
    Block &body = kernel.getBody().front();
    for (auto nest : llvm::make_early_inc_range(body.getOps<scf::ForOp>())) {
      if (countWork(nest) < minWork)
        continue;
      scf::ForOp loop = findIndependentLoop(nest);
      std::optional<Needs> needs;
      if (loop)
        needs = needsOf(nest, written);
      if (needs)
        outline(kernel, nest, loop, *needs);
    }
  }

private:
  SymbolTable symbols;
  int64_t minWork;

  void outline(func::FuncOp kernel, scf::ForOp nest, scf::ForOp loop,
               const Needs &needs) {
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
    symbols.insert(function);
    Block *body = function.addEntryBlock();
    IRMapping map;
    for (auto [i, buffer] : llvm::enumerate(needs.buffers)) {
      map.map(buffer, body->getArgument(i));
      unsigned argument = cast<BlockArgument>(buffer).getArgNumber();
      if (DictionaryAttr attributes = kernel.getArgAttrDict(argument))
        function.setArgAttrs(i, attributes);
    }
    builder.setInsertionPointToEnd(body);
    for (Operation *op : needs.ops)
      builder.clone(*op, map);
    builder.clone(*nest, map);
    auto inner = cast<BlockArgument>(map.lookup(Value(loop.getInductionVar())))
                     .getOwner()
                     ->getParentOp();
    auto range = cast<scf::ForOp>(inner);
    range.setLowerBound(body->getArgument(needs.buffers.size()));
    range.setUpperBound(body->getArgument(needs.buffers.size() + 1));
    func::ReturnOp::create(builder, nest.getLoc());

    builder.setInsertionPoint(nest);
    int64_t extent = *tripCountOf(loop);
    // Innermost loops in whole vectors, so that no element is in the rest of
    // one range and in a vector of another.
    bool isInnermost = loop.getBody()->getOps<scf::ForOp>().empty();
    ParallelCallOp::create(builder, nest.getLoc(), function.getName(), extent,
                           /*grain=*/isInnermost && extent >= 64 ? 16 : 1,
                           needs.buffers.getArrayRef());
    nest.erase();
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
    Parallelizer parallelizer(module, minWork);
    for (StringAttr name : names)
      if (auto kernel = module.lookupSymbol<func::FuncOp>(name);
          kernel && kernel.getBody().hasOneBlock())
        parallelizer.run(kernel);
  }
};

} // namespace
