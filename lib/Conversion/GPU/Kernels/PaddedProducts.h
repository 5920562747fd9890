//===- PaddedProducts.h - Which extents of products are padded --*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries have their fast kernels for matrices whose rows are multiples of 16
// bytes. An extent of a product is also one of its matrices, and so one of
// other products that touch them: all of these are padded, or none.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_KERNELS_PADDEDPRODUCTS_H
#define SOAP_LIB_CONVERSION_GPU_KERNELS_PADDEDPRODUCTS_H

#include "TouchedBuffers.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

#include <array>
#include <optional>

namespace mlir::soap {

/// A product of the library: y [m, n] = a [m, k] times b [k, n].
struct ProductCall {
  enum Dim : int { None = -1, M = 0, N = 1, K = 2 };
  enum Operand : size_t { A, B, Third, Y, Second };

  /// None for other calls.
  static std::optional<ProductCall> of(LibraryCallOp call);

  LibraryCallOp call;
  int64_t batch;
  std::array<int64_t, 3> extents; ///< by Dim
  bool isF32;

  /// A buffer, and which dims its rows and columns are; a vector has no rows.
  struct Matrix {
    Operand operand;
    Value buffer;
    Dim rows, columns;
  };
  SmallVector<Matrix> matrices;

  double work() const {
    return double(batch) * double(extents[M]) * double(extents[N]) *
           double(extents[K]);
  }
};

/// A buffer of a program with its extents in memory: all but the last are rows.
struct PaddedBuffer {
  int64_t rows, columns;             ///< of the program
  int64_t paddedRows, paddedColumns; ///< in memory
  /// A product sums over what is padded: it has to be 0.
  bool needsZeros = false;

  bool isPadded() const {
    return rows != paddedRows || columns != paddedColumns;
  }
};

/// The padded extents of one program.
class PaddedProducts {
public:
  /// Products of at least `minWork` multiply-adds give a reason; 0: all.
  PaddedProducts(func::FuncOp program, TouchedBuffers &buffers, double minWork);

  /// Extents of calls that should be padded and cannot be.
  SmallVector<std::pair<LibraryCallOp, ProductCall::Dim>> refused() const;
  /// Nothing that has this extent of the call is padded.
  void refuse(LibraryCallOp call, ProductCall::Dim dim) {
    classOf({call.getOperation(), dim}).isRefused = true;
  }

  /// Buffers that are padded by their roots, and the extents of calls.
  llvm::MapVector<Value, PaddedBuffer> buffersToPad() const;
  std::array<int64_t, 3> extentsOf(const ProductCall &product) const;
  ArrayRef<ProductCall> products() const { return calls; }

  /// Whether the part of a launch, whose argument is padded, can be rewritten:
  /// it loads and stores single elements of it.
  static bool canPad(func::FuncOp part, unsigned argument);

private:
  /// An extent of a call, or of a buffer (rows first).
  using Node = std::pair<const void *, int>;
  struct Class {
    int64_t multiple = 1; ///< elements that rows are multiples of
    bool hasReason = false, isRefused = false;
  };

  Node node(const ProductCall &product, ProductCall::Dim dim) const {
    return {LibraryCallOp(product.call).getOperation(), dim};
  }
  static Node node(Value root, bool ofColumns) {
    return {root.getAsOpaquePointer(), ofColumns ? 1 : 0};
  }
  void join(const ProductCall &product);
  void joinMatrix(const ProductCall &product,
                  const ProductCall::Matrix &matrix);
  bool canPadBuffer(Value root) const;
  bool canCopy(BlockArgument argument) const;
  Class &classOf(Node of) { return classes[known.getLeaderValue(of)]; }
  /// The extent in memory.
  int64_t padded(Node of, int64_t extent) const;

  func::FuncOp program;
  TouchedBuffers &buffers;
  double minWork;
  SmallVector<ProductCall> calls;
  llvm::EquivalenceClasses<Node> known;
  std::map<Node, Class> classes;
  std::map<Node, Class> own; ///< before they are joined
  llvm::MapVector<Value, std::pair<int64_t, int64_t>> extents;
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_KERNELS_PADDEDPRODUCTS_H
