/*===- Program.c - A C program of the C API ---------------------------------===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Trains in plain C89: from an ONNX file to losses.
 *
 *===----------------------------------------------------------------------===*/

#include "Program.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 64, PIXELS = 28 * 28, CLASSES = 10 };

void appendText(const char *text, size_t length, void *user) {
  Text *target = (Text *)user;
  char *grown = (char *)realloc(target->data, target->length + length + 1);
  if (!grown)
    abort();
  memcpy(grown + target->length, text, length);
  target->length += length;
  grown[target->length] = 0;
  target->data = grown;
}

void freeText(Text *text) {
  free(text->data);
  text->data = NULL;
  text->length = 0;
}

static void appendDiagnostic(SoapSeverity severity, const char *text,
                             size_t length, void *user) {
  (void)severity;
  appendText(text, length, user);
  appendText("\n", 1, user);
}

Text diagnosticsOf(SoapContext context) {
  Text text = {NULL, 0};
  soapContextDiagnostics(context, appendDiagnostic, &text);
  return text;
}

/* Images whose class is the row that is bright. */
static void makeBatch(int step, float *images, int32_t *labels) {
  int n, i;
  for (n = 0; n < BATCH; ++n) {
    int class = (n * 7 + step) % CLASSES;
    labels[n] = class;
    for (i = 0; i < PIXELS; ++i)
      images[n * PIXELS + i] = i / 28 == 2 * class + 4 ? 1.0f : 0.0f;
  }
}

static const char *trainSession(SoapSession session, int steps, float *losses) {
  static float images[BATCH * PIXELS];
  static int32_t labels[BATCH];
  const int64_t imageShape[] = {BATCH, 1, 28, 28};
  const int64_t labelShape[] = {BATCH};
  int step;
  if (soapSessionInitialize(session, NULL, 1) != SOAP_SUCCESS)
    return "soapSessionInitialize";
  for (step = 0; step < steps; ++step) {
    makeBatch(step, images, labels);
    if (soapSessionSet(session, "image", SOAP_ELEMENT_F32, imageShape, 4,
                       images) != SOAP_SUCCESS)
      return "soapSessionSet of images";
    if (soapSessionSet(session, "label", SOAP_ELEMENT_I32, labelShape, 1,
                       labels) != SOAP_SUCCESS)
      return "soapSessionSet of labels";
    if (soapSessionRun(session, "train_step") != SOAP_SUCCESS)
      return "soapSessionRun";
    if (soapSessionResult(session, "train_step", "loss", &losses[step],
                          sizeof(float)) != SOAP_SUCCESS)
      return "soapSessionResult";
  }
  return NULL;
}

const char *trainModel(SoapContext context, const char *model,
                       const char *artifact, int steps, float *losses) {
  const char *fault = NULL;
  Text report = {NULL, 0};
  SoapSession session = {NULL};
  SoapIRModule module = soapIRModuleImportONNX(context, model, NULL, 0);
  if (!module.ptr)
    return "soapIRModuleImportONNX";
  if (soapIRModuleRunPasses(module, "soap-build-training-step{optimizer=sgd "
                                    "learning-rate=0.05}") != SOAP_SUCCESS)
    fault = "soapIRModuleRunPasses";
  else if (soapIRModuleSearch(module, "topology=cpu-4 seed=1 proposals=200",
                              appendText, &report) != SOAP_SUCCESS)
    fault = "soapIRModuleSearch";
  else if (!strstr(report.data, "\"best_makespan_ns\""))
    fault = "report of soapIRModuleSearch";
  if (!fault && artifact) {
    if (soapIRModuleEmitArtifact(module, artifact, 2, "host") != SOAP_SUCCESS)
      fault = "soapIRModuleEmitArtifact";
    else
      session = soapSessionLoad(context, artifact, NULL);
  } else if (!fault) {
    session = soapSessionCompile(module, NULL);
  }
  /* A session needs neither its module nor the text. */
  freeText(&report);
  soapIRModuleDestroy(module);
  if (fault)
    return fault;
  if (!session.ptr)
    return "session";
  fault = trainSession(session, steps, losses);
  soapSessionDestroy(session);
  return fault;
}
