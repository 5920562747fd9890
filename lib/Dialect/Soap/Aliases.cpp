//===- Aliases.cpp - Names of long attributes and types -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Long attributes and types repeat in a plan for many devices. They are written
// once, at the top of the module: `#config3 = #soap.config<...>`.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::soap;

/// Configs with more devices have names.
static constexpr size_t maxDevicesInPlace = 32;
/// Constants with more elements that differ have names.
static constexpr int64_t maxElementsInPlace = 1024;
/// Types of tensors of two or more dims with as many elements have names.
static constexpr int64_t minElementsOfNamed = int64_t(1) << 22;

/// At least `minElementsOfNamed` elements, which may be more than 64 bits
/// count.
static bool isLarge(RankedTensorType tensor) {
  if (!tensor.hasStaticShape() || llvm::is_contained(tensor.getShape(), 0))
    return false;
  int64_t elements = 1;
  for (int64_t extent : tensor.getShape())
    elements = std::min(elements * std::min(extent, minElementsOfNamed),
                        minElementsOfNamed);
  return elements == minElementsOfNamed;
}

namespace {
struct SoapAliases : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (auto config = dyn_cast<ConfigAttr>(attr);
        config && config.getDevices().size() > maxDevicesInPlace) {
      os << "config";
      return AliasResult::OverridableAlias;
    }
    if (auto elements = dyn_cast<DenseElementsAttr>(attr);
        elements && !elements.isSplat() &&
        elements.getNumElements() > maxElementsInPlace) {
      os << "elements";
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || tensor.getRank() < 2 || !isLarge(tensor))
      return AliasResult::NoAlias;
    os << "t";
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void mlir::soap::addAliases(SoapDialect *dialect) {
  dialect->addInterfaces<SoapAliases>();
}
