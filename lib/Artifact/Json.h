//===- Json.h - Checked access to JSON values -------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A cursor into a JSON document that knows its path, so that each reader says
// "FILE: at /a/0/b: expected ..., got ..." without extra work. Reading throws
// `JsonError`; the readers' entry points turn it into an `Error`.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_ARTIFACT_JSON_H
#define SOAP_LIB_ARTIFACT_JSON_H

#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>
#include <string>

namespace soap::runtime {

struct JsonError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class JsonCursor {
public:
  JsonCursor(const nlohmann::json &value, std::string path)
      : value(value), path(std::move(path)) {}

  [[noreturn]] void fail(const std::string &message) const {
    throw JsonError("at " + (path.empty() ? "/" : path) + ": " + message);
  }
  [[noreturn]] void expected(const std::string &what) const {
    std::string text =
        value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > 40)
      text = text.substr(0, 40) + "...";
    fail("expected " + what + ", got " + text);
  }

  bool has(const char *key) const {
    return value.is_object() && value.contains(key);
  }
  JsonCursor at(const char *key) const {
    if (!value.is_object())
      expected("an object");
    auto it = value.find(key);
    if (it == value.end())
      fail(std::string("expected a member '") + key + "'");
    return {*it, path + "/" + key};
  }
  size_t size() const {
    if (!value.is_array())
      expected("an array");
    return value.size();
  }
  JsonCursor at(size_t index) const {
    return {value[index], path + "/" + std::to_string(index)};
  }
  int64_t integer(int64_t lo = std::numeric_limits<int64_t>::min(),
                  int64_t hi = std::numeric_limits<int64_t>::max()) const {
    bool fits = value.is_number_integer() &&
                !(value.is_number_unsigned() &&
                  value.get<uint64_t>() >
                      uint64_t(std::numeric_limits<int64_t>::max()));
    if (!fits || value.get<int64_t>() < lo || value.get<int64_t>() > hi) {
      std::string what = "an integer";
      if (hi != std::numeric_limits<int64_t>::max())
        what += " in [" + std::to_string(lo) + ", " + std::to_string(hi) + "]";
      else if (lo != std::numeric_limits<int64_t>::min())
        what += " of at least " + std::to_string(lo);
      expected(what);
    }
    return value.get<int64_t>();
  }
  double number() const {
    if (!value.is_number())
      expected("a number");
    return value.get<double>();
  }
  bool boolean() const {
    if (!value.is_boolean())
      expected("true or false");
    return value.get<bool>();
  }
  const std::string &string() const {
    if (!value.is_string())
      expected("a string");
    return value.get_ref<const std::string &>();
  }
  const nlohmann::json &json() const { return value; }

private:
  const nlohmann::json &value;
  std::string path;
};

} // namespace soap::runtime

#endif // SOAP_LIB_ARTIFACT_JSON_H
