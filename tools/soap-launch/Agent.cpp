//===- Agent.cpp - The part of soap-launch on a host ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Agent.h.
//
//===----------------------------------------------------------------------===//

#include "Agent.h"

#include "Child.h"
#include "CommandLine/Shell.h"
#include "Soap/Support/Version.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace soap;
using namespace soap::launch;
using Clock = std::chrono::steady_clock;
using Json = nlohmann::json;

namespace {

class Agent {
public:
  explicit Agent(const AgentOptions &options)
      : options(options), orders(Pipe(dup(STDIN_FILENO))),
        reports(Pipe(dup(STDOUT_FILENO))) {}
  ~Agent() {
    for (auto &[rank, child] : ranks)
      kill(-child.process, SIGKILL);
  }

  int run();

private:
  void report(const Json &json) {
    reports.write(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  /// False at the last order.
  bool obey(const Json &order);
  void start(const Json &order);
  void passOn(int64_t rank, Child &child);
  void reap();
  void wait();

  const AgentOptions &options;
  LineReader orders;
  LineWriter reports;
  /// By rank: those that have not ended.
  std::map<int64_t, Child> ranks;
  Clock::time_point heard = Clock::now(), signedAt;
};

void Agent::start(const Json &order) {
  auto rank = order.at("rank").get<int64_t>();
  ChildOptions how;
  how.words = order.at("words").get<std::vector<std::string>>();
  how.environment = order.at("environment").get<std::vector<std::string>>();
  how.endsWithParent = true;
  how.words.at(0) = commandline::programPath(how.words.at(0));
  auto child = startChild(how);
  if (!child) {
    report({{"is", "ended"},
            {"rank", rank},
            {"status", 127},
            {"signal", 0},
            {"why", child.error()}});
    return;
  }
  report({{"is", "started"}, {"rank", rank}, {"process", child->process}});
  ranks[rank] = std::move(*child);
}

bool Agent::obey(const Json &order) {
  std::string what = order.at("do").get<std::string>();
  if (what == "start") {
    start(order);
  } else if (what == "signal") {
    for (auto &[rank, child] : ranks)
      kill(child.process, order.at("number").get<int>());
  } else if (what == "ask" || what == "kill") {
    if (auto it = ranks.find(order.at("rank").get<int64_t>());
        it != ranks.end())
      kill(what == "ask" ? it->second.process : -it->second.process,
           what == "ask" ? SIGTERM : SIGKILL);
  }
  return what != "end";
}

void Agent::passOn(int64_t rank, Child &child) {
  for (bool isError : {false, true})
    for (const std::string &line : (isError ? child.err : child.out).read())
      report(
          {{"is", "line"}, {"rank", rank}, {"error", isError}, {"text", line}});
}

void Agent::reap() {
  for (auto it = ranks.begin(); it != ranks.end();) {
    int status = 0;
    if (waitpid(it->second.process, &status, WNOHANG) <= 0) {
      ++it;
      continue;
    }
    passOn(it->first, it->second);
    report({{"is", "ended"},
            {"rank", it->first},
            {"status", WIFEXITED(status) ? WEXITSTATUS(status) : 0},
            {"signal", WIFSIGNALED(status) ? WTERMSIG(status) : 0},
            {"why", ""}});
    it = ranks.erase(it);
  }
}

void Agent::wait() {
  std::vector<pollfd> items = {{orders.descriptor(), POLLIN, 0}};
  if (reports.hasMore())
    items.push_back({reports.descriptor(), POLLOUT, 0});
  for (auto &[rank, child] : ranks)
    for (LineReader *reader : {&child.out, &child.err})
      if (reader->isOpen())
        items.push_back({reader->descriptor(), POLLIN, 0});
  // The end of a process closes its pipes, unless another one has them.
  poll(items.data(), items.size(), 50);
}

int Agent::run() {
  if (chdir(options.folder.c_str()) != 0) {
    // soap-launch passes on what agents say.
    dprintf(STDERR_FILENO, "soap-launch: error: %s: cannot enter: %s\n",
            options.folder.c_str(), std::strerror(errno));
    return 1;
  }
  char host[256] = "";
  gethostname(host, sizeof(host) - 1);
  report({{"is", "hello"},
          {"version", versionLine()},
          {"host", host},
          {"process", getpid()}});
  for (;;) {
    wait();
    for (const std::string &line : orders.read()) {
      heard = Clock::now();
      Json order = Json::parse(line, nullptr, false);
      bool goesOn = false;
      try {
        goesOn = obey(order);
      } catch (const Json::exception &error) {
        dprintf(STDERR_FILENO, "soap-launch: error: '%s' is no order: %s\n",
                line.c_str(), error.what());
      }
      if (!goesOn)
        return 0;
    }
    if (!orders.isOpen() || !reports.isOpen() ||
        Clock::now() - heard > options.silence)
      return 1;
    for (auto &[rank, child] : ranks)
      passOn(rank, child);
    reap();
    if (Clock::now() - signedAt >= signInterval) {
      signedAt = Clock::now();
      report({{"is", "alive"}});
    }
    reports.flush();
  }
}

} // namespace

int launch::runAgent(const AgentOptions &options) {
  // A signal of the terminal is for soap-launch, which says what to do.
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP})
    std::signal(number, SIG_IGN);
  return Agent(options).run();
}
