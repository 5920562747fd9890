//===- KernelTable.cpp - Kernels of a module, each once -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys are the text of what a kernel depends on: op names, inherent attributes,
// types, and for fused ops their edges.
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "ForeignKernels.h"

#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

SmallVector<std::pair<unsigned, unsigned>>
mlir::soap::updatedOperands(Operation *op) {
  if (auto sgd = dyn_cast<SgdOp>(op)) {
    if (sgd.getVelocity())
      return {{0, 0}, {1, 2}};
    return {{0, 0}};
  }
  if (isa<RunningStatsUpdateOp>(op))
    return {{0, 0}, {1, 1}};
  if (isa<AdamOp>(op))
    return {{0, 0}, {1, 2}, {2, 3}};
  if (isa<CounterOp>(op))
    return {{0, 0}};
  return {};
}

KernelTable::Argument KernelTable::argumentOf(OpOperand &operand) const {
  return {operand.get().getType(),
          layouts ? layouts->read(operand) : ImageLayout::ChannelsFirst};
}

KernelTable::Argument KernelTable::argumentOf(OpResult result) const {
  return {result.getType(),
          layouts ? layouts->held(result) : ImageLayout::ChannelsFirst};
}

FailureOr<FlatSymbolRefAttr> KernelTable::findOrCreate(
    Location loc, std::string key, StringRef name, ArrayRef<Argument> tensors,
    bool elementwise,
    function_ref<LogicalResult(OpBuilder &, ArrayRef<Value>)> emit) {
  for (const Argument &tensor : tensors)
    key += " " + std::to_string(static_cast<int64_t>(tensor.layout));
  if (auto found = known.find(key); found != known.end())
    return found->second;
  SmallVector<Type> types;
  for (const Argument &argument : tensors) {
    auto tensor =
        bufferType(cast<RankedTensorType>(argument.type), argument.layout);
    types.push_back(
        MemRefType::get(tensor.getShape(), tensor.getElementType()));
  }
  OpBuilder builder(module.getContext());
  auto function = func::FuncOp::create(
      builder, loc, ("kernel_" + Twine(next++) + "_" + name).str(),
      builder.getFunctionType(types, {}));
  function.setPrivate();
  // Inlined kernels would make one huge function of the program.
  function->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  if (!elementwise)
    for (unsigned i = 0; i < types.size(); ++i)
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  func::ReturnOp end = func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(end);
  if (failed(emit(builder, llvm::to_vector_of<Value>(body->getArguments())))) {
    function.erase();
    return failure();
  }
  symbols.insert(function);
  return known[key] = FlatSymbolRefAttr::get(function.getSymNameAttr());
}

/// Name, inherent attributes and types of an op.
static void printOp(raw_ostream &os, Operation *op) {
  os << op->getName() << ' ';
  if (Attribute properties = op->getPropertiesAsAttribute())
    os << properties;
  for (Type type : op->getOperandTypes())
    os << ' ' << type;
  os << " ->";
  for (Type type : op->getResultTypes())
    os << ' ' << type;
}

