//===- ProfileModel.h - Times of any shape from a profile -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns measurements into a cost of every shape: the curve of an op, corrected
// by what was measured nearby, and exact where that very shape was measured;
// never less for a larger shape. docs/CostModel.md says how and why.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_PROFILE_PROFILEMODEL_H
#define SOAP_PROFILE_PROFILEMODEL_H

#include "Soap/Profile/Profile.h"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>

namespace soap {

class AttentionModel;
class ProductModel;

/// How much longer each part of a curve takes on another device than on the
/// measured one.
struct CurveScale {
  double launch = 1, memory = 1, compute = 1;
  bool isOne() const { return launch == 1 && memory == 1 && compute == 1; }
};

/// The costs that fusion takes off a kernel (Fusion.h).
struct KernelPart {
  int64_t registerBytes = 0; ///< of the shape's bytes, not moved
  bool joins = false;        ///< no launch of its own
  int64_t operandBytes = 0;  ///< of the shape's bytes, those that are read
  int launches = 1;          ///< kernels that it takes
};

class ProfileModel {
public:
  explicit ProfileModel(Profile profile);
  ~ProfileModel();
  const Profile &getProfile() const { return profile; }
  /// The profile that `Profile::base` names; null: none.
  const ProfileModel *getBase() const { return base.get(); }

  /// Whether there is a table or a curve of such an op, or of the product that
  /// stands for it, in this type.
  bool knows(const OpShape &shape, const std::string &dtype) const;
  /// Time on the device that was measured, in ns; nothing if the profile says
  /// nothing of such an op. Tables of an op are prepared when first asked for
  /// (tens of milliseconds); safe from several threads.
  std::optional<double> opNs(const OpShape &shape, const std::string &dtype,
                             const KernelPart &part = {}) const;
  /// Time by the curve alone, for other devices than the measured one.
  std::optional<double> curveNs(const OpShape &shape, const std::string &dtype,
                                const CurveScale &scale,
                                const KernelPart &part = {}) const;
  /// Time of a `fill`, `assemble` or `combine` of as many bytes (read and
  /// written) on the device that was measured; nothing if none were. Curves
  /// that know nothing of the other sizes go by the bytes alone.
  std::optional<double> copyNs(const std::string &kind, double bytes,
                               const CopySizes &sizes = {}) const;
  /// Whether a table or a grid was measured around the shape.
  bool isWithinMeasured(const OpShape &shape, const std::string &dtype) const;
  /// Of attention as one kernel; null: none was measured.
  const AttentionModel *getAttention() const { return attention.get(); }
  /// Whether an assemble costs by its runs, too.
  bool knowsRuns() const { return assembleKnowsRuns; }

private:
  class Table;
  Profile profile;
  std::shared_ptr<const ProfileModel> base;
  void addCollectives(const Profile &of);
  std::vector<std::unique_ptr<Table>> tables;
  /// By element type and scale, made when first asked for.
  mutable std::map<std::tuple<std::string, double, double, double>,
                   std::unique_ptr<ProductModel>>
      products;
  mutable std::mutex productsMutex;
  std::unique_ptr<AttentionModel> attention;
  std::vector<const CostCurve *> copies;
  bool assembleKnowsRuns = false;

  /// The model of products of such a shape; null: there is none.
  const ProductModel *productsOf(const OpShape &shape, const std::string &dtype,
                                 const CurveScale &scale) const;
  const CostCurve *findCurve(const std::string &op,
                             const std::string &direction,
                             const std::string &dtype) const;
};

/// Tables of at most this noise say of a measured shape what was measured, even
/// if larger shapes are faster.
constexpr double exactProfileNoise = 0.001;

/// A simple curve for a table, for profiles that come without: constant, bytes
/// and work, fitted by least squares of the relative error, nothing negative.
CostCurve fitCurve(const ProfileTable &table);

/// The built-in profile or file of this name, read once per process.
Expected<std::shared_ptr<const ProfileModel>>
loadProfileModel(const std::string &nameOrFile);

} // namespace soap

#endif // SOAP_PROFILE_PROFILEMODEL_H
