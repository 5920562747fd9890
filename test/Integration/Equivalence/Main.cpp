//===- Main.cpp - soap-equivalence ----------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Draws op x config and graph x strategy, and compares. Every case runs under a
// watchdog (Children.h). What was covered is printed and checked: each op of
// the dialect that a strategy can distribute has to be in some case, and each
// network of soap-translate.
//
//===----------------------------------------------------------------------===//

#include "Children.h"
#include "Leaks.h"
#include "Runner.h"
#include "Runtime/Transport/DelayTransport.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/InitAll.h"
#include "Soap/Search/Presets/Presets.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/xxhash.h"

#include <chrono>
#include <iostream>
#include <stdexcept>
#include <unistd.h>

using namespace soap::equivalence;
namespace cl = llvm::cl;

static cl::OptionCategory category("Options of soap-equivalence");
static cl::opt<int64_t> cases("cases", cl::cat(category),
                              cl::desc("number of cases (op x config)"),
                              cl::init(200));
static cl::opt<uint64_t>
    seed("seed", cl::cat(category),
         cl::desc("seed; case i of a seed is always the same"), cl::init(1));
static cl::opt<int64_t> first("first", cl::cat(category),
                              cl::desc("first case to run"), cl::init(0));
static cl::opt<int64_t>
    strategies("strategies", cl::cat(category),
               cl::desc("strategies drawn for each program"), cl::init(5));
static cl::opt<int64_t>
    graphs("graphs", cl::cat(category),
           cl::desc("percentage of programs that are whole graphs"),
           cl::init(12));
static cl::opt<int64_t>
    models("models", cl::cat(category),
           cl::desc("percentage of programs that are networks of "
                    "soap-translate --generate"),
           cl::init(3));
static cl::opt<int64_t>
    optimized("optimized", cl::cat(category),
              cl::desc("percentage of cases whose partitioned programs the "
                       "compiler optimizes"),
              cl::init(20));
static cl::opt<int64_t>
    timeout("timeout", cl::cat(category),
            cl::desc("seconds that one program and its strategies may take"),
            cl::init(400));
static cl::opt<int64_t>
    jobs("jobs", cl::cat(category),
         cl::desc("programs at a time, each in a process of its own"),
         cl::init(1));
static cl::opt<int64_t>
    distinct("distinct", cl::cat(category),
             cl::desc("fail if fewer cases than this differ in "
                      "program or strategy"),
             cl::init(0));
static cl::opt<std::string> filter("filter", cl::cat(category),
                                   cl::desc("only this op or graph"));
static cl::opt<std::string>
    precision("precision", cl::cat(category),
              cl::desc("bf16 or f16: training steps alone, in this precision"));
static cl::opt<std::string>
    lowering("lowering", cl::cat(category),
             cl::desc("options of the lowering of the programs that are "
                      "compared"));
static cl::opt<std::string>
    target("target", cl::cat(category),
           cl::desc("cpu: --soap-lower-to-cpu; cuda: --soap-lower-to-cuda, "
                    "whose kernels run as their host references for the CPU"),
           cl::init("cpu"));
static cl::opt<bool>
    pipelines("pipelines", cl::cat(category),
              cl::desc("networks as pipelines: random stages, microbatches, "
                       "schedules, and strategies inside of stages"));
static cl::opt<bool>
    recompute("recompute", cl::cat(category),
              cl::desc("training steps alone, each with activation "
                       "recomputation and without: the same bits"));
static cl::opt<int64_t>
    delays("delays", cl::cat(category),
           cl::desc("every second message waits at random up to so many "
                    "microseconds, some ten times as long"),
           cl::init(0));
static cl::opt<bool> verbose("verbose", cl::cat(category),
                             cl::desc("print every case"));
static cl::opt<bool> noFork("no-fork", cl::cat(category),
                            cl::desc("run in this process (for debuggers)"));