FailureOr<FlatSymbolRefAttr> KernelTable::kernelOf(Operation *op,
                                                   ArrayRef<Value> tied) {
  assert(tied.size() <= op->getNumResults() && "tied: by result");
  std::string key;
  llvm::raw_string_ostream os(key);
  printOp(os, op);
  // Where the kernel finds each operand: an argument, or a result's buffer.
  SmallVector<Argument> tensors;
  SmallVector<std::pair<bool, size_t>> places;
  for (OpOperand &operand : op->getOpOperands()) {
    const Value *result = llvm::find(tied, operand.get());
    if (result != tied.end()) {
      places.emplace_back(true, result - tied.begin());
      os << " tied " << result - tied.begin();
      continue;
    }
    // x * x is another kernel than x * y.
    OperandRange operands = op->getOperands();
    os << " argument "
       << llvm::find(operands, operand.get()) - operands.begin();
    places.emplace_back(false, tensors.size());
    tensors.push_back(argumentOf(operand));
  }
  size_t inputCount = tensors.size();
  for (OpResult result : op->getResults())
    tensors.push_back(argumentOf(result));

  return findOrCreate(
      op->getLoc(), key, op->getName().stripDialect(), tensors,
      isElementwise(op),
      [&](OpBuilder &builder, ArrayRef<Value> arguments) -> LogicalResult {
        ArrayRef<Value> outputs = arguments.drop_front(inputCount);
        SmallVector<Value> inputs;
        SmallVector<ImageLayout> order;
        for (auto [isResult, index] : places) {
          inputs.push_back(isResult ? outputs[index] : arguments[index]);
          order.push_back(
              tensors[isResult ? inputCount + index : index].layout);
        }
        for (const Argument &result : ArrayRef(tensors).drop_front(inputCount))
          order.push_back(result.layout);
        KernelBuilder k(builder, op->getLoc(), inputs, outputs,
                        fast && !isElementwise(op), order);
        k.forThreads = forThreads;
        if (isElementwise(op)) {
          emitElementwiseKernel(op, op->getOperands(), op->getResults(), fast,
                                k);
          return success();
        }
        if (failed(emitKernel(op, k)))
          return op->emitOpError("has no lowering");
        return success();
      });
}

FailureOr<FlatSymbolRefAttr>
KernelTable::foreignKernelOf(KernelOpInterface op, ArrayRef<Value> tied) {
  SmallVector<OpOperand *> read = readOperands(op);
  SmallVector<Argument> tensors;
  for (OpOperand *operand : read)
    if (!llvm::is_contained(tied, operand->get()))
      tensors.push_back({operand->get().getType()});
  size_t inputCount = tensors.size();
  for (Type type : op->getResultTypes())
    tensors.push_back({type});
  auto emit = [&](OpBuilder &builder, ArrayRef<Value> arguments) {
    ArrayRef<Value> outputs = arguments.drop_front(inputCount);
    SmallVector<Value> inputs;
    for (Value operand : op->getOperands())
      inputs.push_back(isa<TensorType>(operand.getType()) ? Value() : operand);
    size_t next = 0;
    for (OpOperand *operand : read) {
      const Value *result = llvm::find(tied, operand->get());
      Value buffer = result != tied.end() ? outputs[result - tied.begin()]
                                          : arguments[next++];
      if (operand->getOwner() == op)
        inputs[operand->getOperandNumber()] = buffer;
      else
        inputs.push_back(buffer);
    }
    return emitForeignKernel(op, builder, inputs, outputs, forThreads);
  };
  // The text of the kernel is its key: no op says what its regions and the
  // scalars from outside add to it.
  OwningOpRef<ModuleOp> scratch = ModuleOp::create(op->getLoc());
  KernelTable alone(*scratch, fast, forThreads);
  FailureOr<FlatSymbolRefAttr> draft =
      alone.findOrCreate(op->getLoc(), "", "foreign", tensors,
                         /*elementwise=*/false, emit);
  if (failed(draft))
    return failure();
  std::string key;
  llvm::raw_string_ostream os(key);
  Operation *function = alone.symbols.lookup(draft->getValue());
  function->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  return findOrCreate(
      op->getLoc(), key, op->getName().stripDialect(), tensors,
      /*elementwise=*/false,
      [&](OpBuilder &builder, ArrayRef<Value> arguments) -> LogicalResult {
        Block &body = cast<func::FuncOp>(function).getBody().front();
        IRMapping map;
        map.map(body.getArguments(), arguments);
        for (Operation &inner : body.without_terminator())
          builder.clone(inner, map);
        return success();
      });
}

