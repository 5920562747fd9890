//===- Importer.cpp - StableHLO programs, op by op ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading the file, choosing the function, and the walk over its ops.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <set>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;

/// No program that Soap searches unrolls to more ops.
static constexpr int64_t maxOps = 200000;

static constexpr const char *genericForm =
    "print it with jax.jit(f).lower(*args).compiler_ir('stablehlo')"
    ".operation.get_asm(print_generic_op_form=True)";

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Importer::Importer(ModuleOp source, const StableHLOImportOptions &options,
                   bool tracesResults)
    : source(source), options(options), ops(source.getContext()),
      current(source.getLoc()), tracesResults(tracesResults) {}

InFlightDiagnostic Importer::error(Operation *op) {
  return emitError(op->getLoc()) << "'" << op->getName() << "' ";
}

TensorRef Importer::get(Value value) { return tensors.lookup(value); }

RankedTensorType Importer::typeOf(Operation *op, Type type, bool mayBeEmpty) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto fail = [&](StringRef expected) {
    error(op) << "has type " << type << ", expected " << expected;
    return RankedTensorType();
  };
  if (!tensor)
    return fail("a ranked tensor");
  if (!tensor.hasStaticShape())
    return fail("a static shape: lower the function with arrays of known "
                "shapes");
  Type element = tensor.getElementType();
  auto integer = dyn_cast<IntegerType>(element);
  bool isKnown = element.isF32() || element.isF64() || element.isF16() ||
                 element.isBF16() ||
                 (integer && llvm::is_contained({1u, 8u, 16u, 32u, 64u},
                                                integer.getWidth()));
  if (!isKnown)
    return fail("elements of f16, bf16, f32, f64, i1, or integers of 8, 16, 32 "
                "or 64 bits");
  int64_t count = 1;
  if (isEmpty(tensor) && !mayBeEmpty)
    return fail("at least one element and at most 2^44");
  for (int64_t extent : tensor.getShape()) {
    if (extent < 0 || extent > (int64_t(1) << 31) ||
        (extent > 0 && count > (int64_t(1) << 44) / extent))
      return fail("at least one element and at most 2^44");
    count *= std::max<int64_t>(extent, 1);
  }
  return RankedTensorType::get(tensor.getShape(), signless(element));
}

/// Adds a place to an op: a value of a called function is the caller's, too.
static void addTrace(Operation *made, Location place) {
  auto isTrace = [](Location loc) {
    auto file = dyn_cast<FileLineColLoc>(loc);
    return file && file.getFilename().getValue() == tracedResult;
  };
  SmallVector<Location> all;
  if (auto fused = dyn_cast<FusedLoc>(made->getLoc()))
    llvm::copy_if(fused.getLocations(), std::back_inserter(all), isTrace);
  else if (isTrace(made->getLoc()))
    all.push_back(made->getLoc());
  all.push_back(place);
  made->setLoc(FusedLoc::get(made->getContext(), all));
}

LogicalResult Importer::set(Operation *op, unsigned result, TensorRef tensor) {
  RankedTensorType type =
      typeOf(op, op->getResult(result).getType(), /*mayBeEmpty=*/true);
  if (!type || !tensor)
    return failure();
  if (tensor->type != type)
    return error(op) << "has a result of type "
                     << op->getResult(result).getType() << ", expected "
                     << tensor->type << " by its operands and attributes";
  if (auto number = opNumbers.find(op); number != opNumbers.end())
    if (Operation *made =
            tensor->isWhole() ? tensor->base.getDefiningOp() : nullptr;
        made && made->getResult(0) == tensor->base)
      addTrace(made, FileLineColLoc::get(context(), tracedResult,
                                         number->second, result));
  tensors[op->getResult(result)] = std::move(tensor);
  return success();
}

//===----------------------------------------------------------------------===//
// Walk
//===----------------------------------------------------------------------===//

