//===- Plan.cpp - A module planned by a pass ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Plan.h.
//
//===----------------------------------------------------------------------===//

#include "Plan.h"

#include "CommandLine/Shell.h"
#include "Soap/Runtime/Artifact/ArtifactModule.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"
#include "Soap/Topology/Topology.h"

#include <cstdio>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

std::string topologyOf(const Options &options, const World *world) {
  if (!options.topology.empty())
    return options.topology;
  int64_t devices = options.devices ? options.devices
                    : world         ? int64_t(world->size())
                                    : 0;
  return devices ? "cpu-" + std::to_string(devices) : "";
}

/// In this process; returns the bytes of the planned module.
Expected<std::string> makePlan(const Options &options,
                               const std::string &topology, int devices,
                               const std::string &output) {
  std::vector<std::string> words =
      planCommand(options, topology, devices, output);
  if (!options.quiet) {
    std::fprintf(stderr, "soap-run: plan: %s\n", quoted(words).c_str());
    std::fflush(stderr);
  }
  if (MaybeError error = runTool(words))
    return Error{options.file + ": flag '--plan': " + error->message};
  return readFile(output);
}

} // namespace

std::vector<std::string> run::planCommand(const Options &options,
                                          const std::string &topology,
                                          int devices,
                                          const std::string &output) {
  std::string plan = commandline::substitute(options.plan, "{devices}",
                                             std::to_string(devices));
  plan.erase(0, plan.find_first_not_of("- "));
  size_t space = plan.find(' ');
  std::string pass = plan.substr(0, space),
              rest = space == std::string::npos ? "" : plan.substr(space);
  return {"soap-opt",
          options.file,
          "--" + pass + "=topology=" + topology + rest,
          "--emit-bytecode",
          "-o",
          output};
}

MaybeError run::planModule(Options &options, World *world,
                           ScratchFolder &folder) {
  if (options.plan.empty())
    return std::nullopt;
  if (isArtifactFile(options.file))
    return Error{options.file +
                 ": flag '--plan' needs IR, got an artifact, which is "
                 "compiled already"};
  std::string name = topologyOf(options, world);
  if (name.empty())
    return Error{"flag '--plan' needs '--topology' or '--devices'"};
  auto topology = loadTopology(name);
  if (!topology)
    return topology.takeError();
  if (folder.getPath().empty())
    if (MaybeError error = folder.make())
      return error;
  std::string output = folder.getPath() + "planned.mlirbc";
  // The first letter says whether what follows is the module.
  std::string text;
  if (!world || world->rank() == 0) {
    auto planned = makePlan(options, name, topology->deviceCount(), output);
    text = planned ? "m" + *planned : "e" + planned.error();
  }
  if (world) {
    auto texts = exchangeTexts(world->processes(), text);
    if (!texts)
      return texts.takeError();
    text = std::move(texts->front());
  }
  if (!text.starts_with("m"))
    return Error{text.substr(1)};
  if (world && world->rank() != 0)
    if (MaybeError error = writeFile(output, text.substr(1)))
      return error;
  options.file = output;
  options.topology.clear();
  options.devices = 0;
  return std::nullopt;
}
