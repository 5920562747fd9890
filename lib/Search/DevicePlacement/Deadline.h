//===- Deadline.h - When a solver has to stop -------------------*- C++ -*-===//
//
// The budget's clock, which started with the solver.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_DEVICEPLACEMENT_DEADLINE_H
#define SOAP_LIB_SEARCH_DEVICEPLACEMENT_DEADLINE_H

#include "Soap/Search/DevicePlacement/Throughput.h"

#include <algorithm>
#include <chrono>

namespace soap::placement {

class Deadline {
public:
  explicit Deadline(const Budget &budget)
      : budget(budget), start(std::chrono::steady_clock::now()) {}

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         start)
        .count();
  }
  double left() const { return std::max(0.0, budget.seconds - elapsed()); }
  bool stopped() const { return budget.stop && budget.stop->load(); }
  bool isOver() const { return stopped() || elapsed() >= budget.seconds; }
  /// What is left, for a solver that this one calls.
  Budget rest(double share = 1) const {
    Budget result = budget;
    result.seconds = left() * share;
    return result;
  }

private:
  const Budget &budget;
  std::chrono::steady_clock::time_point start;
};

} // namespace soap::placement

#endif // SOAP_LIB_SEARCH_DEVICEPLACEMENT_DEADLINE_H
