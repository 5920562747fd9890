//===- Plugins.cpp - C API: dialects of other projects --------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Soap-c/Support.h.
//
//===----------------------------------------------------------------------===//

#include "Soap-c/Support.h"

#include "Internal.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"

#include <dlfcn.h>

using namespace soap::capi;

/// Plugins use functions of this library and of MLIR, so the symbols of both
/// become visible to libraries that are loaded later.
static void exposeSymbols() {
  Dl_info info;
  if (dladdr(reinterpret_cast<void *>(&soapContextLoadDialectPlugin), &info) !=
      0)
    (void)dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

SoapResult soapContextLoadDialectPlugin(SoapContext context, const char *path) {
  ContextState &state = *beginCall(context);
  exposeSymbols();
  // Symbols that it lacks are an error here, and no end of the process later.
  if (!dlopen(path, RTLD_NOW | RTLD_GLOBAL)) {
    const char *why = dlerror();
    return state.fail("dialect plugin: " +
                      std::string(why ? why : "cannot be loaded"));
  }
  llvm::Expected<mlir::DialectPlugin> plugin = mlir::DialectPlugin::load(path);
  if (!plugin)
    return state.fail("dialect plugin: " + llvm::toString(plugin.takeError()));
  mlir::DialectRegistry registry;
  plugin->registerDialectRegistryCallbacks(registry);
  state.context.appendDialectRegistry(registry);
  return SOAP_SUCCESS;
}
