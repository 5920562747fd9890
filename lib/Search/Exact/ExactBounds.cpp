//===- ExactBounds.cpp - Lower bounds of partial strategies ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The time of the ways through a cluster of groups (ExactTables.h) to a shard
// is known for every assignment of the cluster; the least over those that the
// domains allow is a bound. Shards are looked at one by one, so that different
// ones may be served best by different configs of a neighbour: a relaxation,
// and exact where all groups are assigned.
//
//===----------------------------------------------------------------------===//

#include "ExactBounds.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <set>

using namespace soap;

static constexpr int64_t never = std::numeric_limits<int64_t>::max() / 4;

ExactBounds::ExactBounds(const ExactTables &tables,
                         const std::vector<std::vector<Config>> &configs)
    : tables(tables), jobs(tables.deviceCount) {
  Level &root = levels.emplace_back();
  for (const std::vector<Config> &list : configs) {
    std::iota(root.domains.emplace_back(list.size()).begin(),
              root.domains.back().end(), 0);
    root.bounds.emplace_back(list.size());
  }
  root.assigned.resize(configs.size());
  size_t size = 0;
  for (const std::vector<ExactTables::Entry> &entries : tables.entries) {
    base.push_back(size);
    size += entries.size();
  }
  root.heads.resize(size * tables.maxShards);
  root.tails.resize(size * tables.maxShards);
  root.staleHeads.assign(tables.entries.size(), true);
  root.staleTails.assign(tables.entries.size(), true);
  std::vector<std::set<int>> to(tables.entries.size()), from(to.size()),
      into(configs.size()), outOf(configs.size());
  for (const ExactTables::Cluster &cluster : tables.clusters) {
    for (const ExactTables::Edge &edge : cluster.incoming)
      if (edge.from >= 0) {
        to[edge.from].insert(edge.to);
        from[edge.to].insert(edge.from);
      }
    for (int group : cluster.groups) {
      into[group].insert(cluster.targets.begin(), cluster.targets.end());
      outOf[group].insert(cluster.sources.begin(), cluster.sources.end());
    }
  }
  auto list = [](const std::vector<std::set<int>> &sets,
                 std::vector<std::vector<int>> &lists) {
    for (const std::set<int> &set : sets)
      lists.emplace_back(set.begin(), set.end());
  };
  list(to, after);
  list(from, before);
  list(into, targets);
  list(outOf, sources);
}

void ExactBounds::push(int group, int config) {
  assert(!levels.back().assigned[group] && "it is assigned already");
  assert(config >= 0 &&
         static_cast<size_t>(config) < levels.back().bounds[group].size() &&
         "no such config");
  levels.push_back(levels.back());
  levels.back().domains[group] = {config};
  levels.back().assigned[group] = true;
  touch(group);
}

/// The domain of a group has become smaller.
void ExactBounds::touch(int group) {
  for (int slot : targets[group])
    levels.back().staleHeads[slot] = true;
  for (int slot : sources[group])
    levels.back().staleTails[slot] = true;
}

/// Of a slot whose config is known.
bool ExactBounds::isTooLate(int slot, int config, int64_t limitNs) const {
  const Level &level = levels.back();
  const ExactTables::Entry &entry = tables.entries[slot][config];
  size_t first = at(slot, config);
  for (size_t i = 0; i < entry.devices.size(); ++i)
    if (entry.certain[i] &&
        level.heads[first + i] + entry.durationNs[i] + level.tails[first + i] >
            limitNs)
      return true;
  return false;
}

void ExactBounds::pop() {
  assert(levels.size() > 1 && "nothing was pushed");
  levels.pop_back();
}

/// Calls `visit(number, configs by place in the cluster)` with all assignments
/// of a cluster in which a group has a config. Stops when it returns false.
template <typename Visit>
void ExactBounds::forAssignments(const ExactTables::Cluster &cluster, int group,
                                 int config, Visit visit) const {
  const std::vector<std::vector<int>> &domains = levels.back().domains;
  size_t count = cluster.groups.size(), number = 0;
  int choice[ExactTables::maxGroups];
  size_t place[ExactTables::maxGroups];
  for (size_t i = 0; i < count; ++i) {
    place[i] = 0;
    choice[i] =
        cluster.groups[i] == group ? config : domains[cluster.groups[i]][0];
    number += cluster.strides[i] * static_cast<size_t>(choice[i]);
  }
  for (;;) {
    if (!visit(number, choice))
      return;
    size_t i = 0;
    for (; i < count; ++i) {
      if (cluster.groups[i] == group)
        continue;
      const std::vector<int> &domain = domains[cluster.groups[i]];
      number -= cluster.strides[i] * static_cast<size_t>(choice[i]);
      bool more = ++place[i] < domain.size();
      if (!more)
        place[i] = 0;
      choice[i] = domain[place[i]];
      number += cluster.strides[i] * static_cast<size_t>(choice[i]);
      if (more)
        break;
    }
    if (i == count)
      return;
  }
}

