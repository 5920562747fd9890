//===- DeviceLists.cpp - Syntax of lists of devices -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plan for a thousand devices has as many in each config, nearly always in
// ascending order. Ranges keep its text short.
//
//===----------------------------------------------------------------------===//

#include "DeviceLists.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

static ParseResult parseDevice(AsmParser &parser, int64_t &device) {
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseInteger(device))
    return failure();
  if (device < 0 || device > std::numeric_limits<int>::max())
    return parser.emitError(at)
           << "device must be in [0, " << std::numeric_limits<int>::max()
           << "], got " << device;
  return success();
}

/// `0 to 56 step 8`, after the first device.
static ParseResult parseRest(AsmParser &parser, SMLoc at, int64_t first,
                             SmallVectorImpl<int64_t> &devices) {
  int64_t last, step = 1;
  if (parseDevice(parser, last))
    return failure();
  if (last < first)
    return parser.emitError(at)
           << "range of devices must ascend, got " << first << " to " << last;
  SMLoc stepAt = parser.getCurrentLocation();
  if (succeeded(parser.parseOptionalKeyword("step"))) {
    if (parser.parseInteger(step))
      return failure();
    if (step < 1)
      return parser.emitError(stepAt)
             << "step must be at least 1, got " << step;
    if ((last - first) % step != 0)
      return parser.emitError(stepAt) << "step must lead from " << first
                                      << " to " << last << ", got " << step;
  }
  int64_t count = (last - first) / step + 1;
  if (static_cast<int64_t>(devices.size()) + count > maxListedDevices)
    return parser.emitError(at)
           << "list with ranges must have at most " << maxListedDevices
           << " devices, got " << devices.size() + count;
  for (int64_t i = 0; i < count; ++i)
    devices.push_back(first + i * step);
  return success();
}

ParseResult mlir::soap::parseDevices(AsmParser &parser,
                                     SmallVectorImpl<int64_t> &devices) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        SMLoc at = parser.getCurrentLocation();
        int64_t first;
        if (parseDevice(parser, first))
          return failure();
        if (succeeded(parser.parseOptionalKeyword("to")))
          return parseRest(parser, at, first, devices);
        devices.push_back(first);
        return success();
      });
}

/// How many of the first devices ascend by one step.
static size_t lengthOfRange(ArrayRef<int64_t> devices) {
  if (devices.size() < 2 || devices[1] <= devices[0])
    return 1;
  size_t length = 2;
  while (length < devices.size() &&
         devices[length] - devices[length - 1] == devices[1] - devices[0])
    ++length;
  return length;
}

void mlir::soap::printDevices(AsmPrinter &printer, ArrayRef<int64_t> devices) {
  printer << "[";
  // A list of single devices may be longer than one with ranges may be.
  bool hasRanges = static_cast<int64_t>(devices.size()) <= maxListedDevices;
  for (ArrayRef<int64_t> rest = devices; !rest.empty();) {
    if (rest.size() < devices.size())
      printer << ", ";
    printer << rest.front();
    size_t length = hasRanges ? lengthOfRange(rest) : 1;
    if (length < minPrintedRange) {
      rest = rest.drop_front();
      continue;
    }
    printer << " to " << rest[length - 1];
    if (int64_t step = rest[1] - rest[0]; step != 1)
      printer << " step " << step;
    rest = rest.drop_front(length);
  }
  printer << "]";
}
