//===- Library.cpp - What the wheel's library does differently ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM and MLIR are inside of the library, hidden from all others.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/raw_ostream.h"

#include <unistd.h>

using Constructor = void (*)(int, char **, char **);

extern "C" {
int soapTranslateTool(int argc, char **argv);
int soapTranslateMain(int argc, char **argv);
// Of the section in which CMakeLists.txt puts the constructors of
// soap-translate.
extern Constructor __start_soap_translate_constructors[];
extern Constructor __stop_soap_translate_constructors[];
}

/// The flags of soap-translate are static variables, which are registered with
/// LLVM's command line as they are constructed. In a library that other
/// programs load as well, that has to wait until soap-translate runs.
int soapTranslateMain(int argc, char **argv) {
  for (Constructor *constructor = __start_soap_translate_constructors;
       constructor != __stop_soap_translate_constructors; ++constructor)
    (*constructor)(argc, argv, environ);
  return soapTranslateTool(argc, argv);
}

/// A plugin is linked to the shared libMLIR, whose types this library does not
/// know. These definitions stand in for the ones of libMLIRPluginsLib.
/// MLIR's driver does not print the error, and goes on.
static llvm::Error refusePlugin(const std::string &path) {
  std::string message =
      path + ": the wheel of Soap loads no plugins, since its MLIR is not "
             "shared with them; a Soap that scripts/build.sh makes does";
  llvm::errs() << "error: " << message << "\n";
  return llvm::createStringError(message);
}

llvm::Expected<mlir::DialectPlugin>
mlir::DialectPlugin::load(const std::string &path) {
  return refusePlugin(path);
}
llvm::Expected<mlir::PassPlugin>
mlir::PassPlugin::load(const std::string &path) {
  return refusePlugin(path);
}
