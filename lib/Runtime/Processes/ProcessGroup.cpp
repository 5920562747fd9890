//===- ProcessGroup.cpp - Joining processes -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ProcessGroup.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/ProcessGroup.h"

#include "Support/SharedLibrary.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace soap;
using namespace soap::runtime;

namespace {

/// More is no text of ours.
constexpr int64_t maxTextBytes = int64_t(1) << 32;

MaybeError sendText(ProcessGroup &group, int to, const std::string &text) {
  auto bytes = int64_t(text.size());
  if (MaybeError error =
          group.send(to, Channel::Control, 0, &bytes, sizeof(bytes)))
    return error;
  return group.send(to, Channel::Control, 0, text.data(), bytes);
}

MaybeError receiveText(ProcessGroup &group, int from, std::string &text) {
  int64_t bytes = 0;
  if (MaybeError error =
          group.receive(from, Channel::Control, 0, &bytes, sizeof(bytes)))
    return error;
  if (bytes < 0 || bytes > maxTextBytes)
    return Error{"rank " + std::to_string(from) + " announces a text of " +
                 std::to_string(bytes) + " bytes, expected 0 to " +
                 std::to_string(maxTextBytes)};
  text.resize(size_t(bytes));
  return group.receive(from, Channel::Control, 0, text.data(), bytes);
}

/// Every rank sends its text to the readers, the ranks below `readers`.
Expected<std::vector<std::string>> spread(ProcessGroup &group, int readers,
                                          const std::string &mine) {
  int me = group.rank();
  for (int to = 0; to < readers; ++to)
    if (to != me)
      if (MaybeError error = sendText(group, to, mine))
        return *error;
  std::vector<std::string> texts;
  if (me >= readers)
    return texts;
  texts.resize(size_t(group.size()));
  texts[size_t(me)] = mine;
  for (int from = 0; from < group.size(); ++from)
    if (from != me)
      if (MaybeError error = receiveText(group, from, texts[size_t(from)]))
        return *error;
  return texts;
}

} // namespace

Expected<std::vector<std::string>>
runtime::exchangeTexts(ProcessGroup &group, const std::string &mine) {
  return spread(group, group.size(), mine);
}

Expected<std::vector<std::string>>
runtime::gatherTexts(ProcessGroup &group, const std::string &mine) {
  return spread(group, 1, mine);
}

Expected<ProcessGroup *> runtime::joinMpi() {
  auto library = loadLibrary("libSoapMPI.so", "SOAP_MPI",
                             "which the CMake target SoapMPI builds where "
                             "there is an MPI (libopenmpi-dev, openmpi-bin)");
  if (!library)
    return Error{"transport mpi is not available: " + library.error()};
  auto *join = reinterpret_cast<ProcessGroup *(*)(std::string *)>(
      dlsym(*library, "soapJoinMpi"));
  if (!join)
    return Error{"transport mpi is not available: the library has no function "
                 "'soapJoinMpi'"};
  std::string error;
  ProcessGroup *group = join(&error);
  if (!group)
    return Error{"transport mpi: " + error};
  return group;
}

bool runtime::startedByMpirun() {
  for (const char *name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char *value = std::getenv(name); value && *value)
      return true;
  return false;
}
