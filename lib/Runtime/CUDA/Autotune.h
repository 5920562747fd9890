//===- Autotune.h - Choices by measurement, kept in a file ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Libraries have several algorithms for a call, and which is the fastest
// depends on shape and device. The candidates are measured once, and the choice
// is kept in a file by call, device and version of the library, so that later
// runs and the other processes of this machine make the same one: devices that
// compute the same thing twice must get the same bits. Processes of several
// machines, whose files differ, exchange their choices. Knows nothing
// of CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_AUTOTUNE_H
#define SOAP_LIB_RUNTIME_CUDA_AUTOTUNE_H

#include "Soap/Support/Error.h"

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace soap::runtime {

class Autotuner {
public:
  using Note = std::function<void(const std::string &)>;

  /// `path` may be empty: then choices live as long as this. A file that is
  /// damaged, or no such file, is noted and replaced at the next choice.
  Autotuner(std::string path, Note note)
      : path(std::move(path)), note(std::move(note)) {}

  /// Milliseconds of a candidate, by number; an error: it does not work here.
  using Measure = std::function<Expected<double>(size_t candidate)>;

  /// The number of one of `candidates`; the file keeps their names.
  /// `key` names the call with its shape, the device and the version of the
  /// library. The fastest is taken; of those within 2 % of it the first, for
  /// time is never exact and libraries list by their own preference. An error
  /// if none works: the last one's.
  Expected<size_t> choose(const std::string &key,
                          const std::vector<std::string> &candidates,
                          const Measure &measure);

  /// The result of `choose` without a measurement and without reading the file:
  /// the number of the choice that is known, if it is a candidate.
  std::optional<size_t> recall(const std::string &key,
                               const std::vector<std::string> &candidates);

  /// Names of the choices that were made or recalled so far, by key.
  std::map<std::string, std::string> used();
  /// Takes the choices of another process for those keys that were used here,
  /// and keeps them. True if one of them is another than before.
  bool adopt(const std::map<std::string, std::string> &others);

  /// Notes it, if it is the first.
  void remark(const std::string &text);

  /// Calls that were measured here, not read.
  int64_t measured() const { return measurements; }

  /// $SOAP_GPU_ALGORITHMS, where an empty one means none; else
  /// gpu-algorithms.json in $SOAP_CACHE_DIR, else in $XDG_CACHE_HOME/soap, else
  /// in $HOME/.cache/soap; empty if there is none of them.
  static std::string defaultPath();

private:
  /// Reads the choices of the file for keys that are not known yet.
  void load();
  void save();
  void tell(const std::string &text);
  std::optional<size_t> find(const std::string &key,
                             const std::vector<std::string> &candidates);

  const std::string path;
  const Note note;
  std::mutex mutex;
  std::map<std::string, std::string> choices;
  std::set<std::string> keysUsed;
  bool noted = false;
  int64_t measurements = 0;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_AUTOTUNE_H
