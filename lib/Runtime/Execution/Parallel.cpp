//===- Parallel.cpp - Loops on the threads of a device --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops run on the threads of OpenMP, as the primitives of oneDNN do: two pools
// on the same cores would wait for each other.
//
//===----------------------------------------------------------------------===//

#include "Soap/ABI/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#if defined(__SANITIZE_THREAD__)
#define SOAP_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SOAP_THREAD_SANITIZER 1
#endif
#endif
#ifdef SOAP_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

// The function that a compiler calls for `omp parallel`, by its ABI, as in
// Affinity.cpp.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
}

namespace {

// libgomp is not instrumented, so the thread sanitizer does not see that a
// parallel region begins after the earlier work of its thread, and ends before
// its later work. These two say so; elsewhere they are nothing.
void signalTo(char &gate) {
#ifdef SOAP_THREAD_SANITIZER
  __tsan_release(&gate);
#else
  (void)gate;
#endif
}
void waitFor(char &gate) {
#ifdef SOAP_THREAD_SANITIZER
  __tsan_acquire(&gate);
#else
  (void)gate;
#endif
}

struct Loop {
  void (*body)(void *const *, int64_t, int64_t);
  void *const *arguments;
  int64_t extent, grain, pieces; ///< pieces of `grain` iterations
  char begun = 0, ended = 0;     ///< gates of the thread sanitizer

  void run(int64_t part, int64_t parts) const {
    int64_t begin = pieces * part / parts * grain;
    int64_t end = std::min(pieces * (part + 1) / parts * grain, extent);
    if (begin < end)
      body(arguments, begin, end);
  }
};

} // namespace

void soap_rt_parallel(void (*body)(void *const *, int64_t, int64_t),
                      void *const *args, int64_t extent, int64_t grain) {
  Loop loop{body, args, extent, grain, (extent + grain - 1) / grain};
  int64_t threads = std::min<int64_t>(omp_get_max_threads(), loop.pieces);
  if (threads <= 1)
    return loop.run(0, 1);
  signalTo(loop.begun);
  GOMP_parallel(
      [](void *data) {
        auto *loop = static_cast<Loop *>(data);
        waitFor(loop->begun);
        loop->run(omp_get_thread_num(), omp_get_num_threads());
        signalTo(loop->ended);
      },
      &loop, unsigned(threads), 0);
  waitFor(loop.ended);
}

void soap_rt_assertion_failed(const char *message) {
  std::fprintf(stderr, "error: assertion failed: %s\n", message);
  std::_Exit(1);
}
