//===- ProgramInterfaceTest.cpp - Manifest and programs agree -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interfaces by hand, as the compiler writes them, against the manifest of the
// linear model; each test changes one number of one side.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/ProgramInterface.h"
#include "Runtime/LinearModel.h"

#include "Soap/ABI/Runtime.h"

#include <map>

using namespace soap;
using namespace soap::runtime;

namespace {

using Words = std::vector<int64_t>;

/// A program's messages, as slot, kind and bytes.
Words interface(const Words &pointers, const Words &messages, int64_t arena,
                int64_t slots) {
  Words words = {0, arena, slots, int64_t(pointers.size() / 2)};
  words.insert(words.end(), pointers.begin(), pointers.end());
  words.push_back(int64_t(messages.size() / 3));
  words.insert(words.end(), messages.begin(), messages.end());
  words[0] = int64_t(words.size()) - 1;
  return words;
}

/// The linear model, with what its four programs need.
struct Model {
  ProgramSource source = linearModel();
  std::map<std::string, Words> constants;
  Manifest manifest = *source.manifest;

  Model() {
    constexpr int64_t f32 = SOAP_INTERFACE_F32, i32 = SOAP_INTERFACE_I32,
                      send = SOAP_INTERFACE_SEND, recv = SOAP_INTERFACE_RECV;
    Words args = {8, f32, 8, i32, 4, f32}, all = args;
    all.insert(all.end(), {4, f32, 4, f32});
    constants = {
        {"train_0", interface(all, {1, recv, 12, 2, send, 4}, 128, 3)},
        {"train_1", interface(args, {1, send, 12, 2, recv, 4}, 128, 3)},
        {"eval_0", interface(all, {1, recv, 12}, 128, 2)},
        {"eval_1", interface(args, {1, send, 12}, 128, 2)}};
  }

  RankInfo &train(size_t rank) { return manifest.entries[0].ranks[rank]; }

  std::string check() {
    constexpr std::string_view prefix = "soap_interface_";
    Words checksum = {source.manifest->textBytes,
                      source.manifest->textChecksum};
    source.manifest = std::make_shared<const Manifest>(manifest);
    source.data = [&](const std::string &name) -> const void * {
      if (name == "soap_manifest_crc32")
        return checksum.data();
      if (!name.starts_with(prefix))
        return nullptr;
      auto found = constants.find(name.substr(prefix.size()));
      return found == constants.end() ? nullptr : found->second.data();
    };
    MaybeError error = verifyPrograms(source);
    if (!error)
      return "no error";
    const std::string common = "the manifest does not fit the programs: entry "
                               "'train_step', ";
    return error->message.starts_with(common)
               ? error->message.substr(common.size())
               : error->message;
  }
};

TEST(ProgramInterface, Fits) { EXPECT_EQ(Model().check(), "no error"); }

TEST(ProgramInterface, TellsMemoryApart) {
  Model arena;
  arena.train(0).arenaBytes = 64;
  EXPECT_EQ(arena.check(), "device 0: arena_bytes: program 'train_0' expects "
                           "128, got 64");
  Model fewer;
  fewer.train(0).results.pop_back();
  EXPECT_EQ(fewer.check(), "device 0: args and results, together: program "
                           "'train_0' expects 5, got 4");
  Model smaller;
  smaller.train(1).args[0].region = Region(
      {IndexSet::fromIntervals({{2, 3}}), IndexSet::fromIntervals({{0, 1}})});
  EXPECT_EQ(smaller.check(), "device 1: bytes of the region of 'x': program "
                             "'train_1' expects 8, got 4");
  Model type;
  type.manifest.tensors[1].dtype = DType::F32;
  EXPECT_EQ(type.check(), "device 0: the type of 'label': program 'train_0' "
                          "expects i32, got f32");
}

TEST(ProgramInterface, TellsMessagesApart) {
  Model slots;
  for (auto *list : {&slots.train(0).tasks, &slots.train(0).peers,
                     &slots.train(0).transfers, &slots.train(0).collectives})
    list->resize(1);
  EXPECT_EQ(slots.check(), "device 0: tasks: program 'train_0' expects 3, got "
                           "1");
  Model silent;
  silent.train(0).transfers[2] = -1;
  EXPECT_EQ(silent.check(), "device 0: transfers of slot 2: program 'train_0' "
                            "expects 1, got 0");
  Model loud;
  loud.train(1).transfers[0] = 0;
  EXPECT_EQ(loud.check(), "device 1: transfers of slot 0: program 'train_1' "
                          "expects 0, got 1");
  Model collective;
  collective.train(0).collectives[0] = 0;
  EXPECT_EQ(collective.check(), "device 0: collectives of slot 0: program "
                                "'train_0' expects 0, got 1");
  // The numbers of the two transfers exchanged on one side.
  Model exchanged;
  std::swap(exchanged.train(1).transfers[1], exchanged.train(1).transfers[2]);
  EXPECT_EQ(exchanged.check(), "transfer 1: expected a sender and a receiver, "
                               "got two senders");
  Model bytes;
  bytes.constants["train_1"].end()[-4] = 16;
  EXPECT_EQ(bytes.check(),
            "transfer 0: one end has 12 bytes, the other one 16");
}

TEST(ProgramInterface, TellsOtherManifestsApart) {
  Model text;
  text.manifest.textBytes += 1;
  EXPECT_EQ(text.check(), "the manifest is not the one that the programs were "
                          "compiled with: it was changed; lower the module "
                          "again");
  Model sum;
  sum.manifest.textChecksum ^= 1;
  EXPECT_NE(sum.check(), "no error");
}

TEST(ProgramInterface, RefusesInterfacesThatContradictThemselves) {
  const std::string message =
      "entry 'train_step': the module has no program 'train_0' that says what "
      "it needs (soap_interface_train_0); lower it again";
  Model missing;
  missing.constants.erase("train_0");
  EXPECT_EQ(missing.check(), message);
  for (size_t at : {0, 3, 14}) {
    Model wrong;
    wrong.constants["train_0"][at] = at == 0 ? 3 : 1000;
    EXPECT_EQ(wrong.check(), message) << at;
  }
}

} // namespace
