//===- CompiledModule.cpp - IR through libSoapCompiler --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CompiledModule.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Artifact/CompiledModule.h"

#include "Runtime/Artifact/ProgramInterface.h"
#include "Soap/ABI/Compiler.h"
#include "Soap/Runtime/Artifact/Symbols.h"
#include "Soap/Support/InputFile.h"
#include "Support/SharedLibrary.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <string_view>
#include <unistd.h>

using namespace soap;
using namespace soap::runtime;

namespace {

struct CompilerLibrary {
  decltype(&soapCompileFile) compile = nullptr;
  decltype(&soapModuleManifest) manifest = nullptr;
  decltype(&soapModuleSymbol) symbol = nullptr;
  decltype(&soapModuleFree) release = nullptr;
};

Expected<CompilerLibrary> loadCompiler() {
  auto handle = loadLibrary("libSoapCompiler.so", "SOAP_COMPILER",
                            "which the CMake target SoapCompiler builds");
  if (!handle)
    return Error{"cannot load the compiler library: " + handle.error()};
  CompilerLibrary library;
  std::string reason;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(*handle, name));
    if (!function && reason.empty())
      reason = name;
  };
  find(library.compile, "soapCompileFile");
  find(library.manifest, "soapModuleManifest");
  find(library.symbol, "soapModuleSymbol");
  find(library.release, "soapModuleFree");
  if (!reason.empty())
    return Error{"the compiler library has no function '" + reason + "'"};
  return library;
}

/// The kind of a file that can be neither IR nor an artifact; else null. Of
/// binary files other than MLIR's bytecode the compiler would only find fault
/// with some character.
const char *foreignKind(const std::string &path) {
  // Pipes and devices, too: the file is read twice.
  if (const char *kind = specialKind(path))
    return kind;
  std::ifstream stream(path, std::ios::binary);
  char start[512];
  stream.read(start, sizeof(start));
  std::string_view text(start, size_t(stream.gcount()));
  if (text.empty())
    return "an empty file";
  // Text has no control characters but white space.
  bool isForeign = !text.starts_with("ML\xEFR") &&
                   std::any_of(text.begin(), text.end(), [](unsigned char c) {
                     return c < '\t' || (c > '\r' && c < ' ');
                   });
  return isForeign ? "another binary file" : nullptr;
}

void forwardDiagnostic(void *user, const char *message) {
  const auto &request = *static_cast<const CompileRequest *>(user);
  if (request.diagnostic)
    request.diagnostic(message);
}

} // namespace

Expected<ProgramSource> runtime::compileModule(const CompileRequest &request) {
  if (access(request.path.c_str(), R_OK) != 0)
    return Error{request.path + ": cannot open: " + std::strerror(errno)};
  if (const char *kind = foreignKind(request.path))
    return Error{
        request.path +
        ": expected IR, an ONNX model, or an artifact, which starts with "
        "'SOAPX', "
        "got " +
        kind};
  auto library = loadCompiler();
  if (!library)
    return library.takeError();
  auto orNull = [](const std::string &text) {
    return text.empty() ? nullptr : text.c_str();
  };
  SoapCompileOptions options{};
  options.topology = orNull(request.topology);
  options.preset = orNull(request.preset);
  options.strategy = orNull(request.strategy);
  options.reference = request.reference;
  options.optLevel = request.optLevel;
  options.noCache = !request.cache;
  options.resolve = resolveSymbol;
  options.diagnostic = forwardDiagnostic;
  std::vector<const char *> plugins;
  for (const std::string &plugin : request.dialectPlugins)
    plugins.push_back(plugin.c_str());
  options.dialectPlugins = plugins.data();
  options.dialectPluginCount = int(plugins.size());
  options.diagnosticUser = const_cast<CompileRequest *>(&request);
  SoapModule *raw = library->compile(request.path.c_str(), &options);
  if (!raw)
    return Error{request.path + ": cannot be compiled"};
  std::shared_ptr<SoapModule> module(raw, library->release);
  const char *text = library->manifest(raw);
  auto manifest = parseManifest(text ? text : "", request.path + " (manifest)");
  if (!manifest)
    return manifest.takeError();
  ProgramSource source;
  source.manifest = std::make_shared<const Manifest>(std::move(*manifest));
  source.program = [module, symbol = library->symbol](const std::string &name) {
    return reinterpret_cast<SoapProgram>(symbol(module.get(), name.c_str()));
  };
  source.data = [module, symbol = library->symbol](
                    const std::string &name) -> const void * {
    return symbol(module.get(), name.c_str());
  };
  if (MaybeError error = verifyPrograms(source))
    return Error{request.path + ": " + error->message};
  return source;
}
