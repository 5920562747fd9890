//===- Roles.h - Roles of loops ---------------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The roles of loops: the S, A and P of the FlexFlow paper (section 4), which
// say what splitting a loop means. Analyses of the IR compute them, searches
// restrict themselves by them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_MODEL_ROLES_H
#define SOAP_MODEL_ROLES_H

#include "Soap/Model/IterationSpace.h"

namespace soap {

/// Role of a loop, in order of precedence: it runs over samples; splitting it
/// splits a weight; no result has it; none of these.
enum class Role { Sample, Parameter, Reduction, Attribute };

/// `sample`, `parameter`, `reduction`, `attribute`.
inline const char *roleName(Role role) {
  switch (role) {
  case Role::Sample:
    return "sample";
  case Role::Parameter:
    return "parameter";
  case Role::Reduction:
    return "reduction";
  case Role::Attribute:
    return "attribute";
  }
  return "";
}

/// The word for a loop in reports: `serial` if it may not be split, as then its
/// role has no meaning; else the name of its role.
inline const char *roleName(const Loop &loop, Role role) {
  return loop.type == IteratorType::Serial ? "serial" : roleName(role);
}

} // namespace soap

#endif // SOAP_MODEL_ROLES_H
