//===- TopologyFile.cpp - Topologies as JSON ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file format of docs/Topology.md: reading with every mistake named, and
// writing.
//
//===----------------------------------------------------------------------===//

#include "Soap/Profile/ProfileModel.h"
#include "Soap/Topology/Topology.h"
#include "Support/Json.h"

#include <cmath>
#include <filesystem>
#include <set>

using namespace soap;

namespace {

constexpr size_t maxDevices = 16384, maxSwitches = 65536, maxLinks = 1 << 20;
constexpr double nsPerSecond = 1e9;
const char *const dtypes[] = {"f64",  "f32", "tf32", "f16",
                              "bf16", "f8",  "f4",   "i8"};

class TopologyReader {
public:
  explicit TopologyReader(const std::string &file)
      : folder(std::filesystem::path(file).parent_path()) {}

  Topology read(const jsonfile::Cursor &root) {
    root.expectObject(
        {"version", "name", "device_types", "devices", "switches", "links"});
    root.expectVersion();
    topology.name = root["name"].string();
    for (const jsonfile::Cursor &type : root["device_types"].elements())
      readType(type);
    readDevices(root["devices"]);
    if (root.has("switches"))
      readSwitches(root["switches"]);
    if (root.has("links") || topology.devices.size() > 1)
      readLinks(root["links"]);
    if (MaybeError error = topology.computeRoutes())
      root[root.has("links") ? "links" : "devices"].fail(error->message);
    return std::move(topology);
  }

private:
  std::filesystem::path folder; ///< of the file
  Topology topology;
  std::map<std::string, int> types, vertices;
  std::set<std::string> linkNames;

  int64_t nanoseconds(const jsonfile::Cursor &seconds) {
    return std::llround(seconds.number(0, 1000) * nsPerSecond);
  }

  void readType(const jsonfile::Cursor &at) {
    at.expectObject({"name", "memory_bytes", "memory_bandwidth_bytes_per_s",
                     "flops_per_s", "launch_s", "copies_occupy_receiver",
                     "forwards_transfers", "collectives", "profile",
                     "host_bandwidth_bytes_per_s", "host_memory_bytes"});
    DeviceType type;
    type.name = at["name"].string();
    type.memoryBytes = at["memory_bytes"].integer(1, int64_t(1) << 60);
    type.memoryBandwidthBytesPerSecond =
        at["memory_bandwidth_bytes_per_s"].number(1, 1e18);
    jsonfile::Cursor flops = at["flops_per_s"];
    flops.expectObject({"f64", "f32", "tf32", "f16", "bf16", "f8", "f4", "i8"});
    flops["f32"]; // the one that must be there
    for (const char *dtype : dtypes)
      if (flops.has(dtype))
        type.flopsPerSecond[dtype] = flops[dtype].number(1, 1e21);
    if (at.has("launch_s"))
      type.launchNs = std::max<int64_t>(nanoseconds(at["launch_s"]), 1);
    if (at.has("copies_occupy_receiver"))
      type.copiesOccupyReceiver = at["copies_occupy_receiver"].boolean();
    if (at.has("forwards_transfers"))
      type.forwardsTransfers = at["forwards_transfers"].boolean();
    if (at.has("collectives"))
      type.collectives = at["collectives"].boolean();
    if (at.has("host_bandwidth_bytes_per_s"))
      type.hostBandwidthBytesPerSecond =
          at["host_bandwidth_bytes_per_s"].number(1, 1e18);
    if (at.has("host_memory_bytes"))
      type.hostMemoryBytes =
          at["host_memory_bytes"].integer(1, int64_t(1) << 60);
    if (at.has("profile")) {
      type.profile = at["profile"].string();
      readProfile(at["profile"], type);
    }
    int id = static_cast<int>(topology.deviceTypes.size());
    if (!types.emplace(type.name, id).second)
      at["name"].fail("duplicate device type '" + type.name + "'");
    topology.deviceTypes.push_back(std::move(type));
  }

