//===- PlacementFile.cpp - Placement problems as JSON ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format of the paper's published workloads ("FPGA" means accelerator).
// Graphs may have millions of nodes: a handler of the parser's events puts
// their members where they belong, and no document is kept beside them.
//
//===----------------------------------------------------------------------===//

#include "Search/DevicePlacement/IdentifierTable.h"
#include "Soap/Search/DevicePlacement/Files.h"
#include "Support/Json.h"

#include <cmath>

using namespace soap;
using namespace soap::placement;
using nlohmann::json;

namespace {

constexpr double maxTime = 1e300;
constexpr int64_t maxId = int64_t(1) << 53;

/// Members of the file's objects.
enum Field {
  MemoryBytes,
  Accelerators,
  Cpus,
  Nodes,
  Edges,
  Id,
  Name,
  LayerId,
  OnAccelerator,
  IsBackward,
  CpuTime,
  AcceleratorTime,
  Size,
  GradientSize,
  ColorClass,
  SourceId,
  TargetId,
  Cost,
  EdgeSize,
  NoField
};

enum class Kind {
  Number,  ///< of 0 to 1e300
  Integer, ///< of `low` to `high`
  Flag,    ///< true, false, 1 or 0: published files mix them
  Text,    ///< not empty
  List
};

struct Member {
  std::string_view key;
  Kind kind;
  bool isRequired = true;
  int64_t low = -maxId, high = maxId;
};

/// In the order of `Field`.
constexpr Member members[] = {
    {"maxSizePerFPGA", Kind::Number},
    {"maxFPGAs", Kind::Integer, true, 0, maxAccelerators},
    {"maxCPUs", Kind::Integer, true, 0, maxCpus},
    {"nodes", Kind::List},
    {"edges", Kind::List},
    {"id", Kind::Integer},
    {"name", Kind::Text, false},
    {"layerId", Kind::Integer, false},
    {"supportedOnFpga", Kind::Flag},
    {"isBackwardNode", Kind::Flag},
    {"cpuLatency", Kind::Number},
    {"fpgaLatency", Kind::Number},
    {"size", Kind::Number},
    {"gradientSize", Kind::Number, false},
    {"colorClass", Kind::Integer, false},
    {"sourceId", Kind::Integer},
    {"destId", Kind::Integer},
    {"cost", Kind::Number},
    {"size", Kind::Number, false},
};

/// Handles the parser's events; the first error ends the parse.
class ProblemReader {
public:
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;

  Expected<Problem> read(const std::string &text, const std::string &file) {
    if (!json::sax_parse(text, this) || !connect())
      return Error{file + ": " + message};
    if (MaybeError error = problem.check())
      return Error{file + ": " + error->message};
    return std::move(problem);
  }

  bool null() { return fail(nullptr); }
  bool boolean(bool value) {
    return kind() == Kind::Flag ? setFlag(value) : fail(value);
  }
  bool number_integer(number_integer_t value) { return integer(value); }
  bool number_unsigned(number_unsigned_t value) {
    if (value <= static_cast<uint64_t>(INT64_MAX))
      return integer(static_cast<int64_t>(value));
    return kind() == Kind::Number ? setNumber(static_cast<double>(value))
                                  : fail(value);
  }
  bool number_float(number_float_t value, const string_t &) {
    return kind() == Kind::Number && value >= 0 && value <= maxTime
               ? setNumber(value)
               : fail(value);
  }
  bool string(string_t &value) {
    if (kind() != Kind::Text || value.empty())
      return fail(value);
    node.name = value;
    return leave();
  }
  bool binary(binary_t &) { return false; } // not in texts

  bool start_object(size_t) {
    if (place != Place::Start && place != Place::List)
      return fail(json::object());
    place = place == Place::Start ? Place::File : Place::Element;
    node = Node();
    seenInElement = 0;
    return true;
  }

