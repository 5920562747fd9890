//===- Support.cpp - Common parts of the subcommands ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Support.h.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"
#include "Support/StopSignal.h"

#include <csignal>
#include <cstdio>

using namespace soap;
using namespace soap::commandline;
using namespace soap::solve;

namespace {

constexpr int64_t maxBytes = int64_t(8) << 30;

std::atomic<bool> stopFlag{false};
static_assert(std::atomic<bool>::is_always_lock_free);

void onSignal(int number) { askToStop(stopFlag, number); }

} // namespace

void solve::addCommonFlags(CommandLine &line, CommonOptions &options,
                           bool &help) {
  line.group("any problem");
  line.value("-o", "FILE",
             "write the solution to FILE (default: standard output)",
             setText(options.output));
  line.value("--time-limit", "SECONDS",
             "give the best answer after so long (default 60; 0: at once)",
             setNumber(options.timeLimitSeconds, 0, 1e6));
  line.value("--threads", "N", "threads to search with (default 1)",
             setInteger(options.threads, 1, 256));
  line.value("--seed", "N", "of random choices (default 0)",
             setInteger(options.seed, 0, int64_t(1) << 40));
  line.value("--input-limit", "BYTES",
             "the most that a pipe may give (default 256MB), and that gzip "
             "data may unpack to (default 64MB, or 100 times the packed size)",
             setLimitOfInputs());
  line.boolean("--quiet", "no summary", options.quiet);
  line.flag("--help,-h", "this text", help);
}

std::vector<std::string> solve::commonNotes() {
  return {"Ctrl-C ends the search; the best answer so far is written."};
}

int solve::failFlags(const std::string &message, const std::string &command) {
  std::fprintf(stderr, "soap-solve: error: %s; see soap-solve %s--help\n",
               message.c_str(), command.empty() ? "" : (command + " ").c_str());
  return 2;
}

int solve::failInput(const std::string &message) {
  std::fprintf(stderr, "soap-solve: error: %s\n", message.c_str());
  return 1;
}

Expected<Document> solve::readDocument(const std::string &path) {
  auto text = readUnpacked(path, maxBytes);
  if (!text)
    return text.takeError();
  return Document{path, std::move(*text)};
}

void solve::noteReading(const CommonOptions &options, double seconds) {
  if (!options.quiet && options.timeLimitSeconds > 0 &&
      seconds > options.timeLimitSeconds)
    std::fprintf(stderr,
                 "soap-solve: reading took %.1f s, the time limit is %g s: the "
                 "answer is what is found at once\n",
                 seconds, options.timeLimitSeconds);
}

MaybeError solve::writeDocument(const std::string &path,
                                const std::string &text) {
  if (!path.empty())
    return writeFile(path, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
      std::fflush(stdout) != 0)
    return Error{"cannot write to standard output"};
  return std::nullopt;
}

const std::atomic<bool> &solve::stopRequested() { return stopFlag; }

void solve::installSignals() {
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}
