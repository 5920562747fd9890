//===- Session.cpp - C API: modules that run ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Soap-c/Session.h.
//
//===----------------------------------------------------------------------===//

#include "Soap-c/Session.h"

#include "Internal.h"

#include "Compiler/MissingPasses.h"
#include "Compiler/ObjectCache.h"
#include "Runtime/Artifact/ProgramInterface.h"
#include "Soap/Compiler/JIT.h"
#include "Soap/Embed.h"
#include "Soap/Runtime/Data/Indices.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Training/LearningRate.h"

#include <cstring>
#include <dlfcn.h>

using namespace soap;
using namespace soap::capi;
namespace json = llvm::json;

namespace {

/// The object behind a SoapSession.
struct RunningModule {
  ContextRef state;
  std::unique_ptr<runtime::Session> session;
};

RunningModule &beginCall(SoapSession session) {
  RunningModule &result = *static_cast<RunningModule *>(session.ptr);
  result.state->beginCall();
  return result;
}

SoapSession refuse(ContextState &state, const std::string &message) {
  (void)state.fail(message);
  return {nullptr};
}

const SoapSessionOptions defaults = {/*optLevel=*/2, /*noCache=*/0,
                                     /*pinsThreads=*/0, /*threadsPerDevice=*/0};

/// Allocates memory and starts devices.
SoapSession start(const ContextRef &state, runtime::ProgramSource source,
                  const SoapSessionOptions &options) {
  runtime::LauncherOptions launcher;
  launcher.devices = source.manifest->devices;
  launcher.pin = options.pinsThreads != 0;
  launcher.threadsPerDevice = options.threadsPerDevice;
  auto session = runtime::Session::create(std::move(source), launcher);
  if (!session)
    return refuse(*state, session.error());
  return {new RunningModule{state, std::move(*session)}};
}

/// The code of artifacts asks the dynamic linker for the functions of
/// Soap/ABI/Runtime.h, which are in this library.
void exposeRuntime() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&soapSessionLoad), &info) != 0)
    (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

json::Object describeTensor(const runtime::TensorInfo &tensor) {
  json::Object row{{"name", tensor.name},
                   {"kind", runtime::nameOf(tensor.kind)},
                   {"shape", json::Array(tensor.shape)},
                   {"dtype", runtime::nameOf(tensor.dtype)}};
  if (tensor.sampleDim >= 0)
    row["sample_dim"] = tensor.sampleDim;
  if (tensor.classes != 0)
    row["classes"] = std::abs(tensor.classes);
  if (tensor.classes < 0)
    row["counts_from_end"] = true;
  return row;
}

/// The tensors that the ranks of an entry have as arguments or as results.
json::Array tensorsOf(const runtime::EntryInfo &entry, size_t count,
                      bool results) {
  std::vector<bool> used(count);
  for (const runtime::RankInfo &rank : entry.ranks)
    for (const runtime::TileInfo &tile : results ? rank.results : rank.args)
      used[tile.tensor] = true;
  json::Array numbers;
  for (size_t i = 0; i < count; ++i)
    if (used[i])
      numbers.push_back(int64_t(i));
  return numbers;
}

/// A tensor by name; an error lists the names.
Expected<size_t> tensorNamed(const runtime::Manifest &manifest,
                             const std::string &name) {
  if (std::optional<size_t> tensor = manifest.tensorNamed(name))
    return *tensor;
  std::string names;
  for (const runtime::TensorInfo &tensor : manifest.tensors)
    names += (names.empty() ? "'" : ", '") + tensor.name + "'";
  return Error{"no tensor '" + name + "', expected one of " + names};
}

/// Copies the elements of a tensor to memory of the caller.
SoapResult copyOut(ContextState &state, const std::string &name,
                   const runtime::HostTensor &value, void *data, size_t bytes) {
  if (size_t(value.bytes.size()) != bytes)
    return state.fail("tensor '" + name + "' has " +
                      std::to_string(value.bytes.size()) +
                      " bytes, got room for " + std::to_string(bytes));
  std::memcpy(data, value.bytes.data(), bytes);
  return SOAP_SUCCESS;
}

} // namespace

