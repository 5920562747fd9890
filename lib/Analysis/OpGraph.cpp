//===- OpGraph.cpp - From IR to the core's op graph -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds `soap::Graph` from a function of soap ops. Strategies are read and
// written in StrategyAttrs.cpp, roles are computed in Roles.cpp.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/OpGraph.h"

#include "Model/Fusion.h"
#include "ProductTypes.h"
#include "Soap/Dialect/Soap/FixedAttribute.h"
#include "Soap/Dialect/Soap/MemoryAttribute.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapInterfaces.h"
#include "Soap/Memory/HostMemory.h"
#include "Soap/Model/Rewrite.h"

#include "llvm/ADT/StringMap.h"

#include <cassert>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// Builds one graph, arguments first, then ops in program order, then results.
class GraphBuilder {
public:
  explicit GraphBuilder(func::FuncOp function) : function(function) {}

  FailureOr<OpGraph> build();

private:
  void listOps();
  LogicalResult addInputs();
  LogicalResult chooseNames();
  LogicalResult addNode(Operation *op, StringRef name);
  LogicalResult addStages(Operation *op, ::soap::GraphNode &node);
  FailureOr<::soap::Kernel> makeKernel(Operation *op, StringRef name,
                                       ::soap::Phase phase);
  LogicalResult addResults();
  LogicalResult addHostMemory();
  ::soap::KeptForms readKeeps();
  LogicalResult addRestores(const ::soap::KeptForms &forms);
  LogicalResult checkRecomputed();
  LogicalResult delayRecomputed(const ::soap::KeptForms &forms);
  LogicalResult addUpdate(Value value, unsigned result, IntegerAttr argument);

  ::soap::Phase phaseOf(Operation *op) const;
  FailureOr<int> addValue(Location loc, Type type, std::string name);
  LogicalResult readConfig(ConfigAttr attr, int value, const Twine &what,
                           ::soap::Config &config);

  func::FuncOp function;
  OpGraph result;
  /// The ops that become nodes, in program order.
  SmallVector<Operation *> ops;
  /// Names of the ops, in program order.
  SmallVector<std::string> names;
  /// Values by name, to keep names unique.
  llvm::StringMap<int> valueNames;
  DenseMap<Operation *, int> nodeOf;
};

/// Bytes of one element in memory; sub-byte elements take one.
int64_t elementBytes(Type type) {
  return std::max<int64_t>(1, (type.getIntOrFloatBitWidth() + 7) / 8);
}

} // namespace

FailureOr<int> GraphBuilder::addValue(Location loc, Type type,
                                      std::string name) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.getElementType().isIntOrFloat())
    return emitError(loc) << "'" << name << "' has type " << type
                          << ", expected a ranked tensor of integers or floats";
  if (!tensor.hasStaticShape())
    return emitError(loc)
           << "'" << name << "' has type " << type
           << ", expected a static shape (import with '--batch' to fix the "
              "batch size, or run '--soap-mark-arguments' with 'batch=N' or "
              "'sizes=ARGUMENT.DIM:N')";
  // The verifiers of other dialects allow more than configs and costs do.
  constexpr int64_t most = int64_t(1) << 44, longest = int64_t(1) << 40;
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape()) {
    if (extent == 0 || extent > longest || elements > most / extent)
      return emitError(loc) << "'" << name << "' has type " << type
                            << ", expected at least one element and at most "
                               "2^44";
    elements *= extent;
  }
  // A data argument may be called like some result of an op.
  std::string unique = name;
  for (int i = 1; valueNames.count(unique); ++i)
    unique = name + "'" + std::to_string(i);
  int id = static_cast<int>(result.graph.values.size());
  valueNames[unique] = id;
  result.graph.values.push_back({std::move(unique),
                                 std::vector<int64_t>(tensor.getShape()),
                                 elementBytes(tensor.getElementType())});
  return id;
}

LogicalResult GraphBuilder::readConfig(ConfigAttr attr, int value,
                                       const Twine &what,
                                       ::soap::Config &config) {
  ::soap::IterationSpace space =
      ::soap::tensorSpace(result.graph.values[value].shape);
  std::string error;
  std::optional<::soap::Config> resolved = resolveConfig(attr, space, error);
  if (!resolved)
    return function.emitError() << "'soap.config' of " << what << ": " << error;
  ::soap::ConfigCheck check = ::soap::checkConfig(space, *resolved, -1);
  if (check.fault != ::soap::ConfigFault::None)
    return function.emitError()
           << "'soap.config' of " << what << ": " << check.message;
  config = std::move(*resolved);
  return success();
}

