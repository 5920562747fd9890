//===- KernelTable.cpp - Kernels of a module, each once -------------------===//
//
// Keys are the text of what a kernel depends on: op names, inherent attributes,
// types, and for fused ops who feeds whom.
//
//===----------------------------------------------------------------------===//

#include "KernelTable.h"

#include "Soap/Dialect/Soap/SoapOps.h"

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

/// Floats that LLVM computes with on this kind of machine, and integers.
static bool isSupportedElement(Type type) {
  return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type) ||
         (isa<IntegerType>(type) && type.getIntOrFloatBitWidth() >= 8);
}

FailureOr<FlatSymbolRefAttr> KernelTable::findOrCreate(
    Location loc, StringRef key, StringRef name, TypeRange tensors,
    function_ref<LogicalResult(OpBuilder &, ArrayRef<Value>)> emit) {
  if (auto found = known.find(key); found != known.end())
    return found->second;
  SmallVector<Type> types;
  for (Type type : tensors) {
    auto tensor = cast<RankedTensorType>(type);
    if (!isSupportedElement(tensor.getElementType()))
      return emitError(loc) << "element type " << tensor.getElementType()
                            << " has no lowering: expected f16, bf16, f32, "
                               "f64 or an integer of whole bytes";
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
  std::string key;
  llvm::raw_string_ostream os(key);
  printOp(os, op);
  // Where the kernel finds each operand: an argument, or a result's buffer.
  SmallVector<Type> types;
  SmallVector<std::pair<bool, size_t>> places;
  for (Value operand : op->getOperands()) {
    const Value *result = llvm::find(tied, operand);
    if (result != tied.end()) {
      places.emplace_back(true, result - tied.begin());
      os << " tied " << result - tied.begin();
      continue;
    }
    // x * x is another kernel than x * y.
    OperandRange operands = op->getOperands();
    os << " argument " << llvm::find(operands, operand) - operands.begin();
    places.emplace_back(false, types.size());
    types.push_back(operand.getType());
  }
  size_t inputCount = types.size();
  llvm::append_range(types, op->getResultTypes());

  return findOrCreate(
      op->getLoc(), key, op->getName().stripDialect(), types,
      [&](OpBuilder &builder, ArrayRef<Value> arguments) -> LogicalResult {
        ArrayRef<Value> outputs = arguments.drop_front(inputCount);
        SmallVector<Value> inputs;
        for (auto [isResult, index] : places)
          inputs.push_back(isResult ? outputs[index] : arguments[index]);
        KernelBuilder k(builder, op->getLoc(), inputs, outputs, fast);
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

FailureOr<FlatSymbolRefAttr> KernelTable::kernelOf(ArrayRef<Operation *> ops,
                                                   ArrayRef<Value> inputs,
                                                   ArrayRef<Value> tied) {
  Operation *root = ops.back();
  std::string key;
  llvm::raw_string_ostream os(key);
  llvm::DenseMap<Value, size_t> numbers;
  auto number = [&](Value value) {
    return numbers.try_emplace(value, numbers.size()).first->second;
  };
  SmallVector<Type> types;
  SmallVector<Value> values(inputs);
  for (Value input : inputs) {
    types.push_back(input.getType());
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
  llvm::append_range(types, root->getResultTypes());
  return findOrCreate(
      root->getLoc(), key, ("fused_" + root->getName().stripDialect()).str(),
      types, [&](OpBuilder &builder, ArrayRef<Value> arguments) {
        ArrayRef<Value> outputs = arguments.drop_front(inputs.size());
        SmallVector<Value> buffers(arguments.take_front(inputs.size()));
        for (size_t result : tiedResults)
          buffers.push_back(outputs[result]);
        KernelBuilder k(builder, root->getLoc(), buffers, outputs, fast);
        emitElementwiseKernel(ops, values, root->getResults(),
                              /*collapse=*/true, k);
        return success();
      });
}

FailureOr<FlatSymbolRefAttr>
KernelTable::packKernel(Location loc, RankedTensorType tile,
                        const ::soap::Region &region) {
  auto packed = RankedTensorType::get(region.shape(), tile.getElementType());
  std::string key;
  llvm::raw_string_ostream os(key);
  os << "pack " << tile << ' ' << region.str();
  return findOrCreate(loc, key, "pack", {tile, packed},
                      [&](OpBuilder &builder, ArrayRef<Value> arguments) {
                        KernelBuilder k(builder, loc, arguments.take_front(),
                                        arguments.drop_front(), fast);
                        emitRegionCopy(k, k.in(0), region, k.out(),
                                       ::soap::Region::whole(region.shape()));
                        return success();
                      });
}
