//===- ChildProcess.cpp - Others' solvers in a process of their own -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ChildProcess.h.
//
//===----------------------------------------------------------------------===//

#include "ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace soap;
using namespace soap::placement;

ChildProcess::ChildProcess(const std::function<void(int pipe)> &work) {
  int ends[2];
  if (::pipe(ends) != 0)
    return;
  pid_t parent = getpid();
  pid = fork();
  if (pid == 0) {
    // Ends with the parent, however that ends; the parent decides on signals.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    close(ends[0]);
    work(ends[1]);
    _exit(0);
  }
  close(ends[1]);
  if (pid < 0)
    close(ends[0]);
  else
    pipe = ends[0];
}

ChildProcess::~ChildProcess() {
  if (!hasStarted())
    return;
  close(pipe);
  kill(pid, SIGKILL);
  while (waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
}

bool ChildProcess::listen(
    const Deadline &deadline,
    const std::function<void(const char *, size_t)> &receive) {
  constexpr int milliseconds = 20; // between looks at the deadline
  while (!deadline.isOver()) {
    pollfd poll{pipe, POLLIN, 0};
    if (::poll(&poll, 1, milliseconds) <= 0)
      continue;
    char chunk[1 << 16];
    ssize_t count = read(pipe, chunk, sizeof(chunk));
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return true;
    receive(chunk, static_cast<size_t>(count));
  }
  return false;
}

void ChildProcess::write(int pipe, const void *data, size_t size) {
  const char *at = static_cast<const char *>(data);
  while (size > 0) {
    ssize_t count = ::write(pipe, at, size);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      _exit(1);
    at += count;
    size -= static_cast<size_t>(count);
  }
}
