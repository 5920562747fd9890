//===- FrontierTracking.cpp - The memory-time frontier of a graph ---------===//
//
// See FrontierTracking.h. One `Tracker` carries out one order of eliminations;
// where configs are chosen by a heuristic, one runs for each weight of memory.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/CostGraph/FrontierTracking.h"

#include "EliminationOrder.h"
#include "FrontierTable.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>

using namespace soap;

using Table = std::shared_ptr<const FrontierTable>;

namespace {

/// A table and the nodes (or, from the number of nodes on, the edges) that its
/// slots stand for here.
struct Place {
  Table table;
  std::vector<int> slots;
};

std::vector<int> concatenate(const std::vector<int> &first,
                             const std::vector<int> &second) {
  std::vector<int> result(first);
  result.insert(result.end(), second.begin(), second.end());
  return result;
}

} // namespace

/// Traces and slots of all runs.
class soap::FrontierUnroller {
public:
  size_t nodeCount = 0, edgeCount = 0;
  TraceArena arena;
  std::vector<std::vector<int>> slots; ///< by run
  std::vector<uint32_t> traces;        ///< by point
  std::vector<int> runs;               ///< by point
};

FrontierChoice FrontierResult::unroll(size_t index) const {
  FrontierChoice result;
  result.choice.resize(unroller->nodeCount);
  result.alternative.resize(unroller->edgeCount);
  const std::vector<int> &slots = unroller->slots[unroller->runs[index]];
  unroller->arena.unroll(unroller->traces[index], [&](int slot, int config) {
    auto which = static_cast<size_t>(slots[static_cast<size_t>(slot)]);
    if (which < result.choice.size())
      result.choice[which] = config;
    else
      result.alternative[which - result.choice.size()] = config;
  });
  return result;
}

namespace {

class Tracker {
public:
  Tracker(const FrontierProblem &problem, const FrontierOptions &options,
          TraceArena &arena, const std::function<bool()> &stopped,
          FrontierResult &result)
      : problem(problem), options(options), arena(arena), stopped(stopped),
        result(result) {}

  /// The result's frontier, as the only entry of a table; none if stopped.
  Place run(const std::vector<EliminationStep> &steps, double memoryWeight);

private:
  const FrontierProblem &problem;
  const FrontierOptions &options;
  TraceArena &arena;
  const std::function<bool()> &stopped;
  FrontierResult &result;

  std::vector<Place> nodes;
  std::map<std::pair<int, int>, Place> edges; ///< first < second
  std::vector<std::map<int, bool>> neighbours;
  Place product; ///< of the factors so far
  /// Edges of a merged node and the other ends.
  std::vector<std::pair<int, Place>> expanded;
  TableBuilder::Limits limits;
  std::unique_ptr<TableBuilder> builder;
  /// Tables of node eliminations by what they were made of. The operands are
  /// kept so that their addresses stay theirs.
  struct Shared {
    Table inputs[3], table;
  };
  std::map<std::tuple<const void *, bool, const void *, const void *, bool>,
           Shared>
      known;

  void makeTables();
  Table makeEdgeTable(size_t edge, bool &hasSlot) const;
  int depth(const std::vector<EliminationStep> &steps) const;
  bool measure();

  // Null tables: stopped.
  Place productOf(const Place &left, const Place &right);
  void addEdge(int a, int b, Place place);
  Place takeEdge(int a, int b);
  /// The entry for config `x` of `a` and `y` of `b` of an edge between them.
  static std::span<const FrontierPoint> at(const FrontierTable &edge, int a,
                                           int b, int x, int y) {
    return a < b ? edge.at(x, y) : edge.at(y, x);
  }
  bool eliminateLeaf(int node, int into);
  bool eliminateNode(int node, int first, int second);
  bool mergeBranch(int node, int into);
  bool expandEdges(int from, int into, int rows,
                   const std::function<int(int row)> &configOf);
  double score(int node, int config, double memoryWeight) const;
  bool chooseConfig(int node, double memoryWeight);
  /// Multiplies the result with the union of a node's frontiers.
  bool multiplyUnion(const Place &factor, int firstRow, int lastRow);
  bool carryOut(const EliminationStep &step, double memoryWeight);
};

} // namespace

//===----------------------------------------------------------------------===//
// Tables of the problem
//===----------------------------------------------------------------------===//

