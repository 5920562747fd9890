//===- Data.cpp - Samples for training and evaluation ---------------------===//
//
// See Data.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data.h"

#include "DataSpec.h"
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

std::vector<int64_t> sampleShape(std::vector<int64_t> shape,
                                 int64_t batchDim = 0) {
  shape.erase(shape.begin() + batchDim);
  return shape;
}

/// The dimension of the model's data that counts samples.
int64_t batchDimOf(const TensorInfo &data) {
  return std::max<int64_t>(0, data.sampleDim);
}

bool isInteger(const TensorInfo &data) {
  return data.dtype == DType::I32 || data.dtype == DType::I64;
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

/// Models that take integers index tables with them.
MaybeError checkIntegers(const HostTensor &samples, const std::string &path,
                         const TensorInfo &data) {
  if (samples.dtype == ElementType::F32 || samples.dtype == ElementType::F64)
    return Error{path + ": expected integers for data '" + data.name +
                 "' of type " + nameOf(data.dtype) + ", got " +
                 nameOf(samples.dtype)};
  for (int64_t i = 0; i < samples.volume(); ++i)
    if (double value = samples.at(i); value < 0 || value > 2147483647)
      return Error{path + ": element " + std::to_string(i) +
                   ": expected 0 to 2147483647 for data '" + data.name +
                   "' of type " + nameOf(data.dtype) + ", got " +
                   std::to_string(int64_t(value))};
  return std::nullopt;
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
  std::vector<int64_t> wanted = sampleShape(data.shape, batchDimOf(data));
  if (!compatible(sampleShape(samples.shape), wanted))
    return Error{samplesPath + ": samples of shape " +
                 shapeString(sampleShape(samples.shape)) +
                 " do not fit data '" + data.name + "', which expects " +
                 shapeString(wanted)};
  if (isInteger(data))
    if (MaybeError error = checkIntegers(samples, samplesPath, data))
      return *error;
  Dataset set;
  set.labelsPerSample = label.volume() / data.shape[size_t(batchDimOf(data))];
  int64_t volume = samples.shape[0] * set.labelsPerSample;
  bool perToken = set.labelsPerSample > 1 && !labels.shape.empty() &&
                  labels.shape[0] == samples.shape[0] &&
                  labels.volume() == volume;
  if (!perToken &&
      (labels.shape.size() != 1 || labels.shape[0] != samples.shape[0] ||
       labels.volume() != volume))
    return Error{
        labelsPath + ": expected shape [" + std::to_string(samples.shape[0]) +
        (set.labelsPerSample > 1 ? ", " + std::to_string(set.labelsPerSample)
                                 : "") +
        "] as " + samplesPath + " has so many samples, got " +
        shapeString(labels.shape)};
  if (labels.dtype == ElementType::F32 || labels.dtype == ElementType::F64)
    return Error{labelsPath + ": expected integer labels, got " +
                 nameOf(labels.dtype)};
  set.samples = std::move(samples);
  int64_t classes = label.classes ? label.classes : int64_t(1) << 30;
  for (int64_t i = 0; i < volume; ++i) {
    double value = labels.at(i);
    if (value < 0 || value >= double(classes))
      return Error{labelsPath + ": label " + std::to_string(int64_t(value)) +
                   " of sample " + std::to_string(i / set.labelsPerSample) +
                   ": expected 0 to " + std::to_string(classes - 1)};
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

/// A NumPy archive as Keras has them: x_train, y_train and perhaps x_test,
/// y_test.
Expected<DataSource> readArchive(const std::string &path,
                                 const TensorInfo &data,
                                 const TensorInfo &label) {
  auto arrays = readNpz(path);
  if (!arrays)
    return arrays.takeError();
  auto set = [&](const char *part) -> Expected<Dataset> {
    std::string x = std::string("x_") + part, y = std::string("y_") + part;
    for (const std::string &name : {x, y})
      if (!arrays->count(name))
        return Error{path + ": expected an array '" + name + "'"};
    return makeSet(std::move(arrays->at(x)), path + ": " + x, arrays->at(y),
                   path + ": " + y, data, label);
  };
  DataSource source;
  auto train = set("train");
  if (!train)
    return train.takeError();
  source.train = std::move(*train);
  if (!arrays->count("x_test") && !arrays->count("y_test"))
    return source;
  auto test = set("test");
  if (!test)
    return test.takeError();
  source.test = std::move(*test);
  return source;
}

DataSource synthetic(const TensorInfo &data, const TensorInfo &label,
                     bool integers, uint64_t seed) {
  DataSource source;
  Random random(seed, "synthetic data");
  uint64_t classes = uint64_t(label.classes ? label.classes : 2);
  int64_t batchDim = batchDimOf(data);
  auto make = [&](int64_t batches) {
    Dataset set;
    std::vector<int64_t> shape = sampleShape(data.shape, batchDim);
    int64_t batch = data.shape[size_t(batchDim)];
    shape.insert(shape.begin(), batch * batches);
    // Integers are tokens, as many kinds as there are classes.
    set.samples = HostTensor(
        isInteger(data) ? ElementType::I32 : ElementType::F32, shape);
    for (int64_t i = 0; i < set.samples.volume(); ++i)
      if (isInteger(data))
        set.samples.as<int32_t>()[i] = int32_t(random.below(classes));
      else
        set.samples.as<float>()[i] = integers
                                         ? float(int64_t(random.below(7)) - 3)
                                         : float(random.normal());
    set.labelsPerSample = label.volume() / batch;
    for (int64_t i = 0; i < shape[0] * set.labelsPerSample; ++i)
      set.labels.push_back(int32_t(random.below(classes)));
    return set;
  };
  source.train = make(8);
  source.test = make(2);
  return source;
}

/// Labels must be as many for each sample.
MaybeError checkTensors(const TensorInfo &data, const TensorInfo &label) {
  int64_t batchDim = batchDimOf(data);
  bool fits = batchDim < int64_t(data.shape.size()) && data.volume() > 0 &&
              label.volume() > 0 && !label.shape.empty();
  if (fits) {
    int64_t batch = data.shape[size_t(batchDim)];
    // One each, or one per element in the order of the data.
    fits = (batchDim == 0 && label.shape[0] == batch) ||
           label.volume() == batch || label.volume() == data.volume();
  }
  if (fits)
    return std::nullopt;
  return Error{"data '" + data.name + "' of shape " + shapeString(data.shape) +
               " and label '" + label.name + "' of shape " +
               shapeString(label.shape) +
               ": expected a label for each sample, or for each token"};
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
  if (MaybeError error = checkTensors(data, label))
    return *error;
  if (isInteger(data) && normalization.kind != Normalization::None)
    return Error{"data '" + data.name + "' of type " + nameOf(data.dtype) +
                 " are numbers of tokens, which cannot be normalized"};
  size_t colon = spec.find(':');
  std::string kind = spec.substr(0, colon);
  std::string rest = colon == std::string::npos ? "" : spec.substr(colon + 1);
  Expected<DataSource> source = Error{
      "expected 'idx:DIR', 'npy:DIR', 'npz:FILE', 'text:FILE', 'tokens:FILE', "
      "'synthetic' or 'synthetic:integers' as data, got '" +
      spec + "'"};
  if (kind == "synthetic" && (rest.empty() || rest == "integers"))
    source = synthetic(data, label, rest == "integers", seed);
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
  else if (kind == "npz" && !rest.empty())
    source = readArchive(rest, data, label);
  else if (kind == "text" && !rest.empty())
    source = loadText(spec, data, label);
  else if (kind == "tokens" && !rest.empty())
    source = loadTokens(spec, data, label);
  if (source && !source->tokens)
    source->batchDim = batchDimOf(data);
  if (source && kind != "synthetic") {
    int64_t batch = data.shape[size_t(source->batchDim)];
    if (source->train.size() < batch)
      return Error{"the training set has " +
                   std::to_string(source->train.size()) +
                   " samples, fewer than a batch of " + std::to_string(batch)};
    setNormalization(*source, normalization);
    if (isInteger(data))
      source->factor = 1;
  }
  return source;
}
