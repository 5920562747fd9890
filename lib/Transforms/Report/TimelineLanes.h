//===- TimelineLanes.h - A simulated iteration, lane by lane ----*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks of each device and each link, bytes that devices hold, and loops that
// are split: the timeline file of docs/PlanReport.md. Lanes that do the same at
// the same times are written once.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_REPORT_TIMELINELANES_H
#define SOAP_LIB_TRANSFORMS_REPORT_TIMELINELANES_H

#include "PassReport.h"
#include "TimelineReport.h"

#include "Soap/Memory/MemoryCourse.h"
#include "Soap/Mesh/PassTimeline.h"
#include "Soap/Model/Roles.h"
#include "Soap/Simulator/PlanTimeline.h"

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace mlir::soap {

/// The lanes of one simulated iteration.
class TimelineLanes {
public:
  explicit TimelineLanes(const ::soap::Topology &topology)
      : topology(topology),
        lanes(topology.devices.size() + topology.links.size()) {}

  /// A course for the values of a graph: weights, what only updates keep, and
  /// the kinds of `tensorKinds`.
  ::soap::MemoryCourse &startCourse(const ::soap::Graph &graph,
                                    int64_t makespanNs);

  // The tasks, from where they were simulated.
  void add(const ::soap::PlanState &plan, const ::soap::PassTimeline &timeline);
  void add(const ::soap::PlanState &plan, const ::soap::PlanTimeline &timeline);
  void add(const ::soap::Graph &graph, const ::soap::TaskGraph &tasks);

  /// How the ops of a strategy are split. `roles`: by node and loop.
  void addOps(const ::soap::Graph &graph, const ::soap::Strategy &strategy,
              const std::vector<std::vector<::soap::Role>> &roles);
  /// Devices of a replica, and replicas that each lane of a device stands for.
  void setFold(int unitDevices, int count) {
    unit = unitDevices;
    replicas = count;
  }

  /// The file. `passes`: null, or of a pipeline.
  std::string print(SimulatedBy by, int64_t makespanNs,
                    const PassReport *passes) const;

private:
  /// An op or a value, as a kind of task.
  struct Subject {
    std::string name;
    ::soap::TaskClass taskClass = ::soap::TaskClass::Compute;
    std::string kind;   ///< `conv2d`, `all-reduce`
    std::string detail; ///< the phase, or the kind of tensor
  };
  struct LaneTask {
    int subject = -1;
    int64_t pass = -1; ///< (stage * microbatches + microbatch) * 2 + backward
    int64_t startNs = 0, endNs = 0;
  };
  struct Lane {
    std::vector<LaneTask> tasks;
    int64_t bytes = 0; ///< over a link
  };
  struct PathTask {
    int resource = -1, subject = -1;
    int64_t startNs = 0, endNs = 0;
  };

  const ::soap::Topology &topology;
  std::vector<Lane> lanes; ///< by resource
  std::vector<Subject> subjects;
  std::map<std::tuple<int, int, int>, int> known;
  std::vector<PathTask> path;
  std::optional<::soap::MemoryCourse> course;
  std::string ops; ///< as JSON
  int unit = 0, replicas = 1;

  int subjectOf(const ::soap::PlanState &plan,
                const std::vector<::soap::TensorKind> &kinds, size_t block,
                size_t index);
  void addToLanes(const ::soap::PlanState &plan, size_t block, size_t index,
                  std::span<const int> resources, const LaneTask &task);
  std::string content(int resource, const PassReport *passes,
                      int64_t microbatches) const;
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_REPORT_TIMELINELANES_H