/// A table with at most one point per entry where there are no alternatives.
static Table initialTable(
    int rows, int columns, int slots,
    const std::function<void(size_t entry, std::vector<FrontierPoint> &)>
        &list) {
  auto table = std::make_shared<FrontierTable>();
  table->rows = rows;
  table->columns = columns;
  table->slots = slots;
  std::vector<FrontierPoint> points;
  int64_t least = std::numeric_limits<int64_t>::max();
  for (size_t e = 0;
       e < static_cast<size_t>(rows) * static_cast<size_t>(columns); ++e) {
    table->start.push_back(table->points.size());
    points.clear();
    list(e, points);
    for (const FrontierPoint &point : reduceToFrontier(points)) {
      table->points.push_back(point);
      least = std::min(least, point.memoryBytes);
    }
  }
  table->start.push_back(table->points.size());
  table->leastBytes = table->points.empty() ? 0 : least;
  return table;
}

Table Tracker::makeEdgeTable(size_t number, bool &hasSlot) const {
  const CostGraph &graph = problem.graph;
  const CostGraphEdge &edge = graph.edges[number];
  std::vector<EdgeAlternative> own;
  if (number < problem.alternatives.size())
    own = problem.alternatives[number];
  if (own.empty())
    own.push_back({edge.costs, std::vector<int64_t>(edge.costs.size())});
  hasSlot = own.size() > 1;
  int rows = graph.nodes[edge.source].configCount(),
      columns = graph.nodes[edge.target].configCount();
  bool swap = edge.source > edge.target;
  if (swap)
    std::swap(rows, columns);
  return initialTable(
      rows, columns, hasSlot ? 1 : 0,
      [&](size_t e, std::vector<FrontierPoint> &points) {
        size_t row = e / static_cast<size_t>(columns),
               column = e % static_cast<size_t>(columns);
        size_t from = swap ? column * static_cast<size_t>(rows) + row : e;
        for (size_t i = 0; i < own.size(); ++i)
          if (own[i].costs[from] < CostGraph::forbidden)
            points.push_back({own[i].memory[from], own[i].costs[from],
                              hasSlot ? TraceArena::leaf(static_cast<int>(i))
                                      : TraceArena::nothing});
      });
}

void Tracker::makeTables() {
  const CostGraph &graph = problem.graph;
  // Nodes and edges with the same numbers share a table.
  std::map<std::pair<std::vector<int64_t>, std::vector<int64_t>>, Table> nodeOf;
  for (size_t v = 0; v < graph.nodes.size(); ++v) {
    const CostGraphNode &node = graph.nodes[v];
    std::vector<int64_t> memory = node.memory;
    if (node.liveTo <= node.liveFrom)
      memory.assign(memory.size(), 0);
    Table &table = nodeOf[{node.costs, memory}];
    if (!table)
      table = initialTable(node.configCount(), 1, 1,
                           [&](size_t e, std::vector<FrontierPoint> &points) {
                             if (node.costs[e] < CostGraph::forbidden)
                               points.push_back(
                                   {memory[e], node.costs[e],
                                    TraceArena::leaf(static_cast<int>(e))});
                           });
    nodes.push_back({table, {static_cast<int>(v)}});
    limits.leastBytes += table->leastBytes;
  }
  neighbours.resize(graph.nodes.size());
  std::map<std::vector<int64_t>, std::pair<Table, bool>> edgeOf;
  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const CostGraphEdge &edge = graph.edges[e];
    std::vector<int64_t> key = {edge.source < edge.target,
                                graph.nodes[edge.source].configCount()};
    auto append = [&](const std::vector<int64_t> &list) {
      key.insert(key.end(), list.begin(), list.end());
    };
    if (e < problem.alternatives.size() && !problem.alternatives[e].empty()) {
      for (const EdgeAlternative &alternative : problem.alternatives[e]) {
        append(alternative.costs);
        append(alternative.memory);
      }
    } else {
      append(edge.costs);
    }
    auto &[table, hasSlot] = edgeOf[std::move(key)];
    if (!table)
      table = makeEdgeTable(e, hasSlot);
    limits.leastBytes += table->leastBytes;
    std::vector<int> slots;
    if (hasSlot)
      slots.push_back(static_cast<int>(graph.nodes.size() + e));
    // Edge elimination of parallel edges as they come.
    addEdge(edge.source, edge.target, {table, slots});
  }
}

//===----------------------------------------------------------------------===//
// Eliminations
//===----------------------------------------------------------------------===//