LogicalResult Importer::importOp(Operation *op) {
  current = op->getLoc();
  if (++count > maxOps)
    return error(op) << "is op number " << maxOps
                     << " after calls are inlined and loops are unrolled: the "
                        "program is too long";
  for (Value operand : op->getOperands())
    if (!get(operand))
      return error(op) << "uses a value of type " << operand.getType()
                       << " from outside of what is imported";
  FailureOr<bool> isDone = importEmpty(*this, op);
  if (failed(isDone) || *isDone)
    return isDone;
  StringRef name = op->getName().getStringRef();
  if (isElementwise(name)) {
    if (failed(checkElementwise(*this, op)))
      return failure();
    RankedTensorType type = resultType(op);
    SmallVector<TensorRef> operands;
    for (Value operand : op->getOperands()) {
      TensorRef tensor = get(operand);
      if (tensor->type.getShape() != type.getShape())
        tensor = view(tensor, type.getShape(),
                      AffineMap::get(type.getRank(), 0, context()));
      operands.push_back(tensor);
    }
    return set(op, 0,
               elementwise(type.getShape(), type.getElementType(), operands,
                           [&](OpBuilder &builder, ValueRange x) {
                             return SmallVector<Value>{
                                 emitScalar(op, builder, x)};
                           }));
  }
  const OpEntry *entry = lookUp(name);
  if (!entry)
    return error(op) << "is not supported (docs/StableHLO.md lists the ops)";
  auto isOff = [&](int expected, size_t got, const char *what) {
    if (expected < 0 || static_cast<size_t>(expected) == got)
      return false;
    error(op) << "has " << got << " " << what << ", expected " << expected;
    return true;
  };
  if (isOff(entry->operands, op->getNumOperands(), "operands") ||
      isOff(entry->results, op->getNumResults(), "results") ||
      isOff(entry->regions, op->getNumRegions(), "regions"))
    return failure();
  return entry->handler(*this, op);
}

FailureOr<SmallVector<TensorRef>>
Importer::interpret(Block &block, ArrayRef<TensorRef> arguments) {
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    tensors[argument] = tensor;
  for (Operation &op : block) {
    StringRef name = op.getName().getStringRef();
    if (name == "func.return" || name == "stablehlo.return") {
      SmallVector<TensorRef> results;
      for (Value operand : op.getOperands()) {
        results.push_back(get(operand));
        if (!results.back())
          return error(&op) << "returns a value from outside of what is "
                               "imported";
      }
      return results;
    }
    if (failed(importOp(&op)) ||
        (keepsShardings() && failed(keepConstraint(*this, &op))))
      return failure();
  }
  emitError(block.getParentOp()->getLoc())
      << "'" << block.getParentOp()->getName()
      << "' has a block without 'stablehlo.return' or 'func.return'";
  return failure();
}

FailureOr<SmallVector<TensorRef>>
Importer::call(Operation *op, StringRef callee, ArrayRef<TensorRef> arguments) {
  auto function = source.lookupSymbol<func::FuncOp>(callee);
  if (!function || function.isExternal())
    return error(op) << "calls '@" << callee
                     << "', which is no function with a body in this module";
  if (llvm::is_contained(callStack, callee))
    return error(op) << "calls '@" << callee << "' from within itself";
  constexpr size_t deepest = 200;
  if (callStack.size() >= deepest)
    return error(op) << "is call number " << deepest << " within each other";
  if (!function.getBody().hasOneBlock())
    return error(op) << "calls '@" << callee << "', which has several blocks";
  Block &body = function.getBody().front();
  if (body.getNumArguments() != arguments.size())
    return error(op) << "gives " << arguments.size() << " arguments to '@"
                     << callee << "', which has " << body.getNumArguments();
  for (auto [argument, tensor] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    RankedTensorType type = typeOf(op, argument.getType(), /*mayBeEmpty=*/true);
    if (!type)
      return failure();
    if (type != tensor->type)
      return error(op) << "gives an argument of type " << tensor->type
                       << " to '@" << callee << "', expected "
                       << argument.getType();
  }
  callStack.push_back(callee);
  FailureOr<SmallVector<TensorRef>> results = interpret(body, arguments);
  callStack.pop_back();
  return results;
}

//===----------------------------------------------------------------------===//
// The module
//===----------------------------------------------------------------------===//

func::FuncOp Importer::chooseFunction() {
  SmallVector<func::FuncOp> candidates;
  StringRef wanted = "main";
  if (!options.function.empty())
    wanted = options.function;
  for (auto function : source.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.getName() == wanted)
      return function;
    if (options.function.empty() && function.isPublic())
      candidates.push_back(function);
  }
  if (candidates.size() == 1)
    return candidates[0];
  if (!options.function.empty())
    source.emitError() << "--import-function=" << options.function
                       << " names no function with a body";
  else
    source.emitError() << "has " << candidates.size()
                       << " public functions and no '@main', expected one, or "
                          "--import-function=NAME";
  return nullptr;
}

