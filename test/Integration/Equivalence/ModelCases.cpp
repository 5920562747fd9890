//===- ModelCases.cpp - The networks of soap-translate --generate ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training steps of all generators, with few channels, units and steps: every
// layer that the networks have, in their order. Images are as small as keeps
// more than one pixel in the last layers, for batch norm.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Target/Models.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cmath>

namespace soap::equivalence {

namespace {

/// Sizes of a network that are small, some of them drawn.
struct SmallModel {
  const char *name;
  int64_t minSamples, maxSamples;
  std::map<std::string, int64_t> (*options)(Random &);
};

/// Time steps in ops of some of them each.
std::map<std::string, int64_t> recurrent(Random &random) {
  int64_t length = uniform(random, 2, 4);
  return {{"length", length},
          {"lstm-chunk", uniform(random, 1, length)},
          {"layers", uniform(random, 1, 2)},
          {"hidden", uniform(random, 3, 5)},
          {"vocabulary", 7}};
}

std::map<std::string, int64_t> transformer(Random &random) {
  return {{"length", uniform(random, 2, 4)},
          {"layers", uniform(random, 1, 2)},
          {"heads", 2},
          {"head-width", uniform(random, 1, 3)},
          {"vocabulary", 7}};
}

std::map<std::string, int64_t> residual(Random &random) {
  return {{"image", 64}, {"classes", 4}, {"width", 2},
          {"stage1", 1}, {"stage2", 1},  {"stage3", uniform(random, 1, 2)},
          {"stage4", 1}};
}

/// Some places are too few, and some choices are dropped.
std::map<std::string, int64_t> mixture(Random &random) {
  std::map<std::string, int64_t> options = transformer(random);
  options["length"] = uniform(random, 3, 5);
  options["kv-heads"] = uniform(random, 1, 2);
  options["head-width"] = 2;
  options["mlp-width"] = uniform(random, 3, 5);
  options["rope-base"] = 100;
  options["experts"] = uniform(random, 2, 4);
  options["top-k"] = uniform(random, 1, 2);
  options["capacity"] = 40 * uniform(random, 0, 4);
  options["balance"] = 300;
  return options;
}

const SmallModel smallModels[] = {
    {"lenet", 2, 4,
     [](Random &random) -> std::map<std::string, int64_t> {
       return {{"image", 4 * uniform(random, 3, 5)}, {"classes", 5}};
     }},
    {"alexnet", 2, 4,
     [](Random &) -> std::map<std::string, int64_t> {
       return {{"image", 63}, {"classes", 5}, {"divide", 32}};
     }},
    {"vgg16", 2, 4,
     [](Random &) -> std::map<std::string, int64_t> {
       return {{"image", 32}, {"classes", 5}, {"divide", 32}};
     }},
    {"inception-v3", 2, 2,
     [](Random &) -> std::map<std::string, int64_t> {
       return {{"image", 107},  {"classes", 4},  {"divide", 32},
               {"a-blocks", 1}, {"c-blocks", 1}, {"e-blocks", 1}};
     }},
    {"resnet-18", 2, 3, residual},
    {"resnet-50", 2, 3, residual},
    {"resnet-101", 2, 3, residual},
    {"wide-resnet", 2, 3, residual},
    {"rnntc", 2, 4, recurrent},
    {"rnnlm", 2, 4, recurrent},
    {"nmt", 2, 4, recurrent},
    {"gpt", 2, 3, transformer},
    {"gpt3", 2, 3, transformer},
    {"bert", 2, 3, transformer},
    {"llama", 2, 3,
     [](Random &random) {
       std::map<std::string, int64_t> options = transformer(random);
       options["heads"] = 4;
       options["kv-heads"] = 1 << uniform(random, 0, 2);
       options["head-width"] = 2 * uniform(random, 1, 2);
       options["mlp-width"] = uniform(random, 3, 8);
       options["rope-base"] = 100;
       options["tied"] = uniform(random, 0, 1);
       return options;
     }},
    {"mixtral", 2, 3, mixture},
    {"deepseek", 2, 3,
     [](Random &random) {
       std::map<std::string, int64_t> options = mixture(random);
       options["layers"] = 2;
       options["dense-layers"] = uniform(random, 0, 1);
       options["expert-width"] = uniform(random, 2, 4);
       options["shared-experts"] = uniform(random, 0, 2);
       return options;
     }},
    {"vit", 2, 3,
     [](Random &random) -> std::map<std::string, int64_t> {
       return {{"image", 4 * uniform(random, 1, 2)},
               {"patch", 4},
               {"layers", uniform(random, 1, 2)},
               {"heads", 2},
               {"head-width", uniform(random, 1, 3)},
               {"mlp-width", uniform(random, 3, 8)},
               {"classes", 5}};
     }},
    {"unet", 2, 3,
     [](Random &random) -> std::map<std::string, int64_t> {
       return {{"image", 8},
               {"levels", uniform(random, 1, 2)},
               {"width", uniform(random, 2, 3)},
               {"classes", 3}};
     }},
};

/// Fills of arguments: tokens within the vocabulary, statistics that are
/// possible, weights that keep the size of what goes through a layer.
std::map<std::string, Fill> fillsOf(mlir::func::FuncOp function,
                                    int64_t vocabulary) {
  using mlir::soap::SoapDialect;
  std::map<std::string, Fill> fills;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto text = [&](llvm::StringRef key) {
      return function.getArgAttrOfType<mlir::StringAttr>(i, key).str();
    };
    std::string name = text(SoapDialect::kName);
    Fill &fill = fills[name];
    auto type =
        mlir::cast<mlir::RankedTensorType>(function.getArgumentTypes()[i]);
    if (type.getElementType().isInteger(32))
      fill = {Fill::Labels, vocabulary};
    else if (llvm::StringRef(name).ends_with(".running_var"))
      fill = {Fill::Positive, 0};
    else if (auto fan = function.getArgAttrOfType<mlir::IntegerAttr>(
                 i, SoapDialect::kFanIn))
      fill.bound = std::sqrt(6 / static_cast<double>(fan.getInt()));
  }
  return fills;
}

Case makeModel(const SmallModel &model, Random &random, int64_t minSamples,
               int64_t maxSamples) {
  Case c;
  c.name = model.name;
  c.training = drawTraining(random);
  c.maxPieces = 3;
  std::map<std::string, int64_t> options = model.options(random);
  int64_t batch = uniform(random, minSamples, maxSamples);
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::soap::generateModel(model.name, batch, options, &context);
  if (!module)
    return c; // its text does not parse
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  c.fills = fillsOf(function, options["vocabulary"]);
  bool normalizes = !function.getOps<mlir::soap::BatchNormOp>().empty();
  llvm::raw_string_ostream(c.text) << *module;
  c.tolerance = 1e-3;
  // Statistics of few pixels amplify rounding, layer after layer, until a relu
  // or a maximum switches. Measured on steps of Inception-v3: on one device,
  // f32 was 2e-7 to 0.38 from f64; strategies were up to 3e-3 from one device
  // in f32, and 6e-14 to 6e-13 in f64. So strategies are compared in f64, and
  // in f32 with data that have no such place.
  c.amplifies = normalizes;
  c.wide = normalizes && uniform(random, 0, 1);
  // Where two experts are nearly as probable, a rounding changes the choice. In
  // f64 they would have to be nearer than 1e-15.
  c.wide |= !function.getOps<mlir::soap::TopKOp>().empty();
  if (c.wide)
    c.tolerance = 1e-9;
  return c;
}

} // namespace

