//===- Data.cpp - Samples for training and evaluation ---------------------===//
//
// See Data.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data.h"

#include "Soap/Runtime/Files.h"
#include "Soap/Runtime/Random.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

std::vector<int64_t> sampleShape(const std::vector<int64_t> &shape) {
  return {shape.begin() + 1, shape.end()};
}

std::vector<int64_t> withoutOnes(std::vector<int64_t> shape) {
  std::erase(shape, 1);
  return shape;
}

/// Row-major order is the same if only extents of 1 differ or one is flat.
bool compatible(const std::vector<int64_t> &file,
                const std::vector<int64_t> &model) {
  auto volume = [](const std::vector<int64_t> &shape) {
    return std::accumulate(shape.begin(), shape.end(), int64_t(1),
                           std::multiplies<>());
  };
  if (volume(file) != volume(model))
    return false;
  return withoutOnes(file) == withoutOnes(model) || file.size() <= 1 ||
         model.size() <= 1;
}

Expected<Dataset> makeSet(HostTensor samples, const std::string &samplesPath,
                          const HostTensor &labels,
                          const std::string &labelsPath, const TensorInfo &data,
                          const TensorInfo &label) {
  if (samples.shape.empty() || samples.shape[0] == 0)
    return Error{samplesPath +
                 ": expected samples along dimension 0, got "
                 "shape " +
                 shapeString(samples.shape)};
  if (!compatible(sampleShape(samples.shape), sampleShape(data.shape)))
    return Error{samplesPath + ": samples of shape " +
                 shapeString(sampleShape(samples.shape)) +
                 " do not fit data '" + data.name + "', which expects " +
                 shapeString(sampleShape(data.shape))};
  if (labels.shape.size() != 1 || labels.shape[0] != samples.shape[0])
    return Error{labelsPath + ": expected shape [" +
                 std::to_string(samples.shape[0]) + "] as " + samplesPath +
                 " has so many samples, got " + shapeString(labels.shape)};
  if (labels.dtype == ElementType::F32 || labels.dtype == ElementType::F64)
    return Error{labelsPath + ": expected integer labels, got " +
                 nameOf(labels.dtype)};
  Dataset set;
  set.samples = std::move(samples);
  int64_t classes = label.classes ? label.classes : int64_t(1) << 30;
  for (int64_t i = 0; i < labels.shape[0]; ++i) {
    double value = labels.at(i);
    if (value < 0 || value >= double(classes))
      return Error{labelsPath + ": label " + std::to_string(int64_t(value)) +
                   " of sample " + std::to_string(i) + ": expected 0 to " +
                   std::to_string(classes - 1)};
    set.labels.push_back(int32_t(value));
  }
  return set;
}

/// The first of the names that exists in the folder.
std::string findFile(const std::string &folder,
                     std::initializer_list<const char *> names) {
  for (const char *name : names)
    if (access((folder + "/" + name).c_str(), F_OK) == 0)
      return folder + "/" + name;
  return folder + "/" + *names.begin();
}

using Reader = Expected<HostTensor> (*)(const std::string &);

Expected<Dataset> readSet(Reader read, const std::string &samplesPath,
                          const std::string &labelsPath, const TensorInfo &data,
                          const TensorInfo &label) {
  auto samples = read(samplesPath);
  if (!samples)
    return samples.takeError();
  auto labels = read(labelsPath);
  if (!labels)
    return labels.takeError();
  return makeSet(std::move(*samples), samplesPath, *labels, labelsPath, data,
                 label);
}

/// Reads both sets; the test set may be missing altogether.
Expected<DataSource> readSource(Reader read, const std::string (&paths)[4],
                                const TensorInfo &data,
                                const TensorInfo &label) {
  DataSource source;
  auto train = readSet(read, paths[0], paths[1], data, label);
  if (!train)
    return train.takeError();
  source.train = std::move(*train);
  if (access(paths[2].c_str(), F_OK) != 0 &&
      access(paths[3].c_str(), F_OK) != 0)
    return source;
  auto test = readSet(read, paths[2], paths[3], data, label);
  if (!test)
    return test.takeError();
  source.test = std::move(*test);
  return source;
}

DataSource synthetic(const TensorInfo &data, const TensorInfo &label,
                     bool integers, uint64_t seed) {
  DataSource source;
  Random random(seed, "synthetic data");
  auto make = [&](int64_t batches) {
    Dataset set;
    std::vector<int64_t> shape = data.shape;
    shape[0] *= batches;
    set.samples = HostTensor(ElementType::F32, shape);
    float *values = set.samples.as<float>();
    for (int64_t i = 0; i < set.samples.volume(); ++i)
      values[i] = integers ? float(int64_t(random.below(7)) - 3)
                           : float(random.normal());
    uint64_t classes = uint64_t(label.classes ? label.classes : 2);
    for (int64_t i = 0; i < shape[0]; ++i)
      set.labels.push_back(int32_t(random.below(classes)));
    return set;
  };
  source.train = make(8);
  source.test = make(2);
  return source;
}

