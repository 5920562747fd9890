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
  auto options = parseOptions({"train", "m.mlir", "--data", "idx:d",
                               "--epochs=3", "--seed", "7", "--timeout=0.5",
                               "--quiet", "--normalize=0.5,0.25"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->file, "m.mlir");
  EXPECT_EQ(options->data, "idx:d");
  EXPECT_EQ(options->epochs, 3);
  EXPECT_EQ(options->seed, 7);
  EXPECT_TRUE(options->seedGiven);
  EXPECT_EQ(options->timeoutMs, 500);
  EXPECT_TRUE(options->quiet);
  EXPECT_EQ(options->normalization.deviation, 0.25);

  auto defaults = parseOptions({"train", "m.mlir", "--data=synthetic"});
  ASSERT_TRUE(defaults);
  EXPECT_EQ(defaults->epochs, 1);
  auto limited =
      parseOptions({"train", "m.mlir", "--data=synthetic", "--iterations=9"});
  ASSERT_TRUE(limited);
  EXPECT_EQ(limited->epochs, 0);
  auto entry = parseOptions(
      {"entry", "m.mlir", "forward", "--input=a=b.npy", "--input", "c=d.npy"});
  ASSERT_TRUE(entry) << entry.error();
  EXPECT_EQ(entry->inputs.size(), 2u);
  EXPECT_TRUE(parseOptions({"--help"})->help);
}

TEST(Options, LastValueCounts) {
  auto options = parseOptions({"train", "a.mlir", "--data=x", "--seed=1",
                               "--seed", "2", "--data", "--quiet"});
  ASSERT_TRUE(options) << options.error();
  EXPECT_EQ(options->seed, 2);
  // A value may look as a flag.
  EXPECT_EQ(options->data, "--quiet");
  EXPECT_FALSE(options->quiet);
}

/// A flag takes one value, also before the file.
TEST(Options, AFileMayFollowAValue) {
  auto options = parseOptions(
      {"train", "--data", "synthetic", "--timeout", "5", "m.mlir"});
  ASSERT_TRUE(static_cast<bool>(options)) << options.error();
  EXPECT_EQ(options->file, "m.mlir");
  EXPECT_EQ(options->timeoutMs, 5000);
}

/// The help of a command has its flags, in lines that are not too long.
TEST(Options, EveryFlagIsInTheHelp) {
  for (const manual::Manual &command : makeManual().commands) {
    std::string help = manual::printHelp(command);
    std::istringstream lines(help);
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(line.size(), 100u) << line;
    for (const char *flag : {"--input-limit", "--opt-level", "--quiet",
                             "--reference", "--threads-per-device"})
      EXPECT_NE(help.find(std::string("\n  ") + flag), std::string::npos)
          << command.tool << flag;
  }
  std::string tool = helpText(Command::None);
  for (const char *name :
       {"train", "predict", "evaluate", "entry", "calibrate", "check"}) {
    EXPECT_NE(tool.find("\n  " + std::string(name) + " "), std::string::npos)
        << name;
    EXPECT_TRUE(parseOptions({name, "--help"})->help);
  }
  EXPECT_EQ(tool.find("--epochs"), std::string::npos);
  EXPECT_NE(helpText(Command::Train).find("--epochs"), std::string::npos);
}

TEST(Options, CommandsHaveTheirOwnFlags) {
  EXPECT_EQ(errorOf({"predict", "m.mlir", "--epochs", "3"}),
            "soap-run predict: --epochs is a flag of 'soap-run train'");
  EXPECT_EQ(errorOf({"train", "m.mlir", "--microbatches=4"}),
            "soap-run train: --microbatches is a flag of 'soap-run calibrate'");
  EXPECT_EQ(errorOf({"entry", "m.mlir", "f", "--data=synthetic"}),
            "soap-run entry: --data is a flag of 'soap-run train', 'soap-run "
            "predict', 'soap-run evaluate' or 'soap-run check'");
  EXPECT_EQ(errorOf({"calibrate", "--topology=cpu-2"})
                .find("soap-run calibrate: --topology is a flag of "),
            0u);
  EXPECT_EQ(errorOf({"trian", "m.mlir"}),
            "unknown command 'trian'; did you mean 'train'?");
  EXPECT_EQ(errorOf({"fly"}),
            "unknown command 'fly'; expected 'train', 'predict', 'evaluate', "
            "'entry', 'calibrate' or 'check'");
  EXPECT_EQ(errorOf({}), "expected a command: 'train', 'predict', 'evaluate', "
                         "'entry', 'calibrate' or 'check'");
  // The name of a command wins; a path is a file.
  EXPECT_EQ(parseOptions({"train", "train", "--data=synthetic"})->file,
            "train");
  EXPECT_EQ(parseOptions({"./train", "--data=synthetic"})->file, "./train");
}

