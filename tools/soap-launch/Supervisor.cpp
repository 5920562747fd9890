//===- Supervisor.cpp - Starts, watches and restarts ranks ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Supervisor.h.
//
// A supervisor that starts all ranks again is simpler than ranks that heal
// their connections: a start is a run as any other one, with nothing left of
// the one before but the checkpoint.
//
//===----------------------------------------------------------------------===//

#include "Supervisor.h"

#include "../soap-run/LaunchVariable.h"
#include "Agent.h"
#include "Child.h"
#include "Runtime/Processes/Handshake.h"
#include "Soap/Support/Version.h"
#include "Support/StopSignal.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::launch;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;
using std::chrono::milliseconds;

namespace {

/// The latest signal that was not passed on yet.
volatile std::sig_atomic_t pendingSignal = 0;

void onSignal(int number) { pendingSignal = number; }

/// Ranks end by themselves when another one has: so much later than they can
/// notice it, the rest is asked to, and killed when it does not.
constexpr milliseconds askAfter{2000}, killAfter{3000};

struct Agent {
  Host host;
  Child child;
  std::vector<std::string> command;
  std::string hostName;
  bool greeted = false, gone = false;
  /// Why it is gone.
  std::string why = {};
  Clock::time_point heard;
};

/// A place for a rank, with its number in the first start.
struct Slot {
  Agent *agent = nullptr;
  int64_t first = 0;
};

struct Rank {
  Slot slot;
  enum { Waiting, Running, Ended } state = Waiting;
  int64_t process = 0;
  Ending ending;
  /// Killed from outside, or with its host; its devices cannot be counted on.
  bool lost = false;
  /// soap-launch has asked it to end, or has killed it.
  bool asked = false, killed = false;
  /// Ranks that it has lost, as it has said.
  std::vector<int64_t> lostPeers = {};

  bool failed() const {
    return state == Ended && (lost || ending.status || ending.signal);
  }
  /// It has ended because it has lost others.
  bool lostOthers() const { return ending.status == run::lostPeersStatus; }
};

class Supervisor {
public:
  Supervisor(const LaunchOptions &options, std::string self)
      : options(options), self(std::move(self)) {}
  ~Supervisor() { endAgents(); }

  int run(const std::vector<Host> &hosts);

private:
  void say(const char *format, ...) const __attribute__((format(printf, 2, 3)));
  MaybeError startAgent(const Host &host);
  MaybeError awaitAgents();
  void endAgents();
  void send(Agent &agent, const Json &order) {
    agent.child.in.write(order.dump());
  }

  /// Waits for events, at most 100 ms, and takes them in.
  void pump();
  void hear(Agent &agent, const std::string &line);
  void take(Agent &agent, const Json &report);
  void lose(Agent &agent, const std::string &why);
  void print(const Rank &rank, bool isError, const std::string &text);
  void passSignalOn();

  /// One start, until all its ranks have ended.
  void runOnce(int64_t start);
  void startRank(size_t number, int64_t start);
  void endOthers();
  /// The exit status, or nothing if there is to be another start.
  std::optional<int> conclude(int64_t start);
  std::string describeLost(const Rank &rank, size_t number) const;
  std::vector<size_t> connectedRanks() const;
  std::string rendezvousHost() const;

