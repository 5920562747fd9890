//===- Json.h - Checked reading of JSON files -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the readers of topologies and strategies share: a parser that refuses
// duplicate keys and names the place of a syntax error, and a cursor that turns
// every wrong type, missing or unknown key into `FILE: at /path: expected ...,
// got ...`. Private to the core, so that its headers don't pull in the JSON
// library.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_SUPPORT_JSON_H
#define SOAP_LIB_SUPPORT_JSON_H

#include "Soap/Support/Error.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

namespace soap::jsonfile {

/// Parses one JSON document. Errors name the line and column, or the duplicated
/// key.
Expected<nlohmann::json> parse(const std::string &text,
                               const std::string &file);

/// The text of a file; none if there is no file of this name. An error if there
/// is one that is no text: a directory, or a file that may not be read.
Expected<std::optional<std::string>> readFile(const std::string &file);

/// The first error of one file. Readers go on with default values after an
/// error and look here once, at the end.
class Reader {
public:
  explicit Reader(std::string file) : file(std::move(file)) {}
  void fail(const std::string &path, const std::string &message) {
    if (!error)
      error =
          Error{file + ": at " + (path.empty() ? "/" : path) + ": " + message};
  }
  bool failed() const { return error.has_value(); }
  Error takeError() { return *std::move(error); }

private:
  std::string file;
  MaybeError error;
};

/// A place in a document. All accessors report to the reader and return a
/// default when what they find is not as expected.
class Cursor {
public:
  Cursor(Reader &reader, const nlohmann::json *value, std::string path)
      : reader(&reader), value(value), path(std::move(path)) {}

  /// Reports at this place.
  void fail(const std::string &message) const { reader->fail(path, message); }
  /// Reports `expected EXPECTATION, got VALUE`.
  void failExpected(const std::string &expectation) const;

  /// An object with no keys other than these.
  void expectObject(std::initializer_list<const char *> keys) const;
  bool has(const char *key) const {
    return value && value->is_object() && value->contains(key);
  }
  /// A member that must be there.
  Cursor operator[](const char *key) const;
  /// All members of an object, in file order by key.
  std::vector<std::pair<std::string, Cursor>> members() const;

  /// All elements of an array.
  std::vector<Cursor> elements() const;
  /// The same, one by one up to the first error, for arrays that are long.
  template <typename Visit>
  void forEach(const Visit &visit) const {
    if (value && !value->is_array())
      failExpected("an array");
    if (value && value->is_array())
      for (size_t i = 0; i < value->size() && !reader->failed(); ++i)
        visit(Cursor(*reader, &(*value)[i], path + "/" + std::to_string(i)));
  }

  bool isString() const { return value && value->is_string(); }
  bool isNumber() const { return value && value->is_number(); }
  /// A string that is not empty.
  std::string string() const;
  int64_t integer(int64_t low, int64_t high) const;
  /// A finite number in [low, high].
  double number(double low, double high) const;
  bool boolean() const;
  /// The member `version` must be 1.
  void expectVersion() const;

private:
  Reader *reader;
  const nlohmann::json *value; ///< null after an error
  std::string path;
};

/// A string as JSON, with quotes.
std::string quote(const std::string &text);
/// `3`, `"x"`, or `an array`: how a value is quoted in messages.
std::string describe(const nlohmann::json &value);
/// The words of a message that expects a number or an integer in [low, high].
std::string expectation(double low, double high);
std::string expectation(int64_t low, int64_t high);
/// `invalid JSON: ...` from a message of the library's parser.
std::string syntaxError(const std::string &message);

} // namespace soap::jsonfile

#endif // SOAP_LIB_SUPPORT_JSON_H
