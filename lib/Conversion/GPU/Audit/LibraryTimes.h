//===- LibraryTimes.h - Times of library calls ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products and convolutions by the built-in profile of an H200, what else
// libraries compute by its bytes and flops.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_CONVERSION_GPU_AUDIT_LIBRARYTIMES_H
#define SOAP_LIB_CONVERSION_GPU_AUDIT_LIBRARYTIMES_H

#include "Chips.h"

#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Profile/ProfileModel.h"

#include <memory>
#include <string>

namespace mlir::soap {

struct LibraryTime {
  std::string name; ///< `matmul bf16 8192 x 768 x 3072`
  double seconds = 0;
  bool isMeasured = false; ///< by the profile; else assumed
};

class LibraryTimes {
public:
  /// `profile`: of an H200; scaled to the chip by bandwidth and flops.
  LibraryTimes(std::shared_ptr<const ::soap::ProfileModel> profile,
               const GpuChip &chip, double bandwidth)
      : profile(std::move(profile)), chip(chip), bandwidth(bandwidth) {}

  LibraryTime timeOf(LibraryCallOp call) const;

private:
  std::shared_ptr<const ::soap::ProfileModel> profile;
  const GpuChip &chip;
  double bandwidth;

  double flopsPerSecond(const std::string &dtype) const;
  /// The profile's time of a shape, plus bytes that it does not know of.
  LibraryTime byProfile(const ::soap::OpShape &shape, const std::string &dtype,
                        double flops, double otherBytes) const;
};

} // namespace mlir::soap

#endif // SOAP_LIB_CONVERSION_GPU_AUDIT_LIBRARYTIMES_H
