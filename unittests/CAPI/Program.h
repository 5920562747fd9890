/*===- Program.h - A C program of the C API -------------------------*- C -*-===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Functions of Program.c, for CApiTest.cpp.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_UNITTESTS_CAPI_PROGRAM_H
#define SOAP_UNITTESTS_CAPI_PROGRAM_H

#include "Soap-c/Session.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A text that grows. */
typedef struct Text {
  char *data;
  size_t length;
} Text;

/* A SoapTextCallback: `user` is a Text. */
void appendText(const char *text, size_t length, void *user);
void freeText(Text *text);
/* All diagnostics of the latest call, a line each. */
Text diagnosticsOf(SoapContext context);

/* Imports an ONNX model of images, searches a strategy for four devices, trains
 * `steps` steps on the numbers of this program, and leaves the losses in
 * `losses`. With `artifact` the session comes from that file, which is written
 * before. NULL, or what went wrong. */
const char *trainModel(SoapContext context, const char *model,
                       const char *artifact, int steps, float *losses);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_UNITTESTS_CAPI_PROGRAM_H */
