//===- Indices.cpp - Whether integers are in range ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Indices.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Data/Indices.h"

#include "Runtime/Data/DataSpec.h"

#include <algorithm>
#include <limits>
#include <sstream>

using namespace soap;
using namespace soap::runtime;

namespace {

/// By element of a sample, its bound, as `TensorInfo::classes` has it.
std::vector<int64_t> boundsOf(const TensorInfo &tensor, int64_t perSample) {
  constexpr int64_t unknown = int64_t(1) << 31;
  std::vector<int64_t> bounds;
  for (auto [count, classes] : tensor.classRuns)
    bounds.insert(bounds.end(), size_t(count), classes ? classes : unknown);
  if (int64_t(bounds.size()) != perSample)
    bounds.assign(size_t(perSample), tensor.classes ? tensor.classes : unknown);
  return bounds;
}

std::string describeRange(const TensorInfo &tensor, int64_t bound,
                          const std::vector<int64_t> &none) {
  std::string text = "expected " + std::to_string(std::min<int64_t>(bound, 0)) +
                     " to " + std::to_string(std::abs(bound) - 1);
  for (int64_t value : none)
    text += " or " + std::to_string(value);
  text += tensor.kind == TensorKind::Label ? " for label '" : " for data '";
  text += tensor.name + "'";
  if (tensor.kind != TensorKind::Label && bound < int64_t(1) << 31)
    text += ", which chooses from so many rows";
  return text;
}

} // namespace

MaybeError runtime::checkIndices(const HostTensor &values, int64_t sampleDim,
                                 const TensorInfo &tensor,
                                 const std::vector<int64_t> &none) {
  int64_t inner = 1, samples = 1;
  for (size_t d = 0; d < values.shape.size(); ++d)
    if (int64_t(d) == sampleDim)
      samples = values.shape[d];
    else if (int64_t(d) > sampleDim)
      inner *= values.shape[d];
  int64_t volume = values.volume();
  if (volume == 0)
    return std::nullopt;
  int64_t perSample = volume / samples;
  std::vector<int64_t> bounds = boundsOf(tensor, perSample);
  for (int64_t i = 0; i < volume; ++i) {
    int64_t sample = i / inner % samples,
            element = i / (inner * samples) * inner + i % inner;
    double value = values.at(i);
    int64_t bound = bounds[size_t(element)];
    if (value >= double(std::min<int64_t>(bound, 0)) &&
        value < double(std::abs(bound)))
      continue;
    if (std::find(none.begin(), none.end(), int64_t(value)) != none.end())
      continue;
    std::string place = "sample " + std::to_string(sample);
    if (perSample > 1)
      place += ", element " + std::to_string(element);
    return Error{place + ": " + describeRange(tensor, bound, none) + ", got " +
                 std::to_string(int64_t(value))};
  }
  return std::nullopt;
}

MaybeError runtime::checkTensorIndices(const HostTensor &values,
                                       const TensorInfo &tensor,
                                       const Manifest &manifest) {
  bool isLabel = tensor.kind == TensorKind::Label;
  bool isBounded = tensor.classes || !tensor.classRuns.empty();
  if ((!isLabel && tensor.kind != TensorKind::Data) || !isInteger(tensor) ||
      !isBounded)
    return std::nullopt;
  std::vector<int64_t> none;
  if (isLabel) {
    none.push_back(-1);
    const std::string key = "ignore-index=";
    std::istringstream words(manifest.training);
    for (std::string word; words >> word;)
      if (word.starts_with(key))
        if (int64_t index =
                std::strtoll(word.c_str() + key.size(), nullptr, 10);
            index < -1)
          none.push_back(index);
  }
  if (MaybeError error = checkIndices(values, batchDimOf(tensor), tensor, none))
    return Error{"tensor '" + tensor.name + "': " + error->message};
  return std::nullopt;
}
