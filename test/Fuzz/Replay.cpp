//===- Replay.cpp - A fuzz target on given files --------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The main function of fuzz targets in builds without libFuzzer: what fuzzing
// once found stays found.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"

#include <fstream>
#include <iterator>

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    if (!file) {
      std::fprintf(stderr, "%s: cannot open\n", argv[i]);
      return 1;
    }
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    // An exact allocation, so that sanitizers see a read beyond the end.
    auto *copy = new uint8_t[bytes.size()];
    std::copy(bytes.begin(), bytes.end(), copy);
    LLVMFuzzerTestOneInput(copy, bytes.size());
    delete[] copy;
  }
  std::printf("%d inputs\n", argc - 1);
  return 0;
}
