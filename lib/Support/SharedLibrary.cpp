//===- SharedLibrary.cpp - Libraries that are loaded on demand ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SharedLibrary.h.
//
//===----------------------------------------------------------------------===//

#include "Support/SharedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>
#include <unistd.h>
#include <vector>

using namespace soap;

namespace {

/// Folder of the running executable.
std::string executableFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0)
    return ".";
  std::string text(path, size_t(length));
  return text.substr(0, text.rfind('/'));
}

} // namespace

Expected<void *> soap::loadLibrary(const char *file, const char *variable,
                                   const char *origin) {
  std::vector<std::string> candidates;
  if (const char *chosen = std::getenv(variable); chosen && *chosen) {
    candidates = {chosen};
  } else {
    // Also from build/bin/unittests.
    for (const char *up : {"/../lib/", "/../../lib/", "/"})
      candidates.push_back(executableFolder() + up + file);
    candidates.push_back(file);
  }
  std::string reason;
  for (const std::string &candidate : candidates) {
    // A file that is there but does not load is the mistake to report.
    bool isPath = candidate.find('/') != std::string::npos;
    if (isPath && candidates.size() > 1 && access(candidate.c_str(), F_OK) != 0)
      continue;
    if (void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    reason = dlerror();
    if (isPath)
      break;
  }
  // A user that names a library knows where it comes from.
  if (candidates.size() > 1)
    reason += std::string("; expected ") + file + ", " + origin +
              ", or its path in " + variable;
  return Error{reason};
}
