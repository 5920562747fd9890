//===- Polynomial.h - Normal forms of expressions ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products of powers of atoms. An atom is a tensor, or a function of a
// polynomial. Two expressions with the same polynomial are the same function,
// in whatever order and form a program writes them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_EXTENSIONS_RECOGNIZE_POLYNOMIAL_H
#define SOAP_LIB_EXTENSIONS_RECOGNIZE_POLYNOMIAL_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace mlir::soap::recognize {

/// Atoms with their exponents in halves, by ascending atom.
using Monomial = std::vector<std::pair<int, int>>;
using Polynomial = std::map<Monomial, double>;
/// The dim of the reference tensor that each dim of a tensor is; -1 for a dim
/// of one element.
using Labels = SmallVector<int, 6>;

enum class AtomKind {
  Tensor,
  /// Sum and maximum of `argument` along the axis.
  Sum,
  Max,
  /// `argument` itself, so that it has powers.
  Base,
  /// 1 / `argument` and such, where the base may be 0 or negative: `exponent`
  /// halves. Powers of it do not merge with others of the same base.
  Power,
  Exp,
  Tanh,
  Erf
};

struct Atom {
  AtomKind kind = AtomKind::Tensor;
  Value value;
  Labels labels;
  Polynomial argument;
  int exponent = 0;
  /// Whether it differs along the axis.
  bool alongAxis = false;
  bool isPositive = false;
};

/// Polynomials over the points of a tensor, one of whose dims is the axis.
/// Functions return nothing where a polynomial would have too many terms.
class Algebra {
public:
  /// `extent` of the axis; 1 where there is none. Coefficients are equal up to
  /// the relative `tolerance`: rounding errors of the program's constants.
  Algebra(int64_t extent, double tolerance)
      : extent(extent), tolerance(tolerance) {}

  Polynomial constant(double value) const;
  Polynomial tensor(Value value, Labels labels, bool alongAxis);
  std::optional<Polynomial> add(const Polynomial &a, const Polynomial &b,
                                double scale = 1) const;
  std::optional<Polynomial> multiply(const Polynomial &a,
                                     const Polynomial &b) const;
  /// The power `exponent` / 2.
  std::optional<Polynomial> power(const Polynomial &a, int exponent);
  std::optional<Polynomial> sum(const Polynomial &a);
  std::optional<Polynomial> apply(AtomKind kind, const Polynomial &a);

  /// From now on powers of the polynomial merge: it is positive.
  void assumePositive(const Polynomial &a) { positive.push_back(a); }

  bool isEqual(const Polynomial &a, const Polynomial &b) const;
  const Atom &atom(int number) const { return atoms[number]; }
  size_t size() const { return atoms.size(); }

private:
  int64_t extent;
  double tolerance;
  std::vector<Atom> atoms;
  std::vector<Polynomial> positive;

  Polynomial single(Atom atom);
  bool differsAlongAxis(const Polynomial &a) const;
  bool isPositive(const Polynomial &a) const;
};

} // namespace mlir::soap::recognize

#endif // SOAP_LIB_EXTENSIONS_RECOGNIZE_POLYNOMIAL_H