/// How many trims in a row lead to the result.
int Tracker::depth(const std::vector<EliminationStep> &steps) const {
  std::vector<int> ofNode(problem.graph.nodes.size());
  std::map<std::pair<int, int>, int> ofEdge;
  std::map<std::pair<int, int>, int> count;
  for (const CostGraphEdge &edge : problem.graph.edges) {
    auto pair = std::minmax(edge.source, edge.target);
    ofEdge[pair] = count[pair]++;
  }
  std::vector<std::map<int, int>> around(ofNode.size());
  for (auto &[pair, depth] : ofEdge) {
    around[pair.first][pair.second] = depth;
    around[pair.second][pair.first] = depth;
  }
  auto join = [&](int a, int b, int depth) {
    auto [it, isNew] = around[a].try_emplace(b, depth);
    if (!isNew)
      it->second = std::max(it->second, depth) + 1;
    around[b][a] = it->second;
  };
  int all = 0;
  for (const EliminationStep &step : steps) {
    int node = step.node, own = ofNode[node];
    std::map<int, int> mine;
    mine.swap(around[node]);
    for (auto &[other, depth] : mine)
      around[other].erase(node);
    switch (step.kind) {
    case EliminationStep::Kind::Isolated:
      all = std::max(all, own + 1) + 1;
      break;
    case EliminationStep::Kind::Leaf:
      ofNode[step.first] =
          std::max(ofNode[step.first], std::max(own, mine[step.first]) + 1) + 1;
      break;
    case EliminationStep::Kind::Node:
      join(step.first, step.second,
           std::max(std::max(own, mine[step.first]) + 1, mine[step.second]) +
               1);
      break;
    case EliminationStep::Kind::Branch:
      ofNode[step.first] =
          std::max(std::max(ofNode[step.first], own) + 1, mine[step.first]) + 1;
      for (auto &[other, depth] : mine)
        if (other != step.first)
          join(step.first, other, depth);
      break;
    case EliminationStep::Kind::Heuristic:
      all = std::max(all, own + 1) + 1;
      for (auto &[other, depth] : mine)
        ofNode[other] = std::max(ofNode[other], depth) + 1;
      break;
    }
  }
  return all;
}

/// Says whether tables may grow further.
bool Tracker::measure() {
  int64_t bytes = arena.bytes();
  std::map<const void *, int64_t> tables;
  auto add = [&](const Table &table) {
    if (table)
      tables[table.get()] = table->bytes();
  };
  for (const Place &place : nodes)
    add(place.table);
  for (const auto &[pair, place] : edges)
    add(place.table);
  for (const auto &[key, shared] : known) {
    for (const Table &input : shared.inputs)
      add(input);
    add(shared.table);
  }
  add(product.table);
  for (const auto &[table, size] : tables)
    bytes += size;
  result.peakBytes = std::max(result.peakBytes, bytes);
  result.largestFrontier =
      std::max(result.largestFrontier, builder->largestFrontier());
  return bytes <= options.mostBytes && !stopped();
}

/// Sum of sizes over the mean entry, about what a product takes.
static double meanPoints(const FrontierTable &table) {
  return static_cast<double>(table.points.size()) /
         std::max(1.0, static_cast<double>(table.start.size() - 1));
}

Place Tracker::productOf(const Place &left, const Place &right) {
  const FrontierTable &a = *left.table, &b = *right.table;
  return {builder->build(
              a.rows, a.columns, a, b, meanPoints(a) * meanPoints(b) + 1,
              [&](int row, int column,
                  std::vector<TableBuilder::Product> &products) {
                products.push_back({a.at(row, column), b.at(row, column)});
              }),
          concatenate(left.slots, right.slots)};
}

void Tracker::addEdge(int a, int b, Place place) {
  auto [it, isNew] = edges.try_emplace(std::minmax(a, b), place);
  neighbours[a][b] = neighbours[b][a] = true;
  if (isNew)
    return;
  ++result.edgeEliminations;
  if (it->second.table && place.table)
    it->second = productOf(it->second, place);
  else
    it->second.table = nullptr;
}

Place Tracker::takeEdge(int a, int b) {
  auto it = edges.find(std::minmax(a, b));
  Place place = std::move(it->second);
  edges.erase(it);
  neighbours[a].erase(b);
  neighbours[b].erase(a);
  return place;
}

