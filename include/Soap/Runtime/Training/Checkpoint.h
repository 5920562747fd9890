//===- Checkpoint.h - A training in a file ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A checkpoint is a safetensors file of all parameters and states, so it also
// serves as a file of weights. Its metadata holds the position in the data and
// all counters. A run that
// goes on from a checkpoint computes the same bits as one that was never
// interrupted if its program is the same; if the same model is split otherwise
// or runs on other devices, the numbers are the same up to the order of sums.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_TRAINING_CHECKPOINT_H
#define SOAP_RUNTIME_TRAINING_CHECKPOINT_H

#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Training/Trainer.h"

namespace soap::runtime {

/// The settings of a training, beside its tensors. A training that goes on with
/// other settings than its checkpoint's is an error, because its result would
/// be that of neither run.
struct TrainingIdentity {
  uint64_t seed = 0;
  int64_t batch = 0, samples = 0;
  /// Fingerprint of the training samples, their labels and their normalization.
  std::string data;
  /// Fingerprint of the manifest: strategy, schedule, tiles. A training may go
  /// on with another one.
  std::string program;
  /// "name=value name=value": options of the training step (loss, optimizer,
  /// ...) and of the run. Empty: not known.
  std::string options = "";
};

/// The settings of a training that is about to start or to go on. `options`:
/// the options of the run that its result depends on.
TrainingIdentity identify(const Manifest &manifest, const Trainer &trainer,
                          const DataSource &source, uint64_t seed,
                          const std::string &options = "");

/// 16 hexadecimal digits that depend on all samples of the training set, their
/// labels and settings.
std::string fingerprint(const DataSource &source);

/// An error unless all ranks have read the same samples, of training and test.
/// `spec` is what they were read from. Collective.
MaybeError checkSameData(const Placement &placement, const std::string &spec,
                         const DataSource &source);

/// The contents of a checkpoint.
struct Checkpoint {
  TrainState state;
  TrainingIdentity identity;
  TensorMap tensors;
  /// The file has checksums, and they are right. Checkpoints of older versions
  /// have none, so damage of their tensors cannot be noticed.
  bool checked = false;
};

/// Writes a checkpoint atomically: a crash leaves the old file. `tensors` are
/// all parameters and states.
MaybeError writeCheckpoint(const std::string &path, const TrainState &state,
                           const TrainingIdentity &identity,
                           const TensorMap &tensors);

/// An error if the file is damaged or is not a checkpoint.
Expected<Checkpoint> readCheckpoint(const std::string &path);
/// The same from memory; `source` names it in messages.
Expected<Checkpoint> parseCheckpoint(std::string_view data,
                                     const std::string &source);

/// Gives the module its tensors; an error if they are not of its model.
MaybeError restoreTensors(const Checkpoint &checkpoint,
                          const Manifest &manifest, TensorStore &store);

/// An error if a training under `identity` cannot go on from the checkpoint.
MaybeError checkResumable(const Checkpoint &checkpoint,
                          const TrainingIdentity &identity);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_TRAINING_CHECKPOINT_H
