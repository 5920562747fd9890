//===- Initialize.h - First values, and values to save ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives parameters and states their first values, and collects their values for
// saving. A first value depends on the seed, the tensor's name and its shape,
// never on how the tensor is split: every strategy starts from the same model.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_EXECUTION_INITIALIZE_H
#define SOAP_RUNTIME_EXECUTION_INITIALIZE_H

#include "Soap/Runtime/Execution/TensorStore.h"

namespace soap::runtime {

/// `rule` "" takes each tensor's own rule; "he" and "glorot" replace it for
/// tensors with a known fan-in; anything else is the name of a safetensors
/// file, which must hold all parameters (states it lacks take their own rule).
MaybeError initialize(const Manifest &manifest, TensorStore &store,
                      const std::string &rule, uint64_t seed);
/// Names of the parameters of several dims that `initialize` sets to 0 because
/// nothing says otherwise: they have no rule, and no fans from which one would
/// follow.
std::vector<std::string> zeroParameters(const Manifest &manifest);

/// The values of one tensor by a rule.
HostTensor initialValue(const TensorInfo &info, const InitRule &rule,
                        uint64_t seed);

/// Which tensors of a module are saved.
enum class SavedTensors {
  /// Parameters, and the states that the model itself reads (buffers, such as
  /// running statistics): the states that another entry than `train_step` has
  /// as arguments. Where there is no other entry, nothing tells them from
  /// states of the optimizer, and all states are saved.
  Weights,
  /// All parameters and states.
  State
};

/// The parameters and states that have values, for saving. Collective; with
/// `rootOnly` other ranks than 0 get nothing.
Expected<std::map<std::string, HostTensor>>
collectTensors(const Manifest &manifest, TensorStore &store, SavedTensors which,
               bool rootOnly = false);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_EXECUTION_INITIALIZE_H