/// Some name of an argument: `params['w']` of JAX's locations.
static std::string nameOf(BlockArgument argument) {
  auto name = dyn_cast<NameLoc>(argument.getLoc());
  return name ? name.getName().str() : std::string();
}

/// Programs take and return f32, f64, i32 and i64; narrower elements are wider
/// there.
static RankedTensorType boundaryType(RankedTensorType type) {
  Type element = type.getElementType();
  Builder builder(type.getContext());
  if (element.getIntOrFloatBitWidth() < 32)
    element = isa<FloatType>(element) ? Type(builder.getF32Type())
                                      : Type(builder.getI32Type());
  return RankedTensorType::get(type.getShape(), element);
}

/// The narrow elements of an argument.
static TensorRef narrow(Importer &importer, const TensorRef &tensor,
                        Type element) {
  if (tensor->type.getElementType() == element)
    return tensor;
  Location loc = importer.loc();
  return importer.elementwise(
      tensor->type.getShape(), element, tensor,
      [&](OpBuilder &builder, ValueRange x) {
        if (element.isInteger(1)) {
          Value zero =
              Importer::scalar(builder, loc, builder.getI32IntegerAttr(0));
          return SmallVector<Value>{builder.createOrFold<arith::CmpIOp>(
              loc, arith::CmpIPredicate::ne, x[0], zero)};
        }
        if (isa<FloatType>(element))
          return SmallVector<Value>{
              builder.createOrFold<arith::TruncFOp>(loc, element, x[0])};
        return SmallVector<Value>{
            builder.createOrFold<arith::TruncIOp>(loc, element, x[0])};
      });
}

std::vector<Operation *> mlir::soap::stablehlo_import::opsOf(ModuleOp program) {
  std::vector<Operation *> found;
  for (auto function : program.getOps<func::FuncOp>())
    function.getBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { found.push_back(op); });
  return found;
}

