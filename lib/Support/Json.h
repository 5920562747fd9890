//===- Json.h - Checked reading of JSON files -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The readers of JSON files share this: a parser that refuses duplicate keys
// and names the place of a syntax error, and a cursor that turns every wrong
// type, missing or unknown key into `FILE: at /path: expected ..., got ...`.
// Private to the project, so that its headers don't pull in the JSON library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_JSON_H
#define SOAP_LIB_SUPPORT_JSON_H

#include "Soap/Support/Error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace soap::jsonfile {

/// Parses one JSON document. Errors name the line and column, or the duplicated
/// key.
Expected<nlohmann::json> parse(const std::string &text,
                               const std::string &file);

/// The text of a file; none if there is no file of this name. An error if there
/// is one that is no text: a directory, or a file that may not be read.
Expected<std::optional<std::string>> readFile(const std::string &file);

/// The first error of a document, without the name of its file. Cursors throw
/// it, and `read` catches it: it leaves no function of a header of Soap.
struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A place in a document, which must outlive it. All accessors throw a
/// `JsonError` if what they find is not as expected.
class Cursor {
public:
  explicit Cursor(const nlohmann::json &value, std::string path = "")
      : value(&value), path(std::move(path)) {}

  /// Reports at this place.
  [[noreturn]] void fail(const std::string &message) const;
  /// Reports `expected EXPECTATION, got VALUE`.
  [[noreturn]] void failExpected(const std::string &expectation) const;

  /// An object, with any keys.
  void expectObject() const;
  /// An object with no keys other than these.
  void expectObject(std::initializer_list<const char *> keys) const;
  /// Whether this is an object with such a member.
  bool has(const char *key) const {
    return value->is_object() && value->contains(key);
  }
  /// A member that must be there.
  Cursor operator[](const char *key) const;
  /// All members of an object, in file order by key.
  std::vector<std::pair<std::string, Cursor>> members() const;

  /// The number of elements of an array.
  size_t size() const;
  /// An element of an array, below `size()`.
  Cursor operator[](size_t index) const {
    return Cursor((*value)[index], path + "/" + std::to_string(index));
  }
  /// All elements of an array.
  std::vector<Cursor> elements() const;
  /// The same, one by one, for arrays that are long.
  template <typename Visit>
  void forEach(const Visit &visit) const {
    for (size_t i = 0, count = size(); i < count; ++i)
      visit((*this)[i]);
  }

  bool isNull() const { return value->is_null(); }
  bool isObject() const { return value->is_object(); }
  bool isString() const { return value->is_string(); }
  bool isNumber() const { return value->is_number(); }
  /// A string that is not empty.
  const std::string &string() const;
  /// A string that may be empty.
  const std::string &text() const;
  /// An integer in [low, high].
  int64_t integer(int64_t low = INT64_MIN, int64_t high = INT64_MAX) const;
  /// A finite number in [low, high].
  double number(double low = std::numeric_limits<double>::lowest(),
                double high = std::numeric_limits<double>::max()) const;
  bool boolean() const;
  /// The member `version` must be 1.
  void expectVersion() const;

private:
  const nlohmann::json *value;
  std::string path;
};

/// The result of `visit` on the root of a document, or the error of a cursor as
/// `SOURCE: at /path: ...`.
template <typename Visit>
auto read(const nlohmann::json &document, const std::string &source,
          const Visit &visit) -> Expected<decltype(visit(Cursor(document)))> {
  try {
    return visit(Cursor(document));
  } catch (const JsonError &error) {
    return Error{source + ": " + error.what()};
  }
}

/// A string as JSON, with quotes.
std::string quote(const std::string &text);
/// `3`, `"x"`, or `an array`: how a value is quoted in messages.
std::string describe(const nlohmann::json &value);
/// The words of a message that expects a number or an integer in [low, high];
/// limits of the type are left out.
std::string expectation(double low, double high);
std::string expectation(int64_t low, int64_t high);
/// `invalid JSON: ...` from a message of the library's parser.
std::string syntaxError(const std::string &message);

} // namespace soap::jsonfile

#endif // SOAP_LIB_SUPPORT_JSON_H