FailureOr<FlatSymbolRefAttr> KernelTable::kernelOf(ArrayRef<Operation *> ops,
                                                   ArrayRef<Value> inputs,
                                                   ArrayRef<Value> tied) {
  assert(!ops.empty() && "a kernel of at least one op");
  assert(tied.size() <= ops.back()->getNumResults() &&
         "tied: by result of the last op");
  Operation *root = ops.back();
  std::string key;
  llvm::raw_string_ostream os(key);
  llvm::DenseMap<Value, size_t> numbers;
  auto number = [&](Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  };
  llvm::DenseMap<Value, ImageLayout> read;
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      read[operand.get()] = argumentOf(operand).layout;
  SmallVector<Argument> tensors;
  SmallVector<Value> values(inputs);
  for (Value input : inputs) {
    tensors.push_back({input.getType(), read.lookup(input)});
    os << number(input) << ' ';
  }
  SmallVector<size_t> tiedResults;
  for (auto [i, value] : llvm::enumerate(tied))
    if (value) {
      tiedResults.push_back(i);
      values.push_back(value);
      os << "tied " << i << ' ' << number(value) << ' ';
    }
  for (Operation *op : ops) {
    printOp(os, op);
    for (Value operand : op->getOperands())
      os << ' ' << number(operand);
    for (Value result : op->getResults())
      os << ' ' << number(result);
    os << "; ";
  }
  for (OpResult result : root->getResults())
    tensors.push_back(argumentOf(result));
  return findOrCreate(
      root->getLoc(), key, ("fused_" + root->getName().stripDialect()).str(),
      tensors, /*elementwise=*/true,
      [&](OpBuilder &builder, ArrayRef<Value> arguments) {
        ArrayRef<Value> outputs = arguments.drop_front(inputs.size());
        ArrayRef<Argument> results =
            ArrayRef(tensors).drop_front(inputs.size());
        SmallVector<Value> buffers(arguments.take_front(inputs.size()));
        SmallVector<ImageLayout> order;
        for (const Argument &input :
             ArrayRef(tensors).take_front(inputs.size()))
          order.push_back(input.layout);
        for (size_t result : tiedResults) {
          buffers.push_back(outputs[result]);
          order.push_back(results[result].layout);
        }
        for (const Argument &result : results)
          order.push_back(result.layout);
        // A product and a sum of two ops are no fused multiply-add: which ops
        // share a kernel must not show in the result.
        KernelBuilder k(builder, root->getLoc(), buffers, outputs,
                        /*fast=*/false, order);
        emitElementwiseKernel(ops, values, root->getResults(),
                              /*collapse=*/true, k);
        return success();
      });
}

FailureOr<FlatSymbolRefAttr>
KernelTable::packKernel(Location loc, RankedTensorType tile,
                        const ::soap::Region &region, ImageLayout layout) {
  assert(region.rank() == static_cast<size_t>(tile.getRank()) &&
         "a region of the tile");
  auto packed = RankedTensorType::get(region.shape(), tile.getElementType());
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "pack " << tile << ' ' << region.str();
  return findOrCreate(loc, key, "pack", {{tile, layout}, {packed}},
                      /*elementwise=*/false,
                      [&](OpBuilder &builder, ArrayRef<Value> arguments) {
                        KernelBuilder k(builder, loc, arguments.take_front(),
                                        arguments.drop_front(), fast,
                                        {layout, ImageLayout::ChannelsFirst});
                        emitRegionCopy(k, k.in(0), region, k.out(),
                                       ::soap::Region::whole(region.shape()));
                        return success();
                      });
}

FailureOr<FlatSymbolRefAttr> KernelTable::rowCombineKernel(CombineOp op,
                                                           RankedTensorType row,
                                                           int64_t pieces) {
  assert(pieces > 0 && "a row of at least one piece");
  Type tile = op.getTile().getType();
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "row combine " << static_cast<int64_t>(op.getCombiner()) << ' '
     << pieces << ' ' << row << ' ' << tile;
  return findOrCreate(op.getLoc(), key, "combine", {{row}, {tile}},
                      /*elementwise=*/false,
                      [&](OpBuilder &builder, ArrayRef<Value> arguments) {
                        KernelBuilder k(builder, op.getLoc(),
                                        arguments.take_front(),
                                        arguments.drop_front(), fast);
                        emitRowCombine(op.getCombiner(), pieces, k);
                        return success();
                      });
}

