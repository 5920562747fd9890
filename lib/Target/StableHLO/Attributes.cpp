//===- Attributes.cpp - Attributes of StableHLO ops -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builtin attributes, and the text of the dialect's own.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::soap::stablehlo_import;

/// Numbers of sums and products of which fit 64 bits.
static constexpr int64_t largest = int64_t(1) << 31;

/// The numbers of `array<i64: ...>` or `dense<...>`; none for another one.
static std::optional<SmallVector<int64_t>> readIntegers(Attribute attribute) {
  SmallVector<int64_t> values;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    return llvm::to_vector(array.asArrayRef());
  if (auto array = dyn_cast_or_null<DenseBoolArrayAttr>(attribute))
    return SmallVector<int64_t>(array.asArrayRef());
  auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute);
  if (!dense || dense.getNumElements() > maxConstantElements)
    return std::nullopt;
  for (const APInt &value : dense.getValues<APInt>()) {
    if (value.getSignificantBits() > 64)
      return std::nullopt;
    values.push_back(value.getBitWidth() == 1
                         ? static_cast<int64_t>(value.getZExtValue())
                         : value.getSExtValue());
  }
  return values;
}

FailureOr<SmallVector<int64_t>>
Importer::integers(Operation *op, StringRef name, int64_t size) {
  Attribute attribute = op->getAttr(name);
  if (!attribute)
    return error(op) << "has no attribute '" << name << "'";
  std::optional<SmallVector<int64_t>> values = readIntegers(attribute);
  if (!values)
    return error(op) << "has the attribute '" << name << "' = " << attribute
                     << ", expected integers";
  if (size >= 0 && static_cast<int64_t>(values->size()) != size)
    return error(op) << "has " << values->size() << " numbers in '" << name
                     << "', expected " << size;
  for (int64_t value : *values)
    if (value > largest || value < -largest)
      return error(op) << "has " << value << " in '" << name
                       << "', expected at most 2^31";
  return *values;
}

FailureOr<SmallVector<int64_t>> Importer::integersOr(Operation *op,
                                                     StringRef name,
                                                     int64_t size,
                                                     int64_t value) {
  if (!op->getAttr(name))
    return SmallVector<int64_t>(size, value);
  return integers(op, name, size);
}

FailureOr<int64_t> Importer::integer(Operation *op, StringRef name) {
  auto attribute = dyn_cast_or_null<IntegerAttr>(op->getAttr(name));
  if (!attribute || attribute.getValue().getSignificantBits() > 33)
    return error(op) << "has no integer '" << name << "' of at most 2^31";
  return attribute.getValue().getSExtValue();
}

LogicalResult Importer::checkDims(Operation *op, StringRef name,
                                  ArrayRef<int64_t> list, int64_t rank) {
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t dim : list)
    if (dim < 0 || dim >= rank || !seen.insert(dim).second)
      return error(op) << "has " << dim << " in '" << name
                       << "', expected different dims below " << rank;
  return success();
}

FailureOr<SmallVector<int64_t>> Importer::dims(Operation *op, StringRef name,
                                               int64_t rank) {
  FailureOr<SmallVector<int64_t>> values = integers(op, name, -1);
  if (failed(values) || failed(checkDims(op, name, *values, rank)))
    return failure();
  return values;
}

//===----------------------------------------------------------------------===//
// Attributes of StableHLO, as text
//===----------------------------------------------------------------------===//

/// `text` of `#stablehlo.text`; nothing for an attribute of another dialect.
static StringRef textOf(Operation *op, StringRef name) {
  auto attribute = dyn_cast_or_null<OpaqueAttr>(op->getAttr(name));
  if (!attribute)
    return {};
  StringRef dialect = attribute.getDialectNamespace().getValue();
  return dialect == "stablehlo" || dialect == "chlo" ? attribute.getAttrData()
                                                     : StringRef();
}

StringRef mlir::soap::stablehlo_import::enumText(Operation *op,
                                                 StringRef attribute) {
  // `comparison_direction LT`, or `comparison_direction<LT>`.
  return textOf(op, attribute).rtrim("> ").rsplit(' ').second.rsplit('<').first;
}

ArrayRef<int64_t> DimensionNumbers::operator[](StringRef name) const {
  auto it = fields.find(name);
  return it == fields.end() ? ArrayRef<int64_t>() : it->second;
}

FailureOr<DimensionNumbers> mlir::soap::stablehlo_import::dimensionNumbers(
    Importer &importer, Operation *op, StringRef name, StringRef kind) {
  StringRef whole = textOf(op, name), text = whole;
  auto fail = [&] {
    return importer.error(op)
           << "has '" << name << "' = '" << whole << "', expected #stablehlo."
           << kind << "<field = numbers, ...>";
  };
  if (!text.consume_front(kind) || !text.consume_front("<") ||
      !text.consume_back(">"))
    return fail();
  DimensionNumbers result;
  text = text.trim();
  while (!text.empty()) {
    auto [field, rest] = text.split('=');
    field = field.trim();
    rest = rest.ltrim();
    StringRef list;
    if (rest.consume_front("["))
      std::tie(list, rest) = rest.split(']');
    else {
      size_t end = rest.find(',');
      list = rest.take_front(end);
      rest = rest.drop_front(list.size());
    }
    SmallVector<StringRef> parts;
    list.split(parts, ',', -1, /*KeepEmpty=*/false);
    SmallVector<int64_t> &values = result.fields[field];
    for (StringRef part : parts) {
      int64_t value = 0;
      if (part.trim().getAsInteger(10, value) || value < 0 || value > largest)
        return fail();
      values.push_back(value);
    }
    text = rest.ltrim(", ");
  }
  return result;
}
