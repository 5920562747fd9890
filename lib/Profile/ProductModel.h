//===- ProductModel.h - Times of matrix products ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of a product of any size on a GPU whose products were measured: a
// model of tiles and waves, corrected on a grid of sizes by what was measured
// (docs/CostModel.md has the formula).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PROFILE_PRODUCTMODEL_H
#define SOAP_LIB_PROFILE_PRODUCTMODEL_H

#include "Soap/Profile/ProfileModel.h"

#include <array>
#include <memory>
#include <mutex>

namespace soap {

class ProductModel {
public:
  /// Keeps a reference. `scale`: how much longer the parts of the model take on
  /// the device that is priced than on the one that was measured.
  explicit ProductModel(const ProductGrid &grid, const CurveScale &scale = {});
  ~ProductModel();

  /// Time in ns of `C[m, n] = A[m, k] B[k, n]`, above 0. Never less for a
  /// larger product of its kind: whose rows, and whose columns and depth, are
  /// or are not multiples of what kernels are made for (`hasWhole...`). One
  /// that is not costs no less than a smaller one that is. Safe from several
  /// threads.
  /// `converts`: with what a kernel takes to convert A to the type of the
  /// product, which all measured ones of 8 and 4 bits do; what is left without
  /// it is the same share of the time as of the model of tiles.
  double ns(double m, double n, double k, bool converts = true) const;
  /// The model of tiles alone, and the part of it that converts.
  double tilesNs(double m, double n, double k) const;
  double conversionNs(double m, double k) const;
  /// Whether rows, or whether columns and depth, are multiples of 16, or of 16
  /// bytes: kernels are slower where they are not.
  bool hasWholeRows(double m) const;
  bool hasWholeFeatures(double n, double k) const;
  /// Whether all sizes are within what was measured.
  bool isWithinMeasured(double m, double n, double k) const;

private:
  struct Lattice;
  const ProductGrid &grid;
  CurveScale scale;
  /// Of whole and of odd rows, without and with conversions; made when first
  /// asked for.
  mutable std::array<std::unique_ptr<const Lattice>, 4> lattices;
  mutable std::array<std::once_flag, 4> made;

  const Lattice &latticeOf(bool hasOddRows, bool converts) const;
  std::unique_ptr<const Lattice> makeLattice(bool hasOddRows,
                                             bool converts) const;
};

} // namespace soap

#endif // SOAP_LIB_PROFILE_PRODUCTMODEL_H
