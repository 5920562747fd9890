//===- ExactBounds.cpp - Lower bounds of partial strategies ---------------===//
//
// A path: every shard of a kernel waits for some shard of the kernel before it,
// and for the bytes that its device lacks. Work: no device can do more than one
// thing at a time, and the backward pass waits for the forward path.
//
//===----------------------------------------------------------------------===//

#include "ExactBounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

using namespace soap;

/// What is known of kernels by the config of their group alone.
struct ExactBounds::KernelTerms {
  struct Entry {
    bool active = false;
    /// Every shard computes, and waits for the kernel before it.
    bool passes = false;
    int64_t shortestNs = 0, longestNs = 0;
    std::vector<bool> everyPiece; ///< by operand
  };
  std::vector<int> groupOf;                ///< by slot
  std::vector<std::vector<Entry>> entries; ///< by slot, config
  std::vector<std::vector<int>> writers;   ///< by value: slots
  int firstLate = -1; ///< node: the first op of the backward pass

  KernelTerms(const ParallelizationProblem &problem,
              const std::vector<std::vector<Config>> &configs,
              StrategyPlan &plan, ExactBounds &bounds);
  /// Longest paths through kernels by their least times: one through every
  /// group's leader, without repetition.
  std::vector<std::vector<int>> paths(const ParallelizationProblem &problem,
                                      const StrategyPlan &plan) const;
};

static Strategy firstStrategy(const ParallelizationProblem &problem,
                              const std::vector<std::vector<Config>> &configs) {
  Strategy strategy(problem.getGraph().nodes.size());
  for (size_t g = 0; g < configs.size(); ++g)
    problem.assign(strategy, problem.getGroups()[g], configs[g][0]);
  return strategy;
}

