//===- ProblemFile.cpp - Placement problems as JSON -----------------------===//
//
// The format of the paper's published workloads ("FPGA" means accelerator).
//
//===----------------------------------------------------------------------===//

#include "../../Core/Json.h"
#include "Soap/Search/DevicePlacement/Files.h"

#include <cmath>
#include <unordered_map>

using namespace soap;
using namespace soap::placement;
using jsonfile::Cursor;
using nlohmann::json;

namespace {

constexpr double mostTime = 1e300;
constexpr int64_t mostId = int64_t(1) << 53;

class ProblemReader {
public:
  explicit ProblemReader(const std::string &file) : file(file), reader(file) {}

  Expected<Problem> read(const json &document) {
    Cursor root(reader, &document, "");
    root.expectObject(
        {"maxSizePerFPGA", "maxFPGAs", "maxCPUs", "nodes", "edges"});
    problem.acceleratorMemoryBytes = root["maxSizePerFPGA"].number(0, mostTime);
    problem.accelerators =
        static_cast<int>(root["maxFPGAs"].integer(0, mostAccelerators));
    problem.cpus = static_cast<int>(root["maxCPUs"].integer(0, mostCpus));
    for (const Cursor &node : root["nodes"].elements())
      readNode(node);
    problem.transferTime.assign(problem.nodes.size(), 0);
    known.assign(problem.nodes.size(), false);
    for (const Cursor &edge : root["edges"].elements())
      readEdge(edge);
    if (reader.failed())
      return reader.takeError();
    if (MaybeError error = problem.check())
      return Error{file + ": " + error->message};
    return std::move(problem);
  }

private:
  std::string file;
  jsonfile::Reader reader;
  Problem problem;
  std::unordered_map<int64_t, int> indexOf;
  std::vector<char> known; ///< the node's time of transfer was read

  /// true, false, 1 or 0: published files mix them.
  static bool flag(const Cursor &at) {
    return at.isNumber() ? at.integer(0, 1) == 1 : at.boolean();
  }

  void readNode(const Cursor &at) {
    if (reader.failed())
      return;
    at.expectObject({"id", "name", "layerId", "supportedOnFpga",
                     "isBackwardNode", "cpuLatency", "fpgaLatency", "size",
                     "gradientSize", "colorClass"});
    Node node;
    node.id = at["id"].integer(-mostId, mostId);
    if (at.has("name"))
      node.name = at["name"].string();
    node.acceleratable = flag(at["supportedOnFpga"]);
    node.backward = flag(at["isBackwardNode"]);
    node.acceleratorTime = at["fpgaLatency"].number(0, mostTime);
    node.cpuTime = at["cpuLatency"].number(0, mostTime);
    node.memoryBytes = at["size"].number(0, mostTime);
    if (at.has("gradientSize"))
      node.gradientBytes = at["gradientSize"].number(0, mostTime);
    if (at.has("colorClass"))
      node.colorClass = at["colorClass"].integer(-mostId, mostId);
    if (at.has("layerId"))
      at["layerId"].integer(-mostId, mostId);
    int index = static_cast<int>(problem.nodes.size());
    if (!indexOf.emplace(node.id, index).second)
      at["id"].fail("duplicate identifier " + std::to_string(node.id));
    problem.nodes.push_back(std::move(node));
  }

  int readEnd(const Cursor &at) {
    int64_t id = at.integer(-mostId, mostId);
    auto it = indexOf.find(id);
    if (it != indexOf.end())
      return it->second;
    at.failExpected("the identifier of a node");
    return 0;
  }

  void readEdge(const Cursor &at) {
    if (reader.failed())
      return;
    at.expectObject({"sourceId", "destId", "cost", "size"});
    Edge edge{readEnd(at["sourceId"]), readEnd(at["destId"])};
    double cost = at["cost"].number(0, mostTime);
    if (at.has("size"))
      at["size"].number(0, mostTime);
    if (reader.failed())
      return;
    double &time = problem.transferTime[edge.source];
    // Paid per node, not per edge: edges that differ have no meaning.
    if (known[edge.source] && std::abs(time - cost) > 1e-9 * std::abs(time))
      at["cost"].failExpected("the cost of the other edges from node " +
                              std::to_string(problem.nodes[edge.source].id) +
                              ", " + json(time).dump());
    known[edge.source] = true;
    time = std::max(time, cost);
    problem.edges.push_back(edge);
  }
};

} // namespace

Expected<Problem> placement::parseProblem(const std::string &text,
                                          const std::string &file) {
  Expected<json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return ProblemReader(file).read(*document);
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