bool isByte(const HostTensor &tensor) {
  return tensor.dtype == ElementType::U8 || tensor.dtype == ElementType::I8;
}

void setNormalization(DataSource &source, const Normalization &normalization) {
  double scale = source.train.samples.dtype == ElementType::U8 ? 1.0 / 255 : 1;
  double mean = normalization.mean, deviation = normalization.deviation;
  if (normalization.kind == Normalization::Auto) {
    double sum = 0, squares = 0;
    int64_t count = source.train.samples.volume();
    for (int64_t i = 0; i < count; ++i) {
      double value = source.train.samples.at(i) * scale;
      sum += value;
      squares += value * value;
    }
    mean = sum / double(count);
    deviation = std::sqrt(std::max(0.0, squares / double(count) - mean * mean));
    if (deviation == 0)
      deviation = 1;
  }
  source.factor = scale / deviation;
  source.offset = -mean / deviation;
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

Expected<DataSource> runtime::loadData(const std::string &spec,
                                       const TensorInfo &data,
                                       const TensorInfo &label,
                                       const Normalization &normalization,
                                       uint64_t seed) {
  if (data.sampleDim != 0 || label.sampleDim > 0 || label.shape.size() != 1 ||
      label.shape[0] != data.shape[0])
    return Error{"data '" + data.name + "' of shape " +
                 shapeString(data.shape) + " and label '" + label.name +
                 "' of shape " + shapeString(label.shape) +
                 ": expected samples along dimension 0 and one label each"};
  size_t colon = spec.find(':');
  std::string kind = spec.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  Expected<DataSource> source = Error{
      "expected 'idx:DIR', 'npy:DIR', 'synthetic' or 'synthetic:integers' as "
      "data, got '" +
      spec + "'"};
  if (kind == "synthetic" && (rest.empty() || rest == "integers"))
    return synthetic(data, label, rest == "integers", seed);
  if (kind == "idx" && !rest.empty())
    source = readSource(
        readIdx,
        {findFile(rest, {"train-images-idx3-ubyte.gz",
                         "train-images-idx3-ubyte", "train-images.gz",
                         "train-images", "train-images.idx3-ubyte"}),
         findFile(rest, {"train-labels-idx1-ubyte.gz",
                         "train-labels-idx1-ubyte", "train-labels.gz",
                         "train-labels", "train-labels.idx1-ubyte"}),
         findFile(rest,
                  {"t10k-images-idx3-ubyte.gz", "t10k-images-idx3-ubyte",
                   "t10k-images.gz", "t10k-images", "t10k-images.idx3-ubyte"}),
         findFile(rest,
                  {"t10k-labels-idx1-ubyte.gz", "t10k-labels-idx1-ubyte",
                   "t10k-labels.gz", "t10k-labels", "t10k-labels.idx1-ubyte"})},
        data, label);
  else if (kind == "npy" && !rest.empty())
    source = readSource(readNpy,
                        {rest + "/x_train.npy", rest + "/y_train.npy",
                         rest + "/x_test.npy", rest + "/y_test.npy"},
                        data, label);
  if (source) {
    int64_t batch = data.shape[0];
    if (source->train.size() < batch)
      return Error{"the training set has " +
                   std::to_string(source->train.size()) +
                   " samples, fewer than a batch of " + std::to_string(batch)};
    setNormalization(*source, normalization);
  }
  return source;
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

int64_t runtime::fillBatch(const DataSource &source, const Dataset &set,
                           const std::vector<int64_t> &order, int64_t first,
                           HostTensor &data, HostTensor &label) {
  int64_t batch = data.shape[0], size = data.volume() / batch, real = 0;
  // Bytes through a table, as there are many of them.
  float table[256];
  if (isByte(set.samples))
    for (int i = 0; i < 256; ++i) {
      double value = set.samples.dtype == ElementType::U8 ? i : int8_t(i);
      table[i] = float(value * source.factor + source.offset);
    }
  for (int64_t i = 0; i < batch; ++i) {
    bool padding = first + i >= int64_t(order.size());
    int64_t sample = order[padding ? 0 : size_t(first + i)];
    real += !padding;
    label.set(i, padding ? -1 : set.labels[size_t(sample)]);
    if (isByte(set.samples) && data.dtype == ElementType::F32) {
      const uint8_t *from = set.samples.as<uint8_t>() + sample * size;
      float *to = data.as<float>() + i * size;
      for (int64_t j = 0; j < size; ++j)
        to[j] = table[from[j]];
      continue;
    }
    if (set.samples.dtype == ElementType::F32 &&
        data.dtype == ElementType::F32) {
      const float *from = set.samples.as<float>() + sample * size;
      float *to = data.as<float>() + i * size;
      float factor = float(source.factor), offset = float(source.offset);
      for (int64_t j = 0; j < size; ++j)
        to[j] = from[j] * factor + offset;
      continue;
    }
    for (int64_t j = 0; j < size; ++j)
      data.set(i * size + j, set.samples.at(sample * size + j) * source.factor +
                                 source.offset);
  }
  return real;
}
