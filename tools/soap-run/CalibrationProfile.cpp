//===- CalibrationProfile.cpp - From measurements to files ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CalibrationProfile.h.
//
//===----------------------------------------------------------------------===//

#include "CalibrationProfile.h"

#include "Cost/ProfileRecord.h"
#include "Soap/Profile/ProfileModel.h"
#include "Soap/Support/FileIO.h"

#include <algorithm>
#include <filesystem>

using namespace soap;
using namespace soap::run;

int64_t run::volumeOf(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

int64_t run::medianOf(std::vector<int64_t> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2,
                   values.end());
  return std::max<int64_t>(values[values.size() / 2], 1);
}

void RunSpread::add(std::vector<int64_t> ns) {
  if (ns.empty())
    return;
  std::sort(ns.begin(), ns.end());
  fastest += static_cast<double>(std::max<int64_t>(ns[ns.size() / 10], 1));
  slower += static_cast<double>(std::max<int64_t>(ns[ns.size() * 3 / 4], 1));
}

int64_t CalibrationCase::bytes() const {
  int64_t count = volumeOf(result);
  for (const std::vector<int64_t> &operand : operands)
    count += volumeOf(operand);
  return (dtype == "bf16" ? 2 : 4) * count;
}

int64_t CalibrationCase::work() const {
  return loops.empty() ? volumeOf(result) : volumeOf(extents);
}

CalibrationCase run::matmulCase(const char *direction, int64_t m, int64_t n,
                                int64_t k) {
  CalibrationCase c;
  c.mnemonic = c.op = "matmul";
  c.direction = direction;
  c.loops = {"m", "n", "k"};
  c.extents = {m, n, k};
  c.result = {m, n};
  if (c.direction == "weight_grad") {
    c.operands = {{k, m}, {k, n}};
    c.attributes = "transpose_a, ";
  } else if (c.direction == "forward") {
    c.operands = {{m, k}, {n, k}};
    c.attributes = "transpose_b, ";
  } else {
    c.operands = {{m, k}, {k, n}};
  }
  return c;
}

/// Square images of `size` output positions a side, window `window`, padded by
/// half of it.
CalibrationCase run::conv2dCase(const char *direction, int64_t n, int64_t in,
                                int64_t out, int64_t size, int64_t window,
                                int64_t stride) {
  CalibrationCase c;
  c.op = "conv2d";
  c.direction = direction;
  c.strides = {stride, stride};
  int64_t pad = window / 2, input = (size - 1) * stride + window - 2 * pad;
  std::string p = std::to_string(pad), s = std::to_string(stride);
  c.attributes = "dilations = array<i64: 1, 1>, groups = 1 : i64, padding = "
                 "array<i64: " +
                 p + ", " + p + ", " + p + ", " + p +
                 ">, strides = array<i64: " + s + ", " + s + ">, ";
  std::vector<int64_t> x = {n, in, input, input}, w = {out, in, window, window},
                       y = {n, out, size, size};
  if (c.direction == "forward") {
    c.mnemonic = "conv2d";
    c.operands = {x, w};
    c.result = y;
    c.loops = {"n", "g", "o", "h", "w", "i", "kh", "kw"};
    c.extents = {n, 1, out, size, size, in, window, window};
  } else if (c.direction == "input_grad") {
    c.mnemonic = "conv2d_input_grad";
    c.operands = {y, w};
    c.result = x;
    c.loops = {"n", "g", "i", "h", "w", "o", "kh", "kw"};
    c.extents = {n, 1, in, input, input, out, window, window};
  } else {
    c.mnemonic = "conv2d_weight_grad";
    c.operands = {x, y};
    c.result = w;
    c.loops = {"g", "o", "i", "kh", "kw", "n", "h", "w"};
    c.extents = {1, out, in, window, window, n, size, size};
  }
  return c;
}

CalibrationCase run::elementwiseCase(const char *mnemonic, size_t operands,
                                     int64_t count) {
  CalibrationCase c;
  c.mnemonic = mnemonic;
  c.op = "elementwise";
  c.direction = operands == 1 ? "forward" : "backward";
  c.result = {count / 64, 64};
  c.operands.assign(operands, c.result);
  return c;
}

std::pair<int64_t, double>
run::fitLink(const std::vector<std::pair<int64_t, int64_t>> &points) {
  auto first = points.front(), last = points.back();
  auto of = [](int64_t number) { return static_cast<double>(number); };
  double perNs = of(last.first - first.first) /
                 std::max(of(last.second - first.second), 1.0);
  double latency = std::max(1.0, of(first.second) - of(first.first) / perNs);
  return {static_cast<int64_t>(latency), std::clamp(perNs * 1e9, 1e6, 1e15)};
}

