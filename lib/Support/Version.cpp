//===- Version.cpp - The version of Soap ----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Version.h. The build defines SOAP_VERSION and SOAP_BUILT_WITH.
//
//===----------------------------------------------------------------------===//

#include "Soap/Support/Version.h"

const char *soap::version() { return SOAP_VERSION; }

const char *soap::versionLine() {
  return "Soap " SOAP_VERSION " (" SOAP_BUILT_WITH ")";
}
