//===- Harness.h - Runs ops through their kernels ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a function of soap ops in this process and runs it on arrays of
// doubles, so that a test can compare it with plain loops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_CONVERSION_HARNESS_H
#define SOAP_UNITTESTS_CONVERSION_HARNESS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace soap::test {

/// A row-major array. Rank 0 has one element.
struct Array {
  std::vector<int64_t> shape;
  std::vector<double> values;

  Array() = default;
  explicit Array(std::vector<int64_t> shape, double value = 0);

  int64_t dim(size_t i) const { return shape[i]; }
  double &operator()(std::vector<int64_t> index);
  double operator()(std::vector<int64_t> index) const;
  /// `outside` where some index is out of range.
  double get(std::vector<int64_t> index, double outside) const;
  /// Calls `body(index)` for every index, row-major.
  void forEach(const std::function<void(std::vector<int64_t>)> &body) const;
};

/// Values in [-1, 1), different for every seed.
Array random(std::vector<int64_t> shape, unsigned seed);
/// Small integers, of which sums are exact.
Array integers(std::vector<int64_t> shape, unsigned seed);

/// Runs `@f` of a module in which `T` stands for the element type, once per
/// element type and lowering, and compares every result
/// with `expected`. Results are the function's, in order, also where they
/// replace arguments.
void check(const std::string &text, const std::vector<Array> &inputs,
           const std::vector<Array> &expected,
           const std::vector<std::string> &types = {"f32", "f64"});

/// The same, also of the lowering to GPUs, by host references: f64 within
/// 1e-12. For functions without products, which are calls of the runtime there.
void checkEverywhere(const std::string &text, const std::vector<Array> &inputs,
                     const std::vector<Array> &expected);

/// A module behind passes, and the buffers of `@f`: its arguments, then the
/// results that replace none of them.
struct Prepared {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null: failed, as was reported
  mlir::FunctionType signature;
  std::vector<std::vector<char>> buffers;
  std::vector<int64_t> places; ///< the buffer of each result

  Prepared(const std::string &text, const std::string &type,
           const std::string &lowering, const std::vector<Array> &inputs);
  std::vector<Array> results() const;
};

/// Runs `@f` once, behind the pass pipeline `lowering`; of a program for GPUs
/// the host references. Empty if it does not compile; failures are reported.
std::vector<Array> run(const std::string &text, const std::string &type,
                       const std::string &lowering,
                       const std::vector<Array> &inputs);

/// The lowering to GPUs as it is for large tensors, whose iterations are done
/// four at a time; up to its launches, or to the program.
std::string loweringOfLarge(bool untilLaunches = false);

/// `tensor<2x3xT>`.
std::string tensor(const std::vector<int64_t> &shape,
                   const std::string &element = "T");
/// A function `@f` of one op: operands and results have the shapes of the
/// arrays.
std::string function(const std::string &op, const std::string &attributes,
                     const std::vector<Array> &inputs,
                     const std::vector<Array> &results);
/// The same of an op with one result that computes in a type which programs are
/// not given: operands and result are f32 and are cast.
std::string narrowFunction(const std::string &op, const std::string &attributes,
                           const std::vector<Array> &inputs,
                           const Array &result);

} // namespace soap::test

#endif // SOAP_UNITTESTS_CONVERSION_HARNESS_H
