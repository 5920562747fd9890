//===- Batch.cpp - Samples into batches -----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of an epoch, and the copy of samples and labels into the tensors of
// the model, wherever their sample dimension is.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Data/Random.h"
#include "Soap/Runtime/Data/Data.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

using namespace soap;
using namespace soap::runtime;

namespace {

bool isByte(const HostTensor &tensor) {
  return tensor.dtype == ElementType::U8 || tensor.dtype == ElementType::I8;
}

/// Where the elements of one sample are in a batch whose dimension
/// `batchDim` counts samples: `outer` runs of `inner` elements.
struct Placement {
  int64_t outer = 1, inner = 1, batch = 1;
  int64_t of(int64_t sample, int64_t element) const {
    return (element / inner * batch + sample) * inner + element % inner;
  }
};

template <typename T>
void copySample(const HostTensor &samples, int64_t sample, HostTensor &data,
                int64_t slot, const Placement &place) {
  int64_t size = place.outer * place.inner;
  const T *from = samples.as<T>() + sample * size;
  for (int64_t o = 0; o < place.outer; ++o)
    std::memcpy(data.as<T>() + place.of(slot, o * place.inner),
                from + o * place.inner, size_t(place.inner) * sizeof(T));
}

/// Writes one sample into its slot of the batch.
class SampleCopier {
public:
  SampleCopier(const DataInput &input, const HostTensor &samples,
               HostTensor &data)
      : input(input), samples(samples), data(data) {
    auto batchDim = size_t(input.batchDim);
    place.batch = data.shape[batchDim];
    for (size_t d = 0; d < data.shape.size(); ++d)
      if (d != batchDim)
        (d < batchDim ? place.outer : place.inner) *= data.shape[d];
    size = place.outer * place.inner;
    // Bytes through a table, as there are many of them.
    if (isByte(samples))
      for (int i = 0; i < 256; ++i) {
        double value = samples.dtype == ElementType::U8 ? i : int8_t(i);
        table[i] = float(value * input.factor + input.offset);
      }
  }

  void copy(int64_t sample, int64_t slot) const {
    bool toFloat = data.dtype == ElementType::F32 && input.batchDim == 0;
    if (isByte(samples) && toFloat) {
      const uint8_t *from = samples.as<uint8_t>() + sample * size;
      float *to = data.as<float>() + slot * size;
      for (int64_t j = 0; j < size; ++j)
        to[j] = table[from[j]];
    } else if (samples.dtype == ElementType::F32 && toFloat) {
      const float *from = samples.as<float>() + sample * size;
      float *to = data.as<float>() + slot * size;
      float factor = float(input.factor), offset = float(input.offset);
      for (int64_t j = 0; j < size; ++j)
        to[j] = from[j] * factor + offset;
    } else if (samples.dtype == ElementType::I32 &&
               data.dtype == ElementType::I32) {
      copySample<int32_t>(samples, sample, data, slot, place);
    } else {
      for (int64_t j = 0; j < size; ++j)
        data.set(place.of(slot, j),
                 samples.at(sample * size + j) * input.factor + input.offset);
    }
  }

  /// Makes the elements of a slot labels that count nothing.
  void erase(int64_t slot) const {
    bool hasFloats = isFloat(data.dtype);
    for (int64_t j = 0; j < size; ++j)
      data.set(place.of(slot, j),
               hasFloats ? std::numeric_limits<double>::quiet_NaN() : -1);
  }

private:
  const DataInput &input;
  const HostTensor &samples;
  HostTensor &data;
  Placement place;
  int64_t size = 1;
  float table[256];
};

} // namespace

int64_t runtime::fillBatch(const DataSource &source, const Dataset &set,
                           const std::vector<int64_t> &order, int64_t first,
                           const BatchTensors &batch) {
  assert(first >= 0 && batch.size >= 0 && !order.empty() &&
         "at least one sample");
  assert(batch.data.size() <= source.inputs.size() &&
         batch.targets.size() <= source.targets.size() &&
         "a place in the source for each tensor");
  std::vector<SampleCopier> copiers, targets;
  for (size_t i = 0; i < batch.data.size(); ++i)
    if (batch.data[i])
      copiers.emplace_back(source.inputs[i], set.samples[i], *batch.data[i]);
  for (size_t i = 0; i < batch.targets.size(); ++i)
    if (batch.targets[i])
      targets.emplace_back(source.targets[i], set.targets[i],
                           *batch.targets[i]);
  Placement labelPlace;
  assert(source.labelRuns > 0 &&
         (!batch.label || set.labelsPerSample % source.labelRuns == 0) &&
         "labels of a sample lie in runs of one length");
  labelPlace.outer = source.labelRuns;
  labelPlace.inner = set.labelsPerSample / source.labelRuns;
  labelPlace.batch = batch.size;
  int64_t real = 0;
  for (int64_t i = 0; i < batch.size; ++i) {
    bool padding = first + i >= int64_t(order.size());
    int64_t sample = order[padding ? 0 : size_t(first + i)];
    assert(sample >= 0 && sample < set.size() && "no such sample");
    real += !padding;
    for (int64_t j = 0; batch.label && j < set.labelsPerSample; ++j)
      batch.label->set(
          labelPlace.of(i, j),
          padding ? -1 : set.labels[size_t(sample * set.labelsPerSample + j)]);
    for (const SampleCopier &copier : copiers)
      copier.copy(sample, i);
    for (const SampleCopier &target : targets)
      if (padding)
        target.erase(i);
      else
        target.copy(sample, i);
  }
  return real;
}

int64_t runtime::fillBatch(const DataSource &source, const Dataset &set,
                           const std::vector<int64_t> &order, int64_t first,
                           const std::vector<HostTensor *> &data,
                           HostTensor &label) {
  return fillBatch(source, set, order, first,
                   {data, {}, &label, label.volume() / set.labelsPerSample});
}

int64_t runtime::countLabels(const HostTensor &labels) {
  bool hasFloats = isFloat(labels.dtype);
  int64_t count = 0;
  for (int64_t i = 0; i < labels.volume(); ++i)
    count += hasFloats ? !std::isnan(labels.at(i)) : labels.at(i) >= 0;
  return count;
}

std::vector<int64_t> runtime::epochOrder(int64_t size, uint64_t seed,
                                         int64_t epoch, bool shuffles) {
  assert(size >= 0 && epoch >= 0 && "a negative size");
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  if (!shuffles)
    return order;
  Random random(seed, "epoch " + std::to_string(epoch));
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[size_t(random.below(i))]);
  return order;
}
