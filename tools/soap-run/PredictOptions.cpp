//===- PredictOptions.cpp - Flags of soap-run predict ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunCommand.h.
//
//===----------------------------------------------------------------------===//

#include "FlagGroups.h"
#include "RunCommand.h"

using namespace soap;
using namespace soap::run;
using namespace soap::commandline;

namespace {

void addFlags(CommandLine &line, Options &options) {
  line.group("predicting");
  line.value("--data", "DATA",
             "the samples: npy:FILE, or npy:DIR with NAME.npy for a model with "
             "several data tensors",
             setText(options.data));
  line.value("--out", "FILE",
             "the results as NPY, one row for each sample; for a model with "
             "several results a folder with NAME.npy of each",
             setText(options.out));
  addNormalize(line, options);
  addInit(line, options);
  addSeed(line, options);
  addTrace(line, options);
  addModelFlags(line, options, /*step=*/false);
  addRunFlags(line, options);
}

MaybeError check(Options &options) {
  if (options.data.empty() || options.out.empty())
    return Error{std::string("expected '") +
                 (options.data.empty() ? "--data npy:X" : "--out Y") +
                 "': samples, or where their results go"};
  if (options.out.ends_with(".npz"))
    return Error{"flag '--out': expected a file NAME.npy or, for several "
                 "results, a folder, got '" +
                 options.out + "'"};
  if (options.normalization.kind == runtime::Normalization::Auto)
    return Error{"flag '--normalize': expected 'MEAN,DEVIATION', as there is "
                 "no training set, got 'auto'"};
  return checkRunFlags(options);
}

} // namespace

RunCommand run::predictCommand() {
  return {.command = Command::Predict,
          .name = "predict",
          .summary = "results of a model for samples of a file",
          .usage = {{"soap-run predict FILE --data npy:X --out Y [--init "
                     "WEIGHTS] [flags]",
                     ""}},
          .paragraphs = {"Runs '@forward' on all samples, whose number need "
                         "not be a multiple of the batch."},
          .arguments = 1,
          .argumentWords = "one file",
          .addFlags = addFlags,
          .check = check};
}