/// Command lines without a command mean one.
TEST(Options, OldSpelling) {
  auto spelled = [](const std::vector<std::string> &arguments) {
    auto options = parseOptions(arguments);
    std::string text;
    if (options && options->oldSpelling)
      for (const std::string &word : options->arguments)
        text += (text.empty() ? "" : " ") + word;
    return options ? text : options.error();
  };
  EXPECT_EQ(spelled({"--seed", "3", "m.mlir", "--data", "--quiet"}),
            "train m.mlir --seed 3 --data --quiet");
  EXPECT_EQ(spelled({"m.mlir", "--predict", "--data=npy:x", "--out", "y"}),
            "predict m.mlir --data=npy:x --out y");
  EXPECT_EQ(spelled({"m.mlir", "--entry", "f", "--input", "a=b"}),
            "entry m.mlir f --input a=b");
  EXPECT_EQ(spelled({"--entry=f", "m.mlir"}), "entry m.mlir f");
  EXPECT_EQ(spelled({"m.mlir", "--calibrate", "-o", "x"}),
            "calibrate m.mlir -o x");
  EXPECT_EQ(spelled({"m.mlir", "--data=d", "--compare-with", "n.mlir"}),
            "check m.mlir --data=d --compare-with n.mlir");
  EXPECT_EQ(spelled({"m.mlir", "--entry=f", "--check-calls", "all"}),
            "check m.mlir --entry f --check-calls all");
  EXPECT_EQ(spelled({"m.mlir", "--entry"}),
            "expected the name of a function behind the file, as 'forward'");
  EXPECT_EQ(spelled({"m.mlir"}),
            "expected '--data' to train on; '--data synthetic' needs no files");
}

