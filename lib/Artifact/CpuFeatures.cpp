//===- CpuFeatures.cpp - Features of this processor -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processor features that artifacts may use: a fixed list, so that an
// artifact can say what it needs and a launcher without LLVM can check it.
//
//===----------------------------------------------------------------------===//

#include "Soap/Artifact/Artifact.h"

using namespace soap;
using namespace soap::runtime;

const char *runtime::hostArchitecture() {
#if defined(__x86_64__)
  return "x86_64";
#elif defined(__aarch64__)
  return "aarch64";
#else
  return "unknown";
#endif
}

const std::vector<std::string> &runtime::hostCpuFeatures() {
  static const std::vector<std::string> features = [] {
    std::vector<std::string> result;
#if defined(__x86_64__)
    __builtin_cpu_init();
    // The name must be a literal.
#define SOAP_FEATURE(name)                                                     \
  if (__builtin_cpu_supports(name))                                            \
    result.push_back(name);
    SOAP_FEATURE("sse3")
    SOAP_FEATURE("ssse3")
    SOAP_FEATURE("sse4.1")
    SOAP_FEATURE("sse4.2")
    SOAP_FEATURE("popcnt")
    SOAP_FEATURE("avx")
    SOAP_FEATURE("avx2")
    SOAP_FEATURE("bmi")
    SOAP_FEATURE("bmi2")
    SOAP_FEATURE("f16c")
    SOAP_FEATURE("fma")
    SOAP_FEATURE("lzcnt")
    SOAP_FEATURE("movbe")
    SOAP_FEATURE("avx512f")
    SOAP_FEATURE("avx512bw")
    SOAP_FEATURE("avx512cd")
    SOAP_FEATURE("avx512dq")
    SOAP_FEATURE("avx512vl")
    SOAP_FEATURE("avx512vbmi")
    SOAP_FEATURE("avx512vnni")
    SOAP_FEATURE("avx512bf16")
#undef SOAP_FEATURE
#endif
    return result;
  }();
  return features;
}

Expected<std::vector<std::string>> runtime::cpuLevel(const std::string &name) {
  if (name == "host")
    return hostCpuFeatures();
  // The levels of the x86-64 psABI; each holds the ones before.
  static const std::pair<const char *, std::vector<std::string>> levels[] = {
      {"x86-64", {}},
      {"x86-64-v2", {"sse3", "ssse3", "sse4.1", "sse4.2", "popcnt"}},
      {"x86-64-v3",
       {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt", "movbe"}},
      {"x86-64-v4",
       {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}}};
  std::vector<std::string> features;
  std::string names = "host";
  for (const auto &[level, added] : levels) {
    if (std::string(hostArchitecture()) != "x86_64")
      break;
    features.insert(features.end(), added.begin(), added.end());
    if (name == level)
      return features;
    names += std::string(", ") + level;
  }
  return Error{"expected one of " + names + ", got '" + name + "'"};
}
