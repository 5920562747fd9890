//===- PaddedProducts.cpp - Which extents of products are padded ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See PaddedProducts.h.
//
//===----------------------------------------------------------------------===//

#include "PaddedProducts.h"

#include "Conversion/Parallelize/IndependentLoops.h"
#include "Runtime/Kernels/LibraryCalls.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <algorithm>
#include <cassert>

using namespace mlir;
using namespace mlir::soap;

using ::soap::runtime::Epilogue;
using ::soap::runtime::MatmulCall;
using ::soap::runtime::Precision;
using Product = ProductCall;

/// Rows of matrices that the library reads fast are multiples of so many bytes.
static constexpr int64_t rowBytes = 16;

std::optional<ProductCall> ProductCall::of(LibraryCallOp call) {
  ArrayRef<int64_t> d = call.getDescriptor();
  if (call.getName() != "matmul" || d.size() != MatmulCall::numbers)
    return std::nullopt;
  bool transposeA = d[4] != 0, transposeB = d[5] != 0;
  auto epilogue = Epilogue(d[8]);
  Product product{
      call, d[0], {d[1], d[2], d[3]}, Precision(d[6]) == Precision::F32, {}};
  auto add = [&](Operand operand, Value buffer, Dim rows, Dim columns) {
    product.matrices.push_back({operand, buffer, rows, columns});
  };
  OperandRange inputs = call.getInputs(), outputs = call.getOutputs();
  add(A, inputs[0], transposeA ? K : M, transposeA ? M : K);
  add(B, inputs[1], transposeB ? N : K, transposeB ? K : N);
  if (hasThirdOperand(epilogue))
    add(Third, inputs[2], hasBias(epilogue) ? None : M, N);
  add(Y, outputs[0], M, N);
  if (hasSecondResult(epilogue)) {
    bool ofA = epilogue == Epilogue::BiasGradOfA;
    add(Second, outputs[1], isBiasGrad(epilogue) ? None : M, ofA ? M : N);
  }
  return product;
}

static MemRefType typeOf(Value buffer) {
  return cast<MemRefType>(buffer.getType());
}

PaddedProducts::PaddedProducts(func::FuncOp program, TouchedBuffers &buffers,
                               double minWork)
    : program(program), buffers(buffers), minWork(minWork) {
  for (auto call : program.getBody().front().getOps<LibraryCallOp>())
    if (auto product = Product::of(call))
      calls.push_back(std::move(*product));
  for (const Product &product : calls) {
    for (int dim = 0; dim < 3; ++dim) {
      Class &its = own[node(product, Product::Dim(dim))];
      its.isRefused |= product.batch != 1;
      known.insert(node(product, Product::Dim(dim)));
    }
    join(product);
  }
  // Products of f32 run on no tensor cores.
  for (const Product &product : calls) {
    bool counts = minWork == 0 || (!product.isF32 && product.work() >= minWork);
    for (const Product::Matrix &matrix : product.matrices) {
      int64_t width = typeOf(matrix.buffer).getElementTypeBitWidth() / 8;
      int64_t multiple = rowBytes / width;
      Class &its = own[node(product, matrix.columns)];
      its.multiple = std::max(its.multiple, multiple);
      int64_t extent = product.extents[size_t(matrix.columns)];
      its.hasReason |= counts && extent % multiple != 0;
    }
  }
  for (const auto &[of, its] : own) {
    Class &all = classOf(of);
    all.multiple = std::max(all.multiple, its.multiple);
    all.hasReason |= its.hasReason;
    all.isRefused |= its.isRefused;
  }
  // No more than an eighth is added.
  for (const Product &product : calls)
    for (int dim = 0; dim < 3; ++dim) {
      Class &its = classOf(node(product, Product::Dim(dim)));
      int64_t extent = product.extents[size_t(dim)];
      its.isRefused |=
          8 * llvm::alignTo(extent, its.multiple) > 9 * uint64_t(extent);
    }
}

void PaddedProducts::join(const Product &product) {
  for (const Product::Matrix &matrix : product.matrices)
    joinMatrix(product, matrix);
}

/// Its rows and columns are the ones of its buffer, if that lies so.
void PaddedProducts::joinMatrix(const Product &product,
                                const Product::Matrix &matrix) {
  Value root = rootBuffer(matrix.buffer);
  int64_t columns = product.extents[size_t(matrix.columns)];
  int64_t rows =
      matrix.rows == Product::None ? 1 : product.extents[size_t(matrix.rows)];
  known.insert(node(root, /*ofColumns=*/false));
  known.insert(node(root, /*ofColumns=*/true));
  // All products that have the buffer have what is refused of it.
  auto refuse = [&](bool ofRows, bool ofColumns) {
    own[node(root, false)].isRefused |= ofRows;
    own[node(root, true)].isRefused |= ofColumns;
  };
  auto type = dyn_cast<MemRefType>(root.getType());
  if (!type || !type.hasStaticShape() || !type.getLayout().isIdentity() ||
      type.getRank() == 0 || type.getShape().back() != columns ||
      type.getNumElements() != rows * columns) {
    refuse(true, true);
    if (matrix.rows != Product::None)
      own[node(product, matrix.rows)].isRefused = true;
    own[node(product, matrix.columns)].isRefused = true;
    return;
  }
  auto [place, isNew] = extents.insert({root, {rows, columns}});
  assert((isNew || place->second == std::pair(rows, columns)) &&
         "the last extent says how many columns there are");
  if (matrix.rows != Product::None)
    known.unionSets(node(product, matrix.rows), node(root, false));
  known.unionSets(node(product, matrix.columns), node(root, true));
  // Rows of several extents have no place for more of them.
  if (type.getRank() != 2)
    refuse(true, false);
  if (isNew && !canPadBuffer(root))
    refuse(true, true);
  auto argument = dyn_cast<BlockArgument>(root);
  // A copy of an argument takes less time than the product gains.
  constexpr int64_t minReuse = 512;
  if (argument && minWork > 0 &&
      product.work() < double(minReuse) * double(rows) * double(columns))
    refuse(true, true);
  // Behind the result of a product there are no zeros.
  bool isResult =
      matrix.operand == Product::Y || matrix.operand == Product::Second;
  for (const Product &other : calls)
    for (const Product::Matrix &its : other.matrices)
      if (isResult && rootBuffer(its.buffer) == root &&
          (its.operand == Product::A || its.operand == Product::B)) {
        if (its.columns == Product::K)
          refuse(false, true);
        if (its.rows == Product::K)
          refuse(true, false);
      }
}

