//===- Rewrite.cpp - Graphs that compute something again ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Rewrite.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Rewrite.h"

#include "Fusion.h"
#include "GradientOrder.h"
#include "NodeClasses.h"
#include "Writers.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <set>

using namespace soap;

//===----------------------------------------------------------------------===//
// Values kept in one form
//===----------------------------------------------------------------------===//

KeptForms soap::keptForms(const Graph &graph,
                          const std::vector<KeptValue> &keeps) {
  KeptForms forms{std::vector<Keep>(graph.nodes.size(), Keep::Both),
                  std::vector<Keep>(graph.inputs.size(), Keep::Both)};
  std::vector<int> writers = writersOf(graph);
  for (const KeptValue &kept : keeps) {
    if (int writer = writers[static_cast<size_t>(kept.value)]; writer >= 0)
      forms.ofNodes[static_cast<size_t>(writer)] = kept.keep;
    for (size_t i = 0; i < graph.inputs.size(); ++i)
      if (graph.inputs[i].value == kept.value)
        forms.ofInputs[i] = kept.keep;
  }
  return forms;
}

std::optional<KeepError> soap::restoreKept(Graph &graph,
                                           const KeptForms &forms) {
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    Keep keep = forms.ofNodes[n];
    if (keep == Keep::Both)
      continue;
    MaybeError fault;
    bool any = false;
    for (int value : std::vector<int>(graph.nodes[n].whole.results)) {
      if (auto error = checkKeep(graph, value, keep)) {
        fault = std::move(error);
        continue;
      }
      any = true;
      restoreValue(graph, value, keep);
    }
    if (!any && fault)
      return KeepError{{static_cast<int>(n), fault->message}};
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    Keep keep = forms.ofInputs[i];
    if (keep == Keep::Both)
      continue;
    int value = graph.inputs[i].value;
    if (auto error = checkKeep(graph, value, keep))
      return KeepError{{-1, error->message}, static_cast<int>(i)};
    restoreValue(graph, value, keep);
  }
  return std::nullopt;
}

/// The graph in which everything is read as it was written.
static Graph withoutRestores(const Graph &graph) {
  Graph plain = graph;
  if (plain.restores.empty())
    return plain;
  auto reset = [&](Kernel &kernel) {
    for (int &value : kernel.operands)
      value = graph.rootOf(value);
  };
  for (GraphNode &node : plain.nodes) {
    reset(node.whole);
    for (Kernel &stage : node.stages)
      reset(stage);
  }
  while (!plain.values.empty() && plain.values.back().restores >= 0)
    plain.values.pop_back();
  plain.restores.clear();
  return plain;
}

//===----------------------------------------------------------------------===//
// When clones run
//===----------------------------------------------------------------------===//

static NodeError savesNothing(const Graph &graph, int node) {
  return {node,
          "\"" + graph.nodes[static_cast<size_t>(node)].whole.name +
              "\" is recomputed for no op of the backward pass that waits for "
              "a gradient, so it would save nothing"};
}