  void readProfile(const jsonfile::Cursor &at, DeviceType &type) {
    // A profile lies beside the topology that names it, wherever both are.
    std::error_code ignored;
    std::filesystem::path beside = folder / type.profile;
    if (!folder.empty() && std::filesystem::is_regular_file(beside, ignored))
      type.profile = beside.string();
    Expected<std::shared_ptr<const ProfileModel>> model =
        loadProfileModel(type.profile);
    if (!model)
      at.fail(model.error());
    type.costs = *model;
  }

  void addVertex(const jsonfile::Cursor &at, const std::string &name) {
    int id = static_cast<int>(vertices.size());
    if (!vertices.emplace(name, id).second)
      at.fail("duplicate name '" + name +
              "', devices and switches need distinct names");
  }

  void readDevices(const jsonfile::Cursor &at) {
    std::vector<jsonfile::Cursor> elements = at.elements();
    if (elements.empty() || elements.size() > maxDevices)
      return at.fail("expected 1 to " + std::to_string(maxDevices) +
                     " devices, got " + std::to_string(elements.size()));
    for (const jsonfile::Cursor &element : elements) {
      element.expectObject({"name", "type", "machine"});
      Device device;
      device.name = element["name"].string();
      jsonfile::Cursor type = element["type"];
      auto it = types.find(type.string());
      if (it == types.end())
        type.failExpected("the name of a device type");
      device.type = it->second;
      if (element.has("machine")) {
        device.machine = element["machine"].string();
        if (device.machine.empty())
          element["machine"].failExpected("the name of a machine");
      }
      if (!topology.devices.empty() &&
          device.machine.empty() != topology.devices[0].machine.empty())
        element.fail("expected key \"machine\" in all devices or in none");
      addVertex(element["name"], device.name);
      topology.devices.push_back(std::move(device));
    }
  }

  void readSwitches(const jsonfile::Cursor &at) {
    std::vector<jsonfile::Cursor> elements = at.elements();
    if (elements.size() > maxSwitches)
      return at.fail("expected at most " + std::to_string(maxSwitches) +
                     " switches, got " + std::to_string(elements.size()));
    for (const jsonfile::Cursor &element : elements) {
      element.expectObject({"name"});
      topology.switches.push_back(element["name"].string());
      addVertex(element["name"], topology.switches.back());
    }
  }

  int vertex(const jsonfile::Cursor &at) {
    auto it = vertices.find(at.string());
    if (it != vertices.end())
      return it->second;
    at.failExpected("the name of a device or switch");
  }

  void addLink(const jsonfile::Cursor &at, Link link) {
    if (!linkNames.insert(link.name).second)
      at.fail("duplicate link name '" + link.name + "'");
    topology.links.push_back(std::move(link));
  }

  void readLinks(const jsonfile::Cursor &at) {
    std::vector<jsonfile::Cursor> elements = at.elements();
    if (elements.size() > maxLinks)
      return at.fail("expected at most " + std::to_string(maxLinks) +
                     " links, got " + std::to_string(elements.size()));
    for (const jsonfile::Cursor &element : elements) {
      element.expectObject({"name", "from", "to", "bandwidth_bytes_per_s",
                            "latency_s", "bidirectional"});
      Link link;
      link.from = vertex(element["from"]);
      link.to = vertex(element["to"]);
      link.bandwidthBytesPerSecond =
          element["bandwidth_bytes_per_s"].number(1, 1e18);
      link.latencyNs = nanoseconds(element["latency_s"]);
      std::string from = element["from"].string(), to = element["to"].string();
      if (link.from == link.to)
        element["to"].fail("link from '" + from + "' to itself");
      bool named = element.has("name");
      link.name = named ? element["name"].string() : from + "->" + to;
      addLink(element, link);
      if (!element.has("bidirectional") || !element["bidirectional"].boolean())
        continue;
      std::swap(link.from, link.to);
      link.name = named ? link.name + " (back)" : to + "->" + from;
      addLink(element, link);
    }
  }
};

} // namespace