SoapSession soapSessionCompile(SoapIRModule module,
                               const SoapSessionOptions *options) {
  Module &target = *static_cast<Module *>(module.ptr);
  ContextState &state = *target.state;
  state.beginCall();
  if (!options)
    options = &defaults;
  if (options->optLevel < 0 || options->optLevel > 3)
    return refuse(state, "level of optimization: expected 0 to 3, got " +
                             std::to_string(options->optLevel));
  mlir::OwningOpRef<mlir::ModuleOp> copy = target.op->clone();
  SoapCompileOptions stages{};
  if (std::string passes = mlir::soap::missingPasses(*copy, stages);
      !passes.empty() && runPasses(state, *copy, passes) != SOAP_SUCCESS)
    return {nullptr};
  mlir::soap::ObjectCache cache(mlir::soap::ObjectCache::defaultFolder());
  bool cached =
      !options->noCache && !mlir::soap::ObjectCache::defaultFolder().empty();
  auto compiled = mlir::soap::JITModule::create(*copy, runtime::resolveSymbol,
                                                options->optLevel,
                                                cached ? &cache : nullptr);
  if (failed(compiled))
    return {nullptr};
  std::shared_ptr<mlir::soap::JITModule> code = std::move(*compiled);
  auto manifest = runtime::parseManifest(code->manifest(), "manifest");
  if (!manifest)
    return refuse(state, manifest.error());
  runtime::ProgramSource source;
  source.manifest =
      std::make_shared<const runtime::Manifest>(std::move(*manifest));
  source.program = [code](const std::string &name) {
    return reinterpret_cast<SoapProgram>(code->lookup(name));
  };
  source.data = [code](const std::string &name) -> const void * {
    return code->lookup(name);
  };
  if (MaybeError error = runtime::verifyPrograms(source))
    return refuse(state, error->message);
  return start(target.state, std::move(source), *options);
}

SoapSession soapSessionLoad(SoapContext context, const char *path,
                            const SoapSessionOptions *options) {
  const ContextRef &state = soap::capi::beginCall(context);
  exposeRuntime();
  auto source = runtime::loadArtifact(path);
  if (!source)
    return refuse(*state, source.error());
  return start(state, std::move(*source), options ? *options : defaults);
}

void soapSessionDestroy(SoapSession session) {
  delete static_cast<RunningModule *>(session.ptr);
}

SoapResult soapSessionDescribe(SoapSession session, SoapTextCallback callback,
                               void *user) {
  const runtime::Manifest &manifest = beginCall(session).session->manifest();
  json::Array tensors, entries;
  for (const runtime::TensorInfo &tensor : manifest.tensors)
    tensors.push_back(describeTensor(tensor));
  for (const runtime::EntryInfo &entry : manifest.entries)
    entries.push_back(json::Object{
        {"name", entry.name},
        {"batch", entry.batch},
        {"arguments", tensorsOf(entry, manifest.tensors.size(), false)},
        {"results", tensorsOf(entry, manifest.tensors.size(), true)}});
  give(json::Value(json::Object{{"devices", manifest.devices},
                                {"topology", manifest.topology},
                                {"tensors", std::move(tensors)},
                                {"entries", std::move(entries)}}),
       callback, user);
  return SOAP_SUCCESS;
}

SoapResult soapSessionInitialize(SoapSession session, const char *rule,
                                 uint64_t seed) {
  RunningModule &target = beginCall(session);
  if (MaybeError error = runtime::initialize(target.session->manifest(),
                                             target.session->tensors(),
                                             rule ? rule : "", seed))
    return target.state->fail(error->message);
  return SOAP_SUCCESS;
}

