//===- Translation.h - A translation of soap-translate ----------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One entry of the tool's table: a flag and what it does. Each translation is a
// file of its own with its options.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_TOOLS_SOAP_TRANSLATE_TRANSLATION_H
#define SOAP_TOOLS_SOAP_TRANSLATE_TRANSLATION_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::soap {

struct Translation {
  /// The option that chooses it, by being given.
  llvm::cl::Option &flag;
  /// Its other options.
  llvm::cl::OptionCategory &category;
  /// False after a message: the options contradict each other or are malformed
  /// (exit status 2).
  bool (*checkOptions)();
  /// Failure after a diagnostic (exit status 1).
  LogicalResult (*run)(StringRef input, llvm::raw_ostream &output,
                       MLIRContext &context);
  /// Whether it reads FILE.
  bool readsFile = true;
};

/// The options of soap-translate, as --help shows them.
llvm::cl::OptionCategory &translateCategory();

Translation importONNXTranslation();
Translation importStableHLOTranslation();
Translation exportShardyTranslation();
Translation emitArtifactTranslation();
Translation updateONNXTranslation();
Translation describeTopologyTranslation();
Translation generateModelTranslation();
Translation listModelsTranslation();
Translation strategyToSvgTranslation();
Translation strategyToJsonTranslation();

/// --batch: the number of samples, 0 if it was not given. Checked by
/// `checkBatch`, with a message.
int64_t batchOption();
bool checkBatch();

} // namespace mlir::soap

#endif // SOAP_TOOLS_SOAP_TRANSLATE_TRANSLATION_H
