/* Loads the plugin by the C API, searches a strategy for a program of its
 * dialect, and prints the ops that the strategy is for.
 *
 *   load_plugin PLUGIN PROGRAM
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */

#include "Soap-c/Module.h"

#include <stdio.h>

static void print(const char *text, size_t length, void *user) {
  fwrite(text, 1, length, (FILE *)user);
}

static void print_diagnostic(SoapSeverity severity, const char *text,
                             size_t length, void *user) {
  (void)severity;
  print(text, length, user);
  fputc('\n', (FILE *)user);
}

int main(int argc, char **argv) {
  SoapContext context = soapContextCreate();
  SoapIRModule module = {NULL};
  int failed = argc != 3;
  if (!failed)
    failed = soapContextLoadDialectPlugin(context, argv[1]) != SOAP_SUCCESS;
  if (!failed) {
    module = soapIRModuleParseFile(context, argv[2]);
    failed = module.ptr == NULL;
  }
  if (!failed)
    failed = soapIRModuleRunPasses(
                 module, "soap-auto-parallel{topology=cpu-2 function=main "
                         "proposals=20 summary=false}") != SOAP_SUCCESS;
  if (!failed)
    failed = soapIRModulePrint(module, print, stdout) != SOAP_SUCCESS;
  soapContextDiagnostics(context, print_diagnostic, stderr);
  if (module.ptr)
    soapIRModuleDestroy(module);
  soapContextDestroy(context);
  return failed;
}