static cl::opt<bool>
    mpi("mpi", cl::cat(category),
        cl::desc("run in the processes that mpirun started (the same "
                 "flags on all ranks)"));

namespace {

/// Options of the lowering of a case's partitioned programs; `hash` differs
/// between cases: tasks that repeat are written out or are functions, images
/// on GPUs have one layout or the other, pooling and norms are kernels or
/// calls, rows of products are padded or not, and attention is in one tile or
/// in several.
std::string pipeline(uint64_t hash, bool sameBits) {
  std::string options = lowering;
  // The programs are small: also what a larger one would write out is outlined.
  if (lowering.find("outline-tasks=") == std::string::npos)
    options += " outline-tasks=" + std::to_string(hash / 4 % 3);
  // Whatever is fused or computed by a library, the bits of a clone are its
  // op's only where both are computed the same way.
  if (sameBits)
    return "soap-lower-to-cpu{library=none fuse=false " + options + "}";
  if (target != "cuda")
    return "soap-lower-to-cpu{" + options + "}";
  // PTX: no test reads the image.
  options += " format=isa";
  if (lowering.find("layout=") == std::string::npos)
    options += hash % 2 ? " layout=nhwc" : " layout=nchw";
  if (lowering.find("library-") == std::string::npos && hash / 2 % 2)
    options += " library-pooling=all library-norms=true";
  // Also what is worth it only in a larger one, and what that would compute in
  // tiles.
  if (lowering.find("pad-products=") == std::string::npos && hash / 24 % 2)
    options += " pad-products=0";
  if (lowering.find("attention-tile=") == std::string::npos && hash / 12 % 2)
    options += " attention-tile=16";
  return "soap-lower-to-cuda{" + options + "}";
}

/// Kinds of programs: single ops, small graphs, whole networks.
enum class Sort { Op, Graph, Network };

std::vector<Generator> pick(std::vector<Generator> all) {
  if (!precision.empty())
    all = narrowGenerators(std::move(all), precision);
  std::erase_if(all, [](const Generator &generator) {
    return (!filter.empty() && generator.name != filter) ||
           // It has no backward pass.
           (recompute && generator.name == "linear_chain") ||
           // GPUs of these programs have no 8-bit floats.
           ((recompute || target == "cuda") &&
            (generator.name == "scaled_layers" ||
             generator.name == "matmul_scaled"));
  });
  return all;
}

const std::vector<Generator> &generatorsOf(Sort sort) {
  auto unless = [](bool left, std::vector<Generator> (*make)()) {
    return left ? std::vector<Generator>() : pick(make());
  };
  static const std::vector<Generator> ops = unless(pipelines || recompute,
                                                   opGenerators),
                                      graphs =
                                          unless(pipelines, graphGenerators),
                                      networks =
                                          pick(pipelines ? pipelineGenerators()
                                                         : modelGenerators());
  return sort == Sort::Op ? ops : sort == Sort::Graph ? graphs : networks;
}

int64_t countOf(Sort sort) {
  return static_cast<int64_t>(generatorsOf(sort).size());
}

/// How many of the programs [0, n) are of each sort.
struct Shares {
  int64_t ops, graphs, networks;
  int64_t operator[](Sort sort) const {
    return sort == Sort::Op ? ops : sort == Sort::Graph ? graphs : networks;
  }
};
Shares sharesOf(int64_t n) {
  Shares shares;
  bool others = countOf(Sort::Op) + countOf(Sort::Graph) > 0;
  shares.networks = !countOf(Sort::Network) ? 0
                    : !others               ? n
                                            : n * models / 100;
  n -= shares.networks;
  shares.graphs = !countOf(Sort::Graph) ? 0
                  : !countOf(Sort::Op)  ? n
                                        : n * ::graphs / 100;
  shares.ops = n - shares.graphs;
  return shares;
}

Sort sortOf(int64_t program) {
  Shares before = sharesOf(program), after = sharesOf(program + 1);
  return after.networks > before.networks ? Sort::Network
         : after.graphs > before.graphs   ? Sort::Graph
                                          : Sort::Op;
}

/// Graphs and networks run under this many presets, too, in turn.
constexpr int64_t presetsPerGraph = 2;

/// The preset of strategy `s` of a program, or nothing: then it is random.
std::string presetOf(int64_t program, int64_t s) {
  Sort sort = sortOf(program);
  if (pipelines || s == 0 || sort == Sort::Op ||
      s + presetsPerGraph < strategies)
    return "";
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = soap::presetNames();
    for (const char *recipe : {"fsdp", "megatron(tp=2)", "megatron(tp=2,sp)"})
      all.emplace_back(recipe);
    return all;
  }();
  // Others in every round over the generators.
  int64_t before = sharesOf(program)[sort], round = before / countOf(sort),
          turn = before * presetsPerGraph + strategies - 1 - s + round;
  return names[static_cast<size_t>(turn) % names.size()];
}