ExactBounds::KernelTerms::KernelTerms(
    const ParallelizationProblem &problem,
    const std::vector<std::vector<Config>> &configs, StrategyPlan &plan,
    ExactBounds &bounds)
    : groupOf(plan.getSlots().size()), entries(plan.getSlots().size()),
      writers(problem.getGraph().values.size()) {
  std::vector<std::vector<int>> slotsOfNode(problem.getGraph().nodes.size());
  for (size_t s = 0; s < plan.getSlots().size(); ++s) {
    slotsOfNode[plan.getSlots()[s].node].push_back(static_cast<int>(s));
    for (int value : plan.getSlots()[s].kernel->results)
      writers[value].push_back(static_cast<int>(s));
  }
  Strategy strategy = firstStrategy(problem, configs);
  plan.set(strategy);
  // The backward pass: its first op, and all that reads what it leads to.
  std::vector<bool> late(entries.size()), lateValue(writers.size());
  for (size_t s = 0; s < entries.size(); ++s) {
    const Kernel &op = *plan.getSlots()[s].kernel;
    if (firstLate < 0 && op.phase == Phase::Backward && !op.operands.empty())
      firstLate = plan.getSlots()[s].node;
    late[s] = plan.getSlots()[s].node == firstLate ||
              std::any_of(op.operands.begin(), op.operands.end(),
                          [&](int value) { return lateValue[value]; });
    if (late[s])
      for (int value : op.results)
        lateValue[value] = true;
  }
  // Whether all shards of a slot surely wait for the first op, by config.
  std::vector<std::vector<bool>> waits(entries.size());
  std::vector<bool> allWait(entries.size());

  int devices = problem.getTopology().deviceCount();
  for (size_t g = 0; g < configs.size(); ++g) {
    const OpGroup &group = problem.getGroups()[g];
    bounds.work.emplace_back();
    bounds.lateWork.emplace_back();
    std::vector<int> own;
    for (int node : group.nodes)
      for (int slot : slotsOfNode[node]) {
        groupOf[slot] = static_cast<int>(g);
        own.push_back(slot);
      }
    std::sort(own.begin(), own.end());
    for (const Config &config : configs[g]) {
      problem.assign(strategy, group, config);
      std::vector<Config> members;
      for (int node : group.nodes)
        members.push_back(strategy[node]);
      plan.change(group.nodes, members);
      std::vector<int64_t> &work = bounds.work.back().emplace_back(devices);
      for (int slot : own) {
        const KernelPlan &kernel = plan.kernelPlan(slot);
        const Kernel &op = *plan.getSlots()[slot].kernel;
        Entry &entry = entries[slot].emplace_back();
        entry.everyPiece.resize(op.operands.size());
        entry.active = kernel.active;
        if (!kernel.active)
          continue;
        entry.shortestNs = kernel.shortestNs;
        entry.longestNs = kernel.longestNs;
        // Replicas of linear kernels may have nothing to add.
        bool mayBePartial = op.space.linear && kernel.replicas > 1;
        entry.passes = kernel.geometry->allCompute && !mayBePartial;
        for (size_t i = 0; i < op.operands.size(); ++i)
          entry.everyPiece[i] = kernel.geometry->operandTiles[i].everyPiece;
        size_t counted = mayBePartial ? kernel.pieces() : kernel.devices.size();
        for (size_t s = 0; s < counted; ++s)
          if (kernel.states[s] != ShardState::Absent)
            work[kernel.devices[s]] += kernel.durationNs[s];
      }
      plan.revert();
    }
  }
  // In topological order: slots of one group and config, or of all configs.
  for (size_t s = 0; s < entries.size(); ++s) {
    const Kernel &op = *plan.getSlots()[s].kernel;
    waits[s].resize(entries[s].size());
    allWait[s] = true;
    for (size_t c = 0; c < entries[s].size(); ++c) {
      const Entry &entry = entries[s][c];
      if (!entry.active)
        continue;
      bool result = plan.getSlots()[s].node == firstLate &&
                    plan.getSlots()[s].stage < 0 && entry.passes;
      for (size_t i = 0; result && i < op.operands.size(); ++i)
        result = entry.everyPiece[i] || writers[op.operands[i]].empty();
      for (size_t i = 0; late[s] && entry.passes && i < op.operands.size();
           ++i) {
        if (!entry.everyPiece[i] || writers[op.operands[i]].empty())
          continue;
        bool all = true;
        for (int writer : writers[op.operands[i]])
          all &= groupOf[writer] == groupOf[s]
                     ? waits[writer][c] || !entries[writer][c].active
                     : static_cast<bool>(allWait[writer]);
        result |= all;
      }
      waits[s][c] = result;
      if (!result)
        allWait[s] = false;
    }
  }
  strategy = firstStrategy(problem, configs);
  for (size_t g = 0; g < configs.size(); ++g) {
    const OpGroup &group = problem.getGroups()[g];
    for (size_t c = 0; c < configs[g].size(); ++c) {
      problem.assign(strategy, group, configs[g][c]);
      std::vector<Config> members;
      for (int node : group.nodes)
        members.push_back(strategy[node]);
      plan.change(group.nodes, members);
      std::vector<int64_t> &work = bounds.lateWork[g].emplace_back(devices);
      for (int node : group.nodes)
        for (int slot : slotsOfNode[node]) {
          const KernelPlan &kernel = plan.kernelPlan(slot);
          if (!kernel.active || !waits[slot][c])
            continue;
          bool mayBePartial =
              plan.getSlots()[slot].kernel->space.linear && kernel.replicas > 1;
          size_t counted =
              mayBePartial ? kernel.pieces() : kernel.devices.size();
          for (size_t s = 0; s < counted; ++s)
            if (kernel.states[s] != ShardState::Absent)
              work[kernel.devices[s]] += kernel.durationNs[s];
        }
      plan.revert();
    }
  }
}

std::vector<std::vector<int>>
ExactBounds::KernelTerms::paths(const ParallelizationProblem &problem,
                                const StrategyPlan &plan) const {
  size_t count = entries.size();
  std::vector<int64_t> least(count), before(count), after(count);
  std::vector<int> previous(count, -1), next(count, -1);
  auto isWhole = [&](int slot) { return plan.getSlots()[slot].stage < 0; };
  for (size_t s = 0; s < count; ++s) {
    int64_t shortest = std::numeric_limits<int64_t>::max();
    for (const Entry &entry : entries[s])
      if (entry.active)
        shortest = std::min(shortest, entry.shortestNs);
    if (isWhole(static_cast<int>(s)) &&
        shortest != std::numeric_limits<int64_t>::max())
      least[s] = shortest;
  }
  for (size_t s = 0; s < count; ++s)
    if (isWhole(static_cast<int>(s)))
      for (int value : plan.getSlots()[s].kernel->operands)
        for (int writer : writers[value])
          if (isWhole(writer) &&
              (previous[s] < 0 || before[writer] + least[writer] > before[s])) {
            previous[s] = writer;
            before[s] = before[writer] + least[writer];
          }
  for (size_t s = count; s-- > 0;)
    if (isWhole(static_cast<int>(s)))
      for (int value : plan.getSlots()[s].kernel->operands)
        for (int writer : writers[value])
          if (isWhole(writer) &&
              (next[writer] < 0 || after[s] + least[s] > after[writer])) {
            next[writer] = static_cast<int>(s);
            after[writer] = after[s] + least[s];
          }
  std::vector<std::pair<int64_t, int>> middles;
  for (size_t s = 0; s < count; ++s)
    if (isWhole(static_cast<int>(s)) &&
        problem.getGroups()[groupOf[s]].leader == plan.getSlots()[s].node)
      middles.emplace_back(-(before[s] + least[s] + after[s]),
                           static_cast<int>(s));
  std::sort(middles.begin(), middles.end());
  std::vector<std::vector<int>> result;
  std::set<std::vector<int>> known;
  for (auto [length, middle] : middles) {
    std::vector<int> path;
    for (int s = middle; s >= 0; s = previous[s])
      path.push_back(s);
    std::reverse(path.begin(), path.end());
    for (int s = next[middle]; s >= 0; s = next[s])
      path.push_back(s);
    if (known.insert(path).second)
      result.push_back(std::move(path));
  }
  return result;
}