LogicalResult GraphBuilder::addInputs() {
  llvm::StringMap<unsigned> seen;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::string name = "arg" + std::to_string(number);
    if (auto attr =
            function.getArgAttrOfType<StringAttr>(number, SoapDialect::kName)) {
      name = attr.str();
      auto [it, isNew] = seen.try_emplace(name, number);
      if (!isNew)
        return function.emitError() << "arguments " << it->second << " and "
                                    << number << " have the same 'soap.name' \""
                                    << name << "\", expected unique names";
    }
    FailureOr<int> id =
        addValue(argument.getLoc(), argument.getType(), std::move(name));
    if (failed(id))
      return failure();
    result.valueIds[argument] = *id;
    result.inputs.push_back(argument);
    ::soap::GraphInput input;
    input.value = *id;
    if (auto attr = function.getArgAttrOfType<ConfigAttr>(
            number, SoapDialect::kConfig)) {
      if (failed(readConfig(
              attr, *id, "argument \"" + result.graph.values[*id].name + "\"",
              input.config)))
        return failure();
      input.hasConfig = true;
    }
    result.graph.inputs.push_back(std::move(input));
  }
  return success();
}

/// Before stages are inserted and erased.
void GraphBuilder::listOps() {
  for (Operation &op : function.getBody().front().without_terminator())
    if (!isRepeated(&op))
      ops.push_back(&op);
}

/// Given names first, so that generated ones can avoid them.
LogicalResult GraphBuilder::chooseNames() {
  llvm::StringMap<Operation *> taken;
  for (Operation *op : ops) {
    auto attr = op->getAttrOfType<StringAttr>(SoapDialect::kName);
    names.push_back(attr ? attr.str() : std::string());
    if (!attr)
      continue;
    if (attr.empty())
      return op->emitOpError() << "has an empty 'soap.name'";
    auto [it, isNew] = taken.try_emplace(attr.getValue(), op);
    if (!isNew) {
      InFlightDiagnostic diagnostic =
          op->emitOpError() << "has the 'soap.name' \"" << attr.getValue()
                            << "\" of another op, expected unique names";
      diagnostic.attachNote(it->second->getLoc()) << "the other op is here";
      return diagnostic;
    }
  }
  size_t i = 0;
  for (Operation *op : ops) {
    std::string &name = names[i];
    for (size_t n = i++; name.empty(); ++n) {
      std::string candidate =
          (op->getName().stripDialect() + "_" + Twine(n)).str();
      if (taken.try_emplace(candidate, op).second)
        name = std::move(candidate);
    }
  }
  return success();
}

::soap::Phase GraphBuilder::phaseOf(Operation *op) const {
  if (op->hasAttr(SoapDialect::kUpdateOf))
    return ::soap::Phase::Update;
  if (op->hasAttr(SoapDialect::kGradOf) || op->hasAttr(kRecomputeOf))
    return ::soap::Phase::Backward;
  // Ops on gradients (sums, reshapes) belong to the backward phase, too.
  ::soap::Phase phase = ::soap::Phase::Forward;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      if (auto it = nodeOf.find(producer); it != nodeOf.end())
        phase = std::max(phase, result.graph.nodes[it->second].whole.phase);
  return phase;
}

