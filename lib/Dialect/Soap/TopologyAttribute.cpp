//===- TopologyAttribute.cpp - Syntax of topologies -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#soap.topology<...>`: a built-in name, or a table with the keys of a
// topology file. The attribute holds the JSON text of the file; the table is
// printed and parsed as attributes are (`key = value`, floats with a point).
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#include "Soap/Topology/Topology.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace mlir::soap;

namespace json = llvm::json;

static bool isTable(StringRef text) { return text.ltrim().starts_with("{"); }

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// Deeper tables are no topologies.
constexpr int maxDepth = 16;

static ParseResult parseValue(AsmParser &parser, json::Value &value, int depth);

static ParseResult parseText(AsmParser &parser, SMLoc at, StringRef text) {
  if (json::isUTF8(text))
    return success();
  return parser.emitError(at) << "expected a string in UTF-8";
}

/// After the opening brace.
static ParseResult parseEntries(AsmParser &parser, json::Value &value,
                                int depth) {
  json::Object object;
  if (succeeded(parser.parseOptionalRBrace()))
    return value = std::move(object), success();
  auto parseEntry = [&]() -> ParseResult {
    std::string key;
    json::Value entry = nullptr;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&key) || parseText(parser, at, key) ||
        parser.parseEqual() || parseValue(parser, entry, depth + 1))
      return failure();
    if (!object.try_emplace(key, std::move(entry)).second)
      return parser.emitError(at) << "key '" << key << "' appears twice";
    return success();
  };
  if (parser.parseCommaSeparatedList(parseEntry) || parser.parseRBrace())
    return failure();
  value = std::move(object);
  return success();
}

/// After the opening bracket.
static ParseResult parseElements(AsmParser &parser, json::Value &value,
                                 int depth) {
  json::Array array;
  if (succeeded(parser.parseOptionalRSquare()))
    return value = std::move(array), success();
  auto parseElement = [&]() -> ParseResult {
    json::Value element = nullptr;
    if (parseValue(parser, element, depth + 1))
      return failure();
    array.push_back(std::move(element));
    return success();
  };
  if (parser.parseCommaSeparatedList(parseElement) || parser.parseRSquare())
    return failure();
  value = std::move(array);
  return success();
}

/// A table, a list, a string, true, false, or a number.
static ParseResult parseValue(AsmParser &parser, json::Value &value,
                              int depth) {
  SMLoc at = parser.getCurrentLocation();
  if (depth > maxDepth)
    return parser.emitError(at)
           << "expected at most " << maxDepth << " nested tables and lists";
  if (succeeded(parser.parseOptionalLBrace()))
    return parseEntries(parser, value, depth);
  if (succeeded(parser.parseOptionalLSquare()))
    return parseElements(parser, value, depth);
  if (succeeded(parser.parseOptionalKeyword("true")))
    return value = true, success();
  if (succeeded(parser.parseOptionalKeyword("false")))
    return value = false, success();
  std::string text;
  if (succeeded(parser.parseOptionalString(&text))) {
    if (parseText(parser, at, text))
      return failure();
    value = std::move(text);
    return success();
  }
  int64_t integer;
  if (OptionalParseResult parsed = parser.parseOptionalInteger(integer);
      parsed.has_value())
    return value = integer, *parsed;
  double number;
  if (parser.parseFloat(number))
    return failure();
  value = number;
  return success();
}

/// One text for all spellings of the same contents.
static std::string normalText(const json::Value &value) {
  return llvm::formatv("{0}", value).str();
}

Attribute TopologyAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  SMLoc at = parser.getCurrentLocation();
  json::Value value = nullptr;
  std::string text;
  if (succeeded(parser.parseOptionalLBrace())) {
    if (parseEntries(parser, value, /*depth=*/0))
      return {};
    text = normalText(value);
  } else if (failed(parser.parseOptionalString(&text))) {
    parser.emitError(at)
        << "expected the name of a built-in topology in quotes, or the table "
           "of a topology file";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return parser.getChecked<TopologyAttr>(at, parser.getContext(),
                                         StringRef(text));
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// The shortest decimal fraction that is this number.
static std::string numberText(double number) {
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    (void)std::snprintf(text, sizeof text, "%.*e", digits, number);
    if (std::strtod(text, nullptr) == number)
      break;
  }
  return text;
}

