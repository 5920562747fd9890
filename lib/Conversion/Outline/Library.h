//===- Library.h - Which ops the library computes ---------------*- C++ -*-===//
//
// Names and shape descriptors of library functions (Soap/Runtime/Runtime.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_OUTLINE_LIBRARY_H
#define SOAP_LIB_CONVERSION_OUTLINE_LIBRARY_H

#include "Layouts.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace mlir::soap {

enum class Library {
  None,
  OneDnn,
  Cuda, ///< cuDNN and cuBLAS
};

struct LibraryFunction {
  StringRef name; ///< without `soap_rt_`
  SmallVector<int64_t> descriptor;
};

/// The function of `library` that computes `op`, operands and results in order;
/// none if it has none for these types and this padding. Images have the
/// layouts that `layouts` says (the types of `op` are those of the model,
/// NCHW).
std::optional<LibraryFunction> libraryFunctionOf(Operation *op, Library library,
                                                 const Layouts &layouts = {});

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_OUTLINE_LIBRARY_H
