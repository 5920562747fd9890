//===- PadProducts.cpp - Rows of products are multiples of 16 bytes -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass: buffers of products get rows of whole 16 bytes, parts of launches
// that touch them address them so, and products have the larger extents.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "PaddedProducts.h"

#include "Conversion/Outline/SlotNames.h"
#include "Conversion/Parallelize/IndependentLoops.h"

#include "Dialect/Soap/PassStatistics.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"

#include <set>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPADPRODUCTS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

MemRefType paddedType(MemRefType type, const PaddedBuffer &padding) {
  SmallVector<int64_t> shape(type.getShape());
  shape.back() = padding.paddedColumns;
  if (padding.rows != padding.paddedRows) {
    assert(shape.size() == 2 && "rows of one extent");
    shape.front() = padding.paddedRows;
  }
  return MemRefType::get(shape, type.getElementType());
}

class Padder {
public:
  explicit Padder(ModuleOp module) : symbols(module) {}

  void run(func::FuncOp program, const PaddedProducts &products);

private:
  /// The number of an element in memory, which of the program it is given.
  static Value moved(OpBuilder &builder, Location loc, Value element,
                     const PaddedBuffer &padding);

  StringAttr paddedPart(func::FuncOp part,
                        ArrayRef<std::optional<PaddedBuffer>> paddings);
  void padLaunch(ParallelCallOp launch,
                 const llvm::MapVector<Value, PaddedBuffer> &buffers);

  using Body = llvm::function_ref<void(OpBuilder &, Value, Block &)>;
  /// A part of `types`, whose body is that of an iteration.
  StringAttr create(StringRef name, ArrayRef<Type> types, Location loc,
                    Body body);
  ParallelCallOp launch(OpBuilder &builder, Operation *place, StringRef name,
                        int64_t extent, ValueRange buffers, Body body);
  void fill(Operation *before, Value buffer, const PaddedBuffer &padding);
  void copyIn(Operation *before, Value from, Value to,
              const PaddedBuffer &padding);
  void copyOut(Operation *behind, Value from, Value to,
               const PaddedBuffer &padding);

  SymbolTable symbols;
  llvm::StringMap<StringAttr> known;
};

} // namespace

/// Row and column of an element that is row * `columns` + column, where a loop
/// shows the column to be below `columns`.
static std::pair<Value, Value> rowAndColumn(Value element, int64_t columns) {
  auto sum = element.getDefiningOp<arith::AddIOp>();
  auto begin = sum ? sum.getLhs().getDefiningOp<arith::MulIOp>() : nullptr;
  auto column = sum ? dyn_cast<BlockArgument>(sum.getRhs()) : BlockArgument();
  auto loop =
      column ? dyn_cast<scf::ForOp>(column.getOwner()->getParentOp()) : nullptr;
  if (!begin || !loop || column != loop.getInductionVar() ||
      getConstantIntValue(begin.getRhs()) != columns ||
      tripCountOf(loop).value_or(columns + 1) > columns)
    return {};
  return {begin.getLhs(), column};
}

