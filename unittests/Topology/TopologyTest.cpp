//===- TopologyTest.cpp - Routes, built-ins, files ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Routes against an exhaustive search, the round trip of the file format, and
// one message per kind of mistake in a file.
//
//===----------------------------------------------------------------------===//

#include "Support/Random.h"
#include "Topology/TopologyReport.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <tuple>

using namespace soap;
using soap::test::Random;
using Json = nlohmann::json;

//===----------------------------------------------------------------------===//
// Routes
//===----------------------------------------------------------------------===//

/// The definition, recursively: of all ways to reach `to` over a neighbour, the
/// fewest hops, then the lowest latency; of those that are equal, ordered by
/// their link ids, the one at position `to` modulo their number.
class Routes {
public:
  explicit Routes(const Topology &topology) : topology(topology) {}

  /// {-1}: none.
  std::vector<int> find(int from, int to) {
    int vertices =
        static_cast<int>(topology.devices.size() + topology.switches.size());
    for (int hops = 0; hops <= vertices; ++hops)
      if (std::optional<Route> route = withHops(from, to, hops))
        return route->links;
    return {-1};
  }

private:
  struct Route {
    int64_t latency;
    std::vector<int> links;
  };
  const Topology &topology;

  /// The route if it has exactly this number of hops.
  std::optional<Route> withHops(int from, int to, int hops) {
    for (int fewer = 0; fewer < hops; ++fewer)
      if (withHops(from, to, fewer))
        return std::nullopt;
    if (hops == 0)
      return from == to ? std::optional(Route{0, {}}) : std::nullopt;
    std::vector<Route> ways;
    for (size_t l = 0; l < topology.links.size(); ++l) {
      const Link &link = topology.links[l];
      if (link.to != to ||
          (link.from != from && link.from < topology.deviceCount() &&
           !topology.typeOf(link.from).forwardsTransfers))
        continue;
      if (std::optional<Route> way = withHops(from, link.from, hops - 1)) {
        way->latency += link.latencyNs;
        way->links.push_back(static_cast<int>(l));
        ways.push_back(*way);
      }
    }
    if (ways.empty())
      return std::nullopt;
    int64_t lowest = ways[0].latency;
    for (const Route &way : ways)
      lowest = std::min(lowest, way.latency);
    std::erase_if(ways, [&](const Route &w) { return w.latency > lowest; });
    std::sort(ways.begin(), ways.end(),
              [](const Route &a, const Route &b) { return a.links < b.links; });
    return ways[to % ways.size()];
  }
};

TEST(Topology, RoutesAgainstTheDefinition) {
  Random random(30);
  int connected = 0, connectedLarge = 0;
  for (int round = 0; round < 600; ++round) {
    SCOPED_TRACE(random.trace(round));
    Topology topology;
    topology.deviceTypes.resize(2);
    topology.deviceTypes[1].forwardsTransfers = false;
    int devices = random(1, 4), switches = random(0, 3);
    for (int d = 0; d < devices; ++d)
      topology.devices.push_back(
          {"d" + std::to_string(d), static_cast<int>(random(0, 1))});
    for (int s = 0; s < switches; ++s)
      topology.switches.push_back("s" + std::to_string(s));
    for (int l = 0, count = random(0, 14); l < count; ++l) {
      int from = random(0, devices + switches - 1),
          to = random(0, devices + switches - 1);
      if (from != to)
        topology.links.push_back(
            {"l", from, to, 1e9 * random(1, 3), random(0, 2)});
    }
    std::vector<std::vector<int>> expected;
    bool all = true;
    for (int a = 0; a < devices; ++a)
      for (int b = 0; b < devices; ++b) {
        expected.push_back(Routes(topology).find(a, b));
        all &= expected.back() != std::vector<int>{-1};
      }
    // Many more devices at a switch change no routes between the others, which
    // are then found one by one.
    constexpr int many = 5000;
    bool isLarge = switches > 0 && random.chance(30);
    if (isLarge) {
      for (Link &link : topology.links)
        for (int *end : {&link.from, &link.to})
          *end += *end < devices ? 0 : many - devices;
      for (int d = devices; d < many; ++d) {
        topology.devices.push_back({"more", 1});
        topology.links.push_back({"l", d, many, 1e9, 0});
        topology.links.push_back({"l", many, d, 1e9, 0});
      }
    }
    MaybeError error = topology.computeRoutes();
    if (isLarge && error)
      continue; // the switch is apart
    ASSERT_EQ(!error, all);
    if (error)
      continue;
    ++connected;
    connectedLarge += isLarge;
    for (int a = 0; a < devices; ++a)
      for (int b = 0; b < devices; ++b) {
        auto route = topology.route(a, b);
        ASSERT_EQ(std::vector<int>(route.begin(), route.end()),
                  expected[a * devices + b])
            << a << " to " << b;
        int64_t latency = 0;
        double bandwidth = 1e30;
        for (int l : route) {
          latency += topology.links[l].latencyNs;
          bandwidth =
              std::min(bandwidth, topology.links[l].bandwidthBytesPerSecond);
        }
        ASSERT_EQ(topology.distance(a, b), latency);
        if (a != b) {
          ASSERT_EQ(topology.transferNs(a, b, 3'000'000),
                    latency +
                        static_cast<int64_t>(std::ceil(3e6 / bandwidth * 1e9)));
        }
      }
  }
  EXPECT_GT(connected, 100);
  EXPECT_GT(connectedLarge, 10);
}

