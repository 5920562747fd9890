//===- DeviceGrid.cpp - Configs as axes of a grid of devices --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axes are the prime factors of the number of devices, in some order. A step
// along an axis must move along one loop of an op, or along none; axes that all
// ops use side by side become one.
//
//===----------------------------------------------------------------------===//

#include "DeviceGrid.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

using namespace mlir::soap;

std::vector<int64_t> mlir::soap::primeFactors(int64_t number) {
  std::vector<int64_t> factors;
  for (int64_t p = 2; p * p <= number; ++p)
    for (; number % p == 0; number /= p)
      factors.push_back(p);
  if (number > 1)
    factors.push_back(number);
  return factors;
}

/// `[0, 1]`.
static std::string listOf(const std::vector<int> &devices) {
  std::string text = "[";
  for (size_t i = 0; i < devices.size(); ++i)
    text += (i ? ", " : "") + std::to_string(devices[i]);
  return text + "]";
}

std::optional<Split> mlir::soap::axesOf(const GridOp &op,
                                        const std::vector<int64_t> &shape) {
  size_t loops = op.space.loops.size();
  std::vector<std::vector<int64_t>> pieces(op.config.devices.size());
  for (const ::soap::Shard &shard : enumerateShards(op.space, op.config)) {
    if (shard.device >= static_cast<int>(pieces.size()) ||
        !pieces[shard.device].empty())
      return std::nullopt;
    pieces[shard.device] = shard.piece;
  }
  // The loop along which each axis moves, and how far.
  struct Move {
    int axis;
    int64_t step;
  };
  std::vector<std::vector<Move>> moves(loops);
  int64_t stride = 1;
  for (size_t a = shape.size(); a-- > 0; stride *= shape[a])
    for (size_t l = 0; l < loops; ++l)
      if (int64_t step = pieces[stride][l]; step != 0)
        moves[l].push_back({static_cast<int>(a), step});
  Split axes(loops);
  for (size_t l = 0; l < loops; ++l) {
    std::sort(moves[l].begin(), moves[l].end(),
              [](const Move &a, const Move &b) { return a.step > b.step; });
    for (const Move &move : moves[l])
      axes[l].push_back(move.axis);
  }
  // Every device must have the piece that the axes say.
  for (size_t device = 0; device < pieces.size(); ++device)
    for (size_t l = 0; l < loops; ++l) {
      int64_t piece = 0, count = 1;
      for (int axis : axes[l]) {
        int64_t inner = 1;
        for (size_t b = axis + 1; b < shape.size(); ++b)
          inner *= shape[b];
        piece = piece * shape[axis] +
                static_cast<int64_t>(device) / inner % shape[axis];
        count *= shape[axis];
      }
      if (piece != pieces[device][l] || count != op.config.degrees[l])
        return std::nullopt;
    }
  return axes;
}

namespace {

/// Whether axis a + 1 follows axis a wherever one of them is used.
bool areOne(const DeviceGrid &grid, int a) {
  for (const Split &op : grid.axes)
    for (const Axes &axes : op) {
      auto first = std::find(axes.begin(), axes.end(), a),
           second = std::find(axes.begin(), axes.end(), a + 1);
      if (first == axes.end() && second == axes.end())
        continue;
      if (first == axes.end() || second == axes.end() || first + 1 != second)
        return false;
    }
  return true;
}

void mergeAxes(DeviceGrid &grid) {
  for (int a = 0; a + 1 < static_cast<int>(grid.shape.size());) {
    if (!areOne(grid, a)) {
      ++a;
      continue;
    }
    grid.shape[a] *= grid.shape[a + 1];
    grid.shape.erase(grid.shape.begin() + a + 1);
    for (Split &op : grid.axes)
      for (Axes &axes : op) {
        axes.erase(std::remove(axes.begin(), axes.end(), a + 1), axes.end());
        for (int &axis : axes)
          axis -= axis > a;
      }
  }
}

/// Why no grid of devices has the op; empty: some grid may have it.
std::string faultOf(const GridOp &op, int64_t count) {
  const std::vector<int> &devices = op.config.devices;
  std::set<int> used(devices.begin(), devices.end());
  if (used.size() != devices.size() ||
      static_cast<int64_t>(devices.size()) != count || *used.rbegin() >= count)
    return "runs on devices " + listOf(devices) + ", expected each of the " +
           std::to_string(count) + " devices of the strategy once";
  for (size_t l = 0; l < op.space.loops.size(); ++l)
    if (op.space.loops[l].extent % op.config.degrees[l] != 0)
      return "cuts its loop '" + op.space.loops[l].name + "' of extent " +
             std::to_string(op.space.loops[l].extent) + " into " +
             std::to_string(op.config.degrees[l]) +
             " pieces of different sizes, expected equal ones";
  return "";
}

std::string misplaced(const GridOp &op) {
  return "has its pieces on devices " + listOf(op.config.devices) +
         ", which are no axes of one grid with the ";
}

} // namespace

