//===- CallChecks.cpp - Calls of a device beside the host -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallChecks.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/CallChecks.h"

using namespace soap::runtime;

std::vector<CheckedCall> CallChecks::rows() const {
  std::lock_guard<std::mutex> lock(mutex);
  return calls;
}

bool CallChecks::begin(const CallName &name, const std::string &place) {
  std::lock_guard<std::mutex> lock(mutex);
  auto [found, isNew] = index.try_emplace(name, calls.size());
  if (isNew) {
    calls.emplace_back();
    calls.back().name = name;
    calls.back().place = place;
    calls.back().why = "the call did not end";
  }
  ++calls[found->second].calls;
  return isNew || options.all;
}

void CallChecks::end(const CheckedCall &call) {
  std::lock_guard<std::mutex> lock(mutex);
  CheckedCall &row = calls[index.at(call.name)];
  bool isFirst = row.compared == 0;
  if (!call.why.empty()) {
    if (isFirst)
      row.why = call.why;
    return;
  }
  ++row.compared;
  row.why.clear();
  // The worst one, by its error over its tolerance.
  bool isWorse = call.error * row.tolerance > row.error * call.tolerance ||
                 (call.differs && !row.differs);
  if (!isFirst && (!isWorse || (row.differs && !call.differs)))
    return;
  int64_t all = row.calls, compared = row.compared;
  row = call;
  row.calls = all;
  row.compared = compared;
}
