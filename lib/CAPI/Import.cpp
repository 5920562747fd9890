//===- Import.cpp - C API: modules from other formats ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsing, ONNX, StableHLO, and networks by name. See Soap-c/Module.h.
//
//===----------------------------------------------------------------------===//

#include "Internal.h"
#include "Soap-c/Module.h"

#include "Soap/Target/Models.h"
#include "Soap/Target/ONNX.h"
#include "Soap/Transforms/SourceFile.h"
#if __has_include("Soap/Target/StableHLO.h")
#include "Soap/Target/StableHLO.h"
#define SOAP_HAS_STABLEHLO
#endif

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>

using namespace soap::capi;
using llvm::StringRef;

namespace {

/// The object of a module; null for a null module.
SoapIRModule wrap(const ContextRef &state,
                  mlir::OwningOpRef<mlir::ModuleOp> module) {
  if (!module)
    return {nullptr};
  return {new Module{state, std::move(module)}};
}

std::vector<std::string> namesOf(StringRef text) {
  std::vector<std::string> names;
  for (StringRef name : llvm::split(text, ','))
    if (!name.empty())
      names.push_back(name.str());
  return names;
}

/// Reads one option of ONNX import; an empty text, or what is wrong with it.
std::string readOption(StringRef text, mlir::soap::ONNXImportOptions &options) {
  auto [name, value] = text.split('=');
  auto number = [&, &name = name, &value = value](int64_t &target,
                                                  int64_t least) {
    if (value.getAsInteger(10, target) || target < least)
      return "option '" + name.str() + "': expected a number of at least " +
             std::to_string(least) + ", got '" + value.str() + "'";
    return std::string();
  };
  auto list = [&, &name = name, &value = value](std::vector<std::string> &to) {
    std::vector<std::string> names = namesOf(value);
    to.insert(to.end(), names.begin(), names.end());
    return names.empty() ? "option '" + name.str() + "': expected names"
                         : std::string();
  };
  auto flag = [&, &name = name, &value = value](bool &target) {
    target = true;
    return value.empty() ? std::string()
                         : "option '" + name.str() +
                               "' is a flag, expected no value, got '" +
                               value.str() + "'";
  };
  if (name == "batch")
    return number(options.batch, 1);
  if (name == "sample-dim")
    return number(options.sampleDim, 0);
  if (name == "data-inputs")
    return list(options.dataInputs);
  if (name == "parameters")
    return list(options.parameters);
  if (name == "constants")
    return list(options.constants);
  if (name == "tie-weights")
    return list(options.tieWeights);
  if (name == "untie-weights") {
    if (!value.empty())
      return list(options.untieWeights);
    options.untieWeights.push_back("*");
    return "";
  }
  if (name == "drop-final-softmax")
    return flag(options.dropFinalSoftmax);
  if (name == "keep-final-softmax")
    return flag(options.keepFinalSoftmax);
  if (name == "freeze-norms")
    return flag(options.freezeNorms);
  if (name == "assume-roles")
    return flag(options.assumeRoles);
  if (name == "assume-batch")
    return flag(options.assumeBatch);
  if (name == "parameters-from" || name == "weights-out") {
    (name == "weights-out" ? options.weightsOut : options.parametersFrom) =
        value.str();
    return value.empty() ? "option '" + name.str() + "': expected a file" : "";
  }
  if (name == "input-shape") {
    auto [input, dims] = value.rsplit(':');
    std::vector<int64_t> shape;
    for (StringRef part : llvm::split(dims, 'x')) {
      int64_t extent = 0;
      if (part.getAsInteger(10, extent) || extent < 1)
        return "option 'input-shape': expected NAME:2x3x4, got '" +
               value.str() + "'";
      shape.push_back(extent);
    }
    options.inputShapes[input.str()] = shape;
    return "";
  }
  return "unknown option '" + name.str() +
         "' of ONNX import, expected batch, sample-dim, data-inputs, "
         "input-shape, parameters, constants, parameters-from, tie-weights, "
         "untie-weights, weights-out, assume-roles, assume-batch, "
         "freeze-norms, drop-final-softmax or keep-final-softmax";
}

} // namespace

SoapIRModule soapIRModuleParse(SoapContext context, const char *text,
                               size_t length, const char *name) {
  const ContextRef &state = beginCall(context);
  // The parser wants a zero byte behind the text.
  std::string copy(text, length);
  return wrap(state, mlir::parseSourceString<mlir::ModuleOp>(
                         copy, &state->context, name ? name : "module"));
}

SoapIRModule soapIRModuleParseFile(SoapContext context, const char *path) {
  const ContextRef &state = beginCall(context);
  return wrap(state, mlir::soap::parseModuleFile(path, &state->context));
}

SoapIRModule soapIRModuleImportONNX(SoapContext context, const char *path,
                                    const char *const *options, size_t count) {
  const ContextRef &state = beginCall(context);
  mlir::soap::ONNXImportOptions parsed;
  for (size_t i = 0; i < count; ++i)
    if (std::string fault = readOption(options[i], parsed); !fault.empty()) {
      (void)state->fail(fault);
      return {nullptr};
    }
  if (parsed.dropFinalSoftmax && parsed.keepFinalSoftmax) {
    (void)state->fail("options 'drop-final-softmax' and 'keep-final-softmax' "
                      "exclude each other");
    return {nullptr};
  }
  return wrap(state, mlir::soap::importONNX(path, &state->context, parsed));
}

