//===- Data.h - Training and test data --------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A data source is a training set and perhaps a test set, from IDX, NPY or NPZ
// files, from text or token numbers, or synthetic. A sample has a part for each
// data tensor of the model, such as source and target of a translation. Samples
// keep the element type of their file until they go into a batch; there, bytes
// become numbers in [0, 1], and normalization applies.
//
// An epoch is floor(N / batch) batches of a new shuffle; the samples that the
// shuffle puts last are left out, other samples in every epoch. Evaluation
// takes every sample: the last batch is filled up with samples of label -1,
// which the loss ignores.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_DATA_DATA_H
#define SOAP_RUNTIME_DATA_DATA_H

#include "Soap/Runtime/Data/HostTensor.h"

#include <optional>

namespace soap::runtime {

/// The tensors of a model that every iteration fills: one or more of data, and
/// the tensors of labels.
struct ModelInputs {
  std::vector<TensorInfo> data;
  /// Classes, where they are the only labels. Without a name: there are none.
  TensorInfo label;
  /// All labels of other models: numbers, several tensors, or none at all.
  std::vector<TensorInfo> targets = {};
  /// A label of a data file that says that there is none; in a batch it is -1.
  std::optional<int64_t> ignoreIndex = std::nullopt;

  bool hasLabel() const { return !label.name.empty(); }
};

/// Samples along dimension 0, and as many labels for each.
struct Dataset {
  /// One tensor per data tensor of the model, all with as many samples.
  std::vector<HostTensor> samples;
  /// Row-major [sample][position]: one label per sample, or one per token.
  std::vector<int32_t> labels;
  int64_t labelsPerSample = 1;
  /// One tensor per target of the model, samples along dimension 0.
  std::vector<HostTensor> targets;
  int64_t size() const {
    return !labels.empty()    ? int64_t(labels.size()) / labelsPerSample
           : !samples.empty() ? samples[0].shape[0]
                              : 0;
  }
};

/// How sample values become numbers: (value * scale - mean) / deviation.
struct Normalization {
  enum Kind { None, Auto, Given } kind = None;
  double mean = 0, deviation = 1;
};

/// How the samples of one data tensor go into it.
struct DataInput {
  double factor = 1, offset = 0;
  /// Dimension of the tensor that counts samples: 0 unless the model or the
  /// user says otherwise (time-major sequences have 1).
  int64_t batchDim = 0;
};

struct DataSource {
  Dataset train;
  std::optional<Dataset> test;
  /// One entry per data tensor of the model.
  std::vector<DataInput> inputs;
  /// One entry per target of the model.
  std::vector<DataInput> targets;
  /// The labels of a sample lie in the model's label tensor in so many runs,
  /// between which the other samples have theirs: 1, or the number of steps
  /// where labels are time-major.
  int64_t labelRuns = 1;
  /// Labels are next tokens: the loss has a perplexity.
  bool tokens = false;
  /// All batches are the first one, which stays on the devices; epochs have
  /// `fixedIterations`.
  bool fixed = false;
  static constexpr int64_t fixedIterations = 8;
  /// The mean loss of a model that knows how often each token follows and
  /// nothing of the tokens before it: the entropy of the training labels, in
  /// nats. 0 unless labels are tokens.
  double unigramLoss = 0;
  /// The data in a few words, for reports; may be empty.
  std::string summary;
};

/// `spec` is "idx:DIR", "npy:DIR", "npz:FILE", "text:FILE", "tokens:FILE",
/// "synthetic", "synthetic:integers" or "synthetic:fixed", some with options
/// (docs/Runtime.md); `inputs` are the tensors to fill. Samples whose shape
/// differs from the model's by extents of 1, or by being flat, are taken.
Expected<DataSource> loadData(const std::string &spec,
                              const ModelInputs &inputs,
                              const Normalization &normalization,
                              uint64_t seed);

/// Samples without labels, as the training set of a source: samples of
/// "npy:FILE" for one data tensor, of "npy:DIR" with NAME.npy for several.
Expected<DataSource> loadSamples(const std::string &spec,
                                 const std::vector<TensorInfo> &data,
                                 const Normalization &normalization);

/// "none", "auto", or "MEAN,DEVIATION".
Expected<Normalization> parseNormalization(const std::string &text);

/// The order of an epoch, a function of seed and epoch; that of the data unless
/// `shuffles`.
std::vector<int64_t> epochOrder(int64_t size, uint64_t seed, int64_t epoch,
                                bool shuffles);

/// The tensors of a batch.
struct BatchTensors {
  /// By input and by target of the source; one that is null is left out.
  std::vector<HostTensor *> data, targets;
  HostTensor *label = nullptr;
  /// Samples of the batch.
  int64_t size = 0;
};

/// Fills a batch with samples `order[first...]`; past the end of the order, the
/// first sample repeats with labels -1, and NaN where they are floats. Returns
/// the number of real samples.
int64_t fillBatch(const DataSource &source, const Dataset &set,
                  const std::vector<int64_t> &order, int64_t first,
                  const BatchTensors &batch);
/// The same for a model with labels of classes alone.
int64_t fillBatch(const DataSource &source, const Dataset &set,
                  const std::vector<int64_t> &order, int64_t first,
                  const std::vector<HostTensor *> &data, HostTensor &label);

/// How many elements of a tensor of labels are labels.
int64_t countLabels(const HostTensor &labels);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_DATA_DATA_H
