//===- RewriteTest.cpp - Graphs of rewritten IR and rewritten graphs ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of every network that is generated: the graph of IR in which ops are
// recomputed and values are kept in one form is the graph that the core makes
// of the plain graph.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Recomputation/Recompute.h"

#include "Soap/Analysis/OpGraph.h"
#include "Soap/Analysis/StepFacts.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Model/Rewrite.h"
#include "Soap/Target/Models.h"
#include "Soap/Transforms/Passes.h"

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Everything that a graph says, a line for each value, node, input, output and
/// restored value.
class GraphText {
public:
  explicit GraphText(const ::soap::Graph &graph) {
    for (const ::soap::GraphValue &value : graph.values) {
      add("value", value.name, value.elementBytes, value.restores,
          value.inHost);
      list(value.shape);
      end();
    }
    for (const ::soap::GraphNode &node : graph.nodes) {
      kernel("node", node.whole);
      for (const ::soap::Kernel &stage : node.stages)
        kernel("  stage", stage);
    }
    for (const ::soap::GraphInput &input : graph.inputs) {
      add("input", input.value, input.updateNode, input.updateOperand,
          input.updateResult, input.hasConfig);
      config(input.config);
    }
    for (const ::soap::GraphOutput &output : graph.outputs) {
      add("output", output.value, output.name, output.hasConfig);
      config(output.config);
    }
    for (const ::soap::Restore &restore : graph.restores) {
      add("restore", restore.value, restore.of, static_cast<int>(restore.keep),
          restore.trigger, restore.delaysReaders);
      end();
    }
    add("precision", static_cast<int>(graph.precision));
    end();
  }

  std::vector<std::string> lines;

private:
  std::ostringstream line;

  template <typename... Parts>
  void add(const Parts &...parts) {
    ((line << parts << ' '), ...);
  }
  template <typename List>
  void list(const List &elements) {
    line << "[ ";
    for (auto element : elements)
      line << +element << ' ';
    line << "] ";
  }
  void end() {
    lines.push_back(line.str());
    line.str("");
  }
  void config(const ::soap::Config &config) {
    list(config.degrees);
    add(config.replicas);
    list(config.devices);
    end();
  }
  void map(const ::soap::AccessMap &dims) {
    for (const ::soap::DimMap &dim : dims) {
      add("(", static_cast<int>(dim.kind), dim.offset, dim.divisor, dim.clip,
          dim.scale, dim.extraLow, dim.extraHigh);
      for (const ::soap::Term &term : dim.terms)
        add(term.loop, '*', term.coefficient);
      add(")");
    }
  }
  void kernel(const char *what, const ::soap::Kernel &kernel) {
    add(what, kernel.name, kernel.kind, static_cast<int>(kernel.phase));
    list(kernel.operands);
    list(kernel.results);
    list(kernel.registers.operands);
    list(kernel.registers.results);
    add(kernel.registers.joins);
    list(kernel.wholeLoops);
    const ::soap::IterationSpace &space = kernel.space;
    add(space.linear, space.allowsEmptyOperands, space.neutral,
        space.flopsPerPoint);
    for (const ::soap::Loop &loop : space.loops)
      add(loop.name, loop.extent, static_cast<int>(loop.type), loop.stage);
    for (const ::soap::OperandAccess &operand : space.operands) {
      map(operand.map);
      add(',');
    }
    for (const ::soap::ResultAccess &result : space.results) {
      map(result.map);
      add(static_cast<int>(result.combiner), ',');
    }
    end();
  }
};

/// A training step of a network, whose ops have names.
class Step {
public:
  Step(MLIRContext &context, const ModelDescription &description,
       StringRef options) {
    // Blocks are alike.
    constexpr int64_t batch = 4, fewLayers = 3;
    std::map<std::string, int64_t> sizes;
    for (const ModelOption &option : description.options)
      if (option.name == "layers")
        sizes[option.name] = std::min(option.value, fewLayers);
    module = generateModel(description.name, batch, sizes, &context);
    PassManager passes(&context);
    if (!module ||
        failed(parsePassPipeline(
            ("soap-build-training-step{" + options + "}").str(), passes)) ||
        failed(passes.run(*module)))
      return;
    function = module->lookupSymbol<func::FuncOp>("train_step");
    FailureOr<OpGraph> graph = buildOpGraph(function);
    if (failed(graph))
      return;
    for (auto [op, node] : llvm::zip_equal(graph->ops, graph->graph.nodes))
      op->setAttr(SoapDialect::kName,
                  StringAttr::get(&context, node.whole.name));
    opGraph = std::move(*graph);
  }

  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  std::optional<OpGraph> opGraph;
};

class Rewrite : public ::testing::Test {
protected:
  Rewrite() {
    DialectRegistry registry;
    registry.insert<SoapDialect, func::FuncDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    registerSoapTransformsPasses();
  }

  MLIRContext context;
  std::mt19937 random{1};
  int compared = 0; ///< choices