static size_t placeOf(const ExactTables::Cluster &cluster, int group) {
  return static_cast<size_t>(
      std::find(cluster.groups.begin(), cluster.groups.end(), group) -
      cluster.groups.begin());
}

/// Heads that were known before stay valid, as domains only shrink.
bool ExactBounds::findHeads(int64_t limitNs) {
  Level &level = levels.back();
  std::vector<int64_t> &heads = level.heads;
  std::vector<int64_t> least(tables.maxShards), most(tables.maxShards);
  for (size_t s = 0; s < tables.entries.size(); ++s) {
    if (!level.staleHeads[s])
      continue;
    level.staleHeads[s] = false;
    int slot = static_cast<int>(s), group = tables.groupOf[s];
    bool changed = false;
    for (int config : level.domains[group]) {
      const ExactTables::Entry &entry = tables.entries[s][config];
      if (!entry.active)
        continue;
      size_t shards = entry.devices.size();
      int64_t *head = &heads[at(slot, config)];
      for (auto [k, number] : tables.into[s]) {
        const ExactTables::Cluster &cluster = tables.clusters[k];
        std::fill(least.begin(), least.begin() + shards, never);
        forAssignments(
            cluster, group, config, [&](size_t assignment, const int *choice) {
              size_t at0 = assignment * cluster.targets.size() + number;
              std::fill(most.begin(), most.begin() + shards, 0);
              int from = -1;
              const int64_t *fromHead = nullptr;
              const ExactTables::Entry *writer = nullptr;
              for (uint32_t e = cluster.inStart[at0];
                   e < cluster.inStart[at0 + 1]; ++e) {
                const ExactTables::Edge &edge = cluster.incoming[e];
                int64_t ns = edge.ns;
                if (edge.from >= 0) {
                  if (edge.from != from) {
                    from = edge.from;
                    int other =
                        choice[placeOf(cluster, tables.groupOf[edge.from])];
                    fromHead = &heads[at(from, other)];
                    writer = &tables.entries[from][other];
                  }
                  ns += fromHead[edge.fromShard] +
                        writer->durationNs[edge.fromShard];
                }
                most[edge.toShard] = std::max(most[edge.toShard], ns);
              }
              bool open = false;
              for (size_t i = 0; i < shards; ++i) {
                least[i] = std::min(least[i], most[i]);
                open |= least[i] > head[i];
              }
              return open;
            });
        for (size_t i = 0; i < shards; ++i)
          if (least[i] > head[i]) {
            head[i] = least[i];
            changed = true;
          }
      }
      if (changed && level.domains[group].size() == 1 &&
          isTooLate(slot, config, limitNs))
        return false;
    }
    if (changed)
      for (int next : after[s])
        level.staleHeads[next] = true;
  }
  return true;
}

bool ExactBounds::findTails(int64_t limitNs) {
  Level &level = levels.back();
  std::vector<int64_t> &tails = level.tails;
  std::vector<int64_t> least(tables.maxShards), most(tables.maxShards);
  for (size_t s = tables.entries.size(); s-- > 0;) {
    if (!level.staleTails[s])
      continue;
    level.staleTails[s] = false;
    int slot = static_cast<int>(s), group = tables.groupOf[s];
    bool changed = false;
    for (int config : level.domains[group]) {
      const ExactTables::Entry &entry = tables.entries[s][config];
      if (!entry.active)
        continue;
      size_t shards = entry.devices.size();
      int64_t *tail = &tails[at(slot, config)];
      for (auto [k, number] : tables.outOf[s]) {
        const ExactTables::Cluster &cluster = tables.clusters[k];
        std::fill(least.begin(), least.begin() + shards, never);
        forAssignments(
            cluster, group, config, [&](size_t assignment, const int *choice) {
              size_t at0 = assignment * cluster.sources.size() + number;
              std::fill(most.begin(), most.begin() + shards, 0);
              int to = -1;
              const int64_t *toTail = nullptr;
              const ExactTables::Entry *reader = nullptr;
              for (uint32_t e = cluster.outStart[at0];
                   e < cluster.outStart[at0 + 1]; ++e) {
                const ExactTables::Edge &edge = cluster.outgoing[e];
                int64_t ns = edge.ns;
                if (edge.to >= 0) {
                  if (edge.to != to) {
                    to = edge.to;
                    int other =
                        choice[placeOf(cluster, tables.groupOf[edge.to])];
                    toTail = &tails[at(to, other)];
                    reader = &tables.entries[to][other];
                  }
                  ns += toTail[edge.toShard] + reader->durationNs[edge.toShard];
                }
                most[edge.fromShard] = std::max(most[edge.fromShard], ns);
              }
              bool open = false;
              for (size_t i = 0; i < shards; ++i) {
                least[i] = std::min(least[i], most[i]);
                open |= least[i] > tail[i];
              }
              return open;
            });
        for (size_t i = 0; i < shards; ++i)
          if (least[i] > tail[i]) {
            tail[i] = least[i];
            changed = true;
          }
      }
      if (changed && level.domains[group].size() == 1 &&
          isTooLate(slot, config, limitNs))
        return false;
    }
    if (changed)
      for (int next : before[s])
        level.staleTails[next] = true;
  }
  return true;
}