PartialGrid mlir::soap::findGridOfMost(const std::vector<GridOp> &ops,
                                       int devices,
                                       const HasShardings &hasShardings) {
  std::vector<std::string> known;
  for (const GridOp &op : ops)
    known.push_back(faultOf(op, devices));
  std::vector<int64_t> shape = primeFactors(devices);
  PartialGrid best;
  size_t most = 0;
  do {
    PartialGrid found = {{shape, {}}, known};
    size_t count = 0;
    for (size_t i = 0; i < ops.size(); ++i) {
      std::optional<Split> axes;
      if (known[i].empty())
        axes = axesOf(ops[i], shape);
      if (known[i].empty() && !axes)
        found.faults[i] = misplaced(ops[i]) + "other ops";
      else if (axes && !hasShardings(i, ops[i], *axes))
        found.faults[i] = "leaves a result in parts that overlap or are no "
                          "blocks of its dims";
      bool fits = found.faults[i].empty();
      count += fits;
      found.grid.axes.push_back(fits ? std::move(*axes)
                                     : Split(ops[i].space.loops.size()));
    }
    if (count > most || best.faults.empty()) {
      most = count;
      best = std::move(found);
    }
  } while (std::next_permutation(shape.begin(), shape.end()));
  mergeAxes(best.grid);
  if (best.grid.shape.empty())
    best.grid.shape.push_back(1);
  return best;
}

::soap::Expected<DeviceGrid>
mlir::soap::findDeviceGrid(const std::vector<GridOp> &ops) {
  std::set<int> used;
  for (const GridOp &op : ops)
    used.insert(op.config.devices.begin(), op.config.devices.end());
  auto count = static_cast<int64_t>(used.size());
  if (count > 0 && (*used.begin() != 0 || *used.rbegin() != count - 1))
    return ::soap::Error{"the strategy uses devices " +
                         listOf({used.begin(), used.end()}) +
                         ", expected devices from 0 on without gaps"};
  for (const GridOp &op : ops)
    if (std::string fault = faultOf(op, count); !fault.empty())
      return ::soap::Error{"op '" + op.name + "' " + fault};
  DeviceGrid grid;
  grid.shape = primeFactors(std::max<int64_t>(count, 1));
  const GridOp *misfit = nullptr;
  do {
    grid.axes.clear();
    misfit = nullptr;
    for (const GridOp &op : ops) {
      std::optional<Split> axes = axesOf(op, grid.shape);
      if (!axes) {
        misfit = &op;
        break;
      }
      grid.axes.push_back(std::move(*axes));
    }
  } while (misfit &&
           std::next_permutation(grid.shape.begin(), grid.shape.end()));
  if (misfit)
    return ::soap::Error{"op '" + misfit->name + "' " + misplaced(*misfit) +
                         "ops before it"};
  mergeAxes(grid);
  if (grid.shape.empty())
    grid.shape.push_back(1);
  return grid;
}