#ifdef SOAP_HAS_STABLEHLO
static SoapResult readOptions(ContextState &state, const char *const *options,
                              size_t count,
                              mlir::soap::StableHLOImportOptions &parsed) {
  for (size_t i = 0; i < count; ++i) {
    auto [option, value] = StringRef(options[i]).split('=');
    std::string *target = llvm::StringSwitch<std::string *>(option)
                              .Case("function", &parsed.function)
                              .Case("data", &parsed.data)
                              .Case("labels", &parsed.labels)
                              .Case("parameters", &parsed.parameters)
                              .Case("states", &parsed.states)
                              .Case("updates", &parsed.updates)
                              .Default(nullptr);
    if (target) {
      *target = value.str();
    } else if (StringRef(options[i]) == "no-recognition") {
      parsed.recognize = false;
    } else if (StringRef(options[i]) == "keep-shardings") {
      parsed.keepShardings = true;
    } else if (option != "sample-dim" ||
               value.getAsInteger(10, parsed.sampleDim)) {
      return state.fail("option '" + std::string(options[i]) +
                        "' of StableHLO import: expected function, data, "
                        "labels, parameters, states, updates, sample-dim=N, "
                        "no-recognition or keep-shardings");
    }
  }
  return SOAP_SUCCESS;
}

SoapIRModule soapIRModuleImportStableHLO(SoapContext context, const char *text,
                                         size_t length, const char *name,
                                         const char *const *options,
                                         size_t count) {
  const ContextRef &state = beginCall(context);
  mlir::soap::StableHLOImportOptions parsed;
  if (readOptions(*state, options, count, parsed) != SOAP_SUCCESS)
    return {nullptr};
  return wrap(state, mlir::soap::importStableHLO(
                         llvm::MemoryBuffer::getMemBufferCopy(
                             StringRef(text, length), name ? name : "text"),
                         &state->context, parsed));
}

SoapResult soapIRModuleExportShardy(SoapIRModule module, SoapIRModule planned,
                                    const char *text, size_t length,
                                    const char *const *options, size_t count,
                                    SoapTextCallback callback, void *user) {
  Module &target = beginCall(module);
  mlir::soap::StableHLOImportOptions parsed;
  if (readOptions(*target.state, options, count, parsed) != SOAP_SUCCESS)
    return SOAP_FAILURE;
  std::string result;
  llvm::raw_string_ostream os(result);
  mlir::MLIRContext &context = target.state->context;
  bool before = context.allowsUnregisteredDialects();
  bool succeeded = mlir::succeeded(mlir::soap::exportShardy(
      llvm::MemoryBuffer::getMemBufferCopy(StringRef(text, length), "text"),
      *target.op,
      planned.ptr ? *static_cast<Module *>(planned.ptr)->op : mlir::ModuleOp(),
      parsed, os));
  context.allowUnregisteredDialects(before);
  if (!succeeded)
    return SOAP_FAILURE;
  give(result, callback, user);
  return SOAP_SUCCESS;
}
#else
SoapIRModule soapIRModuleImportStableHLO(SoapContext context, const char *,
                                         size_t, const char *name,
                                         const char *const *, size_t) {
  (void)beginCall(context)->fail(std::string(name ? name : "text") +
                                 ": error: this build of Soap has no import of "
                                 "StableHLO");
  return {nullptr};
}

SoapResult soapIRModuleExportShardy(SoapIRModule module, SoapIRModule,
                                    const char *, size_t, const char *const *,
                                    size_t, SoapTextCallback, void *) {
  return beginCall(module).state->fail(
      "this build of Soap has no import of StableHLO");
}
#endif

SoapIRModule soapIRModuleGenerate(SoapContext context, const char *name,
                                  int64_t batch, const char *const *options,
                                  size_t count) {
  const ContextRef &state = beginCall(context);
  auto refuse = [&](const std::string &message) {
    (void)state->fail(message);
    return SoapIRModule{nullptr};
  };
  if (batch < 0)
    return refuse("batch: expected a number of at least 1, got " +
                  std::to_string(batch));
  std::map<std::string, int64_t> sizes;
  std::string preset;
  for (size_t i = 0; i < count; ++i) {
    auto [option, value] = StringRef(options[i]).split('=');
    int64_t number = 0;
    if (option == "preset" && preset.empty() && !value.empty())
      preset = value.str();
    else if (option.empty() || value.getAsInteger(10, number))
      return refuse("expected NAME=NUMBER or preset=NAME once, got '" +
                    std::string(options[i]) + "'");
    else if (!sizes.emplace(option.str(), number).second)
      return refuse("option '" + option.str() + "' is given twice");
  }
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::soap::generateModel(name, batch, sizes, &state->context, preset);
  if (module && failed(mlir::verify(*module)))
    return {nullptr};
  return wrap(state, std::move(module));
}