  bool key(string_t &name) {
    auto [first, last] = fields();
    for (int each = first; each != last; ++each)
      if (name == members[each].key) {
        if (seen() & (1u << each))
          return report("duplicate key " + jsonfile::quote(name));
        seen() |= 1u << each;
        field = static_cast<Field>(each);
        return true;
      }
    std::string known;
    for (int each = first; each != last; ++each)
      known += std::string(known.empty() ? "" : ", ") +
               std::string(members[each].key);
    return report("unknown key " + jsonfile::quote(name) +
                  ", expected one of " + known);
  }

  bool end_object() {
    auto [first, last] = fields();
    for (int each = first; each != last; ++each)
      if (members[each].isRequired && !(seen() & (1u << each)))
        return report("expected key \"" + std::string(members[each].key) +
                      "\", which is missing");
    if (place == Place::File)
      return true;
    if (list == Nodes)
      problem.nodes.push_back(std::move(node));
    else
      edges.push_back(edge);
    place = Place::List;
    return true;
  }

  bool start_array(size_t) {
    if (kind() != Kind::List)
      return fail(json::array());
    place = Place::List;
    list = field;
    return leave();
  }

  bool end_array() {
    place = Place::File;
    return true;
  }

  bool parse_error(size_t, const std::string &,
                   const nlohmann::detail::exception &error) {
    message = jsonfile::syntaxError(error.what());
    return false;
  }

private:
  /// Edges as they are read: nodes may come after them.
  struct NamedEdge {
    int64_t source = 0, target = 0;
    double cost = 0;
  };
  enum class Place {
    Start,
    File,
    List,   ///< `nodes` or `edges`
    Element ///< one of these
  };

  Problem problem;
  std::vector<NamedEdge> edges;
  Node node;      ///< the one that is read
  NamedEdge edge; ///< the one that is read
  std::string message;

  Place place = Place::Start;
  Field list = NoField;  ///< which one, where `place` is in it
  Field field = NoField; ///< what the next value is of
  unsigned seenInFile = 0, seenInElement = 0; ///< members, by bit

  unsigned &seen() {
    return place == Place::Element ? seenInElement : seenInFile;
  }
  /// The members of the object that is open: first, and after the last.
  std::pair<Field, Field> fields() const {
    if (place == Place::File)
      return {MemoryBytes, Id};
    return list == Nodes ? std::pair(Id, SourceId)
                         : std::pair(SourceId, NoField);
  }
  std::optional<Kind> kind() const {
    return field == NoField ? std::nullopt : std::optional(members[field].kind);
  }

  bool leave() {
    field = NoField;
    return true;
  }

  bool integer(int64_t value) {
    if (field == NoField)
      return fail(value);
    const Member &member = members[field];
    if (member.kind == Kind::Number && value >= 0)
      return setNumber(static_cast<double>(value));
    if (member.kind == Kind::Flag && (value == 0 || value == 1))
      return setFlag(value == 1);
    if (member.kind == Kind::Integer && value >= member.low &&
        value <= member.high)
      return setInteger(value);
    return fail(value);
  }

  bool setInteger(int64_t value) {
    switch (field) {
    case Accelerators:
      problem.accelerators = static_cast<int>(value);
      break;
    case Cpus:
      problem.cpus = static_cast<int>(value);
      break;
    case Id:
      node.id = value;
      break;
    case ColorClass:
      node.colorClass = value;
      break;
    case SourceId:
      edge.source = value;
      break;
    case TargetId:
      edge.target = value;
      break;
    default: // of no use
      break;
    }
    return leave();
  }

  bool setNumber(double value) {
    switch (field) {
    case MemoryBytes:
      problem.acceleratorMemoryBytes = value;
      break;
    case CpuTime:
      node.cpuTime = value;
      break;
    case AcceleratorTime:
      node.acceleratorTime = value;
      break;
    case Size:
      node.memoryBytes = value;
      break;
    case GradientSize:
      node.gradientBytes = value;
      break;
    case Cost:
      edge.cost = value;
      break;
    default: // of no use
      break;
    }
    return leave();
  }

  bool setFlag(bool value) {
    (field == OnAccelerator ? node.acceleratable : node.backward) = value;
    return leave();
  }

