//===- Importer.h - State of a StableHLO import -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The importer interprets the program: it walks the ops in order, enters calls
// and loops, and writes ops for what it meets. So calls are inlined, and loops
// of a known trip count are unrolled.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_STABLEHLO_IMPORTER_H
#define SOAP_LIB_TARGET_STABLEHLO_IMPORTER_H

#include "Soap/Model/Config.h"
#include "Soap/Target/StableHLO.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <vector>

namespace mlir::soap::stablehlo_import {

/// Constants of at most so many elements are computed with while importing.
constexpr int64_t maxConstantElements = 4096;

/// A tensor of the program. Exactly one of `constant`, `iota` and `base` is
/// set. So an elementwise op reads broadcasts, transposes, constants and iotas
/// in place, and no op writes them.
struct ImportedTensor {
  /// Elements are signless; the sign is in the types of the source program.
  RankedTensorType type;
  /// The elements, if they are known: a splat, or few.
  DenseElementsAttr constant;
  /// The element at d0, d1, ... is the value of this expression.
  AffineExpr iota;
  /// The element at d0, d1, ... is that of `base` at `map`.
  Value base;
  AffineMap map;
  /// The tensor as a whole, if some op needed it.
  Value whole;

  bool isWhole() const { return base && map.isIdentity(); }
};
using TensorRef = std::shared_ptr<ImportedTensor>;

/// Writes the scalars of a point from the scalars of the operands.
using Body = llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)>;

class Importer {
public:
  /// With `tracesResults`, an op that makes a result of an op of the program,
  /// whole, has the location of `tracedResult`.
  Importer(ModuleOp source, const StableHLOImportOptions &options,
           bool tracesResults = false);

  OwningOpRef<ModuleOp> run();
  /// The function of the program that `run` imported.
  func::FuncOp chosen() const { return entry; }

  //===--- Of the op that is imported -------------------------------------===//

  /// An error at `op` that begins with its name.
  InFlightDiagnostic error(Operation *op);

  /// The operand, or the value in general.
  TensorRef get(Operation *op, unsigned operand) {
    return get(op->getOperand(operand));
  }
  TensorRef get(Value value);
  /// Sets a result. Failure, with a diagnostic, if the declared type is another
  /// one. `tensor` may be null: failure without a further diagnostic.
  LogicalResult set(Operation *op, unsigned result, TensorRef tensor);

  /// The type with signless elements; null, with a diagnostic, if it is no
  /// tensor that Soap can hold. Tensors without elements come and go within a
  /// program only.
  RankedTensorType typeOf(Operation *op, Type type, bool mayBeEmpty = false);
  RankedTensorType resultType(Operation *op, unsigned result = 0) {
    return typeOf(op, op->getResult(result).getType());
  }

  /// Attributes of the op, with a diagnostic if they are missing, of another
  /// length (if `size` is not negative) or hold numbers beyond 2^31.
  FailureOr<SmallVector<int64_t>> integers(Operation *op, StringRef name,
                                           int64_t size);
  FailureOr<int64_t> integer(Operation *op, StringRef name);
  /// As `integers`, where the attribute may be missing: `size` times `value`.
  FailureOr<SmallVector<int64_t>> integersOr(Operation *op, StringRef name,
                                             int64_t size, int64_t value);
  /// Dims below `rank`, each at most once.
  FailureOr<SmallVector<int64_t>> dims(Operation *op, StringRef name,
                                       int64_t rank);
  LogicalResult checkDims(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                          int64_t rank);

  //===--- Tensors --------------------------------------------------------===//

  TensorRef fromValue(Value value);
  TensorRef fromConstant(DenseElementsAttr elements);
  TensorRef splat(RankedTensorType type, Attribute element);
  /// A tensor whose element at d0, d1, ... is that of `tensor` at `map`.
  TensorRef view(const TensorRef &tensor, ArrayRef<int64_t> shape,
                 AffineMap map);
  TensorRef transpose(const TensorRef &tensor, ArrayRef<int64_t> permutation);
  TensorRef reshape(const TensorRef &tensor, ArrayRef<int64_t> shape);
  TensorRef slice(const TensorRef &tensor, ArrayRef<int64_t> offsets,
                  ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides);
  /// Negative numbers crop. `value` is an element of a constant.
  TensorRef pad(const TensorRef &tensor, ArrayRef<int64_t> low,
                ArrayRef<int64_t> high, ArrayRef<int64_t> interior,
                Attribute value);
  TensorRef concat(ArrayRef<TensorRef> tensors, int64_t dim);
  TensorRef iota(RankedTensorType type, int64_t dim);

  /// Another tensor for a value of the program, of the same type.
  void replace(Value value, TensorRef tensor) {
    tensors[value] = std::move(tensor);
  }

