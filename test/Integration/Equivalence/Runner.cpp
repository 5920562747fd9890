//===- Runner.cpp - Runs a case and its partitioned programs --------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Runner.h.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"

#include "Plan/PlanTraffic.h"
#include "Soap/Analysis/OpGroups.h"
#include "Soap/Analysis/PartitionedGraph.h"
#include "Soap/Analysis/ProgramMemory.h"
#include "Soap/Analysis/SharedOps.h"
#include "Soap/Analysis/Stages.h"
#include "Soap/Compiler/JIT.h"
#include "Soap/Dialect/Soap/ReuseAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Memory/PeakMemory.h"
#include "Soap/Memory/PlanMemory.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Runtime/Artifact/Symbols.h"
#include "Soap/Runtime/Execution/Launcher.h"
#include "Soap/Search/Presets/Presets.h"
#include "Soap/Simulator/Algorithm1Simulator.h"
#include "Soap/Support/NarrowFloats.h"
#include "Soap/Transforms/Partition.h"
#include "Support/MeasuredCopies.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>

using namespace mlir;
using mlir::soap::SoapDialect;

namespace soap::equivalence {

namespace {

runtime::World *world = nullptr;

/// Collects diagnostics of a scope.
class Messages {
public:
  explicit Messages(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          text += diagnostic.str() + "\n";
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

std::string runPipeline(ModuleOp module, const std::string &pipeline) {
  Messages messages(*module.getContext());
  PassManager manager(module.getContext(), "builtin.module");
  std::string error;
  llvm::raw_string_ostream os(error);
  if (failed(parsePassPipeline(pipeline, manager, os)))
    return "pipeline '" + pipeline + "': " + error;
  if (failed(manager.run(module)))
    return "pipeline '" + pipeline + "' failed: " + messages.text;
  return "";
}

/// Calls `visit(index in the tensor, index in the packed tile)` for every
/// element of a region.
template <typename Visit>
void forEachElement(const Region &region, const std::vector<int64_t> &shape,
                    Visit visit) {
  std::vector<std::vector<int64_t>> indices;
  for (const IndexSet &set : region.indexSets()) {
    std::vector<int64_t> &list = indices.emplace_back();
    for (const Interval &range : set.intervals())
      for (int64_t i = range.lo; i < range.hi; ++i)
        list.push_back(i);
  }
  int64_t volume = region.volume();
  for (int64_t tile = 0; tile < volume; ++tile) {
    int64_t rest = tile, whole = 0, stride = 1;
    for (size_t d = indices.size(); d-- > 0;) {
      int64_t extent = static_cast<int64_t>(indices[d].size());
      whole += indices[d][rest % extent] * stride;
      rest /= extent;
      stride *= shape[d];
    }
    visit(whole, tile);
  }
}

/// Memory of the tiles of a run, 64-byte aligned.
struct TileMemory {
  void *allocate(int64_t bytes) {
    void *memory =
        std::aligned_alloc(64, (std::max<int64_t>(bytes, 1) + 63) / 64 * 64);
    std::memset(
        memory, 0xff,
        std::max<int64_t>(bytes, 1)); // NaN shows reads of unwritten bytes
    blocks.emplace_back(memory, &std::free);
    return memory;
  }
  std::vector<std::unique_ptr<void, decltype(&std::free)>> blocks;
};

double load(const void *data, runtime::DType type, int64_t i) {
  switch (type) {
  case runtime::DType::F32:
    return static_cast<const float *>(data)[i];
  case runtime::DType::F64:
    return static_cast<const double *>(data)[i];
  case runtime::DType::I32:
    return static_cast<const int32_t *>(data)[i];
  case runtime::DType::I64:
    return static_cast<double>(static_cast<const int64_t *>(data)[i]);
  case runtime::DType::F16:
    return static_cast<const Float16 *>(data)[i];
  case runtime::DType::BF16:
    return static_cast<const BFloat16 *>(data)[i];
  }
  return 0;
}

void store(void *data, runtime::DType type, int64_t i, double value) {
  switch (type) {
  case runtime::DType::F32:
    static_cast<float *>(data)[i] = static_cast<float>(value);
    break;
  case runtime::DType::F64:
    static_cast<double *>(data)[i] = value;
    break;
  case runtime::DType::I32:
    static_cast<int32_t *>(data)[i] = static_cast<int32_t>(value);
    break;
  case runtime::DType::I64:
    static_cast<int64_t *>(data)[i] = static_cast<int64_t>(value);
    break;
  case runtime::DType::F16:
    static_cast<Float16 *>(data)[i] = Float16(static_cast<float>(value));
    break;
  case runtime::DType::BF16:
    static_cast<BFloat16 *>(data)[i] = BFloat16(static_cast<float>(value));
    break;
  }
}

/// A run of one entry on all its devices.
struct Run {
  std::unique_ptr<mlir::soap::JITModule> code;
  std::shared_ptr<const runtime::Manifest> manifest;
  std::shared_ptr<runtime::Execution> execution;
  TileMemory memory;
  /// Other processes run some of the devices.
  bool distributed = false;

  /// Compiles a lowered module. Empty on success.
  std::string compile(ModuleOp lowered, int optLevel) {
    Messages messages(*lowered.getContext());
    FailureOr<std::unique_ptr<mlir::soap::JITModule>> compiled =
        mlir::soap::JITModule::create(lowered, runtime::resolveSymbol,
                                      optLevel);
    if (failed(compiled))
      return "compilation failed: " + messages.text;
    code = std::move(*compiled);
    Expected<runtime::Manifest> parsed =
        runtime::parseManifest(code->manifest().str(), "manifest");
    if (!parsed)
      return parsed.error();
    manifest = std::make_shared<runtime::Manifest>(std::move(*parsed));
    return "";
  }

  /// Binds tiles and runs one iteration of what is compiled. Empty on success.
  std::string launch(const std::string &entryName, const Tensors &inputs) {
    memory.blocks.clear();
    const runtime::EntryInfo *entry = manifest->entry(entryName);
    if (!entry)
      return "the manifest has no entry '" + entryName + "'";
    runtime::LauncherOptions options;
    options.devices = manifest->devices;
    options.threadsPerDevice = 1;
    options.pin = false;
    runtime::Placement placement;
    distributed = world && manifest->devices >= world->size();
    if (distributed) {
      Expected<runtime::Placement> placed = world->place(*manifest);
      if (!placed)
        return placed.error();
      placement = *placed;
      options.join(*world, placement);
    }
    execution =
        std::make_shared<runtime::Execution>(manifest, *entry, placement);
    for (size_t r = 0; r < entry->ranks.size(); ++r) {
      const runtime::RankInfo &rank = entry->ranks[r];
      if (!execution->placement.isHere(rank.device))
        continue;
      runtime::RankBinding &binding = execution->ranks[r];
      binding.program =
          reinterpret_cast<SoapProgram>(code->lookup(rank.program));
      if (!binding.program)
        return "no program '" + rank.program + "'";
      for (const runtime::TileInfo &tile : rank.args) {
        const runtime::TensorInfo &tensor = manifest->tensors[tile.tensor];
        void *data = memory.allocate(tile.region.volume() *
                                     runtime::sizeOf(tensor.dtype));
        bool isPosition = tensor.kind == runtime::TensorKind::Positions;
        auto values = inputs.find(tensor.name);
        if (!isPosition && values == inputs.end())
          return "no input '" + tensor.name + "'";
        forEachElement(tile.region, tensor.shape,
                       [&](int64_t whole, int64_t i) {
                         store(data, tensor.dtype, i,
                               isPosition ? static_cast<double>(whole)
                                          : values->second[whole]);
                       });
        binding.pointers.push_back(data);
      }
      for (const runtime::TileInfo &tile : rank.results)
        binding.pointers.push_back(memory.allocate(
            tile.region.volume() *
            runtime::sizeOf(manifest->tensors[tile.tensor].dtype)));
      binding.arena = memory.allocate(rank.arenaBytes);
    }
    runtime::Launcher launcher(options);
    if (MaybeError error = launcher.run(execution)) {
      // The other processes wait for messages that will not come.
      if (distributed)
        world->fail(error->message);
      return "run failed: " + error->message;
    }
    return "";
  }

  /// Calls `visit(tensor, tile, data, updated)` for every result tile and every
  /// updated argument tile.
  template <typename Visit>
  void forEachResult(Visit visit) const {
    for (size_t r = 0; r < execution->entry.ranks.size(); ++r) {
      const runtime::RankInfo &rank = execution->entry.ranks[r];
      if (!execution->placement.isHere(rank.device))
        continue;
      for (size_t i = 0; i < rank.args.size(); ++i)
        if (rank.args[i].updated)
          visit(manifest->tensors[rank.args[i].tensor], rank.args[i],
                execution->ranks[r].pointers[i], true);
      for (size_t i = 0; i < rank.results.size(); ++i)
        visit(manifest->tensors[rank.results[i].tensor], rank.results[i],
              execution->ranks[r].pointers[rank.args.size() + i], false);
    }
  }
};

Values fillValues(Random &random, const Fill &fill, int64_t volume) {
  Values values(volume);
  for (double &value : values)
    switch (fill.kind) {
    case Fill::Integers:
      value = static_cast<double>(uniform(random, -3, 3));
      break;
    case Fill::Uniform:
      value = static_cast<float>(
          fill.bound * std::uniform_real_distribution<float>(-1, 1)(random));
      break;
    case Fill::Positive:
      value = static_cast<float>(
          std::uniform_real_distribution<float>(0.5, 2)(random));
      break;
    case Fill::Constant:
      value = fill.bound;
      break;
    case Fill::Labels:
      value = static_cast<double>(uniform(random, -1, fill.classes - 1));
      break;
    }
  return values;
}

/// The scale of the norm of a difference: the norm, and at least the norm
/// of a tensor of this size with elements of a hundredth: tiny tiles are not
/// held to relative error.
double scaleOf(double squares, int64_t volume) {
  return std::max(std::sqrt(squares),
                  0.01 * std::sqrt(static_cast<double>(volume)));
}

/// Of all tensors.
double largestDifference(const Tensors &got, const Tensors &want) {
  double largest = 0;
  for (const auto &[name, values] : want) {
    double squares = 0, norm = 0;
    for (size_t i = 0; i < values.size(); ++i) {
      double difference = got.at(name)[i] - values[i];
      squares += difference * difference;
      norm += values[i] * values[i];
    }
    double scale = scaleOf(norm, static_cast<int64_t>(values.size()));
    // A value that is no number is never small.
    if (!(std::sqrt(squares) <= largest * scale))
      largest = std::isnan(squares) ? HUGE_VAL : std::sqrt(squares) / scale;
  }
  return largest;
}

} // namespace

void runInProcesses(runtime::World *newWorld) { world = newWorld; }

std::string Subject::parse(MLIRContext &context, bool wide,
                           const std::string &training,
                           OwningOpRef<ModuleOp> &parsed,
                           OwningOpRef<ModuleOp> *all) const {
  std::string text = source.text;
  if (wide)
    for (size_t at = 0; (at = text.find("f32>", at)) != std::string::npos; ++at)
      text.replace(at, 3, "f64");
  {
    Messages messages(context);
    parsed = parseSourceString<ModuleOp>(text, &context);
    if (!parsed)
      return "case does not parse: " + messages.text + text;
  }
  if (training.empty())
    return "";
  if (std::string error =
          runPipeline(*parsed, "soap-build-training-step{" + training + "}");
      !error.empty())
    return error;
  if (all)
    *all = parsed->clone();
  eraseOthers(*parsed);
  return "";
}

void Subject::eraseOthers(ModuleOp of) const {
  for (const char *other :
       {"forward", "evaluate", "train_step", "accumulate_step"})
    if (auto function = of.lookupSymbol<func::FuncOp>(other);
        function && other != entry)
      function.erase();
}

void Subject::fillInputs(uint64_t dataSeed) {
  auto function = base->lookupSymbol<func::FuncOp>(entry);
  Random random(dataSeed);
  for (BlockArgument argument : function.getArguments()) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      SoapDialect::kName);
    auto type = cast<RankedTensorType>(argument.getType());
    Fill fill{Fill::Uniform, 0};
    if (auto known = source.fills.find(name.str()); known != source.fills.end())
      fill = known->second;
    else if (type.getElementType().isInteger(32))
      fill = {Fill::Labels, 2};
    else if (name.getValue().ends_with(".v")) // mean of squares
      fill = {Fill::Positive, 0};
    // The number of an iteration.
    if (type.getElementType().isInteger(32) && type.getRank() == 0 &&
        !source.training.empty()) {
      inputs[name.str()] = {7};
      continue;
    }
    // How many batches have been accumulated.
    if (name == "batches" && !source.training.empty()) {
      inputs[name.str()] = {2};
      continue;
    }
    inputs[name.str()] = fillValues(random, fill, type.getNumElements());
  }
}

/// Compiles the reference lowering of a program. Empty on success.
static std::string compileOracle(Run &run, ModuleOp program) {
  OwningOpRef<ModuleOp> oracle = program.clone();
  std::string error =
      runPipeline(*oracle, "soap-lower-to-cpu{library=none fuse=false}");
  if (error.empty())
    error = run.compile(*oracle, /*optLevel=*/0);
  return error.empty() ? "" : "oracle: " + error;
}

/// Results and updated arguments. Empty on success.
static std::string runOracle(Run &run, const std::string &entry,
                             const Tensors &inputs, Tensors &results,
                             Tensors &updates) {
  if (std::string error = run.launch(entry, inputs); !error.empty())
    return "oracle: " + error;
  run.forEachResult([&](const runtime::TensorInfo &tensor,
                        const runtime::TileInfo &tile, const void *data,
                        bool updated) {
    Values &values = (updated ? updates : results)[tensor.name];
    values.resize(tensor.volume());
    forEachElement(tile.region, tensor.shape, [&](int64_t whole, int64_t i) {
      values[whole] = load(data, tensor.dtype, i);
    });
  });
  return "";
}

std::string Subject::prepare(MLIRContext &context, const Case &testCase,
                             uint64_t dataSeed) {
  source = testCase;
  // Of a step that accumulates, one or the other program.
  bool accumulates =
      source.training.find("accumulate=true") != std::string::npos;
  entry = source.training.empty()       ? "forward"
          : accumulates && dataSeed % 2 ? "accumulate_step"
                                        : "train_step";
  if (std::string error =
          parse(context, source.wide, source.training, base, &whole);
      !error.empty())
    return error;
  fillInputs(dataSeed);
  Run oracle;
  if (std::string error = compileOracle(oracle, *base); !error.empty())
    return error;
  if (std::string error =
          runOracle(oracle, entry, inputs, expected, expectedUpdates);
      !error.empty())
    return error;
  if (source.keepsStates)
    if (std::string error = checkKept(); !error.empty())
      return error;
  if (source.rounding > 0)
    return compareWithF32(context, dataSeed);
  if (!source.amplifies)
    return "";

  OwningOpRef<ModuleOp> other;
  if (std::string error = parse(context, !source.wide, source.training, other);
      !error.empty())
    return error;
  Run onHost;
  if (std::string error = compileOracle(onHost, *other); !error.empty())
    return error;
  // Other data where f32 is not within a thousand times its precision.
  for (uint64_t draw = 1;; ++draw) {
    Tensors results, updates;
    if (std::string error = runOracle(onHost, entry, inputs, results, updates);
        !error.empty())
      return error;
    if (std::max(largestDifference(expected, results),
                 largestDifference(expectedUpdates, updates)) <= 1e-4)
      return "";
    if (draw == 100)
      return "no data for which f32 is precise enough";
    fillInputs(dataSeed + draw);
    if (std::string error =
            runOracle(oracle, entry, inputs, expected, expectedUpdates);
        !error.empty())
      return error;
  }
}

/// Where gradients overflow, an iteration is none. Sums over the batches of an
/// iteration begin anew all the same, and the scale of the loss is halved.
std::string Subject::checkKept() const {
  if (entry != "train_step")
    return "";
  for (const auto &[name, values] : expectedUpdates) {
    bool isSum = llvm::StringRef(name).ends_with(".gradient") ||
                 name == "batches" || name == "loss_scale_good_steps",
         isScale = name == "loss_scale", isBatch = name == "batch_step";
    const Values &old = inputs.at(name);
    for (size_t i = 0; i < values.size() && !isBatch; ++i) {
      double want = isSum ? 0 : isScale ? old[i] / 2 : old[i];
      if (values[i] != want)
        return "state '" + name + "' is " + std::to_string(values[i]) +
               " behind gradients that overflow, expected " +
               std::to_string(want);
    }
  }
  return "";
}

/// The unsharded step in 16-bit floats beside the same in f32. Both differ by
/// all of the step's roundings, which grow in networks of many layers; a split
/// step rounds some sums elsewhere.
std::string Subject::compareWithF32(MLIRContext &context, uint64_t dataSeed) {
  std::string training = source.training;
  training.resize(training.find(" precision="));
  OwningOpRef<ModuleOp> wide;
  if (std::string error = parse(context, false, training, wide); !error.empty())
    return error;
  Run run, narrow;
  if (std::string error = compileOracle(run, *wide); !error.empty())
    return error;
  if (std::string error = compileOracle(narrow, *base); !error.empty())
    return error;
  constexpr double minRoundings = 16, maxRoundings = 48;
  double best = HUGE_VAL;
  for (uint64_t draw = 1; draw <= 30; ++draw) {
    Tensors results, updates;
    if (std::string error = runOracle(run, entry, inputs, results, updates);
        !error.empty())
      return error;
    for (Tensors *tensors : {&results, &updates})
      for (const char *name : {"correct", "step"})
        tensors->erase(name);
    double difference = std::max(largestDifference(expected, results),
                                 largestDifference(expectedUpdates, updates));
    best = std::min(best, difference);
    if (difference <= maxRoundings * source.rounding) {
      source.tolerance =
          std::max(minRoundings * source.rounding, 2 * difference);
      return "";
    }
    fillInputs(dataSeed + draw);
    if (std::string error =
            runOracle(narrow, entry, inputs, expected, expectedUpdates);
        !error.empty())
      return error;
  }
  return "no data for which the step in 16-bit floats is near that in f32: off "
         "by " +
         std::to_string(best) + ", expected at most " +
         std::to_string(maxRoundings * source.rounding);
}

std::set<std::string> Subject::ops() const {
  std::set<std::string> names;
  auto function = base.get().lookupSymbol<func::FuncOp>(entry);
  for (Operation &op : function.getBody().getOps())
    if (isa<mlir::soap::IterationSpaceOpInterface>(op))
      names.insert(op.getName().getStringRef().str());
  return names;
}

void Subject::draw(Random &random, DrawStatistics &statistics) {
  numDevices = static_cast<int>(uniform(random, 1, 8));
  // GPUs have collectives.
  topologyName =
      (uniform(random, 0, 1) ? "cpu-" : "h100-1x") + std::to_string(numDevices);
  int64_t maxPieces = uniform(random, 1, source.maxPieces);
  module = base->clone();
  drawStrategy(random, module->lookupSymbol<func::FuncOp>(entry), numDevices,
               maxPieces, statistics);
  keepSome();
  offloadSome();
}

void Subject::printProgram() {
  programText.clear();
  llvm::raw_string_ostream os(programText);
  module->print(os);
}

/// Of the text of a program: what is drawn depends on the program alone.
static uint64_t seedOf(const std::string &text) {
  return std::accumulate(text.begin(), text.end(), uint64_t(0),
                         [](uint64_t sum, char c) {
                           return sum * 31 + static_cast<unsigned char>(c);
                         });
}

/// Half of all training steps have some states of the optimizer in the memory
/// of the host.
void Subject::offloadSome() {
  printProgram();
  Random random(seedOf(programText) + 1);
  if (source.training.empty() || uniform(random, 0, 1))
    return;
  drawHostMemory(random, module->lookupSymbol<func::FuncOp>(entry));
  printProgram();
}

/// Half of all training steps keep values in one form.
void Subject::keepSome() {
  printProgram();
  if (!decidesKeeps)
    return;
  Random random(seedOf(programText));
  if (source.training.empty() || uniform(random, 0, 1))
    return;
  drawKeeps(random, module->lookupSymbol<func::FuncOp>(entry));
  printProgram();
}

std::string Subject::drawPreset(Random &random, const std::string &preset) {
  static const char *const clusters[] = {
      "cpu-1",    "cpu-2",   "cpu-3",   "cpu-5",    "p100-1x4",
      "p100-2x2", "k80-2x3", "k80-3x2", "h100-2x4", "cpu-8"};
  static const char *const fourDevices[] = {"cpu-4", "p100-2x2", "h100-1x4",
                                            "k80-2x2"};
  bool isRecipe = !llvm::is_contained(presetNames(), preset);
  topologyName =
      isRecipe ? fourDevices[uniform(random, 0, std::size(fourDevices) - 1)]
               : clusters[uniform(random, 0, std::size(clusters) - 1)];
  Expected<Topology> topology = builtinTopology(topologyName);
  if (!topology)
    return topology.error();
  numDevices = topology->deviceCount();
  module = base->clone();
  Messages messages(*module->getContext());
  FailureOr<mlir::soap::OpGraph> opGraph =
      mlir::soap::buildOpGraph(module->lookupSymbol<func::FuncOp>(entry));
  if (failed(opGraph))
    return "no op graph: " + messages.text;
  ParallelizationProblem problem(opGraph->graph, *topology,
                                 mlir::soap::computeGroups(*opGraph),
                                 mlir::soap::computeRoles(*opGraph));
  if (MaybeError error = problem.check())
    return error->message;
  Expected<NamedStrategy> named = namedStrategy(preset, problem);
  // A recipe is for some networks; test/Transforms/recipes.test has those that
  // are refused.
  if (!named && isRecipe)
    named = namedStrategy("zero", problem);
  if (!named)
    return named.error();
  for (const KeptValue &kept : named->keeps)
    restoreValue(opGraph->graph, kept.value, kept.keep);
  if (MaybeError error = problem.verify(named->strategy))
    return "preset '" + preset + "': " + error->message;
  mlir::soap::writeStrategy(*opGraph, named->strategy);
  mlir::soap::writeKeeps(*opGraph);
  if (named->keeps.empty())
    keepSome();
  offloadSome();
  return "";
}

/// Ranges of ops on groups of devices, one after the other or not.
std::string Subject::drawPlacement(Random &random, std::string recompute,
                                   int64_t microbatches, bool isGPipe) {
  module = whole->clone();
  eraseOthers(*module);
  if (!recompute.empty()) {
    recompute.pop_back(); // the comma
    if (std::string error = runPipeline(*module, recompute); !error.empty())
      return error;
  }
  std::vector<int> firsts;
  std::vector<int64_t> replicas(static_cast<size_t>(numDevices), 1);
  for (int next = 0; next < numDevices;) {
    int64_t count = uniform(random, 0, 1) ? 1 : uniform(random, 1, 3);
    count = std::min<int64_t>(count, numDevices - next);
    firsts.push_back(next);
    replicas[static_cast<size_t>(next)] = count;
    next += static_cast<int>(count);
  }
  Messages messages(*module->getContext());
  FailureOr<mlir::soap::OpGraph> opGraph =
      mlir::soap::buildOpGraph(module->lookupSymbol<func::FuncOp>(entry));
  if (failed(opGraph))
    return "no op graph: " + messages.text;
  const Graph &graph = opGraph->graph;
  std::vector<int> forward, begins;
  for (size_t n = 0; n < graph.nodes.size(); ++n)
    if (graph.nodes[n].whole.phase == Phase::Forward)
      forward.push_back(static_cast<int>(n));
  int64_t ranges = uniform(random, 1, 6);
  for (int64_t i = 1; i < ranges; ++i)
    begins.push_back(forward[static_cast<size_t>(
        uniform(random, 0, static_cast<int64_t>(forward.size()) - 1))]);
  begins.push_back(0);
  llvm::sort(begins);
  std::vector<int> firstOf; // by range
  for (size_t i = 0; i < begins.size(); ++i)
    firstOf.push_back(firsts[static_cast<size_t>(
        uniform(random, 0, static_cast<int64_t>(firsts.size()) - 1))]);
  std::vector<int> rangeOf =
      stagesOfNodes(graph, mlir::soap::forwardNodesOf(*opGraph), begins);
  std::vector<std::vector<Role>> roles = mlir::soap::computeRoles(*opGraph);
  Strategy strategy;
  for (size_t n = 0; n < graph.nodes.size(); ++n) {
    const Kernel &kernel = graph.nodes[n].whole;
    int first = firstOf[static_cast<size_t>(std::max(rangeOf[n], 0))];
    Config &config = strategy.emplace_back(Config::single(kernel.space, first));
    // Weights are sent where nothing that runs once is repeated.
    if ((kernel.phase == Phase::Update ||
         sampleLoopOf(kernel.space, roles[n]) < 0) &&
        uniform(random, 0, 9) > 0)
      config.replicas = replicas[static_cast<size_t>(first)];
    for (int r = 1; r < config.replicas; ++r)
      config.devices.push_back(first + r);
  }
  mlir::soap::writeStrategy(*opGraph, strategy);
  if (llvm::all_of(replicas, [](int64_t count) { return count == 1; }))
    replicas.clear();
  (*module)->setAttr(
      SoapDialect::kPipeline,
      mlir::soap::PipelineAttr::get(
          module->getContext(), microbatches,
          isGPipe ? mlir::soap::PipelineSchedule::GPipe
                  : mlir::soap::PipelineSchedule::OneForwardOneBackward,
          replicas));
  offloadSome();
  return "";
}

std::string Subject::drawPipeline(Random &random) {
  static const char *const clusters[] = {"cpu-2",    "cpu-3",    "cpu-4",
                                         "cpu-6",    "cpu-8",    "h100-1x2",
                                         "h100-1x4", "h100-2x2", "h100-2x4"};
  static const char *const presets[] = {"data-parallel",  "expert", "zero",
                                        "model-parallel", "fsdp",   "mixed-"};
  topologyName = clusters[uniform(random, 0, std::size(clusters) - 1)];
  Expected<Topology> topology = builtinTopology(topologyName);
  if (!topology)
    return topology.error();
  numDevices = topology->deviceCount();
  int64_t stages = 0;
  do
    stages = uniform(random, 1, numDevices);
  while (numDevices % stages != 0 || (stages == 1 && uniform(random, 0, 3)));
  int64_t chunks = uniform(random, 0, 2) ? 1 : uniform(random, 2, 3);
  int64_t samples = 0;
  auto function = base->lookupSymbol<func::FuncOp>(entry);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto dim =
            function.getArgAttrOfType<IntegerAttr>(i, SoapDialect::kSampleDim))
      samples = cast<RankedTensorType>(function.getArgumentTypes()[i])
                    .getDimSize(dim.getInt());
  if (source.normGroups > 0)
    samples = source.normGroups;
  bool isGPipe = uniform(random, 0, 2) == 0;
  int64_t microbatches = uniform(random, 1, samples);
  if (chunks > 1 && !isGPipe)
    microbatches =
        stages <= samples ? stages * uniform(random, 1, samples / stages) : 1;
  if (source.normGroups % microbatches != 0)
    microbatches = source.normGroups;
  if (chunks > 1 && !isGPipe && microbatches % stages != 0)
    chunks = 1;
  std::string inside = presets[uniform(random, 0, std::size(presets) - 1)];
  if (inside.ends_with("-"))
    inside += std::to_string(uniform(random, 0, 1000));
  static const char *const choices[] = {"blocks=whole", "ops=*",
                                        "blocks=selective budget=1",
                                        "blocks=whole first=1"};
  std::string recompute =
      uniform(random, 0, 3)
          ? ""
          : "soap-recompute{" +
                std::string(
                    choices[uniform(random, 0, std::size(choices) - 1)]) +
                " topology=" + topologyName + " function=" + entry + "},";
  if (uniform(random, 0, 2) == 0)
    return drawPlacement(random, recompute, microbatches, isGPipe);
  std::string error;
  for (;; chunks > 1 ? chunks = 1 : stages = 1) {
    module = whole->clone();
    error = runPipeline(*module,
                        recompute + "soap-pipeline{topology=" + topologyName +
                            " stages=" + std::to_string(stages) +
                            " chunks=" + std::to_string(chunks) +
                            " microbatches=" + std::to_string(microbatches) +
                            " schedule=" + (isGPipe ? "gpipe" : "1f1b") +
                            " inside=" + inside + " function=" + entry +
                            " summary=false}");
    // Small models have few ops.
    if ((stages == 1 && chunks == 1) ||
        error.find("with which a stage") == std::string::npos)
      break;
  }
  // A plan is not refused, in any function of the module.
  if (error.empty()) {
    Messages messages(*module->getContext());
    OwningOpRef<ModuleOp> copy = module->clone();
    if (failed(mlir::soap::partitionModule(*copy, *topology)))
      error = "planned, and then not partitioned: " + messages.text;
  }
  if (!error.empty()) {
    printProgram();
    return error;
  }
  eraseOthers(*module);
  offloadSome();
  return "";
}

