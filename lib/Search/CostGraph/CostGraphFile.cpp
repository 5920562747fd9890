//===- CostGraphFile.cpp - Cost graphs and solutions as JSON --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instances have hundreds of megabytes, nearly all of it lists of integers: a
// handler of the parser's events puts them where they belong.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/CostGraph/CostGraphFile.h"

#include "Support/Json.h"

using namespace soap;
using nlohmann::json;

namespace {

/// A member of an object, or the kind of array elements.
enum class Place {
  File,
  Problem,
  Nodes,
  Edges,
  Name,
  Capacity,
  Intervals, ///< lists of lists, in this order; a list of one ends in `..Row`
  NodeCosts,
  Usages,
  EdgeNodes,
  EdgeCosts,
  Row
};

struct Member {
  Place object;
  const char *key;
  Place place;
  bool isRequired;
};

constexpr Member members[] = {
    {Place::File, "problem", Place::Problem, true},
    {Place::Problem, "name", Place::Name, false},
    {Place::Problem, "nodes", Place::Nodes, true},
    {Place::Problem, "edges", Place::Edges, true},
    {Place::Problem, "usage_limit", Place::Capacity, false},
    {Place::Nodes, "intervals", Place::Intervals, true},
    {Place::Nodes, "costs", Place::NodeCosts, true},
    {Place::Nodes, "usages", Place::Usages, true},
    {Place::Edges, "nodes", Place::EdgeNodes, true},
    {Place::Edges, "costs", Place::EdgeCosts, true},
};

/// Builds the lists of a graph; the first error ends the parse.
class Builder : public nlohmann::json_sax<json> {
public:
  std::string name;
  std::optional<int64_t> capacity;
  std::vector<std::vector<int64_t>> intervals, nodeCosts, usages, edgeNodes,
      edgeCosts;
  std::string problem; ///< empty: none
  size_t position = std::string::npos;

