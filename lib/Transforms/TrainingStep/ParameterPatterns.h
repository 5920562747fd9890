//===- ParameterPatterns.h - Parameters by name -----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options that name parameters by patterns. A pattern that names none is a
// mistake of the user, and an error.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TRANSFORMS_TRAININGSTEP_PARAMETERPATTERNS_H
#define SOAP_LIB_TRANSFORMS_TRAININGSTEP_PARAMETERPATTERNS_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <optional>
#include <string>

namespace mlir::soap {

class ParameterPatterns {
public:
  /// Reports an error, and gives failure.
  using Fail = llvm::function_ref<LogicalResult(const Twine &)>;

  /// Adds a pattern: `*` stands for any text, `?` for any character, `[a-z]`
  /// for one of these. `option` is for messages.
  LogicalResult add(StringRef option, StringRef pattern, double value,
                    Fail fail);
  /// Adds "PATTERN=VALUE"; the value is a finite number of at least 0.
  LogicalResult addWithValue(StringRef option, StringRef text, Fail fail);

  /// The value of the first pattern that matches, nothing if none does.
  std::optional<double> find(StringRef name) const;

  /// Fails if a pattern matches none of the names.
  LogicalResult checkUsed(ArrayRef<StringRef> names, Fail fail) const;

private:
  struct Entry {
    std::string option, text;
    llvm::GlobPattern pattern;
    double value;
  };
  std::vector<Entry> entries;
};

} // namespace mlir::soap

#endif // SOAP_LIB_TRANSFORMS_TRAININGSTEP_PARAMETERPATTERNS_H
