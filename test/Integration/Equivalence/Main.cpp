//===- Main.cpp - soap-equivalence ----------------------------------------===//
//
// Draws op x config and graph x strategy, and compares. Every case runs under a
// watchdog: cases run in a child process that reports each one; a child that
// dies or stays silent fails its case, and the next child goes on behind it.
//
//===----------------------------------------------------------------------===//

#include "Runner.h"
#include "Soap/InitAll.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/CommandLine.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace soap::equivalence;
namespace cl = llvm::cl;

static cl::opt<int64_t>
    cases("cases", cl::desc("number of cases (op x config)"), cl::init(200));
static cl::opt<uint64_t>
    seed("seed", cl::desc("seed; case i of a seed is always the same"),
         cl::init(1));
static cl::opt<int64_t> first("first", cl::desc("first case to run"),
                              cl::init(0));
static cl::opt<int64_t>
    strategies("strategies", cl::desc("strategies drawn for each program"),
               cl::init(5));
static cl::opt<int64_t>
    graphs("graphs", cl::desc("percentage of programs that are whole graphs"),
           cl::init(12));
static cl::opt<int64_t>
    timeout("timeout",
            cl::desc("seconds that one program and its strategies may take"),
            cl::init(400));
static cl::opt<std::string> filter("filter", cl::desc("only this op or graph"));
static cl::opt<bool> verbose("verbose", cl::desc("print every case"));
static cl::opt<bool> noFork("no-fork",
                            cl::desc("run in this process (for debuggers)"));
static cl::opt<bool>
    mpi("mpi", cl::desc("run in the processes that mpirun started (the same "
                        "flags on all ranks)"));

namespace {

/// What a child reports of one program: one line per field.
struct Report {
  int64_t passed = 0, failed = 0;
  DrawStatistics draws;
  std::string failures;
  std::string name;
};

std::vector<Generator> pick(bool graph) {
  std::vector<Generator> all = graph ? graphGenerators() : opGenerators(),
                         chosen;
  for (Generator &generator : all)
    if (filter.empty() || generator.name == filter)
      chosen.push_back(std::move(generator));
  return chosen;
}

/// Program `index`: its generator, shape, data and strategies depend on seed
/// and index alone.
Report runProgram(mlir::MLIRContext &context, int64_t index) {
  Random random(seed * 1000003 + static_cast<uint64_t>(index));
  static const std::vector<Generator> ops = pick(false), networks = pick(true);
  bool graph =
      ops.empty() || (!networks.empty() && uniform(random, 0, 99) < graphs);
  const std::vector<Generator> &generators = graph ? networks : ops;
  // Round robin over the ops, so that each has its share; at random over
  // graphs.
  const Generator &generator =
      graph ? generators[uniform(random, 0,
                                 static_cast<int64_t>(generators.size()) - 1)]
            : generators[index % generators.size()];
  Case testCase = generator.make(random);
  Report report;
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
  for (int64_t s = 0; s < strategies; ++s) {
    std::string description;
    std::string error = subject.check(random, report.draws, description);
    if (error.empty())
      ++report.passed;
    else
      fail("strategy " + std::to_string(s) + ", " + description + ": " + error,
           subject.lastProgram());
  }
  return report;
}

void writeAll(int fd, const std::string &text) {
  size_t done = 0;
  while (done < text.size()) {
    ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n <= 0)
      _exit(3);
    done += static_cast<size_t>(n);
  }
}

/// Fields of a report, one line each; failures have their length first.
std::string encode(const Report &report) {
  std::string text =
      "\x01 " + report.name + " " + std::to_string(report.passed) + " " +
      std::to_string(report.failed) + " " + std::to_string(report.draws.draws) +
      " " + std::to_string(report.draws.refused.size());
  for (const auto &[reason, count] : report.draws.refused)
    text += " " + reason + " " + std::to_string(count);
  return text + " " + std::to_string(report.failures.size()) + "\n" +
         report.failures;
}

void runChild(int fd, int64_t from, int64_t to) {
  mlir::DialectRegistry registry;
  mlir::soap::registerAllDialects(registry);
  registry.insert<mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  for (int64_t i = from; i < to; ++i)
    writeAll(fd, encode(runProgram(context, i)));
}

struct Totals {
  int64_t passed = 0, failed = 0, programs = 0;
  DrawStatistics draws;
  std::map<std::string, int64_t> byName;

  void add(const Report &report) {
    ++programs;
    passed += report.passed;
    failed += report.failed;
    byName[report.name] += report.passed + report.failed;
    draws.draws += report.draws.draws;
    for (const auto &[reason, count] : report.draws.refused)
      draws.refused[reason] += count;
    if (!report.failures.empty())
      std::cout << report.failures << std::flush;
    else if (verbose)
      std::cout << "program " << programs - 1 << " " << report.name << ": "
                << report.passed << " passed\n"
                << std::flush;
  }
};

