//===- CollectiveModels.cpp - Collectives that a search meets -------------===//
//
// A model follows from the links of the routes between all pairs, in the order
// of device numbers: which routes share a link, how fast links are, and the
// types of devices. That is the pattern, with links numbered as they appear.
//
//===----------------------------------------------------------------------===//

#include "Soap/Core/CollectiveModels.h"

#include <map>

using namespace soap;

/// Groups of up to so many devices are looked up by their patterns: of larger
/// ones, a search hardly meets two that are alike.
static constexpr size_t mostForPattern = 8;
static constexpr size_t mostModels = 50000;   ///< some 20 MB
static constexpr size_t mostPatterns = 20000; ///< some 50 MB

CollectiveModels::CollectiveModels(const Topology &topology,
                                   TransferTable &transfers)
    : topology(topology), transfers(transfers), placeOf(topology.links.size()) {
  std::map<std::pair<int64_t, double>, int> known;
  for (const Link &link : topology.links)
    classOf.push_back(
        known
            .try_emplace({link.latencyNs, link.bandwidthBytesPerSecond},
                         static_cast<int>(known.size()))
            .first->second);
}

/// Sets `pattern` and `links`.
void CollectiveModels::findPattern(CollectiveKind kind,
                                   std::span<const int> list) {
  static thread_local std::vector<int> devices;
  devices.assign(list.begin(), list.end());
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  links.clear();
  pattern = {
      static_cast<int>(kind),
      static_cast<int>(std::find(devices.begin(), devices.end(), list.front()) -
                       devices.begin())};
  if (devices.size() > mostForPattern) {
    // One of its own, with links as they are.
    pattern.insert(pattern.end(), list.begin(), list.end());
    return;
  }
  pattern.push_back(-static_cast<int>(devices.size()));
  for (int device : devices)
    pattern.push_back(topology.devices[static_cast<size_t>(device)].type);
  for (int from : devices)
    for (int to : devices) {
      for (int link : topology.route(from, to)) {
        int &place = placeOf[static_cast<size_t>(link)];
        if (place == 0) {
          links.push_back(link);
          place = static_cast<int>(links.size());
        }
        pattern.push_back(place);
      }
      pattern.push_back(0);
    }
  for (int link : links) {
    pattern.push_back(classOf[static_cast<size_t>(link)]);
    placeOf[static_cast<size_t>(link)] = 0;
  }
}

CollectiveModels::Pattern
CollectiveModels::makePattern(CollectiveKind kind,
                              std::span<const int> devices) {
  Pattern result{CollectiveModel(topology, kind, devices), {}};
  for (size_t i = 0; i < links.size(); ++i)
    placeOf[static_cast<size_t>(links[i])] = static_cast<int>(i);
  for (const CollectiveAlgorithm &algorithm : result.model.getAlgorithms()) {
    std::vector<int> &places = result.links.emplace_back();
    for (int link : algorithm.links)
      places.push_back(links.empty() ? link
                                     : placeOf[static_cast<size_t>(link)]);
  }
  for (int link : links)
    placeOf[static_cast<size_t>(link)] = 0;
  return result;
}

CollectiveModels::Model &
CollectiveModels::modelOf(CollectiveKind kind, std::span<const int> devices) {
  auto it = models.find(View{kind, devices});
  if (it != models.end())
    return it->second;
  if (models.size() > mostModels || patterns.size() > mostPatterns)
    clear();
  findPattern(kind, devices);
  auto known = patterns.find(pattern);
  if (known == patterns.end())
    known = patterns.emplace(pattern, makePattern(kind, devices)).first;
  Model model;
  model.pattern = &known->second;
  model.links = links;
  model.resources.assign(known->second.links.size(), -1);
  Key key{kind, std::vector<int>(devices.begin(), devices.end())};
  return models.try_emplace(std::move(key), std::move(model)).first->second;
}

CollectiveModels::Price CollectiveModels::price(CollectiveKind kind,
                                                std::span<const int> devices,
                                                int64_t bytes) {
  Model &model = modelOf(kind, devices);
  const CollectiveModel &algorithms = model.pattern->model;
  const CollectiveAlgorithm *best = algorithms.best(bytes);
  if (!best)
    return {algorithms.ns(bytes), transfers.resourceNumber({})};
  auto number = static_cast<size_t>(best - algorithms.getAlgorithms().data());
  int &resources = model.resources[number];
  if (resources < 0) {
    static thread_local std::vector<int> list;
    list.clear();
    int firstLink = topology.deviceCount();
    for (int place : model.pattern->links[number])
      list.push_back(firstLink +
                     (model.links.empty()
                          ? place
                          : model.links[static_cast<size_t>(place)]));
    std::sort(list.begin(), list.end());
    resources = transfers.resourceNumber(list);
  }
  return {algorithms.ns(bytes), resources};
}