/// Bytes per ns that a device can receive at most.
static std::vector<double> nsPerArrivingByte(const Topology &topology) {
  std::vector<double> bandwidth(topology.devices.size());
  for (const Link &link : topology.links)
    if (link.to < static_cast<int>(bandwidth.size()))
      bandwidth[link.to] += link.bandwidthBytesPerSecond;
  // A little less, as the sums are rounded.
  for (double &value : bandwidth)
    value = value > 0 ? 0.9999e9 / value : 0;
  return bandwidth;
}

static std::vector<Region> regionsOf(const Kernel &kernel, const AccessMap &map,
                                     const std::vector<int64_t> &shape,
                                     const Config &config) {
  std::vector<Region> regions;
  for (const Shard &shard : enumerateShards(kernel.space, config))
    regions.push_back(isEmpty(shard.box) ? Region()
                                         : image(map, shard.box, shape));
  return regions;
}

/// How long the luckiest shard of a reader waits, after its operand is written,
/// for the bytes that its device lacks.
static double delayNs(const Graph &graph, const Kernel &writer, int result,
                      const Config &writes, const Kernel &reader, int operand,
                      const Config &reads,
                      const std::vector<double> &nsPerByte) {
  const AccessMap &map = writer.space.results[result].map;
  for (size_t l = 0; l < writes.degrees.size(); ++l)
    if (writes.degrees[l] > 1 && !usesLoop(map, static_cast<int>(l)))
      return 0; // partial: nothing is known of where it is combined
  if (writer.space.linear && writes.replicas > 1)
    return 0;
  const GraphValue &value = graph.values[reader.operands[operand]];
  std::vector<Region> written = regionsOf(writer, map, value.shape, writes),
                      needed =
                          regionsOf(reader, reader.space.operands[operand].map,
                                    value.shape, reads);
  double least = 1e18;
  for (size_t r = 0; r < needed.size(); ++r) {
    if (needed[r].rank() != value.shape.size() || needed[r].empty())
      return 0;
    int device = reads.devices[r];
    std::vector<Region> local;
    for (size_t w = 0; w < written.size(); ++w)
      if (writes.devices[w] == device &&
          written[w].rank() == value.shape.size() &&
          std::find(local.begin(), local.end(), written[w]) == local.end())
        local.push_back(written[w]);
    int64_t missing = needed[r].volume();
    for (const Region &region : local)
      missing -= needed[r].intersect(region).volume();
    least = std::min(least, static_cast<double>(std::max<int64_t>(missing, 0) *
                                                value.elementBytes) *
                                nsPerByte[device]);
  }
  return least < 1e17 ? least : 0;
}

