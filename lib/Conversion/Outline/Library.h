//===- Library.h - Which ops the library computes ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names and shape descriptors of library functions (Soap/ABI/Runtime.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_LIBRARY_H
#define SOAP_LIB_CONVERSION_OUTLINE_LIBRARY_H

#include "Layouts.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace mlir::soap {

enum class Library {
  None,
  OneDnn,
  Cuda, ///< cuDNN and cuBLAS
};

/// How the library of GPUs is asked for products of f32.
struct LibraryOptions {
  Library library = Library::None;
  bool tf32 = false;
  /// Bytes of a workspace at most; 0: calls have none.
  int64_t workspace = 0;
};

/// Options of passes: a precision, of the module if it is empty, and a
/// workspace in MiB. None, with an error at `module`, if they are not that. In
/// bf16, operands are rounded before, and what is left in f32 is read as f32.
std::optional<LibraryOptions> cudaOptions(ModuleOp module, StringRef precision,
                                          int64_t workspace);

struct LibraryFunction {
  StringRef name; ///< without `soap_rt_`
  SmallVector<int64_t> descriptor;
  int64_t workspace = 0; ///< bytes; 0: no such buffer

  /// A row of bytes.
  RankedTensorType workspaceType(MLIRContext *context) const {
    return RankedTensorType::get({workspace}, IntegerType::get(context, 8));
  }
};

/// The function of `library` that computes `op`, operands and results in order;
/// none if it has none for these types and this padding. Images have the
/// layouts that `layouts` says (the types of `op` are the model's,
/// NCHW).
std::optional<LibraryFunction> libraryFunctionOf(Operation *op,
                                                 LibraryOptions options,
                                                 const Layouts &layouts = {});

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_LIBRARY_H
