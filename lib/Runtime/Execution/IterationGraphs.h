//===- IterationGraphs.h - Iterations launched as a whole -------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decides for one entry on a backend when an iteration is recorded and when it
// is launched as a whole (a CUDA graph). The first one runs op by op: libraries
// get their workspaces, kernels are loaded, connections are made. The next one
// is recorded and launched, and so are all after it, until an address of the
// programs changes: then it is recorded anew. The latest few graphs are kept,
// for buffers that take turns.
//
// Where recording fails, the iteration runs op by op after all, and so do those
// after it: a note says why.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_EXECUTION_ITERATIONGRAPHS_H
#define SOAP_LIB_RUNTIME_EXECUTION_ITERATIONGRAPHS_H

#include "Runtime/Backend/Backend.h"
#include "Soap/Runtime/Execution/Launcher.h"

namespace soap::runtime {

class IterationGraphs {
public:
  enum Mode { Direct, Record, Replay };

  /// `joint`: the devices wait for each other's signals (see
  /// `Backend::makeGraph`). The backend outlives this.
  IterationGraphs(Backend &backend, bool joint,
                  std::function<void(const std::string &)> note)
      : backend(backend), joint(joint), note(std::move(note)) {}

  /// Before an iteration, while no device runs: how it runs.
  Mode start(Execution &execution);
  /// The graph of this iteration; null in mode Direct.
  BackendGraph *graph() const { return current; }
  /// After it. `nothingDone`: recording has failed, and the caller runs the
  /// iteration again, which will be a direct one.
  void finish(Execution &execution, Mode mode, const MaybeError &error,
              bool nothingDone);

  /// Destroys all graphs, after an iteration has failed and no device thread is
  /// at work. A graph that still runs on a device is freed when it ends.
  void drop() {
    current = nullptr;
    graphs.clear();
  }

  /// Iterations that were launched as a whole, and graphs made for them.
  int64_t launches() const { return launched; }
  int64_t recordings() const { return recorded; }

private:
  struct Known {
    std::vector<void *> addresses;
    std::unique_ptr<BackendGraph> graph;
    /// Bytes that a launch sends, as in `Execution::bytesSent`.
    std::vector<int64_t> bytes;
  };

  /// All that programs here get, or nothing if they cannot be recorded.
  static std::vector<void *> addressesOf(const Execution &execution);
  void giveUp(const std::string &why);

  Backend &backend;
  bool joint;
  std::function<void(const std::string &)> note;
  bool warm = false, off = false;
  std::vector<Known> graphs; ///< the latest last
  BackendGraph *current = nullptr;
  int64_t launched = 0, recorded = 0;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_EXECUTION_ITERATIONGRAPHS_H