/// Round robin over each sort, so that each generator has its share; a short
/// run of another seed begins elsewhere.
const Generator &generatorOf(int64_t program) {
  Sort sort = sortOf(program);
  const std::vector<Generator> &generators = generatorsOf(sort);
  auto turn = static_cast<uint64_t>(sharesOf(program)[sort]);
  return generators[(turn + 31 * seed) % generators.size()];
}

/// Options of soap-recompute of a case.
std::string recomputation(uint64_t hash) {
  static const char *const choices[] = {"blocks=whole", "ops=*",
                                        "blocks=selective budget=1",
                                        "blocks=whole first=1"};
  return choices[hash % std::size(choices)];
}

/// Program `index` under its strategies: shapes, data and strategies depend on
/// seed and index alone.
Report runProgram(mlir::MLIRContext &context, int64_t index) {
  Random random(seed * 1000003 + static_cast<uint64_t>(index));
  Case testCase = generatorOf(index).make(random);
  Report report;
  report.program = index;
  report.name = testCase.name;
  auto fail = [&](const std::string &what, const std::string &program) {
    ++report.failed;
    report.failures += "FAILED program " + std::to_string(index) + " (" +
                       testCase.name + "): " + what + "\n" + program;
  };
  Subject subject;
  if (std::string error = subject.prepare(context, testCase, random());
      !error.empty()) {
    report.failed += strategies - 1;
    fail(error, testCase.text);
    return report;
  }
  report.ops = subject.ops();
  if (recompute)
    subject.keepEverything();
  for (int64_t s = 0; s < strategies; ++s) {
    std::string preset = presetOf(index, s), error;
    // Another strategy than those before, if there is one: an op of few
    // elements may have few.
    uint64_t hash = 0;
    for (int attempt = 0; attempt < 20; ++attempt) {
      if (pipelines)
        error = subject.drawPipeline(random);
      else if (preset.empty())
        subject.draw(random, report.draws);
      else
        error = subject.drawPreset(random, preset);
      hash = llvm::xxh3_64bits(subject.program() + subject.topology());
      if (!llvm::is_contained(report.cases, hash))
        break;
    }
    report.cases.push_back(hash);
    // Of pipelines that recompute, every other one is run without, too.
    bool sameBits = recompute || (pipelines && target == "cpu" && hash % 2 &&
                                  subject.canDropRecomputed());
    std::string lowerTo = pipeline(hash, sameBits);
    bool optimize = static_cast<int64_t>(hash / 12 % 100) < optimized;
    subject.setOptLevel(optimize ? 1 : 0);
    if (error.empty())
      error = recompute ? subject.checkRecomputed(lowerTo, recomputation(hash),
                                                  report.recomputed)
              : sameBits
                  ? subject.checkWithoutRecomputed(lowerTo, report.recomputed)
                  : subject.check(lowerTo);
    if (error.empty())
      ++report.passed;
    else
      fail("strategy " + std::to_string(s) +
               (preset.empty() ? "" : " (preset " + preset + ")") + ", on " +
               subject.topology() + ": " + error,
           subject.program());
  }
  return report;
}

