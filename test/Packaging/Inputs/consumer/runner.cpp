// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a file of IR with libSoapCompiler, against the runtime of this
// program, and says which tensors its manifest has.
#include "Soap/ABI/Compiler.h"
#include "Soap/Runtime/Artifact/Manifest.h"
#include "Soap/Runtime/Artifact/Symbols.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  SoapCompileOptions options{};
  options.optLevel = 1;
  options.noCache = 1;
  options.resolve = soap::runtime::resolveSymbol;
  options.diagnostic = [](void *, const char *message) {
    std::fprintf(stderr, "%s\n", message);
  };
  SoapModule *module = soapCompileFile(argv[1], &options);
  if (!module)
    return 1;
  auto manifest =
      soap::runtime::parseManifest(soapModuleManifest(module), argv[1]);
  if (!manifest)
    return 1;
  for (const auto &tensor : manifest->tensors)
    std::printf("tensor %s\n", tensor.name.c_str());
  std::printf("forward__0: %s\n",
              soapModuleSymbol(module, "forward__0") ? "code" : "none");
  soapModuleFree(module);
}
