//===- NumberSequence.h - Lists of integers, repeats written once -*- C++
//-*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A list of integers as text in which a part that repeats an earlier part, up
// to a distance, is one word. Words are separated by spaces:
//
//   -7          the number
//   5x2+10      5 numbers, each of which is 10 more than the number 2 places
//               before it
//   5x2         the same, with a distance of 0
//
// So "3 62x1+4" is an arithmetic progression of 63 numbers, and "0 10 40 3x3"
// says 0, 10, 40 twice.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_NUMBERSEQUENCE_H
#define SOAP_LIB_SUPPORT_NUMBERSEQUENCE_H

#include "Soap/Support/Error.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace soap {

/// The text of a list. A word stands for a repeated part where it is shorter
/// than the numbers.
std::string printSequence(const std::vector<int64_t> &values);

/// Reads a text of at most `count` numbers in [low, high]. An error says what
/// is expected instead, without a place. Takes time and memory for no more than
/// `count` numbers, whatever the text.
Expected<std::vector<int64_t>> parseSequenceUpTo(std::string_view text,
                                                 size_t count, int64_t low,
                                                 int64_t high);

/// The same for exactly `count` numbers.
Expected<std::vector<int64_t>>
parseSequence(std::string_view text, size_t count, int64_t low, int64_t high);

} // namespace soap

#endif // SOAP_LIB_SUPPORT_NUMBERSEQUENCE_H
