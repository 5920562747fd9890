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

/// A plugin is linked to the shared libMLIR, whose types are not those of the
/// MLIR in here. These definitions stand in for the ones of libMLIRPluginsLib.
static llvm::Error refusePlugin(const std::string &path) {
  return llvm::createStringError(
      "%s cannot be loaded: the MLIR of this Soap is not shared with plugins; "
      "build Soap (scripts/build.sh), or load SoapPlugin.so into mlir-opt "
      "beside it",
      path.c_str());
}

llvm::Expected<mlir::DialectPlugin>
mlir::DialectPlugin::load(const std::string &path) {
  return refusePlugin(path);
}
llvm::Expected<mlir::PassPlugin>
mlir::PassPlugin::load(const std::string &path) {
  return refusePlugin(path);
}