  /// Some of the weights, and of their casts, that may be kept as they are
  /// written.
  std::vector<::soap::KeptValue> chooseKeeps(const ForwardPass &pass) {
    const ::soap::Graph &graph = pass.getGraph();
    std::vector<::soap::KeptValue> keeps;
    for (int value = 0; value < static_cast<int>(graph.values.size());
         ++value) {
      int writer = pass.writerOf(value);
      bool isWeight = writer < 0 || llvm::all_of(
                                        pass.kernel(writer).operands,
                                        [&](int operand) {
                                          return pass.writerOf(operand) < 0;
                                        });
      if (isWeight && random() % 3 == 0 &&
          !::soap::checkKeep(graph, value, ::soap::Keep::Before))
        keeps.push_back({value, ::soap::Keep::Before});
    }
    return keeps;
  }

  /// Rewrites IR and graph, and compares.
  void compare(const Step &step, const std::vector<bool> &nodes,
               const std::vector<::soap::KeptValue> &keeps) {
    const ::soap::Graph &plain = step.opGraph->graph;
    ForwardPass pass(*step.opGraph);
    auto made = ::soap::withRecomputation(pass, nodes, keeps);
    OwningOpRef<ModuleOp> copy = step.module.get().clone();
    auto function =
        copy->lookupSymbol<func::FuncOp>(func::FuncOp(step.function).getName());
    FailureOr<OpGraph> opGraph = buildOpGraph(function);
    ASSERT_TRUE(succeeded(opGraph));
    for (const ::soap::KeptValue &kept : keeps)
      if (!::soap::checkKeep(opGraph->graph, kept.value, kept.keep))
        ::soap::restoreValue(opGraph->graph, kept.value, kept.keep);
    writeKeeps(*opGraph);
    opGraph->graph = plain;
    ASSERT_TRUE(succeeded(recompute(ForwardPass(*opGraph), nodes)));
    opGraph = buildOpGraph(function);
    // With clones a value may be read otherwise, so that it cannot be kept.
    ASSERT_EQ(succeeded(opGraph), static_cast<bool>(made));
    if (!made)
      return;
    ++compared;

    std::vector<std::string> ofIr = GraphText(opGraph->graph).lines,
                             ofGraph = GraphText(made->graph).lines;
    ASSERT_EQ(ofIr.size(), ofGraph.size());
    for (size_t i = 0; i < ofIr.size(); ++i)
      ASSERT_EQ(ofIr[i], ofGraph[i]);
    ::soap::StepFacts expected = stepFactsOf(*opGraph),
                      facts = made->facts(stepFactsOf(*step.opGraph));
    EXPECT_EQ(expected.forwardOf, facts.forwardOf);
    EXPECT_EQ(expected.isClone, facts.isClone);
    EXPECT_EQ(expected.isData, facts.isData);
    EXPECT_EQ(expected.hasEffects, facts.hasEffects);
    // Of other loops the role of a gradient may be another one, if it reads
    // weights that are computed again.
    std::vector<std::vector<::soap::Role>> rolesOfIr = computeRoles(*opGraph);
    std::vector<std::vector<::soap::Role>> roles =
        made->roles(plain, computeRoles(*step.opGraph));
    for (size_t n = 0; n < roles.size(); ++n)
      for (size_t l = 0; l < roles[n].size(); ++l)
        EXPECT_EQ(rolesOfIr[n][l] == ::soap::Role::Sample,
                  roles[n][l] == ::soap::Role::Sample)
            << made->graph.nodes[n].whole.name << ", loop " << l;
  }

  void compareChoices(const Step &step) {
    const ::soap::Graph &plain = step.opGraph->graph;
    ForwardPass pass(*step.opGraph);
    std::vector<bool> none(plain.nodes.size()), all(plain.nodes.size(), true);
    all = pass.findRecomputable(all);
    std::vector<::soap::KeptValue> keeps = chooseKeeps(pass);
    compare(step, none, keeps);
    compare(step, all, {});
    compare(step, all, keeps);
    // A block of the forward pass, and some ops of all.
    size_t forward = 0;
    while (pass.isForward(static_cast<int>(forward)))
      ++forward;
    std::vector<bool> block(plain.nodes.size()), some = all;
    size_t first = random() % forward;
    for (size_t n = first; n < std::min(first + forward / 3 + 1, forward); ++n)
      block[n] = true;
    for (size_t n = 0; n < some.size(); ++n)
      some[n] = some[n] && random() % 2;
    compare(step, pass.findRecomputable(block), {});
    compare(step, pass.findRecomputable(some), keeps);
  }

  void compareNetworks(StringRef options) {
    for (const ModelDescription &description : modelDescriptions()) {
      SCOPED_TRACE(description.name);
      Step step(context, description, options);
      ASSERT_TRUE(step.opGraph.has_value());
      compareChoices(step);
      if (HasFatalFailure())
        return;
    }
    // Most of five choices a network.
    EXPECT_GT(compared, 4 * static_cast<int>(modelDescriptions().size()));
  }
};

TEST_F(Rewrite, IsThatOfIr) { compareNetworks("optimizer=sgd"); }
TEST_F(Rewrite, IsThatOfIrInMixedPrecision) {
  compareNetworks("optimizer=adamw precision=bf16");
}

} // namespace
