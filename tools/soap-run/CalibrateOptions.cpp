//===- CalibrateOptions.cpp - Flags of soap-run calibrate -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunCommand.h.
//
//===----------------------------------------------------------------------===//

#include "FlagGroups.h"
#include "RunCommand.h"

#include <sstream>

using namespace soap;
using namespace soap::run;
using namespace soap::commandline;

namespace {

/// Numbers with commas between.
Setter setMicrobatches(std::vector<int64_t> &target) {
  return [&target](const std::string &value) -> std::string {
    constexpr int64_t maxMicrobatches = 1 << 20;
    target.clear();
    std::stringstream list(value + ",");
    for (std::string word; std::getline(list, word, ',');) {
      int64_t number = 0;
      std::string expected = setInteger(number, 1, maxMicrobatches)(word);
      if (!expected.empty())
        return expected + ", or several with commas between";
      target.push_back(number);
    }
    return "";
  };
}

void addFlags(CommandLine &line, Options &options) {
  const std::vector<std::string> backends = {"cpu", "cuda"};
  line.group("measuring");
  line.value("-o", "NAME",
             "the files are called so (default calibrated); NAME.json is NAME",
             setText(options.calibrationOutput));
  line.value("--backend", "NAME", "cpu (default), or cuda: the GPUs",
             setName(options.backend, backends), backends);
  line.value("--microbatches", "N[,N...]",
             "with FILE: the shapes of pipelines with so many microbatches, "
             "too",
             setMicrobatches(options.microbatches));
  line.value("--calibrate-work", "N",
             "with --backend cuda: leave out shapes whose loops have more than "
             "N points in all",
             setInteger(options.calibrationWork, 1, largestNumber));
  line.flag("--no-autotune",
            "with GPUs: take the algorithms that cuDNN and cuBLAS propose "
            "first. Else the fastest is measured before the first iteration "
            "and kept in the file $SOAP_GPU_ALGORITHMS, or gpu-algorithms.json "
            "in the cache of compiled code (--no-cache)",
            options.noAutotune);
  addThreads(line, options);
  line.group("compiling");
  addCompiling(line, options);
  addInputFlags(line);
  addOutputFlags(line, options);
}

MaybeError check(Options &options) {
  if (options.backend == "auto")
    options.backend = "cpu";
  bool isCuda = options.backend == "cuda";
  if (isCuda && !options.file.empty())
    return Error{"'--backend cuda' takes no file, got '" + options.file +
                 "': the shapes of a model are measured on the CPU only"};
  if (options.file.empty() && !options.microbatches.empty())
    return Error{"flag '--microbatches' needs a file"};
  if (!isCuda && options.calibrationWork != Options().calibrationWork)
    return needs("--calibrate-work", "--backend cuda");
  // NAME.json stands for both files.
  std::string &name = options.calibrationOutput;
  if (name.size() > 5 && name.ends_with(".json"))
    name.resize(name.size() - 5);
  if (name.empty())
    name = "calibrated";
  return std::nullopt;
}

} // namespace

RunCommand run::calibrateCommand() {
  return {
      .command = Command::Calibrate,
      .name = "calibrate",
      .summary = "measure this machine, or a model on it",
      .usage = {{"soap-run calibrate [FILE] [-o NAME]",
                 "measure the cores of this machine"},
                {"soap-run calibrate --backend cuda [-o NAME]",
                 "measure its GPUs"}},
      .paragraphs =
          {"Runs ops of many shapes, copies and all-reduces, and writes their "
           "times to NAME.topology.json and NAME.profile.json, for the options "
           "topology= and profile= of searches and simulations. Ctrl-C keeps "
           "the times measured so far.",
           "With FILE, the training step of a model: runs it under strategies "
           "with the shapes that a search for these devices meets, and under "
           "the plan that FILE has, and adds those that NAME.profile.json "
           "lacks. Without a NAME.topology.json it measures the machine first.",
           "GPUs are measured by cuDNN, cuBLAS and kernels in f32, tf32 and "
           "bf16, with copies from, to and between GPUs, and NCCL's "
           "all-reduces."},
      .arguments = 1,
      .argumentWords = "one file",
      .addFlags = addFlags,
      .check = check};
}
