//===- OldSpelling.h - Command lines without a command ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For one release, a flag may say what soap-run does, in place of a command:
// `--predict`, `--entry`, `--calibrate`, `--compare-with` or `--check-calls`,
// else it trains.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPRUN_OLDSPELLING_H
#define SOAP_TOOLS_SOAPRUN_OLDSPELLING_H

#include <string>
#include <vector>

namespace soap::run {

/// The same with a command in front.
std::vector<std::string>
spellWithCommand(const std::vector<std::string> &arguments);

} // namespace soap::run

#endif // SOAP_TOOLS_SOAPRUN_OLDSPELLING_H
