//===- ProcessesTest.cpp - Runs in several processes ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Placement, tensors, messages and training over a process group whose ranks
// are threads.
//
//===----------------------------------------------------------------------===//

#include "Runtime/LinearModel.h"
#include "Runtime/ThreadGroup.h"
#include "Runtime/Transport/Transport.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Execution/Trace.h"
#include "Soap/Runtime/Training/Trainer.h"

using namespace soap;
using namespace soap::runtime;

namespace {

TEST(Placement, DealsDevicesInBlocks) {
  for (int size : {1, 2, 3, 5})
    onRanks(size, [&](ProcessGroup &group) {
      Placement placement{&group, 5};
      int64_t before = 0;
      for (int rank = 0; rank < size; ++rank) {
        int64_t count = 0;
        for (int64_t device = 0; device < 5; ++device)
          count += placement.rankOf(device) == rank;
        EXPECT_GE(count, 5 / size);
        EXPECT_LE(count, (5 + size - 1) / size);
        if (rank == group.rank()) {
          std::vector<int64_t> here = placement.devicesHere();
          ASSERT_EQ(int64_t(here.size()), count);
          EXPECT_EQ(here.front(), before);
        }
        before += count;
      }
    });
  Placement alone{nullptr, 5};
  EXPECT_EQ(alone.devicesHere().size(), 5u);
  EXPECT_TRUE(alone.isRoot());
}

TEST(ProcessGroup, ExchangesTexts) {
  EXPECT_EQ(onRanks(3,
                    [](ProcessGroup &group) {
                      std::string mine(size_t(group.rank()), 'x');
                      auto all = exchangeTexts(group, mine);
                      ASSERT_TRUE(all) << all.error();
                      EXPECT_EQ(*all,
                                (std::vector<std::string>{"", "x", "xx"}));
                      auto some = gatherTexts(group, mine);
                      ASSERT_TRUE(some) << some.error();
                      EXPECT_EQ(some->size(), group.rank() == 0 ? 3u : 0u);
                    }),
            0u);
}

/// Two tensors of 8 elements on 4 devices: `a` in quarters in the first entry
/// and whole on device 3 in the second, `b` replicated on devices 0 and 2.
std::shared_ptr<const Manifest> tiles() {
  using nlohmann::json;
  json manifest = json::parse(R"({"version": 1, "devices": 4, "tensors": [
    {"name": "a", "kind": "parameter", "shape": [8], "dtype": "f32"},
    {"name": "b", "kind": "parameter", "shape": [8], "dtype": "f32"},
    {"name": "r", "kind": "output", "shape": [8], "dtype": "f32"}],
    "entries": []})");
  auto tile = [](const char *name, int lo, int hi) {
    return json{{"tensor", name}, {"region", {{{lo, hi}}}}};
  };
  auto rank = [](int device, json args, json results) {
    return json{{"device", device},
                {"program", "p"},
                {"arena_bytes", 0},
                {"args", std::move(args)},
                {"results", std::move(results)},
                {"tasks", json::array()},
                {"peers", json::array()},
                {"transfers", json::array()}};
  };
  json cut = json::array(), whole = json::array();
  for (int d = 0; d < 4; ++d) {
    json part = tile("a", 2 * d, 2 * d + 2),
         result = tile("r", 2 * d, 2 * d + 2);
    part["updated"] = true;
    json args = json::array({part});
    if (d % 2 == 0)
      args.push_back(tile("b", 0, 8));
    cut.push_back(rank(d, args, json::array({result})));
  }
  whole.push_back(
      rank(3, json::array({tile("a", 0, 8), tile("b", 0, 8)}), json::array()));
  for (auto &[name, ranks] : {std::pair{"cut", cut}, std::pair{"whole", whole}})
    manifest["entries"].push_back({{"name", name},
                                   {"batch", 1},
                                   {"schedule", json::array()},
                                   {"ranks", ranks}});
  auto parsed = parseManifest(manifest.dump(), "tiles");
  EXPECT_TRUE(parsed) << parsed.error();
  return std::make_shared<const Manifest>(*parsed);
}

