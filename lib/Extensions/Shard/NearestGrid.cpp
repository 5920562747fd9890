//===- NearestGrid.cpp - The nearest strategy that a grid has -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NearestGrid.h.
//
//===----------------------------------------------------------------------===//

#include "NearestGrid.h"

#include <algorithm>

using namespace mlir::soap;

namespace {

/// The config that splits loop l by `axes[l]`; other axes make replicas.
::soap::Config configOf(const ::soap::IterationSpace &space,
                        const std::vector<int64_t> &shape, const Split &axes) {
  ::soap::Config config = ::soap::Config::single(space);
  int64_t devices = 1;
  for (int64_t extent : shape)
    devices *= extent;
  std::vector<bool> cuts(shape.size(), false);
  for (size_t l = 0; l < axes.size(); ++l)
    for (int axis : axes[l]) {
      config.degrees[l] *= shape[axis];
      cuts[axis] = true;
    }
  config.replicas = devices / config.piecesPerReplica();
  config.devices.assign(devices, 0);
  auto digit = [&](int64_t device, int axis) {
    for (size_t a = shape.size(); a-- > static_cast<size_t>(axis) + 1;)
      device /= shape[a];
    return device % shape[axis];
  };
  std::vector<::soap::Shard> shards = enumerateShards(space, config);
  for (int64_t device = 0; device < devices; ++device) {
    std::vector<int64_t> piece(axes.size(), 0);
    for (size_t l = 0; l < axes.size(); ++l)
      for (int axis : axes[l])
        piece[l] = piece[l] * shape[axis] + digit(device, axis);
    int64_t replica = 0;
    for (size_t a = 0; a < shape.size(); ++a)
      if (!cuts[a])
        replica = replica * shape[a] + digit(device, static_cast<int>(a));
    for (size_t s = 0; s < shards.size(); ++s)
      if (shards[s].replica == replica && shards[s].piece == piece)
        config.devices[s] = static_cast<int>(device);
  }
  return config;
}

bool isLegal(const GridOp &op) {
  for (size_t l = 0; l < op.space.loops.size(); ++l)
    if (op.space.loops[l].extent % op.config.degrees[l] != 0)
      return false;
  return checkConfig(op.space, op.config, -1).fault ==
         ::soap::ConfigFault::None;
}

/// The op on a grid, with degrees close to the degrees of its config.
GridOp onGrid(const GridOp &op, size_t number,
              const std::vector<int64_t> &shape,
              const HasShardings &hasShardings) {
  size_t loops = op.space.loops.size();
  Split axes(loops);
  GridOp result = op;
  result.config = configOf(op.space, shape, axes);
  for (size_t a = 0; a < shape.size(); ++a) {
    // Loops that lack this factor of their degree, most first.
    std::vector<size_t> order;
    for (size_t l = 0; l < loops; ++l)
      if (op.config.degrees[l] > result.config.degrees[l])
        order.push_back(l);
    auto lacks = [&](size_t l) {
      return static_cast<double>(op.config.degrees[l]) /
             static_cast<double>(result.config.degrees[l]);
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t x, size_t y) { return lacks(x) > lacks(y); });
    for (size_t l : order) {
      Split tried = axes;
      tried[l].push_back(static_cast<int>(a));
      GridOp candidate = op;
      candidate.config = configOf(op.space, shape, tried);
      if (!isLegal(candidate) || !hasShardings(number, candidate, tried))
        continue;
      axes = std::move(tried);
      result = std::move(candidate);
      break;
    }
  }
  return result;
}

} // namespace

std::vector<GridOp>
mlir::soap::nearestOnGrid(const std::vector<GridOp> &ops, int devices,
                          const HasShardings &hasShardings) {
  std::vector<int64_t> shape = primeFactors(devices);
  std::vector<GridOp> best;
  size_t fewest = ops.size() + 1;
  do {
    std::vector<GridOp> result;
    size_t changed = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
      bool all = static_cast<int>(ops[i].config.devices.size()) == devices &&
                 isLegal(ops[i]);
      std::optional<Split> axes;
      if (all)
        axes = axesOf(ops[i], shape);
      if (axes && hasShardings(i, ops[i], *axes)) {
        result.push_back(ops[i]);
        continue;
      }
      ++changed;
      result.push_back(onGrid(ops[i], i, shape, hasShardings));
    }
    if (changed < fewest) {
      fewest = changed;
      best = std::move(result);
    }
  } while (std::next_permutation(shape.begin(), shape.end()));
  return best;
}