SoapResult soapSessionSet(SoapSession session, const char *name,
                          SoapElementType type, const int64_t *shape,
                          size_t rank, const void *data) {
  RunningModule &target = beginCall(session);
  const runtime::Manifest &manifest = target.session->manifest();
  auto tensor = tensorNamed(manifest, name);
  if (!tensor)
    return target.state->fail(tensor.error());
  const runtime::TensorInfo &info = manifest.tensors[*tensor];
  std::vector<int64_t> extents(shape, shape + rank);
  if (int(type) != int(info.dtype) || extents != info.shape) {
    const char *given = type >= SOAP_ELEMENT_F32 && type <= SOAP_ELEMENT_BF16
                            ? runtime::nameOf(runtime::DType(int(type)))
                            : "an unknown type";
    return target.state->fail("tensor '" + info.name + "': expected " +
                              runtime::nameOf(info.dtype) + " " +
                              runtime::shapeString(info.shape) + ", got " +
                              given + " " + runtime::shapeString(extents));
  }
  runtime::TensorStore &store = target.session->tensors();
  runtime::HostTensor value(info.dtype, info.shape);
  std::memcpy(value.bytes.data(), data, size_t(info.bytes()));
  if (MaybeError error = runtime::checkTensorIndices(value, info, manifest))
    return target.state->fail(error->message);
  store.host(*tensor) = std::move(value);
  store.hostWritten(*tensor);
  return SOAP_SUCCESS;
}

SoapResult soapSessionGet(SoapSession session, const char *name, void *data,
                          size_t bytes) {
  RunningModule &target = beginCall(session);
  auto tensor = tensorNamed(target.session->manifest(), name);
  if (!tensor)
    return target.state->fail(tensor.error());
  if (!target.session->tensors().hasValue(*tensor))
    return target.state->fail("tensor '" + std::string(name) +
                              "' has no value yet");
  auto value = target.session->tensors().get(*tensor);
  if (!value)
    return target.state->fail(value.error());
  return copyOut(*target.state, name, *value, data, bytes);
}

SoapResult soapSessionRun(SoapSession session, const char *entry) {
  RunningModule &target = beginCall(session);
  auto number = target.session->entry(entry);
  if (!number)
    return target.state->fail(number.error());
  if (MaybeError error = target.session->run(*number))
    return target.state->fail(error->message);
  return SOAP_SUCCESS;
}

SoapResult soapSessionResult(SoapSession session, const char *entry,
                             const char *name, void *data, size_t bytes) {
  RunningModule &target = beginCall(session);
  const runtime::Manifest &manifest = target.session->manifest();
  auto number = target.session->entry(entry);
  if (!number)
    return target.state->fail(number.error());
  auto tensor = tensorNamed(manifest, name);
  if (!tensor)
    return target.state->fail(tensor.error());
  bool isResult = false;
  for (const runtime::RankInfo &rank : manifest.entries[*number].ranks)
    for (const runtime::TileInfo &tile : rank.results)
      isResult |= tile.tensor == *tensor;
  if (!isResult)
    return target.state->fail("tensor '" + std::string(name) +
                              "' is no result of entry '" + entry + "'");
  auto value = target.session->tensors().result(*number, *tensor);
  if (!value)
    return target.state->fail(value.error());
  return copyOut(*target.state, name, *value, data, bytes);
}

double soapSessionLastMilliseconds(SoapSession session) {
  return static_cast<RunningModule *>(session.ptr)->session->lastMilliseconds();
}

double soapSessionLearningRate(SoapSession session, int64_t iteration) {
  const ::soap::runtime::Session &running =
      *static_cast<RunningModule *>(session.ptr)->session;
  if (iteration < 1)
    return -1;
  return ::soap::runtime::learningRateAt(running.manifest().training, iteration)
      .value_or(-1);
}

SoapResult soapSessionSave(SoapSession session, const char *path,
                           int allStates) {
  RunningModule &target = beginCall(session);
  auto tensors = runtime::collectTensors(
      target.session->manifest(), target.session->tensors(),
      allStates ? runtime::SavedTensors::State
                : runtime::SavedTensors::Weights);
  if (!tensors)
    return target.state->fail(tensors.error());
  if (MaybeError error = runtime::writeSafetensors(path, *tensors))
    return target.state->fail(error->message);
  return SOAP_SUCCESS;
}