TEST(TensorStore, MovesTilesBetweenProcesses) {
  auto manifest = tiles();
  for (int size : {1, 2, 3, 4})
    EXPECT_EQ(onRanks(size,
                      [&](ProcessGroup &group) {
                        TensorStore store(manifest, Placement{&group, 4});
                        const Placement &place = store.placement();
                        for (size_t t : {0, 1}) {
                          HostTensor value(DType::F32, {8});
                          for (int i = 0; i < 8; ++i)
                            value.set(i, double(t) * 100 + i);
                          ASSERT_FALSE(store.set(t, value));
                        }
                        ASSERT_FALSE(store.prepare(0));
                        for (int d = 0; d < 4; ++d) {
                          std::vector<void *> pointers =
                              store.pointers(0, size_t(d));
                          EXPECT_EQ(pointers[0] != nullptr, place.isHere(d));
                          if (!place.isHere(d))
                            continue;
                          // The program: a += 1000, r = -a.
                          auto *a = static_cast<float *>(pointers[0]);
                          auto *r = static_cast<float *>(pointers.back());
                          EXPECT_EQ(a[1], float(2 * d + 1));
                          for (int i = 0; i < 2; ++i) {
                            a[i] += 1000;
                            r[i] = -a[i];
                          }
                        }
                        store.finished(0);
                        auto result = store.result(0, 2);
                        ASSERT_TRUE(result) << result.error();
                        auto everywhere = store.get(0),
                             atRoot = store.get(0, true);
                        ASSERT_TRUE(everywhere) << everywhere.error();
                        ASSERT_TRUE(atRoot) << atRoot.error();
                        for (int i = 0; i < 8; ++i) {
                          EXPECT_EQ(everywhere->at(i), 1000 + i);
                          if (place.isRoot()) {
                            EXPECT_EQ(atRoot->at(i), 1000 + i);
                            EXPECT_EQ(result->at(i), -(1000 + i));
                          }
                        }
                        // The whole of `a` comes from four devices, `b` from
                        // the host's copy.
                        ASSERT_FALSE(store.prepare(1));
                        if (!place.isHere(3))
                          return;
                        std::vector<void *> pointers = store.pointers(1, 0);
                        for (int i = 0; i < 8; ++i) {
                          EXPECT_EQ(static_cast<float *>(pointers[0])[i],
                                    float(1000 + i));
                          EXPECT_EQ(static_cast<float *>(pointers[1])[i],
                                    float(100 + i));
                        }
                      }),
              0u)
        << size;
}

TEST(Transport, CarriesMessagesBetweenProcesses) {
  EXPECT_EQ(onRanks(2,
                    [](ProcessGroup &group) {
                      Placement place{&group, 3};
                      auto transport = makeTransport(place, 2);
                      // Device 1 is on rank 0, device 2 on rank 1.
                      Envelope there{1, 2, 0}, back{2, 0, 1};
                      for (int64_t i = 0; i < 3; ++i) {
                        transport->start(i);
                        int64_t value = 10 + i;
                        if (group.rank() == 0) {
                          ASSERT_FALSE(transport->send(there, &value, 8));
                          ASSERT_FALSE(transport->receive(back, &value, 8));
                          EXPECT_EQ(value, 20 + 2 * i);
                        } else {
                          ASSERT_FALSE(transport->receive(there, &value, 8));
                          EXPECT_EQ(value, 10 + i);
                          value *= 2;
                          ASSERT_FALSE(transport->send(back, &value, 8));
                        }
                        EXPECT_FALSE(transport->finish());
                      }
                      // A failure of a device here ends waiting for others.
                      std::thread other([&] { transport->abort(); });
                      int64_t value = 0;
                      EXPECT_TRUE(transport->receive(
                          group.rank() == 0 ? back : there, &value, 8));
                      other.join();
                    }),
            0u);
}

