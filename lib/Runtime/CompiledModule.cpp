//===- CompiledModule.cpp - IR through libSoapCompiler --------------------===//
//
// See CompiledModule.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/CompiledModule.h"

#include "Soap/Compiler/Compiler.h"
#include "Soap/Runtime/Symbols.h"

#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
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

/// Folder of the running executable.
std::string executableFolder() {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (length <= 0)
    return ".";
  std::string text(path, size_t(length));
  return text.substr(0, text.rfind('/'));
}

Expected<CompilerLibrary> loadCompiler() {
  constexpr const char *file = "libSoapCompiler.so";
  std::vector<std::string> candidates;
  if (const char *chosen = std::getenv("SOAP_COMPILER"); chosen && *chosen) {
    candidates = {chosen};
  } else {
    // Also from build/bin/unittests.
    for (const char *up : {"/../lib/", "/../../lib/", "/"})
      candidates.push_back(executableFolder() + up + file);
    candidates.push_back(file);
  }
  void *handle = nullptr;
  std::string reason;
  for (const std::string &candidate : candidates) {
    // A file that is there but does not load is the mistake to report.
    bool isPath = candidate.find('/') != std::string::npos;
    if (isPath && candidates.size() > 1 && access(candidate.c_str(), F_OK) != 0)
      continue;
    handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle)
      break;
    reason = dlerror();
    if (isPath)
      break;
  }
  if (!handle)
    return Error{"cannot load the compiler library: " + reason};
  CompilerLibrary library;
  auto find = [&](auto &function, const char *name) {
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    if (!function && reason.empty())
      reason = name;
  };
  reason.clear();
  find(library.compile, "soapCompileFile");
  find(library.manifest, "soapModuleManifest");
  find(library.symbol, "soapModuleSymbol");
  find(library.release, "soapModuleFree");
  if (!reason.empty())
    return Error{"the compiler library has no function '" + reason + "'"};
  return library;
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
  options.resolve = resolveSymbol;
  options.diagnostic = forwardDiagnostic;
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
  return source;
}