bool PaddedProducts::canPad(func::FuncOp part, unsigned argument) {
  auto movesElements = [](Value buffer) {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      if (auto store = dyn_cast<memref::StoreOp>(user))
        return store.getMemRef() == buffer;
      return isa<memref::LoadOp>(user);
    });
  };
  return llvm::all_of(
      part.getArgument(argument).getUsers(), [&](Operation *user) {
        if (auto row = dyn_cast<memref::CollapseShapeOp>(user))
          return row.getType().getRank() == 1 && movesElements(row);
        if (auto store = dyn_cast<memref::StoreOp>(user))
          return store.getMemRef() == part.getArgument(argument);
        return isa<memref::LoadOp>(user);
      });
}

bool PaddedProducts::canPadBuffer(Value root) const {
  if (auto argument = dyn_cast<BlockArgument>(root))
    return canCopy(argument);
  if (!root.getDefiningOp<memref::AllocOp>())
    return false;
  for (Operation *user : usersOf(root)) {
    if (isa<memref::DeallocOp>(user))
      continue;
    if (auto call = dyn_cast<LibraryCallOp>(user)) {
      if (!Product::of(call))
        return false;
      continue;
    }
    auto launch = dyn_cast<ParallelCallOp>(user);
    func::FuncOp part = launch ? buffers.partOf(launch) : nullptr;
    if (!part || part.isExternal())
      return false;
    for (auto [i, buffer] : llvm::enumerate(launch.getBuffers()))
      if (rootBuffer(buffer) == root &&
          (buffer != root || !canPad(part, static_cast<unsigned>(i))))
        return false;
  }
  return true;
}

/// Products read the argument while nothing writes it, or one writes it and
/// none reads it.
bool PaddedProducts::canCopy(BlockArgument argument) const {
  if (argument.getOwner() != &func::FuncOp(program).getBody().front())
    return false;
  SmallVector<Operation *> readers, writers;
  for (const Product &product : calls) {
    LibraryCallOp call = product.call;
    for (Value input : call.getInputs())
      if (rootBuffer(input) == argument)
        readers.push_back(call);
    for (Value output : call.getOutputs())
      if (rootBuffer(output) == argument)
        writers.push_back(call);
  }
  if (!writers.empty())
    return readers.empty() && writers.size() == 1;
  if (readers.empty())
    return true;
  for (Operation *op = readers.front(); op != readers.back();
       op = op->getNextNode())
    if (buffers.touchedBy(op).written.contains(argument))
      return false;
  return true;
}

int64_t PaddedProducts::padded(Node of, int64_t extent) const {
  auto leader = known.findLeader(of);
  if (leader == known.member_end())
    return extent;
  auto found = classes.find(*leader);
  if (found == classes.end() || !found->second.hasReason ||
      found->second.isRefused)
    return extent;
  return static_cast<int64_t>(
      llvm::alignTo(static_cast<uint64_t>(extent),
                    static_cast<uint64_t>(found->second.multiple)));
}

SmallVector<std::pair<LibraryCallOp, Product::Dim>>
PaddedProducts::refused() const {
  SmallVector<std::pair<LibraryCallOp, Product::Dim>> list;
  for (const Product &product : calls)
    for (auto dim : {Product::M, Product::N, Product::K}) {
      const Class &its = classes.at(*known.findLeader(node(product, dim)));
      if (its.hasReason && its.isRefused)
        list.emplace_back(product.call, dim);
    }
  return list;
}

std::array<int64_t, 3> PaddedProducts::extentsOf(const Product &product) const {
  std::array<int64_t, 3> all{};
  for (int dim = 0; dim < 3; ++dim)
    all[size_t(dim)] =
        padded(node(product, Product::Dim(dim)), product.extents[size_t(dim)]);
  return all;
}

llvm::MapVector<Value, PaddedBuffer> PaddedProducts::buffersToPad() const {
  llvm::MapVector<Value, PaddedBuffer> all;
  for (const auto &[root, its] : extents) {
    PaddedBuffer buffer{its.first, its.second,
                        padded(node(root, false), its.first),
                        padded(node(root, true), its.second)};
    if (buffer.isPadded())
      all.insert({root, buffer});
  }
  for (const Product &product : calls) {
    if (extentsOf(product)[Product::K] == product.extents[Product::K])
      continue;
    for (const Product::Matrix &matrix : product.matrices)
      if (matrix.operand == Product::A || matrix.operand == Product::B)
        all.find(rootBuffer(matrix.buffer))->second.needsZeros = true;
  }
  return all;
}