bool Tracker::multiplyUnion(const Place &factor, int firstRow, int lastRow) {
  static const Table unit =
      initialTable(1, 1, 0, [](size_t, std::vector<FrontierPoint> &points) {
        points.push_back({});
      });
  const FrontierTable &own = *factor.table;
  Place united = {
      builder->build(1, 1, own, *unit, static_cast<double>(own.points.size()),
                     [&](int, int, std::vector<TableBuilder::Product> &list) {
                       for (int k = firstRow; k <= lastRow; ++k)
                         list.push_back({own.at(k), unit->at(0)});
                     }),
      factor.slots};
  if (!united.table)
    return false;
  product = product.table ? productOf(product, united) : std::move(united);
  return product.table != nullptr;
}

/// F(into, p) = union over k of F(node, k) x F(edge, k, p) x F(into, p), which
/// is a step of LDP.
bool Tracker::eliminateLeaf(int node, int into) {
  ++result.leafEliminations;
  Place edge = takeEdge(node, into);
  if (!edge.table)
    return false;
  const FrontierTable &own = *nodes[node].table, &between = *edge.table;
  Place united = {
      builder->build(nodes[into].table->rows, 1, own, between,
                     own.rows * meanPoints(own) * meanPoints(between),
                     [&](int p, int, std::vector<TableBuilder::Product> &list) {
                       for (int k = 0; k < own.rows; ++k)
                         list.push_back(
                             {own.at(k), at(between, node, into, k, p)});
                     }),
      concatenate(nodes[node].slots, edge.slots)};
  nodes[node] = {};
  if (!united.table)
    return false;
  nodes[into] = productOf(united, nodes[into]);
  return nodes[into].table != nullptr;
}

/// Equation 4.
bool Tracker::eliminateNode(int node, int first, int second) {
  ++result.nodeEliminations;
  Place toFirst = takeEdge(node, first), toSecond = takeEdge(node, second);
  if (!toFirst.table || !toSecond.table)
    return false;
  std::vector<int> slots = concatenate(
      concatenate(toFirst.slots, nodes[node].slots), toSecond.slots);
  // The same numbers in the same places give the same table. `first` is less
  // than `second`, so their edge needs no turning.
  Shared &shared =
      known[{toFirst.table.get(), first < node, nodes[node].table.get(),
             toSecond.table.get(), node < second}];
  if (shared.table) {
    ++result.sharedTables;
  } else {
    const FrontierTable &a = *toFirst.table, &own = *nodes[node].table,
                        &b = *toSecond.table;
    shared.inputs[0] = toFirst.table;
    shared.inputs[1] = nodes[node].table;
    shared.inputs[2] = toSecond.table;
    int rows = nodes[first].table->rows, columns = nodes[second].table->rows;
    Table partial = builder->build(
        rows, own.rows, a, own, meanPoints(a) * meanPoints(own),
        [&](int w, int k, std::vector<TableBuilder::Product> &list) {
          list.push_back({at(a, first, node, w, k), own.at(k)});
        });
    if (!partial)
      return false;
    const FrontierTable &half = *partial;
    shared.table = builder->build(
        rows, columns, half, b, own.rows * meanPoints(half) * meanPoints(b),
        [&](int w, int p, std::vector<TableBuilder::Product> &list) {
          for (int k = 0; k < own.rows; ++k)
            list.push_back({half.at(w, k), at(b, node, second, k, p)});
        });
    if (!shared.table)
      return false;
  }
  Place edge = {shared.table, std::move(slots)};
  nodes[node] = {};
  addEdge(first, second, std::move(edge));
  return edges.at({first, second}).table != nullptr;
}

/// Equation 6: config p of `into` with k of the node is config
/// p * configs(node) + k.
bool Tracker::mergeBranch(int node, int into) {
  ++result.branchEliminations;
  Place edge = takeEdge(node, into);
  if (!edge.table)
    return false;
  const FrontierTable &own = *nodes[node].table, &other = *nodes[into].table,
                      &between = *edge.table;
  int inner = own.rows, rows = other.rows * inner;
  Table both = builder->build(
      rows, 1, own, other, meanPoints(own) * meanPoints(other),
      [&](int row, int, std::vector<TableBuilder::Product> &list) {
        list.push_back({own.at(row % inner), other.at(row / inner)});
      });
  if (!both)
    return false;
  Place merged = {
      builder->build(
          rows, 1, *both, between, meanPoints(*both) * meanPoints(between),
          [&](int row, int, std::vector<TableBuilder::Product> &list) {
            list.push_back({both->at(row),
                            at(between, node, into, row % inner, row / inner)});
          }),
      concatenate(concatenate(nodes[node].slots, nodes[into].slots),
                  edge.slots)};
  if (!merged.table)
    return false;
  expanded.clear();
  if (!expandEdges(into, into, rows, [&](int row) { return row / inner; }) ||
      !expandEdges(node, into, rows, [&](int row) { return row % inner; }))
    return false;
  nodes[node] = {};
  nodes[into] = std::move(merged);
  for (auto &[x, place] : expanded) {
    addEdge(into, x, std::move(place));
    if (!edges.at(std::minmax(into, x)).table)
      return false;
  }
  return true;
}