TEST(Topology, Builtin) {
  for (int n : {1, 2, 4, 64, 65, 4096}) {
    Expected<Topology> topology = builtinTopology("cpu-" + std::to_string(n));
    ASSERT_TRUE(static_cast<bool>(topology));
    EXPECT_EQ(topology->deviceCount(), n);
    EXPECT_EQ(topology->route(0, n - 1).size(), n == 1    ? 0u
                                                : n <= 64 ? 1u
                                                          : 2u);
    EXPECT_TRUE(topology->typeOf(n - 1).copiesOccupyReceiver);
  }
  for (const char *name : {"cpu-0",
                           "cpu-",
                           "cpu-4097",
                           "cpu-04",
                           "cpu-4x",
                           "cpu--1",
                           "cpu-99999999999999999999",
                           "p100-5",
                           "p100-4x5",
                           "p100-0x4",
                           "p100-4x",
                           "p100-04",
                           "p100-4x04",
                           "p100-4x5-p2p",
                           "p100-p2p",
                           "h200-4097x4",
                           "h200-4x4x4",
                           "fat-tree-3",
                           "fat-tree-26",
                           "ring-4097"}) {
    Expected<Topology> topology = builtinTopology(name);
    ASSERT_FALSE(static_cast<bool>(topology)) << name;
    EXPECT_TRUE(topology.error().starts_with(
        "unknown topology '" + std::string(name) + "', expected a file or "))
        << topology.error();
    EXPECT_NE(topology.error().find(", at most 16384 devices"),
              std::string::npos);
  }
  // The same cluster, whose devices have no collectives.
  Topology paper = *builtinTopology("p100-4x4-p2p");
  EXPECT_FALSE(paper.typeOf(0).collectives);
  paper.name = "p100-4x4";
  paper.deviceTypes[0].collectives = true;
  EXPECT_EQ(printTopology(paper), printTopology(*builtinTopology("p100-4x4")));
  EXPECT_EQ(builtinTopology("cpu-4-p2p").error(),
            "unknown topology 'cpu-4-p2p': its devices have no collectives "
            "that '-p2p' could leave out, expected the name without it");
  // One node needs no number.
  Topology node = *builtinTopology("h100-8");
  EXPECT_EQ(node.name, "h100-8");
  node.name = "h100-1x8";
  EXPECT_EQ(printTopology(node), printTopology(*builtinTopology("h100-1x8")));
  for (const char *name : {"gpu-4", "", "p100"})
    EXPECT_NE(
        builtinTopology(name).error().find("; p100-NxM or M, M up to 4; "),
        std::string::npos);
}

/// Bytes per second of the slowest link between two devices.
static double bandwidth(const Topology &topology, int from, int to) {
  double lowest = 1e30;
  for (int l : topology.route(from, to))
    lowest = std::min(lowest, topology.links[l].bandwidthBytesPerSecond);
  return lowest;
}

