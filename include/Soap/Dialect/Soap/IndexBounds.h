//===- IndexBounds.h - How large integers of arguments may be ---*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers of data choose rows of tables, and integers of labels are classes.
// Kernels take one that is out of range as a row of zeros, as shards of a table
// have to, so a reader of data checks them against the bounds that are found
// here.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_DIALECT_SOAP_INDEXBOUNDS_H
#define SOAP_DIALECT_SOAP_INDEXBOUNDS_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::soap {

/// Bounds of the elements of one sample, row-major without the sample dim, as
/// pairs of a number of elements and their bound, flattened: each element has
/// to be below it. The bound is the rows of the smallest table that the element
/// chooses from, and the classes of the smallest loss that it names; 0: none.
/// Where all tables take negative elements as counted from their end, as ONNX
/// does, the bound is negative: of -5, elements are in [-5, 5).
/// Elements are followed through ops that move them or change their type; what
/// is computed of them is not. Empty: no element has a bound.
SmallVector<int64_t> indexBounds(BlockArgument argument, int64_t sampleDim);

/// The same, and `soap.classes` of the argument, as an attribute of a tensor:
/// one number where all elements have one bound, else the pairs. Null: no
/// element has a bound, or the function has no body.
Attribute boundsAttribute(FunctionOpInterface function, BlockArgument argument);

/// Notes at the argument whose elements `value` has, all of them, in another
/// order or type, that they are below `bound` (`soap.classes`; negative: see
/// `indexBounds`): for importers, where an op that chooses rows becomes others.
/// `attributes` holds the attributes of the arguments so far: a function that
/// is still being imported has none.
void boundElements(Value value, int64_t bound,
                   MutableArrayRef<DictionaryAttr> attributes);

} // namespace mlir::soap

#endif // SOAP_DIALECT_SOAP_INDEXBOUNDS_H