/// Reads reports of a child until it ends; returns how many, and why it ended.
int64_t readReports(int fd, pid_t child, Totals &totals, std::string &end) {
  std::string buffer;
  int64_t reports = 0;
  for (;;) {
    size_t line = buffer.find('\n');
    if (line != std::string::npos) {
      std::istringstream head(buffer.substr(2, line - 2));
      Report report;
      size_t reasons = 0, length = 0;
      head >> report.name >> report.passed >> report.failed >>
          report.draws.draws >> reasons;
      for (size_t i = 0; i < reasons; ++i) {
        std::string reason;
        int64_t count = 0;
        head >> reason >> count;
        report.draws.refused[reason] = count;
      }
      head >> length;
      if (buffer.size() >= line + 1 + length) {
        report.failures = buffer.substr(line + 1, length);
        buffer.erase(0, line + 1 + length);
        totals.add(report);
        ++reports;
        continue;
      }
    }
    pollfd poller{fd, POLLIN, 0};
    int ready = poll(&poller, 1, static_cast<int>(timeout * 1000));
    if (ready == 0) {
      kill(child, SIGKILL);
      end = "hangs: silent for " + std::to_string(timeout) + " s";
      return reports;
    }
    char chunk[65536];
    ssize_t n = read(fd, chunk, sizeof chunk);
    if (n <= 0) {
      end = "crashes";
      return reports;
    }
    buffer.append(chunk, static_cast<size_t>(n));
  }
}

} // namespace

namespace {

/// Joins the ranks of mpirun; the process ends when one is lost.
std::unique_ptr<soap::runtime::World> joinProcesses() {
  soap::Expected<soap::runtime::ProcessGroup *> group =
      soap::runtime::joinMpi();
  soap::runtime::PeerMonitorOptions options;
  options.silence = std::chrono::milliseconds(30000);
  options.onLost = [](const std::string &message) {
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
  cl::ParseCommandLineOptions(
      argc, argv,
      "Random programs under random strategies, compared with the reference "
      "lowering of the unsharded program\n");
  mlir::soap::registerAllPasses();
  if (pick(false).empty() && pick(true).empty()) {
    std::cerr << "soap-equivalence: --filter=" << filter
              << " names no op and no graph; expected one of";
    for (bool graph : {false, true})
      for (const Generator &generator :
           graph ? graphGenerators() : opGenerators())
        std::cerr << " " << generator.name;
    std::cerr << "\n";
    return 2;
  }
  if (strategies < 1 || cases < 1) {
    std::cerr
        << "soap-equivalence: --cases and --strategies must be at least 1\n";
    return 2;
  }
  int64_t programs = (cases + strategies - 1) / strategies;
  Totals totals;
  std::unique_ptr<soap::runtime::World> world;
  if (mpi) {
    noFork = true;
    world = joinProcesses();
    runInProcesses(world.get());
  }
  if (noFork) {
    mlir::DialectRegistry registry;
    mlir::soap::registerAllDialects(registry);
    registry.insert<mlir::func::FuncDialect>();
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    for (int64_t i = first; i < first + programs; ++i)
      totals.add(runProgram(context, i));
  }
  for (int64_t next = first; !noFork && next < first + programs;) {
    int fds[2];
    if (pipe(fds) != 0) {
      std::perror("soap-equivalence: pipe");
      return 1;
    }
    std::cout << std::flush;
    pid_t child = fork();
    if (child == 0) {
      close(fds[0]);
      runChild(fds[1], next, first + programs);
      _exit(0);
    }
    close(fds[1]);
    std::string end;
    next += readReports(fds[0], child, totals, end);
    close(fds[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (next < first + programs) {
      Report report;
      report.name = "unknown";
      report.failed = strategies;
      report.failures = "FAILED program " + std::to_string(next) + ": " + end +
                        " (run with --first=" + std::to_string(next) +
                        " --cases=1 --no-fork)\n";
      totals.add(report);
      ++next;
    }
  }
  if (world && !addOtherRanks(world->processes(), totals)) {
    soap::MaybeError error = world->leave();
    _exit(error ? 1 : 0);
  }
  std::cout << "seed " << seed << ", " << totals.programs << " programs x "
            << strategies << " strategies\n";
  for (const auto &[name, count] : totals.byName)
    std::cout << "  " << name << ": " << count << "\n";
  int64_t refused = 0;
  for (const auto &[reason, count] : totals.draws.refused)
    refused += count;
  std::cout << "configs drawn: " << totals.draws.draws
            << ", refused: " << refused;
  for (const auto &[reason, count] : totals.draws.refused)
    std::cout << " (" << reason << ": " << count << ")";
  std::cout << "\n"
            << totals.passed << " passed, " << totals.failed << " failed\n";
  bool tooManyRefused = refused * 20 > totals.draws.draws;
  if (tooManyRefused)
    std::cout << "more than 5 % of the draws were refused\n";
  std::cout << std::flush;
  if (world && world->leave())
    _exit(1);
  int status = totals.failed || tooManyRefused ? 1 : 0;
  // Threads of MPI and of the monitor are at work to the end.
  if (world)
    _exit(status);
  return status;
}
