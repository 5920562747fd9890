//===- Text.h - From text to token numbers ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vocabulary is built from the training part of a text alone, so that the
// test part stays unseen. Number 0 is the unknown token; the others follow by
// falling frequency, ties by their bytes, so equal texts give equal numbers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_DATA_TEXT_H
#define SOAP_LIB_RUNTIME_DATA_TEXT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace soap::runtime {

enum class TextLevel { Word, Byte };

/// Word level: runs of letters, digits, '_' and bytes above 127 (so UTF-8
/// words stay whole) that are no UTF-8 punctuation, with apostrophes inside;
/// any other character alone; white space with an empty line in it is one token
/// "\n", other white space none. Byte level: every byte. The tokens point into
/// the text.
std::vector<std::string_view> tokenize(std::string_view text, TextLevel level);

class Vocabulary {
public:
  /// At most `limit` tokens, the unknown one included. Byte level with a limit
  /// of 256 or more numbers bytes by their value.
  Vocabulary(std::string_view training, TextLevel level, int64_t limit);

  std::vector<int32_t> encode(std::string_view text) const;
  /// The text of a token; "<unk>" for 0 unless bytes are numbered by value.
  const std::string &token(int32_t number) const {
    return tokens[size_t(number)];
  }
  int64_t size() const { return int64_t(tokens.size()); }
  /// Token 0 is the unknown one.
  bool hasUnknown() const { return unknown; }

private:
  TextLevel level;
  bool unknown = true;
  std::vector<std::string> tokens;
  std::unordered_map<std::string, int32_t> numbers;
};

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_DATA_TEXT_H
