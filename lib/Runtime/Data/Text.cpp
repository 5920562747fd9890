//===- Text.cpp - From text to token numbers ------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Text.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Data/Text.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

namespace {

bool isSpace(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' ||
         c == '\v';
}

bool isWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_' || (unsigned char)c >= 0x80;
}

/// Bytes of a punctuation mark beyond ASCII at a place, 0 if there is none:
/// quotation marks, dashes, bullets (U+2010 to U+206F), and signs such as
/// guillemets (U+00A1 to U+00BF without the letters ª, µ and º).
size_t markAt(std::string_view text, size_t at) {
  auto byte = [&](size_t i) {
    return at + i < text.size() ? (unsigned char)text[at + i] : 0;
  };
  if (byte(0) == 0xc2)
    return byte(1) > 0xa0 && byte(1) <= 0xbf && byte(1) != 0xaa &&
                   byte(1) != 0xb5 && byte(1) != 0xba
               ? 2
               : 0;
  bool general = byte(0) == 0xe2 && ((byte(1) == 0x80 && byte(2) >= 0x90) ||
                                     (byte(1) == 0x81 && byte(2) >= 0x80));
  return general && byte(2) < (byte(1) == 0x80 ? 0xc0 : 0xb0) ? 3 : 0;
}

std::vector<std::string_view> words(std::string_view text) {
  static constexpr std::string_view paragraph = "\n";
  std::vector<std::string_view> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t begin = i;
    if (isSpace(text[i])) {
      int lines = 0;
      for (; i < text.size() && isSpace(text[i]); ++i)
        lines += text[i] == '\n';
      if (lines > 1)
        tokens.push_back(paragraph);
      continue;
    }
    auto isLetter = [&](size_t at) {
      return at < text.size() && isWord(text[at]) && !markAt(text, at);
    };
    if (isLetter(i))
      while (isLetter(i) ||
             (i < text.size() && text[i] == '\'' && isLetter(i + 1)))
        ++i;
    else
      i += std::max<size_t>(1, markAt(text, i));
    tokens.push_back(text.substr(begin, i - begin));
  }
  return tokens;
}

} // namespace

std::vector<std::string_view> runtime::tokenize(std::string_view text,
                                                TextLevel level) {
  if (level == TextLevel::Word)
    return words(text);
  std::vector<std::string_view> tokens;
  tokens.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i)
    tokens.push_back(text.substr(i, 1));
  return tokens;
}

Vocabulary::Vocabulary(std::string_view training, TextLevel level,
                       int64_t limit)
    : level(level) {
  if (level == TextLevel::Byte && limit >= 256) {
    unknown = false;
    for (int i = 0; i < 256; ++i)
      tokens.push_back(std::string(1, char(i)));
  } else {
    std::unordered_map<std::string_view, int64_t> counts;
    for (std::string_view token : tokenize(training, level))
      ++counts[token];
    std::vector<std::pair<std::string_view, int64_t>> order(counts.begin(),
                                                            counts.end());
    std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
      return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    tokens.push_back("<unk>");
    for (const auto &[token, count] : order) {
      if (int64_t(tokens.size()) >= limit)
        break;
      tokens.push_back(std::string(token));
    }
  }
  for (size_t i = unknown; i < tokens.size(); ++i)
    numbers.emplace(tokens[i], int32_t(i));
}

std::vector<int32_t> Vocabulary::encode(std::string_view text) const {
  std::vector<int32_t> result;
  std::string key;
  for (std::string_view token : tokenize(text, level)) {
    key = token;
    auto it = numbers.find(key);
    result.push_back(it == numbers.end() ? 0 : it->second);
  }
  return result;
}
