//===- Affinity.cpp - Cores of device threads -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Affinity.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Processes/Affinity.h"

#include <pthread.h>
#include <sched.h>

// The OpenMP runtime that oneDNN runs on; its header would tie us to a compiler
// with -fopenmp.
extern "C" void omp_set_num_threads(int);
extern "C" void omp_set_dynamic(int);

using namespace soap::runtime;

std::vector<int> soap::runtime::availableCoreList() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof(set), &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  if (cores.empty())
    cores.push_back(0);
  return cores;
}

int64_t soap::runtime::availableCores() {
  return int64_t(availableCoreList().size());
}

void soap::runtime::setUpDeviceThread(const std::vector<int> &cores,
                                      int64_t first, int64_t count, bool pin) {
  if (pin) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int64_t i = 0; i < count; ++i)
      CPU_SET(cores[size_t(first + i) % cores.size()], &set);
    // Best effort: without it the numbers are the same, only slower.
    (void)pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
  }
  omp_set_dynamic(0);
  omp_set_num_threads(int(count));
}
