//===- IntegerProgram.cpp - HiGHS in a process of its own -----------------===//
//
// The child writes messages to a pipe: solutions, bounds, and how it ended.
//
//===----------------------------------------------------------------------===//

#include "IntegerProgram.h"

#ifdef SOAP_HAVE_HIGHS

// The C interface: packages of HiGHS are built with another ABI of std::string
// than ours.
#include <interfaces/highs_c_api.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace soap;
using namespace soap::placement;

namespace {

enum class MessageKind : int64_t {
  Solution,
  Bound,
  Optimal,
  Infeasible,
  Stopped
};

/// Followed by `count` values.
struct MessageHeader {
  MessageKind kind;
  int64_t count;
};

//===----------------------------------------------------------------------===//
// The child
//===----------------------------------------------------------------------===//

class Child {
public:
  Child(const IntegerProgram &program, const std::vector<double> &start,
        double seconds, int threads, int pipe)
      : program(program), start(start), seconds(seconds), threads(threads),
        pipe(pipe) {}

  void run() {
    void *highs = Highs_create();
    Highs_setBoolOptionValue(highs, "output_flag", 0);
    Highs_setIntOptionValue(highs, "threads", threads);
    Highs_setDoubleOptionValue(highs, "mip_rel_gap", 1e-9);
    Highs_setDoubleOptionValue(highs, "mip_abs_gap", 1e-12);
    Highs_setDoubleOptionValue(highs, "time_limit", seconds);
    if (!passProgram(highs))
      return;
    if (!start.empty())
      Highs_setSolution(highs, start.data(), nullptr, nullptr, nullptr);
    Highs_setCallback(highs, &Child::callback, this);
    for (HighsInt kind : {kHighsCallbackMipImprovingSolution,
                          kHighsCallbackMipLogging, kHighsCallbackMipInterrupt})
      Highs_startCallback(highs, kind);
    if (Highs_run(highs) == kHighsStatusError)
      return;
    reportEnd(highs);
  }

private:
  const IntegerProgram &program;
  const std::vector<double> &start;
  double seconds;
  int threads, pipe;
  double sentBound = -IntegerProgram::unbounded;

  bool passProgram(void *highs) const {
    std::vector<double> cost, low, high, rowLow, rowHigh, factors;
    std::vector<HighsInt> integrality, first, indices;
    for (const IntegerProgram::Variable &variable : program.variables) {
      cost.push_back(variable.cost);
      low.push_back(variable.low);
      high.push_back(variable.high);
      integrality.push_back(variable.integer ? kHighsVarTypeInteger
                                             : kHighsVarTypeContinuous);
    }
    for (const IntegerProgram::Row &row : program.rows) {
      rowLow.push_back(row.low);
      rowHigh.push_back(row.high);
      first.push_back(static_cast<HighsInt>(indices.size()));
      for (const auto &[variable, factor] : row.terms) {
        indices.push_back(variable);
        factors.push_back(factor);
      }
    }
    return Highs_passMip(
               highs, static_cast<HighsInt>(cost.size()),
               static_cast<HighsInt>(rowLow.size()),
               static_cast<HighsInt>(indices.size()), kHighsMatrixFormatRowwise,
               kHighsObjSenseMinimize, 0, cost.data(), low.data(), high.data(),
               rowLow.data(), rowHigh.data(), first.data(), indices.data(),
               factors.data(), integrality.data()) != kHighsStatusError;
  }

  void reportEnd(void *highs) {
    HighsInt status = Highs_getModelStatus(highs);
    if (status == kHighsModelStatusInfeasible)
      return send(MessageKind::Infeasible, nullptr, 0);
    HighsInt primal = kHighsSolutionStatusNone;
    Highs_getIntInfoValue(highs, "primal_solution_status", &primal);
    if (primal == kHighsSolutionStatusFeasible) {
      std::vector<double> values(program.variables.size());
      Highs_getSolution(highs, values.data(), nullptr, nullptr, nullptr);
      send(MessageKind::Solution, values.data(), values.size());
    }
    double bound = -IntegerProgram::unbounded;
    Highs_getDoubleInfoValue(highs, "mip_dual_bound", &bound);
    sendBound(bound);
    send(status == kHighsModelStatusOptimal ? MessageKind::Optimal
                                            : MessageKind::Stopped,
         nullptr, 0);
  }

