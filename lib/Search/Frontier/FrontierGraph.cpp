//===- FrontierGraph.cpp - A model as a cost graph ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See FrontierGraph.h. Groups and pairs that differ in names alone are priced
// once, and on all threads.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Frontier/FrontierGraph.h"

#include "Search/Evaluator/GroupCosts.h"

#include <algorithm>
#include <thread>

using namespace soap;

FrontierGraph::FrontierGraph(const ParallelizationProblem &problem,
                             FrontierGraphOptions options)
    : problem(problem), options(std::move(options)) {
  findLifetimes();
  complete = priceGroups() && pricePairs();
}

//===----------------------------------------------------------------------===//
// Lifetimes in program order
//===----------------------------------------------------------------------===//

void FrontierGraph::findLifetimes() {
  const Graph &graph = problem.getGraph();
  size_t values = graph.values.size();
  writtenAt.assign(values, 0);
  isInput.assign(values, false);
  isOutput.assign(values, false);
  lastReads.resize(values);
  for (const GraphInput &input : graph.inputs)
    isInput[input.value] = true;
  for (const GraphOutput &output : graph.outputs)
    isOutput[output.value] = true;
  std::vector<int> groupOf(graph.nodes.size());
  for (size_t g = 0; g < problem.getGroups().size(); ++g)
    for (int node : problem.getGroups()[g].nodes)
      groupOf[node] = static_cast<int>(g);
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    auto visit = [&](const Kernel &kernel) {
      for (int value : kernel.results)
        writtenAt[value] = static_cast<int>(n);
      for (int value : kernel.operands) {
        std::vector<std::pair<int, int>> &reads = lastReads[value];
        auto it = std::find_if(reads.begin(), reads.end(), [&](auto &read) {
          return read.first == groupOf[n];
        });
        if (it == reads.end())
          reads.emplace_back(groupOf[n], static_cast<int>(n));
        else
          it->second = static_cast<int>(n);
      }
    };
    visit(graph.nodes[n].whole);
    for (const Kernel &stage : graph.nodes[n].stages)
      visit(stage);
  }
}

int FrontierGraph::lastRead(int value, int group) const {
  int last = writtenAt[value];
  for (auto [reader, position] : lastReads[value])
    if (group < 0 || reader == group)
      last = std::max(last, position);
  return last;
}

Lifetime FrontierGraph::sourceLife(int value) const {
  int end = static_cast<int>(problem.getGraph().nodes.size()) - 1;
  if (isInput[value])
    return {0, end};
  return {writtenAt[value], isOutput[value] ? end : lastRead(value)};
}

/// Copies are made as soon as the value is there.
Lifetime FrontierGraph::copyLife(int value, int group) const {
  return {isInput[value] ? 0 : writtenAt[value], lastRead(value, group)};
}

int FrontierGraph::turningPoint() const {
  const std::vector<GraphNode> &nodes = problem.getGraph().nodes;
  for (size_t n = 0; n < nodes.size(); ++n)
    if (nodes[n].whole.phase != Phase::Forward)
      return static_cast<int>(n);
  return nodes.empty() ? 0 : static_cast<int>(nodes.size()) - 1;
}

static bool holds(const Lifetime &held, int position) {
  return held.from <= position && position <= held.to;
}

int64_t FrontierGraph::heldAt(const Alone &group, size_t config,
                              int position) const {
  int64_t bytes = 0;
  size_t first = config * group.values.size();
  for (size_t i = 0; i < group.values.size(); ++i) {
    if (!group.isMoved[i] && holds(group.sourceLives[i], position))
      bytes += group.sourceBytes[first + i];
    if (holds(group.copyLives[i], position))
      bytes += group.copyBytes[first + i];
  }
  return bytes;
}

//===----------------------------------------------------------------------===//
// Prices
//===----------------------------------------------------------------------===//