Expected<Topology> soap::parseTopology(const std::string &text,
                                       const std::string &file) {
  Expected<nlohmann::json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [&](const jsonfile::Cursor &root) {
    return TopologyReader(file).read(root);
  });
}

MaybeError soap::useProfile(Topology &topology, const std::string &nameOrFile) {
  Expected<std::shared_ptr<const ProfileModel>> model =
      loadProfileModel(nameOrFile);
  if (!model)
    return model.takeError();
  const std::string &device = (*model)->getProfile().device;
  std::string types;
  bool used = false;
  for (DeviceType &type : topology.deviceTypes) {
    types += (types.empty() ? "'" : ", '") + type.name + "'";
    if (type.name != device && topology.deviceTypes.size() > 1)
      continue;
    type.profile = nameOrFile;
    type.costs = *model;
    used = true;
  }
  if (used)
    return std::nullopt;
  return Error{nameOrFile + ": is of device type '" + device +
               "', expected one of the topology's types: " + types};
}

Expected<Topology> soap::loadTopology(const std::string &nameOrFile) {
  Expected<std::optional<std::string>> text = jsonfile::readFile(nameOrFile);
  if (!text) {
    // A folder may have the name of a cluster, for what was found for it.
    Expected<Topology> builtin = builtinTopology(nameOrFile);
    return builtin ? std::move(builtin) : text.takeError();
  }
  if (*text)
    return parseTopology(**text, nameOrFile);
  if (nameOrFile.ends_with(".json") ||
      nameOrFile.find('/') != std::string::npos)
    return Error{nameOrFile + ": no such file, expected a topology file, or a "
                              "built-in name as cpu-4"};
  return builtinTopology(nameOrFile);
}

std::string soap::printTopology(const Topology &topology) {
  using Object = nlohmann::ordered_json;
  Object root;
  root["version"] = 1;
  root["name"] = topology.name;
  for (const DeviceType &type : topology.deviceTypes) {
    Object object;
    object["name"] = type.name;
    object["memory_bytes"] = type.memoryBytes;
    object["memory_bandwidth_bytes_per_s"] = type.memoryBandwidthBytesPerSecond;
    for (const auto &[dtype, flops] : type.flopsPerSecond)
      object["flops_per_s"][dtype] = flops;
    object["launch_s"] = static_cast<double>(type.launchNs) / nsPerSecond;
    object["copies_occupy_receiver"] = type.copiesOccupyReceiver;
    object["forwards_transfers"] = type.forwardsTransfers;
    object["collectives"] = type.collectives;
    if (type.hostBandwidthBytesPerSecond > 0)
      object["host_bandwidth_bytes_per_s"] = type.hostBandwidthBytesPerSecond;
    if (type.hostMemoryBytes > 0)
      object["host_memory_bytes"] = type.hostMemoryBytes;
    if (!type.profile.empty())
      object["profile"] = type.profile;
    root["device_types"].push_back(std::move(object));
  }
  for (const Device &device : topology.devices) {
    Object object = {{"name", device.name},
                     {"type", topology.deviceTypes[device.type].name}};
    if (!device.machine.empty())
      object["machine"] = device.machine;
    root["devices"].push_back(std::move(object));
  }
  root["switches"] = Object::array();
  for (const std::string &name : topology.switches)
    root["switches"].push_back({{"name", name}});
  root["links"] = Object::array();
  auto vertex = [&](int v) {
    return v < topology.deviceCount()
               ? topology.devices[v].name
               : topology.switches[v - topology.deviceCount()];
  };
  for (const Link &link : topology.links)
    root["links"].push_back(
        {{"name", link.name},
         {"from", vertex(link.from)},
         {"to", vertex(link.to)},
         {"bandwidth_bytes_per_s", link.bandwidthBytesPerSecond},
         {"latency_s", static_cast<double>(link.latencyNs) / nsPerSecond}});
  return root.dump(2, ' ', false, Object::error_handler_t::replace) + "\n";
}