std::optional<NodeError> soap::delayClones(Graph &graph,
                                           const std::vector<bool> &isClone,
                                           const KeptForms &kept) {
  std::vector<int> clones = nodesIn(isClone);
  if (clones.empty())
    return std::nullopt;
  auto nodeOf = [&](int node) -> const Kernel & {
    return graph.nodes[static_cast<size_t>(node)].whole;
  };
  std::vector<int> writer = writersOf(graph);
  std::vector<std::vector<int>> readers(graph.values.size());
  for (int n = 0; n < static_cast<int>(graph.nodes.size()); ++n)
    for (int value : nodeOf(n).operands) {
      std::vector<int> &own = readers[static_cast<size_t>(value)];
      if (own.empty() || own.back() != n)
        own.push_back(n);
    }
  auto writerOf = [&](int value) { return writer[static_cast<size_t>(value)]; };
  NodeClasses together(graph.nodes.size());
  for (int clone : clones)
    for (int value : nodeOf(clone).operands)
      if (int from = writerOf(value);
          from >= 0 && isClone[static_cast<size_t>(from)])
        together.join(clone, from);
  GradientOrder order(graph, isClone);
  // By leader of a class.
  std::map<int, std::vector<int>> results;
  std::map<int, int> triggers;
  for (int clone : clones) {
    std::vector<int> &of = results[together.leaderOf(clone)];
    of.insert(of.end(), nodeOf(clone).results.begin(),
              nodeOf(clone).results.end());
  }
  for (int clone : clones) {
    int leader = together.leaderOf(clone);
    if (triggers.contains(leader))
      continue;
    int trigger = order.trigger(results[leader], clone);
    if (trigger < 0)
      return savesNothing(graph, clone);
    triggers[leader] = trigger;
  }
  // Copies of weights that are kept in one form are made again by that
  // decision.
  auto isKeptWeight = [&](int node) {
    return kept.ofNodes[static_cast<size_t>(node)] != Keep::Both &&
           std::ranges::all_of(nodeOf(node).operands, [&](int operand) {
             return writerOf(operand) < 0;
           });
  };
  // Readers of values of the forward pass, by value and trigger.
  std::map<std::pair<int, int>, std::vector<int>> delayed;
  std::map<int, std::set<int>> triggersOf;
  for (int clone : clones)
    for (int value : nodeOf(clone).operands)
      if (int from = writerOf(value); from >= 0 &&
                                      nodeOf(from).phase == Phase::Forward &&
                                      !isKeptWeight(from)) {
        int trigger = triggers[together.leaderOf(clone)];
        std::vector<int> &list = delayed[{value, trigger}];
        if (list.empty() || list.back() != clone)
          list.push_back(clone);
        triggersOf[value].insert(trigger);
      }
  for (auto &[key, list] : delayed) {
    auto [value, trigger] = key;
    // Gradients that come later read the tiles that are made again for the
    // recomputed ops, so that these need not be kept.
    if (triggersOf[value].size() == 1)
      for (int reader : readers[static_cast<size_t>(value)])
        if (reader > list.front() && !isClone[static_cast<size_t>(reader)] &&
            nodeOf(reader).phase == Phase::Backward)
          list.push_back(reader);
    std::ranges::sort(list);
    delayReaders(graph, value, trigger, list);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Clones
//===----------------------------------------------------------------------===//

namespace {

/// Makes the graph of the clones of some classes of nodes.
class Cloner {
public:
  Cloner(const ForwardPass &pass,
         const std::vector<ForwardPass::Together> &classes)
      : pass(pass), classes(classes), plain(withoutRestores(pass.getGraph())),
        valueOf(plain.values.size(), -1) {
    for (const GraphValue &value : plain.values)
      names.insert(value.name);
  }

  RewrittenGraph run() {
    made.graph.precision = plain.precision;
    addUnwritten();
    std::map<int, std::vector<size_t>> before; // by first reader
    for (size_t c = 0; c < classes.size(); ++c)
      before[classes[c].firstReader].push_back(c);
    for (int n = 0; n < static_cast<int>(plain.nodes.size()); ++n) {
      if (auto it = before.find(n); it != before.end())
        for (size_t c : it->second)
          addClones(classes[c]);
      made.numberOf.push_back(static_cast<int>(made.graph.nodes.size()));
      addNode(n);
    }
    for (GraphInput input : plain.inputs) {
      input.value = at(valueOf, input.value);
      if (input.updateNode >= 0)
        input.updateNode = at(made.numberOf, input.updateNode);
      made.graph.inputs.push_back(std::move(input));
    }
    for (GraphOutput output : plain.outputs) {
      output.value = at(valueOf, output.value);
      made.graph.outputs.push_back(std::move(output));
    }
    return std::move(made);
  }

private:
  const ForwardPass &pass;
  const std::vector<ForwardPass::Together> &classes;
  Graph plain;
  RewrittenGraph made;
  std::vector<int> valueOf; ///< by value of the plain graph: its number
  /// By node and value: what it reads instead.
  std::map<std::pair<int, int>, int> redirected;
  std::set<std::string> names; ///< of values

  static int at(const std::vector<int> &list, int index) {
    return list[static_cast<size_t>(index)];
  }

  int addValue(GraphValue value) {
    made.graph.values.push_back(std::move(value));
    return static_cast<int>(made.graph.values.size()) - 1;
  }

  void addUnwritten() {
    std::vector<bool> isWritten(plain.values.size());
    for (const GraphNode &node : plain.nodes)
      for (int value : writtenBy(node))
        isWritten[static_cast<size_t>(value)] = true;
    for (size_t v = 0; v < plain.values.size(); ++v)
      if (!isWritten[v])
        valueOf[v] = addValue(plain.values[v]);
  }

  /// Results, and what stages pass to each other, in the order of numbers.
  static std::set<int> writtenBy(const GraphNode &node) {
    std::set<int> values(node.whole.results.begin(), node.whole.results.end());
    for (const Kernel &stage : node.stages)
      values.insert(stage.results.begin(), stage.results.end());
    return values;
  }

  template <typename Map>
  static void rename(GraphNode &node, const Map &map) {
    auto renameKernel = [&](Kernel &kernel) {
      for (int &value : kernel.operands)
        value = map(value);
      for (int &value : kernel.results)
        value = map(value);
    };
    renameKernel(node.whole);
    for (Kernel &stage : node.stages)
      renameKernel(stage);
  }

  void addNode(int n) {
    GraphNode node = plain.nodes[static_cast<size_t>(n)];
    for (int value : writtenBy(node))
      valueOf[static_cast<size_t>(value)] =
          addValue(plain.values[static_cast<size_t>(value)]);
    rename(node, [&](int value) {
      auto it = redirected.find({n, value});
      return it == redirected.end() ? at(valueOf, value) : it->second;
    });
    append(std::move(node), n, /*isClone=*/false);
  }

  void append(GraphNode node, int of, bool isClone) {
    made.graph.nodes.push_back(std::move(node));
    made.of.push_back(of);
    made.isClone.push_back(isClone);
  }

  void addClones(const ForwardPass::Together &together) {
    std::map<int, int> mapping; // of values that the clones write
    for (int n : together.nodes)
      addClone(n, mapping);
    for (int n : together.nodes)
      for (int value : pass.recomputedResults(n))
        for (int reader : pass.readersOf(value))
          if (pass.kernel(reader).phase == Phase::Backward)
            redirected[{reader, value}] = mapping.at(value);
  }

  /// The op of a clone: of a batch norm, the stage that normalizes.
  GraphNode nodeOfClone(int n) const {
    GraphNode node = plain.nodes[static_cast<size_t>(n)];
    if (pass.recomputedResults(n).size() == node.whole.results.size())
      return node;
    auto stage = std::ranges::find_if(node.stages, [&](const Kernel &kernel) {
      return kernel.results == std::vector<int>{node.whole.results[0]};
    });
    assert(stage != node.stages.end() && "a batch norm has two stages");
    GraphNode apply{*stage, {}};
    apply.whole.wholeLoops.clear();
    return apply;
  }

  void addClone(int n, std::map<int, int> &mapping) {
    const std::string &of = plain.nodes[static_cast<size_t>(n)].whole.name;
    const std::string name = of + ".recompute";
    GraphNode node = nodeOfClone(n);
    std::map<int, int> own;
    size_t results = node.whole.results.size(), inner = 0;
    for (int value : writtenBy(node)) {
      GraphValue copy = plain.values[static_cast<size_t>(value)];
      auto result = std::ranges::find(node.whole.results, value);
      if (result == node.whole.results.end())
        copy.name = name + "/" + std::to_string(inner++);
      else
        copy.name = name + ".out" +
                    (results == 1
                         ? std::string()
                         : std::to_string(result - node.whole.results.begin()));
      std::string unique = copy.name;
      for (int i = 1; !names.insert(unique).second; ++i)
        unique = copy.name + "'" + std::to_string(i);
      copy.name = std::move(unique);
      own[value] = addValue(std::move(copy));
    }
    rename(node, [&](int value) {
      if (auto it = own.find(value); it != own.end())
        return it->second;
      auto it = mapping.find(value);
      return it == mapping.end() ? at(valueOf, value) : it->second;
    });
    mapping.insert(own.begin(), own.end());
    node.whole.name = name;
    node.whole.phase = Phase::Backward;
    for (Kernel &stage : node.stages) {
      stage.name = name + stage.name.substr(of.size());
      stage.phase = Phase::Backward;
    }
    append(std::move(node), n, /*isClone=*/true);
  }
};

} // namespace

Expected<RewrittenGraph>
soap::withRecomputation(const ForwardPass &pass, const std::vector<bool> &nodes,
                        const std::vector<KeptValue> &keeps,
                        const std::vector<bool> &isClone) {
  std::vector<ForwardPass::Together> classes =
      pass.findTogether(pass.findRead(nodes));
  for (const ForwardPass::Together &together : classes)
    if (together.isUseless)
      return Error{
          savesNothing(pass.getGraph(), together.nodes.front()).message};
  RewrittenGraph made = Cloner(pass, classes).run();
  for (int node : nodesIn(isClone))
    made.isClone[static_cast<size_t>(
        made.numberOf[static_cast<size_t>(node)])] = true;
  KeptForms plain = keptForms(pass.getGraph(), keeps);
  KeptForms forms{std::vector<Keep>(made.of.size(), Keep::Both),
                  std::move(plain.ofInputs)};
  for (size_t n = 0; n < plain.ofNodes.size(); ++n)
    forms.ofNodes[static_cast<size_t>(made.numberOf[n])] = plain.ofNodes[n];
  keepInRegisters(made.graph);
  if (auto error = delayClones(made.graph, made.isClone, forms))
    return Error{error->message};
  if (auto error = restoreKept(made.graph, forms))
    return Error{error->message};
  return made;
}

Strategy RewrittenGraph::configs(const Strategy &strategy) const {
  assert(strategy.size() == numberOf.size() && "a config a node");
  Strategy made;
  for (int node : of)
    made.push_back(strategy[static_cast<size_t>(node)]);
  return made;
}

std::vector<std::vector<Role>>
RewrittenGraph::roles(const Graph &plain,
                      const std::vector<std::vector<Role>> &ofPlain) const {
  std::vector<std::vector<Role>> made;
  for (size_t n = 0; n < of.size(); ++n) {
    auto node = static_cast<size_t>(of[n]);
    const Kernel &from = plain.nodes[node].whole;
    if (graph.nodes[n].whole.kind == from.kind) {
      made.push_back(ofPlain[node]);
      continue;
    }
    std::vector<Role> &own = made.emplace_back();
    for (const Loop &loop : graph.nodes[n].whole.space.loops)
      own.push_back(
          ofPlain[node][static_cast<size_t>(from.space.findLoop(loop.name))]);
  }
  return made;
}

StepFacts RewrittenGraph::facts(const StepFacts &plain) const {
  StepFacts made;
  made.isClone = isClone;
  made.isData = plain.isData;
  for (size_t n = 0; n < of.size(); ++n) {
    auto node = static_cast<size_t>(of[n]);
    bool isRecomputed = numberOf[node] != static_cast<int>(n);
    int origin = isRecomputed ? of[n] : plain.forwardOf[node];
    made.forwardOf.push_back(
        origin < 0 ? -1 : numberOf[static_cast<size_t>(origin)]);
    made.hasEffects.push_back(plain.hasEffects[node]);
  }
  return made;
}