Value Padder::moved(OpBuilder &builder, Location loc, Value element,
                    const PaddedBuffer &padding) {
  if (padding.columns == padding.paddedColumns)
    return element;
  auto constant = [&](int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto [row, column] = rowAndColumn(element, padding.columns);
  if (!row) {
    Value columns = constant(padding.columns);
    row = arith::DivUIOp::create(builder, loc, element, columns);
    column = arith::RemUIOp::create(builder, loc, element, columns);
  }
  Value begin =
      arith::MulIOp::create(builder, loc, row, constant(padding.paddedColumns));
  return arith::AddIOp::create(builder, loc, begin, column);
}

static std::string keyOf(const PaddedBuffer &padding) {
  std::string text;
  for (int64_t extent : {padding.rows, padding.columns, padding.paddedRows,
                         padding.paddedColumns})
    text += " " + std::to_string(extent);
  return text;
}

StringAttr Padder::paddedPart(func::FuncOp part,
                              ArrayRef<std::optional<PaddedBuffer>> paddings) {
  std::string key = part.getName().str();
  for (auto [i, padding] : llvm::enumerate(paddings))
    if (padding)
      key += " #" + std::to_string(i) + keyOf(*padding);
  StringAttr &name = known[key];
  if (name)
    return name;
  auto copy = cast<func::FuncOp>(part->clone());
  copy.setName((part.getName() + "_padded").str());
  name = symbols.insert(copy);
  SmallVector<Type> types(copy.getArgumentTypes());
  for (auto [i, padding] : llvm::enumerate(paddings)) {
    if (!padding)
      continue;
    BlockArgument argument = copy.getArgument(static_cast<unsigned>(i));
    auto type = paddedType(cast<MemRefType>(argument.getType()), *padding);
    types[i] = type;
    argument.setType(type);
    for (Operation *user : llvm::to_vector(argument.getUsers())) {
      auto row = dyn_cast<memref::CollapseShapeOp>(user);
      if (!row)
        continue; // an element by all its indices
      row.getResult().setType(
          MemRefType::get({type.getNumElements()}, type.getElementType()));
      for (Operation *access : llvm::to_vector(row->getUsers())) {
        OpBuilder builder(access);
        auto load = dyn_cast<memref::LoadOp>(access);
        MutableOperandRange indices =
            load ? load.getIndicesMutable()
                 : cast<memref::StoreOp>(access).getIndicesMutable();
        indices.assign(
            moved(builder, access->getLoc(), indices[0].get(), *padding));
      }
    }
  }
  copy.setFunctionType(
      FunctionType::get(copy.getContext(), types, TypeRange()));
  return name;
}

void Padder::padLaunch(ParallelCallOp launch,
                       const llvm::MapVector<Value, PaddedBuffer> &buffers) {
  SmallVector<std::optional<PaddedBuffer>> paddings;
  for (Value buffer : launch.getBuffers()) {
    auto found = buffers.find(buffer);
    paddings.push_back(found == buffers.end() || isa<BlockArgument>(buffer)
                           ? std::nullopt
                           : std::optional(found->second));
  }
  auto part = symbols.lookup<func::FuncOp>(launch.getCallee());
  launch.setCalleeAttr(FlatSymbolRefAttr::get(paddedPart(part, paddings)));
}

StringAttr Padder::create(StringRef name, ArrayRef<Type> types, Location loc,
                          Body body) {
  OpBuilder builder(loc.getContext());
  SmallVector<Type> all(types);
  all.append(2, builder.getIndexType());
  auto part = func::FuncOp::create(builder, loc, name,
                                   builder.getFunctionType(all, {}));
  part.setPrivate();
  part->setAttr("passthrough", builder.getStrArrayAttr({"noinline"}));
  StringAttr its = symbols.insert(part);
  Block *block = part.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  auto range = scf::ForOp::create(
      builder, loc, block->getArgument(block->getNumArguments() - 2),
      block->getArgument(block->getNumArguments() - 1),
      arith::ConstantIndexOp::create(builder, loc, 1));
  func::ReturnOp::create(builder, loc);
  builder.setInsertionPoint(range.getBody()->getTerminator());
  body(builder, range.getInductionVar(), *block);
  return its;
}

ParallelCallOp Padder::launch(OpBuilder &builder, Operation *place,
                              StringRef name, int64_t extent,
                              ValueRange buffers, Body body) {
  std::string key = name.str() + " " + std::to_string(extent);
  SmallVector<Type> types(buffers.getTypes());
  for (Type type : types)
    llvm::raw_string_ostream(key) << " " << type;
  StringAttr &part = known[key];
  if (!part)
    part = create(name, types, place->getLoc(), body);
  auto made = ParallelCallOp::create(builder, place->getLoc(), part.getValue(),
                                     extent, /*grain=*/1, buffers);
  if (Attribute slot = place->getAttr(SoapDialect::kSlot))
    made->setAttr(SoapDialect::kSlot, slot);
  return made;
}

static Value zeroOf(OpBuilder &builder, Location loc, Value buffer) {
  auto element = cast<MemRefType>(buffer.getType()).getElementType();
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(element));
}