/// Runs `job(index, costs)` for each index below `count`. Each thread has
/// prices of its own. Returns false if stopped.
template <typename Job>
static bool onThreads(const ParallelizationProblem &problem,
                      const FrontierGraphOptions &options, size_t count,
                      Job job) {
  std::atomic<size_t> next{0};
  std::atomic<bool> isStopped{false};
  auto work = [&] {
    GroupCosts costs(problem);
    for (size_t i; !isStopped && (i = next++) < count;)
      if (options.stopped() || !job(i, costs))
        isStopped = true;
  };
  std::vector<std::thread> pool;
  for (size_t t = 1;
       t < std::min(static_cast<size_t>(std::max(options.threads, 1)), count);
       ++t)
    pool.emplace_back(work);
  work();
  for (std::thread &thread : pool)
    thread.join();
  return !isStopped;
}

/// Numbers equal entries alike; `first` is the first of each number.
template <typename T>
static std::vector<size_t> numberEqual(const std::vector<T> &texts,
                                       std::vector<size_t> &first) {
  std::map<T, size_t> numbers;
  std::vector<size_t> result;
  for (size_t i = 0; i < texts.size(); ++i) {
    auto [it, isNew] = numbers.try_emplace(texts[i], first.size());
    if (isNew)
      first.push_back(i);
    result.push_back(it->second);
  }
  return result;
}

bool FrontierGraph::priceGroups() {
  GroupCosts costs(problem);
  size_t count = problem.getGroups().size();
  std::vector<std::string> texts;
  // Of all that there are, whatever the space: what it leaves is chosen from
  // what the whole space keeps, so that its frontier is never better.
  FrontierGraphOptions all = options;
  all.space = FrontierSpace::All;
  for (size_t g = 0; g < count; ++g) {
    configs.push_back(frontierCandidates(problem, static_cast<int>(g), all));
    texts.push_back(costs.signature(static_cast<int>(g), configs.back()));
  }
  std::vector<size_t> first;
  kindOf = numberEqual(texts, first);
  alone.resize(count);
  // Of equal groups the first; the others have values of their own.
  std::vector<GroupPrices> prices(first.size());
  if (!onThreads(
          problem, options, first.size(), [&](size_t i, GroupCosts &own) {
            prices[i] =
                own.computeAlone(static_cast<int>(first[i]), configs[first[i]]);
            return true;
          }))
    return false;
  for (size_t g = 0; g < count; ++g) {
    const GroupPrices &all = prices[kindOf[g]];
    Alone &own = alone[g];
    own.values = costs.heldValues(static_cast<int>(g));
    for (int value : own.values) {
      own.sourceLives.push_back(sourceLife(value));
      own.copyLives.push_back(copyLife(value, static_cast<int>(g)));
    }
    own.isMoved.assign(own.values.size(), false);
    own.timesNs = all.timesNs;
    own.sourceBytes = all.sourceBytes;
    own.copyBytes = all.copyBytes;
  }
  findLayers();
  restricted.assign(frontierRestrictions(options.devices).size(),
                    std::vector<std::vector<size_t>>(count));
  std::map<size_t, std::vector<size_t>> layers;
  for (size_t g = 0; g < count; ++g)
    layers[layerOf[g]].push_back(g);
  for (const auto &[first, groups] : layers)
    keepCandidates(groups);
  return true;
}

/// Groups with the same candidates that read the same weights.
void FrontierGraph::findLayers() {
  const Graph &graph = problem.getGraph();
  std::map<int, std::vector<size_t>> readers; // by weight
  for (const GraphInput &input : graph.inputs)
    if (input.updateNode >= 0)
      readers[input.value];
  layerNumber.resize(configs.size());
  size_t layers = 0;
  for (size_t g = 0; g < configs.size(); ++g) {
    size_t first = g;
    const Kernel &leader = graph.nodes[problem.getGroups()[g].leader].whole;
    for (int value : leader.operands)
      if (auto it = readers.find(value); it != readers.end())
        for (size_t other : it->second)
          if (first == g && configs[other] == configs[g])
            first = layerOf[other];
    layerOf.push_back(first);
    layerNumber[g] = first == g ? layers++ : layerNumber[first];
    for (int value : leader.operands)
      if (auto it = readers.find(value); it != readers.end())
        it->second.push_back(g);
  }
}

