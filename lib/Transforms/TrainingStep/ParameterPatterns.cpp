//===- ParameterPatterns.cpp - Parameters by name -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ParameterPatterns.h.
//
//===----------------------------------------------------------------------===//

#include "ParameterPatterns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;

LogicalResult ParameterPatterns::add(StringRef option, StringRef pattern,
                                     double value, Fail fail) {
  llvm::Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(pattern);
  if (!glob)
    return fail(option + ": '" + pattern +
                "' is no pattern: " + llvm::toString(glob.takeError()));
  entries.push_back({option.str(), pattern.str(), std::move(*glob), value});
  return success();
}

LogicalResult ParameterPatterns::addWithValue(StringRef option, StringRef text,
                                              Fail fail) {
  auto [pattern, number] = text.rsplit('=');
  double value = 0;
  if (pattern.empty() || number.getAsDouble(value) || !(value >= 0) ||
      !std::isfinite(value))
    return fail(option +
                ": expected PATTERN=VALUE with a finite number of at "
                "least 0, got '" +
                text + "'");
  return add(option, pattern, value, fail);
}

std::optional<double> ParameterPatterns::find(StringRef name) const {
  for (const Entry &entry : entries)
    if (entry.pattern.match(name))
      return entry.value;
  return std::nullopt;
}

LogicalResult ParameterPatterns::checkUsed(ArrayRef<StringRef> names,
                                           Fail fail) const {
  for (const Entry &entry : entries)
    if (llvm::none_of(
            names, [&](StringRef name) { return entry.pattern.match(name); })) {
      std::string known;
      for (StringRef name : names.take_front(8))
        known += (known.empty() ? "'" : ", '") + name.str() + "'";
      if (names.size() > 8)
        known += ", ...";
      return fail(entry.option + ": '" + entry.text +
                  "' matches no parameter: there are " + known);
    }
  return success();
}