TEST(Options, Rejects) {
  EXPECT_EQ(errorOf({"train"}),
            "expected a file: IR, an artifact or an ONNX model");
  EXPECT_EQ(errorOf({"train", "a.mlir", "b.mlir"}),
            "expected one file, got 'a.mlir' and 'b.mlir'");
  EXPECT_EQ(errorOf({"train", "a.mlir", ""}),
            "expected a file, got an empty argument");
  EXPECT_EQ(errorOf({"train", "a.mlir"}),
            "expected '--data' to train on; '--data synthetic' needs no files");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--dta", "x"}),
            "unknown flag '--dta'; did you mean '--data'?");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--topolgy=cpu-2"}),
            "unknown flag '--topolgy'; did you mean '--topology'?");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--colour"}),
            "unknown flag '--colour'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--data=", "b.mlir"}),
            "flag '--data': expected a value, got ''");
  EXPECT_EQ(errorOf({"entry", "a.mlir", "f", "--seed", "-1"}),
            "flag '--seed': expected an integer from 0 to 1099511627776, got "
            "'-1'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--bogus", "--help"}), "no error");
  EXPECT_EQ(errorOf({"train", "a.mlir", "-x"}), "unknown flag '-x'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--data"}),
            "flag '--data' needs a value");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--data="}),
            "flag '--data': expected a value, got ''");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--quiet=1"}),
            "flag '--quiet' takes no value");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--epochs", "0"}),
            "flag '--epochs': expected an integer from 1 to 1099511627776, got "
            "'0'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--iterations=5x"}),
            "flag '--iterations': expected an integer from 1 to 1099511627776, "
            "got '5x'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--seed=99999999999999999999"}),
            "flag '--seed': expected an integer from 0 to 1099511627776, got "
            "'99999999999999999999'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--timeout=nan"}),
            "flag '--timeout': expected seconds from 0.01 to 1000000, got "
            "'nan'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--rank-timeout=0"}),
            "flag '--rank-timeout': expected seconds from 0.01 to 1000000, got "
            "'0'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--transport=tcp"}),
            "flag '--transport': expected 'auto', 'local', 'mpi' or 'nccl', "
            "got 'tcp'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--backend=rocm"}),
            "flag '--backend': expected 'auto', 'cpu' or 'cuda', got 'rocm'");
  for (const char *flag :
       {"--virtual-devices", "--no-autotune", "--no-cuda-graph"}) {
    EXPECT_EQ(
        errorOf({"train", "a.mlir", "--data=synthetic", "--backend=cpu", flag}),
        "flag '" + std::string(flag) + "' needs '--backend cuda'");
    EXPECT_EQ(
        parseOptions({"train", "a.mlir", "--data=synthetic", flag})->backend,
        "cuda");
  }
  EXPECT_EQ(
      errorOf({"check", "a.mlir", "--data=synthetic", "--check-calls=some"}),
      "flag '--check-calls': expected 'distinct' or 'all', got 'some'");
  EXPECT_EQ(errorOf({"check", "a.mlir", "--data=synthetic", "--check-calls=all",
                     "--compare-with=b.mlir"}),
            "flags '--check-calls' and '--compare-with' exclude each other");
  EXPECT_EQ(
      parseOptions({"check", "a.mlir", "--data=synthetic", "--check-calls=all"})
          ->backend,
      "cuda");
  EXPECT_EQ(parseOptions({"train", "a.mlir", "--data=synthetic"})->backend,
            "auto");
  EXPECT_EQ(parseOptions({"calibrate"})->backend, "cpu");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--data=synthetic", "--virtual-devices",
                     "--backend=cuda", "--transport=nccl"}),
            "flags '--virtual-devices' and '--transport nccl' exclude each "
            "other");
  EXPECT_EQ(errorOf({"calibrate", "--backend=cuda"}), "no error");
  EXPECT_EQ(parseOptions({"calibrate", "-o", "h200.json"})->calibrationOutput,
            "h200");
  EXPECT_EQ(errorOf({"calibrate", "a.mlir", "--backend=cuda"}),
            "'--backend cuda' takes no file, got "
            "'a.mlir': the shapes of a model are measured on the CPU only");
  EXPECT_EQ(errorOf({"calibrate", "--calibrate-work=5"}),
            "flag '--calibrate-work' needs '--backend cuda'");
  EXPECT_EQ(
      parseOptions({"calibrate", "a.mlir", "--microbatches=4,8"})->microbatches,
      (std::vector<int64_t>{4, 8}));
  EXPECT_EQ(errorOf({"calibrate", "a.mlir", "--microbatches=4,,8"}),
            "flag '--microbatches': expected an integer from 1 to 1048576, or "
            "several with commas between, got '4,,8'");
  EXPECT_EQ(errorOf({"calibrate", "--microbatches=4"}),
            "flag '--microbatches' needs a file");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--normalize=1"}),
            "flag '--normalize': expected 'none', 'auto' or 'MEAN,DEVIATION' "
            "with a positive deviation, got '1'");
  EXPECT_EQ(errorOf({"entry", "a.mlir", "f", "--input", "x"}),
            "flag '--input': expected NAME=FILE.npy, got 'x'");
  EXPECT_EQ(errorOf({"entry", "a.mlir", "f", "g"}),
            "expected a file and a function, got 'a.mlir' and 'f' and 'g'");
  EXPECT_EQ(errorOf({"check", "a.mlir", "--data=synthetic", "--input", "x=y"}),
            "flag '--input' needs '--entry'");
  EXPECT_EQ(errorOf({"check", "a.mlir", "--entry=f", "--data=synthetic"}),
            "flags '--entry' and '--data' exclude each other");
  EXPECT_EQ(errorOf({"check", "a.mlir", "--data=synthetic"}),
            "expected '--compare-with OTHER' or '--check-calls WHICH'");
  EXPECT_EQ(errorOf({"check", "a.mlir", "--compare-with=b"}),
            "flag '--compare-with' needs '--data'");
  EXPECT_EQ(errorOf({"check", "a.mlir"}), "no error");
  EXPECT_EQ(errorOf({"evaluate", "a.mlir"}),
            "expected '--data' with a test set");
  EXPECT_EQ(
      parseOptions({"check", "a", "--data=d", "--compare-with=b"})->iterations,
      50);
  EXPECT_EQ(
      errorOf({"train", "a.mlir", "--data=d", "--preset=p", "--strategy=s"}),
      "flags '--preset' and '--strategy' exclude each other");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--data=d", "--checkpoint-every=5"}),
            "flag '--checkpoint-every' needs '--checkpoint'");
  EXPECT_EQ(errorOf({"train", "a.mlir", "--data=d", "--resume=a", "--init=he"}),
            "flags '--resume' and '--init' exclude each other");
  EXPECT_EQ(
      errorOf({"train", "m", "--data=synthetic", "--gauge", "--backend=cuda"}),
      "flag '--gauge' needs '--backend cpu'");
  EXPECT_TRUE(
      parseOptions({"train", "m", "--data=synthetic", "--gauge"})->gauge);
  EXPECT_EQ(
      parseOptions({"train", "m", "--data=synthetic", "--gauge"})->backend,
      "cpu");
}

} // namespace
