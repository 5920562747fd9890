//===- Version.cpp - The version of Soap ----------------------------------===//
//
// See Version.h. The build defines SOAP_VERSION and SOAP_BUILT_WITH.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/Version.h"

const char *soap::version() { return SOAP_VERSION; }

const char *soap::versionLine() {
  return "Soap " SOAP_VERSION " (" SOAP_BUILT_WITH ")";
}