TEST(Transport, PostsWithinAProcessAndBetweenThem) {
  EXPECT_EQ(
      onRanks(
          2,
          [](ProcessGroup &group) {
            Placement place{&group, 3};
            auto transport = makeTransport(place, 3);
            // Devices 0 and 1 are on rank 0, device 2 is on rank 1.
            Envelope here{1, 0, 0}, there{1, 2, 1}, back{2, 1, 2};
            std::vector<int64_t> message(1000), received(1000);
            auto bytes = int64_t(message.size() * sizeof(int64_t));
            for (int64_t i = 0; i < 3; ++i) {
              transport->start(i);
              std::fill(message.begin(), message.end(), 100 * group.rank() + i);
              if (group.rank() == 0) {
                // Device 0 is a thread of its own, as in a launcher.
                std::vector<int64_t> other(1000);
                std::thread device([&] {
                  EXPECT_FALSE(transport->receive(here, other.data(), bytes));
                });
                EXPECT_FALSE(transport->post(here, message.data(), bytes));
                EXPECT_FALSE(transport->post(there, message.data(), bytes));
                EXPECT_FALSE(transport->receive(back, received.data(), bytes));
                device.join();
                EXPECT_EQ(other, message);
                EXPECT_EQ(received, std::vector<int64_t>(1000, 100 + i));
              } else {
                EXPECT_FALSE(transport->post(back, message.data(), bytes));
                EXPECT_FALSE(transport->receive(there, received.data(), bytes));
                EXPECT_EQ(received, std::vector<int64_t>(1000, i));
              }
              EXPECT_FALSE(transport->finish());
            }
          }),
      0u);
}

/// Trains the linear model; the weight, and what rank 0 has seen.
struct Outcome {
  double weight = 0, loss = 0, accuracy = 0;
  std::vector<int64_t> bytes;
  size_t events = 0;
};

void train(World *world, const std::string &data, Outcome &outcome) {
  auto session = Session::create(linearModel(), LauncherOptions(), world);
  ASSERT_TRUE(session) << session.error();
  Trace trace;
  (*session)->observer = [&](const Execution &run) { trace.add(run); };
  auto trainer = Trainer::create(**session);
  ASSERT_TRUE(trainer) << trainer.error();
  auto source = loadData(data, trainer->inputs(), Normalization(), 1);
  ASSERT_TRUE(source) << source.error();
  ASSERT_FALSE(
      initialize((*session)->manifest(), (*session)->tensors(), "", 1));
  TrainOptions options;
  options.epochs = 2;
  auto result = trainEpochs(*trainer, *source, options);
  ASSERT_TRUE(result) << result.error();
  auto bytes = (*session)->bytesSent(0);
  ASSERT_TRUE(bytes) << bytes.error();
  auto weight = (*session)->tensors().get(2);
  ASSERT_TRUE(weight) << weight.error();
  outcome.weight = weight->at(0);
  if (world) {
    ASSERT_FALSE(trace.gather(world->processes()));
  }
  outcome.events = trace.size();
  outcome.bytes = *bytes;
  outcome.loss = result->epochs[1].loss;
  outcome.accuracy = *result->epochs[1].testAccuracy;
}

TEST(World, TrainsAsOneProcessDoes) {
  TemporaryFolder folder;
  writeSigns(folder, "train", 42);
  writeSigns(folder, "test", 7);
  std::string data = "npy:" + folder.path;
  Outcome alone;
  train(nullptr, data, alone);
  EXPECT_EQ(onRanks(2,
                    [&](ProcessGroup &group) {
                      auto world = World::create(group, PeerMonitorOptions());
                      ASSERT_TRUE(world) << world.error();
                      Outcome mine;
                      train(world->get(), data, mine);
                      EXPECT_EQ(mine.weight, alone.weight);
                      if (group.rank() == 0) {
                        EXPECT_EQ(mine.loss, alone.loss);
                        EXPECT_EQ(mine.accuracy, alone.accuracy);
                        EXPECT_EQ(mine.bytes, alone.bytes);
                        EXPECT_EQ(mine.events, alone.events);
                      }
                      EXPECT_FALSE((*world)->leave());
                    }),
            0u);
}

TEST(World, AgreesToStopAfterTheSameIteration) {
  std::atomic<bool> stop{false};
  std::atomic<int64_t> after[3] = {};
  EXPECT_EQ(onRanks(3,
                    [&](ProcessGroup &group) {
                      PeerMonitorOptions options;
                      int rank = group.rank();
                      options.stopRequested = [&, rank] {
                        return rank == 2 && stop.load();
                      };
                      auto world = World::create(group, options);
                      ASSERT_TRUE(world) << world.error();
                      for (int64_t i = 1;; ++i) {
                        if (i == 5 && rank == 2)
                          stop.store(true);
                        auto answer = (*world)->agreeToStop();
                        ASSERT_TRUE(answer) << answer.error();
                        after[rank] = i;
                        if (*answer == Decision::Stop)
                          break;
                        std::this_thread::sleep_for(
                            std::chrono::milliseconds(1 + 3 * rank));
                      }
                      EXPECT_FALSE((*world)->leave());
                    }),
            0u);
  EXPECT_GT(after[0], 1);
  EXPECT_EQ(after[0], after[1]);
  EXPECT_EQ(after[0], after[2]);
}

