//===- Autotune.h - Choices by measurement, kept in a file ------*- C++ -*-===//
//
// Libraries have several algorithms for a call, and which is the fastest
// depends on shape and device. The candidates are measured once, and the choice
// is kept in a file by call, device and version of the library, so that later
// runs and the other processes of this machine make the same one: devices that
// compute the same thing twice must get the same bits. Knows nothing of CUDA.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_CUDA_AUTOTUNE_H
#define SOAP_LIB_RUNTIME_CUDA_AUTOTUNE_H

#include "Soap/Core/Error.h"

#include <functional>
#include <map>
#include <mutex>
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

  /// The number of one of `candidates`, whose names are what the file keeps.
  /// `key` names the call with its shape, the device and the version of the
  /// library. The fastest is taken; of those within 2 % of it the first, for
  /// time is never exact and libraries list by their own preference. An error
  /// if none works: the last one's.
  Expected<size_t> choose(const std::string &key,
                          const std::vector<std::string> &candidates,
                          const Measure &measure);

  /// Calls that were measured here, not read.
  int64_t measured() const { return measurements; }

  /// In $SOAP_CACHE_DIR, else $XDG_CACHE_HOME/soap, else $HOME/.cache/soap;
  /// empty if there is none of them.
  static std::string defaultPath();

private:
  /// Reads what the file says; `choices` stays as it is if there is none.
  void load();
  void save();

  const std::string path;
  const Note note;
  std::mutex mutex;
  std::map<std::string, std::string> choices;
  bool noted = false;
  int64_t measurements = 0;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_CUDA_AUTOTUNE_H
