//===- WidenKernels.cpp - Several elements an iteration -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass. A GPU moves 16 bytes with one instruction where it can, and a
// thread that computes one number of f32 asks for four. Parts whose iterations
// each read and write their own element do four of them: first all loads, then
// the computation, then all stores, each four in a row, which LLVM joins
// because the buffers are known to be aligned.
//
//===----------------------------------------------------------------------===//

#include "../Parallelize/IndependentLoops.h"
#include "Accesses.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"

#include <map>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPWIDENKERNELS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr int64_t lanes = 4, alignment = 16;

/// The iteration divided by `divisor`, and of that the remainder by `modulus`
/// (0: all of it).
using Digit = std::pair<int64_t, int64_t>;
/// A sum of digits, each times a number.
using Digits = std::map<Digit, int64_t>;

/// `value` as a function of `iteration`; none if it is another function.
std::optional<Digits> digitsOf(Value value, Value iteration) {
  if (value == iteration)
    return Digits{{{1, 0}, 1}};
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return *constant == 0 ? std::optional<Digits>(Digits()) : std::nullopt;
  Operation *op = value.getDefiningOp();
  if (!op || op->getNumOperands() != 2)
    return std::nullopt;
  auto left = digitsOf(op->getOperand(0), iteration);
  if (!left)
    return std::nullopt;
  if (isa<arith::AddIOp>(op)) {
    auto right = digitsOf(op->getOperand(1), iteration);
    if (!right)
      return std::nullopt;
    for (auto [digit, factor] : *right)
      (*left)[digit] += factor;
    return left;
  }
  std::optional<int64_t> number = getConstantIntValue(op->getOperand(1));
  if (!number || *number <= 0)
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    for (auto &[digit, factor] : *left)
      factor *= *number;
    return left;
  }
  // Digits are cut of what is one digit without a modulus.
  if (left->size() != 1 || left->begin()->second != 1 ||
      left->begin()->first.second != 0)
    return std::nullopt;
  int64_t divisor = left->begin()->first.first;
  if (isa<arith::DivUIOp>(op))
    return Digits{{{divisor * *number, 0}, 1}};
  if (isa<arith::RemUIOp>(op))
    return Digits{{{divisor, *number}, 1}};
  return std::nullopt;
}

/// The digits, each at its place, make the iteration, which is below `extent`.
bool isIteration(const Digits &digits, int64_t extent) {
  int64_t place = 1;
  bool complete = false;
  for (auto [digit, factor] : digits) {
    if (factor == 0)
      continue;
    auto [divisor, modulus] = digit;
    if (complete || divisor != place || factor != place)
      return false;
    complete = modulus == 0;
    place *= modulus;
  }
  return complete || place == extent;
}

/// The access is to the element with the number of the iteration.
template <typename Access>
bool isOwnElement(Access access, Value iteration, int64_t extent) {
  MemRefType type = access.getMemRefType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getNumElements() != extent ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return false;
  Digits sum;
  int64_t stride = 1;
  for (size_t dim = access.getIndices().size(); dim-- > 0;) {
    auto digits = digitsOf(access.getIndices()[dim], iteration);
    if (!digits)
      return false;
    for (auto [digit, factor] : *digits)
      sum[digit] += factor * stride;
    stride *= type.getDimSize(static_cast<unsigned>(dim));
  }
  return isIteration(sum, extent);
}

/// Straight code that loads, computes, and stores own elements at the end.
/// `own` are the loads and stores of own elements.
bool canBeWidened(scf::ForOp loop, int64_t extent,
                  llvm::DenseSet<Operation *> &own) {
  Value iteration = loop.getInductionVar();
  llvm::DenseSet<Value> written;
  loop.getBody()->walk([&](memref::StoreOp store) {
    written.insert(rootBuffer(store.getMemRef()));
  });
  bool stores = false, wide = false;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (stores)
        return false;
      if (isOwnElement(load, iteration, extent)) {
        own.insert(load);
        wide = true;
      } else if (written.contains(rootBuffer(load.getMemRef()))) {
        return false;
      }
    } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
      stores = true;
      if (!isOwnElement(store, iteration, extent))
        return false;
      own.insert(store);
    } else if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op)) {
      return false;
    }
  }
  return stores && wide;
}

class Widener {
public:
  explicit Widener(ModuleOp module) : symbols(module) {}

  /// The part with four elements an iteration; null: there is none.
  StringAttr widened(StringAttr name, int64_t extent) {
    auto [place, isNew] = known.try_emplace({name, extent});
    if (!isNew)
      return place->second;
    auto part = symbols.lookup<func::FuncOp>(name);
    scf::ForOp loop = part ? rangeLoopOf(part) : nullptr;
    llvm::DenseSet<Operation *> own;
    if (!loop || !canBeWidened(loop, extent, own))
      return nullptr;
    StringAttr made = create(part, loop, own);
    return known[{name, extent}] = made;
  }

private:
  SymbolTable symbols;
  llvm::DenseMap<std::pair<StringAttr, int64_t>, StringAttr> known;

