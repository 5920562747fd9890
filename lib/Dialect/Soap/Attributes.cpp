//===- Attributes.cpp - Syntax of configs and regions ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parsers, printers and verifiers of #soap.config and #soap.region, and their
// translation to and from the core's types. Errors point at the key.
//
//===----------------------------------------------------------------------===//

#include "DeviceLists.h"
#include "OpSupport.h"

#include "mlir/IR/DialectImplementation.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

//===----------------------------------------------------------------------===//
// ConfigAttr
//===----------------------------------------------------------------------===//

/// `{n = 2, k = 2}`
static ParseResult parseDegrees(AsmParser &parser,
                                SmallVectorImpl<StringAttr> &loops,
                                SmallVectorImpl<int64_t> &degrees) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        SMLoc at = parser.getCurrentLocation();
        StringRef name;
        int64_t degree;
        if (parser.parseKeyword(&name) || parser.parseEqual() ||
            parser.parseInteger(degree))
          return failure();
        auto loop = StringAttr::get(parser.getContext(), name);
        if (llvm::is_contained(loops, loop))
          return parser.emitError(at) << "loop '" << name << "' appears twice";
        if (degree < 1)
          return parser.emitError(at) << "degree of loop '" << name
                                      << "' must be at least 1, got " << degree;
        loops.push_back(loop);
        degrees.push_back(degree);
        return success();
      });
}

/// `, replicas = 2, devices = [0, 1]`, the former optional.
static ParseResult parseReplicasAndDevices(AsmParser &parser, int64_t &replicas,
                                           SmallVectorImpl<int64_t> &devices) {
  if (parser.parseComma())
    return failure();
  SMLoc at = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("replicas"))) {
    if (parser.parseEqual() || parser.parseInteger(replicas))
      return failure();
    if (replicas < 1)
      return parser.emitError(at)
             << "replicas must be at least 1, got " << replicas;
    if (parser.parseComma())
      return failure();
  }
  if (parser.parseKeyword("devices") || parser.parseEqual())
    return failure();
  return parseDevices(parser, devices);
}

Attribute ConfigAttr::parse(AsmParser &parser, Type) {
  SMLoc at = parser.getCurrentLocation();
  SmallVector<StringAttr> loops;
  SmallVector<int64_t> degrees, devices;
  int64_t replicas = 1;
  if (parser.parseLess() || parseDegrees(parser, loops, degrees) ||
      parseReplicasAndDevices(parser, replicas, devices) ||
      parser.parseGreater())
    return {};
  return parser.getChecked<ConfigAttr>(
      at, parser.getContext(), ArrayRef<StringAttr>(loops),
      ArrayRef<int64_t>(degrees), replicas, ArrayRef<int64_t>(devices));
}

void ConfigAttr::print(AsmPrinter &printer) const {
  printer << "<{";
  llvm::interleaveComma(llvm::zip(getLoops(), getDegrees()),
                        printer.getStream(), [&](auto entry) {
                          printer.printKeywordOrString(
                              std::get<0>(entry).getValue());
                          printer << " = " << std::get<1>(entry);
                        });
  printer << "}";
  if (getReplicas() != 1)
    printer << ", replicas = " << getReplicas();
  printer << ", devices = ";
  printDevices(printer, getDevices());
  printer << ">";
}

ConfigAttr ConfigAttr::get(MLIRContext *context,
                           ArrayRef<std::pair<StringRef, int64_t>> degrees,
                           ArrayRef<int64_t> devices, int64_t replicas) {
  SmallVector<StringAttr> loops;
  SmallVector<int64_t> values;
  for (auto [loop, degree] : degrees) {
    loops.push_back(StringAttr::get(context, loop));
    values.push_back(degree);
  }
  return get(context, loops, values, replicas, devices);
}

LogicalResult ConfigAttr::verify(EmitError emitError,
                                 ArrayRef<StringAttr> loops,
                                 ArrayRef<int64_t> degrees, int64_t replicas,
                                 ArrayRef<int64_t> devices) {
  if (loops.size() != degrees.size())
    return emitError() << "expected a degree per loop, got " << degrees.size()
                       << " degrees for " << loops.size() << " loops";
  for (size_t i = 0; i < loops.size(); ++i) {
    if (llvm::is_contained(loops.take_front(i), loops[i]))
      return emitError() << "loop '" << loops[i].getValue()
                         << "' appears twice";
    if (degrees[i] < 1)
      return emitError() << "degree of loop '" << loops[i].getValue()
                         << "' must be at least 1, got " << degrees[i];
  }
  if (replicas < 1)
    return emitError() << "replicas must be at least 1, got " << replicas;
  for (int64_t device : devices)
    if (device < 0 || device > std::numeric_limits<int>::max())
      return emitError() << "device must be in [0, "
                         << std::numeric_limits<int>::max() << "], got "
                         << device;
  return success();
}

