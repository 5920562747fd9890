//===- CheckedOptions.cpp - Options of passes, checked as text ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckedOptions.h.
//
//===----------------------------------------------------------------------===//

#include "CheckedOptions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::soap;

/// Options that are real numbers, of all passes.
static constexpr StringRef numbers[] = {"batch-norm-momentum",
                                        "beta",
                                        "beta1",
                                        "beta2",
                                        "cooling",
                                        "epsilon",
                                        "momentum",
                                        "tempering",
                                        "time-limit",
                                        "learning-rate",
                                        "weight-decay"};

/// The first option of a text, which it loses: up to a space that is in no
/// quotes and in no brackets.
static StringRef takeOption(StringRef &options) {
  options = options.ltrim();
  int depth = 0;
  char quote = 0;
  size_t end = 0;
  for (; end < options.size(); ++end) {
    char c = options[end];
    if (quote) {
      quote = c == quote ? 0 : quote;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
    } else if (depth <= 0 && llvm::isSpace(c)) {
      break;
    }
  }
  StringRef option = options.take_front(end);
  options = options.drop_front(end);
  return option;
}

LogicalResult mlir::soap::checkOptionText(StringRef options,
                                          OptionErrorHandler fail) {
  llvm::StringSet<> seen;
  while (!options.trim().empty()) {
    StringRef option = takeOption(options);
    auto [name, value] = option.split('=');
    if (name.empty())
      return fail("expected NAME=VALUE, got '" + option + "'");
    if (!seen.insert(name).second)
      return fail("option '" + name + "' is given twice");
    if (value.empty() && option.contains('=') &&
        llvm::is_contained(numbers, name))
      return fail("option '" + option + "': expected a number");
  }
  return success();
}

/// The name of an option in `NAME{one=1 two=2}` that differs from `name` in
/// fewest letters, if it is near enough for a typing error.
static StringRef nearestOption(StringRef pass, StringRef name) {
  StringRef options = pass.split('{').second.rsplit('}').first, nearest;
  unsigned least = std::max<unsigned>(2, name.size() / 3) + 1;
  while (!options.trim().empty()) {
    StringRef other = takeOption(options).split('=').first;
    unsigned distance = name.edit_distance(other);
    if (distance < least && distance + 1 < other.size()) {
      least = distance;
      nearest = other;
    }
  }
  return nearest;
}

std::string mlir::soap::describeOptionError(const Twine &message,
                                            StringRef pass) {
  std::string text = message.str();
  StringRef rest = StringRef(text).trim();
  rest.consume_front("<Pass-Options-Parser>: ");
  // Bad values are told when they are parsed.
  if (rest.empty())
    return "bad value of an option, docs/Passes.md has them all";
  StringRef unknown = rest;
  if (unknown.consume_front("no such option "))
    if (StringRef nearest = nearestOption(pass, unknown); !nearest.empty())
      return (rest + ", did you mean '" + nearest + "'?").str();
  return rest.str();
}

std::string mlir::soap::optionNumber(double value) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%g", value);
  return text;
}
