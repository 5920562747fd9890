//===- TradeDescent.h - Descent by trades between loops ---------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A trade moves a prime factor of the degree of one loop, or of the number of
// replicas, or all of it, to another, on the same devices: a product that is
// cut by samples in 64 is cut by samples in 32 and by features in 2. Groups
// that share weights trade together, since each difference between them costs a
// synchronization. There are few trades, and most of what separates data
// parallelism from good strategies of recurrent networks is some of them: so
// they are tried in turn before chains begin, and are among the proposals
// (ProposalSampler.h).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SEARCH_MCMC_TRADEDESCENT_H
#define SOAP_LIB_SEARCH_MCMC_TRADEDESCENT_H

#include "GroupMates.h"
#include "Soap/Search/Evaluator/StrategyEvaluator.h"

namespace soap {

/// Whether a group's leader may have this config, in the space of the problem.
bool isLegalFor(const ParallelizationProblem &problem, int group,
                const Config &config);

/// All trades of a prime factor, or of the whole degree, between two loops of a
/// group that may be cut, or replicas; as many pieces on the same devices.
/// Degrees may be larger than extents: the caller checks.
std::vector<Config> tradesOf(const ParallelizationProblem &problem, int group,
                             const Config &config);

/// From the evaluator's strategy, which fits into memory and takes `now`: the
/// first trade that gains, of the groups that share weights together or of one
/// by itself, is taken, until none gains or `isOver` says so, which is asked
/// before each, and told how fast it is by then. The evaluator then has the
/// result, whose price is returned.
Evaluation
descendByTrades(const ParallelizationProblem &problem, const GroupMates &mates,
                StrategyEvaluator &evaluator, Evaluation now,
                const std::function<bool(const Evaluation &)> &isOver);

} // namespace soap

#endif // SOAP_LIB_SEARCH_MCMC_TRADEDESCENT_H
