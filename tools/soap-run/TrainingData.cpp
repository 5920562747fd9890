//===- TrainingData.cpp - Data and first values ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See TrainingData.h.
//
//===----------------------------------------------------------------------===//

#include "TrainingData.h"

#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Training/Checkpoint.h"

#include <cmath>
#include <cstdio>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

Expected<DataSource> run::openData(const Trainer &trainer,
                                   const Options &options, uint64_t seed) {
  const Session &session = trainer.module();
  ModelInputs inputs = trainer.inputs();
  inputs.ignoreIndex = options.ignoreIndex;
  auto source = loadData(options.data, inputs, options.normalization, seed);
  if (!source)
    return source.takeError();
  if (MaybeError error =
          checkSameData(session.placement(), options.data, *source))
    return *error;
  if (options.ignoreIndex && session.placement().isRoot() &&
      session.manifest().training.find("ignore-index=") == std::string::npos)
    std::fprintf(stderr,
                 "soap-run: warning: the training step was built without "
                 "'ignore-index': its loss is divided by all labels, also "
                 "by the ones with %ld\n",
                 long(*options.ignoreIndex));
  if (options.quiet)
    return source;
  if (!source->summary.empty())
    std::printf("data: %s\n", source->summary.c_str());
  if (source->tokens)
    std::printf("guessing by frequency: loss %.4f, perplexity %.2f\n",
                source->unigramLoss, std::exp(source->unigramLoss));
  if (source->test && trainer.evaluatesWholeBatches())
    if (int64_t rest =
            source->test->size() % (trainer.batch(*source) / trainer.batches()))
      std::printf("the model computes its loss over whole batches: evaluation "
                  "leaves out the last %ld of %ld test samples\n",
                  long(rest), long(source->test->size()));
  return source;
}

MaybeError run::setFirstValues(Session &session, const Options &options,
                               uint64_t seed) {
  bool readsWeights =
      !options.init.empty() && options.init != "he" && options.init != "glorot";
  if (std::vector<std::string> zeros = zeroParameters(session.manifest());
      !readsWeights && !zeros.empty())
    std::fprintf(
        stderr,
        "soap-run: warning: parameter '%s'%s no rule for initial "
        "values (soap.init, soap.fan_in) and starts at 0: give them "
        "by --init FILE.safetensors\n",
        zeros.front().c_str(),
        zeros.size() > 1
            ? (", as " + std::to_string(zeros.size() - 1) + " more, has")
                  .c_str()
            : " has");
  return initialize(session.manifest(), session.tensors(), options.init, seed);
}
