/* Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * train MODEL.onnx WEIGHTS.safetensors: finds a strategy for four devices and
 * trains on images whose class is the row that is bright.
 */
#include "Soap-c/Module.h"
#include "Soap-c/Session.h"
#include "Soap-c/Support.h"

#include <stdio.h>

enum { BATCH = 64, ROWS = 28, PIXELS = 28 * 28, CLASSES = 10, STEPS = 60 };

static void printDiagnostic(SoapSeverity severity, const char *text,
                            size_t length, void *user) {
  (void)user;
  if (severity == SOAP_ERROR || severity == SOAP_WARNING)
    fprintf(stderr, "train: %.*s\n", (int)length, text);
}

/* A call has failed: the context says why. */
static int fail(SoapContext context) {
  soapContextDiagnostics(context, printDiagnostic, NULL);
  return 1;
}

static void ignore(const char *text, size_t length, void *user) {
  (void)text;
  (void)length;
  (void)user;
}

static void makeBatch(int step, float *images, int32_t *labels) {
  int n, i;
  for (n = 0; n < BATCH; ++n) {
    labels[n] = (n * 7 + step) % CLASSES;
    for (i = 0; i < PIXELS; ++i)
      images[n * PIXELS + i] = i / ROWS == 2 * labels[n] + 4 ? 1.0f : 0.0f;
  }
}

static int train(SoapContext context, SoapSession session, const char *path) {
  static float images[BATCH * PIXELS];
  static int32_t labels[BATCH];
  static const int64_t imageShape[] = {BATCH, 1, ROWS, ROWS};
  static const int64_t labelShape[] = {BATCH};
  float loss;
  int step;
  if (soapSessionInitialize(session, NULL, 1) != SOAP_SUCCESS)
    return fail(context);
  for (step = 0; step < STEPS; ++step) {
    makeBatch(step, images, labels);
    if (soapSessionSet(session, "image", SOAP_ELEMENT_F32, imageShape, 4,
                       images) != SOAP_SUCCESS ||
        soapSessionSet(session, "label", SOAP_ELEMENT_I32, labelShape, 1,
                       labels) != SOAP_SUCCESS ||
        soapSessionRun(session, "train_step") != SOAP_SUCCESS ||
        soapSessionResult(session, "train_step", "loss", &loss, sizeof(loss)) !=
            SOAP_SUCCESS)
      return fail(context);
    if (step % 20 == 0 || step + 1 == STEPS)
      printf("iteration %d: loss %.4f\n", step + 1, (double)loss);
  }
  if (soapSessionSave(session, path, 0) != SOAP_SUCCESS)
    return fail(context);
  return 0;
}

int main(int argc, char **argv) {
  SoapContext context;
  SoapIRModule module;
  SoapSession session = {NULL};
  int status = 1;
  if (argc != 3) {
    fprintf(stderr, "train: expected MODEL.onnx and WEIGHTS.safetensors\n");
    return 2;
  }
  context = soapContextCreate();
  module = soapIRModuleImportONNX(context, argv[1], NULL, 0);

  /* The passes of soap-opt, by their names: docs/Passes.md. */
  if (module.ptr &&
      soapIRModuleRunPasses(module, "soap-build-training-step{optimizer=sgd "
                                    "learning-rate=0.002 momentum=0.9}") ==
          SOAP_SUCCESS &&
      soapIRModuleSearch(module, "topology=cpu-4 seed=1 proposals=200", ignore,
                         NULL) == SOAP_SUCCESS)
    session = soapSessionCompile(module, NULL);
  if (!session.ptr)
    fail(context);
  if (module.ptr)
    soapIRModuleDestroy(module);
  if (session.ptr) {
    status = train(context, session, argv[2]);
    soapSessionDestroy(session);
  }
  soapContextDestroy(context);
  return status;
}