  /// Where the next value is, or the object that is open.
  std::string path() const {
    std::string text;
    if (place == Place::List || place == Place::Element)
      text =
          "/" + std::string(members[list].key) + "/" +
          std::to_string(list == Nodes ? problem.nodes.size() : edges.size());
    if (field != NoField)
      text += "/" + std::string(members[field].key);
    return text.empty() ? "/" : text;
  }

  bool report(const std::string &what) {
    message = "at " + path() + ": " + what;
    return false;
  }

  bool fail(const json &got) {
    return report("expected " + expectation(got) + ", got " +
                  jsonfile::describe(got));
  }

  std::string expectation(const json &got) const {
    if (field == NoField)
      return "an object";
    const Member &member = members[field];
    switch (member.kind) {
    case Kind::Number:
      return jsonfile::expectation(0.0, maxTime);
    case Kind::Integer:
      return jsonfile::expectation(member.low, member.high);
    case Kind::Flag:
      return got.is_number() ? jsonfile::expectation(int64_t(0), int64_t(1))
                             : "true or false";
    case Kind::Text:
      return "a string that is not empty";
    case Kind::List:
      return "an array";
    }
    return "";
  }

  /// Edges between indices of nodes.
  bool connect() {
    IdentifierTable indices(problem.nodes);
    if (std::optional<int> again = indices.duplicate()) {
      int64_t id = problem.nodes[*again].id;
      message = "at /nodes/" + std::to_string(*again) +
                "/id: duplicate identifier " + std::to_string(id);
      return false;
    }
    std::vector<char> known(problem.nodes.size()); ///< its time of transfer
    problem.transferTime.assign(problem.nodes.size(), 0);
    problem.edges.reserve(edges.size());
    for (size_t e = 0; e < edges.size(); ++e) {
      const NamedEdge &named = edges[e];
      int source = indices.find(named.source);
      int target = indices.find(named.target);
      if (source < 0 || target < 0)
        return failEdge(e, source < 0 ? SourceId : TargetId,
                        "the identifier of a node",
                        source < 0 ? named.source : named.target);
      double &time = problem.transferTime[source];
      // Paid per node, not per edge: edges that differ have no meaning.
      if (known[source] && std::abs(time - named.cost) > 1e-9 * std::abs(time))
        return failEdge(e, Cost,
                        "the cost of the other edges from node " +
                            std::to_string(named.source) + ", " +
                            json(time).dump(),
                        named.cost);
      known[source] = true;
      time = std::max(time, named.cost);
      problem.edges.push_back({source, target});
    }
    edges = {};
    return true;
  }

  bool failEdge(size_t index, Field member, const std::string &expected,
                const json &got) {
    message = "at /edges/" + std::to_string(index) + "/" +
              std::string(members[member].key) + ": expected " + expected +
              ", got " + jsonfile::describe(got);
    return false;
  }
};

} // namespace

Expected<Problem> placement::parseProblem(const std::string &text,
                                          const std::string &file) {
  return ProblemReader().read(text, file);
}

std::string placement::printProblem(const Problem &problem) {
  json nodes = json::array(), edges = json::array();
  for (const Node &node : problem.nodes) {
    json entry = {{"id", node.id},
                  {"supportedOnFpga", node.acceleratable},
                  {"isBackwardNode", node.backward},
                  {"fpgaLatency", node.acceleratorTime},
                  {"cpuLatency", node.cpuTime},
                  {"size", node.memoryBytes}};
    if (!node.name.empty())
      entry["name"] = node.name;
    if (node.gradientBytes)
      entry["gradientSize"] = *node.gradientBytes;
    if (node.colorClass)
      entry["colorClass"] = *node.colorClass;
    nodes.push_back(std::move(entry));
  }
  for (const Edge &edge : problem.edges)
    edges.push_back({{"sourceId", problem.nodes[edge.source].id},
                     {"destId", problem.nodes[edge.target].id},
                     {"cost", problem.transferTime[edge.source]}});
  json document = {{"maxSizePerFPGA", problem.acceleratorMemoryBytes},
                   {"maxFPGAs", problem.accelerators},
                   {"maxCPUs", problem.cpus},
                   {"nodes", std::move(nodes)},
                   {"edges", std::move(edges)}};
  return document.dump() + "\n";
}