/// Runs a linear model whose device 1 runs `second` on two ranks, with a
/// watchdog of 300 ms; what each rank's run ends with.
std::vector<std::string> runWith(SoapProgram second,
                                 std::atomic<bool> *release) {
  std::vector<std::string> messages(2);
  onRanks(2, [&](ProcessGroup &group) {
    auto world = World::create(group, PeerMonitorOptions());
    ASSERT_TRUE(world) << world.error();
    ProgramSource source = linearModel();
    auto programs = source.program;
    source.program = [=](const std::string &name) {
      return name == "train_1" ? second : programs(name);
    };
    LauncherOptions options;
    options.timeout = std::chrono::milliseconds(300);
    auto session = Session::create(source, options, world->get());
    ASSERT_TRUE(session) << session.error();
    ASSERT_FALSE(
        initialize((*session)->manifest(), (*session)->tensors(), "", 1));
    for (size_t t : {0, 1}) {
      (*session)->tensors().host(t);
      (*session)->tensors().hostWritten(t);
    }
    MaybeError error = (*session)->run(0);
    messages[size_t(group.rank())] = error ? error->message : "no error";
    if (group.rank() == 1)
      release->store(true);
    // Messages that the group still holds are of no use.
  });
  return messages;
}

std::atomic<bool> released;

TEST(World, BlamesTheDeviceThatHangs) {
  released.store(false);
  auto messages = runWith(
      [](SoapContext *ctx, void **args, void *) {
        soap_rt_task_begin(ctx, 0);
        while (!released.load())
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        soap_rt_task_end(ctx, 0);
        float sums[3] = {};
        soap_rt_task_begin(ctx, 1);
        soap_rt_send(ctx, 1, sums, sizeof(sums));
        soap_rt_task_end(ctx, 1);
        (void)args;
      },
      &released);
  EXPECT_EQ(messages[1].find("device 1, op 'work[1]' (linear): no progress"),
            0u)
      << messages[1];
  // Rank 0 only waits, and has patience with a rank that does something.
  EXPECT_EQ(messages[0].find("all devices wait for messages for "), 0u)
      << messages[0];
}

TEST(World, EndsWhenAllRanksWait) {
  auto messages = runWith([](SoapContext *ctx, void **args,
                             void *) { soap_rt_recv(ctx, 2, args[2], 4); },
                          &released);
  for (const std::string &message : messages)
    EXPECT_EQ(message.find("all devices wait for messages for "), 0u)
        << message;
}

TEST(World, RejectsAnotherVersion) {
  onRanks(3, [](ProcessGroup &group) {
    auto world = World::create(group, PeerMonitorOptions(),
                               group.rank() == 2 ? "0.0.7" : "0.0.8");
    ASSERT_FALSE(world);
    EXPECT_EQ(world.error().find("rank 2 on '"), 0u) << world.error();
    EXPECT_NE(world.error().find("' runs Soap 0.0.7, rank 0 on '"),
              std::string::npos)
        << world.error();
    EXPECT_NE(world.error().find("' Soap 0.0.8: expected the same version"),
              std::string::npos)
        << world.error();
  });
}

TEST(World, Rejects) {
  onRanks(3, [](ProcessGroup &group) {
    auto world = World::create(group, PeerMonitorOptions());
    ASSERT_TRUE(world) << world.error();
    auto session =
        Session::create(linearModel(), LauncherOptions(), world->get());
    ASSERT_FALSE(session);
    EXPECT_EQ(session.error(), "the module has 2 devices: expected at most as "
                               "many ranks, got 3");
    EXPECT_FALSE((*world)->leave());
  });
  onRanks(2, [](ProcessGroup &group) {
    auto world = World::create(group, PeerMonitorOptions());
    ASSERT_TRUE(world) << world.error();
    Manifest manifest = *linearModel().manifest;
    manifest.tensors[2].name += std::to_string(group.rank());
    auto placed = (*world)->place(manifest);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error(), "rank 1 has another module than rank 0");
    EXPECT_FALSE((*world)->leave());
  });
}

} // namespace
