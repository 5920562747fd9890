//===- Agreement.cpp - What all ranks have to have alike ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Agreement.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Processes/Agreement.h"

#include <utility>

using namespace soap;
using namespace soap::runtime;

MaybeError runtime::checkSame(const Placement &placement,
                              const std::string &what,
                              const std::string &fingerprint,
                              const std::string &source) {
  if (placement.size() == 1)
    return std::nullopt;
  auto all = exchangeTexts(*placement.group, fingerprint + " " + source);
  if (!all)
    return all.takeError();
  auto split = [](const std::string &text) {
    size_t space = text.find(' ');
    return std::pair(text.substr(0, space), text.substr(space + 1));
  };
  auto [first, firstSource] = split(all->front());
  for (size_t i = 1; i < all->size(); ++i) {
    auto [other, otherSource] = split((*all)[i]);
    if (other == first)
      continue;
    std::string text = "rank " + std::to_string(i) + " has other " + what;
    text += " (" + otherSource + ", fingerprint " + other + ") than rank 0 (";
    text += firstSource + ", fingerprint " + first;
    return Error{text + "): expected the same for all ranks"};
  }
  return std::nullopt;
}
