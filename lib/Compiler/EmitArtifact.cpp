//===- EmitArtifact.cpp - Lowered modules as artifacts --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles, links a shared object with the linker of the system, and puts it
// into a container with the manifest.
//
//===----------------------------------------------------------------------===//

#include "Soap/Compiler/EmitArtifact.h"

#include "CallableFunctions.h"
#include "ObjectCode.h"
#include "Soap/ABI/Runtime.h"
#include "Soap/Artifact/Artifact.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Plan/StrategyFile.h"
#include "Soap/Support/Version.h"
#include "Soap/Topology/Topology.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SHA256.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;
using namespace mlir::soap;
namespace fs = llvm::sys::fs;
namespace runtime = ::soap::runtime;

namespace {

/// Removes a file when done.
struct Temporary {
  SmallString<128> path;
  llvm::FileRemover remover;

  LogicalResult create(ModuleOp module, StringRef ending) {
    if (std::error_code error =
            fs::createTemporaryFile("soap-artifact", ending, path))
      return module.emitError("cannot make a temporary file: ")
             << error.message();
    remover.setFile(path);
    return success();
  }
};

LogicalResult writeBytes(ModuleOp module, StringRef path,
                         ArrayRef<char> bytes) {
  std::error_code error;
  llvm::raw_fd_ostream stream(path, error);
  if (!error) {
    stream << StringRef(bytes.data(), bytes.size());
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  if (error)
    return module.emitError("cannot write '")
           << path << "': " << error.message();
  return success();
}

FailureOr<std::string> findLinker(ModuleOp module, StringRef chosen) {
  if (!chosen.empty()) {
    if (auto found = llvm::sys::findProgramByName(chosen))
      return *found;
    return module.emitError("cannot be linked: there is no program '")
           << chosen << "'";
  }
  for (StringRef name : {"ld.lld", "ld.lld-22", "ld"}) {
    if (name != "ld")
      if (auto found = llvm::sys::findProgramByName(name, {SOAP_LLVM_TOOLS}))
        return *found;
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  }
  return module.emitError("cannot be linked: expected ld.lld or ld");
}

FailureOr<std::string> link(ModuleOp module, ArrayRef<char> object,
                            StringRef chosen) {
  FailureOr<std::string> linker = findLinker(module, chosen);
  Temporary input, output, log;
  if (failed(linker) || failed(input.create(module, "o")) ||
      failed(output.create(module, "so")) ||
      failed(log.create(module, "log")) ||
      failed(writeBytes(module, input.path, object)))
    return failure();
  StringRef arguments[] = {*linker, "-shared", "-Bsymbolic", "-z",      "now",
                           "-s",    "-o",      output.path,  input.path};
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(log.path),
                                          StringRef(log.path)};
  std::string error;
  int status = llvm::sys::ExecuteAndWait(*linker, arguments, std::nullopt,
                                         redirects, /*SecondsToWait=*/600,
                                         /*MemoryLimit=*/0, &error);
  if (status != 0) {
    if (auto text = llvm::MemoryBuffer::getFile(log.path);
        error.empty() && text)
      error = (*text)->getBuffer().trim().str();
    return module.emitError("cannot be linked with '")
           << *linker << "': " << error;
  }
  auto linked = llvm::MemoryBuffer::getFile(output.path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!linked)
    return module.emitError("cannot read what '")
           << *linker << "' wrote: " << linked.getError().message();
  return (*linked)->getBuffer().str();
}

/// Of the module as text, so that artifacts of equal modules say so.
std::string moduleFingerprint(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

} // namespace

FailureOr<std::string>
mlir::soap::emitArtifact(ModuleOp module, const ArtifactOptions &options) {
  FailureOr<std::string> manifest = manifestOf(module);
  if (failed(manifest))
    return failure();
  FailureOr<CodeTarget> target = restrictedTarget(module, options.features);
  if (failed(target))
    return failure();
  FailureOr<SmallVector<char, 0>> object =
      compileToObject(module, *target, options.optLevel);
  if (failed(object) ||
      failed(checkSymbols(module, *object, [](StringRef name) {
        return name.starts_with("soap_rt_") || name.starts_with("soap_gpu_");
      })))
    return failure();
  FailureOr<std::string> code = link(module, *object, options.linker);
  if (failed(code))
    return failure();
  runtime::Artifact artifact;
  artifact.manifest = std::move(*manifest);
  artifact.code = std::move(*code);
  runtime::ArtifactInfo &info = artifact.info;
  info.soapVersion = ::soap::version();
  info.abi = SOAP_RT_ABI_VERSION;
  info.architecture =
      llvm::Triple::getArchTypeName(llvm::Triple(target->triple).getArch());
  info.features = options.features;
  info.optLevel = options.optLevel;
  info.fingerprints["module"] = moduleFingerprint(module);
  if (StringRef text = topologyText(module->getAttr(SoapDialect::kTopology));
      !text.empty())
    if (auto topology = ::soap::parseTopology(text.str(), "topology"))
      info.fingerprints["topology"] = ::soap::fingerprint(*topology);
  return runtime::serializeArtifact(artifact);
}
