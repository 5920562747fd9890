//===- Arrays.cpp - Samples and labels from array files -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// IDX and NPY files, and NPZ archives. A model with one data tensor finds its
// samples as `x_train` and `x_test`; one with several finds them by the names
// of the tensors: `source_train`, `target_train`.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Data/DataSpec.h"

#include "Soap/Runtime/Data/Indices.h"
#include "Soap/Runtime/Data/TensorFiles.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
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

/// An array, and how messages call it.
struct NamedArray {
  std::string name;
  HostTensor array;
};

/// Models that take integers index tables with them.
MaybeError checkIntegers(const NamedArray &samples, const TensorInfo &data) {
  const HostTensor &array = samples.array;
  if (isFloat(array.dtype))
    return Error{samples.name + ": expected integers for data '" + data.name +
                 "' of type " + nameOf(data.dtype) + ", got " +
                 nameOf(array.dtype)};
  if (MaybeError error = checkIndices(array, /*sampleDim=*/0, data))
    return Error{samples.name + ": " + error->message};
  return std::nullopt;
}

MaybeError checkSamples(const NamedArray &samples, const TensorInfo &data) {
  const std::vector<int64_t> &shape = samples.array.shape;
  if (shape.empty() || shape[0] == 0)
    return Error{samples.name +
                 ": expected samples along dimension 0, got "
                 "shape " +
                 shapeString(shape)};
  std::vector<int64_t> wanted = sampleShape(data.shape, batchDimOf(data));
  if (!compatible(sampleShape(shape), wanted))
    return Error{samples.name + ": samples of shape " +
                 shapeString(sampleShape(shape)) + " do not fit data '" +
                 data.name + "', which expects " + shapeString(wanted)};
  return isInteger(data) ? checkIntegers(samples, data) : std::nullopt;
}

/// One label per sample, or `[samples, labels]`.
MaybeError checkLabelShape(const NamedArray &labels, const NamedArray &samples,
                           int64_t labelsPerSample) {
  const std::vector<int64_t> &shape = labels.array.shape;
  int64_t count = samples.array.shape[0], volume = count * labelsPerSample;
  if (!shape.empty() && shape[0] == count && labels.array.volume() == volume &&
      (labelsPerSample > 1 || shape.size() == 1))
    return std::nullopt;
  return Error{
      labels.name + ": expected shape [" + std::to_string(count) +
      (labelsPerSample > 1 ? ", " + std::to_string(labelsPerSample) : "") +
      "] as " + samples.name + " has so many samples, got " +
      shapeString(shape)};
}