/// The place behind the columns of each row, and behind the last row, becomes
/// 0.
void Padder::fill(Operation *before, Value buffer,
                  const PaddedBuffer &padding) {
  int64_t behind = padding.paddedColumns - padding.columns;
  int64_t inRows = padding.rows * behind;
  int64_t extent =
      inRows + (padding.paddedRows - padding.rows) * padding.paddedColumns;
  OpBuilder builder(before);
  launch(
      builder, before, "pad_rows", extent, buffer,
      [&](OpBuilder &inner, Value iteration, Block &body) {
        Location loc = before->getLoc();
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(inner, loc, value);
        };
        // Of the rows, and of the place behind them.
        Value element, last;
        if (behind > 0) {
          Value row =
              arith::DivUIOp::create(inner, loc, iteration, constant(behind));
          Value column =
              arith::RemUIOp::create(inner, loc, iteration, constant(behind));
          element = arith::AddIOp::create(
              inner, loc,
              arith::MulIOp::create(inner, loc, row,
                                    constant(padding.paddedColumns)),
              arith::AddIOp::create(inner, loc, column,
                                    constant(padding.columns)));
        }
        if (padding.paddedRows > padding.rows) {
          last = arith::AddIOp::create(
              inner, loc, iteration,
              constant(padding.rows * padding.paddedColumns - inRows));
          if (element) {
            Value isInRows =
                arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult,
                                      iteration, constant(inRows));
            last = arith::SelectOp::create(inner, loc, isInRows, element, last);
          }
          element = last;
        }
        Value to = body.getArgument(0);
        memref::StoreOp::create(inner, loc, zeroOf(inner, loc, to),
                                asRow(inner, to), element);
      });
}

/// All of an argument, and zeros behind its rows.
void Padder::copyIn(Operation *before, Value from, Value to,
                    const PaddedBuffer &padding) {
  OpBuilder builder(before);
  launch(
      builder, before, "copy_padded",
      padding.paddedRows * padding.paddedColumns, {from, to},
      [&](OpBuilder &inner, Value iteration, Block &body) {
        Location loc = before->getLoc();
        auto constant = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(inner, loc, value);
        };
        auto isBelow = [&](Value value, int64_t limit) -> Value {
          return arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::ult,
                                       value, constant(limit));
        };
        Value columns = constant(padding.paddedColumns);
        Value row = arith::DivUIOp::create(inner, loc, iteration, columns);
        Value column = arith::RemUIOp::create(inner, loc, iteration, columns);
        Value isInside =
            arith::AndIOp::create(inner, loc, isBelow(row, padding.rows),
                                  isBelow(column, padding.columns));
        Value element = arith::AddIOp::create(
            inner, loc,
            arith::MulIOp::create(inner, loc, row, constant(padding.columns)),
            column);
        // The first one is read in place of one that is not there.
        element =
            arith::SelectOp::create(inner, loc, isInside, element, constant(0));
        Value source = body.getArgument(0);
        Value value =
            memref::LoadOp::create(inner, loc, asRow(inner, source), element);
        value = arith::SelectOp::create(inner, loc, isInside, value,
                                        zeroOf(inner, loc, source));
        memref::StoreOp::create(inner, loc, value,
                                asRow(inner, body.getArgument(1)), iteration);
      });
}

void Padder::copyOut(Operation *behind, Value from, Value to,
                     const PaddedBuffer &padding) {
  OpBuilder builder(behind->getContext());
  builder.setInsertionPointAfter(behind);
  launch(builder, behind, "copy_unpadded", padding.rows * padding.columns,
         {from, to}, [&](OpBuilder &inner, Value iteration, Block &body) {
           Location loc = behind->getLoc();
           Value element = moved(inner, loc, iteration, padding);
           Value value = memref::LoadOp::create(
               inner, loc, asRow(inner, body.getArgument(0)), element);
           memref::StoreOp::create(
               inner, loc, value, asRow(inner, body.getArgument(1)), iteration);
         });
}