/// Takes the edges of `from`; they are to be edges of `into` once that has
/// `rows` configs.
bool Tracker::expandEdges(int from, int into, int rows,
                          const std::function<int(int row)> &configOf) {
  std::map<int, bool> around = neighbours[from];
  for (auto [x, unused] : around) {
    Place old = takeEdge(from, x);
    if (!old.table)
      return false;
    auto table = std::make_shared<FrontierTable>();
    int others = nodes[x].table->rows;
    table->rows = into < x ? rows : others;
    table->columns = into < x ? others : rows;
    table->slots = old.table->slots;
    table->error = old.table->error;
    table->leastBytes = old.table->leastBytes;
    for (int r = 0; r < table->rows; ++r)
      for (int c = 0; c < table->columns; ++c) {
        table->start.push_back(table->points.size());
        std::span<const FrontierPoint> points =
            into < x ? at(*old.table, from, x, configOf(r), c)
                     : at(*old.table, from, x, configOf(c), r);
        table->points.insert(table->points.end(), points.begin(), points.end());
      }
    table->start.push_back(table->points.size());
    expanded.emplace_back(x, Place{std::move(table), std::move(old.slots)});
  }
  return true;
}

/// A weighted sum of memory and time, the least of all points.
static double leastSum(std::span<const FrontierPoint> points,
                       double memoryWeight, double timeWeight) {
  double least = std::numeric_limits<double>::infinity();
  for (const FrontierPoint &point : points)
    least =
        std::min(least, memoryWeight * static_cast<double>(point.memoryBytes) +
                            timeWeight * static_cast<double>(point.timeNs));
  return least;
}

/// What a config costs with the neighbours' configs that are best for it alone.
double Tracker::score(int node, int config, double memoryWeight) const {
  // Both dimensions count by what the node's own configs have on average.
  double memory = 1, time = 1;
  for (const FrontierPoint &point : nodes[node].table->points) {
    memory += static_cast<double>(point.memoryBytes);
    time += static_cast<double>(point.timeNs);
  }
  double ofMemory = memoryWeight / memory, ofTime = (1 - memoryWeight) / time;
  double sum = leastSum(nodes[node].table->at(config), ofMemory, ofTime);
  for (auto [other, unused] : neighbours[node]) {
    const FrontierTable &edge = *edges.at(std::minmax(node, other)).table;
    double least = std::numeric_limits<double>::infinity();
    for (int p = 0; p < nodes[other].table->rows; ++p)
      least = std::min(
          least, leastSum(at(edge, node, other, config, p), ofMemory, ofTime) +
                     leastSum(nodes[other].table->at(p), ofMemory, ofTime));
    sum += least;
  }
  return sum;
}

/// Equation 7.
bool Tracker::chooseConfig(int node, double memoryWeight) {
  ++result.heuristicEliminations;
  int best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < nodes[node].table->rows; ++k)
    if (double sum = score(node, k, memoryWeight); sum < least) {
      least = sum;
      best = k;
    }
  std::map<int, bool> around = neighbours[node];
  for (auto [other, unused] : around) {
    Place edge = takeEdge(node, other);
    if (!edge.table)
      return false;
    const FrontierTable &own = *nodes[other].table, &between = *edge.table;
    int end = other;
    nodes[other] = {
        builder->build(
            own.rows, 1, own, between, meanPoints(own) * meanPoints(between),
            [&](int p, int, std::vector<TableBuilder::Product> &list) {
              list.push_back({own.at(p), at(between, node, end, best, p)});
            }),
        concatenate(nodes[other].slots, edge.slots)};
    if (!nodes[other].table)
      return false;
  }
  return multiplyUnion(nodes[node], best, best);
}

