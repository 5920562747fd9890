//===- Agent.h - The part of soap-launch on a host --------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-launch runs itself once on each host, through ssh or another launcher.
// That process, the agent, starts the ranks of the host and passes on their
// output and how they ended. It reads orders from its standard input and writes
// reports to its standard output, a JSON object in each line:
//
//   order   {"do": "start", "rank": 0, "words": [..], "environment": [..]}
//   order   {"do": "signal", "number": 15}
//   order   {"do": "ask", "rank": 2} and {"do": "kill", "rank": 2}
//   order   {"do": "alive"}, and {"do": "end"}, which kills all ranks
//   report  {"is": "hello", "version": "..", "host": "..", "process": 4711}
//   report  {"is": "started", "rank": 0, "process": 4712}
//   report  {"is": "line", "rank": 0, "error": false, "text": ".."}
//   report  {"is": "ended", "rank": 0, "status": 1, "signal": 0, "why": ".."}
//   report  {"is": "alive"}
//
// An agent that hears no order for a while, or whose input ends, kills its
// ranks: ranks that soap-launch has lost sight of must not write files beside
// those that go on without them.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAPLAUNCH_AGENT_H
#define SOAP_TOOLS_SOAPLAUNCH_AGENT_H

#include <chrono>
#include <string>

namespace soap::launch {

struct AgentOptions {
  /// Where ranks run; the same folder on all hosts.
  std::string folder;
  /// Without an order for this long, soap-launch is lost.
  std::chrono::milliseconds silence{10000};
};

/// How often soap-launch and its agents give a sign of life.
constexpr std::chrono::milliseconds signInterval{500};

/// Serves soap-launch until it ends; the exit status.
int runAgent(const AgentOptions &options);

} // namespace soap::launch

#endif // SOAP_TOOLS_SOAPLAUNCH_AGENT_H