std::vector<Generator> modelGenerators() {
  std::vector<Generator> result;
  for (const SmallModel &model : smallModels)
    result.push_back({model.name, [&model](Random &random) {
                        return makeModel(model, random, model.minSamples,
                                         model.maxSamples);
                      }});
  return result;
}

/// Linear layers with relu and dropout between them.
static Case makePerceptron(Random &random) {
  Case c;
  c.name = "mlp";
  c.training = drawTraining(random);
  c.tolerance = 1e-3;
  FunctionText text;
  int64_t batch = uniform(random, 4, 12), width = uniform(random, 3, 8);
  Tensor x = text.arg({batch, width}, {Fill::Uniform}, "data", "f32",
                      ", soap.sample_dim = 0 : i64");
  for (int64_t layer = uniform(random, 3, 6); layer-- > 0;) {
    int64_t outputs = uniform(random, 3, 8);
    Fill small{Fill::Uniform, 0, 1 / std::sqrt(static_cast<double>(width))};
    Tensor weight = text.arg({outputs, width}, small, "parameter"),
           bias = text.arg({outputs}, small, "parameter");
    x = text.op1("matmul", {x, weight}, "transpose_b", {batch, outputs});
    x = text.op1("bias_add", {x, bias}, "axis = 1 : i64", {batch, outputs});
    if (layer > 0)
      x = uniform(random, 0, 1) ? text.op1("relu", {x}, "", {batch, outputs})
                                : text.op1("dropout", {x},
                                           "rate = 2.5e-01 : f64, seed = " +
                                               std::to_string(layer) + " : i64",
                                           {batch, outputs});
    width = outputs;
  }
  text.finish(c, {x});
  return c;
}