//===----------------------------------------------------------------------===//
// All steps
//===----------------------------------------------------------------------===//

bool Tracker::carryOut(const EliminationStep &step, double memoryWeight) {
  switch (step.kind) {
  case EliminationStep::Kind::Isolated:
    return multiplyUnion(nodes[step.node], 0, nodes[step.node].table->rows - 1);
  case EliminationStep::Kind::Leaf:
    return eliminateLeaf(step.node, step.first);
  case EliminationStep::Kind::Node:
    return eliminateNode(step.node, step.first, step.second);
  case EliminationStep::Kind::Branch:
    return mergeBranch(step.node, step.first);
  case EliminationStep::Kind::Heuristic:
    return chooseConfig(step.node, memoryWeight);
  }
  return false;
}

Place Tracker::run(const std::vector<EliminationStep> &steps,
                   double memoryWeight) {
  limits.mostPoints = options.mostPoints;
  limits.limitBytes = options.limitBytes;
  // (1 + tolerance)^depth = 1 + epsilon, with room for rounding.
  if (options.epsilon > 0)
    limits.tolerance =
        std::expm1(std::log1p(options.epsilon) / depth(steps)) * (1 - 1e-9);
  builder =
      std::make_unique<TableBuilder>(arena, options.threads, limits, stopped);
  makeTables();
  // Now that the least memory of everything is known.
  builder =
      std::make_unique<TableBuilder>(arena, options.threads, limits, stopped);
  for (const EliminationStep &step : steps) {
    bool done = carryOut(step, memoryWeight);
    if (!measure() || !done)
      return {};
  }
  return std::move(product);
}

static bool isExact(const std::vector<EliminationStep> &steps) {
  return std::none_of(steps.begin(), steps.end(),
                      [](const EliminationStep &step) {
                        return step.kind == EliminationStep::Kind::Heuristic;
                      });
}

bool soap::isReducible(const CostGraph &graph, const FrontierOptions &options) {
  return isExact(
      eliminationOrder(graph, options.method, options.mostMergedConfigs));
}

FrontierResult soap::trackFrontier(const FrontierProblem &problem,
                                   const FrontierOptions &options) {
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  std::function<bool()> stopped = [&] {
    return (options.stop && *options.stop) ||
           (options.seconds > 0 && elapsed() > options.seconds);
  };
  FrontierResult result;
  auto unroller = std::make_shared<FrontierUnroller>();
  unroller->nodeCount = problem.graph.nodes.size();
  unroller->edgeCount = problem.graph.edges.size();

  std::vector<EliminationStep> steps = eliminationOrder(
      problem.graph, options.method, options.mostMergedConfigs);
  result.guaranteed = isExact(steps);
  std::vector<double> weights = options.heuristicWeights;
  if (result.guaranteed || weights.empty())
    weights = {0};
  std::vector<FrontierPoint> all;
  std::vector<std::pair<int, uint32_t>> origins; ///< run and trace
  for (size_t r = 0; r < weights.size(); ++r) {
    FrontierResult counts;
    counts.peakBytes = result.peakBytes;
    Tracker tracker(problem, options, unroller->arena, stopped, counts);
    Place found = tracker.run(steps, weights[r]);
    counts.complete = found.table != nullptr || steps.empty();
    counts.guaranteed = result.guaranteed;
    counts.errorBound = result.errorBound;
    counts.largestFrontier =
        std::max(counts.largestFrontier, result.largestFrontier);
    result = std::move(counts);
    if (!result.complete)
      break;
    unroller->slots.push_back(std::move(found.slots));
    if (steps.empty()) {
      all.push_back({});
      origins.emplace_back(0, TraceArena::nothing);
      break;
    }
    result.errorBound = std::max(result.errorBound, found.table->error);
    for (FrontierPoint point : found.table->at(0)) {
      origins.emplace_back(static_cast<int>(r), point.trace);
      point.trace = static_cast<uint32_t>(origins.size() - 1);
      all.push_back(point);
    }
  }
  if (result.complete) {
    result.points = reduceToFrontier(std::move(all));
    for (FrontierPoint &point : result.points) {
      unroller->runs.push_back(origins[point.trace].first);
      unroller->traces.push_back(origins[point.trace].second);
      point.trace = 0;
    }
  }
  result.unroller = std::move(unroller);
  result.seconds = elapsed();
  return result;
}
