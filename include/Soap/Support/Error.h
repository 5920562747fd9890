//===- Error.h - Errors of the core -----------------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the core reports bad input: by value, as a message that says where it is,
// what it is, and what was expected. Every reader and checker returns it.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_SUPPORT_ERROR_H
#define SOAP_SUPPORT_ERROR_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace soap {

/// A failure with its message: lower case, no full stop, `FILE: at /json/path:
/// expected ..., got ...` for files.
struct Error {
  std::string message;
};

/// Either a value or an `Error`. Test it before dereferencing.
template <typename T>
class [[nodiscard]] Expected {
public:
  Expected(T value) : storage(std::move(value)) {}
  Expected(Error error) : storage(std::move(error)) {}

  explicit operator bool() const { return std::holds_alternative<T>(storage); }
  T &operator*() { return std::get<T>(storage); }
  const T &operator*() const { return std::get<T>(storage); }
  T *operator->() { return &std::get<T>(storage); }
  const T *operator->() const { return &std::get<T>(storage); }
  const std::string &error() const { return std::get<Error>(storage).message; }
  Error takeError() { return std::get<Error>(std::move(storage)); }

private:
  std::variant<T, Error> storage;
};

/// Success, or an `Error`: `if (auto e = check(x)) return *e;`.
using MaybeError = std::optional<Error>;

} // namespace soap

#endif // SOAP_SUPPORT_ERROR_H
