//===- IntegerProgram.cpp - HiGHS in a process of its own -----------------===//
//
// The child writes messages to a pipe: solutions, bounds, and how it ended.
//
//===----------------------------------------------------------------------===//

#include "IntegerProgram.h"
#include "ChildProcess.h"

#ifdef SOAP_HAVE_HIGHS

// The C interface: packages of HiGHS are built with another ABI of std::string
// than ours.
#include <interfaces/highs_c_api.h>

#include <cmath>
#include <cstring>

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
    ChildProcess::write(pipe, &header, sizeof(header));
    ChildProcess::write(pipe, values, count * sizeof(double));
  }
};

//===----------------------------------------------------------------------===//
// The parent
//===----------------------------------------------------------------------===//

class Parent {
public:
  explicit Parent(
      const std::function<void(const std::vector<double> &)> &report)
      : report(report) {}

  IntegerResult result;

  /// Reads until the child is done or the deadline is over.
  void listen(ChildProcess &child, const Deadline &deadline) {
    bool hasEnded =
        child.listen(deadline, [this](const char *data, size_t size) {
          buffer.insert(buffer.end(), data, data + size);
          size_t used = 0;
          while (size_t length = messageSize(used)) {
            receive(used);
            used += length;
          }
          buffer.erase(buffer.begin(), buffer.begin() + used);
        });
    result.failed = hasEnded && !result.finished && !stopped;
  }

private:
  const std::function<void(const std::vector<double> &)> &report;
  std::vector<char> buffer;
  bool stopped = false;

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
  if (deadline.isOver())
    return {};
  ChildProcess child([&](int pipe) {
    Child(program, start, deadline.left(), threads, pipe).run();
  });
  if (!child.hasStarted())
    return {};
  Parent reader(report);
  reader.listen(child, deadline);
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