void CalibrationProfile::add(const CalibrationCase &c) {
  bool isClass = c.loops.empty();
  std::string key = c.op + " " + c.direction + " " + c.dtype;
  ProfileTable &table = isClass ? classes[key] : tables[key];
  table.op = c.op;
  table.direction = c.direction;
  table.dtype = c.dtype;
  table.loops = isClass ? std::vector<std::string>{"points"} : c.loops;
  table.strides = static_cast<int>(c.strides.size());
  ProfileEntry entry;
  entry.shape = isClass ? std::vector<int64_t>{volumeOf(c.result)} : c.extents;
  entry.shape.insert(entry.shape.end(), c.strides.begin(), c.strides.end());
  entry.shape.push_back(c.bytes());
  entry.ns = c.ns;
  table.entries.push_back(std::move(entry));
}

void CalibrationProfile::addCopy(const std::string &kind, int64_t bytes,
                                 int64_t ns) {
  ProfileTable &table = copies[kind];
  table.op = kind;
  table.direction = "forward";
  table.dtype = "f32";
  table.entries.push_back({{bytes}, ns});
}

MaybeError CalibrationProfile::addCopy(const std::string &shape, int64_t ns) {
  Expected<ProfileTable> one = parseShape(shape);
  if (!one)
    return Error{one.error()};
  ProfileEntry entry = one->entries.front();
  entry.ns = ns;
  one->entries.clear();
  copies.try_emplace(one->op, *one)
      .first->second.entries.push_back(std::move(entry));
  return std::nullopt;
}

void CalibrationProfile::setLinks(int64_t latencyNs, double bytesPerSecond) {
  for (Link &link : topology.links) {
    link.bandwidthBytesPerSecond = bytesPerSecond;
    link.latencyNs = latencyNs;
  }
  hasLinks = true;
}

/// The best that was measured; 0 before anything was.
double CalibrationProfile::bandwidth() const {
  double best = 0;
  for (const auto &[key, table] : classes)
    for (const ProfileEntry &entry : table.entries)
      best = std::max(best, static_cast<double>(entry.shape.back()) /
                                static_cast<double>(entry.ns) * 1e9);
  return best;
}

/// The best that was measured, by dtype.
std::map<std::string, double> CalibrationProfile::flops() const {
  std::map<std::string, double> flops;
  for (const auto &[key, table] : tables)
    for (const ProfileEntry &entry : table.entries) {
      double work = 2;
      for (size_t i = 0; i < table.loops.size(); ++i)
        work *= static_cast<double>(entry.shape[i]);
      // Input gradients visit every output position once for each stride.
      for (int s = 0; s < table.strides; ++s)
        if (table.direction == "input_grad")
          work /= static_cast<double>(entry.shape[table.loops.size() + s]);
      double &best = flops[table.dtype];
      best = std::max(best, work / static_cast<double>(entry.ns) * 1e9);
    }
  if (auto it = flops.find("f32"); it != flops.end())
    flops["f64"] = it->second / 2;
  return flops;
}

bool CalibrationProfile::isEnough() const {
  return bandwidth() > 0 && flops().contains("f32") &&
         (hasLinks || topology.deviceCount() < 2);
}

/// Peaks are the best measured rates; shapes without a table have curves.
void CalibrationProfile::summarize(const std::string &name) {
  profile.tables.clear();
  profile.curves.clear();
  for (const auto &[key, table] : tables) {
    profile.tables.push_back(table);
    profile.curves.push_back(fitCurve(table));
  }
  for (const auto &[key, table] : classes) {
    CostCurve curve = fitCurve(table);
    // One curve stands for all ops of the class: by bytes alone.
    profile.curves.push_back(std::move(curve));
  }
  for (const auto &[kind, table] : copies) {
    profile.tables.push_back(table);
    profile.curves.push_back(fitCurve(table));
  }
  double launch = 1000;
  for (const CostCurve &curve : profile.curves)
    if (curve.op == "elementwise" && curve.direction == "forward")
      launch = std::max(1.0, curve.terms.front().ns);
  profile.launchNs = static_cast<int64_t>(launch);
  profile.flopsPerSecond = flops();
  profile.runSpread = spread.value();
  profile.memoryBandwidthBytesPerSecond = bandwidth();
  for (DeviceType &type : topology.deviceTypes) {
    type.flopsPerSecond = profile.flopsPerSecond;
    type.memoryBandwidthBytesPerSecond = profile.memoryBandwidthBytesPerSecond;
    type.launchNs = profile.launchNs;
    // Beside the topology, whatever folder that is in.
    type.profile =
        std::filesystem::path(name + ".profile.json").filename().string();
  }
}

MaybeError CalibrationProfile::write(const std::string &base) {
  if (!isEnough())
    return std::nullopt;
  summarize(base);
  if (MaybeError error =
          writeFile(base + ".profile.json", printProfile(profile)))
    return error;
  return writeFile(base + ".topology.json", printTopology(topology));
}