/// Paths through the kernels of a group.
int64_t ExactBounds::boundOf(int group, int config) const {
  const std::vector<int64_t> &heads = levels.back().heads,
                             &tails = levels.back().tails;
  int64_t bound = 0;
  for (int slot : tables.slotsOf[group]) {
    const ExactTables::Entry &entry = tables.entries[slot][config];
    if (!entry.active)
      continue;
    size_t first = at(slot, config);
    for (size_t i = 0; i < entry.devices.size(); ++i)
      if (entry.certain[i])
        bound = std::max(bound, heads[first + i] + entry.durationNs[i] +
                                    tails[first + i]);
  }
  return bound;
}

/// Whether anything left a domain.
bool ExactBounds::filter(int64_t limitNs) {
  Level &level = levels.back();
  bool changed = false;
  for (size_t g = 0; g < level.domains.size(); ++g) {
    std::vector<int> &domain = level.domains[g];
    for (int config : domain)
      level.bounds[g][config] = std::max(level.bounds[g][config],
                                         boundOf(static_cast<int>(g), config));
    if (level.assigned[g] || std::erase_if(domain, [&](int config) {
                               return level.bounds[g][config] > limitNs;
                             }) == 0)
      continue;
    touch(static_cast<int>(g));
    changed = true;
  }
  return changed;
}

int64_t ExactBounds::propagate(int64_t limitNs) {
  Level &level = levels.back();
  auto boundNs = [&] {
    int64_t bound = 0;
    for (size_t g = 0; g < level.domains.size(); ++g) {
      int64_t least = limitNs < never ? limitNs + 1 : never;
      for (int config : level.domains[g])
        least = std::min(least, level.bounds[g][config]);
      bound = std::max(bound, least);
    }
    return bound;
  };
  for (bool changed = true; changed;) {
    if (!findHeads(limitNs) || !findTails(limitNs))
      return limitNs + 1;
    changed = filter(limitNs);
    if (int64_t bound = boundNs(); bound > limitNs)
      return bound;
  }
  int64_t bound = std::max({boundNs(), deviceBoundNs(), workBoundNs()});
  return bound;
}

/// That with the longest tail first (Jackson).
int64_t soap::preemptiveNs(std::vector<PreemptiveJob> &list,
                           std::vector<std::pair<int64_t, int64_t>> &waiting) {
  std::sort(list.begin(), list.end(),
            [](const PreemptiveJob &a, const PreemptiveJob &b) {
              return a.headNs < b.headNs;
            });
  waiting.clear();
  int64_t now = 0, bound = 0;
  for (size_t next = 0; next < list.size() || !waiting.empty();) {
    if (waiting.empty())
      now = std::max(now, list[next].headNs);
    for (; next < list.size() && list[next].headNs <= now; ++next) {
      waiting.emplace_back(list[next].tailNs, list[next].durationNs);
      std::push_heap(waiting.begin(), waiting.end());
    }
    std::pop_heap(waiting.begin(), waiting.end());
    auto [tail, left] = waiting.back();
    assert(left > 0 && "a job takes time");
    waiting.pop_back();
    if (next < list.size() && now + left > list[next].headNs) {
      left -= list[next].headNs - now;
      now = list[next].headNs;
      waiting.emplace_back(tail, left);
      std::push_heap(waiting.begin(), waiting.end());
      continue;
    }
    now += left;
    bound = std::max(bound, now + tail);
  }
  return bound;
}