FailureOr<FlatSymbolRefAttr> KernelTable::layoutKernel(Location loc,
                                                       RankedTensorType type,
                                                       ImageLayout from,
                                                       ImageLayout to) {
  assert(from != to && "nothing to copy");
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "layout " << type;
  return findOrCreate(
      loc, key, ("to_" + layoutName(to)).str(), {{type, from}, {type, to}},
      /*elementwise=*/false,
      [&](OpBuilder &builder, ArrayRef<Value> arguments) {
        KernelBuilder k(builder, loc, arguments.take_front(),
                        arguments.drop_front(), fast, {from, to});
        Tensor x = k.in(0), y = k.out();
        k.forEachOf(y.shape(),
                    [&](ArrayRef<Index> i) { y.storeRaw(i, x.loadRaw(i)); });
        return success();
      });
}

/// Variance from 1 / sqrt(variance + epsilon).
static Scalar varianceOf(KernelBuilder &k, const Scalar &inverse,
                         double epsilon) {
  // Rounding must not make a variance below 0 of none.
  return max(k.number(1) / (inverse * inverse) - k.number(epsilon),
             k.number(0));
}

FailureOr<FlatSymbolRefAttr> KernelTable::momentsKernel(Location loc,
                                                        RankedTensorType stats,
                                                        int64_t count,
                                                        double epsilon) {
  assert(stats.getRank() == 2 && stats.getDimSize(0) == 3 &&
         "moments: number, mean and sum of squares by channel");
  assert(count > 0 && "statistics of at least one sample");
  int64_t channels = stats.getDimSize(1);
  auto row = RankedTensorType::get({channels}, stats.getElementType());
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "moments " << stats << ' ' << count << ' '
     << llvm::bit_cast<uint64_t>(epsilon);
  return findOrCreate(loc, key, "moments", {{row}, {row}, {stats}},
                      /*elementwise=*/false,
                      [&](OpBuilder &builder, ArrayRef<Value> arguments) {
                        KernelBuilder k(builder, loc, arguments.drop_back(),
                                        arguments.take_back(), fast);
                        k.forThreads = forThreads;
                        k.forEach({channels}, [&](Index c) {
                          Scalar mean = k.in(0)({c}), inverse = k.in(1)({c});
                          Scalar number = k.number(static_cast<double>(count));
                          Scalar variance = varianceOf(k, inverse, epsilon);
                          k.out().set({k.constant(0), c}, number);
                          k.out().set({k.constant(1), c}, mean);
                          k.out().set({k.constant(2), c}, variance * number);
                        });
                        return success();
                      });
}

FailureOr<FlatSymbolRefAttr>
KernelTable::runningStatsKernel(Location loc, RankedTensorType row,
                                int64_t count, double epsilon,
                                double momentum) {
  assert(row.getRank() == 1 && "statistics by channel");
  assert(count > 0 && "statistics of at least one sample");
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "running stats " << row << ' ' << count << ' '
     << llvm::bit_cast<uint64_t>(epsilon) << ' '
     << llvm::bit_cast<uint64_t>(momentum);
  return findOrCreate(
      loc, key, "running_stats", {{row}, {row}, {row}, {row}},
      /*elementwise=*/false,
      [&](OpBuilder &builder, ArrayRef<Value> arguments) {
        KernelBuilder k(builder, loc, arguments, arguments.take_back(2), fast);
        k.forThreads = forThreads;
        Scalar part = k.number(momentum), rest = k.number(1) - part;
        // One sample has no variance.
        Scalar samples = k.number(static_cast<double>(count)),
               others = k.number(std::max<double>(count - 1, 1));
        k.forEach({row.getDimSize(0)}, [&](Index c) {
          Scalar variance =
              varianceOf(k, k.in(1)({c}), epsilon) * samples / others;
          Scalar newMean = rest * k.in(2)({c}) + part * k.in(0)({c});
          Scalar newVariance = rest * k.in(3)({c}) + part * variance;
          k.out(0).set({c}, newMean);
          k.out(1).set({c}, newVariance);
        });
        return success();
      });
}