ExactBounds::ExactBounds(const ParallelizationProblem &problem,
                         const std::vector<std::vector<Config>> &configs)
    : configs(configs), devices(problem.getTopology().deviceCount()) {
  const Graph &graph = problem.getGraph();
  CostModel cost(problem.getTopology());
  StrategyPlan plan(graph, cost);
  KernelTerms kernels(problem, configs, plan, *this);
  std::vector<double> nsPerByte = nsPerArrivingByte(problem.getTopology());

  auto makeTerm = [&] {
    Term term;
    for (const std::vector<Config> &list : configs)
      term.unary.emplace_back(list.size());
    term.edges.resize(configs.size());
    return term;
  };
  auto addWork = [&](Term &term,
                     const std::vector<std::vector<std::vector<int64_t>>> &of,
                     double weight) {
    for (size_t g = 0; g < configs.size(); ++g)
      for (size_t c = 0; c < configs[g].size(); ++c)
        term.unary[g][c] += weight *
                            static_cast<double>(std::accumulate(
                                of[g][c].begin(), of[g][c].end(), int64_t(0))) /
                            devices;
  };
  // Config of a node of a group, by the leader's.
  auto configOf = [&](int slot, size_t c) {
    int node = plan.getSlots()[slot].node;
    const OpGroup &group = problem.getGroups()[kernels.groupOf[slot]];
    size_t m = std::find(group.nodes.begin(), group.nodes.end(), node) -
               group.nodes.begin();
    const Config &leader = configs[kernels.groupOf[slot]][c];
    return node == group.leader
               ? leader
               : followConfig(graph.nodes[group.leader].whole.space, leader,
                              graph.nodes[node].whole.space, group.loops[m]);
  };
  std::map<std::pair<int, int>, std::vector<double>> delays;
  auto delaysOf = [&](int before, int slot, int result,
                      int operand) -> const std::vector<double> & {
    auto [it, isNew] = delays.try_emplace({before, slot});
    if (!isNew)
      return it->second;
    int from = kernels.groupOf[before], to = kernels.groupOf[slot];
    for (size_t a = 0; a < configs[from].size(); ++a) {
      Config writes = configOf(before, a);
      for (size_t b = 0; b < configs[to].size(); ++b)
        it->second.push_back(
            (from == to && a != b) || !kernels.entries[before][a].active ||
                    !kernels.entries[slot][b].active
                ? 0
                : delayNs(graph, *plan.getSlots()[before].kernel, result,
                          writes, *plan.getSlots()[slot].kernel, operand,
                          configOf(slot, b), nsPerByte));
    }
    return it->second;
  };
  // Adds the time of a path, weighted. `lost`: what the term has besides and
  // what does not count if the path is broken; returns the longest time.
  auto addPath = [&](Term &term, std::span<const int> path, double weight,
                     double lost, bool isEnd) {
    for (size_t i = 0; i < path.size(); ++i) {
      int slot = path[i], g = kernels.groupOf[slot];
      const Kernel &op = *plan.getSlots()[slot].kernel;
      int before = i > 0 ? path[i - 1] : -1, operand = -1;
      double longestDelay = 0;
      if (before >= 0) {
        const Kernel &writer = *plan.getSlots()[before].kernel;
        int result = -1;
        for (size_t o = 0; o < op.operands.size() && operand < 0; ++o)
          for (size_t r = 0; r < writer.results.size() && operand < 0; ++r)
            if (op.operands[o] == writer.results[r]) {
              operand = static_cast<int>(o);
              result = static_cast<int>(r);
            }
        int from = kernels.groupOf[before];
        const std::vector<double> &table =
            delaysOf(before, slot, result, operand);
        longestDelay = *std::max_element(table.begin(), table.end());
        size_t columns = configs[g].size();
        if (from == g) {
          for (size_t c = 0; c < columns; ++c)
            term.unary[g][c] += weight * table[c * columns + c];
        } else {
          int early = std::min(from, g), late = std::max(from, g);
          std::vector<Term::Edge> &list = term.edges[late];
          auto edge =
              std::find_if(list.begin(), list.end(),
                           [&](const auto &e) { return e.before == early; });
          if (edge == list.end())
            edge = list.insert(
                list.end(), {early, std::vector<double>(configs[early].size() *
                                                        configs[late].size())});
          size_t rows = configs[early].size();
          for (size_t a = 0; a < configs[from].size(); ++a)
            for (size_t b = 0; b < columns; ++b)
              edge->costs[from < g ? b * rows + a : a * rows + b] +=
                  weight * table[a * columns + b];
        }
      }
      lost += weight * longestDelay;
      double most = 0;
      for (size_t c = 0; c < configs[g].size(); ++c) {
        const KernelTerms::Entry &entry = kernels.entries[slot][c];
        double ns = !entry.active ? 0
                    : isEnd && i + 1 == path.size()
                        ? static_cast<double>(entry.longestNs)
                        : static_cast<double>(entry.shortestNs);
        most = std::max(most, ns);
        term.unary[g][c] += weight * ns;
        // Not every shard waits: the path begins anew here.
        if (before >= 0 && (!entry.passes || !entry.everyPiece[operand]))
          term.unary[g][c] -= lost;
      }
      lost += weight * most;
    }
    return lost;
  };

  constexpr size_t mostPaths = 6;
  std::vector<std::vector<int>> paths = kernels.paths(problem, plan);
  if (paths.size() > mostPaths)
    paths.resize(mostPaths);
  Term all = makeTerm();
  addWork(all, work, 1);
  finishTerm(std::move(all));
  for (const std::vector<int> &path : paths) {
    // What is before the backward pass.
    size_t split = 0;
    while (split < path.size() &&
           plan.getSlots()[path[split]].kernel->phase == Phase::Forward)
      ++split;
    std::span<const int> whole = path, forward = whole.first(split);
    bool isBarrier = split > 0 && split < path.size() &&
                     plan.getSlots()[path[split]].node == kernels.firstLate;
    for (double weight : {1.0, 0.5}) {
      Term term = makeTerm();
      addPath(term, whole, weight, 0, true);
      if (weight < 1)
        addWork(term, work, 1 - weight);
      finishTerm(std::move(term));
      if (!isBarrier)
        continue;
      term = makeTerm();
      double longest = addPath(term, forward, 1, 0, false);
      if (weight < 1)
        addPath(term, whole.subspan(split), weight, longest, true);
      addWork(term, lateWork, weight);
      finishTerm(std::move(term));
    }
    if (forwardTerm < 0 && isBarrier) {
      forwardTerm = static_cast<int>(terms.size());
      Term term = makeTerm();
      addPath(term, forward, 1, 0, false);
      finishTerm(std::move(term));
    }
  }
  load.emplace_back(devices);
  lateLoad.emplace_back(devices);
}

