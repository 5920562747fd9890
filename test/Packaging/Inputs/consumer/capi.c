/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Runs a pipeline on a file of IR and prints the module, in C through Soap-c.
 */
#include "Soap-c/Module.h"

#include <stdio.h>

static void printText(const char *text, size_t length, void *user) {
  fwrite(text, 1, length, (FILE *)user);
}

static void printDiagnostic(SoapSeverity severity, const char *text,
                            size_t length, void *user) {
  (void)severity;
  printText(text, length, user);
  fputc('\n', (FILE *)user);
}

int main(int argc, char **argv) {
  SoapContext context = soapContextCreate();
  SoapIRModule module;
  int status = 1;
  if (argc != 3)
    return 2;
  module = soapIRModuleParseFile(context, argv[1]);
  if (module.ptr && soapIRModuleRunPasses(module, argv[2]) == SOAP_SUCCESS &&
      soapIRModulePrint(module, printText, stdout) == SOAP_SUCCESS)
    status = 0;
  soapContextDiagnostics(context, printDiagnostic, stderr);
  if (module.ptr)
    soapIRModuleDestroy(module);
  soapContextDestroy(context);
  return status;
}
