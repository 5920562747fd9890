//===- CallNames.h - Names of library calls ---------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a library call in tables of people: two calls have the same name
// if all of their numbers are equal.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_CALLNAMES_H
#define SOAP_LIB_RUNTIME_EXECUTION_CALLNAMES_H

#include "Runtime/Kernels/AttentionCall.h"
#include "Runtime/Kernels/ImageCalls.h"
#include "Runtime/Kernels/LibraryCalls.h"
#include "Soap/Runtime/Execution/CallChecks.h"

namespace soap::runtime {

CallName nameOf(const MatmulCall &call);
CallName nameOf(const ConvCall &call);
CallName nameOf(const PoolCall &call);
CallName nameOf(const NormCall &call);
CallName nameOf(const AttentionCall &call);
/// ` left=4095 right=0`, without what is unbounded.
std::string boundsOf(const AttentionCall &call);
/// The sum of a collective, of a type of Runtime.h.
CallName nameOfSum(int64_t elementType, int64_t count);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_CALLNAMES_H