/// Places of a restricted space's candidates of a group among all of it.
std::vector<size_t>
FrontierGraph::placesIn(FrontierSpace space, int meshSamples, size_t group,
                        const std::vector<Config> &all) const {
  FrontierGraphOptions own;
  own.devices = options.devices;
  own.space = space;
  own.meshSamples = meshSamples;
  std::vector<size_t> places;
  for (const Config &config :
       frontierCandidates(problem, static_cast<int>(group), own))
    if (auto it = std::find(all.begin(), all.end(), config); it != all.end())
      places.push_back(static_cast<size_t>(it - all.begin()));
  std::sort(places.begin(), places.end());
  return places;
}

/// The given rows of a table of configs and values.
static std::vector<int64_t> rowsOf(const std::vector<int64_t> &table,
                                   size_t width,
                                   const std::vector<size_t> &rows) {
  std::vector<int64_t> result;
  for (size_t row : rows)
    result.insert(result.end(),
                  table.begin() + static_cast<ptrdiff_t>(row * width),
                  table.begin() + static_cast<ptrdiff_t>((row + 1) * width));
  return result;
}

void FrontierGraph::cutConfigs(size_t group,
                               const std::vector<size_t> &places) {
  std::vector<Config> left;
  for (size_t place : places)
    left.push_back(configs[group][place]);
  configs[group] = std::move(left);
  Alone &own = alone[group];
  own.timesNs = rowsOf(own.timesNs, 1, places);
  own.sourceBytes = rowsOf(own.sourceBytes, own.values.size(), places);
  own.copyBytes = rowsOf(own.copyBytes, own.values.size(), places);
}

/// Gives groups that have the same candidates those that are best for all of
/// them together, the best of each restricted space among them.
void FrontierGraph::keepCandidates(const std::vector<size_t> &groups) {
  std::vector<Config> all = configs[groups[0]];
  std::vector<int64_t> times(all.size()), bytes(all.size());
  int position = turningPoint();
  for (size_t g : groups)
    for (size_t c = 0; c < all.size(); ++c) {
      times[c] += alone[g].timesNs[c];
      bytes[c] += heldAt(alone[g], c, position);
    }
  std::vector<size_t> chosen =
      bestCandidates(times, bytes, static_cast<size_t>(options.maxConfigs));
  auto addBest = [&](const std::vector<size_t> &places, size_t most) {
    std::vector<int64_t> ownTimes, ownBytes;
    for (size_t c : places) {
      ownTimes.push_back(times[c]);
      ownBytes.push_back(bytes[c]);
    }
    for (size_t c : bestCandidates(ownTimes, ownBytes, most))
      chosen.push_back(places[c]);
  };
  auto sortChosen = [&] {
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  };
  auto most = static_cast<size_t>(options.maxConfigs);
  std::vector<FrontierRestriction> restrictions =
      frontierRestrictions(options.devices);
  std::vector<std::vector<size_t>> &places = placesOf[kindOf[groups[0]]];
  for (size_t r = 0; r < restrictions.size(); ++r) {
    auto [space, rows] = restrictions[r];
    if (places.size() == r)
      places.push_back(placesIn(space, rows, groups[0], all));
    size_t share = space == FrontierSpace::Mesh ? 16 : 8;
    addBest(places[r], std::max<size_t>(most / share, 1));
  }
  sortChosen();
  // Candidates that searches of restricted spaces take.
  auto keepIn = [&](const std::vector<size_t> &list) {
    std::vector<size_t> result;
    std::set_intersection(chosen.begin(), chosen.end(), list.begin(),
                          list.end(), std::back_inserter(result));
    return result;
  };
  std::vector<std::vector<size_t>> kept;
  for (const std::vector<size_t> &list : places)
    kept.push_back(keepIn(list));
  if (options.space != FrontierSpace::All) {
    std::vector<size_t> own =
        placesIn(options.space, options.meshSamples, groups[0], all);
    chosen = keepIn(own);
    if (chosen.empty()) // a mesh that does not divide the devices
      addBest(own, 1);
  }
  // Configs of known strategies whatever they cost alone.
  for (size_t g : groups)
    for (const Strategy &strategy : options.known)
      for (size_t c = 0; c < all.size(); ++c)
        if (strategy[problem.getGroups()[g].leader] == all[c])
          chosen.push_back(c);
  sortChosen();
  for (size_t r = 0; r < kept.size(); ++r)
    for (size_t g : groups) {
      std::vector<size_t> &own = restricted[r][g];
      for (size_t c : kept[r])
        if (auto it = std::lower_bound(chosen.begin(), chosen.end(), c);
            it != chosen.end() && *it == c)
          own.push_back(static_cast<size_t>(it - chosen.begin()));
    }
  for (size_t g : groups)
    cutConfigs(g, chosen);
}

