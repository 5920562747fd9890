//===- Data.cpp - Samples for training and evaluation ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Data.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/Data.h"

#include "Runtime/Data/DataSpec.h"
#include "Runtime/Data/Random.h"
#include "Soap/Runtime/Data/Indices.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace soap;
using namespace soap::runtime;

namespace {

DataSource synthetic(const ModelInputs &inputs, const std::string &kind,
                     uint64_t seed) {
  DataSource source;
  bool integers = kind == "integers";
  source.fixed = kind == "fixed";
  Random random(seed, "synthetic data");
  uint64_t classes = uint64_t(inputs.label.classes ? inputs.label.classes : 2);
  int64_t batch = batchOf(inputs.data[0]);
  // Integers are tokens, as many kinds as there are classes and rows of the
  // table that they choose from.
  auto makeSamples = [&](const TensorInfo &data, int64_t batches) {
    std::vector<int64_t> shape = data.shape;
    shape.erase(shape.begin() + batchDimOf(data));
    shape.insert(shape.begin(), batch * batches);
    HostTensor samples(isInteger(data) ? ElementType::I32 : ElementType::F32,
                       shape);
    std::vector<uint64_t> kinds;
    for (auto [count, rows] : data.classRuns)
      kinds.insert(kinds.end(), size_t(count),
                   rows ? std::min(classes, uint64_t(std::abs(rows)))
                        : classes);
    if (kinds.empty())
      kinds = {data.classes
                   ? std::min(classes, uint64_t(std::abs(data.classes)))
                   : classes};
    for (int64_t i = 0; i < samples.volume(); ++i)
      if (isInteger(data))
        samples.as<int32_t>()[i] =
            int32_t(random.below(kinds[size_t(i) % kinds.size()]));
      else
        samples.as<float>()[i] = integers ? float(int64_t(random.below(7)) - 3)
                                          : float(random.normal());
    return samples;
  };
  // Classes, or numbers that are classes of two.
  auto makeTargets = [&](const TensorInfo &target, int64_t batches) {
    std::vector<int64_t> shape = target.shape;
    shape.erase(shape.begin() + batchDimOf(target));
    shape.insert(shape.begin(), batch * batches);
    HostTensor labels(isInteger(target) ? ElementType::I32 : ElementType::F32,
                      shape);
    uint64_t kinds = uint64_t(target.classes ? target.classes : 2);
    for (int64_t i = 0; i < labels.volume(); ++i)
      labels.set(i, double(random.below(kinds)));
    return labels;
  };
  auto make = [&](int64_t batches) {
    Dataset set;
    for (const TensorInfo &data : inputs.data)
      set.samples.push_back(makeSamples(data, batches));
    if (inputs.hasLabel())
      set.labelsPerSample = inputs.label.volume() / batch;
    for (const TensorInfo &target : inputs.targets)
      set.targets.push_back(makeTargets(target, batches));
    for (int64_t i = 0;
         inputs.hasLabel() && i < batch * batches * set.labelsPerSample; ++i)
      set.labels.push_back(int32_t(random.below(classes)));
    return set;
  };
  source.train = make(source.fixed ? 1 : 8);
  if (!source.fixed)
    source.test = make(2);
  return source;
}

/// Where the labels of one sample lie among the labels of others in the tensor:
/// behind each other, or as far apart as the tokens that they belong to (of the
/// last data tensor, if several could be meant), or as the tensor itself says.
std::optional<int64_t> labelRuns(const ModelInputs &inputs,
                                 const std::vector<DataInput> &places) {
  const TensorInfo &label = inputs.label;
  auto before = [](const TensorInfo &tensor, int64_t dim) {
    int64_t count = 1;
    for (int64_t d = 0; d < dim; ++d)
      count *= tensor.shape[size_t(d)];
    return count;
  };
  int64_t batch = inputs.data[0].shape[size_t(places[0].batchDim)];
  for (size_t i = inputs.data.size(); i-- > 0;)
    if (label.volume() == inputs.data[i].volume())
      return before(inputs.data[i], places[i].batchDim);
  if (label.sampleDim > 0 && label.sampleDim < int64_t(label.shape.size()) &&
      label.shape[size_t(label.sampleDim)] == batch)
    return before(label, label.sampleDim);
  bool fits = label.shape[0] == batch || label.volume() == batch;
  return fits ? std::optional<int64_t>(1) : std::nullopt;
}

/// All data must have as many samples, and labels as many for each of them.
MaybeError checkInputs(const ModelInputs &inputs) {
  const TensorInfo &label = inputs.label, &first = inputs.data[0];
  auto describe = [](const char *kind, const TensorInfo &tensor) {
    return kind + (" '" + tensor.name) + "' of shape " +
           shapeString(tensor.shape);
  };
  std::vector<DataInput> places;
  for (const TensorInfo &data : inputs.data) {
    DataInput &place = places.emplace_back();
    place.batchDim = batchDimOf(data);
    bool has = place.batchDim < int64_t(data.shape.size()) && data.volume() > 0;
    if (!has)
      return Error{describe("data", data) + ": expected samples along a "
                                            "dimension of it"};
    if (batchOf(data) != batchOf(first))
      return Error{describe("data", first) + " and " + describe("data", data) +
                   ": expected as many samples in both, got " +
                   std::to_string(batchOf(first)) + " and " +
                   std::to_string(batchOf(data))};
  }
  for (const TensorInfo &target : inputs.targets) {
    auto dim = size_t(batchDimOf(target));
    if (dim >= target.shape.size() || target.volume() == 0 ||
        target.shape[dim] != batchOf(first))
      return Error{describe("label", target) + ": expected " +
                   std::to_string(batchOf(first)) +
                   " samples along dimension " + std::to_string(dim) +
                   " as in data '" + first.name + "'"};
  }
  if (!inputs.hasLabel() ||
      (label.volume() > 0 && !label.shape.empty() && labelRuns(inputs, places)))
    return std::nullopt;
  return Error{describe("data", inputs.data.back()) + " and " +
               describe("label", label) +
               ": expected a label for each sample, or for each token"};
}

/// The vocabulary is bounded by the classes of the labels; a table may have
/// fewer rows.
MaybeError checkTokens(const DataSource &source, const ModelInputs &inputs) {
  for (const Dataset *set :
       {&source.train, source.test ? &*source.test : nullptr})
    for (size_t i = 0; set && i < inputs.data.size(); ++i)
      if (MaybeError error =
              checkIndices(set->samples[i], /*sampleDim=*/0, inputs.data[i]))
        return error;
  return std::nullopt;
}

void setNormalization(DataInput &input, const HostTensor &samples,
                      const Normalization &normalization) {
  double scale = samples.dtype == ElementType::U8 ? 1.0 / 255 : 1;
  double mean = normalization.mean, deviation = normalization.deviation;
  if (normalization.kind == Normalization::Auto) {
    double sum = 0, squares = 0;
    int64_t count = samples.volume();
    for (int64_t i = 0; i < count; ++i) {
      double value = samples.at(i) * scale;
      sum += value;
      squares += value * value;
    }
    mean = sum / double(count);
    deviation = std::sqrt(std::max(0.0, squares / double(count) - mean * mean));
    if (deviation == 0)
      deviation = 1;
  }
  input.factor = scale / deviation;
  input.offset = -mean / deviation;
}

void setNormalizations(DataSource &source, const std::vector<TensorInfo> &data,
                       const Normalization &normalization) {
  for (size_t i = 0; i < data.size(); ++i) {
    DataInput &input = source.inputs[i];
    setNormalization(input, source.train.samples[i],
                     isInteger(data[i]) ? Normalization() : normalization);
    if (isInteger(data[i]))
      input.factor = 1;
  }
}

} // namespace