  StringAttr create(func::FuncOp part, scf::ForOp loop,
                    const llvm::DenseSet<Operation *> &own) {
    Location loc = part.getLoc();
    OpBuilder builder(part.getContext());
    auto wide = func::FuncOp::create(
        builder, loc, (part.getName() + "_by_4").str(), part.getFunctionType());
    wide.setPrivate();
    wide->setDiscardableAttrs(llvm::to_vector(part->getDiscardableAttrs()));
    StringAttr name = symbols.insert(wide);
    Block *body = wide.addEntryBlock();
    unsigned buffers = part.getNumArguments() - 2;
    for (unsigned i = 0; i < part.getNumArguments(); ++i) {
      if (DictionaryAttr attributes = part.getArgAttrDict(i))
        wide.setArgAttrs(i, attributes);
      if (i < buffers)
        wide.setArgAttr(i, LLVM::LLVMDialect::getAlignAttrName(),
                        builder.getI64IntegerAttr(alignment));
    }
    IRMapping shared;
    shared.map(part.getArguments(), body->getArguments());
    builder.setInsertionPointToEnd(body);
    for (Operation &op : part.getBody().front().without_terminator())
      if (&op != loop)
        builder.clone(op, shared);
    Value one = arith::ConstantIndexOp::create(builder, loc, 1);
    Value four = arith::ConstantIndexOp::create(builder, loc, lanes);
    auto range = scf::ForOp::create(builder, loc, body->getArgument(buffers),
                                    body->getArgument(buffers + 1), one);
    func::ReturnOp::create(builder, loc);
    builder.setInsertionPoint(range.getBody()->getTerminator());
    constexpr auto noWrap =
        arith::IntegerOverflowFlags::nsw | arith::IntegerOverflowFlags::nuw;
    Value first = arith::MulIOp::create(builder, loc, range.getInductionVar(),
                                        four, noWrap);
    SmallVector<IRMapping> maps(lanes, shared);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value here = first;
      if (lane > 0) {
        Value offset = arith::ConstantIndexOp::create(builder, loc, lane);
        here = arith::AddIOp::create(builder, loc, first, offset, noWrap);
      }
      maps[lane].map(loop.getInductionVar(), here);
    }
    auto ops = loop.getBody()->without_terminator();
    // Loads of one buffer side by side, the computation of each lane, stores.
    for (Operation &op : ops)
      if (auto load = dyn_cast<memref::LoadOp>(op); load && own.contains(&op)) {
        Value row = asRow(builder, shared.lookupOrDefault(load.getMemRef()));
        for (IRMapping &map : maps)
          map.map(
              load.getResult(),
              memref::LoadOp::create(builder, loc, row,
                                     map.lookup(Value(loop.getInductionVar())))
                  .getResult());
      }
    for (IRMapping &map : maps)
      for (Operation &op : ops)
        if (!own.contains(&op))
          builder.clone(op, map);
    for (Operation &op : ops)
      if (auto store = dyn_cast<memref::StoreOp>(op)) {
        Value row = asRow(builder, shared.lookupOrDefault(store.getMemRef()));
        for (IRMapping &map : maps)
          memref::StoreOp::create(builder, loc,
                                  map.lookupOrDefault(store.getValue()), row,
                                  map.lookup(Value(loop.getInductionVar())));
      }
    return name;
  }

  static Value asRow(OpBuilder &builder, Value buffer) {
    auto type = cast<MemRefType>(buffer.getType());
    if (type.getRank() <= 1)
      return buffer;
    SmallVector<ReassociationIndices> groups{
        llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))};
    return memref::CollapseShapeOp::create(
        builder, buffer.getLoc(),
        MemRefType::get({type.getNumElements()}, type.getElementType()), buffer,
        groups);
  }
};

/// Every buffer begins at a multiple of 16 bytes of an argument of the program,
/// which are all aligned to more.
FailureOr<bool> isAligned(ParallelCallOp call) {
  auto accesses = accessesOf(call);
  if (failed(accesses))
    return failure();
  return accesses->size() == call.getBuffers().size() &&
         llvm::all_of(*accesses, [](const Access &access) {
           return access.begin % alignment == 0;
         });
}

struct WidenKernelsPass
    : public mlir::soap::impl::SoapWidenKernelsBase<WidenKernelsPass> {
  using SoapWidenKernelsBase::SoapWidenKernelsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (minExtent < lanes) {
      module.emitError("expected min-extent of at least ")
          << lanes << ", got " << minExtent.getValue();
      return signalPassFailure();
    }
    Widener widener(module);
    for (func::FuncOp program : llvm::to_vector(module.getOps<func::FuncOp>()))
      if (isProgram(program))
        for (auto call : program.getOps<ParallelCallOp>()) {
          auto extent = static_cast<int64_t>(call.getExtent());
          if (extent < minExtent || extent % lanes != 0)
            continue;
          FailureOr<bool> aligned = isAligned(call);
          if (failed(aligned))
            return signalPassFailure();
          if (!*aligned)
            continue;
          StringAttr part =
              widener.widened(call.getCalleeAttr().getAttr(), extent);
          if (!part)
            continue;
          call.setCalleeAttr(FlatSymbolRefAttr::get(part));
          call.setExtent(static_cast<uint64_t>(extent / lanes));
          call.setGrain(std::max<uint64_t>(1, call.getGrain() / lanes));
          addTo(widened);
        }
  }
};

} // namespace