/// Outlines what repeats, as a pipeline of many microbatches has it outlined,
/// and checks that putting it back in place gives the same text. The lowering
/// does so, too. Empty on success.
static std::string outlineOps(ModuleOp module) {
  auto textOf = [](ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream os(text);
    module->print(os);
    return text;
  };
  std::string before = textOf(module);
  mlir::soap::outlineSharedOps(module, /*callCost=*/1);
  if (failed(verify(module)))
    return "IR with outlined ops is not valid";
  OwningOpRef<ModuleOp> copy = module.clone();
  if (failed(mlir::soap::inlineSharedOps(*copy)) || textOf(*copy) != before)
    return "outlined ops differ from the programs";
  return "";
}

/// Peak memory of the plan that programs are written from, of the compact plan
/// that searches price, and of the programs. Empty if the first is equal, and
/// the second one no less.
static std::string comparePeaks(const mlir::soap::PricedFunction &priced,
                                ModuleOp module, DictionaryAttr entry,
                                const Topology &topology) {
  int devices = topology.deviceCount();
  std::vector<int64_t> planned = ::soap::peakBytes(
      priced.opGraph.graph, priced.plan,
      actionOrder(priced.plan, scheduleOrder(priced.tasks)), devices);
  FailureOr<std::vector<int64_t>> peaks =
      mlir::soap::programPeakBytes(module, entry, devices);
  if (failed(peaks))
    return "peaks of the programs are not known";
  const std::vector<int64_t> &written = *peaks;
  std::vector<int64_t> compact = planned;
  CostModel cost(topology);
  // Of a pipeline there is none.
  if (priced.strategy.size() == priced.opGraph.graph.nodes.size() &&
      !module->hasAttr(SoapDialect::kPipeline)) {
    StrategyPlan plan(priced.opGraph.graph, cost);
    plan.set(priced.strategy);
    compact = ::soap::peakBytes(plan);
  }
  for (size_t d = 0; d < planned.size(); ++d)
    if (planned[d] != written[d] || compact[d] < written[d])
      return "device " + std::to_string(d) + " needs " +
             std::to_string(written[d]) + " bytes in its program, expected " +
             std::to_string(planned[d]) + ", and at most " +
             std::to_string(compact[d]);
  return "";
}