  const LaunchOptions &options;
  std::string self, secret;
  std::vector<std::unique_ptr<Agent>> agents;
  std::vector<Slot> slots;
  int64_t firstRanks = 0;
  /// Of this start.
  std::vector<Rank> ranks;
  int64_t port = 0;
  /// The first rank that has failed, and when.
  std::optional<size_t> firstFailure;
  Clock::time_point failedAt;
  bool interrupted = false;
  Clock::time_point signalledAt; ///< when the last signal was passed on
};

void Supervisor::say(const char *format, ...) const {
  va_list arguments;
  va_start(arguments, format);
  std::fflush(stdout);
  std::fputs("soap-launch: ", stderr);
  std::vfprintf(stderr, format, arguments);
  std::fputs("\n", stderr);
  va_end(arguments);
}

MaybeError Supervisor::startAgent(const Host &host) {
  auto agent = std::make_unique<Agent>();
  agent->host = host;
  std::error_code failed;
  std::vector<std::string> words = {
      host.name == localHost || options.agent.empty() ? self : options.agent,
      "--agent", std::filesystem::current_path(failed).string(),
      std::to_string(options.hostTimeoutMs)};
  agent->command = words;
  if (host.name != localHost) {
    auto command = launcherCommand(options.launcher, host.name, words);
    if (!command)
      return command.takeError();
    agent->command = std::move(*command);
  }
  ChildOptions how;
  how.words = agent->command;
  how.hasInput = true;
  auto child = startChild(how);
  if (!child)
    return Error{"host '" + host.name + "': " + child.error()};
  agent->child = std::move(*child);
  agent->heard = Clock::now();
  agents.push_back(std::move(agent));
  return std::nullopt;
}

MaybeError Supervisor::awaitAgents() {
  Clock::time_point deadline =
      Clock::now() + milliseconds(options.connectTimeoutMs);
  for (;;) {
    pump();
    std::string missing;
    for (auto &agent : agents) {
      if (agent->gone)
        return Error{"host '" + agent->host.name + "'" + agent->why};
      if (!agent->greeted)
        missing += (missing.empty() ? "'" : ", '") + agent->host.name + "'";
    }
    if (interrupted)
      return Error{"interrupted before any rank was started"};
    if (missing.empty())
      return std::nullopt;
    if (Clock::now() > deadline)
      return Error{"no answer from " + missing + " within " +
                   std::to_string(options.connectTimeoutMs) + " ms"};
  }
}

void Supervisor::endAgents() {
  for (auto &agent : agents)
    if (!agent->gone) {
      send(*agent, {{"do", "end"}});
      agent->child.in.close();
    }
  Clock::time_point deadline = Clock::now() + milliseconds(2000);
  for (auto &agent : agents) {
    while (!agent->gone) {
      agent->gone = waitpid(agent->child.process, nullptr, WNOHANG) != 0;
      if (agent->gone)
        break;
      if (Clock::now() > deadline) {
        kill(-agent->child.process, SIGKILL);
        waitpid(agent->child.process, nullptr, 0);
        agent->gone = true;
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
  }
  agents.clear();
}

void Supervisor::print(const Rank &rank, bool isError,
                       const std::string &text) {
  auto number = &rank - ranks.data();
  std::FILE *stream = isError ? stderr : stdout;
  std::fprintf(stream, "[%ld] %s\n", long(number), text.c_str());
  std::fflush(stream);
}

void Supervisor::lose(Agent &agent, const std::string &why) {
  if (agent.gone)
    return;
  agent.gone = true;
  agent.why = why;
  kill(-agent.child.process, SIGKILL);
  waitpid(agent.child.process, nullptr, 0);
  agent.child.in.close();
  agent.child.out.close();
  agent.child.err.close();
  if (!agent.greeted)
    return;
  bool hadRanks = false;
  for (Rank &rank : ranks)
    if (rank.slot.agent == &agent && rank.state != Rank::Ended) {
      hadRanks = true;
      rank.state = Rank::Ended;
      rank.lost = true;
      if (!firstFailure) {
        firstFailure = size_t(&rank - ranks.data());
        failedAt = Clock::now();
      }
    }
  if (hadRanks)
    say("host '%s' is lost: %s", agent.host.name.c_str(), why.c_str());
}

void Supervisor::take(Agent &agent, const Json &report) {
  std::string what = report.at("is").get<std::string>();
  if (what == "hello") {
    std::string version = report.at("version").get<std::string>();
    if (version != versionLine()) {
      lose(agent,
           " has " + version + ": expected " + versionLine() + ", as here");
      return;
    }
    agent.hostName = report.at("host").get<std::string>();
    agent.greeted = true;
    return;
  }
  if (what == "alive")
    return;
  auto number = report.at("rank").get<size_t>();
  if (number >= ranks.size() || ranks[number].slot.agent != &agent)
    return;
  Rank &rank = ranks[number];
  if (what == "started") {
    rank.process = report.at("process").get<int64_t>();
  } else if (what == "line") {
    std::string text = report.at("text").get<std::string>();
    bool isError = report.at("error").get<bool>();
    const std::string listening = "soap-run: the rendezvous is on port ";
    if (number == 0 && isError && !port && text.starts_with(listening))
      std::from_chars(text.data() + listening.size(), text.data() + text.size(),
                      port);
    else if (auto lost = run::parseLostRanks(text); isError && lost)
      rank.lostPeers = std::move(*lost);
    else
      print(rank, isError, text);
  } else if (what == "ended" && rank.state != Rank::Ended) {
    rank.state = Rank::Ended;
    rank.ending.status = report.at("status").get<int>();
    rank.ending.signal = report.at("signal").get<int>();
    rank.lost = rank.killed || (rank.ending.signal && !rank.asked);
    if (std::string why = report.at("why").get<std::string>(); !why.empty())
      say("error: rank %zu on '%s': %s", number, agent.host.name.c_str(),
          why.c_str());
    if (rank.failed() && !firstFailure) {
      firstFailure = number;
      failedAt = Clock::now();
    }
  }
}

void Supervisor::hear(Agent &agent, const std::string &line) {
  agent.heard = Clock::now();
  Json report = Json::parse(line, nullptr, false);
  bool isReport = report.is_object();
  if (isReport)
    try {
      take(agent, report);
    } catch (const Json::exception &) {
      isReport = false;
    }
  // A shell of the host may greet its users.
  if (!isReport)
    std::fprintf(stderr, "[%s] %s\n", agent.host.name.c_str(), line.c_str());
}

void Supervisor::passSignalOn() {
  int number = pendingSignal;
  if (!number)
    return;
  pendingSignal = 0;
  auto now = Clock::now();
  if (interrupted && now - signalledAt < oneRequest)
    return;
  interrupted = true;
  signalledAt = now;
  for (auto &agent : agents)
    if (!agent->gone)
      send(*agent,
           {{"do", "signal"}, {"number", number == SIGHUP ? SIGTERM : number}});
}

void Supervisor::pump() {
  std::vector<pollfd> items;
  for (auto &agent : agents) {
    if (agent->gone)
      continue;
    for (LineReader *reader : {&agent->child.out, &agent->child.err})
      if (reader->isOpen())
        items.push_back({reader->descriptor(), POLLIN, 0});
    if (agent->child.in.hasMore())
      items.push_back({agent->child.in.descriptor(), POLLOUT, 0});
  }
  poll(items.data(), items.size(), 100);
  passSignalOn();
  static Clock::time_point signedAt;
  bool signs = Clock::now() - signedAt >= signInterval;
  if (signs)
    signedAt = Clock::now();
  for (auto &agent : agents) {
    if (agent->gone)
      continue;
    for (const std::string &line : agent->child.err.read())
      std::fprintf(stderr, "[%s] %s\n", agent->host.name.c_str(), line.c_str());
    for (const std::string &line : agent->child.out.read())
      if (!agent->gone)
        hear(*agent, line);
    if (agent->gone)
      continue;
    agent->child.in.flush();
    if (signs)
      send(*agent, {{"do", "alive"}});
    if (!agent->child.out.isOpen())
      lose(*agent, agent->greeted ? "its connection has ended"
                                  : ": cannot run '" + agent->command.front() +
                                        " ..' on it");
    else if (agent->greeted &&
             Clock::now() - agent->heard > milliseconds(options.hostTimeoutMs))
      lose(*agent, "it has given no sign of life for " +
                       std::to_string(options.hostTimeoutMs) + " ms");
  }
}

/// The address of the host of rank 0; loopback if all ranks are there.
std::string Supervisor::rendezvousHost() const {
  const Agent *root = slots.front().agent;
  bool isOne = std::all_of(slots.begin(), slots.end(), [&](const Slot &slot) {
    return slot.agent == root;
  });
  return isOne ? "127.0.0.1" : root->host.address;
}

void Supervisor::startRank(size_t number, int64_t start) {
  Rank &rank = ranks[number];
  std::vector<std::string> words = options.command;
  words.insert(words.end(),
               {"--rendezvous", rendezvousHost() + ":" + std::to_string(port),
                "--rank", std::to_string(number), "--ranks",
                std::to_string(ranks.size())});
  std::vector<std::string> environment = options.environment;
  if (!options.hasSecret)
    environment.push_back("SOAP_RENDEZVOUS_SECRET=" + secret);
  run::Launch launch;
  launch.start = start;
  launch.ranks = firstRanks;
  for (const Slot &slot : slots)
    launch.kept.push_back(slot.first);
  environment.push_back(std::string(run::launchVariable) + "=" +
                        run::printLaunch(launch));
  rank.state = Rank::Running;
  send(*rank.slot.agent, {{"do", "start"},
                          {"rank", number},
                          {"words", words},
                          {"environment", environment}});
}

/// After a failure: the ranks that still run.
void Supervisor::endOthers() {
  auto since = Clock::now() - failedAt;
  // They notice by their own watch that a rank is lost.
  auto limit = milliseconds(options.rankTimeoutMs) + askAfter;
  if (since < limit)
    return;
  for (size_t i = 0; i < ranks.size(); ++i) {
    Rank &rank = ranks[i];
    if (rank.state != Rank::Running)
      continue;
    // One at work, or one that waits for a rank to join, ends when it is asked
    // to; one that was stopped does not.
    if (!rank.asked) {
      rank.asked = true;
      send(*rank.slot.agent, {{"do", "ask"}, {"rank", i}});
    } else if (!rank.killed && since > limit + killAfter) {
      rank.killed = true;
      send(*rank.slot.agent, {{"do", "kill"}, {"rank", i}});
    }
  }
}

void Supervisor::runOnce(int64_t start) {
  ranks.clear();
  for (const Slot &slot : slots)
    ranks.emplace_back().slot = slot;
  firstFailure.reset();
  port = options.port;
  startRank(0, start);
  bool allStarted = false;
  for (;;) {
    pump();
    bool ended = firstFailure.has_value() || interrupted;
    if (!allStarted && !ended && port) {
      for (size_t i = 1; i < ranks.size(); ++i)
        startRank(i, start);
      allStarted = true;
    }
    // A host may have been lost between two starts.
    for (Rank &rank : ranks)
      if (rank.slot.agent->gone && rank.state != Rank::Ended) {
        rank.state = Rank::Ended;
        rank.lost = true;
        if (!firstFailure)
          firstFailure = size_t(&rank - ranks.data());
        failedAt = Clock::now();
      }
    bool runs = false;
    for (Rank &rank : ranks)
      runs |= rank.state == Rank::Running ||
              (rank.state == Rank::Waiting && !ended);
    if (!runs)
      return;
    if (firstFailure)
      endOthers();
  }
}

std::string Supervisor::describeLost(const Rank &rank, size_t number) const {
  std::string text = "rank " + std::to_string(number) + " (";
  if (rank.process)
    text += "process " + std::to_string(rank.process) + " ";
  text += "on '" + rank.slot.agent->host.name + "') is lost";
  if (rank.killed)
    return text + ": it did not end when others had, and was killed";
  if (rank.ending.signal)
    return text + ": " + rank.ending.text();
  return text + " with its host";
}

/// The most of the ranks that are left of which none has lost another: a
/// network may be cut between hosts that soap-launch reaches all.
std::vector<size_t> Supervisor::connectedRanks() const {
  auto hasLost = [&](size_t i, size_t j) {
    const std::vector<int64_t> &lost = ranks[i].lostPeers;
    return std::find(lost.begin(), lost.end(), int64_t(j)) != lost.end();
  };
  std::vector<size_t> candidates, best;
  for (size_t i = 0; i < ranks.size(); ++i)
    if (!ranks[i].lost && !ranks[i].slot.agent->gone)
      candidates.push_back(i);
  for (size_t first : candidates) {
    // All that are behind it: a larger group has an earlier one.
    std::vector<size_t> group;
    for (size_t i : candidates)
      if (i >= first && std::none_of(group.begin(), group.end(), [&](size_t j) {
            return hasLost(i, j) || hasLost(j, i);
          }))
        group.push_back(i);
    if (group.size() > best.size())
      best = std::move(group);
  }
  return best;
}

std::optional<int> Supervisor::conclude(int64_t start) {
  if (!firstFailure)
    return 0;
  // A rank that ended because another was lost, or has failed, may be heard of
  // first.
  if (!ranks[*firstFailure].lost)
    for (size_t i = ranks.size(); i-- > 0;)
      if (ranks[i].lost || (ranks[*firstFailure].lostOthers() &&
                            ranks[i].failed() && !ranks[i].asked))
        firstFailure = i;
  const Rank &first = ranks[*firstFailure];
  int status = first.ending.signal   ? 128 + first.ending.signal
               : first.ending.status ? first.ending.status
                                     : 1;
  if (interrupted)
    return status;
  bool hasLost = std::any_of(ranks.begin(), ranks.end(),
                             [](const Rank &rank) { return rank.lost; });
  // Without a loss, what a rank says of its peers counts only if no rank has
  // failed by itself.
  std::vector<size_t> together = connectedRanks();
  std::vector<Slot> left;
  for (size_t i = 0; i < ranks.size(); ++i) {
    bool isConnected =
        std::find(together.begin(), together.end(), i) != together.end();
    if (ranks[i].lost)
      say("%s", describeLost(ranks[i], i).c_str());
    else if (!ranks[i].slot.agent->gone &&
             (isConnected || (!hasLost && !first.lostOthers())))
      left.push_back(slots[i]);
    else if (!ranks[i].slot.agent->gone && options.elastic)
      say("rank %zu on '%s' is out of reach of rank %zu: the network between "
          "them is cut",
          i, ranks[i].slot.agent->host.name.c_str(), together.front());
  }
  if (left.size() == ranks.size() || (!hasLost && !options.elastic)) {
    if (!options.quiet)
      say("rank %zu on '%s' has failed: %s", *firstFailure,
          first.slot.agent->host.name.c_str(), first.ending.text().c_str());
    return status;
  }
  if (!options.elastic)
    return status;
  if (int64_t(left.size()) < options.elasticMin || left.empty()) {
    say("error: %zu of %ld ranks are left, fewer than the %ld of "
        "'--elastic-min'",
        left.size(), long(firstRanks), long(options.elasticMin));
    return status;
  }
  std::string list;
  for (const Slot &slot : left)
    list += (list.empty() ? "" : ", ") + std::to_string(slot.first);
  say("start %ld with %zu of %ld ranks: %s of the first start", long(start + 1),
      left.size(), long(firstRanks), list.c_str());
  slots = std::move(left);
  return std::nullopt;
}

int Supervisor::run(const std::vector<Host> &hosts) {
  secret = runtime::drawNonce();
  int64_t wanted = options.ranks ? options.ranks : INT64_MAX;
  for (const Host &host : hosts) {
    if (firstRanks == wanted)
      break;
    if (MaybeError error = startAgent(host)) {
      say("error: %s", error->message.c_str());
      return 1;
    }
    for (int64_t i = 0; i < host.slots && firstRanks < wanted; ++i)
      slots.push_back({agents.back().get(), firstRanks++});
  }
  if (MaybeError error = awaitAgents()) {
    say("error: %s", error->message.c_str());
    return interrupted ? 130 : 1;
  }
  for (int64_t start = 1;; ++start) {
    runOnce(start);
    if (auto status = conclude(start))
      return *status;
  }
}

} // namespace

int launch::supervise(const LaunchOptions &options,
                      const std::vector<Host> &hosts, const std::string &self) {
  struct sigaction action{};
  action.sa_handler = onSignal;
  for (int number : {SIGINT, SIGTERM, SIGHUP})
    sigaction(number, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A supervisor that is stopped gives no signs of life.
  std::signal(SIGTSTP, SIG_IGN);
  return Supervisor(options, self).run(hosts);
}
