//===- GpuThreads.h - GPU kernels run by threads of the host ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interprets the kernels of a program, gpu.func and all: every thread of a grid
// is a thread of the host, barriers are barriers, memory of a block belongs to
// a block. So the form of a kernel that no host reference runs is tested where
// there is no GPU.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_CONVERSION_GPUTHREADS_H
#define SOAP_UNITTESTS_CONVERSION_GPUTHREADS_H

#include "Harness.h"

namespace soap::test {

/// Runs `@f` by launches of `blocks` blocks of `threads` threads, whatever the
/// extents. `lowering` ends before the image (`until=launches`).
std::vector<Array> runOnThreads(const std::string &text,
                                const std::string &type,
                                const std::string &lowering,
                                const std::vector<Array> &inputs,
                                int64_t blocks, int64_t threads);

} // namespace soap::test

#endif // SOAP_UNITTESTS_CONVERSION_GPUTHREADS_H
