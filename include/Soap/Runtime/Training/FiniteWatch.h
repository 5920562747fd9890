//===- FiniteWatch.h - Finds infinities and NaNs ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loss, a parameter or a state that is infinite or not a number makes all
// later iterations, and a checkpoint, worthless. The watch looks at every loss,
// at parameters and states as often as costs little, and at all of them before
// they are saved. It reports the first such number, where that can be known.
//
// In a run of several processes, rank 0 alone knows the loss, and each rank its
// own tiles: `settle` gives all ranks the same answer.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_TRAINING_FINITEWATCH_H
#define SOAP_RUNTIME_TRAINING_FINITEWATCH_H

#include "Soap/Runtime/Data/Data.h"
#include "Soap/Runtime/Execution/Session.h"

namespace soap::runtime {

/// "nan", "inf" or "-inf".
std::string nonFiniteName(double value);

/// "sample 12 of the training data has nan in 'x'": the first element that is
/// not finite of the samples `order[first...]` of a batch; empty if all are.
std::string nonFiniteSample(const Dataset &set,
                            const std::vector<TensorInfo> &inputs,
                            const std::vector<int64_t> &order, int64_t first,
                            int64_t batch);

/// An error if a parameter or a state starts with an element that is not
/// finite. To be called before the first iteration.
MaybeError checkFirstValues(const Manifest &manifest, TensorStore &store);

class FiniteWatch {
public:
  /// Watches a training that starts after `step` iterations, from finite
  /// numbers
  /// (`checkFirstValues`).
  explicit FiniteWatch(Session &session, int64_t step = 0)
      : session(&session), step(step) {
    mine.cleanStep = step;
  }

  /// To be called after iteration `step`, which `where` names for messages,
  /// with its loss and its wall time. True once this rank knows a number that
  /// is not finite.
  bool observe(int64_t step, const std::string &where, double loss,
               double seconds);
  /// Names the cause of a loss that the watch has found in this iteration: the
  /// element of the batch that is not finite (`nonFiniteSample`), or "".
  void blame(const std::string &data);
  /// To be called after an evaluation on `set`, with its loss.
  void observeTest(const std::string &where, double loss, const Dataset &set,
                   const std::vector<TensorInfo> &inputs);

  /// The finding, the same on every rank; empty if all numbers are finite. With
  /// `looks`, checks all parameters and states first. Collective.
  Expected<std::string> settle(bool looks);

private:
  struct Finding {
    /// Of a loss; 0: none.
    int64_t lossStep = 0;
    /// "epoch 1, iteration 7: the loss is nan".
    std::string loss, data;
    /// Of a tensor; 0: none. "parameter 'w' (element 3 is nan)".
    int64_t tensorStep = 0;
    std::string tensor, tensorWhere;
    /// The latest iteration after which all tiles here were finite.
    int64_t cleanStep = -1;
  };
  static std::string conclude(const std::vector<Finding> &findings);
  MaybeError look(bool downloads);

  Session *session;
  Finding mine;
  int64_t step;
  std::string where = "the start";
  double lookSeconds = 0, stepSeconds = 0;
};

} // namespace soap::runtime

#endif // SOAP_RUNTIME_TRAINING_FINITEWATCH_H