/// `samples` are by data tensor of the model.
std::string nameOfNumber(double value) {
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

/// Integer labels, with -1 where there is none.
Expected<std::vector<int32_t>> readClasses(const NamedArray &labels,
                                           int64_t classes,
                                           int64_t labelsPerSample,
                                           const ModelInputs &inputs) {
  const HostTensor &numbers = labels.array;
  if (isFloat(numbers.dtype))
    return Error{labels.name + ": expected integer labels, got " +
                 nameOf(numbers.dtype)};
  if (!classes)
    classes = int64_t(1) << 30;
  std::vector<int32_t> result;
  for (int64_t i = 0; i < numbers.volume(); ++i) {
    double value = numbers.at(i);
    if (inputs.ignoreIndex && value == double(*inputs.ignoreIndex))
      value = -1;
    else if (value < 0 || value >= double(classes))
      return Error{labels.name + ": label " + std::to_string(int64_t(value)) +
                   " of sample " + std::to_string(i / labelsPerSample) +
                   ": expected 0 to " + std::to_string(classes - 1) +
                   (value < 0 ? ", or '--ignore-index " +
                                    std::to_string(int64_t(value)) +
                                    "' if it says that there is none"
                              : "")};
    result.push_back(int32_t(value));
  }
  return result;
}

/// Labels of one target: numbers, or classes where its type is an integer.
Expected<HostTensor> readTarget(NamedArray labels, const NamedArray &samples,
                                const TensorInfo &target,
                                const ModelInputs &inputs) {
  int64_t count = samples.array.shape[0], dim = batchDimOf(target);
  std::vector<int64_t> wanted = sampleShape(target.shape, dim);
  const std::vector<int64_t> &shape = labels.array.shape;
  if (shape.empty() || shape[0] != count ||
      !compatible(sampleShape(shape), wanted)) {
    wanted.insert(wanted.begin(), count);
    return Error{labels.name + ": expected shape " + shapeString(wanted) +
                 " for label '" + target.name + "' as " + samples.name +
                 " has so many samples, got " + shapeString(shape)};
  }
  if (isInteger(target)) {
    int64_t perSample = target.volume() / target.shape[size_t(dim)];
    auto classes = readClasses(labels, target.classes, perSample, inputs);
    if (!classes)
      return classes.takeError();
    HostTensor result(ElementType::I32, shape);
    std::copy(classes->begin(), classes->end(), result.as<int32_t>());
    return result;
  }
  for (int64_t i = 0; i < labels.array.volume(); ++i)
    if (double value = labels.array.at(i); !std::isfinite(value))
      return Error{labels.name + ": sample " +
                   std::to_string(i * count / labels.array.volume()) +
                   " has the label " + nameOfNumber(value) +
                   ", expected a finite number"};
  return std::move(labels.array);
}

Expected<Dataset> makeSet(std::vector<NamedArray> samples,
                          std::optional<NamedArray> label,
                          std::vector<NamedArray> targets,
                          const ModelInputs &inputs) {
  for (size_t i = 0; i < samples.size(); ++i) {
    if (MaybeError error = checkSamples(samples[i], inputs.data[i]))
      return *error;
    int64_t count = samples[i].array.shape[0],
            first = samples[0].array.shape[0];
    if (count != first)
      return Error{samples[i].name + ": expected " + std::to_string(first) +
                   " samples as in " + samples[0].name + ", got " +
                   std::to_string(count)};
  }
  Dataset set;
  if (label) {
    set.labelsPerSample = inputs.label.volume() / batchOf(inputs.data[0]);
    if (MaybeError error =
            checkLabelShape(*label, samples[0], set.labelsPerSample))
      return *error;
    auto classes =
        readClasses(*label, inputs.label.classes, set.labelsPerSample, inputs);
    if (!classes)
      return classes.takeError();
    set.labels = std::move(*classes);
  }
  for (size_t i = 0; i < targets.size(); ++i) {
    auto target = readTarget(std::move(targets[i]), samples[0],
                             inputs.targets[i], inputs);
    if (!target)
      return target.takeError();
    set.targets.push_back(std::move(*target));
  }
  for (NamedArray &array : samples)
    set.samples.push_back(std::move(array.array));
  return set;
}

/// A file, or a member of an archive, that may hold one of the arrays.
class ArrayFiles {
public:
  virtual ~ArrayFiles() = default;
  /// `part` is "train" or "test"; `name` is "x" or that of a tensor, or "y".
  virtual bool has(const std::string &name, const std::string &part) = 0;
  virtual Expected<NamedArray> read(const std::string &name,
                                    const std::string &part) = 0;
};

using Reader = Expected<HostTensor> (*)(const std::string &);

Expected<NamedArray> readWith(Reader reader, const std::string &path) {
  auto array = reader(path);
  if (!array)
    return array.takeError();
  return NamedArray{path, std::move(*array)};
}

/// The MNIST family, gzipped or not, under any of its names.
class IdxFiles final : public ArrayFiles {
public:
  explicit IdxFiles(std::string folder) : folder(std::move(folder)) {}

  bool has(const std::string &name, const std::string &part) override {
    return access(path(name, part).c_str(), F_OK) == 0;
  }
  Expected<NamedArray> read(const std::string &name,
                            const std::string &part) override {
    return readWith(readIdx, path(name, part));
  }

private:
  std::string path(const std::string &name, const std::string &part) {
    std::string stem = folder + "/" + (part == "train" ? "train" : "t10k") +
                       (name == "y" ? "-labels" : "-images"),
                kind = name == "y" ? "idx1-ubyte" : "idx3-ubyte";
    for (const std::string &ending :
         {"-" + kind + ".gz", "-" + kind, std::string(".gz"), std::string(),
          "." + kind})
      if (access((stem + ending).c_str(), F_OK) == 0)
        return stem + ending;
    return stem + "-" + kind + ".gz";
  }

  std::string folder;
};

class NpyFiles final : public ArrayFiles {
public:
  explicit NpyFiles(std::string folder) : folder(std::move(folder)) {}

  bool has(const std::string &name, const std::string &part) override {
    return access(path(name, part).c_str(), F_OK) == 0;
  }
  Expected<NamedArray> read(const std::string &name,
                            const std::string &part) override {
    return readWith(readNpy, path(name, part));
  }

private:
  std::string path(std::string name, const std::string &part) {
    for (char &c : name)
      if (c == '/' || c == '\0')
        c = '_';
    return folder + "/" + name + "_" + part + ".npy";
  }

  std::string folder;
};

/// An archive as Keras has them.
class NpzMembers final : public ArrayFiles {
public:
  NpzMembers(std::string path, std::map<std::string, HostTensor> arrays)
      : path(std::move(path)), arrays(std::move(arrays)) {}

  bool has(const std::string &name, const std::string &part) override {
    return arrays.count(name + "_" + part);
  }
  Expected<NamedArray> read(const std::string &name,
                            const std::string &part) override {
    auto found = arrays.find(name + "_" + part);
    if (found == arrays.end())
      return Error{path + ": expected an array '" + name + "_" + part + "'"};
    return NamedArray{path + ": " + found->first, std::move(found->second)};
  }

private:
  std::string path;
  std::map<std::string, HostTensor> arrays;
};

/// "y", or of several labels their names.
std::string nameOfTarget(const ModelInputs &inputs, const TensorInfo &target) {
  return inputs.targets.size() == 1 ? "y" : target.name;
}

Expected<Dataset> readSet(ArrayFiles &files, const std::string &part,
                          const std::vector<std::string> &names,
                          const ModelInputs &inputs) {
  std::vector<NamedArray> samples;
  for (const std::string &name : names) {
    auto array = files.read(name, part);
    if (!array)
      return array.takeError();
    samples.push_back(std::move(*array));
  }
  std::optional<NamedArray> label;
  if (inputs.hasLabel()) {
    auto labels = files.read("y", part);
    if (!labels)
      return labels.takeError();
    label = std::move(*labels);
  }
  std::vector<NamedArray> targets;
  for (const TensorInfo &target : inputs.targets) {
    auto labels = files.read(nameOfTarget(inputs, target), part);
    if (!labels)
      return labels.takeError();
    targets.push_back(std::move(*labels));
  }
  return makeSet(std::move(samples), std::move(label), std::move(targets),
                 inputs);
}

/// Both sets; the test set may be missing altogether.
Expected<DataSource> readSource(ArrayFiles &files, const ModelInputs &inputs) {
  std::vector<std::string> names;
  for (const TensorInfo &data : inputs.data)
    names.push_back(inputs.data.size() == 1 ? "x" : data.name);
  DataSource source;
  auto train = readSet(files, "train", names, inputs);
  if (!train)
    return train.takeError();
  source.train = std::move(*train);
  bool hasTest = inputs.hasLabel() && files.has("y", "test");
  for (const TensorInfo &target : inputs.targets)
    hasTest |= files.has(nameOfTarget(inputs, target), "test");
  for (const std::string &name : names)
    hasTest |= files.has(name, "test");
  if (!hasTest)
    return source;
  auto test = readSet(files, "test", names, inputs);
  if (!test)
    return test.takeError();
  source.test = std::move(*test);
  return source;
}

} // namespace