/// A network with batch norms over groups of samples: f64, as rounding grows.
static Case makeNormalized(const SmallModel &model, Random &random) {
  int64_t groups = uniform(random, 2, 4), samples = uniform(random, 1, 2);
  Case c = makeModel(model, random, groups * samples, groups * samples);
  c.training += " batch-norm=groups(" + std::to_string(groups) + ")";
  c.normGroups = groups;
  c.wide = true;
  c.tolerance = 1e-9;
  return c;
}

/// Metrics that go with the loss: @evaluate has ops that the step lacks.
static std::string drawMetrics(Random &random, const std::string &training) {
  if (uniform(random, 0, 1))
    return "";
  auto has = [&](const char *loss) {
    return training.find(loss) != std::string::npos;
  };
  if (has("bce-with-logits"))
    return uniform(random, 0, 1) ? " metrics=accuracy"
                                 : " metrics=mean-absolute-error";
  if (has("loss=mse") || has("loss=l1") || has("loss=huber"))
    return " metrics=mean-absolute-error";
  static const char *const ofClasses[] = {"accuracy", "top-1", "perplexity",
                                          "top-1,accuracy"};
  return " metrics=" + std::string(ofClasses[uniform(random, 0, 3)]);
}

/// A case of a pipeline: with metrics, and one of four in bf16, whose casts are
/// ops of their own. Roundings change which experts are chosen, and statistics.
static Case makePipelined(Case c, Random &random) {
  bool mayBeNarrow = !c.wide && !c.amplifies && c.normGroups == 0;
  if (mayBeNarrow && uniform(random, 0, 3) == 0)
    c = narrowCase(std::move(c), "bf16", random);
  c.training += drawMetrics(random, c.training);
  return c;
}

std::vector<Generator> pipelineGenerators() {
  std::vector<Generator> result = {{"mlp", [](Random &random) {
                                      return makePipelined(
                                          makePerceptron(random), random);
                                    }}};
  const char *const names[] = {"gpt",  "llama",   "rnnlm",    "rnntc",
                               "bert", "nmt",     "vit",      "lenet",
                               "unet", "mixtral", "deepseek", "resnet-50"};
  for (const char *name : names)
    for (const SmallModel &model : smallModels)
      if (model.name == std::string(name))
        result.push_back({name, [&model](Random &random) {
                            bool normalizes = model.options == residual ||
                                              model.name == std::string("unet");
                            return makePipelined(
                                normalizes ? makeNormalized(model, random)
                                           : makeModel(model, random, 4, 9),
                                random);
                          }});
  return result;
}

std::vector<std::string> modelsWithoutCase() {
  std::vector<std::string> names;
  for (const mlir::soap::ModelDescription &model :
       mlir::soap::modelDescriptions())
    if (std::none_of(
            std::begin(smallModels), std::end(smallModels),
            [&](const SmallModel &small) { return small.name == model.name; }))
      names.push_back(model.name);
  return names;
}

} // namespace soap::equivalence
