//===- Models.cpp - Networks by name --------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of generators, and the checks of what was asked for.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "mlir/IR/Verifier.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::models;

static const std::vector<Generator> &generators() {
  static const std::vector<Generator> table = [] {
    std::vector<Generator> result;
    addImageModels(result);
    addInception(result);
    addResNets(result);
    addRecurrentModels(result);
    addTransformers(result);
    addLlama(result);
    addMixtures(result);
    addVisionTransformers(result);
    addUNet(result);
    return result;
  }();
  return table;
}

const std::vector<ModelDescription> &mlir::soap::modelDescriptions() {
  static const std::vector<ModelDescription> descriptions = [] {
    std::vector<ModelDescription> result;
    for (const Generator &generator : generators())
      result.push_back(generator.description);
    return result;
  }();
  return descriptions;
}

/// `a, b or c`.
template <typename Range, typename Name>
static std::string alternatives(const Range &entries, Name name) {
  std::string text;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (i > 0)
      text += i + 1 == entries.size() ? " or " : ", ";
    text += name(entries[i]);
  }
  return text;
}

/// The generator of this name; null if there is none.
static const Generator *findGenerator(StringRef name) {
  for (const Generator &generator : generators())
    if (generator.description.name == name)
      return &generator;
  return nullptr;
}

OwningOpRef<ModuleOp>
mlir::soap::generateModel(StringRef name, int64_t batch,
                          const std::map<std::string, int64_t> &options,
                          MLIRContext *context, StringRef preset) {
  context->loadDialect<SoapDialect, func::FuncDialect>();
  Location loc = UnknownLoc::get(context);
  const Generator *generator = findGenerator(name);
  if (!generator && preset.empty()) {
    // `llama-70b` is the preset `70b` of `llama`.
    auto [model, size] = name.rsplit('-');
    generator = findGenerator(model);
    if (generator && !size.empty() && !generator->description.presets.empty()) {
      name = model;
      preset = size;
    } else {
      generator = nullptr;
    }
  }
  if (!generator) {
    emitError(loc) << "unknown model '" << name << "', expected "
                   << alternatives(generators(), [](const Generator &g) {
                        return g.description.name;
                      });
    return nullptr;
  }
  const ModelDescription &description = generator->description;
  constexpr int64_t maxSamples = 1 << 24;
  if (batch < 0 || batch > maxSamples) {
    emitError(loc) << "batch " << batch << ": expected 1 to " << maxSamples;
    return nullptr;
  }
  Sizes sizes;
  sizes.batch = batch > 0 ? batch : description.batch;
  for (const ModelOption &option : description.options)
    sizes.values[option.name] = option.value;
  if (!preset.empty()) {
    const std::vector<ModelPreset> &presets = description.presets;
    auto chosen = llvm::find_if(
        presets, [&](const ModelPreset &p) { return p.name == preset; });
    if (chosen == presets.end()) {
      InFlightDiagnostic diagnostic = emitError(loc)
                                      << "model '" << name
                                      << "' has no preset '" << preset << "'";
      if (!presets.empty())
        diagnostic << ", expected "
                   << alternatives(presets,
                                   [](const ModelPreset &p) { return p.name; });
      return nullptr;
    }
    for (const auto &[key, value] : chosen->values)
      sizes.values[key] = value;
  }
  for (const auto &[key, value] : options) {
    auto option = llvm::find_if(description.options, [&](const ModelOption &o) {
      return o.name == key;
    });
    if (option == description.options.end()) {
      emitError(loc) << "model '" << name << "' has no option '" << key
                     << "', expected "
                     << alternatives(
                            description.options,
                            [](const ModelOption &o) { return o.name; });
      return nullptr;
    }
    if (value < option->smallest || value > option->largest) {
      emitError(loc) << "option '" << key << "' of model '" << name
                     << "': expected " << option->smallest << " to "
                     << option->largest << ", got " << value;
      return nullptr;
    }
    sizes.values[key] = value;
  }
  for (const ModelOption &option : description.options) {
    if (option.limit.empty() || sizes[option.limit] >= sizes[option.name])
      continue;
    if (options.count(option.name)) {
      emitError(loc) << "option '" << option.name << "' of model '" << name
                     << "': expected " << option.smallest << " to "
                     << sizes[option.limit] << ", the option '" << option.limit
                     << "', got " << sizes[option.name];
      return nullptr;
    }
    sizes.values[option.name] = sizes[option.limit];
  }
  if (std::string fault = generator->check ? generator->check(sizes) : "";
      !fault.empty()) {
    emitError(loc) << "model '" << name << "': " << fault;
    return nullptr;
  }
  OwningOpRef<ModuleOp> module = generator->build(sizes, context);
  module->setSymName(name);
  // The limit of 64-bit byte counts of sums over the model.
  constexpr double maxElements = 1e15;
  auto isTooLarge = [&](Operation *op) {
    return llvm::any_of(op->getResultTypes(), [&](Type type) {
      double elements = 1;
      for (int64_t extent : cast<RankedTensorType>(type).getShape())
        elements *= static_cast<double>(extent);
      return elements > maxElements;
    });
  };
  WalkResult checked = module->walk([&](Operation *op) {
    auto opName = op->getAttrOfType<StringAttr>(SoapDialect::kName);
    if (!opName || !isTooLarge(op))
      return WalkResult::advance();
    emitError(loc) << opName << " has too many elements";
    return WalkResult::interrupt();
  });
  return checked.wasInterrupted() ? nullptr : std::move(module);
}
