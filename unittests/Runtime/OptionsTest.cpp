//===- OptionsTest.cpp - Flags of soap-run --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that the flags set, and the message for every mistake.
//
//===----------------------------------------------------------------------===//

#include "../../tools/soap-run/Options.h"

#include "gtest/gtest.h"

using namespace soap;
using namespace soap::run;

namespace {

std::string errorOf(const std::vector<std::string> &arguments) {
  auto options = parseOptions(arguments);
  return options ? "no error" : options.error();
}

TEST(Options, Parses) {
  auto options =
      parseOptions({"m.mlir", "--data", "idx:d", "--epochs=3", "--seed", "7",
                    "--timeout=0.5", "--quiet", "--normalize=0.5,0.25"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->file, "m.mlir");
  EXPECT_EQ(options->data, "idx:d");
  EXPECT_EQ(options->epochs, 3);
  EXPECT_EQ(options->seed, 7);
  EXPECT_TRUE(options->seedGiven);
  EXPECT_EQ(options->timeoutMs, 500);
  EXPECT_TRUE(options->quiet);
  EXPECT_EQ(options->normalization.deviation, 0.25);

  auto defaults = parseOptions({"m.mlir", "--data=synthetic"});
  ASSERT_TRUE(defaults);
  EXPECT_EQ(defaults->epochs, 1);
  auto limited = parseOptions({"m.mlir", "--data=synthetic", "--iterations=9"});
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->epochs, 0);
  auto entry = parseOptions(
      {"m.mlir", "--entry=forward", "--input=a=b.npy", "--input", "c=d.npy"});
  ASSERT_TRUE(entry) << entry.error();
  EXPECT_EQ(entry->inputs.size(), 2u);
  EXPECT_TRUE(parseOptions({"--help"})->help);
}

TEST(Options, LastValueCounts) {
  auto options = parseOptions(
      {"a.mlir", "--data=x", "--seed=1", "--seed", "2", "--data", "--quiet"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->seed, 2);
  // A value may look as a flag.
  EXPECT_EQ(options->data, "--quiet");
  EXPECT_FALSE(options->quiet);
}

/// A flag takes one value, also before the file.
TEST(Options, AFileMayFollowAValue) {
  auto options =
      parseOptions({"--data", "synthetic", "--timeout", "5", "m.mlir"});
  ASSERT_TRUE(static_cast<bool>(options)) << options.error();
  EXPECT_EQ(options->file, "m.mlir");
  EXPECT_EQ(options->timeoutMs, 5000);
}

TEST(Options, EveryFlagIsInTheHelp) {
  std::string help = helpText();
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);)
    EXPECT_LE(line.size(), 100u) << line;
  for (const char *flag : {"--checkpoint",
                           "--checkpoint-every",
                           "--compare-with",
                           "--data",
                           "--devices",
                           "--entry",
                           "--epochs",
                           "--help",
                           "--init",
                           "--input",
                           "--iterations",
                           "--join-timeout",
                           "--normalize",
                           "--opt-level",
                           "--output",
                           "--preset",
                           "--quiet",
                           "--rank-timeout",
                           "--reference",
                           "--report",
                           "--resume",
                           "--save-state",
                           "--save-weights",
                           "--input-limit",
                           "--seed",
                           "--strategy",
                           "--threads-per-device",
                           "--timeout",
                           "--topology",
                           "--transport",
                           "--trace"}) {
    size_t at = help.find(std::string("\n  ") + flag);
    ASSERT_NE(at, std::string::npos) << flag;
    EXPECT_NE(std::string(" ,").find(help[at + 3 + strlen(flag)]),
              std::string::npos)
        << flag;
    EXPECT_NE(errorOf({flag}), "unknown flag '" + std::string(flag) + "'");
  }
}