  /// The tensor as a value of the function.
  Value whole(const TensorRef &tensor);
  /// The only element, if the tensor is a known splat.
  static Attribute splatValue(const TensorRef &tensor);
  /// The only element of an integer tensor, sign-extended.
  static std::optional<int64_t> knownInteger(const TensorRef &tensor);

  /// Tensors of one shape, point by point; constants are computed at once.
  SmallVector<TensorRef> elementwise(ArrayRef<int64_t> shape,
                                     ArrayRef<Type> elements,
                                     ArrayRef<TensorRef> operands, Body body);
  TensorRef elementwise(ArrayRef<int64_t> shape, Type element,
                        ArrayRef<TensorRef> operands, Body body) {
    return elementwise(shape, ArrayRef<Type>(element), operands, body)[0];
  }
  /// Folds the last `windows.size()` loops. The first loops are the dims of the
  /// results. `maps` read the operands; `inits` have the shape of the results.
  /// The scalars are the elements of the operands, then the values so far.
  SmallVector<TensorRef> fold(ArrayRef<int64_t> shape,
                              ArrayRef<int64_t> windows,
                              ArrayRef<TensorRef> operands,
                              ArrayRef<AffineMap> maps,
                              ArrayRef<TensorRef> inits, Body body);
  /// A constant scalar of a body.
  static Value scalar(OpBuilder &builder, Location loc, Attribute value);

  //===--- Regions --------------------------------------------------------===//

  /// Writes the ops of a region on scalars. Null, with a diagnostic, if it is
  /// no region of elementwise ops. `check` has tested it before.
  SmallVector<Value> scalars(Region &region, OpBuilder &builder,
                             ValueRange arguments);
  /// A region of elementwise ops on scalars with `arguments` arguments of the
  /// given element types, twice each or once.
  LogicalResult checkScalarRegion(Operation *op, Region &region,
                                  ArrayRef<Type> arguments,
                                  ArrayRef<Type> results);

  /// A copy of the tensor whose op has a config that no search changes, over
  /// dims d0, d1, ...; `placeProducers` gives it to the op that makes the
  /// tensor where it can. The tensor must be no constant.
  TensorRef place(const TensorRef &tensor, const ::soap::Config &config);

  OpBuilder &builder() { return ops; }
  bool keepsShardings() const { return options.keepShardings; }
  Location loc() const { return current; }
  MLIRContext *context() { return ops.getContext(); }

  /// Ops of a block up to its terminator; its operands.
  FailureOr<SmallVector<TensorRef>> interpret(Block &block,
                                              ArrayRef<TensorRef> arguments);
  FailureOr<SmallVector<TensorRef>> call(Operation *op, StringRef callee,
                                         ArrayRef<TensorRef> arguments);

private:
  ModuleOp source;
  const StableHLOImportOptions &options;
  OpBuilder ops;
  Location current;
  bool tracesResults;
  func::FuncOp entry, target;
  /// Ops of the program by number, from 1, where results are traced.
  llvm::DenseMap<Operation *, unsigned> opNumbers;
  llvm::DenseMap<Value, TensorRef> tensors;
  llvm::DenseMap<Attribute, Value> constants;
  SmallVector<StringRef> callStack;
  int64_t count = 0;

  func::FuncOp chooseFunction();
  LogicalResult importOp(Operation *op);
  Value materialize(const TensorRef &tensor);
};

/// The ops of all functions, and of their regions, in the order of the text.
std::vector<Operation *> opsOf(ModuleOp program);
/// The file name of a location whose line is the number of an op in `opsOf`,
/// from 1, and whose column is that of its result.
constexpr StringRef tracedResult = "result of the program";

/// Parses a program. Null after a diagnostic. The context allows unregistered
/// dialects from then on.
OwningOpRef<ModuleOp> parseStableHLO(std::unique_ptr<llvm::MemoryBuffer> text,
                                     MLIRContext *context);

/// Element types as the source has them, ui32 for example.
Type elementOf(Value value);
/// The signless type.
Type signless(Type element);
bool isUnsigned(Type element);

/// Whether an op works element by element.
bool isElementwise(StringRef name);
/// Numbers and types of operands and results fit; else a diagnostic.
LogicalResult checkElementwise(Importer &importer, Operation *op);
/// The op on scalars that `checkElementwise` accepts.
Value emitScalar(Operation *op, OpBuilder &builder, ValueRange operands);
/// An integer whose signed order is the total order of floats.
Value totalOrderKey(OpBuilder &builder, Location loc, Value x);

/// `name = [1, 2]` and `name = 1` in the text of an attribute of StableHLO such
/// as `dot<...>`; none, with a diagnostic, if it reads otherwise.
struct DimensionNumbers {
  llvm::StringMap<SmallVector<int64_t>> fields;
  ArrayRef<int64_t> operator[](StringRef name) const;
};
FailureOr<DimensionNumbers> dimensionNumbers(Importer &importer, Operation *op,
                                             StringRef attribute,
                                             StringRef kind);
