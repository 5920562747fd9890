//===- Baselines.cpp - PipeDream's optimizer and given splits -------------===//
//
// What the paper compares with, apart from Scotch (Scotch.cpp).
//
//===----------------------------------------------------------------------===//

#include "Splits.h"

using namespace soap;
using namespace soap::placement;

/// Splits an order into groups: a unit that all others come before or after is
/// a group, and so is what is between two of them.
static std::vector<std::vector<int>>
contractBranchings(const UnitGraph &graph, const std::vector<int> &order) {
  int count = static_cast<int>(order.size());
  std::vector<int> position(count);
  for (int i = 0; i < count; ++i)
    position[order[i]] = i;
  // Every unit before position p leads to the one at p if each has a successor
  // at p or before; every unit after it comes from it likewise.
  std::vector<int> reach(count + 1), origin(count + 1, count);
  for (int p = 0; p < count; ++p) {
    int first = count;
    for (int to : graph.successors[order[p]])
      first = std::min(first, position[to]);
    reach[p + 1] = std::max(reach[p], first);
  }
  for (int p = count; p-- > 0;) {
    int last = -1;
    for (int from : graph.predecessors[order[p]])
      last = std::max(last, position[from]);
    origin[p] = std::min(origin[p + 1], last);
  }
  std::vector<std::vector<int>> groups;
  bool open = false;
  for (int p = 0; p < count; ++p) {
    bool alone = reach[p] <= p && origin[p + 1] >= p;
    if (alone || !open)
      groups.emplace_back();
    groups.back().push_back(order[p]);
    open = !alone;
  }
  return groups;
}

Answer placement::solvePipeDream(const Problem &problem,
                                 const Objective &objective,
                                 const Budget &budget) {
  Deadline deadline(budget);
  UnitGraph graph(problem, objective, /*ordered=*/true);
  std::vector<std::vector<int>> groups =
      contractBranchings(graph, linearOrder(graph, 0, 0));
  // A split of the path is a split of any order in which groups stay together:
  // the problem with groups as color classes.
  Problem path = problem;
  std::vector<int> groupOf(graph.size());
  for (size_t g = 0; g < groups.size(); ++g)
    for (int unit : groups[g])
      groupOf[unit] = static_cast<int>(g);
  for (size_t i = 0; i < path.nodes.size(); ++i)
    path.nodes[i].colorClass = groupOf[graph.unitOf[i]];
  Answer found = solveDpl(path, objective, deadline.rest());
  if (!found.placement) // what is on one device of the path does not fit there
    return solveDpl(problem, objective, deadline.rest());
  Answer answer;
  improve(answer, problem, objective, *found.placement);
  finish(answer,
         objective.contiguous
             ? lowerBound(problem, objective, graph, deadline.rest())
             : lowerBound(problem, objective, deadline.rest()),
         deadline);
  return answer;
}

Expected<Answer> placement::evaluateExpert(const Problem &problem,
                                           const Objective &objective,
                                           const Placement &placement) {
  Budget budget;
  Deadline deadline(budget);
  Expected<Evaluation> evaluation = verify(problem, objective, placement);
  if (!evaluation)
    return evaluation.takeError();
  Answer answer;
  answer.placement = placement;
  answer.value = evaluation->maxLoad();
  finish(answer, lowerBound(problem, objective, budget), deadline);
  return answer;
}