Expected<DataSource> runtime::loadArrays(const std::string &kind,
                                         const std::string &path,
                                         const ModelInputs &inputs) {
  if (kind == "npz") {
    auto arrays = readNpz(path);
    if (!arrays)
      return arrays.takeError();
    NpzMembers members(path, std::move(*arrays));
    return readSource(members, inputs);
  }
  if (kind == "npy") {
    NpyFiles files(path);
    return readSource(files, inputs);
  }
  if (inputs.data.size() > 1)
    return Error{"'idx:DIR' holds one array of samples, but the model takes " +
                 namesOf(inputs.data) + ": expected 'npz:FILE' or 'npy:DIR'"};
  if (!inputs.hasLabel())
    return Error{"'idx:DIR' holds classes as labels, but the model takes " +
                 (inputs.targets.empty() ? "none" : namesOf(inputs.targets)) +
                 ": expected 'npz:FILE' or 'npy:DIR'"};
  IdxFiles files(path);
  return readSource(files, inputs);
}

Expected<Dataset>
runtime::loadSampleArrays(const std::string &path,
                          const std::vector<TensorInfo> &data) {
  ModelInputs inputs;
  inputs.data = data;
  std::error_code ignored;
  bool isFolder = std::filesystem::is_directory(path, ignored);
  if (!isFolder && data.size() > 1)
    return Error{path + ": the model takes " + namesOf(data) +
                 ": expected a folder with an array NAME.npy for each"};
  std::vector<NamedArray> samples;
  for (const TensorInfo &tensor : data) {
    std::string name = tensor.name;
    std::replace(name.begin(), name.end(), '/', '_');
    auto array =
        readWith(readNpy, isFolder ? path + "/" + name + ".npy" : path);
    if (!array)
      return array.takeError();
    samples.push_back(std::move(*array));
  }
  return makeSet(std::move(samples), std::nullopt, {}, inputs);
}