/// A file begins with what it is; its lists come in the order of their use.
static int rankOfKey(StringRef key) {
  constexpr StringRef order[] = {"version",  "name",  "device_types", "devices",
                                 "switches", "links", "from",         "to"};
  return static_cast<int>(llvm::find(order, key) - std::begin(order));
}

static void printValue(AsmPrinter &printer, const json::Value &value) {
  raw_ostream &stream = printer.getStream();
  if (const json::Object *object = value.getAsObject()) {
    SmallVector<StringRef> keys;
    for (const auto &entry : *object)
      keys.push_back(entry.first);
    llvm::sort(keys, [](StringRef a, StringRef b) {
      return std::pair(rankOfKey(a), a) < std::pair(rankOfKey(b), b);
    });
    stream << "{";
    llvm::interleaveComma(keys, stream, [&](StringRef key) {
      printer.printKeywordOrString(key);
      stream << " = ";
      printValue(printer, *object->get(key));
    });
    stream << "}";
  } else if (const json::Array *array = value.getAsArray()) {
    stream << "[";
    llvm::interleaveComma(*array, stream, [&](const json::Value &element) {
      printValue(printer, element);
    });
    stream << "]";
  } else if (auto text = value.getAsString()) {
    printer.printString(*text);
  } else if (auto flag = value.getAsBoolean()) {
    stream << (*flag ? "true" : "false");
  } else if (auto integer = value.getAsInteger()) {
    stream << *integer;
  } else if (auto number = value.getAsNumber()) {
    stream << numberText(*number);
  } else {
    stream << "\"\""; // null, which no topology has
  }
}

void TopologyAttr::print(AsmPrinter &printer) const {
  printer << "<";
  llvm::Expected<json::Value> table = json::parse(getText());
  if (table && table->getAsObject())
    printValue(printer, *table);
  else
    printer.printString(getText());
  if (!table)
    llvm::consumeError(table.takeError());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// Contents
//===----------------------------------------------------------------------===//

/// The text without the profiles of device types. What is checked of a module
/// must not depend on the files of this machine.
static std::string withoutProfiles(StringRef text) {
  llvm::Expected<json::Value> table = json::parse(text);
  if (!table) {
    llvm::consumeError(table.takeError());
    return text.str(); // Soap's reader says where it is wrong.
  }
  if (json::Object *object = table->getAsObject())
    if (json::Array *types = object->getArray("device_types"))
      for (json::Value &type : *types)
        if (json::Object *entries = type.getAsObject();
            entries && entries->getString("profile"))
          entries->erase("profile");
  return normalText(*table);
}

LogicalResult TopologyAttr::verify(EmitError emitError, StringRef text) {
  ::soap::Expected<::soap::Topology> topology =
      isTable(text)
          ? ::soap::parseTopology(withoutProfiles(text), "soap.topology")
          : ::soap::builtinTopology(text.str());
  if (!topology)
    return emitError() << topology.error();
  return success();
}

TopologyAttr TopologyAttr::getInFull(MLIRContext *context,
                                     const ::soap::Topology &topology) {
  std::string text = ::soap::printTopology(topology);
  if (llvm::Expected<json::Value> table = json::parse(text))
    text = normalText(*table);
  else
    llvm::consumeError(table.takeError());
  return get(context, text);
}

TopologyAttr TopologyAttr::get(MLIRContext *context,
                               const ::soap::Topology &topology) {
  auto builtin = ::soap::builtinTopology(topology.name);
  if (builtin &&
      ::soap::printTopology(*builtin) == ::soap::printTopology(topology))
    return get(context, topology.name);
  return getInFull(context, topology);
}

StringRef mlir::soap::topologyText(Attribute attribute) {
  if (auto topology = dyn_cast_or_null<TopologyAttr>(attribute))
    return topology.getText();
  if (auto text = dyn_cast_or_null<StringAttr>(attribute))
    return text.getValue();
  return {};
}