std::vector<FrontierRestriction> soap::frontierRestrictions(int devices) {
  std::vector<FrontierRestriction> result = {{FrontierSpace::OptCnn, 1},
                                             {FrontierSpace::ToFu, 1}};
  for (int rows = 1; rows <= devices; ++rows)
    if (devices % rows == 0)
      result.push_back({FrontierSpace::Mesh, rows});
  return result;
}

std::optional<FrontierGraph>
FrontierGraph::restrictedTo(size_t restriction) const {
  const std::vector<std::vector<size_t>> &places = restricted[restriction];
  for (const std::vector<size_t> &own : places)
    if (own.empty())
      return std::nullopt;
  FrontierGraph result = *this;
  for (size_t p = 0; p < pairs.size(); ++p) {
    const Pair &whole = pairs[p];
    Pair &own = result.pairs[p];
    std::vector<size_t> entries;
    for (size_t a : places[whole.first])
      for (size_t b : places[whole.second])
        entries.push_back(a * configs[whole.second].size() + b);
    own.timesNs = rowsOf(whole.timesNs, 1, entries);
    own.copyBytes = rowsOf(whole.copyBytes, whole.values.size(), entries);
    own.movingNs = rowsOf(whole.movingNs, whole.values.size(), entries);
  }
  for (size_t g = 0; g < places.size(); ++g)
    result.cutConfigs(g, places[g]);
  result.restricted.clear();
  return result;
}

bool FrontierGraph::pricePairs() {
  GroupCosts costs(problem);
  // Groups of a kind may have different candidates left.
  std::vector<std::vector<int64_t>> lists;
  for (const std::vector<Config> &list : configs) {
    std::vector<int64_t> &all = lists.emplace_back();
    for (const Config &config : list) {
      all.insert(all.end(), config.degrees.begin(), config.degrees.end());
      all.push_back(-config.replicas);
    }
  }
  std::vector<size_t> firstList, listOf = numberEqual(lists, firstList);
  std::vector<std::vector<int>> kinds; // of pairs
  for (auto [a, b] : costs.pairs()) {
    if (options.stopped())
      return false;
    pairs.push_back({a, b, {}, {}, {}, {}, {}, {}});
    kinds.push_back(costs.glue(a, b));
    for (size_t part : {kindOf[a], kindOf[b], listOf[a], listOf[b]})
      kinds.back().push_back(static_cast<int>(part));
  }
  std::vector<size_t> first, numbers = numberEqual(kinds, first);
  priced = static_cast<int64_t>(first.size());
  std::vector<GroupPrices> prices(first.size());
  if (!onThreads(
          problem, options, first.size(), [&](size_t i, GroupCosts &own) {
            const Pair &pair = pairs[first[i]];
            prices[i] =
                own.computeBetween(pair.first, pair.second, configs[pair.first],
                                   configs[pair.second], options.stopped);
            return !prices[i].timesNs.empty();
          }))
    return false;
  for (size_t p = 0; p < pairs.size(); ++p) {
    Pair &pair = pairs[p];
    const GroupPrices &own = prices[numbers[p]];
    pair.timesNs = own.timesNs;
    pair.copyBytes = own.copyBytes;
    pair.movingNs = own.movingNs;
    pair.values = costs.crossingValues(pair.first, pair.second);
    for (int value : pair.values) {
      // The reader is the group that does not write it.
      Lifetime a = copyLife(value, pair.first),
               b = copyLife(value, pair.second);
      pair.lives.push_back(a.to > b.to ? a : b);
    }
  }
  findReusables();
  return true;
}

