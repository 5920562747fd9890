//===- HybridCheckpointFile.cpp - Hybrid searches go on later -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See HybridCheckpointFile.h.
//
//===----------------------------------------------------------------------===//

#include "HybridCheckpointFile.h"

#include "Transforms/Support/CheckpointFile.h"

#include "Soap/Search/Hierarchical/HybridCheckpoint.h"

using namespace mlir;
using namespace mlir::soap;

LogicalResult mlir::soap::useCheckpoint(const FunctionProblem &target,
                                        ::soap::HybridModel &model,
                                        const std::string &file,
                                        int64_t pauseAfter,
                                        ::soap::HybridRecord &record,
                                        ::soap::HierarchicalOptions &options) {
  if (file.empty())
    return success();
  func::FuncOp function = target.function;
  auto module = function->getParentOfType<ModuleOp>();
  FailureOr<std::optional<std::string>> text = readCheckpoint(module, file);
  if (failed(text))
    return failure();
  if (*text) {
    ::soap::Expected<::soap::HybridRecord> read = ::soap::parseHybridCheckpoint(
        **text, file, *target.problem, model, options);
    if (!read)
      return module.emitError() << read.error();
    record = std::move(*read);
  }
  record.pauseAfter = pauseAfter;
  record.write = [&problem = *target.problem, &model, module, file,
                  options](const ::soap::HybridRecord &of) {
    writeCheckpoint(module, file,
                    ::soap::printHybridCheckpoint(problem, model, options, of));
  };
  options.record = &record;
  return success();
}
