//===- InPlaceOperands.cpp - Which operands are written in place ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See InPlaceOperands.h.
//
//===----------------------------------------------------------------------===//

#include "InPlaceOperands.h"

#include "mlir/Interfaces/SubsetOpInterface.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::soap;

static bool isTensor(Value value) { return isa<TensorType>(value.getType()); }

//===----------------------------------------------------------------------===//
// Sets of values
//===----------------------------------------------------------------------===//

unsigned InPlaceOperands::Sets::find(unsigned number) const {
  assert(number < parents.size() && "no such value");
  while (parents[number] != number)
    number = parents[number] = parents[parents[number]];
  return number;
}

void InPlaceOperands::Sets::unite(unsigned from, unsigned into) {
  parents[find(from)] = find(into);
}

//===----------------------------------------------------------------------===//
// Reads and lives of values
//===----------------------------------------------------------------------===//

InPlaceOperands::InPlaceOperands(const BufferizationOptions &options)
    : AnalysisState(options) {}

InPlaceOperands::Place InPlaceOperands::placeOf(Value value) const {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return {-1, argument.getArgNumber()};
  auto result = cast<OpResult>(value);
  return {positions.at(result.getOwner()), result.getResultNumber()};
}

bool InPlaceOperands::isWritable(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *owner =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  BufferizableOpInterface op = getOptions().dynCastBufferizableOp(owner);
  return op && op.isWritable(value, *this);
}

/// A view reads if its result is read: where the view is a copy, it copies at
/// its own place.
bool InPlaceOperands::isRead(OpOperand &use) const {
  if (bufferizesToMemoryRead(use))
    return true;
  return !bufferizesToMemoryWrite(use) &&
         llvm::any_of(getAliasingValues(use), [&](const AliasingValue &alias) {
           return isValueRead(alias.value);
         });
}

void InPlaceOperands::addValue(Value value, std::optional<Value> definition) {
  numbers[value] = static_cast<unsigned>(buffers.size());
  aliases.add();
  equivalents.add();
  Buffer &buffer = buffers.emplace_back();
  buffer.writable = isWritable(value);
  if (!definition)
    return;
  definitions[value] = *definition;
  if (*definition == value)
    buffer.lives[placeOf(value)];
}

void InPlaceOperands::addReads(Value value) {
  Value definition = definitions.lookup(value);
  for (OpOperand &use : value.getUses()) {
    if (!definition) {
      undefinedUses.insert(&use);
      continue;
    }
    if (!isRead(use))
      continue;
    Life &life = buffers[bufferOf(value)].lives[placeOf(definition)];
    int64_t position = positions.at(use.getOwner());
    if (position < life.lastRead)
      continue;
    if (position > life.lastRead)
      life.lastReads.clear();
    life.lastRead = position;
    life.lastReads.push_back(&use);
  }
}