std::string Subject::check(const std::string &lowering) {
  auto function = module->lookupSymbol<func::FuncOp>(entry);
  Messages messages(*module->getContext());
  Expected<Topology> topology = builtinTopology(topologyName);
  if (!topology)
    return topology.error();
  // Durations depend on how tiles are split and assembled.
  test::addMeasuredCopies(*topology);
  FailureOr<mlir::soap::PricedFunction> priced =
      mlir::soap::priceFunction(function, *topology);
  if (failed(priced))
    return "not priced: " + messages.text;
  if (failed(mlir::soap::partitionModule(*module, *topology)))
    return "not partitioned: " + messages.text;
  if (failed(verify(*module)))
    return "partitioned IR is not valid: " + messages.text;

  auto entries =
      module->getOperation()->getAttrOfType<ArrayAttr>(SoapDialect::kPrograms);
  FailureOr<TaskGraph> rebuilt = mlir::soap::rebuildTaskGraph(
      *module, cast<DictionaryAttr>(entries[0]), *topology);
  if (failed(rebuilt))
    return "task graph not rebuilt: " + messages.text;
  if (std::string difference =
          mlir::soap::compareTaskGraphs(priced->tasks, *rebuilt);
      !difference.empty())
    return "task graph of the partitioned IR differs: " + difference;
  if (std::string difference = comparePeaks(
          *priced, *module, cast<DictionaryAttr>(entries[0]), *topology);
      !difference.empty())
    return difference;
  if (std::string error = outlineOps(*module); !error.empty())
    return error;

  if (std::string error = runPipeline(*module, lowering); !error.empty())
    return error;
  Run run;
  if (std::string error = run.compile(*module, optLevel); !error.empty())
    return error;
  if (std::string error = run.launch(entry, inputs); !error.empty())
    return error;

  std::string failure;
  std::map<std::string, std::vector<bool>> covered;
  std::map<std::string, Values> copies;
  tiles.clear();
  run.forEachResult([&](const runtime::TensorInfo &tensor,
                        const runtime::TileInfo &tile, const void *data,
                        bool updated) {
    const Values &want = (updated ? expectedUpdates : expected).at(tensor.name);
    double difference = 0, norm = 0;
    int64_t wrong = 0;
    Values &bits =
        tiles[tensor.name + (updated ? " updated " : " ") + tile.region.str() +
              " " + std::to_string(tiles.size())];
    std::vector<bool> &seen = covered[tensor.name];
    Values &copy = copies[tensor.name];
    seen.resize(tensor.volume());
    copy.resize(tensor.volume());
    forEachElement(tile.region, tensor.shape, [&](int64_t whole, int64_t i) {
      double got = load(data, tensor.dtype, i);
      bits.push_back(got);
      bool same =
          got == want[whole] || (std::isnan(got) && std::isnan(want[whole]));
      wrong += !same;
      if (!same) {
        difference += std::isnan(got) || std::isinf(got)
                          ? HUGE_VAL
                          : (got - want[whole]) * (got - want[whole]);
      }
      norm += std::isfinite(want[whole]) ? want[whole] * want[whole] : 0;
      // Replicas of one tile hold identical bits.
      if (seen[whole] && copy[whole] != got && !std::isnan(got))
        failure = "replicas of '" + tensor.name + "' differ at element " +
                  std::to_string(whole);
      seen[whole] = true;
      copy[whole] = got;
    });
    if (source.rounding > 0) {
      double squares = 0;
      for (double value : want)
        squares += value * value;
      auto part = static_cast<double>(tile.region.volume()) /
                  static_cast<double>(std::max<size_t>(want.size(), 1));
      norm = std::max(norm, squares * part);
    }
    if (source.exact
            ? wrong > 0
            : !(std::sqrt(difference) <=
                source.tolerance * scaleOf(norm, tile.region.volume())))
      failure =
          "'" + tensor.name + "' " + tile.region.str() + ": " +
          std::to_string(wrong) + " of " +
          std::to_string(tile.region.volume()) +
          " elements differ, |a-b| = " + std::to_string(std::sqrt(difference)) +
          ", |b| = " + std::to_string(std::sqrt(norm));
  });
  if (!failure.empty())
    return failure;
  for (const Tensors *tensors : {&expected, &expectedUpdates})
    for (const auto &[name, values] : *tensors)
      if (!run.distributed &&
          (covered[name].size() != values.size() ||
           std::find(covered[name].begin(), covered[name].end(), false) !=
               covered[name].end()))
        return "'" + name + "' is not whole: some element is on no device";

  std::vector<std::vector<int64_t>> bytes =
      messageBytes(priced->opGraph.graph, priced->plan, numDevices);
  for (int from = 0; from < numDevices; ++from)
    for (int to = 0; to < numDevices; ++to)
      if (run.execution->placement.isHere(from) &&
          bytes[from][to] != run.execution->bytesSent[from * numDevices + to])
        return "bytes from device " + std::to_string(from) + " to " +
               std::to_string(to) + ": simulated " +
               std::to_string(bytes[from][to]) + ", sent " +
               std::to_string(run.execution->bytesSent[from * numDevices + to]);
  return "";
}

