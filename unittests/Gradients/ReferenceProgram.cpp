//===- ReferenceProgram.cpp - Runs functions by their reference lowering --===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ReferenceProgram.h.
//
//===----------------------------------------------------------------------===//

#include "ReferenceProgram.h"

#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/SoapDialect.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>

using namespace mlir;
using mlir::soap::SoapDialect;

namespace soap_test {

Context::Context() {
  DialectRegistry registry;
  registry.insert<SoapDialect, func::FuncDialect>();
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();
  context.disableMultithreading();
  handler = std::make_unique<ScopedDiagnosticHandler>(
      &context, [this](Diagnostic &diagnostic) {
        messages += diagnostic.str() + "\n";
        return success();
      });
}

OwningOpRef<ModuleOp> Context::parse(StringRef text) {
  return parseSourceString<ModuleOp>(text, &context);
}

/// Programs of one device call these two runtime functions only, and both only
/// watch.
static void doNothing(void *, int64_t) {}
static void *resolve(const char *name) {
  if (!std::strcmp(name, "soap_rt_task_begin") ||
      !std::strcmp(name, "soap_rt_task_end"))
    return reinterpret_cast<void *>(&doNothing);
  return nullptr;
}

ReferenceProgram::Tensor ReferenceProgram::describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  return {tensor.getNumElements(), element.isF64()   ? Tensor::F64
                                   : element.isF32() ? Tensor::F32
                                                     : Tensor::I32};
}

std::unique_ptr<ReferenceProgram> ReferenceProgram::compile(ModuleOp source) {
  OwningOpRef<ModuleOp> module = source.clone();
  std::unique_ptr<ReferenceProgram> program(new ReferenceProgram);
  for (func::FuncOp function : module->getOps<func::FuncOp>()) {
    Function &entry = program->functions[function.getName().str()];
    for (Type type : function.getArgumentTypes())
      entry.arguments.push_back(describe(type));
    for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
      entry.results.push_back(describe(type));
      if (auto updates = function.getResultAttrOfType<IntegerAttr>(
              i, SoapDialect::kUpdates))
        entry.results.back().updates = updates.getInt();
    }
  }
  PassManager manager(module->getContext(), "builtin.module");
  mlir::soap::LowerToCpuOptions options;
  options.library = "none";
  options.fuse = false;
  mlir::soap::buildLowerToCpuPipeline(manager, options);
  if (failed(manager.run(*module)))
    return nullptr;
  auto code = mlir::soap::JITModule::create(*module, resolve, /*optLevel=*/0);
  if (failed(code))
    return nullptr;
  program->code = std::move(*code);
  auto manifest = nlohmann::json::parse(program->code->manifest().str());
  for (const auto &entry : manifest["entries"]) {
    Function &function =
        program->functions.at(entry["name"].get<std::string>());
    const auto &rank = entry["ranks"][0];
    function.arenaBytes = rank["arena_bytes"];
    function.address =
        program->code->lookup(rank["program"].get<std::string>());
    if (!function.address)
      return nullptr;
  }
  return program;
}

std::vector<Values>
ReferenceProgram::run(StringRef name,
                      const std::vector<Values> &arguments) const {
  const Function &function = functions.at(name.str());
  std::vector<std::unique_ptr<void, decltype(&std::free)>> memory;
  auto allocate = [&](int64_t bytes) {
    int64_t size = (std::max<int64_t>(bytes, 1) + 63) / 64 * 64;
    memory.emplace_back(std::aligned_alloc(64, size), &std::free);
    // NaN: a read of memory that was not written is found.
    std::memset(memory.back().get(), 0xff, size);
    return memory.back().get();
  };
  auto visit = [](const Tensor &tensor, void *data, auto &&element) {
    for (int64_t i = 0; i < tensor.elements; ++i)
      if (tensor.type == Tensor::F64)
        element(i, static_cast<double *>(data)[i]);
      else if (tensor.type == Tensor::F32)
        element(i, static_cast<float *>(data)[i]);
      else
        element(i, static_cast<int32_t *>(data)[i]);
  };
  std::vector<void *> pointers;
  for (auto [tensor, values] : llvm::zip_equal(function.arguments, arguments)) {
    pointers.push_back(allocate(tensor.elements * 8));
    visit(tensor, pointers.back(),
          [&](int64_t i, auto &element) { element = values[i]; });
  }
  std::vector<void *> resultPointers;
  for (const Tensor &tensor : function.results) {
    if (tensor.updates >= 0) {
      resultPointers.push_back(pointers[tensor.updates]);
      continue;
    }
    resultPointers.push_back(allocate(tensor.elements * 8));
  }
  for (auto [tensor, pointer] :
       llvm::zip_equal(function.results, resultPointers))
    if (tensor.updates < 0)
      pointers.push_back(pointer);
  using Program = void (*)(void *, void **, void *);
  reinterpret_cast<Program>(function.address)(nullptr, pointers.data(),
                                              allocate(function.arenaBytes));
  std::vector<Values> results;
  for (auto [tensor, pointer] :
       llvm::zip_equal(function.results, resultPointers)) {
    Values &values = results.emplace_back(tensor.elements);
    visit(tensor, pointer,
          [&](int64_t i, auto &element) { values[i] = element; });
  }
  return results;
}

} // namespace soap_test