FailureOr<::soap::Kernel>
GraphBuilder::makeKernel(Operation *op, StringRef name, ::soap::Phase phase) {
  auto spaceOp = dyn_cast<IterationSpaceOpInterface>(op);
  if (!spaceOp && (isa_and_nonnull<SoapDialect>(op->getDialect()) ||
                   op->hasAttr(SoapDialect::kSlot)))
    return op->emitOpError(
        "belongs into a partitioned program, expected an op of a model: "
        "'--soap-partition' adds what devices exchange");
  if (!spaceOp)
    return op->emitError() << "'" << op->getName()
                           << "' has no iteration space, expected an op that "
                              "implements 'IterationSpaceOpInterface'";
  ::soap::Kernel kernel;
  kernel.name = name.str();
  kernel.kind = op->getName().stripDialect().str();
  kernel.phase = phase;
  kernel.space = spaceOp.getIterationSpace();
  kernel.space.neutral = spaceOp.getNeutralValue();
  // Where an op with a fixed config is, its tensor is complete: it passes no
  // partial sums on.
  if (op->hasAttr(kFixed))
    kernel.space.linear = false;
  SmallVector<OpOperand *> operands = readOperands(op);
  if (kernel.space.operands.size() != operands.size() ||
      kernel.space.results.size() != op->getNumResults())
    return op->emitOpError()
           << "has " << operands.size() << " operands and "
           << op->getNumResults() << " results, but its iteration space has "
           << kernel.space.operands.size() << " and "
           << kernel.space.results.size();
  if (Value captured = findCapturedValue(op)) {
    InFlightDiagnostic error =
        op->emitOpError() << "has a region that reads a value of type "
                          << captured.getType()
                          << " from outside, expected an operand of the op";
    error.attachNote(captured.getLoc()) << "the value is here";
    return error;
  }
  for (OpOperand *operand : operands) {
    auto it = result.valueIds.find(operand->get());
    if (it == result.valueIds.end())
      return op->emitOpError() << "has an operand from outside of the function";
    kernel.operands.push_back(it->second);
  }
  return kernel;
}

LogicalResult GraphBuilder::addNode(Operation *op, StringRef name) {
  FailureOr<::soap::Kernel> kernel = makeKernel(op, name, phaseOf(op));
  if (failed(kernel))
    return failure();
  for (OpResult value : op->getResults()) {
    std::string valueName = (name + ".out").str();
    if (op->getNumResults() > 1)
      valueName += std::to_string(value.getResultNumber());
    FailureOr<int> id =
        addValue(op->getLoc(), value.getType(), std::move(valueName));
    if (failed(id))
      return failure();
    result.valueIds[value] = *id;
    kernel->results.push_back(*id);
  }
  ::soap::GraphNode node;
  node.whole = std::move(*kernel);
  if (llvm::any_of(node.whole.space.loops,
                   [](const ::soap::Loop &loop) { return loop.stage; }) &&
      failed(addStages(op, node)))
    return failure();
  nodeOf[op] = static_cast<int>(result.graph.nodes.size());
  result.graph.nodes.push_back(std::move(node));
  result.ops.push_back(op);
  return success();
}

/// Has the op write its stages in front of it, reads them as kernels, and
/// erases them again.
LogicalResult GraphBuilder::addStages(Operation *op, ::soap::GraphNode &node) {
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  FailureOr<SmallVector<Value>> replacements =
      cast<IterationSpaceOpInterface>(op).decomposeStages(builder);
  SmallVector<Operation *> stages;
  for (Operation *stage = before ? before->getNextNode()
                                 : &op->getBlock()->front();
       stage != op; stage = stage->getNextNode())
    stages.push_back(stage);

  auto read = [&]() -> LogicalResult {
    if (failed(replacements) || replacements->size() != op->getNumResults())
      return op->emitOpError()
             << "has a loop that is split in stages, but no stages";
    // Values that replace results are those results.
    for (auto [value, opResult] :
         llvm::zip_equal(*replacements, op->getResults()))
      if (!result.valueIds.try_emplace(value, result.valueIds.lookup(opResult))
               .second)
        return op->emitOpError() << "has stages that do not define result #"
                                 << opResult.getResultNumber();
    llvm::StringMap<int> seen;
    int internal = 0;
    for (Operation *stage : stages) {
      std::string name =
          node.whole.name + "/" + stage->getName().stripDialect().str();
      if (int n = seen[name]++)
        name += "." + std::to_string(n);
      FailureOr<::soap::Kernel> kernel =
          makeKernel(stage, name, node.whole.phase);
      if (failed(kernel))
        return failure();
      // Loops are the whole op's by name; ops with names of their own say which
      // of theirs these are. Others are not split.
      auto map = stage->getAttrOfType<DictionaryAttr>(SoapDialect::kLoopMap);
      for (const ::soap::Loop &loop : kernel->space.loops) {
        StringRef whole = loop.name;
        if (map) {
          auto mapped = map.getAs<StringAttr>(loop.name);
          whole = mapped ? mapped.getValue() : StringRef();
        }
        kernel->wholeLoops.push_back(node.whole.space.findLoop(whole.str()));
      }
      for (Value value : stage->getResults()) {
        auto it = result.valueIds.find(value);
        if (it == result.valueIds.end()) {
          FailureOr<int> id =
              addValue(op->getLoc(), value.getType(),
                       node.whole.name + "/" + std::to_string(internal++));
          if (failed(id))
            return failure();
          it = result.valueIds.try_emplace(value, *id).first;
        }
        kernel->results.push_back(it->second);
      }
      node.stages.push_back(std::move(*kernel));
    }
    return success();
  };
  LogicalResult status = read();
  for (Operation *stage : llvm::reverse(stages)) {
    for (Value value : stage->getResults())
      result.valueIds.erase(value);
    stage->erase();
  }
  return status;
}

