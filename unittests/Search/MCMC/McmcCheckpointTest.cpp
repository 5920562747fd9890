//===- McmcCheckpointTest.cpp - States of searches as JSON ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A written state is read back; a state of another search is refused
// with the place and what was expected.
//
//===----------------------------------------------------------------------===//

#include "Soap/Search/MCMC/McmcCheckpoint.h"
#include "Search/Problems.h"
#include "Soap/Profile/ProfileModel.h"

#include <gtest/gtest.h>

#include <random>

using namespace soap;
using namespace soap::test;

namespace {

struct Fixture {
  MlpProblem p{makeMlp(64, {100, 80, 10}), 4};
  McmcOptions options;
  std::string text;

  Fixture() {
    options.proposals = 900;
    options.seed = 4;
    options.chains = 2;
    options.kind = ProposalKind::Mixed;
    McmcOptions run = options;
    run.pauseAfter = 300;
    run.checkpoint = [&](const McmcState &state) {
      text = printMcmcCheckpoint(p.problem, options, state);
    };
    searchMcmc(p.problem, run);
  }
  std::string errorOf(const std::string &changed) const {
    Expected<McmcState> state =
        parseMcmcCheckpoint(changed, "s.ckpt", p.problem, options);
    return state ? "" : state.error();
  }
  /// The error after a text is replaced by another.
  std::string errorOf(const std::string &from, const std::string &to) const {
    std::string changed = text;
    size_t at = changed.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return errorOf(changed.replace(at, from.size(), to));
  }
};

/// As files were written before there were checksums.
std::string withoutChecksum(std::string text) {
  const std::string key = "\"checksum\":\"";
  size_t at = text.find(key);
  EXPECT_NE(at, std::string::npos);
  constexpr size_t digits = 16, behind = 2; // a quote and a comma
  return text.erase(at, key.size() + digits + behind);
}

void expectIn(const std::string &error, const std::string &part) {
  EXPECT_NE(error.find(part), std::string::npos) << error;
  EXPECT_EQ(error.find("s.ckpt"), 0u) << error;
}

TEST(McmcCheckpoint, ReadsWhatItWrites) {
  Fixture f;
  Expected<McmcState> state =
      parseMcmcCheckpoint(f.text, "s.ckpt", f.p.problem, f.options);
  ASSERT_TRUE(state) << state.error();
  EXPECT_EQ(printMcmcCheckpoint(f.p.problem, f.options, *state), f.text);
  EXPECT_EQ(state->chains.size(), 2u);
}

TEST(McmcCheckpoint, RefusesOthers) {
  Fixture f;
  expectIn(f.errorOf(f.text.substr(0, f.text.size() / 2)), "line");
  expectIn(f.errorOf("\"version\":1", "\"version\":2"), "expected version 1");
  expectIn(f.errorOf("\"mcmc\"", "\"genetic\""), "at /search: expected");
  expectIn(f.errorOf("seed 4", "seed 5"), "at /options: expected");
  expectIn(f.errorOf("mates 0,", "mates 0.5,"), "at /options: expected");
  expectIn(f.errorOf("\"round\":", "\"rounds\":"), "rounds");
  expectIn(f.errorOf("\"round\":", "\"round\":-1"), "at /round");
  expectIn(f.errorOf("\"step\":0", "\"step\":1"), "at /chains: expected");
  expectIn(f.errorOf("\"step\":0", "\"step\":7"), "at /chains: expected");

  MlpProblem other(makeMlp(64, {100, 90, 10}), 4), larger(f.p.mlp, 8);
  Expected<McmcState> model = parseMcmcCheckpoint(f.text, "s.ckpt",
                                                  other.problem, f.options),
                      cluster = parseMcmcCheckpoint(f.text, "s.ckpt",
                                                    larger.problem, f.options);
  ASSERT_FALSE(model);
  expectIn(model.error(), "at /model: expected a checkpoint of the model");
  ASSERT_FALSE(cluster);
  expectIn(cluster.error(), "at /topology: expected a checkpoint");
  McmcOptions options = f.options;
  options.temperature = 0.1;
  Expected<McmcState> colder =
      parseMcmcCheckpoint(f.text, "s.ckpt", f.p.problem, options);
  ASSERT_FALSE(colder);
  expectIn(colder.error(), "temperature");
}

TEST(McmcCheckpoint, RefusesOtherProfilesOfTheSameName) {
  MlpProblem p(makeMlp(64, {100, 80, 10}), *builtinTopology("h200-1x4"));
  McmcOptions options;
  options.proposals = 100;
  options.pauseAfter = 50;
  std::string text;
  options.checkpoint = [&](const McmcState &state) {
    text = printMcmcCheckpoint(p.problem, options, state);
  };
  searchMcmc(p.problem, options);
  ASSERT_TRUE(parseMcmcCheckpoint(text, "s.ckpt", p.problem, options));

  Profile profile = p.topology.deviceTypes[0].costs->getProfile();
  ASSERT_FALSE(profile.curves.empty());
  profile.curves[0].terms[0].ns *= 2;
  Topology topology = p.topology;
  topology.deviceTypes[0].costs =
      std::make_shared<const ProfileModel>(std::move(profile));
  MlpProblem other(p.mlp, topology);
  Expected<McmcState> state =
      parseMcmcCheckpoint(text, "s.ckpt", other.problem, options);
  ASSERT_FALSE(state);
  expectIn(state.error(), "at /profiles: expected");
}

/// Prices depend on the precision; files without one were written before there
/// was a choice, when devices with tf32 had prices in that.
TEST(McmcCheckpoint, RefusesAnotherPrecision) {
  for (const char *name : {"h200-1x4", "k80-1x4"}) {
    SCOPED_TRACE(name);
    MlpProblem p(makeMlp(64, {100, 80, 10}), *builtinTopology(name));
    McmcOptions options;
    options.proposals = 100;
    options.pauseAfter = 50;
    std::string text;
    options.checkpoint = [&](const McmcState &state) {
      text = printMcmcCheckpoint(p.problem, options, state);
    };
    searchMcmc(p.problem, options);
    ASSERT_TRUE(parseMcmcCheckpoint(text, "s.ckpt", p.problem, options));
    Mlp mlp = p.mlp;
    mlp.graph.precision = ProductPrecision::TF32;
    MlpProblem other(mlp, p.topology);
    Expected<McmcState> state =
        parseMcmcCheckpoint(text, "s.ckpt", other.problem, options);
    ASSERT_FALSE(state);
    expectIn(state.error(), "at /precision: expected a checkpoint of prices of "
                            "products in \"tf32\", got \"f32\"");
    const std::string key = "\"precision\":\"f32\",";
    ASSERT_NE(text.find(key), std::string::npos);
    text.erase(text.find(key), key.size());
    text = withoutChecksum(std::move(text));
    state = parseMcmcCheckpoint(text, "s.ckpt", p.problem, options);
    EXPECT_EQ(static_cast<bool>(state), std::string(name) == "k80-1x4");
  }
}

TEST(McmcCheckpoint, RefusesFewerChains) {
  Fixture f;
  Expected<McmcState> state =
      parseMcmcCheckpoint(f.text, "s.ckpt", f.p.problem, f.options);
  ASSERT_TRUE(state) << state.error();
  state->chains.resize(1);
  state->chains[0].step = 0;
  expectIn(f.errorOf(printMcmcCheckpoint(f.p.problem, f.options, *state)),
           "at /chains: expected 2 chains");
}

TEST(McmcCheckpoint, RefusesDamage) {
  Fixture f;
  size_t at = f.text.find("\"round\":");
  ASSERT_NE(at, std::string::npos);
  std::string changed = f.text;
  changed.insert(at + std::string("\"round\":").size(), "1");
  expectIn(f.errorOf(changed), "at /checksum: the file is damaged");
  EXPECT_EQ(f.errorOf(withoutChecksum(changed)), "");
}

/// Of files without a checksum. Damaged anywhere: refused, or still a state
/// that a search can go on from.
TEST(McmcCheckpoint, SurvivesDamage) {
  Fixture f;
  std::mt19937_64 random(11);
  int refused = 0;
  const std::string undamaged = withoutChecksum(f.text);
  for (int i = 0; i < 1500; ++i) {
    std::string text = undamaged;
    for (uint64_t changes = random() % 3 + 1; changes > 0; --changes) {
      size_t at = random() % text.size();
      switch (random() % 3) {
      case 0:
        text[at] = "0123456789-[]{},\"e."[random() % 19];
        break;
      case 1:
        text.erase(at, random() % 20);
        break;
      default:
        text.insert(at, text.substr(random() % text.size(), random() % 20));
      }
    }
    Expected<McmcState> state =
        parseMcmcCheckpoint(text, "s.ckpt", f.p.problem, f.options);
    if (!state) {
      ++refused;
      continue;
    }
    if (i % 5 != 0)
      continue;
    McmcOptions options = f.options;
    options.pauseAfter = 5;
    options.resume = &*state;
    McmcResult result = searchMcmc(f.p.problem, options);
    EXPECT_FALSE(f.p.problem.verify(result.best));
  }
  EXPECT_GT(refused, 1000);
}

} // namespace
