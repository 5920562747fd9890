//===- SharedOps.cpp - Ops that device programs write once ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SharedOps.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/SharedOps.h"

#include "RepeatedRuns.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr unsigned kSeparator = ~0U;

std::optional<int64_t> slotOf(Operation *op) {
  auto slot = op->getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
  return slot ? std::optional<int64_t>(slot.getInt()) : std::nullopt;
}

void setSlot(Operation *op, int64_t slot) {
  op->setAttr(SoapDialect::kSlot,
              IntegerAttr::get(IntegerType::get(op->getContext(), 64), slot));
}

/// Programs are the public functions of a partitioned module.
SmallVector<func::FuncOp> programsOf(ModuleOp module) {
  SmallVector<func::FuncOp> programs;
  if (module->hasAttr(SoapDialect::kPrograms))
    for (func::FuncOp function : module.getOps<func::FuncOp>())
      if (!function.isPrivate() && function.getBody().hasOneBlock())
        programs.push_back(function);
  return programs;
}

//===----------------------------------------------------------------------===//
// Outlining
//===----------------------------------------------------------------------===//

/// Ops of one letter have all in common but operands and slots. The
/// distance to the slot of the op before is part of it.
std::string keyOf(Operation *op, int64_t slotDistance) {
  std::string key;
  auto add = [&](const void *pointer) {
    key.append(reinterpret_cast<const char *>(&pointer), sizeof(pointer));
  };
  key.append(reinterpret_cast<const char *>(&slotDistance),
             sizeof(slotDistance));
  add(op->getName().getAsOpaquePointer());
  NamedAttrList attributes(op->getAttrDictionary());
  attributes.erase(SoapDialect::kSlot);
  add(attributes.getDictionary(op->getContext()).getAsOpaquePointer());
  key += static_cast<char>(op->getNumOperands() % 256);
  for (Type type : op->getOperandTypes())
    add(type.getAsOpaquePointer());
  for (Type type : op->getResultTypes())
    add(type.getAsOpaquePointer());
  return key;
}

class Outliner {
public:
  Outliner(ModuleOp module) : module(module), symbols(module) {}

  void run(int64_t callCost) {
    SmallVector<func::FuncOp> programs = programsOf(module);
    if (programs.empty())
      return;
    readLetters(programs);
    // Ops of a run keep their places in `ops` until all runs are known.
    for (const RepeatedRun &repeated :
         findRepeatedRuns(letters, kSeparator, callCost))
      for (const auto &[wiring, starts] : byWiring(repeated))
        if (savedLetters(repeated.length, starts.size(), starts.size(),
                         callCost) > 0)
          outline(repeated.length, starts, programs.back());
  }

private:
  ModuleOp module;
  SymbolTable symbols;
  std::vector<unsigned> letters;
  std::vector<Operation *> ops; ///< by letter; none for a separator
  llvm::DenseMap<Operation *, size_t> places;

  void readLetters(ArrayRef<func::FuncOp> programs) {
    llvm::StringMap<unsigned> known;
    for (func::FuncOp program : programs) {
      int64_t before = -1;
      for (Operation &op : program.getBody().front().without_terminator()) {
        std::optional<int64_t> slot = slotOf(&op);
        bool isShared = slot && !op.getNumRegions() && !isa<func::CallOp>(op);
        letters.push_back(
            isShared
                ? known.try_emplace(keyOf(&op, *slot - before), known.size())
                      .first->second
                : kSeparator);
        places[&op] = ops.size();
        ops.push_back(&op);
        before = slot.value_or(before);
      }
      letters.push_back(kSeparator);
      ops.push_back(nullptr);
    }
  }

  /// Where a value is made in the run of `length` ops at `start`.
  std::optional<std::pair<size_t, unsigned>> placeIn(Value value, size_t start,
                                                     size_t length) const {
    auto result = dyn_cast<OpResult>(value);
    auto found = result ? places.find(result.getOwner()) : places.end();
    if (found == places.end() || found->second < start ||
        found->second >= start + length)
      return std::nullopt;
    return std::pair(found->second - start, result.getResultNumber());
  }

  /// The values from outside that a run reads, in the order in which it first
  /// reads them.
  llvm::SetVector<Value> readFromOutside(size_t start, size_t length) const {
    llvm::SetVector<Value> values;
    for (size_t i = start; i < start + length; ++i)
      for (Value operand : ops[i]->getOperands())
        if (!placeIn(operand, start, length))
          values.insert(operand);
    return values;
  }

  /// Runs in which each op reads what the same op of the others reads.
  std::map<std::vector<int64_t>, SmallVector<size_t>>
  byWiring(const RepeatedRun &repeated) const {
    std::map<std::vector<int64_t>, SmallVector<size_t>> groups;
    for (size_t start : repeated.starts) {
      llvm::SetVector<Value> outside = readFromOutside(start, repeated.length);
      llvm::DenseMap<Value, int64_t> numbers;
      for (auto [i, value] : llvm::enumerate(outside))
        numbers[value] = static_cast<int64_t>(i);
      std::vector<int64_t> wiring;
      for (size_t i = start; i < start + repeated.length; ++i)
        for (Value operand : ops[i]->getOperands()) {
          auto place = placeIn(operand, start, repeated.length);
          wiring.push_back(place ? static_cast<int64_t>(place->first) : -1);
          wiring.push_back(place ? place->second : numbers.lookup(operand));
        }
      groups[wiring].push_back(start);
    }
    return groups;
  }

