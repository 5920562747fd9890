//===- KernelGrids.h - Products and attention of a profile ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys `products` and `attention` of a profile file (docs/CostModel.md).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PROFILE_KERNELGRIDS_H
#define SOAP_LIB_PROFILE_KERNELGRIDS_H

#include "Soap/Profile/Profile.h"
#include "Support/Json.h"

#include <string>

namespace soap {

/// Reads both keys, where `root` has them; mistakes are failures of the cursor.
void readKernelGrids(const jsonfile::Cursor &root, Profile &profile);
/// Appends both keys, those that are not empty.
void printKernelGrids(const Profile &profile, std::string &text);

} // namespace soap

#endif // SOAP_LIB_PROFILE_KERNELGRIDS_H
