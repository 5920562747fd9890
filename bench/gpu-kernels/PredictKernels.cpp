//===- PredictKernels.cpp - Prices of kernels on a topology ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For bench/gpu-kernels/run.py: reads a kernel a line, writes its price in ns
// and what that rests on, as searches and simulations have them.
//
//   PredictKernels TOPOLOGY [PROFILE] < kernels > prices
//
//   product DTYPE M N K
//   attention SAMPLES POSITIONS HEADS KEY_HEADS WIDTH causal|whole|KEYS
//   collective KIND DEVICES BYTES          the first devices; the whole tensor
//
//===----------------------------------------------------------------------===//

#include "Soap/Cost/CollectiveCost.h"
#include "Soap/Cost/CostModel.h"
#include "Soap/Profile/ProfileModel.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <sstream>

using namespace soap;

namespace {

class Predictor {
public:
  explicit Predictor(const Topology &topology)
      : topology(topology), cost(topology), workspace(topology) {}

  /// False: the line is none of a kernel that can be priced.
  bool print(const std::string &line) {
    std::istringstream text(line);
    std::string kind;
    text >> kind;
    if (kind == "product")
      return printProduct(text);
    if (kind == "attention")
      return printAttention(text);
    return kind == "collective" && printCollective(text);
  }

private:
  const Topology &topology;
  CostModel cost;
  CollectiveWorkspace workspace;

  bool printProduct(std::istringstream &text) {
    std::string dtype;
    int64_t m = 0, n = 0, k = 0;
    if (!(text >> dtype >> m >> n >> k))
      return false;
    Work work;
    work.kind = "matmul";
    work.precision = ProductPrecision::BF16;
    work.elementBytes = dtype == "f8" ? 1 : 2;
    work.flops = 2.0 * static_cast<double>(m) * static_cast<double>(n) *
                 static_cast<double>(k);
    work.bytes = work.elementBytes * (m * k + k * n) + 2 * m * n;
    work.shape.op = "matmul";
    work.shape.direction = "forward";
    work.shape.loops = {"m", "n", "k"};
    work.shape.extents = {m, n, k};
    work.shape.bytes = work.bytes;
    work.shape.sizes = sizesOf("matmul", work.shape.loops, work.shape.extents,
                               {}, "forward", work.bytes);
    // No tensor has elements of half a byte.
    const ProfileModel *costs = topology.typeOf(0).costs.get();
    if (dtype == "f4") {
      std::optional<double> ns;
      if (costs)
        ns = costs->opNs(work.shape, dtype);
      if (ns)
        std::cout << *ns << " measured\n";
      return ns.has_value();
    }
    std::cout << cost.computeNs(0, work) << " "
              << basisName(cost.basisOf(0, work)) << "\n";
    return true;
  }

  bool printAttention(std::istringstream &text) {
    AttentionShape shape;
    std::string mask;
    if (!(text >> shape.samples >> shape.queries >> shape.queryHeads >>
          shape.keyHeads >> shape.width >> mask))
      return false;
    shape.keys = shape.queries;
    // Of a window of so many keys, the first queries have fewer.
    if (mask == "causal" || mask == "whole") {
      shape.visiblePairs = mask == "causal"
                               ? causalPairs(shape.queries, shape.keys)
                               : static_cast<double>(shape.queries) *
                                     static_cast<double>(shape.keys);
    } else {
      int64_t window = std::min<int64_t>(std::atoll(mask.c_str()), shape.keys);
      if (window < 1)
        return false;
      shape.visiblePairs = static_cast<double>(shape.queries - window) *
                               static_cast<double>(window) +
                           causalPairs(window, window);
    }
    std::optional<int64_t> ns = cost.attentionNs(0, shape, false);
    if (ns)
      std::cout << *ns << " " << basisName(cost.attentionBasis(0, shape, false))
                << "\n";
    return ns.has_value();
  }

  bool printCollective(std::istringstream &text) {
    std::string name;
    int devices = 0;
    int64_t bytes = 0;
    if (!(text >> name >> devices >> bytes) || devices < 2 ||
        devices > topology.deviceCount())
      return false;
    std::vector<int> group(static_cast<size_t>(devices));
    std::iota(group.begin(), group.end(), 0);
    for (CollectiveKind kind :
         {CollectiveKind::AllReduce, CollectiveKind::AllGather,
          CollectiveKind::ReduceScatter, CollectiveKind::AllToAll})
      if (name == collectiveName(kind)) {
        CollectiveModel model(workspace, kind, group);
        std::cout << model.ns(bytes) << " "
                  << (model.getMeasured() ? "measured" : "by data sheet")
                  << "\n";
        return true;
      }
    return false;
  }
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: PredictKernels TOPOLOGY [PROFILE] < kernels\n";
    return 2;
  }
  Expected<Topology> topology = loadTopology(argv[1]);
  if (!topology) {
    std::cerr << topology.error() << "\n";
    return 1;
  }
  if (argc == 3)
    if (MaybeError error = useProfile(*topology, argv[2])) {
      std::cerr << error->message << "\n";
      return 1;
    }
  Predictor predictor(*topology);
  for (std::string line; std::getline(std::cin, line);)
    if (!predictor.print(line)) {
      std::cerr << "cannot price '" << line << "'\n";
      return 1;
    }
  return 0;
}
