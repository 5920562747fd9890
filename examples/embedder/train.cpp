// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// train STEP.mlir PRESET: trains a model on the numbers of this program.
#include "Soap/ABI/Compiler.h"
#include "Soap/Embed.h"

#include <cstdio>
#include <random>

using namespace soap::runtime;

static int fail(const std::string &message) {
  std::fprintf(stderr, "train: %s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc != 3)
    return fail("expected a training step and a preset");

  // From IR to one program per device, under a strategy.
  SoapCompileOptions options{};
  options.topology = "cpu-4";
  options.preset = argv[2];
  options.optLevel = 2;
  options.resolve = resolveSymbol;
  options.diagnostic = [](void *, const char *message) {
    std::fprintf(stderr, "%s\n", message);
  };
  SoapModule *compiled = soapCompileFile(argv[1], &options);
  if (!compiled)
    return 1;
  std::shared_ptr<SoapModule> module(compiled, soapModuleFree);
  auto symbol = [module](const std::string &name) {
    return soapModuleSymbol(module.get(), name.c_str());
  };
  auto manifest = parseManifest(soapModuleManifest(module.get()), argv[1]);
  if (!manifest)
    return fail(manifest.error());

  // Devices are threads; they get the programs, memory for their tiles, and
  // first values.
  ProgramSource source;
  source.manifest = std::make_shared<const Manifest>(std::move(*manifest));
  source.program = [symbol](const std::string &name) {
    return SoapProgram(symbol(name));
  };
  source.data = symbol;
  auto session = Session::create(source, LauncherOptions());
  if (!session)
    return fail(session.error());
  TensorStore &tensors = (*session)->tensors();
  if (auto error = initialize((*session)->manifest(), tensors, "", /*seed=*/1))
    return fail(error->message);

  auto step = (*session)->entry("train_step");
  if (!step)
    return fail(step.error());
  auto x = (*session)->argument(*step, TensorKind::Data),
       label = (*session)->argument(*step, TensorKind::Label);
  auto loss = (*session)->resultOf(*step, TensorKind::Loss);
  if (!x || !label || !loss)
    return fail("the training step has not one input, one label and a loss");

  // Samples of four numbers; the class says which of the first two is larger.
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int i = 1; i <= 200; ++i) {
    HostTensor &data = tensors.host(*x), &classes = tensors.host(*label);
    for (int64_t k = 0; k < data.volume(); ++k)
      data.set(k, number(random));
    for (int64_t n = 0; n < classes.volume(); ++n)
      classes.set(n, data.at(4 * n) < data.at(4 * n + 1));
    tensors.hostWritten(*x);
    tensors.hostWritten(*label);
    if (auto error = (*session)->run(*step))
      return fail(error->message);
    if (i % 50 == 0)
      std::printf("step %d: loss %.4f\n", i, *(*session)->scalar(*step, *loss));
  }
}