//===----------------------------------------------------------------------===//
// Tensor reuse (section 4.2)
//===----------------------------------------------------------------------===//

/// Where ops of a group read a value in the forward pass (up to the last) or in
/// the backward pass; `to < from`: nowhere.
Lifetime FrontierGraph::passReads(int value, int group, bool backward) const {
  const Graph &graph = problem.getGraph();
  Lifetime found{1, 0};
  for (int node : problem.getGroups()[group].nodes) {
    const Kernel &kernel = graph.nodes[node].whole;
    if ((kernel.phase == Phase::Forward) == backward ||
        std::find(kernel.operands.begin(), kernel.operands.end(), value) ==
            kernel.operands.end())
      continue;
    bool isFirst = found.to < found.from;
    found.from = isFirst ? node : std::min(found.from, node);
    found.to = isFirst ? node : std::max(found.to, node);
  }
  return found;
}

void FrontierGraph::findReusables() {
  const Graph &graph = problem.getGraph();
  std::vector<int> writers(graph.values.size(), -1),
      pairsOf(graph.values.size());
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].whole.results.size() == 1)
      writers[graph.nodes[n].whole.results[0]] = static_cast<int>(n);
  std::vector<int> groupOf(graph.nodes.size());
  for (size_t g = 0; g < problem.getGroups().size(); ++g)
    for (int node : problem.getGroups()[g].nodes)
      groupOf[node] = static_cast<int>(g);
  for (const Pair &pair : pairs)
    for (int value : pair.values)
      ++pairsOf[value];
  for (Pair &pair : pairs) {
    pair.reusables.resize(pair.values.size());
    for (size_t i = 0; options.reuse && i < pair.values.size(); ++i) {
      int value = pair.values[i], node = writers[value];
      if (node < 0 || isOutput[value] || checkKeep(graph, value, Keep::Before))
        continue;
      int writer = groupOf[node];
      if (writer != pair.first && writer != pair.second)
        continue;
      int reader = writer == pair.first ? pair.second : pair.first;
      Lifetime early = passReads(value, reader, false),
               late = passReads(value, reader, true);
      if (early.to < early.from)
        continue;
      Reusable &own = pair.reusables[i];
      own.writer = writer;
      own.source = sourceLife(value);
      int written = own.source.from;
      Lifetime earlyOwn = passReads(value, writer, false),
               lateOwn = passReads(value, writer, true);
      own.earlyCopy = {written, early.to};
      own.lateCopy = late;
      own.earlySource = {written, std::max(early.to, earlyOwn.to)};
      own.lateSource = lateOwn;
      own.before = late.to >= late.from;
      own.after = pairsOf[value] == 1 && lateOwn.to >= lateOwn.from;
      if (!own.after)
        continue;
      Alone &home = alone[writer];
      own.place = static_cast<size_t>(
          std::find(home.values.begin(), home.values.end(), value) -
          home.values.begin());
      own.after = own.place < home.values.size();
      if (own.after)
        home.isMoved[own.place] = true;
    }
  }
}

int64_t FrontierGraph::sourceBytesOf(const Pair &pair, size_t value,
                                     size_t entry) const {
  const Reusable &own = pair.reusables[value];
  size_t columns = configs[pair.second].size();
  size_t config = own.writer == pair.first ? entry / columns : entry % columns;
  const Alone &home = alone[own.writer];
  return home.sourceBytes[config * home.values.size() + own.place];
}

