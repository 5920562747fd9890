//===- Batch.cpp - Samples into batches -----------------------------------===//
//
// The order of an epoch, and the copy of samples and labels into the tensors of
// the model, wherever their sample dimension is.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data.h"
#include "Soap/Runtime/Random.h"

#include <cstring>
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

} // namespace

int64_t runtime::fillBatch(const DataSource &source, const Dataset &set,
                           const std::vector<int64_t> &order, int64_t first,
                           HostTensor &data, HostTensor &label) {
  Placement place, labelPlace;
  size_t batchDim = size_t(source.batchDim);
  place.batch = labelPlace.batch = data.shape[batchDim];
  for (size_t d = 0; d < data.shape.size(); ++d)
    if (d != batchDim)
      (d < batchDim ? place.outer : place.inner) *= data.shape[d];
  int64_t size = place.outer * place.inner, real = 0;
  // Labels of tokens lie as the tokens do.
  labelPlace.inner = set.labelsPerSample;
  if (batchDim > 0 && set.labelsPerSample == size) {
    labelPlace.outer = place.outer;
    labelPlace.inner = place.inner;
  }
  // Bytes through a table, as there are many of them.
  float table[256];
  if (isByte(set.samples))
    for (int i = 0; i < 256; ++i) {
      double value = set.samples.dtype == ElementType::U8 ? i : int8_t(i);
      table[i] = float(value * source.factor + source.offset);
    }
  bool toFloat = data.dtype == ElementType::F32;
  for (int64_t i = 0; i < place.batch; ++i) {
    bool padding = first + i >= int64_t(order.size());
    int64_t sample = order[padding ? 0 : size_t(first + i)];
    real += !padding;
    for (int64_t j = 0; j < set.labelsPerSample; ++j)
      label.set(labelPlace.of(i, j),
                padding ? -1
                        : set.labels[size_t(sample * set.labelsPerSample + j)]);
    if (isByte(set.samples) && toFloat && batchDim == 0) {
      const uint8_t *from = set.samples.as<uint8_t>() + sample * size;
      float *to = data.as<float>() + i * size;
      for (int64_t j = 0; j < size; ++j)
        to[j] = table[from[j]];
    } else if (set.samples.dtype == ElementType::F32 && toFloat &&
               batchDim == 0) {
      const float *from = set.samples.as<float>() + sample * size;
      float *to = data.as<float>() + i * size;
      float factor = float(source.factor), offset = float(source.offset);
      for (int64_t j = 0; j < size; ++j)
        to[j] = from[j] * factor + offset;
    } else if (set.samples.dtype == ElementType::I32 &&
               data.dtype == ElementType::I32) {
      copySample<int32_t>(set.samples, sample, data, i, place);
    } else {
      for (int64_t j = 0; j < size; ++j)
        data.set(place.of(i, j),
                 set.samples.at(sample * size + j) * source.factor +
                     source.offset);
    }
  }
  return real;
}

std::vector<int64_t> runtime::shuffledOrder(int64_t size, uint64_t seed,
                                            int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  Random random(seed, "epoch " + std::to_string(epoch));
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[size_t(random.below(i))]);
  return order;
}