/// No device holds a part of a sum as a tile of an argument: the op of a result
/// that replaces one passes no partial sums on, and makes none.
static void keepComplete(::soap::IterationSpace &space, int updateResult) {
  space.linear = false;
  const ::soap::AccessMap &map = space.results[updateResult].map;
  for (size_t l = 0; l < space.loops.size(); ++l)
    if (!::soap::usesLoop(map, static_cast<int>(l)))
      space.loops[l].type = ::soap::IteratorType::Serial;
}

/// Result `number` replaces an argument: that argument lives where the op that
/// defines `value` runs.
LogicalResult GraphBuilder::addUpdate(Value value, unsigned number,
                                      IntegerAttr argument) {
  auto error = [&]() {
    return function.emitError()
           << "result " << number
           << " with 'soap.updates' = " << argument.getInt() << " ";
  };
  int64_t replaced = argument.getInt();
  if (replaced < 0 || replaced >= static_cast<int64_t>(result.inputs.size()))
    return error() << "names no argument, expected 0 to "
                   << static_cast<int64_t>(result.inputs.size()) - 1;
  BlockArgument input = result.inputs[replaced];
  if (value == input)
    return success();
  if (value.getType() != input.getType())
    return error() << "has type " << value.getType()
                   << ", expected the argument's type " << input.getType();
  ::soap::GraphInput &graphInput = result.graph.inputs[replaced];
  if (graphInput.updateNode >= 0)
    return error() << "replaces an argument that another result replaces";
  if (graphInput.hasConfig)
    return error() << "replaces an argument with a 'soap.config'; it lives "
                      "where the op that updates it runs";
  Operation *op = value.getDefiningOp();
  if (op)
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() == input) {
        graphInput.updateNode = nodeOf.lookup(op);
        graphInput.updateOperand = static_cast<int>(operand.getOperandNumber());
        graphInput.updateResult =
            static_cast<int>(cast<OpResult>(value).getResultNumber());
        keepComplete(result.graph.nodes[graphInput.updateNode].whole.space,
                     graphInput.updateResult);
        return success();
      }
  return error() << "must be defined by an op that reads this argument";
}

LogicalResult GraphBuilder::addResults() {
  Operation *terminator = function.getBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    Value value = operand.get();
    if (auto argument = function.getResultAttrOfType<IntegerAttr>(
            number, SoapDialect::kUpdates)) {
      if (failed(addUpdate(value, number, argument)))
        return failure();
      continue;
    }
    ::soap::GraphOutput output;
    output.value = result.valueIds.lookup(value);
    auto name =
        function.getResultAttrOfType<StringAttr>(number, SoapDialect::kName);
    output.name = name ? name.str() : "result" + std::to_string(number);
    if (auto attr = function.getResultAttrOfType<ConfigAttr>(
            number, SoapDialect::kConfig)) {
      if (failed(readConfig(attr, output.value,
                            "result \"" + output.name + "\"", output.config)))
        return failure();
      output.hasConfig = true;
    }
    result.graph.outputs.push_back(std::move(output));
    result.outputResults.push_back(static_cast<int>(number));
  }
  return success();
}

/// Reads `soap.memory` of arguments.
LogicalResult GraphBuilder::addHostMemory() {
  for (auto [i, argument] : llvm::enumerate(result.inputs)) {
    if (!function.getArgAttr(argument.getArgNumber(), kMemory))
      continue;
    int number = static_cast<int>(i);
    if (auto error = ::soap::checkInHost(result.graph, number))
      return function.emitError()
             << "argument \""
             << result.graph.values[result.graph.inputs[i].value].name
             << "\" has a bad '" << kMemory << "': " << error->message;
    ::soap::putInHost(result.graph, number);
  }
  return success();
}

