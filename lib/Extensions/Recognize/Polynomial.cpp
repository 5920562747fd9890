//===- Polynomial.cpp - Normal forms of expressions -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Polynomial.h.
//
//===----------------------------------------------------------------------===//

#include "Polynomial.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::soap::recognize;

/// More terms than any op that is recognized has.
static constexpr size_t maxTerms = 96;
bool Algebra::isEqual(const Polynomial &a, const Polynomial &b) const {
  return a.size() == b.size() &&
         std::equal(
             a.begin(), a.end(), b.begin(), [&](const auto &x, const auto &y) {
               return x.first == y.first && std::abs(x.second - y.second) <=
                                                tolerance * std::abs(y.second);
             });
}

Polynomial Algebra::constant(double value) const {
  Polynomial result;
  if (value != 0)
    result[{}] = value;
  return result;
}

Polynomial Algebra::single(Atom atom) {
  auto it = llvm::find_if(atoms, [&](const Atom &own) {
    return own.kind == atom.kind && own.value == atom.value &&
           own.labels == atom.labels && own.exponent == atom.exponent &&
           isEqual(own.argument, atom.argument);
  });
  int number = static_cast<int>(it - atoms.begin());
  if (it == atoms.end())
    atoms.push_back(std::move(atom));
  // An exponent of 1.
  return {{Monomial{{number, 2}}, 1.0}};
}

Polynomial Algebra::tensor(Value value, Labels labels, bool alongAxis) {
  Atom atom;
  atom.value = value;
  atom.labels = std::move(labels);
  atom.alongAxis = alongAxis;
  return single(std::move(atom));
}

std::optional<Polynomial> Algebra::add(const Polynomial &a, const Polynomial &b,
                                       double scale) const {
  Polynomial result = a;
  for (const auto &[monomial, coefficient] : b) {
    auto [it, isNew] = result.try_emplace(monomial, 0.0);
    double before = it->second, more = scale * coefficient;
    it->second += more;
    if (it->second == 0 ||
        (!isNew && std::abs(it->second) <= tolerance * std::abs(before)))
      result.erase(it);
  }
  if (result.size() > maxTerms)
    return std::nullopt;
  return result;
}

static Monomial productOf(const Monomial &a, const Monomial &b) {
  Monomial result;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    if (j == b.size() || (i < a.size() && a[i].first < b[j].first)) {
      result.push_back(a[i++]);
    } else if (i == a.size() || b[j].first < a[i].first) {
      result.push_back(b[j++]);
    } else {
      if (int exponent = a[i].second + b[j].second)
        result.emplace_back(a[i].first, exponent);
      ++i;
      ++j;
    }
  }
  return result;
}

std::optional<Polynomial> Algebra::multiply(const Polynomial &a,
                                            const Polynomial &b) const {
  Polynomial result;
  for (const auto &[x, p] : a)
    for (const auto &[y, q] : b) {
      std::optional<Polynomial> sum =
          add(result, Polynomial{{productOf(x, y), p * q}});
      if (!sum)
        return std::nullopt;
      result = std::move(*sum);
    }
  return result;
}

bool Algebra::differsAlongAxis(const Polynomial &a) const {
  return llvm::any_of(a, [&](const auto &term) {
    return llvm::any_of(term.first, [&](const std::pair<int, int> &factor) {
      return atoms[factor.first].alongAxis;
    });
  });
}

bool Algebra::isPositive(const Polynomial &a) const {
  if (llvm::any_of(positive,
                   [&](const Polynomial &own) { return isEqual(own, a); }))
    return true;
  // A sum of positive products.
  return !a.empty() && llvm::all_of(a, [&](const auto &term) {
    return term.second > 0 &&
           llvm::all_of(term.first, [&](const std::pair<int, int> &factor) {
             return atoms[factor.first].isPositive;
           });
  });
}

std::optional<Polynomial> Algebra::power(const Polynomial &a, int exponent) {
  if (exponent == 0 || a.empty())
    return std::nullopt;
  if (a.size() == 1 && isPositive(a)) {
    const auto &[monomial, coefficient] = *a.begin();
    Monomial result;
    for (auto [atom, own] : monomial) {
      if (own * exponent % 2 != 0)
        return std::nullopt;
      result.emplace_back(atom, own * exponent / 2);
    }
    return Polynomial{{result, std::pow(coefficient, exponent / 2.0)}};
  }
  if (a.size() == 1 && a.begin()->first.empty())
    return std::nullopt; // of a negative number
  Atom atom;
  atom.argument = a;
  if (a.size() == 1 && a.begin()->second == 1 && exponent % 2 == 0 &&
      a.begin()->first.size() == 1 && a.begin()->first[0].second == 2) {
    // The reciprocal of a root: neither has a value where the base is negative.
    const Atom &root = atoms[a.begin()->first[0].first];
    if (root.kind == AtomKind::Power && root.exponent % 2 != 0) {
      atom.argument = root.argument;
      exponent = root.exponent * exponent / 2;
    }
  }
  atom.alongAxis = differsAlongAxis(a);
  atom.isPositive = isPositive(atom.argument);
  atom.kind = atom.isPositive ? AtomKind::Base : AtomKind::Power;
  if (!atom.isPositive)
    atom.exponent = exponent;
  bool merges = atom.isPositive;
  Polynomial result = single(std::move(atom));
  if (!merges)
    return result;
  return Polynomial{{Monomial{{result.begin()->first[0].first, exponent}}, 1}};
}

std::optional<Polynomial> Algebra::sum(const Polynomial &a) {
  Polynomial result;
  for (const auto &[monomial, coefficient] : a) {
    Monomial outside, inside;
    for (const std::pair<int, int> &factor : monomial)
      (atoms[factor.first].alongAxis ? inside : outside).push_back(factor);
    Polynomial term{{outside, coefficient}};
    if (inside.empty()) {
      term.begin()->second *= static_cast<double>(extent);
    } else {
      Atom atom;
      atom.kind = AtomKind::Sum;
      atom.argument = {{inside, 1.0}};
      atom.isPositive = isPositive(atom.argument);
      std::optional<Polynomial> product =
          multiply(term, single(std::move(atom)));
      if (!product)
        return std::nullopt;
      term = std::move(*product);
    }
    std::optional<Polynomial> more = add(result, term);
    if (!more)
      return std::nullopt;
    result = std::move(*more);
  }
  return result;
}

std::optional<Polynomial> Algebra::apply(AtomKind kind, const Polynomial &a) {
  if (a.empty() || (a.size() == 1 && a.begin()->first.empty()))
    return std::nullopt; // of a number
  Atom atom;
  atom.kind = kind;
  atom.argument = a;
  bool isOdd = kind == AtomKind::Tanh || kind == AtomKind::Erf;
  double sign = isOdd && a.begin()->second < 0 ? -1 : 1;
  if (sign < 0)
    for (auto &[monomial, coefficient] : atom.argument)
      coefficient = -coefficient;
  atom.alongAxis = kind != AtomKind::Max && differsAlongAxis(a);
  atom.isPositive = kind == AtomKind::Exp;
  Polynomial result = single(std::move(atom));
  result.begin()->second = sign;
  return result;
}
