//===- FuzzText.cpp - Fuzz target: text as tokens ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens lie in the text, in order; numbers are in the vocabulary.
//
//===----------------------------------------------------------------------===//

#include "Fuzz.h"
#include "Runtime/Data/Text.h"

using namespace soap;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text = fuzz::view(data, size);
  const char *at = text.data();
  for (std::string_view token :
       runtime::tokenize(text, runtime::TextLevel::Word)) {
    fuzz::require(!token.empty(), "an empty token");
    if (token == "\n")
      continue;
    fuzz::require(token.data() >= at &&
                      token.data() + token.size() <= text.data() + size,
                  "a token is out of place");
    at = token.data() + token.size();
  }
  for (auto level : {runtime::TextLevel::Word, runtime::TextLevel::Byte}) {
    runtime::Vocabulary vocabulary(text.substr(0, size / 2), level, 20);
    for (int32_t number : vocabulary.encode(text))
      fuzz::require(number >= 0 && number < vocabulary.size(),
                    "a number is not in the vocabulary");
  }
  return 0;
}