/// `LT` of `#stablehlo<comparison_direction LT>`; empty if there is none.
StringRef enumText(Operation *op, StringRef attribute);

/// Whether a type is a tensor of known shape without elements, as the slices
/// have that jax.lax.associative_scan makes of single elements.
bool isEmpty(Type type);
/// Whether an op is imported by its tensors without elements alone: all of its
/// results are such, or what an operand without elements does to them is known.
/// Then the results are set, or there is a diagnostic.
FailureOr<bool> importEmpty(Importer &importer, Operation *op);

using Handler = LogicalResult (*)(Importer &, Operation *);
/// An op with its numbers of operands, results and regions; -1 is any number.
struct OpEntry {
  Handler handler;
  int operands, results, regions;
};
/// The entry of an op that is not elementwise; null if there is none.
const OpEntry *lookUp(StringRef name);

/// How a region folds two scalars: a commutative and associative op of its two
/// arguments; null otherwise.
Operation *foldingOp(Region &region);

// Shapes.
LogicalResult importBroadcast(Importer &, Operation *);
LogicalResult importConcatenate(Importer &, Operation *);
LogicalResult importConstant(Importer &, Operation *);
LogicalResult importDynamicSlice(Importer &, Operation *);
LogicalResult importDynamicUpdateSlice(Importer &, Operation *);
LogicalResult importIota(Importer &, Operation *);
LogicalResult importPad(Importer &, Operation *);
LogicalResult importReshape(Importer &, Operation *);
LogicalResult importReverse(Importer &, Operation *);
LogicalResult importSlice(Importer &, Operation *);
LogicalResult importTranspose(Importer &, Operation *);
// Reductions.
LogicalResult importReduce(Importer &, Operation *);
LogicalResult importReduceWindow(Importer &, Operation *);
LogicalResult importSelectAndScatter(Importer &, Operation *);
// Products.
/// The tensor with wider or narrower elements of the same kind.
TensorRef convertElements(Importer &importer, const TensorRef &tensor,
                          bool isUnsignedSource, Type element);
/// The type that elements are added up in: sums of 16 bits are of f32, and
/// rounded once. Added one after the other, equal numbers do not grow beyond
/// 256 in bf16, and a split loop would round each contribution.
Type sumType(Type element);
/// The type that a product of two operands is computed in: the widest of their
/// types and its result's.
FailureOr<Type> productType(Importer &importer, Operation *op);
LogicalResult importConvolution(Importer &, Operation *);
LogicalResult importDotGeneral(Importer &, Operation *);
// Indices.
LogicalResult importGather(Importer &, Operation *);
LogicalResult importScatter(Importer &, Operation *);
LogicalResult importSort(Importer &, Operation *);
LogicalResult importTopK(Importer &, Operation *);
// Control flow.
LogicalResult importCall(Importer &, Operation *);
LogicalResult importCase(Importer &, Operation *);
LogicalResult importComposite(Importer &, Operation *);
LogicalResult importCustomCall(Importer &, Operation *);
LogicalResult importIdentity(Importer &, Operation *);
LogicalResult importIf(Importer &, Operation *);
LogicalResult importWhile(Importer &, Operation *);

/// Recognizes ops, fuses elementwise ones, removes unused ones, and gives
/// tensors of i1 bytes. After `markKinds`: sums over samples stay apart.
LogicalResult finish(func::FuncOp function,
                     const StableHLOImportOptions &options);
/// Gives ops names by the scopes of JAX in their locations.
void nameOps(func::FuncOp function);
/// Gives the results of an op that has a sharding its place. Failure, after an
/// error, if the sharding cannot be read; a remark if it cannot be kept.
LogicalResult keepConstraint(Importer &importer, Operation *op);
/// Gives the places of copies to the ops that make their tensors, where the
/// loops of these are the dims of the tensor.
void placeProducers(func::FuncOp function);
/// Places of arguments and results from shardings of the program, if `keep`;
/// otherwise a remark counts the shardings that are not used.
LogicalResult keepShardings(func::FuncOp source, func::FuncOp function,
                            bool keep);
/// Kinds of arguments that options name, and dims of samples.
LogicalResult markKinds(func::FuncOp source, func::FuncOp function,
                        const StableHLOImportOptions &options);
/// Which results update arguments, and kinds of these and of results. After
/// `finish`: the op that computes an update reads what it replaces.
LogicalResult markUpdates(func::FuncOp source, func::FuncOp function,
                          const StableHLOImportOptions &options);

} // namespace mlir::soap::stablehlo_import

#endif // SOAP_LIB_TARGET_STABLEHLO_IMPORTER_H
