//===- ArtifactModule.cpp - Programs of an artifact -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The shared object inside of the artifact becomes a file in memory, which the
// dynamic linker loads: nothing is written to disk.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Artifact/ArtifactModule.h"

#include "Runtime/Artifact/ProgramInterface.h"

#include "Soap/Artifact/Artifact.h"
#include "Soap/Support/InputFile.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

Expected<std::shared_ptr<void>> loadCode(const std::string &code,
                                         const std::string &path) {
  auto failed = [&](const std::string &why) {
    return Error{path + ": cannot load the code: " + why};
  };
  Descriptor file{memfd_create("soap-artifact", MFD_CLOEXEC)};
  if (file.get() < 0)
    return failed(std::strerror(errno));
  for (size_t done = 0; done < code.size();) {
    ssize_t count = write(file.get(), code.data() + done, code.size() - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return failed(std::strerror(errno));
    done += size_t(count);
  }
  std::string place = "/proc/self/fd/" + std::to_string(file.get());
  void *handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::string why = dlerror();
    if (why.rfind(place + ": ", 0) == 0)
      why = why.substr(place.size() + 2);
    return failed(why);
  }
  // Libraries are found by their name: while this one is open, no other may get
  // its descriptor's number.
  return std::shared_ptr<void>(handle, [fd = file.release()](void *handle) {
    dlclose(handle);
    close(fd);
  });
}

} // namespace

bool runtime::isArtifactFile(const std::string &path) {
  // Reading twice takes a regular file.
  if (specialKind(path))
    return false;
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  char start[8];
  ssize_t count = file.get() < 0 ? 0 : read(file.get(), start, sizeof start);
  return count > 0 && looksLikeArtifact({start, size_t(count)});
}

Expected<ProgramSource> runtime::loadArtifact(const std::string &path) {
  auto bytes = readFile(path);
  if (!bytes)
    return bytes.takeError();
  auto artifact = parseArtifact(*bytes, path);
  if (!artifact)
    return artifact.takeError();
  if (MaybeError error = checkArtifactHost(*artifact, path))
    return *error;
  auto manifest = parseManifest(artifact->manifest, path + " (manifest)");
  if (!manifest)
    return manifest.takeError();
  auto code = loadCode(artifact->code, path);
  if (!code)
    return code.takeError();
  ProgramSource source;
  source.manifest = std::make_shared<const Manifest>(std::move(*manifest));
  source.program = [code = *code](const std::string &name) {
    return reinterpret_cast<SoapProgram>(dlsym(code.get(), name.c_str()));
  };
  source.data = [code = *code](const std::string &name) -> const void * {
    return dlsym(code.get(), name.c_str());
  };
  if (MaybeError error = verifyPrograms(source))
    return Error{path + ": " + error->message};
  return source;
}
