//===- SourceFile.cpp - Files of IR that tools read -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See SourceFile.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Transforms/SourceFile.h"

#include "Soap/Support/InputFile.h"

#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

#include <unistd.h>

using namespace mlir;

/// Whether a file is binary, but not MLIR's bytecode: the parser would only
/// find fault with some character, and print it.
static bool isForeign(StringRef text) {
  return !text.starts_with("ML\xEFR") &&
         llvm::any_of(text.take_front(512), [](unsigned char c) {
           return c < '\t' || (c > '\r' && c < ' ');
         });
}

/// The field of an ONNX model with the version of the IR, then a field with a
/// length.
static bool isOnnx(StringRef text) {
  return text.size() > 2 && text[0] == 0x08 && text[1] > 0 && text[1] < 0x20 &&
         (text[2] & 7) == 2;
}

/// Nothing, and an error, if what was read is no IR.
static std::unique_ptr<llvm::MemoryBuffer>
checkIsSource(std::unique_ptr<llvm::MemoryBuffer> buffer, StringRef path,
              std::string &error) {
  StringRef text = buffer->getBuffer();
  if (!isForeign(text))
    return buffer;
  error = path.str() + ": expected IR, got ";
  error += isOnnx(text) ? "an ONNX model; import it: soap-translate "
                          "--import-onnx " +
                              path.str() + " -o model.mlir"
           : text.starts_with("SOAPX") ? "an artifact, which soap-run runs"
                                       : "another binary file";
  return nullptr;
}

std::unique_ptr<llvm::MemoryBuffer>
mlir::soap::openSourceFile(StringRef path, std::string &error) {
  uint64_t size = 0;
  if (path != "-" && !::soap::specialKind(path.str()) &&
      !llvm::sys::fs::file_size(path, size)) {
    if (auto tooLarge =
            ::soap::checkInputSize(path.str(), static_cast<int64_t>(size))) {
      error = tooLarge->message;
      return nullptr;
    }
    // Large files are mapped.
    auto file = llvm::MemoryBuffer::getFile(path);
    if (file)
      return checkIsSource(std::move(*file), path, error);
    error = path.str() + ": cannot open: " + file.getError().message();
    return nullptr;
  }
  ::soap::Expected<std::string> text =
      path == "-" ? ::soap::readDescriptor(STDIN_FILENO, "standard input",
                                           ::soap::inputLimits().pipeBytes)
                  : ::soap::readFile(path.str());
  if (text)
    return checkIsSource(llvm::MemoryBuffer::getMemBufferCopy(
                             *text, path == "-" ? "<stdin>" : path),
                         path == "-" ? "standard input" : path, error);
  error = text.error();
  return nullptr;
}

static constexpr std::pair<StringRef, StringRef> imports[] = {
    {"stablehlo", "'soap-translate --import-stablehlo' reads it in MLIR's "
                  "generic form (docs/StableHLO.md)"},
    {"tosa", "passes of MLIR make linalg of it, which is a model "
             "(docs/Linalg.md)"},
    {"torch", "torch-mlir makes linalg on tensors of it, which is a model "
              "(docs/Linalg.md)"}};

StringRef mlir::soap::describeImportOf(StringRef dialect) {
  for (auto [name, text] : imports)
    if (name == dialect)
      return text;
  return {};
}

std::string mlir::soap::noteOnForeignText(StringRef text,
                                          const DialectRegistry &registry) {
  constexpr size_t beginning = size_t(1) << 20;
  for (auto [name, how] : imports)
    for (StringRef before : {" ", "\""})
      if (!registry.getDialectAllocator(name) &&
          text.take_front(beginning).contains((before + name + ".").str()))
        return ("the file has ops of " + name + ": " + how).str();
  return {};
}

OwningOpRef<ModuleOp> mlir::soap::parseModuleFile(StringRef path,
                                                  MLIRContext *context) {
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = openSourceFile(path, error);
  if (!buffer) {
    emitError(UnknownLoc::get(context)) << error;
    return nullptr;
  }
  llvm::SourceMgr sources;
  StringRef text = buffer->getBuffer();
  sources.AddNewSourceBuffer(std::move(buffer), SMLoc());
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, context);
  if (!module)
    if (std::string note =
            noteOnForeignText(text, context->getDialectRegistry());
        !note.empty())
      emitRemark(FileLineColLoc::get(context, path, 1, 1)) << note;
  return module;
}
