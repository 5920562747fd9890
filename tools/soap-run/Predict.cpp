//===- Predict.cpp - Results of a model for samples of a file -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run predict: '@forward' on batches of any number of samples. The last
// batch is filled up, and the results of the filler are left out.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Training/Checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <set>
#include <sys/stat.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

/// A result of the model, for all samples.
class Prediction {
public:
  /// An error if no dimension of the result counts samples, of which there are
  /// `batch` in a batch, along dimension `batchDim` of the data.
  static Expected<Prediction> create(size_t tensor, const TensorInfo &info,
                                     int64_t batch, int64_t batchDim,
                                     int64_t samples) {
    Prediction result;
    result.tensor = tensor;
    const std::vector<int64_t> &shape = info.shape;
    auto counts = [&](int64_t dim) {
      return dim < int64_t(shape.size()) && shape[size_t(dim)] == batch;
    };
    // A row for each token is as good as one for each sample.
    bool hasRows = !shape.empty() && shape[0] > 0 && shape[0] % batch == 0;
    if (!counts(batchDim) && !hasRows)
      return Error{"result '" + info.name + "' of shape " + shapeString(shape) +
                   " has no dimension with a part for each of the " +
                   std::to_string(batch) + " samples of a batch"};
    result.dim = counts(batchDim) ? size_t(batchDim) : 0;
    result.perSample = shape[result.dim] / batch;
    std::vector<int64_t> whole = shape;
    whole[result.dim] = samples * result.perSample;
    result.values = HostTensor(info.dtype, whole);
    return result;
  }

  /// Takes the results of `real` samples from sample `first` on.
  void take(const HostTensor &batch, int64_t first, int64_t real) {
    int64_t outer = 1, inner = sizeOf(batch.dtype) * perSample;
    for (size_t d = 0; d < batch.shape.size(); ++d)
      if (d != dim)
        (d < dim ? outer : inner) *= batch.shape[d];
    int64_t from = batch.shape[dim] / perSample * inner,
            to = values.shape[dim] / perSample * inner;
    for (int64_t o = 0; o < outer; ++o)
      std::memcpy(values.bytes.data() + o * to + first * inner,
                  batch.bytes.data() + o * from, size_t(real * inner));
  }

  size_t tensor = 0;
  HostTensor values;

private:
  size_t dim = 0;
  int64_t perSample = 1;
};

Expected<std::vector<Prediction>> findResults(const Session &session,
                                              size_t entry, int64_t batch,
                                              int64_t batchDim,
                                              int64_t samples) {
  const Manifest &manifest = session.manifest();
  std::set<size_t> tensors;
  for (const RankInfo &rank : manifest.entries[entry].ranks)
    for (const TileInfo &tile : rank.results)
      if (manifest.tensors[tile.tensor].kind == TensorKind::Output)
        tensors.insert(tile.tensor);
  std::vector<Prediction> results;
  for (size_t tensor : tensors) {
    auto result = Prediction::create(tensor, manifest.tensors[tensor], batch,
                                     batchDim, samples);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  if (results.empty())
    return Error{"entry 'forward' has no results"};
  return results;
}

MaybeError writeResults(const Session &session, const Options &options,
                        const std::vector<Prediction> &results) {
  if (results.size() > 1 && mkdir(options.out.c_str(), 0777) != 0 &&
      errno != EEXIST)
    return Error{options.out + ": cannot create: " + std::strerror(errno)};
  for (const Prediction &result : results) {
    const std::string &name = session.manifest().tensors[result.tensor].name;
    std::string path = options.out;
    if (results.size() > 1) {
      std::string file = name;
      std::replace(file.begin(), file.end(), '/', '_');
      path += "/" + file + ".npy";
    }
    if (MaybeError error = writeNpy(path, result.values))
      return error;
    if (!options.quiet)
      std::printf("%s %s%s: %s\n", name.c_str(), nameOf(result.values.dtype),
                  shapeString(result.values.shape).c_str(), path.c_str());
  }
  return std::nullopt;
}

} // namespace

MaybeError run::predict(Session &session, const Options &options) {
  auto entry = session.entry("forward");
  if (!entry)
    return entry.takeError();
  const Manifest &manifest = session.manifest();
  std::vector<size_t> tensors = session.arguments(*entry, TensorKind::Data);
  if (tensors.empty())
    return Error{"entry 'forward' has no data argument"};
  std::vector<TensorInfo> data;
  for (size_t tensor : tensors)
    data.push_back(manifest.tensors[tensor]);
  auto source = loadSamples(options.data, data, options.normalization);
  if (!source)
    return source.takeError();
  if (MaybeError error =
          checkSameData(session.placement(), options.data, *source))
    return error;
  if (MaybeError error = initialize(manifest, session.tensors(), options.init,
                                    uint64_t(options.seed)))
    return error;
  int64_t samples = source->train.size(), dim = source->inputs[0].batchDim,
          size = data[0].shape[size_t(dim)];
  auto results = findResults(session, *entry, size, dim, samples);
  if (!results)
    return results.takeError();
  std::vector<int64_t> order(static_cast<size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  TensorStore &store = session.tensors();
  BatchTensors batch;
  batch.size = size;
  for (size_t tensor : tensors)
    batch.data.push_back(&store.host(tensor));
  for (int64_t first = 0; first < samples; first += size) {
    int64_t real = fillBatch(*source, source->train, order, first, batch);
    for (size_t tensor : tensors)
      store.hostWritten(tensor);
    if (MaybeError error = session.run(*entry))
      return error;
    for (Prediction &result : *results) {
      auto value = store.result(*entry, result.tensor);
      if (!value)
        return value.takeError();
      if (session.placement().isRoot())
        result.take(*value, first, real);
    }
  }
  return session.placement().isRoot() ? writeResults(session, options, *results)
                                      : std::nullopt;
}