/// The dialect, and all that its programs are lowered with.
class Context {
public:
  Context() : context(registry(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  /// Names of the ops that a strategy distributes.
  std::set<std::string> dialectOps() {
    std::set<std::string> names;
    for (mlir::RegisteredOperationName op : context.getRegisteredOperations())
      if (op.hasInterface<mlir::soap::IterationSpaceOpInterface>())
        names.insert(op.getStringRef().str());
    return names;
  }

  mlir::MLIRContext context;

private:
  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry registry;
    mlir::soap::registerAllDialects(registry);
    registry.insert<mlir::func::FuncDialect>();
    return registry;
  }
};

Report lostProgram(int64_t program, const std::string &end) {
  Report report;
  report.program = program;
  report.name = generatorOf(program).name;
  report.failed = strategies;
  report.failures = "FAILED program " + std::to_string(program) + " (" +
                    report.name + "): " + end +
                    " (run with --first=" + std::to_string(program) +
                    " --cases=1 --no-fork)\n";
  return report;
}

/// Joins the ranks of mpirun; the process ends when one is lost.
std::unique_ptr<soap::runtime::World> joinProcesses() {
  soap::Expected<soap::runtime::ProcessGroup *> group = [] {
    MayLeak starting;
    return soap::runtime::joinMpi();
  }();
  soap::runtime::PeerMonitorOptions options;
  options.silence = std::chrono::milliseconds(30000);
  options.onLost = [](const std::string &message, const std::vector<int> &) {
    std::cerr << "soap-equivalence: " << message << "\n";
    _exit(1);
  };
  std::string error = group ? "" : group.error();
  if (group) {
    auto world = soap::runtime::World::create(**group, options);
    if (world)
      return std::move(*world);
    error = world.error();
  }
  std::cerr << "soap-equivalence: " << error << "\n";
  _exit(1);
}

/// A case has passed if it has on all ranks. Collective; false, with counts of
/// no use, on all ranks but the first.
bool addOtherRanks(soap::runtime::ProcessGroup &group, Totals &totals) {
  auto texts = soap::runtime::gatherTexts(group, std::to_string(totals.failed));
  if (!texts) {
    std::cerr << "soap-equivalence: " << texts.error() << "\n";
    _exit(1);
  }
  for (size_t i = 1; i < texts->size(); ++i) {
    int64_t failed = std::stoll((*texts)[i]);
    totals.failed += failed;
    totals.passed = std::max<int64_t>(0, totals.passed - failed);
  }
  return group.rank() == 0;
}

} // namespace

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category); // of LLVM's libraries
  cl::ParseCommandLineOptions(
      argc, argv,
      "Random programs under random strategies, compared with the reference "
      "lowering of the unsharded program\n");
  mlir::soap::registerAllPasses();
  constexpr Sort sorts[] = {Sort::Op, Sort::Graph, Sort::Network};
  if (std::all_of(std::begin(sorts), std::end(sorts),
                  [](Sort sort) { return countOf(sort) == 0; })) {
    std::cerr << "soap-equivalence: --filter=" << filter
              << " names no op, no graph and no network; expected one of";
    for (auto make : {opGenerators, graphGenerators, modelGenerators})
      for (const Generator &generator : make())
        std::cerr << " " << generator.name;
    std::cerr << "\n";
    return 2;
  }
  if (target != "cpu" && target != "cuda") {
    std::cerr << "soap-equivalence: --target=" << target
              << ": expected cpu or cuda\n";
    return 2;
  }
  if (!precision.empty() && precision != "bf16" && precision != "f16") {
    std::cerr << "soap-equivalence: --precision=" << precision
              << ": expected bf16 or f16\n";
    return 2;
  }
  if (strategies < 1 || cases < 1 || jobs < 1) {
    std::cerr << "soap-equivalence: --cases, --strategies and --jobs must be "
                 "at least 1\n";
    return 2;
  }
  soap::runtime::injectDelays({seed, std::chrono::microseconds(delays)});
  int64_t programs = (cases + strategies - 1) / strategies;
  Totals totals;
  std::unique_ptr<soap::runtime::World> world;
  if (mpi) {
    noFork = true;
    world = joinProcesses();
    runInProcesses(world.get());
  }
  bool isFirstRank = !world || world->processes().rank() == 0;
  if (isFirstRank)
    std::cout << "seed " << seed << ", " << programs << " programs x "
              << strategies << " strategies\n"
              << std::flush;
  auto add = [&](const Report &report) {
    totals.add(report, verbose);
    if (isFirstRank)
      totals.printProgress(programs);
  };
  if (noFork) {
    Context context;
    for (int64_t i = first; i < first + programs; ++i)
      add(runProgram(context.context, i));
  } else {
    try {
      runInChildren(
          first, first + programs, {jobs, timeout},
          [](int64_t program) {
            // Made by the child: a context's threads do not survive a fork.
            static Context context;
            return runProgram(context.context, program);
          },
          add, lostProgram);
    } catch (const std::runtime_error &error) {
      std::cerr << "soap-equivalence: " << error.what() << "\n";
      return 1;
    }
  }
  // Before MPI ends: then its plugins are gone, and nothing says that what they
  // have left behind is theirs.
  bool leaked = world && leaks();
  if (world && !addOtherRanks(world->processes(), totals)) {
    soap::MaybeError error = world->leave();
    _exit(error || leaked ? 1 : 0);
  }
  std::set<std::string> dialectOps = Context().dialectOps();
  if (target == "cuda")
    for (const char *op : {"amax", "block_scales", "quantize", "matmul_scaled"})
      dialectOps.erase(std::string("soap.") + op);
  totals.print(dialectOps);
  std::vector<std::string> problems;
  int64_t refused = 0;
  for (const auto &[reason, count] : totals.draws.refused)
    refused += count;
  if (refused * 20 > totals.draws.draws)
    problems.push_back("more than 5 % of the draws were refused");
  // Whether each generator of a sort has had its turn.
  auto hadTurns = [&](Sort sort) {
    return filter.empty() && countOf(sort) > 0 &&
           sharesOf(first + programs)[sort] - sharesOf(first)[sort] >=
               countOf(sort);
  };
  if (countOf(Sort::Op) > 0 && hadTurns(Sort::Op) &&
      !totals.missing(dialectOps).empty())
    problems.push_back("ops of the dialect are in no case");
  for (Sort sort : {Sort::Graph, Sort::Network})
    for (const Generator &generator : generatorsOf(sort))
      if (hadTurns(sort) && !totals.byName.count(generator.name))
        problems.push_back("'" + generator.name + "' is in no case");
  for (const std::string &model :
       pipelines ? std::vector<std::string>() : modelsWithoutCase())
    problems.push_back("network '" + model + "' has no generator of cases");
  if (recompute || pipelines)
    std::cout << totals.recomputed << " ops recomputed\n";
  if (recompute) {
    if (totals.recomputed < totals.passed)
      problems.push_back("fewer ops are recomputed than there are cases");
  }
  if (static_cast<int64_t>(totals.cases.size()) < distinct)
    problems.push_back("fewer than " + std::to_string(distinct) +
                       " distinct cases");
  std::cout << totals.passed << " passed, " << totals.failed << " failed\n";
  for (const std::string &problem : problems)
    std::cout << problem << "\n";
  std::cout << std::flush;
  if (world && world->leave())
    _exit(1);
  int status = totals.failed || !problems.empty() ? 1 : 0;
  // Threads of MPI and of the monitor are at work to the end.
  if (world)
    _exit(leaked ? 1 : status);
  return status;
}
