//===- Roles.h - Roles of loops ---------------------------------*- C++ -*-===//
//
// The S, A and P of the SOAP paper (section 4): what cutting a loop means. A
// file of its own because analyses of the IR compute roles and searches
// restrict themselves by them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_CORE_ROLES_H
#define SOAP_CORE_ROLES_H

namespace soap {

/// Role of a loop, in order of precedence: it runs over samples; cutting it
/// cuts a weight; no result has it; none of these.
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

} // namespace soap

#endif // SOAP_CORE_ROLES_H