Expected<Normalization> runtime::parseNormalization(const std::string &text) {
  Normalization result;
  if (text == "none")
    return result;
  if (text == "auto") {
    result.kind = Normalization::Auto;
    return result;
  }
  result.kind = Normalization::Given;
  char *end = nullptr;
  result.mean = std::strtod(text.c_str(), &end);
  bool good = end != text.c_str() && *end == ',';
  if (good) {
    const char *second = end + 1;
    result.deviation = std::strtod(second, &end);
    good = end != second && *end == '\0' && result.deviation > 0 &&
           std::isfinite(result.mean) && std::isfinite(result.deviation);
  }
  if (!good)
    return Error{"expected 'none', 'auto' or 'MEAN,DEVIATION' with a positive "
                 "deviation, got '" +
                 text + "'"};
  return result;
}

std::string runtime::namesOf(const std::vector<TensorInfo> &tensors) {
  std::string text;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (i > 0)
      text += i + 1 == tensors.size() ? " and " : ", ";
    text += "'" + tensors[i].name + "'";
  }
  return text;
}

Expected<DataSource> runtime::loadData(const std::string &spec,
                                       const ModelInputs &inputs,
                                       const Normalization &normalization,
                                       uint64_t seed) {
  if (MaybeError error = checkInputs(inputs))
    return *error;
  if (std::all_of(inputs.data.begin(), inputs.data.end(), isInteger) &&
      normalization.kind != Normalization::None)
    return Error{"data " + namesOf(inputs.data) + " of type " +
                 nameOf(inputs.data[0].dtype) +
                 " are numbers of tokens, which cannot be normalized"};
  size_t colon = spec.find(':');
  std::string kind = spec.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  Expected<DataSource> source = Error{
      "expected 'idx:DIR', 'npy:DIR', 'npz:FILE', 'text:FILE', 'tokens:FILE', "
      "'synthetic', 'synthetic:integers' or 'synthetic:fixed' as data, got '" +
      spec + "'"};
  if (kind == "synthetic" &&
      (rest.empty() || rest == "integers" || rest == "fixed"))
    source = synthetic(inputs, rest, seed);
  if ((kind == "idx" || kind == "npy" || kind == "npz") && !rest.empty())
    source = loadArrays(kind, rest, inputs);
  else if ((kind == "text" || kind == "tokens") && !inputs.hasLabel())
    return Error{
        "'" + kind +
        ":' has the next token of each as label, a "
        "class, but the model takes " +
        (inputs.targets.empty() ? "no labels" : namesOf(inputs.targets))};
  else if (kind == "text" && !rest.empty())
    source = loadText(spec, inputs);
  else if (kind == "tokens" && !rest.empty())
    source = loadTokens(spec, inputs);
  if (!source)
    return source;
  if (source->inputs.empty())
    for (const TensorInfo &data : inputs.data)
      source->inputs.emplace_back().batchDim = batchDimOf(data);
  for (const TensorInfo &target : inputs.targets)
    source->targets.emplace_back().batchDim = batchDimOf(target);
  source->labelRuns =
      inputs.hasLabel() ? labelRuns(inputs, source->inputs).value_or(1) : 1;
  if (kind == "synthetic")
    return source;
  // Arrays are checked as they are read, file by file.
  if (kind == "text" || kind == "tokens")
    if (MaybeError error = checkTokens(*source, inputs))
      return Error{spec + ": " + error->message};
  int64_t batch = inputs.data[0].shape[size_t(source->inputs[0].batchDim)];
  if (source->train.size() < batch)
    return Error{spec + ": the training set has " +
                 std::to_string(source->train.size()) +
                 " samples, fewer than a batch of " + std::to_string(batch)};
  setNormalizations(*source, inputs.data, normalization);
  return source;
}

Expected<DataSource> runtime::loadSamples(const std::string &spec,
                                          const std::vector<TensorInfo> &data,
                                          const Normalization &normalization) {
  ModelInputs inputs;
  inputs.data = data;
  if (MaybeError error = checkInputs(inputs))
    return *error;
  if (!spec.starts_with("npy:") || spec.size() == 4)
    return Error{"expected 'npy:FILE' or 'npy:DIR' as samples, got '" + spec +
                 "'"};
  auto set = loadSampleArrays(spec.substr(4), data);
  if (!set)
    return set.takeError();
  DataSource source;
  source.train = std::move(*set);
  for (const TensorInfo &tensor : data)
    source.inputs.emplace_back().batchDim = batchDimOf(tensor);
  setNormalizations(source, data, normalization);
  return source;
}
