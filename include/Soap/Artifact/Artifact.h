//===- Artifact.h - Compiled modules as files -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An artifact (docs/Artifacts.md) is one file with all that a run needs: what
// it was made for, the manifest, and the device programs as an ELF shared
// object. This header knows the container and nothing of LLVM: the compiler
// writes it, the launcher reads it. Whatever is damaged, foreign or of another
// version is refused with a message; checksums tell damage, not malice, so run
// only the artifacts that you would run as programs.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_ARTIFACT_ARTIFACT_H
#define SOAP_ARTIFACT_ARTIFACT_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace soap::runtime {

/// Of the container and the members of `ArtifactInfo`.
constexpr uint32_t artifactVersion = 2;

/// The machine and runtime that an artifact was made for.
struct ArtifactInfo {
  /// Version of Soap that made it; for people.
  std::string soapVersion;
  /// SOAP_RT_ABI_VERSION of the runtime that its code calls.
  int64_t abi = 0;
  /// "x86_64", ...
  std::string architecture;
  /// CPU features that its code uses, by their LLVM names.
  std::vector<std::string> features;
  /// Level of LLVM's optimizer, 0 to 3.
  int64_t optLevel = 0;
  /// By what they are of: "module", "topology".
  std::map<std::string, std::string> fingerprints;
};

struct Artifact {
  ArtifactInfo info;
  /// JSON of docs/Runtime.md: tensors with their regions, rank tables, plan.
  std::string manifest;
  /// ELF shared object that exports the device programs.
  std::string code;
};

/// The bytes of the file; manifest and code are deflated in it where that makes
/// them smaller.
std::string serializeArtifact(const Artifact &artifact);
/// Checks structure, version and checksums; `source` names it in messages. The
/// manifest and the code are not looked into.
Expected<Artifact> parseArtifact(std::string_view data,
                                 const std::string &source);
/// The data starts like an artifact.
bool looksLikeArtifact(std::string_view data);
/// An error if this process cannot run the artifact's code: another
/// architecture, CPU features that this machine lacks, another runtime.
MaybeError checkArtifactHost(const Artifact &artifact,
                             const std::string &source);

/// The architecture that this process runs on.
const char *hostArchitecture();
/// The features, of those that code may be made for, that this machine has.
const std::vector<std::string> &hostCpuFeatures();
/// The features of a level by name: "host", "x86-64", "x86-64-v2", ...,
/// "x86-64-v4"; an error for other names or architectures.
Expected<std::vector<std::string>> cpuLevel(const std::string &name);

} // namespace soap::runtime

#endif // SOAP_ARTIFACT_ARTIFACT_H