std::optional<::soap::Config>
mlir::soap::resolveConfig(ConfigAttr attr, const IterationSpace &space,
                          std::string &error) {
  ::soap::Config config;
  config.degrees.assign(space.loops.size(), 1);
  for (auto [name, degree] : llvm::zip(attr.getLoops(), attr.getDegrees())) {
    int loop = space.findLoop(name.str());
    if (loop < 0) {
      error = "'" + name.str() + "' is not a loop of the op, whose loops are ";
      llvm::raw_string_ostream stream(error);
      llvm::interleaveComma(space.loops, stream,
                            [&](const Loop &l) { stream << l.name; });
      return std::nullopt;
    }
    config.degrees[loop] = degree;
  }
  config.replicas = attr.getReplicas();
  config.devices.assign(attr.getDevices().begin(), attr.getDevices().end());
  return config;
}

ConfigAttr mlir::soap::makeConfigAttr(MLIRContext *context,
                                      const ::soap::Config &config,
                                      const IterationSpace &space) {
  SmallVector<StringAttr> loops;
  SmallVector<int64_t> degrees;
  for (auto [loop, degree] : llvm::zip(space.loops, config.degrees)) {
    if (degree == 1)
      continue;
    loops.push_back(StringAttr::get(context, loop.name));
    degrees.push_back(degree);
  }
  SmallVector<int64_t> devices(config.devices.begin(), config.devices.end());
  return ConfigAttr::get(context, loops, degrees, config.replicas, devices);
}

//===----------------------------------------------------------------------===//
// RegionAttr
//===----------------------------------------------------------------------===//

/// `0:2`
static ParseResult parseInterval(AsmParser &parser,
                                 SmallVectorImpl<int64_t> &bounds,
                                 bool firstOfDim) {
  SMLoc at = parser.getCurrentLocation();
  int64_t lo, hi;
  if (parser.parseInteger(lo) || parser.parseColon() || parser.parseInteger(hi))
    return failure();
  if (lo < 0 || hi <= lo)
    return parser.emitError(at)
           << "interval '" << lo << ":" << hi << "' must satisfy 0 <= lo < hi";
  if (!firstOfDim && lo <= bounds.back())
    return parser.emitError(at)
           << "interval '" << lo << ":" << hi
           << "' must begin after the end of the one before it, "
           << bounds.back();
  bounds.append({lo, hi});
  return success();
}

Attribute RegionAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> counts, bounds;
  auto parseDim = [&]() -> ParseResult {
    counts.push_back(0);
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
      return parseInterval(parser, bounds, counts.back()++ == 0);
    });
  };
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseDim))
    return {};
  return parser.getChecked<RegionAttr>(at, parser.getContext(),
                                       ArrayRef<int64_t>(counts),
                                       ArrayRef<int64_t>(bounds));
}

void RegionAttr::print(AsmPrinter &printer) const {
  printer << "<" << getRegion().str() << ">";
}

LogicalResult RegionAttr::verify(EmitError emitError, ArrayRef<int64_t> counts,
                                 ArrayRef<int64_t> bounds) {
  int64_t total = 0;
  for (int64_t count : counts) {
    if (count < 0)
      return emitError() << "interval counts must not be negative";
    total += count;
  }
  if (total * 2 != static_cast<int64_t>(bounds.size()))
    return emitError() << "expected two bounds per interval, got "
                       << bounds.size() << " for " << total << " intervals";
  for (int64_t count : counts) {
    for (int64_t i = 0; i < count; ++i) {
      int64_t lo = bounds[2 * i], hi = bounds[2 * i + 1];
      if (lo < 0 || hi <= lo || (i > 0 && lo <= bounds[2 * i - 1]))
        return emitError() << "intervals must be sorted, disjoint, not "
                              "touching and not empty, got '"
                           << lo << ":" << hi << "'";
    }
    bounds = bounds.drop_front(2 * count);
  }
  return success();
}

RegionAttr RegionAttr::get(MLIRContext *context, const TileRegion &region) {
  SmallVector<int64_t> counts, bounds;
  for (const ::soap::IndexSet &set : region.indexSets()) {
    counts.push_back(static_cast<int64_t>(set.intervals().size()));
    for (const ::soap::Interval &interval : set.intervals())
      bounds.append({interval.lo, interval.hi});
  }
  return get(context, ArrayRef<int64_t>(counts), ArrayRef<int64_t>(bounds));
}

TileRegion RegionAttr::getRegion() const {
  std::vector<::soap::IndexSet> dims;
  ArrayRef<int64_t> bounds = getBounds();
  for (int64_t count : getCounts()) {
    std::vector<::soap::Interval> intervals;
    for (int64_t i = 0; i < count; ++i)
      intervals.push_back({bounds[2 * i], bounds[2 * i + 1]});
    bounds = bounds.drop_front(2 * count);
    dims.push_back(::soap::IndexSet::fromIntervals(std::move(intervals)));
  }
  return TileRegion(std::move(dims));
}
