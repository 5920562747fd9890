//===- LearningRate.cpp - The learning rate of an iteration ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LearningRate.h. Transforms/TrainingStep/Schedule.cpp writes the programs.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Training/LearningRate.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numbers>
#include <sstream>

using namespace soap;

std::optional<double> runtime::learningRateAt(const std::string &training,
                                              int64_t iteration) {
  assert(iteration > 0 && "iterations count from 1");
  std::map<std::string, std::string> options;
  std::istringstream words(training);
  for (std::string word; words >> word;)
    if (size_t at = word.find('='); at != std::string::npos)
      options.emplace(word.substr(0, at), word.substr(at + 1));
  auto number = [&](const char *name, double byDefault) {
    auto found = options.find(name);
    return found == options.end() ? byDefault
                                  : std::strtod(found->second.c_str(), nullptr);
  };
  if (!options.contains("learning-rate"))
    return std::nullopt;
  double rate = number("learning-rate", 0);
  std::string kind =
      options.contains("schedule") ? options["schedule"] : "constant";
  double warmup = number("warmup-iterations", 0);
  if (kind == "constant" && warmup == 0)
    return rate;
  if (options.contains("loss-scale"))
    return std::nullopt;
  auto step = static_cast<double>(iteration);
  double warm = warmup > 0 ? std::min(1.0, step / warmup) : 1;
  double since = std::max(0.0, step - 1 - warmup);
  double done = std::min(1.0, since / (number("total-iterations", 0) - warmup));
  double last = number("final-factor", 0);
  double decay = 1;
  if (kind == "linear")
    decay = last + (1 - last) * (1 - done);
  else if (kind == "cosine")
    decay = last + (1 - last) * (1 + std::cos(std::numbers::pi * done)) / 2;
  else if (kind == "step")
    decay = std::pow(number("decay-factor", 0.1),
                     std::floor(since / number("decay-every", 1)));
  else if (kind != "constant")
    return std::nullopt;
  return rate * warm * decay;
}