/// Kernels of assigned groups, device by device.
int64_t ExactBounds::deviceBoundNs() {
  for (std::vector<PreemptiveJob> &list : jobs)
    list.clear();
  const Level &level = levels.back();
  const std::vector<int64_t> &heads = level.heads, &tails = level.tails;
  for (size_t s = 0; s < tables.entries.size(); ++s) {
    int group = tables.groupOf[s];
    if (level.domains[group].size() != 1)
      continue;
    int config = level.domains[group][0];
    const ExactTables::Entry &entry = tables.entries[s][config];
    size_t first = at(static_cast<int>(s), config);
    for (size_t i = 0; entry.active && i < entry.devices.size(); ++i)
      if (entry.certain[i])
        jobs[entry.devices[i]].push_back(
            {heads[first + i], entry.durationNs[i], tails[first + i]});
  }
  int64_t bound = 0;
  for (std::vector<PreemptiveJob> &list : jobs)
    bound = std::max(bound, preemptiveNs(list, waitingJobs));
  // The time that values take of devices and links besides.
  work.assign(tables.resourceCount, 0);
  for (size_t d = 0; d < jobs.size(); ++d)
    for (const PreemptiveJob &job : jobs[d])
      work[d] += job.durationNs;
  for (const ExactTables::Cluster &cluster : tables.clusters) {
    size_t number = 0;
    bool known = true;
    for (size_t i = 0; i < cluster.groups.size() && known; ++i) {
      const std::vector<int> &domain = level.domains[cluster.groups[i]];
      known = domain.size() == 1;
      number += cluster.strides[i] * static_cast<size_t>(domain[0]);
    }
    for (uint32_t w = known ? cluster.workStart[number] : 0;
         known && w < cluster.workStart[number + 1]; ++w)
      work[cluster.work[w].first] += cluster.work[w].second;
  }
  return std::max(bound, *std::max_element(work.begin(), work.end()));
}

/// All devices together: what cannot start before some time, or has to be
/// followed by so much, takes that long on all of them on average.
int64_t ExactBounds::workBoundNs() {
  const Level &level = levels.back();
  const std::vector<int64_t> &heads = level.heads, &tails = level.tails;
  // Times to look at: starts of the shortest ways to slots.
  std::set<int64_t> headTimes = {0}, tailTimes = {0};
  for (size_t s = 0; s < tables.entries.size(); ++s) {
    int64_t head = never, tail = never;
    for (int config : level.domains[tables.groupOf[s]]) {
      const ExactTables::Entry &entry = tables.entries[s][config];
      size_t first = at(static_cast<int>(s), config);
      for (size_t i = 0; entry.active && i < entry.devices.size(); ++i) {
        head = std::min(head, heads[first + i]);
        tail = std::min(tail, tails[first + i]);
      }
    }
    if (head < never) {
      headTimes.insert(head);
      tailTimes.insert(tail);
    }
  }
  constexpr size_t most = 12;
  auto thin = [](const std::set<int64_t> &times) {
    std::vector<int64_t> all(times.begin(), times.end()), result;
    for (size_t i = 0; i < most && i < all.size(); ++i)
      result.push_back(
          all.size() <= most ? all[i] : all[i * (all.size() - 1) / (most - 1)]);
    return result;
  };
  std::vector<int64_t> late = thin(headTimes), early = thin(tailTimes);
  std::vector<int64_t> sums(late.size() + early.size());
  std::vector<int64_t> own(sums.size()), least(sums.size());
  for (size_t g = 0; g < level.domains.size(); ++g) {
    std::fill(least.begin(), least.end(), never);
    for (int config : level.domains[g]) {
      std::fill(own.begin(), own.end(), 0);
      for (int slot : tables.slotsOf[g]) {
        const ExactTables::Entry &entry = tables.entries[slot][config];
        size_t first = at(slot, config);
        for (size_t i = 0; entry.active && i < entry.devices.size(); ++i) {
          if (!entry.certain[i])
            continue;
          for (size_t t = 0; t < late.size() && late[t] <= heads[first + i];
               ++t)
            own[t] += entry.durationNs[i];
          for (size_t t = 0; t < early.size() && early[t] <= tails[first + i];
               ++t)
            own[late.size() + t] += entry.durationNs[i];
        }
      }
      for (size_t t = 0; t < own.size(); ++t)
        least[t] = std::min(least[t], own[t]);
    }
    for (size_t t = 0; t < own.size(); ++t)
      sums[t] += least[t];
  }
  int64_t bound = 0;
  for (size_t t = 0; t < sums.size(); ++t)
    if (sums[t] > 0)
      bound = std::max(
          bound, sums[t] / tables.deviceCount +
                     (t < late.size() ? late[t] : early[t - late.size()]));
  return bound;
}
