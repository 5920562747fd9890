//===- OneByOne.h - Plans whose pieces come one by one ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pieces of a device are the microbatches of a pipeline, which it computes
// one after the other: nothing may wait for all of them that can do without.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_PLAN_ONEBYONE_H
#define SOAP_LIB_PLAN_ONEBYONE_H

namespace soap {

/// While it lives, plans that this thread makes add up the contributions of a
/// device as they come, and have no exchange that joins the messages of many
/// pieces.
class OneByOneScope {
public:
  OneByOneScope() : before(active) { active = true; }
  ~OneByOneScope() { active = before; }
  OneByOneScope(const OneByOneScope &) = delete;
  OneByOneScope &operator=(const OneByOneScope &) = delete;

  static bool isActive() { return active; }

private:
  bool before;
  static inline thread_local bool active = false;
};

} // namespace soap

#endif // SOAP_LIB_PLAN_ONEBYONE_H