/// Calls `visit(lifetime, bytes)` for what an edge holds.
template <typename Visit>
void FrontierGraph::forEachHeld(const Pair &pair, size_t entry, Keep keep,
                                Visit visit) const {
  for (size_t i = 0; i < pair.values.size(); ++i) {
    const Reusable &own = pair.reusables[i];
    int64_t copy = pair.copyBytes[entry * pair.values.size() + i];
    if (keep == Keep::Before && own.before) {
      visit(own.earlyCopy, copy);
      visit(own.lateCopy, copy);
    } else {
      visit(pair.lives[i], copy);
    }
    if (!own.after)
      continue;
    int64_t source = sourceBytesOf(pair, i, entry);
    // Where nothing is copied there is one form only.
    if (keep == Keep::After && copy > 0) {
      visit(own.earlySource, source);
      visit(own.lateSource, source);
    } else {
      visit(own.source, source);
    }
  }
}

/// Forms that may save something at a position.
std::vector<Keep> FrontierGraph::keepsAt(const Pair &pair, int position) const {
  std::vector<Keep> keeps = {Keep::Both};
  bool before = false, after = false;
  for (size_t i = 0; i < pair.values.size(); ++i) {
    const Reusable &own = pair.reusables[i];
    bool copies = false;
    for (size_t e = i; e < pair.copyBytes.size(); e += pair.values.size())
      copies |= pair.copyBytes[e] > 0;
    if (!copies)
      continue;
    before |= own.before && holds(pair.lives[i], position) &&
              !holds(own.earlyCopy, position) && !holds(own.lateCopy, position);
    after |= own.after && holds(own.source, position) &&
             !holds(own.earlySource, position) &&
             !holds(own.lateSource, position);
  }
  if (before)
    keeps.push_back(Keep::Before);
  if (after)
    keeps.push_back(Keep::After);
  return keeps;
}

/// A form that is not kept is moved once more.
EdgeAlternative FrontierGraph::edgeAt(const Pair &pair, int position,
                                      Keep keep) const {
  EdgeAlternative edge;
  size_t count = pair.values.size();
  for (size_t e = 0; e < pair.timesNs.size(); ++e) {
    int64_t ns = pair.timesNs[e], bytes = 0;
    for (size_t i = 0; i < count; ++i)
      if ((keep == Keep::Before && pair.reusables[i].before) ||
          (keep == Keep::After && pair.reusables[i].after))
        ns += pair.movingNs[e * count + i];
    forEachHeld(pair, e, keep, [&](const Lifetime &life, int64_t held) {
      if (holds(life, position))
        bytes += held;
    });
    edge.costs.push_back(ns);
    edge.memory.push_back(bytes);
  }
  return edge;
}

std::vector<Keep> FrontierGraph::keepsOf(const std::vector<int> &alternative,
                                         int position, bool tied) const {
  std::vector<Keep> result;
  size_t edge = 0;
  for (const Pair &pair : pairs) {
    result.push_back(Keep::Both);
    if (tied && layerNumber[pair.first] == layerNumber[pair.second])
      continue;
    result.back() =
        keepsAt(pair, position)[static_cast<size_t>(alternative[edge++])];
  }
  return result;
}

std::vector<KeptValue>
FrontierGraph::keptValues(const std::vector<int> &choice,
                          const std::vector<Keep> &keeps) const {
  std::vector<KeptValue> result;
  for (size_t p = 0; p < keeps.size(); ++p) {
    const Pair &pair = pairs[p];
    size_t entry =
        static_cast<size_t>(choice[pair.first]) * configs[pair.second].size() +
        static_cast<size_t>(choice[pair.second]);
    for (size_t i = 0; i < pair.values.size(); ++i) {
      const Reusable &own = pair.reusables[i];
      if (pair.copyBytes[entry * pair.values.size() + i] > 0 &&
          ((keeps[p] == Keep::Before && own.before) ||
           (keeps[p] == Keep::After && own.after)))
        result.push_back({pair.values[i], keeps[p]});
    }
  }
  // Pairs that share a value decide alike, as the first says.
  std::stable_sort(
      result.begin(), result.end(),
      [](const KeptValue &a, const KeptValue &b) { return a.value < b.value; });
  result.erase(std::unique(result.begin(), result.end(),
                           [](const KeptValue &a, const KeptValue &b) {
                             return a.value == b.value;
                           }),
               result.end());
  return result;
}