TEST(Topology, Clusters) {
  // Networks are sold in bits: EDR InfiniBand of the paper's section 8.1 moves
  // 12.5e9 bytes a second, the other cluster's 7e9.
  Topology p100 = *builtinTopology("p100-4x4");
  EXPECT_EQ(p100.deviceCount(), 16);
  EXPECT_EQ(p100.route(0, 3).size(), 1u);
  EXPECT_EQ(bandwidth(p100, 0, 3), 20e9);
  EXPECT_EQ(p100.route(3, 4).size(), 4u); // host, network, host
  EXPECT_EQ(bandwidth(p100, 3, 4), 12e9); // PCIe
  Topology k80 = *builtinTopology("k80-16x4");
  EXPECT_EQ(k80.deviceCount(), 64);
  EXPECT_EQ(k80.route(0, 1).size(), 2u); // the switch of the pair
  EXPECT_EQ(k80.route(0, 2).size(), 4u);
  EXPECT_EQ(bandwidth(k80, 0, 63), 7e9);
  // The way out of a node is one cable, whoever sends.
  EXPECT_EQ(k80.route(0, 4)[2], k80.route(3, 60)[2]);
  Topology dgx1 = *builtinTopology("dgx1-1x8");
  EXPECT_EQ(bandwidth(dgx1, 0, 3), 50e9);
  EXPECT_EQ(bandwidth(dgx1, 0, 1), 25e9);
  for (int gpu = 0; gpu < 8; ++gpu) {
    double lanes = 0;
    for (const Link &link : dgx1.links)
      if (link.from == gpu && link.to < 8)
        lanes += link.bandwidthBytesPerSecond / 25e9;
    EXPECT_EQ(lanes, 6) << gpu;
  }
  // No GPU forwards for others: through the host where there is no NVLink.
  for (int l : dgx1.route(0, 5))
    EXPECT_TRUE(dgx1.links[l].to == 5 || dgx1.links[l].to >= 8);
  EXPECT_EQ(bandwidth(*builtinTopology("p3-2x8"), 0, 8), 25e9 / 8);
  EXPECT_EQ(bandwidth(*builtinTopology("v100-2x8"), 0, 8), 12e9);
  EXPECT_EQ(bandwidth(*builtinTopology("v100-2x8"), 0, 3),
            bandwidth(*builtinTopology("p3-2x8"), 0, 3));
  Topology h200 = *builtinTopology("h200-512x8");
  EXPECT_EQ(h200.deviceCount(), 4096);
  EXPECT_EQ(bandwidth(h200, 0, 7), 450e9);
  EXPECT_EQ(bandwidth(h200, 0, 4095), 50e9);
  Topology h100 = *builtinTopology("h100-2048x8");
  EXPECT_EQ(h100.deviceCount(), 16384);
  EXPECT_EQ(bandwidth(h100, 0, 7), 450e9);
  EXPECT_EQ(bandwidth(h100, 8, 16383), 50e9);
  EXPECT_EQ(builtinTopology("ring-10")->route(0, 6).size(), 4u);
}

TEST(Topology, FatTreesSpreadTheirRoutes) {
  // Every device of the first half sends to one of the second: at full
  // bisection bandwidth no link carries two messages if routes are spread.
  Topology tree = *builtinTopology("fat-tree-8");
  int devices = tree.deviceCount();
  ASSERT_EQ(devices, 128);
  std::map<int, int> load;
  for (int d = 0; d < devices / 2; ++d)
    for (int l : tree.route(d, d + devices / 2))
      ++load[l];
  int most = 0;
  for (auto [link, messages] : load)
    most = std::max(most, messages);
  EXPECT_LE(most, 4);
  EXPECT_EQ(tree.route(0, 1).size(), 2u);
  EXPECT_EQ(tree.route(0, 127).size(), 6u);
}

