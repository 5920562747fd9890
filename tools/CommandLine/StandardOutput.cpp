//===- StandardOutput.cpp - Whether standard output was written -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See StandardOutput.h.
//
//===----------------------------------------------------------------------===//

#include "CommandLine/StandardOutput.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

bool soap::commandline::finishStandardOutput(const char *tool) {
  errno = 0;
  if (std::fflush(stdout) == 0 && !std::ferror(stdout))
    return true;
  std::fprintf(stderr, "%s: error: standard output: cannot write%s%s\n", tool,
               errno ? ": " : "", errno ? std::strerror(errno) : "");
  return false;
}

void soap::commandline::watchStandardOutput(const char *tool) {
  static const char *name;
  name = tool;
  std::atexit([] {
    if (!finishStandardOutput(name))
      _exit(1);
  });
}
