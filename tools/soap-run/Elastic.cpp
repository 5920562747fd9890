//===- Elastic.cpp - Runs that go on with fewer processes -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Elastic.h.
//
//===----------------------------------------------------------------------===//

#include "Elastic.h"

#include "RestrictTopology.h"
#include "Soap/Runtime/Artifact/ArtifactModule.h"
#include "Soap/Runtime/Training/Checkpoint.h"
#include "Soap/Support/FileIO.h"
#include "Soap/Support/InputFile.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

/// The topology of the first start.
std::string firstTopology(const Options &options, const Launch &launch) {
  if (!options.topology.empty())
    return options.topology;
  return "cpu-" +
         std::to_string(options.devices ? options.devices : launch.ranks);
}

/// CPU devices of one host are all the same: those that are left are a built-in
/// topology again.
bool isCpus(const std::string &topology) {
  return topology.starts_with("cpu-") &&
         topology.find_first_not_of("0123456789", 4) == std::string::npos;
}

/// Sets the topology of the devices that are left; returns its name for
/// messages.
Expected<std::string> setTopology(Options &options, const Launch &launch,
                                  ScratchFolder &folder) {
  std::string name = firstTopology(options, launch);
  auto topology = loadTopology(name);
  if (!topology)
    return topology.takeError();
  auto devices = keptDevices(launch, topology->deviceCount());
  if (!devices)
    return Error{name + ": " + devices.error()};
  options.devices = 0;
  options.topology = name;
  if (int(devices->size()) == topology->deviceCount())
    return name;
  if (isCpus(name))
    return options.topology = "cpu-" + std::to_string(devices->size());
  auto rest = restrictTopology(*topology, *devices);
  if (!rest)
    return Error{name + ": " + rest.error()};
  if (folder.getPath().empty())
    if (MaybeError error = folder.make())
      return *error;
  options.topology = folder.getPath() + "devices.json";
  if (MaybeError error = writeFile(options.topology, printTopology(*rest)))
    return *error;
  std::string list;
  for (int device : *devices)
    list += (list.empty() ? "" : ", ") + std::to_string(device);
  return "devices " + list + " of " + name;
}

/// A folder of the checkpoint that all hosts share is what the run goes on
/// from, whichever of them are lost.
MaybeError checkShared(const std::string &checkpoint, World &world) {
  std::string probe = checkpoint + ".shared", word;
  bool isRoot = world.rank() == 0;
  if (isRoot) {
    word = std::to_string(getpid()) + " " +
           std::to_string(
               std::chrono::system_clock::now().time_since_epoch().count());
    if (MaybeError error = writeFile(probe, word))
      return error;
  }
  auto words = exchangeTexts(world.processes(), word);
  if (!words)
    return words.takeError();
  bool sees = false;
  // A network file system may need a moment.
  for (int i = 0; i < 50 && !sees; ++i) {
    auto text = readFile(probe, 1 << 10);
    sees = text && *text == words->front();
    if (!sees)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  auto seen = exchangeTexts(world.processes(), sees ? "yes" : world.name());
  if (isRoot)
    unlink(probe.c_str());
  if (!seen)
    return seen.takeError();
  for (const std::string &text : *seen)
    if (text != "yes") {
      std::string what = "flag '--elastic': " + text + " does not see '";
      what += probe + "', which rank 0 wrote: expected '--checkpoint' in a "
                      "folder that all hosts share";
      return Error{what};
    }
  return std::nullopt;
}

/// Where rank 0 lets all ranks go on.
struct Origin {
  bool hasCheckpoint = false;
  int64_t step = 0;
};

/// Of rank 0.
Expected<Origin> findOrigin(const Options &options, const Launch &launch) {
  Origin origin;
  std::error_code ignored;
  bool exists = std::filesystem::exists(options.checkpoint, ignored);
  if (launch.start == 1) {
    std::string other = options.resume;
    if (exists && other != options.checkpoint)
      return Error{options.checkpoint +
                   ": exists, and a run that goes on after a loss would take "
                   "it for its own: expected '--resume " +
                   options.checkpoint +
                   "' to go on from it, or another '--checkpoint'"};
    return origin;
  }
  std::string from = exists ? options.checkpoint : options.resume;
  if (from.empty())
    return origin;
  auto checkpoint = readCheckpoint(from);
  if (!checkpoint)
    return checkpoint.takeError();
  origin.hasCheckpoint = exists;
  origin.step = checkpoint->state.step;
  return origin;
}

} // namespace

MaybeError run::prepareElastic(Options &options, World &world,
                               const Launch &launch, ScratchFolder &folder) {
  if (isArtifactFile(options.file))
    return Error{options.file +
                 ": flag '--elastic' needs IR, from which a plan for fewer "
                 "devices can be made; an artifact is compiled for its "
                 "devices"};
  if (int64_t(launch.kept.size()) != world.size())
    return Error{std::string("environment variable ") + launchVariable +
                 ": expected " + std::to_string(world.size()) +
                 " ranks that are left, got " + printLaunch(launch)};
  auto devices = setTopology(options, launch, folder);
  if (!devices)
    return devices.takeError();
  if (launch.start == 1)
    if (MaybeError error = checkShared(options.checkpoint, world))
      return error;
  // Rank 0 decides for all.
  std::string answer;
  if (world.rank() == 0) {
    auto origin = findOrigin(options, launch);
    answer = !origin ? "error " + origin.error()
             : origin->hasCheckpoint
                 ? "checkpoint " + std::to_string(origin->step)
                 : "before " + std::to_string(origin->step);
  }
  auto answers = exchangeTexts(world.processes(), answer);
  if (!answers)
    return answers.takeError();
  answer = answers->front();
  if (answer.starts_with("error "))
    return Error{answer.substr(6)};
  bool hasCheckpoint = answer.starts_with("checkpoint ");
  if (hasCheckpoint) {
    options.resume = options.checkpoint;
    options.init.clear();
  }
  if (options.preset.empty() && options.plan.empty())
    options.plan = "soap-auto-parallel " +
                   (options.search.empty() ? "time-limit=10" : options.search);
  options.search.clear();
  if (launch.start == 1 || world.rank() != 0)
    return std::nullopt;
  std::string from =
      hasCheckpoint ? "goes on after iteration " + answer.substr(11) + " of '" +
                          options.checkpoint + "'"
      : options.resume.empty()
          ? "there is no checkpoint yet: begins again with the first weights"
          : "there is no new checkpoint yet: goes on after iteration " +
                answer.substr(7) + " of '" + options.resume + "'";
  std::fprintf(
      stderr,
      "soap-run: elastic: start %ld, %d of %ld ranks, on %s, plan: %s; %s\n",
      long(launch.start), world.size(), long(launch.ranks), devices->c_str(),
      options.preset.empty() ? options.plan.c_str()
                             : ("preset " + options.preset).c_str(),
      from.c_str());
  return std::nullopt;
}
