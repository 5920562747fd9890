//===- LongLines.cpp - Messages at long lines -----------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See LongLines.h.
//
//===----------------------------------------------------------------------===//

#include "LongLines.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <memory>
#include <utility>

using llvm::StringRef;

namespace {

/// Lines of at most that many characters are shown whole, by MLIR.
constexpr size_t longLine = 400;
/// Characters of a long line that are shown: before the column, and in all.
constexpr size_t shownBefore = 40, shown = 96;

/// The line, counted from 1; empty if there is none.
StringRef lineOf(StringRef text, unsigned line) {
  for (unsigned i = 1; i < line; ++i)
    text = text.split('\n').second;
  return text.split('\n').first;
}

/// The location in the input; none if there is none, or its line is short.
mlir::FileLineColLoc atLongLine(mlir::Location location,
                                llvm::MemoryBufferRef input) {
  auto found = location->findInstanceOf<mlir::FileLineColLoc>();
  if (!found || found.getFilename() != input.getBufferIdentifier() ||
      lineOf(input.getBuffer(), found.getLine()).size() <= longLine)
    return {};
  return found;
}

StringRef nameOf(mlir::DiagnosticSeverity severity) {
  switch (severity) {
  case mlir::DiagnosticSeverity::Error:
    return "error";
  case mlir::DiagnosticSeverity::Warning:
    return "warning";
  case mlir::DiagnosticSeverity::Remark:
    return "remark";
  case mlir::DiagnosticSeverity::Note:
    return "note";
  }
  return "";
}

/// The location in a file that is not the input, but that it was made from: its
/// lines may be of any length, and are not shown.
bool isElsewhere(mlir::Location location, llvm::MemoryBufferRef input) {
  auto found = location->findInstanceOf<mlir::FileLineColLoc>();
  return found && found.getFilename() != input.getBufferIdentifier();
}

/// The message, and a part of the line if that is long.
void print(const mlir::Diagnostic &message, llvm::MemoryBufferRef input) {
  llvm::raw_ostream &os = llvm::errs();
  auto location = message.getLocation()->findInstanceOf<mlir::FileLineColLoc>();
  if (location)
    os << location.getFilename().getValue() << ":" << location.getLine() << ":"
       << location.getColumn() << ": ";
  os << nameOf(message.getSeverity()) << ": " << message << "\n";
  if (!atLongLine(message.getLocation(), input))
    return;
  StringRef line = lineOf(input.getBuffer(), location.getLine());
  size_t column = std::clamp<size_t>(location.getColumn(), 1, line.size()) - 1;
  size_t begin = column > shownBefore ? column - shownBefore : 0;
  StringRef part = line.substr(begin, shown);
  StringRef dots = "...";
  os << (begin > 0 ? dots : "") << part
     << (begin + shown < line.size() ? dots : "") << "\n";
  os.indent(column - begin + (begin > 0 ? dots.size() : 0)) << "^\n";
}

class LongLines : public mlir::DialectExtensionBase {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LongLines)

  /// Without names of dialects it is applied to each that is loaded.
  explicit LongLines(llvm::MemoryBufferRef input)
      : DialectExtensionBase({}), input(input) {}

  std::unique_ptr<DialectExtensionBase> clone() const final {
    return std::make_unique<LongLines>(*this);
  }

  /// The last handler is asked first. The builtin dialect is loaded before MLIR
  /// makes its own one, all others are loaded by the parser, behind it.
  void apply(mlir::MLIRContext *context,
             llvm::MutableArrayRef<mlir::Dialect *> dialects) const final {
    if (isDone || llvm::isa<mlir::BuiltinDialect>(dialects.front()))
      return;
    isDone = true;
    context->getDiagEngine().registerHandler(
        [input = input](mlir::Diagnostic &message) {
          if (!atLongLine(message.getLocation(), input) &&
              !isElsewhere(message.getLocation(), input))
            return mlir::failure(); // MLIR's handler prints it
          print(message, input);
          for (const mlir::Diagnostic &note : message.getNotes())
            print(note, input);
          return mlir::success();
        });
  }

private:
  llvm::MemoryBufferRef input;
  mutable bool isDone = false;
};

} // namespace

void soap::shortenLongLines(mlir::DialectRegistry &registry,
                            llvm::MemoryBufferRef input) {
  registry.addExtension(mlir::TypeID::get<LongLines>(),
                        std::make_unique<LongLines>(input));
}
