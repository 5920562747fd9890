//===- CallTable.h - The outcome of --check-calls ---------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of a device beside the host, as a table and as JSON.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_CALLTABLE_H
#define SOAP_TOOLS_SOAPRUN_CALLTABLE_H

#include "Soap/Runtime/Execution/CallChecks.h"

#include <nlohmann/json_fwd.hpp>

namespace soap::run {

/// Prints a row for each call, of a quiet run those that differ, and a line of
/// numbers. The message of the failure: that a call differs, or that none was
/// compared; "" if there is none.
std::string printCalls(const runtime::CallChecks &checks, bool quiet);

/// An array of the same rows.
nlohmann::ordered_json toJson(const runtime::CallChecks &checks);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_CALLTABLE_H