TEST(Options, Rejects) {
  EXPECT_EQ(errorOf({}), "expected a file: IR, an artifact or an ONNX model");
  EXPECT_EQ(errorOf({"a.mlir", "b.mlir"}),
            "expected one file, got 'a.mlir' and 'b.mlir'");
  EXPECT_EQ(errorOf({"a.mlir", ""}), "expected a file, got an empty argument");
  EXPECT_EQ(errorOf({"a.mlir"}),
            "expected '--data' to train on, or '--entry' to run once; '--data "
            "synthetic' needs no files");
  EXPECT_EQ(errorOf({"a.mlir", "--dta", "x"}),
            "unknown flag '--dta'; did you mean '--data'?");
  EXPECT_EQ(errorOf({"a.mlir", "--topolgy=cpu-2"}),
            "unknown flag '--topolgy'; did you mean '--topology'?");
  EXPECT_EQ(errorOf({"a.mlir", "--colour"}), "unknown flag '--colour'");
  EXPECT_EQ(errorOf({"a.mlir", "--data=", "b.mlir"}),
            "flag '--data': expected a value, got ''");
  EXPECT_EQ(errorOf({"a.mlir", "--entry", "f", "--seed", "-1"}),
            "flag '--seed': expected an integer from 0 to 1099511627776, got "
            "'-1'");
  EXPECT_EQ(errorOf({"a.mlir", "--bogus", "--help"}), "no error");
  EXPECT_EQ(errorOf({"a.mlir", "-x"}), "unknown flag '-x'");
  EXPECT_EQ(errorOf({"a.mlir", "--data"}), "flag '--data' needs a value");
  EXPECT_EQ(errorOf({"a.mlir", "--data="}),
            "flag '--data': expected a value, got ''");
  EXPECT_EQ(errorOf({"a.mlir", "--quiet=1"}), "flag '--quiet' takes no value");
  EXPECT_EQ(errorOf({"a.mlir", "--epochs", "0"}),
            "flag '--epochs': expected an integer from 1 to 1099511627776, got "
            "'0'");
  EXPECT_EQ(errorOf({"a.mlir", "--iterations=5x"}),
            "flag '--iterations': expected an integer from 1 to 1099511627776, "
            "got '5x'");
  EXPECT_EQ(errorOf({"a.mlir", "--seed=99999999999999999999"}),
            "flag '--seed': expected an integer from 0 to 1099511627776, got "
            "'99999999999999999999'");
  EXPECT_EQ(errorOf({"a.mlir", "--timeout=nan"}),
            "flag '--timeout': expected seconds from 0.01 to 1000000, got "
            "'nan'");
  EXPECT_EQ(errorOf({"a.mlir", "--rank-timeout=0"}),
            "flag '--rank-timeout': expected seconds from 0.01 to 1000000, got "
            "'0'");
  EXPECT_EQ(errorOf({"a.mlir", "--transport=tcp"}),
            "flag '--transport': expected 'auto', 'local', 'mpi' or 'nccl', "
            "got 'tcp'");
  EXPECT_EQ(errorOf({"a.mlir", "--backend=rocm"}),
            "flag '--backend': expected 'auto', 'cpu' or 'cuda', got 'rocm'");
  for (const char *flag :
       {"--virtual-devices", "--no-autotune", "--no-cuda-graph"}) {
    EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--backend=cpu", flag}),
              "flag '" + std::string(flag) + "' needs '--backend cuda'");
    EXPECT_EQ(parseOptions({"a.mlir", "--data=synthetic", flag})->backend,
              "cuda");
  }
  EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--check-calls=some"}),
            "flag '--check-calls': expected 'distinct' or 'all', got 'some'");
  EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--check-calls=all",
                     "--compare-with=b.mlir"}),
            "flags '--check-calls' and '--compare-with' exclude each other");
  EXPECT_EQ(parseOptions({"a.mlir", "--data=synthetic", "--check-calls=all"})
                ->backend,
            "cuda");
  EXPECT_EQ(parseOptions({"a.mlir", "--data=synthetic"})->backend, "auto");
  EXPECT_EQ(parseOptions({"--calibrate"})->backend, "cpu");
  EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--virtual-devices",
                     "--backend=cuda", "--transport=nccl"}),
            "flags '--virtual-devices' and '--transport nccl' exclude each "
            "other");
  EXPECT_EQ(errorOf({"--calibrate", "--backend=cuda"}), "no error");
  EXPECT_EQ(parseOptions({"--calibrate", "-o", "h200.json"})->calibrationOutput,
            "h200");
  EXPECT_EQ(errorOf({"a.mlir", "--calibrate", "--backend=cuda"}),
            "flag '--calibrate' with '--backend cuda' takes no file, got "
            "'a.mlir': the shapes of a model are measured on the CPU only");
  EXPECT_EQ(errorOf({"--calibrate", "--backend=cuda", "--virtual-devices"}),
            "flags '--calibrate' and '--virtual-devices' exclude each other");
  EXPECT_EQ(errorOf({"--calibrate", "--calibrate-work=5"}),
            "flag '--calibrate-work' needs '--backend cuda'");
  EXPECT_EQ(parseOptions({"--calibrate", "a.mlir", "--microbatches=4,8"})
                ->microbatches,
            (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(errorOf({"--calibrate", "a.mlir", "--microbatches=4,,8"}),
            "flag '--microbatches': expected an integer from 1 to 1048576, or "
            "several with commas between, got '4,,8'");
  EXPECT_EQ(errorOf({"--calibrate", "--microbatches=4"}),
            "flag '--microbatches' needs '--calibrate FILE'");
  EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--microbatches=4"}),
            "flag '--microbatches' needs '--calibrate FILE'");
  EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--calibrate-work=5"}),
            "flag '--calibrate-work' needs '--calibrate'");
  EXPECT_EQ(errorOf({"a.mlir", "--normalize=1"}),
            "flag '--normalize': expected 'none', 'auto' or 'MEAN,DEVIATION' "
            "with a positive deviation, got '1'");
  EXPECT_EQ(errorOf({"a.mlir", "--entry=f", "--input", "x"}),
            "flag '--input': expected NAME=FILE.npy, got 'x'");
  EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--input", "x=y"}),
            "flag '--input' needs '--entry'");
  EXPECT_EQ(errorOf({"a.mlir", "--data=synthetic", "--output", "x"}),
            "flag '--output' needs '--entry'");
  EXPECT_EQ(errorOf({"a.mlir", "--entry=f", "--data=synthetic"}),
            "flags '--entry' and '--data' exclude each other");
  EXPECT_EQ(errorOf({"a.mlir", "--data=d", "--compare-with=b", "--epochs=2"}),
            "flags '--compare-with' and '--epochs' exclude each other");
  EXPECT_EQ(errorOf({"a.mlir", "--data=d", "--preset=p", "--strategy=s"}),
            "flags '--preset' and '--strategy' exclude each other");
  EXPECT_EQ(errorOf({"a.mlir", "--data=d", "--checkpoint-every=5"}),
            "flag '--checkpoint-every' needs '--checkpoint'");
  EXPECT_EQ(errorOf({"a.mlir", "--data=d", "--resume=a", "--init=he"}),
            "flags '--resume' and '--init' exclude each other");
  EXPECT_EQ(errorOf({"a.mlir", "--entry=f", "--checkpoint=c"}),
            "flags '--entry' and '--checkpoint' exclude each other");
  EXPECT_EQ(errorOf({"a.mlir", "--data=d", "--compare-with=b", "--resume=c"}),
            "flags '--compare-with' and '--resume' exclude each other");
  EXPECT_EQ(errorOf({"m", "--entry=e", "--gauge"}),
            "flags '--entry' and '--gauge' exclude each other");
  EXPECT_EQ(errorOf({"--calibrate", "--gauge"}),
            "flags '--calibrate' and '--gauge' exclude each other");
  EXPECT_EQ(errorOf({"m", "--data=synthetic", "--gauge", "--backend=cuda"}),
            "flag '--gauge' needs '--backend cpu'");
  EXPECT_TRUE(parseOptions({"m", "--data=synthetic", "--gauge"})->gauge);
  EXPECT_EQ(parseOptions({"m", "--data=synthetic", "--gauge"})->backend, "cpu");
}

} // namespace