std::string
Subject::compareTiles(const std::map<std::string, Values> &kept) const {
  if (tiles.size() != kept.size())
    return std::to_string(tiles.size()) + " tiles, without " +
           std::to_string(kept.size());
  for (const auto &[name, values] : kept) {
    auto it = tiles.find(name);
    if (it == tiles.end())
      return "no tile " + name;
    for (size_t i = 0; i < values.size(); ++i)
      if (double got = it->second[i];
          std::memcmp(&got, &values[i], sizeof(got)) != 0)
        return "element " + std::to_string(i) + " of tile " + name + " is " +
               std::to_string(got) + ", without " + std::to_string(values[i]);
  }
  return "";
}

int64_t Subject::countRecomputed() const {
  int64_t count = 0;
  module.get()->walk(
      [&](Operation *op) { count += op->hasAttr(mlir::soap::kRecomputeOf); });
  return count;
}

bool Subject::canDropRecomputed() const {
  return countRecomputed() > 0 &&
         programText.find(mlir::soap::kKeep.str()) == std::string::npos;
}

std::string Subject::checkRecomputed(const std::string &lowering,
                                     const std::string &options,
                                     int64_t &recomputed) {
  OwningOpRef<ModuleOp> drawn = module->clone();
  if (std::string error = check(lowering); !error.empty())
    return error;
  std::map<std::string, Values> kept = std::move(tiles);
  module = std::move(drawn);
  if (std::string error =
          runPipeline(*module, "soap-recompute{" + options +
                                   " topology=" + topologyName + "}");
      !error.empty())
    return error;
  recomputed += countRecomputed();
  std::string error = check(lowering);
  if (error.empty())
    error = compareTiles(kept);
  return error.empty() ? "" : "with soap-recompute{" + options + "}: " + error;
}

std::string Subject::checkWithoutRecomputed(const std::string &lowering,
                                            int64_t &recomputed) {
  OwningOpRef<ModuleOp> drawn = module->clone();
  recomputed += countRecomputed();
  std::string error = runPipeline(*module, "soap-recompute{blocks=none}");
  if (error.empty())
    error = check(lowering);
  if (!error.empty())
    return "without recomputation: " + error;
  std::map<std::string, Values> kept = std::move(tiles);
  module = std::move(drawn);
  error = check(lowering);
  return error.empty() ? compareTiles(kept) : error;
}

} // namespace soap::equivalence
