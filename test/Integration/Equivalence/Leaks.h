//===- Leaks.h - The leak sanitizer, where there is one ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Processes that end by _exit have to ask it; what MPI allocates for good while
// it starts, often in plugins that are unloaded at once, is not to be asked
// for.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TEST_EQUIVALENCE_LEAKS_H
#define SOAP_TEST_EQUIVALENCE_LEAKS_H

namespace soap::equivalence {

/// Whether memory has leaked that is not suppressed; prints where it comes
/// from. False in builds without the sanitizer.
bool leaks();

/// Allocations of this thread while an object lives are no leaks.
struct MayLeak {
  MayLeak();
  ~MayLeak();
};

} // namespace soap::equivalence

#endif // SOAP_TEST_EQUIVALENCE_LEAKS_H