void Padder::run(func::FuncOp program, const PaddedProducts &products) {
  llvm::MapVector<Value, PaddedBuffer> buffers = products.buffersToPad();
  if (buffers.empty())
    return;
  for (auto launch : program.getBody().front().getOps<ParallelCallOp>())
    if (llvm::any_of(launch.getBuffers(), [&](Value buffer) {
          return buffers.contains(buffer) && !isa<BlockArgument>(buffer);
        }))
      padLaunch(launch, buffers);

  // The buffers that calls get: roots of allocations, copies of arguments.
  llvm::DenseMap<Value, Value> places;
  llvm::DenseSet<Value> filled;
  auto placeOf = [&](Value root, const PaddedBuffer &padding,
                     LibraryCallOp call, bool isResult) -> Value {
    auto type = paddedType(cast<MemRefType>(root.getType()), padding);
    if (isa<BlockArgument>(root)) {
      Value &copy = places[root];
      if (!copy) {
        OpBuilder builder(call);
        copy = memref::AllocOp::create(builder, call.getLoc(), type,
                                       builder.getI64IntegerAttr(64));
        if (isResult)
          copyOut(call, copy, root, padding);
        else
          copyIn(call, root, copy, padding);
      }
      return copy;
    }
    if (!isResult && padding.needsZeros && filled.insert(root).second)
      fill(call, root, padding);
    return root;
  };
  for (auto &[root, padding] : buffers)
    if (!isa<BlockArgument>(root))
      root.setType(paddedType(cast<MemRefType>(root.getType()), padding));
  for (const ProductCall &product : products.products()) {
    LibraryCallOp call = product.call;
    std::array<int64_t, 3> extents = products.extentsOf(product);
    if (extents == product.extents)
      continue;
    SmallVector<int64_t> descriptor(call.getDescriptor());
    std::copy(extents.begin(), extents.end(), descriptor.begin() + 1);
    call.setDescriptor(descriptor);
    for (const ProductCall::Matrix &matrix : product.matrices) {
      Value root = rootBuffer(matrix.buffer);
      auto found = buffers.find(root);
      if (found == buffers.end())
        continue;
      bool isResult = matrix.operand == ProductCall::Y ||
                      matrix.operand == ProductCall::Second;
      Value place = placeOf(root, found->second, call, isResult);
      for (OpOperand &operand : call->getOpOperands())
        if (operand.get() == matrix.buffer)
          operand.set(place);
    }
  }
  // Views of what the program had before.
  for (Operation &op :
       llvm::make_early_inc_range(llvm::reverse(program.getBody().front())))
    if (isa<ViewLikeOpInterface>(op) && op.use_empty())
      op.erase();
}

namespace {

struct PadProductsPass
    : public mlir::soap::impl::SoapPadProductsBase<PadProductsPass> {
  using SoapPadProductsBase::SoapPadProductsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (minWork < 0) {
      module.emitError("option 'min-work=")
          << minWork.getValue() << "': expected a number of at least 0";
      return signalPassFailure();
    }
    SymbolTable symbols(module);
    TouchedBuffers buffers(symbols);
    SlotNames names(module);
    std::vector<std::pair<func::FuncOp, PaddedProducts>> programs;
    for (auto program : module.getOps<func::FuncOp>())
      if (!program.isExternal() && !program.isPrivate() &&
          program.getBody().hasOneBlock())
        programs.emplace_back(
            program,
            PaddedProducts(program, buffers, static_cast<double>(minWork)));
    // The same for an op of the model in all programs.
    std::set<std::pair<StringRef, int>> refused;
    for (bool changes = true; changes;) {
      changes = false;
      for (auto &[program, products] : programs)
        for (auto [call, dim] : products.refused())
          for (StringRef name : names.of(program, call))
            changes |= refused.emplace(name, dim).second;
      if (!changes)
        break;
      for (auto &[program, products] : programs)
        for (const ProductCall &product : products.products())
          for (auto dim : {ProductCall::M, ProductCall::N, ProductCall::K})
            for (StringRef name : names.of(program, product.call))
              if (refused.contains({name, dim}))
                products.refuse(product.call, dim);
    }
    Padder padder(module);
    for (auto &[program, products] : programs) {
      addTo(padded, static_cast<int64_t>(products.buffersToPad().size()));
      padder.run(program, products);
    }
  }
};

} // namespace
