//===- IntegerProgram.cpp - Solvers in processes of their own -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The child writes messages to a pipe: solutions, bounds, and how it ended.
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"
#include "IntegerSolvers.h"

#include <cmath>
#include <cstring>

using namespace soap;
using namespace soap::placement;

void IntegerReport::bound(double value) {
  if (!(value > best) || !std::isfinite(value))
    return;
  best = value;
  send(IntegerMessage::Bound, &value, 1);
}

void IntegerReport::send(IntegerMessage::Kind kind, const double *values,
                         size_t count) {
  IntegerMessage header{kind, static_cast<int64_t>(count)};
  ChildProcess::write(pipe, &header, sizeof(header));
  ChildProcess::write(pipe, values, count * sizeof(double));
}

bool placement::haveMilp(IntegerSolver solver) {
#ifdef SOAP_HAVE_HIGHS
  if (solver == IntegerSolver::Highs)
    return true;
#endif
#ifdef SOAP_HAVE_CBC
  if (solver == IntegerSolver::Cbc)
    return true;
#endif
  return solver == IntegerSolver::Any &&
         (haveMilp(IntegerSolver::Highs) || haveMilp(IntegerSolver::Cbc));
}

double placement::scaleTimes(Problem &problem, double known) {
  auto forEachTime = [&](auto &&change) {
    for (Node &node : problem.nodes) {
      change(node.acceleratorTime);
      change(node.cpuTime);
    }
    for (double &time : problem.transferTime)
      change(time);
  };
  if (known > 0 && std::isfinite(known))
    forEachTime(
        [most = known * 1e6](double &time) { time = std::min(time, most); });
  double size = std::isfinite(known) ? known : 0;
  if (size == 0)
    forEachTime([&](double &time) { size = std::max(size, time); });
  constexpr double least = 1e-2, most = 1e7;
  if (size == 0 || (size >= least && size <= most))
    return 1;
  double factor = std::exp2(-std::round(std::log2(size)));
  forEachTime([&](double &time) { time *= factor; });
  return factor;
}

std::string placement::noIntegerSolver(IntegerSolver solver) {
  std::string highs = "scripts/highs-env.sh installs HiGHS",
              cbc = "Debian's coinor-libcbc-dev is CBC";
  return "this build has no " +
         (solver == IntegerSolver::Highs ? "HiGHS: " + highs
          : solver == IntegerSolver::Cbc
              ? "CBC: " + cbc
              : "solver of integer programs: " + highs + ", " + cbc) +
         "; configure again";
}

namespace {

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
    if (buffer.size() - at < sizeof(IntegerMessage))
      return 0;
    IntegerMessage header;
    std::memcpy(&header, buffer.data() + at, sizeof(header));
    size_t size = sizeof(header) + header.count * sizeof(double);
    return buffer.size() - at < size ? 0 : size;
  }

  void receive(size_t at) {
    IntegerMessage header;
    std::memcpy(&header, buffer.data() + at, sizeof(header));
    std::vector<double> values(header.count);
    // An empty vector has no memory to copy to.
    if (!values.empty())
      std::memcpy(values.data(), buffer.data() + at + sizeof(header),
                  values.size() * sizeof(double));
    switch (header.kind) {
    case IntegerMessage::Solution:
      report(values);
      break;
    case IntegerMessage::Bound:
      result.bound = std::max(result.bound, values[0]);
      break;
    case IntegerMessage::Optimal:
      result.finished = true;
      break;
    case IntegerMessage::Infeasible:
      result.finished = result.infeasible = true;
      break;
    case IntegerMessage::Stopped:
      stopped = true;
      break;
    }
  }
};

} // namespace

IntegerResult placement::solveInteger(
    IntegerSolver solver, const IntegerProgram &program,
    const std::vector<double> &start, const Deadline &deadline, int threads,
    const std::function<void(const std::vector<double> &)> &report) {
  IntegerResult result;
  if (!haveMilp(solver)) {
    result.failed = true;
    return result;
  }
  if (deadline.isOver())
    return result;
  ChildProcess child([&](int pipe) {
    IntegerReport channel(pipe);
#ifdef SOAP_HAVE_HIGHS
    if (solver != IntegerSolver::Cbc)
      return runHighs(program, start, deadline.left(), threads, channel);
#endif
#ifdef SOAP_HAVE_CBC
    runCbc(program, start, deadline.left(), threads, channel);
#endif
  });
  if (!child.hasStarted())
    return result;
  Parent reader(report);
  reader.listen(child, deadline);
  return reader.result;
}
