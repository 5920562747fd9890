//===- Child.h - A process with pipes ---------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starting a process, and reading and writing its pipes without waiting.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPLAUNCH_CHILD_H
#define SOAP_TOOLS_SOAPLAUNCH_CHILD_H

#include "Soap/Support/Error.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace soap::launch {

/// Owns a file descriptor.
class Pipe {
public:
  Pipe() = default;
  explicit Pipe(int fd) : fd(fd) {}
  Pipe(Pipe &&other) noexcept;
  Pipe &operator=(Pipe &&other) noexcept;
  ~Pipe();

  int descriptor() const { return fd; }
  explicit operator bool() const { return fd >= 0; }
  void close();

private:
  int fd = -1;
};

/// Lines that come through a pipe.
class LineReader {
public:
  LineReader() = default;
  explicit LineReader(Pipe pipe);

  /// The lines that have come. At the end of the stream closes the pipe and
  /// adds a last line without an end. A line of more than 1 MiB is cut there.
  std::vector<std::string> read();
  int descriptor() const { return pipe.descriptor(); }
  bool isOpen() const { return bool(pipe); }
  void close() { pipe.close(); }

private:
  Pipe pipe;
  std::string rest;
};

/// Lines that go through a pipe, whose reader may be slow.
class LineWriter {
public:
  LineWriter() = default;
  explicit LineWriter(Pipe pipe);

  void write(const std::string &line);
  /// Writes what goes at once. Closes the pipe if no process reads it.
  void flush();
  bool hasMore() const { return pipe && !outbox.empty(); }
  int descriptor() const { return pipe.descriptor(); }
  bool isOpen() const { return bool(pipe); }
  void close() { pipe.close(); }

private:
  Pipe pipe;
  std::string outbox;
};

struct ChildOptions {
  std::vector<std::string> words;
  /// NAME=VALUE, beside the environment of this process.
  std::vector<std::string> environment = {};
  /// Gives the process a standard input of its own; else it has /dev/null.
  bool hasInput = false;
  /// The process is killed when this one ends.
  bool endsWithParent = false;
};

/// A process in a process group of its own.
struct Child {
  pid_t process = 0;
  LineReader out, err;
  LineWriter in;
};

/// Starts a process; an error if its program cannot be run.
Expected<Child> startChild(const ChildOptions &options);

/// How a process has ended: `status` of its exit, or the number of the signal.
struct Ending {
  int status = 0, signal = 0;
  /// "exit status 3", "signal 9".
  std::string text() const;
};

} // namespace soap::launch

#endif // SOAP_TOOLS_SOAPLAUNCH_CHILD_H
