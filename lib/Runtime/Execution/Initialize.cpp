//===- Initialize.cpp - First values of parameters and states -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Initialize.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Execution/Initialize.h"

#include "Runtime/Artifact/Fingerprint.h"
#include "Runtime/Data/Random.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Processes/Agreement.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace soap;
using namespace soap::runtime;

namespace {

bool isWeight(const TensorInfo &info) {
  return info.kind == TensorKind::Parameter || info.kind == TensorKind::State;
}

bool isRandom(const InitRule &rule) {
  return rule.kind == InitRule::He || rule.kind == InitRule::Glorot ||
         rule.kind == InitRule::Default;
}

/// The rule for a tensor under a default that the user chose (He or Glorot) or
/// not (Default).
InitRule chooseRule(const TensorInfo &info, InitRule::Kind choice) {
  InitRule rule = info.init;
  if (choice != InitRule::Default && info.fanIn > 0)
    rule.kind = choice;
  if (rule.kind == InitRule::Default)
    rule.kind = info.fanIn > 0 ? InitRule::He : InitRule::Zeros;
  return rule;
}

/// Sets tensors, and has a fingerprint of all that it has set.
class FirstValues {
public:
  explicit FirstValues(TensorStore &store) : store(store) {}

  MaybeError set(size_t tensor, const HostTensor &value) {
    if (store.placement().size() > 1) {
      hash.add(uint64_t(tensor));
      hash.add(value.bytes.data(),
               size_t(value.volume() * sizeOf(value.dtype)));
    }
    return store.set(tensor, value);
  }
  /// Every rank draws or reads all tensors, and they have to be the same.
  MaybeError check(const std::string &source) {
    return checkSame(store.placement(), "first weights", hash.digits(), source);
  }

private:
  TensorStore &store;
  Hasher hash;
};

MaybeError initializeFromFile(const Manifest &manifest, FirstValues &values,
                              const std::string &path, uint64_t seed) {
  auto file = readSafetensors(path);
  if (!file)
    return file.takeError();
  for (size_t t = 0; t < manifest.tensors.size(); ++t) {
    const TensorInfo &info = manifest.tensors[t];
    if (!isWeight(info))
      continue;
    auto it = file->find(info.name);
    if (it == file->end() && info.kind == TensorKind::Parameter)
      return Error{path + ": expected a tensor '" + info.name + "' of shape " +
                   shapeString(info.shape)};
    if (it == file->end()) {
      if (MaybeError error = values.set(
              t, initialValue(info, chooseRule(info, InitRule::Default), seed)))
        return error;
      continue;
    }
    if (isFloat(it->second.dtype) != isFloat(elementType(info.dtype)))
      return Error{path + ": tensor '" + info.name + "': expected type " +
                   nameOf(info.dtype) + ", got " + nameOf(it->second.dtype)};
    if (MaybeError error = values.set(t, it->second))
      return Error{path + ": " + error->message};
  }
  return values.check("'" + path + "'");
}

/// Removes the states that the model itself does not read.
void removeOptimizerStates(const Manifest &manifest,
                           std::set<size_t> &tensors) {
  bool known = false;
  std::set<size_t> read;
  for (const EntryInfo &entry : manifest.entries) {
    if (entry.name == "train_step" || entry.name == "accumulate_step")
      continue;
    known = true;
    for (const RankInfo &rank : entry.ranks)
      for (const TileInfo &arg : rank.args)
        read.insert(arg.tensor);
  }
  if (!known)
    return;
  std::erase_if(tensors, [&](size_t t) {
    return manifest.tensors[t].kind == TensorKind::State && !read.contains(t);
  });
}

} // namespace

HostTensor runtime::initialValue(const TensorInfo &info, const InitRule &rule,
                                 uint64_t seed) {
  HostTensor value(info.dtype, info.shape);
  int64_t count = value.volume();
  if (rule.kind == InitRule::Zeros)
    return value;
  if (rule.kind == InitRule::Bytes) {
    std::memcpy(value.bytes.data(), rule.bytes.data(), rule.bytes.size());
    return value;
  }
  Random random(seed, info.name);
  // Unknown fans: as for one input or output.
  double in = double(std::max<int64_t>(1, info.fanIn));
  double out = double(std::max<int64_t>(1, info.fanOut));
  double deviation = std::sqrt(2 / in), limit = std::sqrt(6 / (in + out));
  bool splat = rule.values.size() == 1;
  auto element = [&](int64_t i) -> double {
    switch (rule.kind) {
    case InitRule::Ones:
      return 1;
    case InitRule::Values:
      return rule.values[splat ? 0 : size_t(i)];
    case InitRule::Glorot:
      return limit * (2 * random.uniform() - 1);
    default:
      return deviation * random.normal();
    }
  };
  for (int64_t i = 0; i < count; ++i)
    value.set(i, element(i));
  return value;
}

MaybeError runtime::initialize(const Manifest &manifest, TensorStore &store,
                               const std::string &rule, uint64_t seed) {
  InitRule::Kind choice = InitRule::Default;
  FirstValues values(store);
  if (rule == "he")
    choice = InitRule::He;
  else if (rule == "glorot")
    choice = InitRule::Glorot;
  else if (!rule.empty())
    return initializeFromFile(manifest, values, rule, seed);
  for (size_t t = 0; t < manifest.tensors.size(); ++t) {
    const TensorInfo &info = manifest.tensors[t];
    if (!isWeight(info))
      continue;
    // A state (a momentum, a running mean) is never random by choice.
    InitRule::Kind wanted =
        info.kind == TensorKind::Parameter ? choice : InitRule::Default;
    InitRule own = chooseRule(info, wanted);
    if (info.kind == TensorKind::State && isRandom(own))
      own.kind = InitRule::Zeros;
    if (MaybeError error = values.set(t, initialValue(info, own, seed)))
      return error;
  }
  return values.check("drawn with seed " + std::to_string(seed));
}

std::vector<std::string> runtime::zeroParameters(const Manifest &manifest) {
  std::vector<std::string> names;
  for (const TensorInfo &info : manifest.tensors)
    if (info.kind == TensorKind::Parameter &&
        info.init.kind == InitRule::Default && info.fanIn <= 0 &&
        info.shape.size() > 1)
      names.push_back(info.name);
  return names;
}

Expected<std::map<std::string, HostTensor>>
runtime::collectTensors(const Manifest &manifest, TensorStore &store,
                        SavedTensors which, bool rootOnly) {
  std::set<size_t> saved;
  for (size_t t = 0; t < manifest.tensors.size(); ++t)
    if (isWeight(manifest.tensors[t]))
      saved.insert(t);
  if (which == SavedTensors::Weights)
    removeOptimizerStates(manifest, saved);
  std::map<std::string, HostTensor> tensors;
  for (size_t t : saved) {
    if (!store.hasValue(t))
      continue;
    auto value = store.get(t, rootOnly);
    if (!value)
      return value.takeError();
    if (!rootOnly || store.placement().isRoot())
      tensors.emplace(manifest.tensors[t].name, std::move(*value));
  }
  return tensors;
}
