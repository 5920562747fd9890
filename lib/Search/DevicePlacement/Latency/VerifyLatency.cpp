//===- VerifyLatency.cpp - The latency of a split, judged by its nodes ----===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Written to be obviously right, as Verify.cpp: what one sample makes devices
// do, event by event, with none of the tables that make searches fast
// (LatencySimulation.h). Times are added up in the order of the nodes there,
// too, so that what ends at one time does so in both.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/DevicePlacement/Latency.h"

#include <algorithm>
#include <map>
#include <set>

using namespace soap;
using namespace soap::placement;

namespace {

/// A subgraph of an accelerator, or a node of a CPU: what is done in one go.
struct Piece {
  std::vector<int> nodes;
  bool onCpu = false;
  double duration = 0;
  int waitsFor = 0;       ///< pieces
  std::vector<int> after; ///< pieces that wait for this one
};

class OneSample {
public:
  OneSample(const Problem &problem, const LatencyPlacement &placement)
      : problem(problem), placement(placement), pieceOf(problem.nodes.size()),
        readers(problem.nodes.size()) {
    for (const Edge &edge : problem.edges)
      readers[edge.source].push_back(edge.target);
    makePieces();
    addTransfers();
    addOrder();
  }

  /// False if pieces wait for each other.
  bool run(LatencyEvaluation &result) {
    result.finish.assign(problem.nodes.size(), 0);
    result.busyTimes.assign(problem.deviceCount(), 0);
    for (const Piece &piece : pieces)
      result.busyTimes[placement.deviceOf[piece.nodes[0]]] += piece.duration;
    double now = 0;
    freeCpus = problem.cpus;
    for (size_t piece = 0; piece < pieces.size(); ++piece)
      if (pieces[piece].waitsFor == 0)
        makeReady(static_cast<int>(piece), now);
    size_t done = 0;
    for (;;) {
      // A piece that ends now makes others ready before CPUs choose.
      while (!running.empty() && running.begin()->first == now) {
        int piece = running.begin()->second;
        running.erase(running.begin());
        end(piece, now, result);
        ++done;
      }
      while (freeCpus > 0 && !queue.empty()) {
        int node = queue.begin()->second;
        queue.erase(queue.begin());
        --freeCpus;
        start(pieceOf[node], now);
      }
      if (running.empty())
        break;
      now = running.begin()->first;
    }
    result.latency = now;
    return done == pieces.size();
  }

private:
  using TimeAnd = std::pair<double, int>;

  const Problem &problem;
  const LatencyPlacement &placement;
  std::vector<Piece> pieces;
  std::vector<int> pieceOf;                     ///< per node
  std::vector<std::vector<int>> readers;        ///< per node
  std::map<std::pair<int, int>, int> subgraphs; ///< by device and number
  std::set<TimeAnd> running;                    ///< end, piece
  std::set<TimeAnd> queue;                      ///< ready since, node
  int freeCpus = 0;

  void makePieces() {
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      int device = placement.deviceOf[i];
      int fresh = static_cast<int>(pieces.size());
      int piece = fresh;
      bool onCpu = !problem.isAccelerator(device);
      if (!onCpu) {
        int number = placement.subgraphOf.empty() ? 0 : placement.subgraphOf[i];
        piece =
            subgraphs.emplace(std::pair(device, number), fresh).first->second;
      }
      if (piece == fresh)
        pieces.emplace_back();
      Piece &here = pieces[piece];
      here.onCpu = onCpu;
      here.nodes.push_back(static_cast<int>(i));
      here.duration +=
          onCpu ? problem.nodes[i].cpuTime : problem.nodes[i].acceleratorTime;
      pieceOf[i] = piece;
    }
  }

  /// Each accelerator reads an output once for a subgraph, and writes it once.
  void addTransfers() {
    for (size_t i = 0; i < problem.nodes.size(); ++i) {
      std::set<int> touched;
      for (int reader : readers[i])
        if (pieceOf[reader] != pieceOf[i]) {
          touched.insert(pieceOf[i]);
          touched.insert(pieceOf[reader]);
        }
      for (int piece : touched)
        if (!pieces[piece].onCpu)
          pieces[piece].duration += problem.transferTime[i];
    }
  }

  void addOrder() {
    auto order = [&](int first, int second) {
      pieces[first].after.push_back(second);
      ++pieces[second].waitsFor;
    };
    for (const Edge &edge : problem.edges)
      if (pieceOf[edge.source] != pieceOf[edge.target])
        order(pieceOf[edge.source], pieceOf[edge.target]);
    // Subgraphs of a device follow each other in the map.
    int device = -1, last = -1;
    for (const auto &[place, piece] : subgraphs) {
      if (place.first == device)
        order(last, piece);
      device = place.first;
      last = piece;
    }
  }

  void makeReady(int piece, double now) {
    if (pieces[piece].onCpu && pieces[piece].duration > 0)
      queue.insert({now, pieces[piece].nodes[0]});
    else
      start(piece, now);
  }

  void start(int piece, double now) {
    running.insert({now + pieces[piece].duration, piece});
  }

  void end(int piece, double now, LatencyEvaluation &result) {
    if (pieces[piece].onCpu && pieces[piece].duration > 0)
      ++freeCpus;
    for (int node : pieces[piece].nodes)
      result.finish[node] = now;
    for (int next : pieces[piece].after)
      if (--pieces[next].waitsFor == 0)
        makeReady(next, now);
  }
};

} // namespace

Expected<LatencyEvaluation>
placement::evaluateLatency(const Problem &problem,
                           const LatencyPlacement &placement) {
  LatencyEvaluation result;
  if (!OneSample(problem, placement).run(result))
    return Error{"subgraphs of accelerators wait for each other in a circle"};
  return result;
}
