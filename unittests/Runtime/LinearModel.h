//===- LinearModel.h - A model on hand-written programs ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The model of tests of sessions, trainers and checkpoints: a linear model on
// two devices, whose programs are plain functions.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_UNITTESTS_RUNTIME_LINEARMODEL_H
#define SOAP_UNITTESTS_RUNTIME_LINEARMODEL_H

#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Execution/Session.h"
#include "Support/TemporaryFolder.h"

#include "gtest/gtest.h"
#include <map>
#include <nlohmann/json.hpp>

namespace soap::runtime {

// One weight w: score = w * x, class 1 if score > 0; the loss is the mean of
// (w * x - (2 * label - 1))^2 over the batch of 4, 0 for label -1. Device 1
// works on samples 2 and 3 and sends its sums to device 0.
inline constexpr float learningRate = 0.1f;

struct Sums {
  float loss = 0, correct = 0, gradient = 0;
};

inline Sums work(const float *x, const int32_t *label, float w, int count) {
  Sums sums;
  for (int i = 0; i < count; ++i) {
    if (label[i] < 0)
      continue;
    float error = w * x[i] - float(2 * label[i] - 1);
    sums.loss += error * error / 4;
    sums.gradient += 2 * error * x[i] / 4;
    sums.correct += (w * x[i] > 0) == (label[i] == 1);
  }
  return sums;
}

template <bool sender, bool update>
void program(SoapContext *ctx, void **args, void *) {
  auto *x = static_cast<float *>(args[0]);
  auto *label = static_cast<int32_t *>(args[1]);
  auto *w = static_cast<float *>(args[2]);
  soap_rt_task_begin(ctx, 0);
  Sums mine = work(x, label, *w, 2);
  soap_rt_task_end(ctx, 0);
  if (sender) {
    soap_rt_task_begin(ctx, 1);
    soap_rt_send(ctx, 1, &mine, sizeof(mine));
    soap_rt_task_end(ctx, 1);
    if (update)
      soap_rt_recv(ctx, 2, w, 4);
    return;
  }
  Sums other;
  soap_rt_recv(ctx, 1, &other, sizeof(other));
  *static_cast<float *>(args[3]) = mine.loss + other.loss;
  *static_cast<float *>(args[4]) = mine.correct + other.correct;
  if (!update)
    return;
  *w -= learningRate * (mine.gradient + other.gradient);
  soap_rt_send(ctx, 2, w, 4);
}

inline ProgramSource linearModel() {
  using nlohmann::json;
  json manifest = json::parse(R"({
    "version": 1, "devices": 2,
    "tensors": [
      {"name": "x", "kind": "data", "shape": [4, 1], "dtype": "f32",
       "sample_dim": 0},
      {"name": "label", "kind": "label", "shape": [4], "dtype": "i32",
       "sample_dim": 0, "classes": 2},
      {"name": "w", "kind": "parameter", "shape": [1], "dtype": "f32",
       "init": "zeros"},
      {"name": "loss", "kind": "loss", "shape": [], "dtype": "f32"},
      {"name": "correct", "kind": "correct", "shape": [], "dtype": "f32"}],
    "entries": []})");
  for (bool update : {true, false}) {
    json ranks = json::array();
    for (int d = 0; d < 2; ++d) {
      json half = {{d * 2, d * 2 + 2}};
      json rank = {{"device", d}, {"arena_bytes", 128}};
      rank["program"] =
          std::string(update ? "train" : "eval") + "_" + std::to_string(d);
      rank["args"] = {
          {{"tensor", "x"}, {"region", {half, {{0, 1}}}}},
          {{"tensor", "label"}, {"region", {half}}},
          {{"tensor", "w"}, {"region", {{{0, 1}}}}, {"updated", update}}};
      rank["results"] = json::array();
      if (d == 0)
        rank["results"] = {{{"tensor", "loss"}, {"region", json::array()}},
                           {{"tensor", "correct"}, {"region", json::array()}}};
      rank["tasks"] = {d, 2, 3};
      rank["peers"] = {-1, 1 - d, update ? 1 - d : -1};
      rank["transfers"] = {-1, 0, update ? 1 : -1};
      ranks.push_back(rank);
    }
    manifest["entries"].push_back(
        {{"name", update ? "train_step" : "evaluate"},
         {"batch", 4},
         {"schedule",
          {{{"name", "work[0]"}, {"kind", "linear"}},
           {{"name", "work[1]"}, {"kind", "linear"}},
           {{"name", "sums"}, {"kind", "transfer"}},
           {{"name", "weight"}, {"kind", "transfer"}}}},
         {"ranks", ranks}});
  }
  auto parsed = parseManifest(manifest.dump(), "linear");
  EXPECT_TRUE(parsed) << parsed.error();
  ProgramSource source;
  source.manifest = std::make_shared<const Manifest>(*parsed);
  source.program = [](const std::string &name) -> SoapProgram {
    static const std::map<std::string, SoapProgram> programs = {
        {"train_0", program<false, true>},
        {"train_1", program<true, true>},
        {"eval_0", program<false, false>},
        {"eval_1", program<true, false>}};
    auto found = programs.find(name);
    return found == programs.end() ? nullptr : found->second;
  };
  return source;
}

/// Files whose label is the sign of the sample.
inline void writeSigns(const TemporaryFolder &folder, const std::string &name,
                       int64_t count) {
  HostTensor x(ElementType::F32, {count}), y(ElementType::I64, {count});
  for (int64_t i = 0; i < count; ++i) {
    x.set(i, (i % 2 ? 1.0 : -1.0) * (1 + double(i % 5) / 8));
    y.set(i, i % 2);
  }
  ASSERT_FALSE(writeNpy(folder / ("x_" + name + ".npy"), x));
  ASSERT_FALSE(writeNpy(folder / ("y_" + name + ".npy"), y));
}

inline std::unique_ptr<Session> makeSession() {
  auto session = Session::create(linearModel(), LauncherOptions());
  EXPECT_TRUE(session) << session.error();
  return std::move(*session);
}

} // namespace soap::runtime

#endif // SOAP_UNITTESTS_RUNTIME_LINEARMODEL_H