LogicalResult InPlaceOperands::addOp(Operation *op) {
  if (op->getNumRegions() != 0)
    return op->emitOpError("has a region, expected straight-line code");
  for (Value result : op->getResults()) {
    if (!isTensor(result))
      continue;
    if (bufferizesToMemoryWrite(result)) {
      addValue(result, result);
      continue;
    }
    AliasingOpOperandList sources = getAliasingOpOperands(result);
    if (sources.getNumAliases() > 1)
      return op->emitOpError("has a result that may be a view of several "
                             "operands, expected one");
    std::optional<Value> definition;
    for (const AliasingOpOperand &source : sources)
      if (Value known = definitions.lookup(source.opOperand->get()))
        definition = known;
    addValue(result, definition);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

bool InPlaceOperands::mayShare(OpOperand *read, OpOperand *write) {
  if (read == write)
    return true;
  // Values of one type along the chain of ops that write in place.
  auto comesFrom = [&](OpOperand *start, Value other) {
    TraversalConfig config;
    config.followEquivalentOnly = true;
    config.alwaysIncludeLeaves = false;
    config.followSameTypeOrCastsOnly = true;
    return !findValueInReverseUseDefChain(
                start, [&](Value value) { return value == other; }, config)
                .empty();
  };
  Operation *op = read->getOwner();
  auto bufferizable = getOptions().dynCastBufferizableOp(op);
  if (bufferizable &&
      bufferizable.bufferizesToElementwiseAccess(*this, {read, write}) &&
      (comesFrom(read, write->get()) || comesFrom(write, read->get())))
    return true;
  // The source of an insertion is the part that it is inserted into.
  auto insertion = dyn_cast<SubsetInsertionOpInterface>(op);
  if (!insertion || read != &insertion.getSourceOperand() ||
      write != &insertion.getDestinationOperand())
    return false;
  auto isDestination = [&](Value value) {
    auto result = dyn_cast<OpResult>(value);
    return result &&
           insertion.isEquivalentSubset(result, [&](Value a, Value b) {
             return areEquivalentBufferizedValues(a, b);
           });
  };
  return llvm::all_of(findValueInReverseUseDefChain(read, isDestination),
                      isDestination);
}

/// Of two lives in one buffer, the first of which begins first.
bool InPlaceOperands::conflict(Place first, const Life &a, Place second,
                               const Life &b, OpOperand *secondWrite) {
  assert(first <= second && "the first life begins first");
  ++compared;
  if (!secondWrite)
    return false;
  // An op writes two results to one place.
  if (first.first == second.first)
    return a.lastRead > first.first || (a.write && b.lastRead > first.first);
  if (a.lastRead != second.first)
    return a.lastRead > second.first;
  return !llvm::all_of(a.lastReads, [&](OpOperand *read) {
    return mayShare(read, secondWrite);
  });
}

/// Whether a read would see another value if the values of two buffers shared
/// memory, `after` with the result of `operand`.
bool InPlaceOperands::conflicts(OpOperand &operand, const Buffer &before,
                                const Buffer &after) {
  bool writes = bufferizesToMemoryWrite(operand);
  if ((writes || before.written || after.written) &&
      (!before.writable || !after.writable))
    return true;
  int64_t position = positions.at(operand.getOwner());
  // The life that begins with the write in question has none yet.
  auto writeOf = [&](Place place, const Life &life) {
    bool isNew = writes && !life.write && place.first == position;
    return isNew ? &operand : life.write;
  };
  bool fewBefore = before.lives.size() < after.lives.size();
  const auto &few = (fewBefore ? before : after).lives;
  const auto &many = (fewBefore ? after : before).lives;
  for (const auto &[place, life] : few) {
    auto next = many.lower_bound(place);
    if (next != many.begin()) {
      auto previous = std::prev(next);
      if (conflict(previous->first, previous->second, place, life,
                   writeOf(place, life)))
        return true;
    }
    if (next != many.end() && next->first == place)
      ++next;
    if (next != many.end() && conflict(place, life, next->first, next->second,
                                       writeOf(next->first, next->second)))
      return true;
  }
  return false;
}

bool InPlaceOperands::decide(OpOperand &operand) {
  if (inPlace.contains(&operand))
    return true;
  AliasingValueList values = getAliasingValues(operand);
  bool writes = bufferizesToMemoryWrite(operand);
  for (const AliasingValue &alias : values) {
    unsigned before = bufferOf(operand.get()), after = bufferOf(alias.value);
    // Another operand of the op has brought them together: no write is known.
    if (before == after ? writes
                        : conflicts(operand, buffers[before], buffers[after]))
      return false;
  }
  inPlace.insert(&operand);
  for (const AliasingValue &alias : values) {
    if (alias.relation == BufferRelation::Equivalent)
      equivalents.unite(numbers.at(alias.value), numbers.at(operand.get()));
    unsigned before = bufferOf(operand.get()), after = bufferOf(alias.value);
    if (before == after)
      continue;
    if (writes) {
      buffers[after].lives[placeOf(alias.value)].write = &operand;
      buffers[after].written = true;
    }
    if (buffers[before].lives.size() < buffers[after].lives.size())
      std::swap(before, after);
    assert(aliases.find(before) == before && aliases.find(after) == after &&
           "buffers by the number of their set");
    Buffer &into = buffers[before], &from = buffers[after];
    into.writable &= from.writable;
    into.written |= from.written;
    for (auto &[place, life] : from.lives) {
      auto [known, isNew] = into.lives.try_emplace(place, std::move(life));
      if (isNew)
        continue;
      Life &same = known->second;
      if (life.lastRead > same.lastRead)
        same.lastReads.clear();
      if (life.lastRead >= same.lastRead)
        llvm::append_range(same.lastReads, life.lastReads);
      same.lastRead = std::max(same.lastRead, life.lastRead);
      if (!same.write)
        same.write = life.write;
    }
    from = Buffer();
    aliases.unite(after, before);
  }
  return true;
}

LogicalResult InPlaceOperands::analyze(func::FuncOp program) {
  Block &block = program.getBody().front();
  for (Operation &op : block)
    positions[&op] = static_cast<int64_t>(positions.size());
  for (Value argument : block.getArguments())
    if (isTensor(argument))
      addValue(argument, argument);
  for (Operation &op : block)
    if (failed(addOp(&op)))
      return failure();
  for (Value argument : block.getArguments())
    if (isTensor(argument))
      addReads(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      if (isTensor(result))
        addReads(result);

  auto isBufferized = [&](Operation &op) {
    return static_cast<bool>(getOptions().dynCastBufferizableOp(&op));
  };
  for (Operation &op : llvm::make_filter_range(block, isBufferized))
    for (OpOperand &operand : op.getOpOperands())
      if (isTensor(operand.get()) &&
          cast<BufferizableOpInterface>(op).mustBufferizeInPlace(operand,
                                                                 *this) &&
          !decide(operand))
        return op.emitOpError("must write operand #")
               << operand.getOperandNumber()
               << " in place, but its buffer is not writable, or an op reads "
                  "its old value later";
  // Ops without the interface have no operand in place; bufferization names
  // them.
  for (Operation &op :
       llvm::make_filter_range(llvm::reverse(block), isBufferized))
    for (OpOperand &operand : op.getOpOperands())
      if (isTensor(operand.get()))
        decide(operand);
  return success();
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

bool InPlaceOperands::isInPlace(OpOperand &operand) const {
  return inPlace.contains(&operand);
}

bool InPlaceOperands::areEquivalentBufferizedValues(Value a, Value b) const {
  return equivalents.find(numbers.at(a)) == equivalents.find(numbers.at(b));
}

bool InPlaceOperands::areAliasingBufferizedValues(Value a, Value b) const {
  return bufferOf(a) == bufferOf(b);
}

bool InPlaceOperands::hasUndefinedContents(OpOperand *operand) const {
  return undefinedUses.contains(operand);
}