  void outline(size_t length, ArrayRef<size_t> starts, func::FuncOp behind) {
    // Results that any of the runs is read for.
    llvm::SetVector<std::pair<size_t, unsigned>> read;
    for (size_t start : starts)
      for (size_t i = 0; i < length; ++i)
        for (OpResult result : ops[start + i]->getResults())
          if (llvm::any_of(result.getUsers(), [&](Operation *user) {
                auto found = places.find(user);
                return found == places.end() || found->second < start ||
                       found->second >= start + length;
              }))
            read.insert({i, result.getResultNumber()});
    SmallVector<std::pair<size_t, unsigned>> results = read.takeVector();
    llvm::sort(results);
    func::FuncOp function = makeFunction(length, starts[0], results, behind);
    for (size_t start : starts)
      replace(length, start, results, function);
  }

  func::FuncOp makeFunction(size_t length, size_t start,
                            ArrayRef<std::pair<size_t, unsigned>> results,
                            func::FuncOp behind) {
    llvm::SetVector<Value> outside = readFromOutside(start, length);
    OpBuilder builder(module.getContext());
    builder.setInsertionPointAfter(behind);
    SmallVector<Type> inputs, outputs;
    for (Value value : outside)
      inputs.push_back(value.getType());
    for (auto [i, number] : results)
      outputs.push_back(ops[start + i]->getResult(number).getType());
    auto function = func::FuncOp::create(
        builder, ops[start]->getLoc(), "tasks",
        FunctionType::get(module.getContext(), inputs, outputs));
    function.setPrivate();
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToStart(body);
    IRMapping mapping;
    for (auto [value, argument] : llvm::zip(outside, body->getArguments()))
      mapping.map(value, argument);
    int64_t first = *slotOf(ops[start]);
    SmallVector<Operation *> clones;
    for (size_t i = 0; i < length; ++i) {
      clones.push_back(builder.clone(*ops[start + i], mapping));
      setSlot(clones.back(), *slotOf(ops[start + i]) - first);
    }
    SmallVector<Value> returned;
    for (auto [i, number] : results)
      returned.push_back(clones[i]->getResult(number));
    func::ReturnOp::create(builder, ops[start]->getLoc(), returned);
    symbols.insert(function);
    return function;
  }

  void replace(size_t length, size_t start,
               ArrayRef<std::pair<size_t, unsigned>> results,
               func::FuncOp function) {
    llvm::SetVector<Value> outside = readFromOutside(start, length);
    OpBuilder builder(ops[start]);
    auto call = func::CallOp::create(builder, ops[start]->getLoc(), function,
                                     outside.getArrayRef());
    setSlot(call, *slotOf(ops[start]));
    for (auto [result, value] : llvm::zip(results, call.getResults()))
      ops[start + result.first]
          ->getResult(result.second)
          .replaceAllUsesWith(value);
    for (size_t i = start + length; i-- > start;) {
      places.erase(ops[i]);
      ops[i]->erase();
      ops[i] = nullptr;
    }
  }
};

//===----------------------------------------------------------------------===//
// Inlining
//===----------------------------------------------------------------------===//

bool isShared(func::CallOp call) { return call->hasAttr(SoapDialect::kSlot); }

LogicalResult inlineCall(func::CallOp call, func::FuncOp function) {
  int64_t first = *slotOf(call);
  OpBuilder builder(call);
  IRMapping mapping;
  mapping.map(function.getArguments(), call.getOperands());
  for (Operation &op : function.getBody().front().without_terminator()) {
    std::optional<int64_t> slot = slotOf(&op);
    if (!slot || isa<func::CallOp>(op))
      return op.emitOpError("is in '")
             << function.getName()
             << "', which programs call with a slot: expected ops with slots, "
                "and no calls";
    setSlot(builder.clone(op, mapping), first + *slot);
  }
  for (auto [result, value] :
       llvm::zip(call.getResults(),
                 function.getBody().front().getTerminator()->getOperands()))
    result.replaceAllUsesWith(mapping.lookupOrDefault(value));
  call.erase();
  return success();
}

} // namespace

void mlir::soap::outlineSharedOps(ModuleOp module, int64_t callCost) {
  if (callCost > 0)
    Outliner(module).run(callCost);
}

bool mlir::soap::hasSharedOps(ModuleOp module) {
  return llvm::any_of(programsOf(module), [](func::FuncOp program) {
    return llvm::any_of(program.getOps<func::CallOp>(), isShared);
  });
}

LogicalResult mlir::soap::inlineSharedOps(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::SetVector<Operation *> shared;
  for (func::FuncOp program : programsOf(module))
    for (func::CallOp call :
         llvm::make_early_inc_range(program.getOps<func::CallOp>())) {
      if (!isShared(call))
        continue;
      auto function = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!function || !function.isPrivate() ||
          !function.getBody().hasOneBlock())
        return call.emitOpError("has a slot, but '")
               << call.getCallee()
               << "' is no private function of one block: expected shared ops "
                  "of --soap-partition";
      if (failed(inlineCall(call, function)))
        return failure();
      shared.insert(function);
    }
  if (shared.empty())
    return success();
  // Uses by ops, all at once: the attributes of the module are its tables,
  // which are large and name programs.
  auto uses = SymbolTable::getSymbolUses(&module.getBodyRegion());
  if (!uses)
    return success();
  llvm::DenseSet<StringAttr> used;
  for (const SymbolTable::SymbolUse &use : *uses)
    used.insert(use.getSymbolRef().getRootReference());
  for (Operation *function : shared)
    if (!used.contains(SymbolTable::getSymbolName(function)))
      symbols.erase(function);
  return success();
}