  static void callback(int kind, const char *, const HighsCallbackDataOut *out,
                       HighsCallbackDataIn *, void *data) {
    Child &child = *static_cast<Child *>(data);
    if (kind == kHighsCallbackMipImprovingSolution)
      child.send(MessageKind::Solution, out->mip_solution,
                 child.program.variables.size());
    child.sendBound(out->mip_dual_bound);
  }

  void sendBound(double bound) {
    if (!(bound > sentBound) || !std::isfinite(bound))
      return;
    sentBound = bound;
    send(MessageKind::Bound, &bound, 1);
  }

  void send(MessageKind kind, const double *values, size_t count) {
    MessageHeader header{kind, static_cast<int64_t>(count)};
    writeAll(&header, sizeof(header));
    writeAll(values, count * sizeof(double));
  }

  void writeAll(const void *data, size_t size) {
    const char *at = static_cast<const char *>(data);
    while (size > 0) {
      ssize_t count = write(pipe, at, size);
      if (count < 0 && errno == EINTR)
        continue;
      if (count <= 0)
        _exit(1); // nobody reads
      at += count;
      size -= static_cast<size_t>(count);
    }
  }
};

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

class Parent {
public:
  Parent(int pipe,
         const std::function<void(const std::vector<double> &)> &report)
      : pipe(pipe), report(report) {}

  IntegerResult result;

  /// Reads until the child is done or the deadline is over.
  void listen(const Deadline &deadline) {
    constexpr int milliseconds = 20; // between looks at the deadline
    while (!deadline.isOver()) {
      pollfd poll{pipe, POLLIN, 0};
      if (::poll(&poll, 1, milliseconds) > 0 && !readSome()) {
        result.failed = !result.finished && !stopped;
        return;
      }
    }
  }

private:
  int pipe;
  const std::function<void(const std::vector<double> &)> &report;
  std::vector<char> buffer;
  bool stopped = false;

  bool readSome() {
    char chunk[1 << 16];
    ssize_t count = read(pipe, chunk, sizeof(chunk));
    if (count < 0 && errno == EINTR)
      return true;
    if (count <= 0)
      return false;
    buffer.insert(buffer.end(), chunk, chunk + count);
    size_t used = 0;
    while (size_t size = messageSize(used)) {
      receive(used);
      used += size;
    }
    buffer.erase(buffer.begin(), buffer.begin() + used);
    return true;
  }

  /// The size of a whole message, or 0.
  size_t messageSize(size_t at) const {
    if (buffer.size() - at < sizeof(MessageHeader))
      return 0;
    MessageHeader header;
    std::memcpy(&header, buffer.data() + at, sizeof(header));
    size_t size = sizeof(header) + header.count * sizeof(double);
    return buffer.size() - at < size ? 0 : size;
  }

  void receive(size_t at) {
    MessageHeader header;
    std::memcpy(&header, buffer.data() + at, sizeof(header));
    std::vector<double> values(header.count);
    std::memcpy(values.data(), buffer.data() + at + sizeof(header),
                values.size() * sizeof(double));
    switch (header.kind) {
    case MessageKind::Solution:
      report(values);
      break;
    case MessageKind::Bound:
      result.bound = std::max(result.bound, values[0]);
      break;
    case MessageKind::Optimal:
      result.finished = true;
      break;
    case MessageKind::Infeasible:
      result.finished = result.infeasible = true;
      break;
    case MessageKind::Stopped:
      stopped = true;
      break;
    }
  }
};

} // namespace

IntegerResult placement::solveInteger(
    const IntegerProgram &program, const std::vector<double> &start,
    const Deadline &deadline, int threads,
    const std::function<void(const std::vector<double> &)> &report) {
  int ends[2];
  if (deadline.isOver() || pipe(ends) != 0)
    return {};
  pid_t parent = getpid(), child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    return {};
  }
  if (child == 0) {
    // Ends with the parent, however that ends; the parent decides on signals.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    Child(program, start, deadline.left(), threads, ends[1]).run();
    _exit(0);
  }
  close(ends[1]);
  Parent reader(ends[0], report);
  reader.listen(deadline);
  close(ends[0]);
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return reader.result;
}

#else

using namespace soap;
using namespace soap::placement;

IntegerResult placement::solveInteger(
    const IntegerProgram &, const std::vector<double> &, const Deadline &, int,
    const std::function<void(const std::vector<double> &)> &) {
  IntegerResult result;
  result.failed = true;
  return result;
}

#endif