void ExactBounds::finishTerm(Term term) {
  size_t count = configs.size();
  term.parent.assign(count, -1);
  term.children.assign(count, {});
  term.rest.assign(count, {});
  for (size_t g = 0; g < count; ++g) {
    double widest = -1;
    for (size_t e = 0; e < term.edges[g].size(); ++e) {
      const std::vector<double> &costs = term.edges[g][e].costs;
      auto [low, high] = std::minmax_element(costs.begin(), costs.end());
      if (*high - *low > widest) {
        widest = *high - *low;
        term.parent[g] = static_cast<int>(e);
      }
    }
    if (term.parent[g] >= 0)
      term.children[term.edges[g][term.parent[g]].before].push_back(
          static_cast<int>(g));
  }
  for (size_t g = count; g-- > 0;) {
    std::vector<double> own = term.unary[g];
    for (int child : term.children[g])
      for (size_t c = 0; c < own.size(); ++c)
        own[c] += term.rest[child][c];
    if (term.parent[g] < 0) {
      term.rest[g] = {*std::min_element(own.begin(), own.end())};
      term.least += term.rest[g][0];
      continue;
    }
    const Term::Edge &edge = term.edges[g][term.parent[g]];
    size_t columns = configs[edge.before].size();
    term.rest[g].assign(columns, 1e300);
    for (size_t c = 0; c < own.size(); ++c)
      for (size_t a = 0; a < columns; ++a)
        term.rest[g][a] =
            std::min(term.rest[g][a], own[c] + edge.costs[c * columns + a]);
  }
  term.value = {term.least};
  terms.push_back(std::move(term));
}

/// Sums of rounded numbers may be a little too large.
static int64_t roundDown(double ns) {
  return ns < 1 ? 0 : static_cast<int64_t>(ns * (1 - 1e-9) - 1e-3);
}

int64_t ExactBounds::root() const {
  int64_t bound = 0;
  for (const Term &term : terms)
    bound = std::max(bound, roundDown(term.least));
  return bound;
}

int64_t ExactBounds::push(int config) {
  size_t g = chosen.size();
  chosen.push_back(config);
  int64_t bound = 0;
  for (Term &term : terms) {
    double value = term.value.back() + term.unary[g][config];
    for (size_t e = 0; e < term.edges[g].size(); ++e) {
      const Term::Edge &edge = term.edges[g][e];
      value += edge.costs[config * configs[edge.before].size() +
                          chosen[edge.before]];
    }
    value -= term.parent[g] < 0
                 ? term.rest[g][0]
                 : term.rest[g][chosen[term.edges[g][term.parent[g]].before]];
    for (int child : term.children[g])
      value += term.rest[child][config];
    term.value.push_back(value);
    bound = std::max(bound, roundDown(value));
  }
  int64_t most = 0, mostLate = 0;
  load.push_back(load.back());
  lateLoad.push_back(lateLoad.back());
  for (int d = 0; d < devices; ++d) {
    most = std::max(most, load.back()[d] += work[g][config][d]);
    mostLate = std::max(mostLate, lateLoad.back()[d] += lateWork[g][config][d]);
  }
  bound = std::max(bound, most);
  if (forwardTerm >= 0)
    bound =
        std::max(bound, roundDown(terms[forwardTerm].value.back()) + mostLate);
  return bound;
}

void ExactBounds::pop() {
  chosen.pop_back();
  load.pop_back();
  lateLoad.pop_back();
  for (Term &term : terms)
    term.value.pop_back();
}
