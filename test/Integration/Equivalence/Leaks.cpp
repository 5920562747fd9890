//===- Leaks.cpp - The leak sanitizer, where there is one -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Leaks.h.
//
//===----------------------------------------------------------------------===//

#include "Leaks.h"

extern "C" {
__attribute__((weak)) int __lsan_do_recoverable_leak_check();
__attribute__((weak)) void __lsan_disable();
__attribute__((weak)) void __lsan_enable();
}

namespace soap::equivalence {

bool leaks() {
  return __lsan_do_recoverable_leak_check &&
         __lsan_do_recoverable_leak_check() != 0;
}

MayLeak::MayLeak() {
  if (__lsan_disable)
    __lsan_disable();
}

MayLeak::~MayLeak() {
  if (__lsan_enable)
    __lsan_enable();
}

} // namespace soap::equivalence
