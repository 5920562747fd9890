//===- ProblemFile.cpp - Parallelization problems as JSON -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reader and writer.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/Problem/ProblemFile.h"

#include "Soap/Memory/HostMemory.h"
#include "Support/Json.h"

#include <array>
#include <cmath>

using namespace soap;
using jsonfile::Cursor;
using nlohmann::json;

// Names of enumerators, in their order.
static constexpr std::array iteratorNames = {"parallel", "reduction", "serial"};
static constexpr std::array mapNames = {"radix", "window", "whole"};
static constexpr std::array combinerNames = {
    "sum", "max", "min", "moments", "softmax", "log_sum_exp"};
static constexpr std::array phaseNames = {"forward", "backward", "update"};
static constexpr std::array roleNames = {"sample", "parameter", "reduction",
                                         "attribute"};

/// Enough for any graph, and far from overflows.
static constexpr int64_t most = int64_t(1) << 40;

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json toJson(const AccessMap &map) {
  json dims = json::array();
  for (const DimMap &dim : map) {
    json terms = json::array();
    for (const Term &term : dim.terms)
      terms.push_back({term.loop, term.coefficient});
    json entry = {{"kind", mapNames[static_cast<size_t>(dim.kind)]},
                  {"terms", terms}};
    DimMap plain;
    auto add = [&](const char *key, int64_t value, int64_t usual) {
      if (value != usual)
        entry[key] = value;
    };
    add("offset", dim.offset, plain.offset);
    add("divisor", dim.divisor, plain.divisor);
    add("clip", dim.clip, plain.clip);
    add("scale", dim.scale, plain.scale);
    add("extra_low", dim.extraLow, plain.extraLow);
    add("extra_high", dim.extraHigh, plain.extraHigh);
    dims.push_back(std::move(entry));
  }
  return dims;
}

/// `whole`: the op that the kernel is a stage of, or null.
static json toJson(const Kernel &kernel, const Kernel *whole = nullptr) {
  json loops = json::array(), operands = json::array(), results = json::array();
  for (size_t l = 0; l < kernel.space.loops.size(); ++l) {
    const Loop &loop = kernel.space.loops[l];
    loops.push_back({{"name", loop.name},
                     {"extent", loop.extent},
                     {"type", iteratorNames[static_cast<size_t>(loop.type)]},
                     {"stage", loop.stage}});
    if (int p = whole ? kernel.wholeLoops[l] : -1;
        whole && p != whole->space.findLoop(loop.name))
      loops.back()["whole"] = p < 0 ? "" : whole->space.loops[p].name;
  }
  for (size_t i = 0; i < kernel.operands.size(); ++i)
    operands.push_back({{"value", kernel.operands[i]},
                        {"map", toJson(kernel.space.operands[i].map)}});
  for (size_t r = 0; r < kernel.results.size(); ++r)
    results.push_back({{"value", kernel.results[r]},
                       {"map", toJson(kernel.space.results[r].map)},
                       {"combiner", combinerNames[static_cast<size_t>(
                                        kernel.space.results[r].combiner)]}});
  json entry = {{"name", kernel.name},
                {"kind", kernel.kind},
                {"phase", phaseNames[static_cast<size_t>(kernel.phase)]},
                {"loops", loops},
                {"operands", operands},
                {"results", results},
                {"linear", kernel.space.linear},
                {"allows_empty_operands", kernel.space.allowsEmptyOperands},
                {"flops_per_point", kernel.space.flopsPerPoint}};
  if (kernel.registers.joins)
    entry["joins"] = true;
  if (!kernel.registers.operands.empty())
    entry["in_registers"] = {{"operands", kernel.registers.operands},
                             {"results", kernel.registers.results}};
  if (const std::optional<Band> &band = kernel.space.band)
    entry["band"] = {{"rows", kernel.space.loops[band->rows].name},
                     {"columns", kernel.space.loops[band->columns].name},
                     {"low", band->low},
                     {"high", band->high}};
  // JSON has no infinities.
  if (std::isinf(kernel.space.neutral))
    entry["neutral"] = kernel.space.neutral > 0 ? "inf" : "-inf";
  else
    entry["neutral"] = kernel.space.neutral;
  return entry;
}

