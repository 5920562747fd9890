//===- Precision.cpp - Names of precisions --------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Precision.h.
//
//===----------------------------------------------------------------------===//

#include "Soap/Model/Precision.h"

#include <iterator>

using namespace soap;

static constexpr const char *names[] = {"f32", "tf32", "bf16"};

const char *soap::precisionName(ProductPrecision precision) {
  return names[static_cast<int>(precision)];
}

std::optional<ProductPrecision> soap::findPrecision(std::string_view name) {
  for (size_t i = 0; i < std::size(names); ++i)
    if (name == names[i])
      return static_cast<ProductPrecision>(i);
  return std::nullopt;
}