//===----------------------------------------------------------------------===//
// Input and result of frontier tracking
//===----------------------------------------------------------------------===//

FrontierProblem FrontierGraph::problemAt(int position, bool tied) const {
  FrontierProblem result;
  CostGraph &graph = result.graph;
  auto nodeOf = [&](int group) {
    return tied ? layerNumber[static_cast<size_t>(group)]
                : static_cast<size_t>(group);
  };
  for (size_t g = 0; g < alone.size(); ++g) {
    size_t number = nodeOf(static_cast<int>(g));
    graph.nodes.resize(std::max(graph.nodes.size(), number + 1));
    CostGraphNode &node = graph.nodes[number];
    node.liveTo = 1;
    node.costs.resize(alone[g].timesNs.size());
    node.memory.resize(alone[g].timesNs.size());
    for (size_t c = 0; c < alone[g].timesNs.size(); ++c) {
      node.costs[c] += alone[g].timesNs[c];
      node.memory[c] += heldAt(alone[g], c, position);
    }
  }
  for (const Pair &pair : pairs) {
    EdgeAlternative both = edgeAt(pair, position, Keep::Both);
    const std::vector<int64_t> &memory = both.memory;
    size_t first = nodeOf(pair.first), second = nodeOf(pair.second);
    if (first == second) {
      CostGraphNode &node = graph.nodes[first];
      for (size_t c = 0; c < node.costs.size(); ++c) {
        node.costs[c] += pair.timesNs[c * (node.costs.size() + 1)];
        node.memory[c] += memory[c * (node.costs.size() + 1)];
      }
      continue;
    }
    graph.edges.push_back(
        {static_cast<int>(first), static_cast<int>(second), pair.timesNs});
    std::vector<EdgeAlternative> &all = result.alternatives.emplace_back();
    for (Keep keep : keepsAt(pair, position))
      all.push_back(keep == Keep::Both ? both : edgeAt(pair, position, keep));
  }
  return result;
}

std::vector<int> FrontierGraph::untie(const std::vector<int> &choice,
                                      bool tied) const {
  if (!tied)
    return choice;
  std::vector<int> result;
  for (size_t number : layerNumber)
    result.push_back(choice[number]);
  return result;
}

Strategy FrontierGraph::strategy(const std::vector<int> &choice) const {
  Strategy result(problem.getGraph().nodes.size());
  for (size_t g = 0; g < choice.size(); ++g)
    problem.assign(result, problem.getGroups()[g],
                   configs[g][static_cast<size_t>(choice[g])]);
  return result;
}

MemoryPeak FrontierGraph::peakOf(const std::vector<int> &choice,
                                 const std::vector<Keep> &keeps) const {
  size_t positions = problem.getGraph().nodes.size();
  std::vector<int64_t> change(positions + 1);
  auto hold = [&](const Lifetime &held, int64_t bytes) {
    if (held.to < held.from)
      return;
    change[static_cast<size_t>(held.from)] += bytes;
    change[static_cast<size_t>(held.to) + 1] -= bytes;
  };
  for (size_t g = 0; g < alone.size(); ++g) {
    size_t count = alone[g].values.size(),
           first = static_cast<size_t>(choice[g]) * count;
    for (size_t i = 0; i < count; ++i) {
      if (!alone[g].isMoved[i])
        hold(alone[g].sourceLives[i], alone[g].sourceBytes[first + i]);
      hold(alone[g].copyLives[i], alone[g].copyBytes[first + i]);
    }
  }
  for (size_t p = 0; p < pairs.size(); ++p) {
    const Pair &pair = pairs[p];
    size_t entry =
        static_cast<size_t>(choice[pair.first]) * configs[pair.second].size() +
        static_cast<size_t>(choice[pair.second]);
    forEachHeld(pair, entry, keeps.empty() ? Keep::Both : keeps[p], hold);
  }
  MemoryPeak peak;
  int64_t bytes = 0;
  for (size_t t = 0; t < positions; ++t)
    if ((bytes += change[t]) > peak.bytes)
      peak = {bytes, static_cast<int64_t>(t)};
  return peak;
}
