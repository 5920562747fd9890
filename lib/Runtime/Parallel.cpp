//===- Parallel.cpp - Loops on the threads of a device --------------------===//
//
// The threads are those of OpenMP, as the library's primitives run on them,
// too: two pools on the same cores would wait for each other.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Runtime.h"

#include <algorithm>

// What a compiler calls for `omp parallel`; through its ABI, as in
// Affinity.cpp.
extern "C" {
void GOMP_parallel(void (*body)(void *), void *data, unsigned threads,
                   unsigned flags);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_threads(void);
}

namespace {

struct Loop {
  void (*body)(void *const *, int64_t, int64_t);
  void *const *arguments;
  int64_t extent, grain, pieces; ///< pieces of `grain` iterations

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
  GOMP_parallel(
      [](void *data) {
        static_cast<const Loop *>(data)->run(omp_get_thread_num(),
                                             omp_get_num_threads());
      },
      &loop, unsigned(threads), 0);
}
