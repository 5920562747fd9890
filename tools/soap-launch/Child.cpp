//===- Child.cpp - A process with pipes -----------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Child.h.
//
//===----------------------------------------------------------------------===//

#include "Child.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

using namespace soap;
using namespace soap::launch;

namespace {

constexpr size_t maxLine = size_t(1) << 20;

void setNonBlocking(int fd) {
  fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

struct Ends {
  Pipe read, write;
};

Expected<Ends> makePipe() {
  int fds[2];
  if (pipe2(fds, O_CLOEXEC) != 0)
    return Error{std::string("cannot make a pipe: ") + std::strerror(errno)};
  return Ends{Pipe(fds[0]), Pipe(fds[1])};
}

/// In the child. Writes the error number to `report` if the program cannot be
/// run.
[[noreturn]] void becomeProgram(const ChildOptions &options, int in, int out,
                                int err, int report, pid_t parent) {
  setpgid(0, 0);
  if (options.endsWithParent) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
      _exit(1);
  }
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTSTP})
    std::signal(number, SIG_DFL);
  dup2(in, STDIN_FILENO);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  for (const std::string &variable : options.environment)
    putenv(const_cast<char *>(variable.c_str()));
  std::vector<char *> words(options.words.size() + 1);
  for (size_t i = 0; i < options.words.size(); ++i)
    words[i] = const_cast<char *>(options.words[i].c_str());
  execvp(words[0], words.data());
  int error = errno;
  (void)!write(report, &error, sizeof(error));
  _exit(127);
}

} // namespace

Pipe::Pipe(Pipe &&other) noexcept : fd(std::exchange(other.fd, -1)) {}

Pipe &Pipe::operator=(Pipe &&other) noexcept {
  std::swap(fd, other.fd);
  return *this;
}

Pipe::~Pipe() { close(); }

void Pipe::close() {
  if (fd >= 0)
    ::close(std::exchange(fd, -1));
}

LineReader::LineReader(Pipe p) : pipe(std::move(p)) {
  setNonBlocking(pipe.descriptor());
}

std::vector<std::string> LineReader::read() {
  std::vector<std::string> lines;
  char buffer[4096];
  // A process that prints without end does not keep this one from others.
  for (int turn = 0; turn < 64 && pipe; ++turn) {
    ssize_t count = ::read(pipe.descriptor(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      break;
    if (count <= 0) {
      pipe.close();
      break;
    }
    rest.append(buffer, size_t(count));
    size_t begin = 0;
    for (size_t end; (end = rest.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      lines.push_back(rest.substr(begin, end - begin));
    rest.erase(0, begin);
    if (rest.size() > maxLine)
      lines.push_back(std::exchange(rest, std::string()));
  }
  if (!pipe && !rest.empty())
    lines.push_back(std::exchange(rest, std::string()));
  return lines;
}

LineWriter::LineWriter(Pipe p) : pipe(std::move(p)) {
  setNonBlocking(pipe.descriptor());
}

void LineWriter::write(const std::string &line) {
  outbox += line + "\n";
  flush();
}

void LineWriter::flush() {
  while (pipe && !outbox.empty()) {
    ssize_t count = ::write(pipe.descriptor(), outbox.data(), outbox.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
      return;
    if (count < 0)
      pipe.close();
    else
      outbox.erase(0, size_t(count));
  }
}

Expected<Child> launch::startChild(const ChildOptions &options) {
  auto out = makePipe(), err = makePipe(), report = makePipe(), in = makePipe();
  for (auto *ends : {&out, &err, &report, &in})
    if (!*ends)
      return ends->takeError();
  Pipe null(open("/dev/null", O_RDONLY | O_CLOEXEC));
  pid_t parent = getpid(), process = fork();
  if (process < 0)
    return Error{std::string("cannot start a process: ") +
                 std::strerror(errno)};
  if (process == 0)
    becomeProgram(options, (options.hasInput ? in->read : null).descriptor(),
                  out->write.descriptor(), err->write.descriptor(),
                  report->write.descriptor(), parent);
  report->write.close();
  int error = 0;
  ssize_t count;
  do
    count = ::read(report->read.descriptor(), &error, sizeof(error));
  while (count < 0 && errno == EINTR);
  if (count == ssize_t(sizeof(error))) {
    waitpid(process, nullptr, 0);
    return Error{"cannot run '" + options.words.front() +
                 "': " + std::strerror(error)};
  }
  Child child;
  child.process = process;
  child.out = LineReader(std::move(out->read));
  child.err = LineReader(std::move(err->read));
  if (options.hasInput)
    child.in = LineWriter(std::move(in->write));
  return child;
}

std::string Ending::text() const {
  return signal ? "signal " + std::to_string(signal)
                : "exit status " + std::to_string(status);
}
