//===- NumberSequence.cpp - Lists of integers, repeats written once -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NumberSequence.h.
//
//===----------------------------------------------------------------------===//

#include "Support/NumberSequence.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <optional>
#include <unordered_map>

using namespace soap;

namespace {

/// A part of the list that is an earlier part plus `step`.
struct Repeat {
  size_t count = 0, back = 0;
  int64_t step = 0;

  std::string text() const {
    std::string text = std::to_string(count) + "x" + std::to_string(back);
    if (step > 0)
      text += "+";
    return step == 0 ? text : text + std::to_string(step);
  }
};

class Printer {
public:
  explicit Printer(const std::vector<int64_t> &values) : values(values) {
    for (int64_t value : values)
      lengths.push_back(lengths.back() + std::to_string(value).size() + 1);
  }

  std::string run() {
    std::string text;
    for (size_t at = 0; at < values.size();) {
      Repeat repeat = bestAt(at);
      words.push_back(at);
      size_t count = std::max<size_t>(repeat.count, 1);
      if (!text.empty())
        text += ' ';
      text += repeat.count ? repeat.text() : std::to_string(values[at]);
      for (size_t end = at + count; at < end; ++at)
        if (std::optional<uint64_t> key = changesAt(at))
          lastAt[*key] = at;
    }
    return text;
  }

private:
  const std::vector<int64_t> &values;
  /// Characters of the numbers before a place, with separators.
  std::vector<size_t> lengths{0};
  /// The last place at which the next numbers change so.
  std::unordered_map<uint64_t, size_t> lastAt;
  /// Where words begin.
  std::vector<size_t> words;
  /// Distances that are always tried, and words whose beginnings are.
  static constexpr size_t maxBack = 8, triedWords = 8;

  /// A number for the differences between the four numbers from a place on.
  std::optional<uint64_t> changesAt(size_t at) const {
    if (at + 3 >= values.size())
      return std::nullopt;
    uint64_t key = 0;
    for (size_t i = at; i < at + 3; ++i)
      key = (key ^ distance(i, i + 1)) * 0x9e3779b97f4a7c15U;
    return key;
  }

  /// Modulo 2^64: lists may have any numbers.
  uint64_t distance(size_t from, size_t to) const {
    return static_cast<uint64_t>(values[to]) -
           static_cast<uint64_t>(values[from]);
  }

  /// The repeat that saves the largest number of characters; count 0: none.
  Repeat bestAt(size_t at) const {
    Repeat best;
    size_t saved = 0;
    auto tryBack = [&](size_t back) {
      int64_t step = 0;
      if (__builtin_sub_overflow(values[at], values[at - back], &step))
        return;
      Repeat repeat{1, back, step};
      auto fits = [&](size_t place) {
        int64_t expected = 0;
        return !__builtin_add_overflow(values[place - back], step, &expected) &&
               values[place] == expected;
      };
      while (at + repeat.count < values.size() && fits(at + repeat.count))
        ++repeat.count;
      size_t plain = lengths[at + repeat.count] - lengths[at],
             word = repeat.text().size() + 1;
      if (plain > word + saved) {
        saved = plain - word;
        best = repeat;
      }
    };
    for (size_t back = 1; back <= std::min(at, maxBack); ++back)
      tryBack(back);
    if (std::optional<uint64_t> key = changesAt(at))
      if (auto found = lastAt.find(*key);
          found != lastAt.end() && at - found->second > maxBack)
        tryBack(at - found->second);
    for (size_t i = words.size(); i-- > 0 && words.size() - i <= triedWords;)
      if (at - words[i] > maxBack)
        tryBack(at - words[i]);
    return best;
  }
};

/// Reads a number of a word; false where there is none, or it is too large.
template <typename Number>
bool takeNumber(std::string_view &word, Number &number) {
  auto [end, error] =
      std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc())
    return false;
  word.remove_prefix(static_cast<size_t>(end - word.data()));
  return true;
}

/// "COUNTxBACK", "COUNTxBACK+STEP" or "COUNTxBACK-STEP".
std::optional<Repeat> parseRepeat(std::string_view word) {
  Repeat repeat;
  if (!takeNumber(word, repeat.count) || word.empty() || word[0] != 'x')
    return std::nullopt;
  word.remove_prefix(1);
  if (!takeNumber(word, repeat.back))
    return std::nullopt;
  if (!word.empty()) {
    bool isNegative = word[0] == '-';
    if (word[0] == '+')
      word.remove_prefix(1);
    if (isNegative != word.starts_with('-'))
      return std::nullopt;
    if (!takeNumber(word, repeat.step) || !word.empty())
      return std::nullopt;
  }
  return repeat;
}

std::string quoted(std::string_view word) {
  constexpr size_t shown = 40;
  return "'" + std::string(word.substr(0, shown)) +
         (word.size() > shown ? "...'" : "'");
}

} // namespace

std::string soap::printSequence(const std::vector<int64_t> &values) {
  return Printer(values).run();
}

Expected<std::vector<int64_t>> soap::parseSequenceUpTo(std::string_view text,
                                                       size_t count,
                                                       int64_t low,
                                                       int64_t high) {
  assert(low <= high && "an empty range");
  std::vector<int64_t> values;
  auto tooMany = [&] {
    return Error{"expected " + std::to_string(count) + " numbers, got more"};
  };
  auto check = [&](int64_t value) -> MaybeError {
    if (value >= low && value <= high)
      return std::nullopt;
    return Error{"expected numbers from " + std::to_string(low) + " to " +
                 std::to_string(high) + ", got " + std::to_string(value)};
  };
  while (!text.empty()) {
    size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.find('x') == std::string_view::npos) {
      int64_t value = 0;
      std::string_view rest = word;
      if (!takeNumber(rest, value) || !rest.empty())
        return Error{"expected a number or COUNTxBACK+STEP, got " +
                     quoted(word)};
      if (values.size() == count)
        return tooMany();
      if (MaybeError error = check(value))
        return *error;
      values.push_back(value);
      continue;
    }
    std::optional<Repeat> repeat = parseRepeat(word);
    if (!repeat)
      return Error{"expected a number or COUNTxBACK+STEP, got " + quoted(word)};
    if (repeat->back < 1 || repeat->back > values.size())
      return Error{"expected a number of places back from 1 to " +
                   std::to_string(values.size()) + ", got " + quoted(word)};
    if (repeat->count > count - values.size())
      return tooMany();
    for (size_t i = 0; i < repeat->count; ++i) {
      int64_t value = 0;
      if (__builtin_add_overflow(values[values.size() - repeat->back],
                                 repeat->step, &value))
        return Error{"expected numbers of 64 bits, got " + quoted(word)};
      if (MaybeError error = check(value))
        return *error;
      values.push_back(value);
    }
  }
  return values;
}

Expected<std::vector<int64_t>> soap::parseSequence(std::string_view text,
                                                   size_t count, int64_t low,
                                                   int64_t high) {
  auto values = parseSequenceUpTo(text, count, low, high);
  if (values && values->size() != count)
    return Error{"expected " + std::to_string(count) + " numbers, got " +
                 std::to_string(values->size())};
  return values;
}