OwningOpRef<ModuleOp> Importer::run() {
  func::FuncOp function = entry = chooseFunction();
  if (!function)
    return nullptr;
  if (!function.getBody().hasOneBlock()) {
    function.emitError() << "'@" << function.getName()
                         << "' has several blocks, expected one";
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(source.getLoc());
  ops.setInsertionPointToEnd(module->getBody());
  Block &body = function.getBody().front();
  unsigned number = 0;
  if (tracesResults)
    for (Operation *op : opsOf(source))
      opNumbers[op] = ++number;
  SmallVector<Type> arguments, elements;
  for (BlockArgument argument : body.getArguments()) {
    RankedTensorType type = typeOf(function, argument.getType());
    if (!type)
      return nullptr;
    elements.push_back(type.getElementType());
    arguments.push_back(boundaryType(type));
  }
  target = func::FuncOp::create(ops, function.getLoc(), function.getName(),
                                ops.getFunctionType(arguments, {}));
  Block *block = target.addEntryBlock();
  ops.setInsertionPointToStart(block);
  SmallVector<TensorRef> inputs;
  std::set<std::string> names;
  for (auto [from, to] :
       llvm::zip_equal(body.getArguments(), block->getArguments())) {
    to.setLoc(from.getLoc());
    inputs.push_back(narrow(*this, fromValue(to), elements[to.getArgNumber()]));
    std::string name = nameOf(from);
    if (!name.empty() && names.insert(name).second)
      target.setArgAttr(to.getArgNumber(), SoapDialect::kName,
                        ops.getStringAttr(name));
  }
  callStack.push_back(function.getName());
  FailureOr<SmallVector<TensorRef>> results = interpret(body, inputs);
  if (failed(results))
    return nullptr;
  current = target.getLoc();
  SmallVector<Value> values;
  Operation *end = body.getTerminator();
  for (auto [i, result] : llvm::enumerate(*results)) {
    if (!typeOf(end, end->getOperand(i).getType()))
      return nullptr;
    Type source = elementOf(end->getOperand(i));
    Value value = whole(convertElements(
        *this, result, isUnsigned(source) || source.isInteger(1),
        boundaryType(result->type).getElementType()));
    // Each result is computed by an op of its own.
    if (isa<BlockArgument>(value) || llvm::is_contained(values, value) ||
        value.getDefiningOp<arith::ConstantOp>())
      value = materialize(fromValue(value));
    values.push_back(value);
  }
  func::ReturnOp::create(ops, current, values);
  target.setFunctionType(
      ops.getFunctionType(arguments, ValueRange(values).getTypes()));
  if (failed(markKinds(function, target, options)) ||
      failed(finish(target, options)) ||
      failed(markUpdates(function, target, options)) ||
      failed(keepShardings(function, target, options.keepShardings)) ||
      failed(verify(*module)))
    return nullptr;
  if (!tracesResults)
    nameOps(target);
  return module;
}

/// The form of a text that is not the generic one; empty if it may be.
static std::string otherForm(StringRef text) {
  if (text.starts_with("ML\xEFR"))
    return "bytecode";
  // The head of the file decides; a large constant comes later.
  StringRef head = text.take_front(size_t(1) << 16);
  bool isGeneric = head.contains("\"func.func\"") ||
                   head.contains("\"builtin.module\"") ||
                   head.contains("\"stablehlo.");
  if (!isGeneric && (head.contains("stablehlo.") || head.contains("mhlo.") ||
                     head.contains("func.func")))
    return "StableHLO in pretty form";
  if (head.starts_with("HloModule"))
    return "HLO text of XLA";
  return "";
}

/// Newer MLIR, as of jaxlib, writes constants of booleans in hexadecimal digits
/// with a byte an element. MLIR 22 reads a bit an element.
static std::unique_ptr<llvm::MemoryBuffer>
packBooleans(std::unique_ptr<llvm::MemoryBuffer> text) {
  constexpr StringRef open = "dense<\"0x";
  StringRef rest = text->getBuffer();
  std::string packed;
  for (size_t begin; (begin = rest.find(open)) != StringRef::npos;) {
    StringRef digits =
        rest.substr(begin + open.size()).take_while(llvm::isHexDigit);
    StringRef type = rest.substr(begin + open.size() + digits.size());
    if (!type.consume_front("\"> : tensor<"))
      type = "";
    uint64_t count = 1, extent = 0;
    while (!type.consumeInteger(10, extent) && type.consume_front("x") &&
           count < digits.size())
      count *= extent;
    size_t end = begin + open.size();
    if (count > 1 && type.starts_with("i1>") && digits.size() == 2 * count) {
      packed += rest.take_front(end);
      for (uint64_t i = 0; i < count; i += 8) {
        unsigned byte = 0;
        for (uint64_t bit = 0; bit < 8 && i + bit < count; ++bit)
          byte |= (digits[2 * (i + bit) + 1] != '0') << bit;
        packed += llvm::hexdigit(byte >> 4);
        packed += llvm::hexdigit(byte & 15);
      }
      end += digits.size();
    } else {
      packed += rest.take_front(end);
    }
    rest = rest.drop_front(end);
  }
  if (packed.empty())
    return text;
  return llvm::MemoryBuffer::getMemBufferCopy(packed + rest.str(),
                                              text->getBufferIdentifier());
}

OwningOpRef<ModuleOp> mlir::soap::stablehlo_import::parseStableHLO(
    std::unique_ptr<llvm::MemoryBuffer> text, MLIRContext *context) {
  context->loadDialect<func::FuncDialect, arith::ArithDialect,
                       linalg::LinalgDialect, math::MathDialect,
                       tensor::TensorDialect, SoapDialect>();
  auto place = FileLineColLoc::get(context, text->getBufferIdentifier(), 0, 0);
  std::string form = otherForm(text->getBuffer());
  if (!form.empty()) {
    emitError(place) << "is " << form
                     << ", expected StableHLO in MLIR's generic form: "
                     << genericForm;
    return nullptr;
  }
  context->allowUnregisteredDialects();
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(packBooleans(std::move(text)), SMLoc());
  return parseSourceFile<ModuleOp>(sources, context);
}

OwningOpRef<ModuleOp>
mlir::soap::importStableHLO(std::unique_ptr<llvm::MemoryBuffer> text,
                            MLIRContext *context,
                            const StableHLOImportOptions &options) {
  bool before = context->allowsUnregisteredDialects();
  OwningOpRef<ModuleOp> source = parseStableHLO(std::move(text), context);
  OwningOpRef<ModuleOp> result;
  if (source)
    result = Importer(*source, options).run();
  context->allowUnregisteredDialects(before);
  return result;
}