  bool null() override { return fail("null"); }
  bool boolean(bool value) override { return fail(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return value >= 0 ? integer(static_cast<uint64_t>(value))
                      : fail(std::to_string(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return integer(value);
  }
  bool number_float(number_float_t, const string_t &text) override {
    return fail(text);
  }
  bool binary(binary_t &) override { return fail("bytes"); }

  bool string(string_t &value) override {
    if (stack.empty() || stack.back().place != Place::Name)
      return fail(jsonfile::quote(value.substr(0, 60)));
    name = value;
    return leave();
  }

  bool start_object(size_t) override {
    if (stack.empty())
      stack.push_back({Place::File, ""});
    Place place = stack.back().place;
    if (place > Place::Edges || stack.back().isOpen)
      return fail("an object");
    stack.back().isOpen = true;
    return true;
  }

  bool key(string_t &text) override {
    Level &top = stack.back();
    for (size_t m = 0; m < std::size(members); ++m)
      if (members[m].object == top.place && text == members[m].key) {
        if (top.seen & (1u << m))
          return report("duplicate key " + jsonfile::quote(text));
        top.seen |= 1u << m;
        stack.push_back({members[m].place, members[m].key});
        return true;
      }
    return report("unknown key " + jsonfile::quote(text.substr(0, 60)));
  }

  bool end_object() override {
    const Level &top = stack.back();
    for (size_t m = 0; m < std::size(members); ++m)
      if (members[m].object == top.place && members[m].isRequired &&
          !(top.seen & (1u << m)))
        return report("expected a key \"" + std::string(members[m].key) + "\"");
    return leave();
  }

  bool start_array(size_t) override {
    if (stack.empty())
      return fail("an array");
    Level &top = stack.back();
    if (top.place < Place::Intervals || top.place == Place::Row ||
        (top.isOpen && !lists()))
      return fail("an array");
    if (!top.isOpen) {
      top.isOpen = true;
      return true;
    }
    lists()->emplace_back();
    row = &lists()->back();
    stack.push_back({Place::Row, ""});
    return true;
  }

  bool end_array() override {
    if (stack.back().place == Place::Row) {
      Place list = stack[stack.size() - 2].place;
      if ((list == Place::Intervals || list == Place::EdgeNodes) &&
          row->size() != 2)
        return report("expected two integers, got " +
                      std::to_string(row->size()));
      row->shrink_to_fit();
    }
    return leave();
  }

  bool parse_error(size_t at, const std::string &,
                   const nlohmann::detail::exception &) override {
    position = at;
    return false;
  }

private:
  struct Level {
    Place place;
    const char *key;
    bool isOpen = false;
    unsigned seen = 0; ///< members of an object, by bit
  };
  std::vector<Level> stack;
  std::vector<int64_t> *row = nullptr; ///< the list that numbers belong to

  /// Where the lists that are being read belong.
  std::vector<std::vector<int64_t>> *lists() {
    switch (stack.back().place) {
    case Place::Intervals:
      return &intervals;
    case Place::NodeCosts:
      return &nodeCosts;
    case Place::Usages:
      return &usages;
    case Place::EdgeNodes:
      return &edgeNodes;
    case Place::EdgeCosts:
      return &edgeCosts;
    default:
      return nullptr;
    }
  }

  bool integer(uint64_t value) {
    if (value > INT64_MAX)
      return fail(std::to_string(value));
    if (!stack.empty() && stack.back().place == Place::Row) {
      row->push_back(static_cast<int64_t>(value));
      return true;
    }
    if (stack.empty() || stack.back().place != Place::Capacity)
      return fail(std::to_string(value));
    capacity = static_cast<int64_t>(value);
    return leave();
  }

  bool leave() {
    stack.pop_back();
    return true;
  }

  /// The place of what comes next.
  std::string path() const {
    std::string text;
    for (size_t i = 1; i < stack.size(); ++i) {
      if (stack[i].place != Place::Row)
        text += "/" + std::string(stack[i].key);
      else
        text += "/" + std::to_string(parentSize(i) - 1) + "/" +
                std::to_string(row->size());
    }
    if (!stack.empty() && stack.back().isOpen &&
        stack.back().place >= Place::Intervals)
      text += "/" + std::to_string(parentSize(stack.size()));
    return text.empty() ? "/" : text;
  }
  size_t parentSize(size_t level) const {
    switch (stack[level - 1].place) {
    case Place::Intervals:
      return intervals.size();
    case Place::NodeCosts:
      return nodeCosts.size();
    case Place::Usages:
      return usages.size();
    case Place::EdgeNodes:
      return edgeNodes.size();
    default:
      return edgeCosts.size();
    }
  }

  const char *expectation() const {
    if (stack.empty() || stack.back().place <= Place::Edges)
      return "an object";
    switch (stack.back().place) {
    case Place::Name:
      return "a string";
    case Place::Capacity:
    case Place::Row:
      return "an integer of 0 to 2^63 - 1";
    default:
      return stack.back().isOpen ? "a list of integers"
                                 : "a list of lists of integers";
    }
  }

  bool report(const std::string &message) {
    problem = "at " + path() + ": " + message;
    return false;
  }
  bool fail(const std::string &got) {
    return report("expected " + std::string(expectation()) + ", got " + got);
  }
};

/// `line L, column C` of a place in a text.
std::string lineAndColumn(const std::string &text, size_t position) {
  position = std::min(position, text.size());
  size_t line = 1, start = 0;
  for (size_t i = 0; i < position; ++i)
    if (text[i] == '\n') {
      ++line;
      start = i + 1;
    }
  return "line " + std::to_string(line) + ", column " +
         std::to_string(std::max(position - start, size_t(1)));
}

MaybeError expectLength(const char *what, size_t length, const char *for_,
                        size_t expected) {
  if (length == expected)
    return std::nullopt;
  return Error{"at /problem/" + std::string(what) + ": expected one for each " +
               "of " + std::to_string(expected) + " " + for_ + ", got " +
               std::to_string(length)};
}

/// Moves the lists into a graph.
Expected<CostGraph> assemble(Builder &builder) {
  size_t nodes = builder.nodeCosts.size(), edges = builder.edgeNodes.size();
  if (nodes == 0)
    return Error{"at /problem/nodes/costs: expected at least one node"};
  if (auto error = expectLength("nodes/intervals", builder.intervals.size(),
                                "nodes/costs", nodes))
    return *error;
  if (auto error = expectLength("nodes/usages", builder.usages.size(),
                                "nodes/costs", nodes))
    return *error;
  if (auto error = expectLength("edges/costs", builder.edgeCosts.size(),
                                "edges/nodes", edges))
    return *error;
  CostGraph graph;
  graph.name = std::move(builder.name);
  graph.capacity = builder.capacity;
  graph.nodes.resize(nodes);
  for (size_t n = 0; n < nodes; ++n) {
    graph.nodes[n].costs = std::move(builder.nodeCosts[n]);
    graph.nodes[n].memory = std::move(builder.usages[n]);
    graph.nodes[n].liveFrom = builder.intervals[n][0];
    graph.nodes[n].liveTo = builder.intervals[n][1];
  }
  graph.edges.resize(edges);
  for (size_t e = 0; e < edges; ++e) {
    for (int64_t end : builder.edgeNodes[e])
      if (end >= static_cast<int64_t>(nodes))
        return Error{"at /problem/edges/nodes/" + std::to_string(e) +
                     ": expected nodes below " + std::to_string(nodes) +
                     ", got " + std::to_string(end)};
    graph.edges[e].source = static_cast<int>(builder.edgeNodes[e][0]);
    graph.edges[e].target = static_cast<int>(builder.edgeNodes[e][1]);
    graph.edges[e].costs = std::move(builder.edgeCosts[e]);
  }
  if (MaybeError error = graph.check())
    return Error{"at /problem: " + error->message};
  return graph;
}

} // namespace

Expected<CostGraph> soap::parseCostGraph(const std::string &text,
                                         const std::string &file) {
  Builder builder;
  if (!json::sax_parse(text, &builder)) {
    if (!builder.problem.empty())
      return Error{file + ": " + builder.problem};
    return Error{file + ": " + lineAndColumn(text, builder.position) +
                 ": syntax error in JSON"};
  }
  Expected<CostGraph> graph = assemble(builder);
  if (!graph)
    return Error{file + ": " + graph.error()};
  return graph;
}

std::string soap::printCostGraph(const CostGraph &graph) {
  json nodes = {{"intervals", json::array()},
                {"costs", json::array()},
                {"usages", json::array()}};
  json edges = {{"nodes", json::array()}, {"costs", json::array()}};
  for (const CostGraphNode &node : graph.nodes) {
    nodes["intervals"].push_back({node.liveFrom, node.liveTo});
    nodes["costs"].push_back(node.costs);
    nodes["usages"].push_back(node.memory);
  }
  for (const CostGraphEdge &edge : graph.edges) {
    edges["nodes"].push_back({edge.source, edge.target});
    edges["costs"].push_back(edge.costs);
  }
  json problem = {{"nodes", std::move(nodes)}, {"edges", std::move(edges)}};
  if (!graph.name.empty())
    problem["name"] = graph.name;
  if (graph.capacity)
    problem["usage_limit"] = *graph.capacity;
  return json{{"problem", std::move(problem)}}.dump(
             -1, ' ', false, json::error_handler_t::replace) +
         "\n";
}

static CostGraphSolution readSolution(const jsonfile::Cursor &root) {
  root.expectObject(
      {"version", "cost", "solution", "optimal", "bound", "seconds", "ties"});
  root.expectVersion();
  CostGraphSolution solution;
  solution.cost = root["cost"].integer(0, INT64_MAX);
  for (const jsonfile::Cursor &choice : root["solution"].elements())
    solution.choice.push_back(
        static_cast<int>(choice.integer(0, INT32_MAX - 1)));
  solution.optimal = root["optimal"].boolean();
  solution.bound = root["bound"].integer(0, INT64_MAX);
  solution.seconds = root["seconds"].number(0, 1e12);
  if (root.has("ties")) {
    root["ties"].expectObject({"nodes", "untied_cost"});
    solution.ties = {static_cast<int>(root["ties"]["nodes"].integer(
                         0, static_cast<int64_t>(solution.choice.size()))),
                     root["ties"]["untied_cost"].integer(0, INT64_MAX)};
  }
  return solution;
}

Expected<CostGraphSolution>
soap::parseCostGraphSolution(const std::string &text, const std::string &file) {
  Expected<json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, readSolution);
}

std::string soap::printCostGraphSolution(const CostGraphSolution &solution) {
  nlohmann::ordered_json file = {{"version", 1},
                                 {"cost", solution.cost},
                                 {"solution", solution.choice},
                                 {"optimal", solution.optimal},
                                 {"bound", solution.bound},
                                 {"seconds", solution.seconds}};
  if (solution.ties)
    file["ties"] = {{"nodes", solution.ties->nodes},
                    {"untied_cost", solution.ties->untiedCost}};
  return file.dump() + "\n";
}