TEST(Topology, Reports) {
  std::string text = describeTopology(*builtinTopology("p100-2x4"));
  EXPECT_NE(text.find("p100-2x4: 8 devices, 3 switches, 44 links"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("8 x p100: 16 GiB at 732 GB/s; f16 21.2 f32 10.6 f64 5.3 "
                      "TFLOP/s; launch 5 us"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("     1        20         1        24  gpu0 > gpu1"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("     4        12         5        32  gpu0 > node0.host "
                      "> network > node1.host > gpu4"),
            std::string::npos)
      << text;
  // Long routes and tables are shortened.
  text = describeTopology(*builtinTopology("ring-1024"));
  EXPECT_LT(text.size(), size_t(4000));
  EXPECT_NE(text.find("routes from the first 16 devices"), std::string::npos)
      << text;
  EXPECT_NE(text.find("   ... 480 more lines ...\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("gpu0 > gpu1 > gpu2 > gpu3 > gpu4 > ... 507 more > "
                      "gpu512\n"),
            std::string::npos)
      << text;
  EXPECT_LT(describeTopology(*builtinTopology("ring-4096")).size(),
            size_t(4000));
  EXPECT_EQ(describeTopology(*builtinTopology("cpu-1")).find("routes"),
            std::string::npos);
  Expected<std::string> drawing = drawTopology(*builtinTopology("k80-4x4"));
  ASSERT_TRUE(static_cast<bool>(drawing));
  size_t boxes = 0;
  for (size_t at = drawing->find("<rect x"); at != std::string::npos;
       at = drawing->find("<rect x", at + 1))
    ++boxes;
  // Devices, switches, the sheet and two boxes of the legend.
  EXPECT_EQ(boxes, 16u + 4 + 8 + 1 + 2);
  EXPECT_EQ(drawTopology(*builtinTopology("cpu-4096")).error(),
            "topology 'cpu-4096' has 4097 devices and switches, drawings show "
            "at most 600");
}

/// The files of data/topologies are what the names stand for.
TEST(Topology, ShippedFiles) {
  std::filesystem::path folder(SOAP_SOURCE_DIR "/data/topologies");
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    Expected<Topology> file = loadTopology(entry.path().string());
    ASSERT_TRUE(static_cast<bool>(file)) << file.error();
    Expected<Topology> named = builtinTopology(entry.path().stem().string());
    ASSERT_TRUE(static_cast<bool>(named)) << named.error();
    EXPECT_EQ(printTopology(*file), printTopology(*named)) << entry.path();
  }
  EXPECT_GE(files, 8);
}

TEST(Topology, CopiesKeepRoutes) {
  Topology copy;
  {
    Topology topology = *builtinTopology("cpu-3");
    copy = topology;
  }
  EXPECT_EQ(copy.route(0, 2).size(), 1u);
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

/// Two devices behind a switch.
static Json validFile() {
  return Json::parse(R"({
    "version": 1, "name": "pair",
    "device_types": [{"name": "gpu", "memory_bytes": 1000, "memory_bandwidth_bytes_per_s": 1e12,
                      "flops_per_s": {"f32": 1e13, "f16": 2e13}, "launch_s": 2e-6, "copies_occupy_receiver": false}],
    "devices": [{"name": "a", "type": "gpu"}, {"name": "b", "type": "gpu"}],
    "switches": [{"name": "s"}],
    "links": [{"from": "a", "to": "s", "bandwidth_bytes_per_s": 1e9, "latency_s": 1e-6, "bidirectional": true},
              {"name": "up", "from": "b", "to": "s", "bandwidth_bytes_per_s": 2e9, "latency_s": 0},
              {"from": "s", "to": "b", "bandwidth_bytes_per_s": 2e9, "latency_s": 0}]})");
}

TEST(TopologyFile, Reads) {
  Expected<Topology> topology = parseTopology(validFile().dump(), "t.json");
  ASSERT_TRUE(static_cast<bool>(topology)) << topology.error();
  EXPECT_EQ(topology->name, "pair");
  ASSERT_EQ(topology->links.size(), 4u);
  EXPECT_EQ(topology->links[1].name, "s->a");
  EXPECT_EQ(topology->links[2].name, "up");
  EXPECT_EQ(topology->typeOf(1).launchNs, 2000);
  EXPECT_EQ(topology->typeOf(1).flopsPerSecond.at("f16"), 2e13);
  EXPECT_EQ(topology->transferNs(0, 1, 1000), 1000 + 1000);
  EXPECT_EQ(topology->transferNs(1, 0, 1000), 1000 + 1000);
}

TEST(TopologyFile, RoundTrip) {
  std::vector<Topology> topologies = {
      *parseTopology(validFile().dump(), "t.json"), *builtinTopology("cpu-1"),
      *builtinTopology("cpu-4"), *builtinTopology("cpu-80")};
  topologies[1].name = "a \"quoted\" name";
  for (const Topology &topology : topologies) {
    std::string text = printTopology(topology);
    Expected<Topology> again = parseTopology(text, "t.json");
    ASSERT_TRUE(static_cast<bool>(again)) << again.error();
    EXPECT_EQ(printTopology(*again), text);
    EXPECT_EQ(again->links.size(), topology.links.size());
    for (size_t l = 0; l < topology.links.size(); ++l)
      EXPECT_EQ(again->links[l].latencyNs, topology.links[l].latencyNs);
  }
}

TEST(TopologyFile, Loads) {
  std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "soap-topology-test.json";
  std::ofstream(path) << validFile().dump();
  EXPECT_EQ(loadTopology(path.string())->deviceCount(), 2);
  std::filesystem::remove(path);
  EXPECT_EQ(loadTopology("cpu-3")->deviceCount(), 3);
  EXPECT_EQ(loadTopology("no-such-file.json").error(),
            "no-such-file.json: no such file, expected a topology file, or a "
            "built-in name as cpu-4");
  EXPECT_EQ(loadTopology("no-such/cpu-4").error(),
            "no-such/cpu-4: no such file, expected a topology file, or a "
            "built-in name as cpu-4");
  EXPECT_TRUE(loadTopology("no-such-name")
                  .error()
                  .starts_with("unknown topology 'no-such-name', expected "
                               "a file or cpu-N, N up to 4096; "));
  EXPECT_FALSE(
      static_cast<bool>(loadTopology(testing::TempDir()))); // a directory
}

static void expectError(const std::string &text, const std::string &message) {
  Expected<Topology> topology = parseTopology(text, "t.json");
  ASSERT_FALSE(static_cast<bool>(topology)) << message;
  EXPECT_EQ(topology.error(), "t.json: " + message);
}

/// The message for the valid file after one change.
static void expectError(const std::function<void(Json &)> &change,
                        const std::string &message) {
  Json file = validFile();
  change(file);
  expectError(file.dump(), message);
}

TEST(TopologyFile, WrongVersion) {
  expectError([](Json &f) { f["version"] = 2; },
              "at /version: expected version 1, got 2");
  expectError([](Json &f) { f["version"] = "1"; },
              "at /version: expected version 1, got \"1\"");
  expectError([](Json &f) { f.erase("version"); },
              "at /: expected key \"version\", which is missing");
}

TEST(TopologyFile, WrongStructure) {
  expectError("[]", "at /: expected an object, got an array");
  expectError("3", "at /: expected an object, got 3");
  expectError([](Json &f) { f["colour"] = 1; },
              "at /: unknown key \"colour\", expected one of version, name, "
              "device_types, devices, switches, links");
  expectError([](Json &f) { f["links"][0]["speed"] = 1; },
              "at /links/0: unknown key \"speed\", expected one of name, from, "
              "to, bandwidth_bytes_per_s, latency_s, "
              "bidirectional");
  expectError([](Json &f) { f["devices"] = 4; },
              "at /devices: expected an array, got 4");
  expectError([](Json &f) { f["devices"][1] = "b"; },
              "at /devices/1: expected an object, got \"b\"");
  expectError([](Json &f) { f.erase("links"); },
              "at /: expected key \"links\", which is missing");
  expectError([](Json &f) { f["name"] = nullptr; },
              "at /name: expected a string that is not empty, got null");
}

TEST(TopologyFile, InvalidJson) {
  std::string text = validFile().dump();
  expectError("", "invalid JSON: parse error at line 1, column 1: syntax error "
                  "while parsing value - unexpected end of "
                  "input; expected '[', '{', or a literal");
  for (size_t length : {size_t(1), text.size() / 2, text.size() - 1}) {
    Expected<Topology> topology =
        parseTopology(text.substr(0, length), "t.json");
    ASSERT_FALSE(static_cast<bool>(topology));
    EXPECT_EQ(topology.error().rfind(
                  "t.json: invalid JSON: parse error at line 1, column ", 0),
              0u)
        << topology.error();
  }
  expectError(text.substr(0, text.size() - 1) + ", \"name\": \"x\"}",
              "duplicate key \"name\"");
  expectError(std::string(100000, '['), "nesting deeper than 64");
}

TEST(TopologyFile, Devices) {
  expectError([](Json &f) { f["devices"] = Json::array(); },
              "at /devices: expected 1 to 16384 devices, got 0");
  expectError(
      [](Json &f) {
        for (int i = 0; i < 16384; ++i)
          f["devices"].push_back(
              {{"name", "d" + std::to_string(i)}, {"type", "gpu"}});
      },
      "at /devices: expected 1 to 16384 devices, got 16386");
  expectError([](Json &f) { f["devices"][1]["name"] = "a"; },
              "at /devices/1/name: duplicate name 'a', devices and switches "
              "need distinct names");
  expectError([](Json &f) { f["switches"][0]["name"] = "a"; },
              "at /switches/0/name: duplicate name 'a', devices and switches "
              "need distinct names");
  expectError(
      [](Json &f) { f["devices"][1]["type"] = "tpu"; },
      "at /devices/1/type: expected the name of a device type, got \"tpu\"");
  expectError(
      [](Json &f) { f["devices"][0]["name"] = ""; },
      "at /devices/0/name: expected a string that is not empty, got \"\"");
}

TEST(TopologyFile, DeviceTypes) {
  expectError(
      [](Json &f) { f["device_types"].push_back(f["device_types"][0]); },
      "at /device_types/1/name: duplicate device type 'gpu'");
  expectError([](Json &f) { f["device_types"][0]["memory_bytes"] = 0; },
              "at /device_types/0/memory_bytes: expected an integer from 1 to "
              "1152921504606846976, got 0");
  expectError(
      [](Json &f) {
        f["device_types"][0]["memory_bytes"] = 18446744073709551615u;
      },
      "at /device_types/0/memory_bytes: expected an integer from 1 to "
      "1152921504606846976, got "
      "18446744073709551615");
  // A whole number, written as people write large ones.
  Json large = Json::parse(R"({"memory_bytes": 48e9})");
  Json file = validFile();
  file["device_types"][0]["memory_bytes"] = large["memory_bytes"];
  auto read = parseTopology(file.dump(), "t.json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_EQ(read->deviceTypes[0].memoryBytes, int64_t(48000000000));
  expectError([](Json &f) { f["device_types"][0]["memory_bytes"] = 1.5; },
              "at /device_types/0/memory_bytes: expected an integer from 1 to "
              "1152921504606846976, got 1.5");
  expectError(
      [](Json &f) { f["device_types"][0]["flops_per_s"].erase("f32"); },
      "at /device_types/0/flops_per_s: expected key \"f32\", which is missing");
  expectError([](Json &f) { f["device_types"][0]["flops_per_s"]["f31"] = 1e9; },
              "at /device_types/0/flops_per_s: unknown key \"f31\", expected "
              "one of f64, f32, tf32, f16, bf16, f8, f4, i8");
  expectError(
      [](Json &f) { f["device_types"][0]["launch_s"] = -1; },
      "at /device_types/0/launch_s: expected a number from 0 to 1000, got -1");
  expectError(
      [](Json &f) { f["device_types"][0]["copies_occupy_receiver"] = 1; },
      "at /device_types/0/copies_occupy_receiver: expected true or false, got "
      "1");
}

TEST(TopologyFile, Links) {
  expectError(
      [](Json &f) { f["links"][0]["to"] = "t"; },
      "at /links/0/to: expected the name of a device or switch, got \"t\"");
  for (Json value :
       {Json(0), Json(-1e9), Json("nan"), Json(1e300), Json(nullptr)})
    expectError(
        [&](Json &f) { f["links"][1]["bandwidth_bytes_per_s"] = value; },
        "at /links/1/bandwidth_bytes_per_s: expected a number from 1 to 1e+18, "
        "got " +
            value.dump());
  expectError(
      [](Json &f) { f["links"][1]["latency_s"] = -1e-6; },
      "at /links/1/latency_s: expected a number from 0 to 1000, got -1e-06");
  expectError([](Json &f) { f["links"][1]["to"] = "b"; },
              "at /links/1/to: link from 'b' to itself");
  expectError([](Json &f) { f["links"][2]["name"] = "up"; },
              "at /links/2: duplicate link name 'up'");
  expectError([](Json &f) { f["links"].erase(2); },
              "at /links: no route from device 'a' to device 'b'");
  expectError([](Json &f) { f["links"].erase(1); },
              "at /links: no route from device 'b' to device 'a'");
  // A number beyond double is a syntax error for the parser.
  std::string text = validFile().dump();
  text.replace(text.find("1000000000.0"), 12, "1e999");
  Expected<Topology> topology = parseTopology(text, "t.json");
  ASSERT_FALSE(static_cast<bool>(topology));
  EXPECT_NE(topology.error().find("1e999"), std::string::npos)
      << topology.error();
}
