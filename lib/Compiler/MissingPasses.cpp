//===- MissingPasses.cpp - The rest of the pipeline -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MissingPasses.h.
//
//===----------------------------------------------------------------------===//

#include "MissingPasses.h"

#include "Soap/Dialect/Soap/SoapOps.h"

using namespace mlir;
using namespace mlir::soap;

std::string mlir::soap::missingPasses(ModuleOp module,
                                      const SoapCompileOptions &options) {
  std::string lower = options.reference
                          ? "soap-lower-to-cpu{library=none fuse=false}"
                          : "soap-lower-to-cpu";
  if (module->hasAttr(SoapDialect::kManifest))
    return "";
  if (module->hasAttr(SoapDialect::kPrograms))
    return lower;
  bool configured = false;
  module.walk([&](IterationSpaceOpInterface op) {
    configured |= op->hasAttr(SoapDialect::kConfig);
  });
  std::string passes;
  if (!configured || options.strategy || options.preset) {
    if (options.reference && !options.strategy && !options.preset &&
        !options.topology)
      return lower; // the unsharded program
    std::string strategy =
        options.strategy ? std::string("strategy=") + options.strategy
                         : std::string("preset=") +
                               (options.preset ? options.preset : "single");
    std::string topology = options.topology ? options.topology
                           : module->hasAttr(SoapDialect::kTopology) ? ""
                                                                     : "cpu-1";
    passes = "soap-apply-strategy{" + strategy +
             (topology.empty() ? "" : " topology=" + topology) + "},";
  }
  // Lowering begins with all ops in place.
  return passes + "soap-partition{outline-tasks=0}," + lower;
}
