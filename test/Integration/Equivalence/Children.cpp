//===- Children.cpp - Programs in watched child processes -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Children.h.
//
//===----------------------------------------------------------------------===//

#include "Children.h"
#include "Leaks.h"

#include <chrono>
#include <csignal>
#include <iostream>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace soap::equivalence {

namespace {

using Clock = std::chrono::steady_clock;

struct Child {
  int64_t next = 0; ///< the program that it runs now
  pid_t pid = -1;
  int fd = -1;
  std::string buffer;
  Clock::time_point heard;
};

void writeAll(int fd, const std::string &text) {
  size_t done = 0;
  while (done < text.size()) {
    ssize_t n = write(fd, text.data() + done, text.size() - done);
    if (n <= 0)
      _exit(3);
    done += static_cast<size_t>(n);
  }
}

void start(Child &child, int64_t end, int64_t step,
           const std::function<Report(int64_t)> &run) {
  int fds[2];
  if (pipe(fds) != 0)
    throw std::runtime_error("can not make a pipe");
  std::cout << std::flush;
  child.pid = fork();
  if (child.pid < 0)
    throw std::runtime_error("can not start a process");
  if (child.pid == 0) {
    close(fds[0]);
    for (int64_t i = child.next; i < end; i += step)
      writeAll(fds[1], run(i).encode());
    _exit(leaks());
  }
  close(fds[1]);
  child.fd = fds[0];
  child.buffer.clear();
  child.heard = Clock::now();
}

/// Whether the child ended in good order.
bool stop(Child &child) {
  close(child.fd);
  child.fd = -1;
  int status = 0;
  return waitpid(child.pid, &status, 0) == child.pid && WIFEXITED(status) &&
         WEXITSTATUS(status) == 0;
}

} // namespace

void runInChildren(
    int64_t first, int64_t end, const ChildOptions &options,
    const std::function<Report(int64_t)> &run,
    const std::function<void(const Report &)> &add,
    const std::function<Report(int64_t, const std::string &)> &lost) {
  // Child i has every jobs-th program from the i-th on.
  int64_t jobs = std::min(options.jobs, end - first);
  std::vector<Child> children;
  for (int64_t i = 0; i < jobs; ++i) {
    Child child;
    child.next = first + i;
    start(child, end, jobs, run);
    children.push_back(std::move(child));
  }
  while (!children.empty()) {
    std::vector<pollfd> pollers;
    for (const Child &child : children)
      pollers.push_back({child.fd, POLLIN, 0});
    poll(pollers.data(), pollers.size(), 1000);
    for (size_t i = 0; i < children.size(); ++i) {
      Child &child = children[i];
      std::string ended;
      if (pollers[i].revents) {
        char chunk[65536];
        ssize_t n = read(child.fd, chunk, sizeof chunk);
        if (n > 0)
          child.buffer.append(chunk, static_cast<size_t>(n));
        else
          ended = "crashes";
        while (std::optional<Report> report = Report::decode(child.buffer)) {
          add(*report);
          child.next += jobs;
          child.heard = Clock::now();
        }
      } else if (Clock::now() - child.heard >
                 std::chrono::seconds(options.seconds)) {
        kill(child.pid, SIGKILL);
        ended = "hangs: silent for " + std::to_string(options.seconds) + " s";
      }
      if (ended.empty())
        continue;
      if (!stop(child) && child.next >= end)
        add(lost(child.next - jobs,
                 "leaks, or crashes behind its last report"));
      if (child.next < end) {
        add(lost(child.next, ended));
        child.next += jobs;
      }
      if (child.next < end)
        start(child, end, jobs, run);
    }
    std::erase_if(children, [](const Child &child) { return child.fd < 0; });
  }
}

} // namespace soap::equivalence
