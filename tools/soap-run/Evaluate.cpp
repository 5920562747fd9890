//===- Evaluate.cpp - Loss and metrics of a test set ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run evaluate: the evaluation of a training, without the training.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "TrainingData.h"

#include <cmath>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

Expected<TrainResult> run::evaluate(Session &session, const Options &options) {
  auto trainer = Trainer::create(session);
  if (!trainer)
    return trainer.takeError();
  if (!session.entry("evaluate"))
    return Error{options.file + ": has no '@evaluate', which soap-opt "
                                "--soap-build-training-step makes"};
  uint64_t seed = uint64_t(options.seed);
  auto source = openData(*trainer, options, seed);
  if (!source)
    return source.takeError();
  if (!source->test)
    return Error{options.data + ": expected a test set, it has none"};
  if (MaybeError error = setFirstValues(session, options, seed))
    return *error;
  auto evaluation = evaluateTest(*trainer, *source, /*step=*/0);
  if (!evaluation)
    return evaluation.takeError();
  // The entry is there.
  double loss = (*evaluation)->loss;
  if (!std::isfinite(loss))
    return Error{options.data + ": the test loss is " + std::to_string(loss) +
                 ", expected a number"};
  if (!options.quiet)
    printEvaluation("", **evaluation, source->tokens);
  TrainResult result;
  result.state.evaluations.push_back(**evaluation);
  if (source->tokens)
    result.unigramLoss = source->unigramLoss;
  return result;
}