/// Reads `soap.keep` of ops and arguments.
::soap::KeptForms GraphBuilder::readKeeps() {
  auto read = [](Attribute attribute) {
    auto form = enumValue<KeptFormAttr>(attribute);
    return form ? *::soap::findKeep(stringifyKeptForm(*form).str())
                : ::soap::Keep::Both;
  };
  ::soap::KeptForms forms;
  for (Operation *op : result.ops)
    forms.ofNodes.push_back(read(op->getAttr(kKeep)));
  for (BlockArgument argument : result.inputs)
    forms.ofInputs.push_back(
        read(function.getArgAttr(argument.getArgNumber(), kKeep)));
  return forms;
}

/// On an op `soap.keep` applies to all results that can be kept so.
LogicalResult GraphBuilder::addRestores(const ::soap::KeptForms &forms) {
  auto error = ::soap::restoreKept(result.graph, forms);
  if (!error)
    return success();
  if (error->node >= 0)
    return result.ops[error->node]->emitOpError()
           << "has a bad '" << kKeep << "': " << error->message;
  return function.emitError()
         << "argument " << result.inputs[error->input].getArgNumber()
         << " has a bad '" << kKeep << "': " << error->message;
}

/// Every `soap.recompute_of` names an op of the forward pass with the loops of
/// this one.
LogicalResult GraphBuilder::checkRecomputed() {
  const ::soap::Graph &graph = result.graph;
  llvm::StringMap<size_t> nodes;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    nodes[graph.nodes[n].whole.name] = n;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    auto name = result.ops[n]->getAttrOfType<StringAttr>(kRecomputeOf);
    if (!name)
      continue;
    auto error = [&](const Twine &why) {
      return result.ops[n]->emitOpError()
             << "has a bad '" << kRecomputeOf << "': " << why;
    };
    auto it = nodes.find(name.getValue());
    if (it == nodes.end() || it->second >= n)
      return error("no op before it is called \"" + name.getValue() + "\"");
    const ::soap::Kernel &own = graph.nodes[n].whole;
    const ::soap::Kernel &of = graph.nodes[it->second].whole;
    if (of.phase != ::soap::Phase::Forward)
      return error("\"" + name.getValue() +
                   "\" is of the backward pass, expected an op of the forward "
                   "pass");
    for (const ::soap::Loop &loop : own.space.loops) {
      int other = of.space.findLoop(loop.name);
      if (other < 0 || of.space.loops[other].extent != loop.extent)
        return error("loop " + loop.name + " of extent " + Twine(loop.extent) +
                     " is no loop of \"" + name.getValue() + "\"");
    }
  }
  return success();
}

LogicalResult GraphBuilder::delayRecomputed(const ::soap::KeptForms &forms) {
  std::vector<bool> isClone;
  for (Operation *op : result.ops)
    isClone.push_back(op->hasAttr(kRecomputeOf));
  if (auto error = ::soap::delayClones(result.graph, isClone, forms))
    return result.ops[error->node]->emitOpError() << error->message;
  return success();
}

FailureOr<OpGraph> GraphBuilder::build() {
  if (!function.getBody().hasOneBlock())
    return function.emitError() << "'" << function.getName() << "' has "
                                << function.getBody().getBlocks().size()
                                << " blocks, expected a body of one block";
  ProductTypes products;
  products.add(function);
  result.graph.precision = products.resolve(function);
  listOps();
  if (failed(addInputs()) || failed(chooseNames()))
    return failure();
  for (auto [op, name] : llvm::zip_equal(ops, names))
    if (failed(addNode(op, name)))
      return failure();
  if (failed(addResults()) || failed(addHostMemory()))
    return failure();
  ::soap::keepInRegisters(result.graph);
  if (failed(checkRecomputed()))
    return failure();
  ::soap::KeptForms kept = readKeeps();
  if (failed(delayRecomputed(kept)) || failed(addRestores(kept)))
    return failure();
  assert(result.ops.size() == result.graph.nodes.size() && "an op a node");
  assert(result.inputs.size() == result.graph.inputs.size() &&
         "an argument an input");
  assert(result.outputResults.size() == result.graph.outputs.size() &&
         "a result an output");
  return std::move(result);
}

FailureOr<OpGraph> mlir::soap::buildOpGraph(func::FuncOp function) {
  return GraphBuilder(function).build();
}
