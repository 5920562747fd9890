//===- Json.cpp - Checked reading of JSON files ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's parser keeps the last of duplicated keys and reports errors by
// exceptions; the handler here does neither.
//
//===----------------------------------------------------------------------===//

#include "Json.h"

#include "Soap/Support/InputFile.h"

#include <cmath>
#include <filesystem>

using namespace soap;
using namespace soap::jsonfile;
using nlohmann::json;

namespace {

/// More than any topology, profile or strategy has.
constexpr int64_t maxJsonBytes = int64_t(256) << 20;

/// Builds the document, with limits that keep hostile files harmless.
class Builder : public nlohmann::json_sax<json> {
public:
  json root;
  std::string problem; ///< empty: none
  size_t position = std::string::npos;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t &) override {
    return add(value);
  }
  bool string(string_t &value) override { return add(std::move(value)); }
  bool binary(binary_t &) override { return false; }
  bool start_object(size_t) override { return open(json::object()); }
  bool start_array(size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t &name) override {
    if (stack.back()->contains(name)) {
      problem = "duplicate key " + quote(name);
      return false;
    }
    nextKey = name;
    return true;
  }
  bool parse_error(size_t at, const std::string &,
                   const nlohmann::detail::exception &error) override {
    position = at;
    problem = error.what();
    return false;
  }

private:
  static constexpr size_t maximumDepth = 64;
  std::vector<json *> stack;
  std::string nextKey;

  json *place(json value) {
    if (stack.empty()) {
      root = std::move(value);
      return &root;
    }
    json &parent = *stack.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[nextKey] = std::move(value));
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json value) {
    if (stack.size() == maximumDepth) {
      problem = "nesting deeper than " + std::to_string(maximumDepth);
      return false;
    }
    stack.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    stack.pop_back();
    return true;
  }
};

/// Shortest text of a limit: `4096`, `1e+18`.
std::string show(double value) {
  std::ostringstream text;
  text.precision(15);
  text << value;
  return text.str();
}

} // namespace

std::string jsonfile::quote(const std::string &text) {
  return nlohmann::json(text).dump(-1, ' ', false,
                                   nlohmann::json::error_handler_t::replace);
}

std::string jsonfile::describe(const json &value) {
  if (value.is_array())
    return "an array";
  if (value.is_object())
    return "an object";
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > 60)
    text = text.substr(0, 57) + "...";
  return text;
}

std::string jsonfile::expectation(double low, double high) {
  if (low == std::numeric_limits<double>::lowest() &&
      high == std::numeric_limits<double>::max())
    return "a number";
  return "a number from " + show(low) + " to " + show(high);
}

std::string jsonfile::expectation(int64_t low, int64_t high) {
  if (high == INT64_MAX)
    return low == INT64_MIN ? "an integer"
                            : "an integer of at least " + std::to_string(low);
  if (low == high)
    return std::to_string(low);
  return "an integer from " + std::to_string(low) + " to " +
         std::to_string(high);
}

std::string jsonfile::syntaxError(const std::string &message) {
  // It starts with the library's own identifier and repeats the position; what
  // follows the last colon that matters is the reason.
  size_t at = message.find("] ");
  return "invalid JSON: " +
         (at == std::string::npos ? message : message.substr(at + 2));
}

Expected<nlohmann::json> jsonfile::parse(const std::string &text,
                                         const std::string &file) {
  Builder builder;
  if (nlohmann::json::sax_parse(text, &builder))
    return std::move(builder.root);
  if (builder.position == std::string::npos)
    return Error{file + ": " + builder.problem};
  return Error{file + ": " + syntaxError(builder.problem)};
}

Expected<std::optional<std::string>>
jsonfile::readFile(const std::string &file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    return std::optional<std::string>();
  auto text = soap::readFile(file, maxJsonBytes);
  if (!text)
    return text.takeError();
  return std::optional(std::move(*text));
}

void Cursor::fail(const std::string &message) const {
  throw JsonError("at " + (path.empty() ? "/" : path) + ": " + message);
}

void Cursor::failExpected(const std::string &expectation) const {
  fail("expected " + expectation + ", got " + describe(*value));
}

void Cursor::expectObject() const {
  if (!value->is_object())
    failExpected("an object");
}

void Cursor::expectObject(std::initializer_list<const char *> keys) const {
  expectObject();
  for (const auto &[key, member] : value->items()) {
    bool known = false;
    for (const char *name : keys)
      known |= key == name;
    if (known)
      continue;
    std::string list;
    for (const char *name : keys)
      list += std::string(list.empty() ? "" : ", ") + name;
    fail("unknown key " + quote(key) + ", expected one of " + list);
  }
}

Cursor Cursor::operator[](const char *key) const {
  expectObject();
  auto it = value->find(key);
  if (it == value->end())
    fail("expected key \"" + std::string(key) + "\", which is missing");
  return Cursor(*it, path + "/" + key);
}

std::vector<std::pair<std::string, Cursor>> Cursor::members() const {
  expectObject();
  std::vector<std::pair<std::string, Cursor>> result;
  for (const auto &[key, member] : value->items())
    result.emplace_back(key, Cursor(member, path + "/" + key));
  return result;
}

size_t Cursor::size() const {
  if (!value->is_array())
    failExpected("an array");
  return value->size();
}

std::vector<Cursor> Cursor::elements() const {
  std::vector<Cursor> result;
  result.reserve(size());
  forEach([&](Cursor element) { result.push_back(std::move(element)); });
  return result;
}

const std::string &Cursor::string() const {
  if (!value->is_string() || value->get_ref<const std::string &>().empty())
    failExpected("a string that is not empty");
  return value->get_ref<const std::string &>();
}

const std::string &Cursor::text() const {
  if (!value->is_string())
    failExpected("a string");
  return value->get_ref<const std::string &>();
}

int64_t Cursor::integer(int64_t low, int64_t high) const {
  // Integers beyond int64 are stored as unsigned: compare before converting.
  bool inRange =
      value->is_number_unsigned()
          ? value->get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)
          : value->is_number_integer();
  // 48e9 is a whole number as well as 48000000000, as far as doubles tell whole
  // numbers apart.
  if (value->is_number_float())
    if (double number = value->get<double>();
        std::fabs(number) <= 0x1p53 && number == std::floor(number))
      inRange = true;
  if (!inRange || value->get<int64_t>() < low || value->get<int64_t>() > high)
    failExpected(expectation(low, high));
  return value->get<int64_t>();
}

double Cursor::number(double low, double high) const {
  double number = value->is_number() ? value->get<double>() : NAN;
  if (!(number >= low && number <= high))
    failExpected(expectation(low, high));
  return number;
}

bool Cursor::boolean() const {
  if (!value->is_boolean())
    failExpected("true or false");
  return value->get<bool>();
}

void Cursor::expectVersion() const {
  Cursor version = (*this)["version"];
  if (!version.value->is_number_integer() || *version.value != 1)
    version.failExpected("version 1");
}