static json toJson(const Config &config) {
  return {{"degrees", config.degrees},
          {"replicas", config.replicas},
          {"devices", config.devices}};
}

std::string soap::printProblemFile(const ProblemFile &problem) {
  const Graph &graph = problem.graph;
  json file = {{"version", 1}};
  for (const char *key :
       {"values", "inputs", "nodes", "outputs", "groups", "roles"})
    file[key] = json::array();
  if (graph.precision != ProductPrecision::F32)
    file["precision"] = precisionName(graph.precision);
  for (const GraphValue &value : graph.values) {
    json &entry = file["values"].emplace_back(
        json{{"name", value.name},
             {"shape", value.shape},
             {"element_bytes", value.elementBytes}});
    if (value.inHost)
      entry["in_host"] = true;
  }
  for (const GraphInput &input : graph.inputs) {
    json entry = {{"value", input.value}};
    if (input.updateNode >= 0)
      entry["update"] = {{"node", input.updateNode},
                         {"operand", input.updateOperand},
                         {"result", input.updateResult}};
    if (input.hasConfig)
      entry["config"] = toJson(input.config);
    file["inputs"].push_back(std::move(entry));
  }
  for (const GraphNode &node : graph.nodes) {
    json entry = toJson(node.whole);
    if (!node.stages.empty())
      entry["stages"] = json::array();
    for (const Kernel &stage : node.stages)
      entry["stages"].push_back(toJson(stage, &node.whole));
    file["nodes"].push_back(std::move(entry));
  }
  for (const GraphOutput &output : graph.outputs) {
    json entry = {{"value", output.value}, {"name", output.name}};
    if (output.hasConfig)
      entry["config"] = toJson(output.config);
    file["outputs"].push_back(std::move(entry));
  }
  for (const OpGroup &group : problem.groups)
    file["groups"].push_back({{"leader", group.leader},
                              {"nodes", group.nodes},
                              {"loops", group.loops}});
  for (const std::vector<Role> &roles : problem.roles) {
    json names = json::array();
    for (Role role : roles)
      names.push_back(roleNames[static_cast<size_t>(role)]);
    file["roles"].push_back(std::move(names));
  }
  return file.dump() + "\n";
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class ProblemReader {
public:
  ProblemFile read(const Cursor &root) {
    root.expectObject({"version", "precision", "values", "inputs", "nodes",
                       "outputs", "groups", "roles"});
    root.expectVersion();
    if (root.has("precision"))
      problem.graph.precision = static_cast<ProductPrecision>(
          choice(root["precision"],
                 std::array{precisionName(ProductPrecision::F32),
                            precisionName(ProductPrecision::TF32),
                            precisionName(ProductPrecision::BF16)}));
    for (const Cursor &entry : root["values"].elements())
      readValue(entry);
    std::vector<Cursor> nodes = root["nodes"].elements();
    nodeCount = static_cast<int64_t>(nodes.size());
    for (const Cursor &entry : root["inputs"].elements())
      readInput(entry);
    for (const Cursor &entry : nodes)
      readNode(entry);
    for (const auto &[input, entry] : updates)
      checkUpdate(problem.graph.inputs[input], entry);
    for (const Cursor &entry : root["outputs"].elements())
      readOutput(entry);
    if (MaybeError error = checkHostValues(problem.graph))
      root["values"].fail(error->message);
    for (const Cursor &entry : root["groups"].elements())
      readGroup(entry);
    for (const Cursor &entry : root["roles"].elements()) {
      std::vector<Role> &roles = problem.roles.emplace_back();
      for (const Cursor &name : entry.elements())
        roles.push_back(static_cast<Role>(choice(name, roleNames)));
    }
    return std::move(problem);
  }

private:
  ProblemFile problem;
  int64_t nodeCount = 0;
  std::vector<bool> written; ///< by value
  /// Inputs that a node replaces, with their places in the file.
  std::vector<std::pair<size_t, Cursor>> updates;

  template <size_t n>
  size_t choice(const Cursor &entry, const std::array<const char *, n> &names) {
    std::string text = entry.string(), list;
    for (size_t i = 0; i < n; ++i) {
      if (text == names[i])
        return i;
      list += std::string(i ? ", " : "") + names[i];
    }
    entry.failExpected("one of " + list);
  }
  int integer(const Cursor &entry, int64_t low, int64_t high) {
    return static_cast<int>(entry.integer(low, std::max(low, high)));
  }
  int value(const Cursor &entry) {
    return integer(entry, 0,
                   static_cast<int64_t>(problem.graph.values.size()) - 1);
  }

  void readValue(const Cursor &entry) {
    entry.expectObject({"name", "shape", "element_bytes", "in_host"});
    GraphValue &value = problem.graph.values.emplace_back();
    value.name = entry["name"].string();
    for (const Cursor &dim : entry["shape"].elements())
      value.shape.push_back(dim.integer(0, most));
    value.elementBytes = entry["element_bytes"].integer(1, 64);
    value.inHost = entry.has("in_host") && entry["in_host"].boolean();
    int64_t bytes = value.elementBytes;
    for (int64_t dim : value.shape)
      if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > most * 1024)
        entry.failExpected("a tensor of at most 2^50 bytes");
    written.push_back(false);
  }

  Config readConfig(const Cursor &entry, size_t loops) {
    entry.expectObject({"degrees", "replicas", "devices"});
    Config config;
    for (const Cursor &degree : entry["degrees"].elements())
      config.degrees.push_back(degree.integer(1, 1 << 20));
    config.replicas = entry["replicas"].integer(1, 1 << 20);
    for (const Cursor &device : entry["devices"].elements())
      config.devices.push_back(integer(device, 0, 1 << 20));
    if (config.degrees.size() != loops)
      entry["degrees"].fail("expected " + std::to_string(loops) + " degrees");
    if (config.piecesPerReplica() > (1 << 20) ||
        config.piecesPerReplica() * config.replicas !=
            static_cast<int64_t>(config.devices.size()))
      entry["devices"].fail("expected a device per piece");
    return config;
  }

  void readInput(const Cursor &entry) {
    entry.expectObject({"value", "update", "config"});
    GraphInput &input = problem.graph.inputs.emplace_back();
    input.value = value(entry["value"]);
    if (entry.has("update")) {
      Cursor update = entry["update"];
      update.expectObject({"node", "operand", "result"});
      input.updateNode = integer(update["node"], 0, nodeCount - 1);
      input.updateOperand = integer(update["operand"], 0, 1 << 20);
      input.updateResult = integer(update["result"], 0, 1 << 20);
      updates.emplace_back(problem.graph.inputs.size() - 1, update);
    }
    write(entry["value"], input.value);
    input.hasConfig = entry.has("config");
    if (input.hasConfig)
      input.config = readConfig(entry["config"],
                                problem.graph.values[input.value].shape.size());
  }

  void checkUpdate(const GraphInput &input, const Cursor &update) {
    const Kernel &kernel = problem.graph.nodes[input.updateNode].whole;
    auto expectBelow = [&](const char *key, int index, size_t count) {
      if (index >= static_cast<int>(count))
        update[key].fail("op '" + kernel.name + "' has " +
                         std::to_string(count) + " " + key + "s");
    };
    expectBelow("operand", input.updateOperand, kernel.operands.size());
    expectBelow("result", input.updateResult, kernel.results.size());
  }

  void write(const Cursor &entry, int value) {
    if (written[value])
      entry.fail("value " + std::to_string(value) + " is written twice");
    written[value] = true;
  }

  AccessMap readMap(const Cursor &entry, int value, size_t loops) {
    AccessMap map;
    for (const Cursor &dim : entry.elements()) {
      dim.expectObject({"kind", "terms", "offset", "divisor", "clip", "scale",
                        "extra_low", "extra_high"});
      DimMap &access = map.emplace_back();
      access.kind = static_cast<DimMap::Kind>(choice(dim["kind"], mapNames));
      for (const Cursor &term : dim["terms"].elements()) {
        std::vector<Cursor> pair = term.elements();
        if (pair.size() != 2)
          term.failExpected("a loop and a coefficient");
        access.terms.push_back(
            {integer(pair[0], 0, static_cast<int64_t>(loops) - 1),
             pair[1].integer(-most, most)});
      }
      auto optional = [&](const char *key, int64_t &to, int64_t low) {
        if (dim.has(key))
          to = dim[key].integer(low, most);
      };
      optional("offset", access.offset, -most);
      optional("divisor", access.divisor, 1);
      optional("clip", access.clip, -1);
      optional("scale", access.scale, 1);
      optional("extra_low", access.extraLow, -most);
      optional("extra_high", access.extraHigh, -most);
    }
    if (map.size() != problem.graph.values[value].shape.size())
      entry.fail("expected a map for each dim of value " +
                 std::to_string(value));
    return map;
  }

  /// Numbers 0 and 1.
  std::vector<uint8_t> readFlags(const Cursor &entry, size_t count) {
    std::vector<uint8_t> flags;
    for (const Cursor &flag : entry.elements())
      flags.push_back(static_cast<uint8_t>(flag.integer(0, 1)));
    if (flags.size() != count)
      entry.failExpected(std::to_string(count) + " numbers, 0 or 1");
    return flags;
  }

  /// Which loop of `whole` a loop of its stage is: that with its name, if the
  /// file does not say; -1: none.
  static int readWholeLoop(const Cursor &loop, const Kernel &whole) {
    if (!loop.has("whole"))
      return whole.space.findLoop(loop["name"].string());
    std::string name = loop["whole"].string();
    int position = whole.space.findLoop(name);
    if (position < 0 && !name.empty())
      loop["whole"].fail("'" + whole.name + "' has no loop '" + name +
                         "', expected one of its loops or ''");
    return position;
  }

  static Band readBand(const Cursor &entry, const IterationSpace &space) {
    entry.expectObject({"rows", "columns", "low", "high"});
    auto loop = [&](const char *key) {
      int position = space.findLoop(entry[key].string());
      if (position < 0)
        entry[key].failExpected("the name of a loop");
      return position;
    };
    Band band{loop("rows"), loop("columns"), entry["low"].integer(-most, most),
              entry["high"].integer(-most, most)};
    if (band.rows == band.columns)
      entry["columns"].failExpected("another loop than that of the rows");
    return band;
  }

  /// `whole`: the op that the kernel is a stage of, or null.
  Kernel readKernel(const Cursor &entry, const Kernel *whole = nullptr) {
    Kernel kernel;
    kernel.name = entry["name"].string();
    kernel.kind = entry["kind"].string();
    kernel.phase = static_cast<Phase>(choice(entry["phase"], phaseNames));
    for (const Cursor &loop : entry["loops"].elements()) {
      loop.expectObject({"name", "extent", "type", "stage", "whole"});
      kernel.space.loops.push_back(
          {loop["name"].string(), loop["extent"].integer(0, most),
           static_cast<IteratorType>(choice(loop["type"], iteratorNames)),
           loop["stage"].boolean()});
      if (whole)
        kernel.wholeLoops.push_back(readWholeLoop(loop, *whole));
    }
    size_t loops = kernel.space.loops.size();
    for (const Cursor &operand : entry["operands"].elements()) {
      operand.expectObject({"value", "map"});
      int id = value(operand["value"]);
      if (!written[id])
        operand["value"].fail("value " + std::to_string(id) +
                              " is read before it is written");
      kernel.operands.push_back(id);
      kernel.space.operands.push_back({readMap(operand["map"], id, loops)});
    }
    for (const Cursor &result : entry["results"].elements()) {
      result.expectObject({"value", "map", "combiner"});
      int id = value(result["value"]);
      kernel.results.push_back(id);
      kernel.space.results.push_back(
          {readMap(result["map"], id, loops),
           static_cast<Combiner>(choice(result["combiner"], combinerNames))});
    }
    kernel.space.linear = entry["linear"].boolean();
    kernel.space.allowsEmptyOperands = entry["allows_empty_operands"].boolean();
    kernel.space.flopsPerPoint = entry["flops_per_point"].number(0, 1e15);
    if (entry.has("band"))
      kernel.space.band = readBand(entry["band"], kernel.space);
    kernel.registers.joins = entry.has("joins") && entry["joins"].boolean();
    if (entry.has("in_registers")) {
      Cursor registers = entry["in_registers"];
      registers.expectObject({"operands", "results"});
      kernel.registers.operands =
          readFlags(registers["operands"], kernel.operands.size());
      kernel.registers.results =
          readFlags(registers["results"], kernel.results.size());
    }
    Cursor neutral = entry["neutral"];
    if (neutral.isString())
      kernel.space.neutral = choice(neutral, std::array{"inf", "-inf"}) == 0
                                 ? HUGE_VAL
                                 : -HUGE_VAL;
    else
      kernel.space.neutral = neutral.number(-1e300, 1e300);
    return kernel;
  }

  void readNode(const Cursor &entry) {
    entry.expectObject({"name", "kind", "phase", "loops", "operands", "results",
                        "linear", "allows_empty_operands", "flops_per_point",
                        "neutral", "stages", "joins", "in_registers", "band"});
    GraphNode node;
    node.whole = readKernel(entry);
    if (entry.has("stages"))
      for (const Cursor &stage : entry["stages"].elements()) {
        node.stages.push_back(readKernel(stage, &node.whole));
        for (int value : node.stages.back().results)
          write(stage["results"], value);
      }
    // One of the stages of an op writes each result of the whole op.
    for (int value : node.whole.results)
      if (node.stages.empty())
        write(entry["results"], value);
      else if (!written[value])
        entry["results"].fail("no stage writes value " + std::to_string(value));
    problem.graph.nodes.push_back(std::move(node));
  }

  void readOutput(const Cursor &entry) {
    entry.expectObject({"value", "name", "config"});
    GraphOutput &output = problem.graph.outputs.emplace_back();
    output.value = value(entry["value"]);
    output.name = entry["name"].string();
    if (!written[output.value])
      entry["value"].fail("value " + std::to_string(output.value) +
                          " is written by no node and is no input");
    output.hasConfig = entry.has("config");
    if (output.hasConfig)
      output.config = readConfig(
          entry["config"], problem.graph.values[output.value].shape.size());
  }

  void readGroup(const Cursor &entry) {
    entry.expectObject({"leader", "nodes", "loops"});
    OpGroup &group = problem.groups.emplace_back();
    group.leader = integer(entry["leader"], 0, nodeCount - 1);
    for (const Cursor &node : entry["nodes"].elements())
      group.nodes.push_back(integer(node, 0, nodeCount - 1));
    for (const Cursor &loops : entry["loops"].elements()) {
      std::vector<int> &list = group.loops.emplace_back();
      for (const Cursor &loop : loops.elements())
        list.push_back(integer(loop, -1, 1 << 10));
    }
  }
};
} // namespace

Expected<ProblemFile> soap::parseProblemFile(const std::string &text,
                                             const std::string &file) {
  Expected<json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [](const Cursor &root) {
    return ProblemReader().read(root);
  });
}

Expected<ProblemFile> soap::loadProblemFile(const std::string &file) {
  Expected<std::optional<std::string>> text = jsonfile::readFile(file);
  if (!text)
    return text.takeError();
  if (!*text)
    return Error{file + ": no such file, expected a problem as "
                        "--soap-print-op-graph=problem=FILE writes it"};
  return parseProblemFile(**text, file);
}
