//===- PipelineAttribute.cpp - Syntax of pipelines ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#soap.pipeline<...>`, and the dictionary that is read in its place.
//
//===----------------------------------------------------------------------===//

#include "OpSupport.h"

#include "mlir/IR/DialectImplementation.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

/// `"1f1b"`: quoted, because it does not begin with a letter.
static ParseResult parseSchedule(AsmParser &parser,
                                 PipelineSchedule &schedule) {
  std::string name;
  SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword("schedule") || parser.parseEqual() ||
      parser.parseKeywordOrString(&name))
    return failure();
  std::optional<PipelineSchedule> found = symbolizePipelineSchedule(name);
  if (!found)
    return parser.emitError(at) << "expected a schedule, \"1f1b\" or "
                                   "\"gpipe\", got \""
                                << name << "\"";
  schedule = *found;
  return success();
}

Attribute PipelineAttr::parse(AsmParser &parser, Type) {
  SMLoc at = parser.getCurrentLocation();
  int64_t microbatches;
  PipelineSchedule schedule;
  SmallVector<int64_t> replicas;
  if (parser.parseLess() || parser.parseKeyword("microbatches") ||
      parser.parseEqual() || parser.parseInteger(microbatches) ||
      parser.parseComma() || parseSchedule(parser, schedule))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      (parser.parseKeyword("replicas") || parser.parseEqual() ||
       parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
         return parser.parseInteger(replicas.emplace_back());
       })))
    return {};
  if (parser.parseGreater())
    return {};
  return parser.getChecked<PipelineAttr>(at, parser.getContext(), microbatches,
                                         schedule, ArrayRef<int64_t>(replicas));
}

void PipelineAttr::print(AsmPrinter &printer) const {
  printer << "<microbatches = " << getMicrobatches() << ", schedule = \""
          << stringifyPipelineSchedule(getSchedule()) << "\"";
  if (!getReplicas().empty()) {
    printer << ", replicas = [";
    llvm::interleaveComma(getReplicas(), printer.getStream());
    printer << "]";
  }
  printer << ">";
}

static bool isReplicaCount(int64_t count) {
  return count >= 1 && count <= std::numeric_limits<int>::max();
}

LogicalResult PipelineAttr::verify(EmitError emitError, int64_t microbatches,
                                   PipelineSchedule,
                                   ArrayRef<int64_t> replicas) {
  if (microbatches < 1)
    return emitError() << "microbatches must be at least 1, got "
                       << microbatches;
  for (int64_t count : replicas)
    if (!isReplicaCount(count))
      return emitError() << "replicas must be in [1, "
                         << std::numeric_limits<int>::max() << "], got "
                         << count;
  return success();
}

PipelineAttr mlir::soap::readPipeline(Attribute attribute) {
  if (auto pipeline = dyn_cast_or_null<PipelineAttr>(attribute))
    return pipeline;
  auto table = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (!table)
    return {};
  auto microbatches = table.getAs<IntegerAttr>("microbatches");
  auto name = table.getAs<StringAttr>("schedule");
  std::optional<PipelineSchedule> schedule;
  if (name)
    schedule = symbolizePipelineSchedule(name.getValue());
  auto replicas = table.getAs<DenseI64ArrayAttr>("replicas");
  if (!microbatches || !microbatches.getType().isInteger(64) || !schedule ||
      table.size() != (replicas ? 3 : 2))
    return {};
  ArrayRef<int64_t> counts;
  if (replicas)
    counts = replicas.asArrayRef();
  if (microbatches.getInt() < 1 || !llvm::all_of(counts, isReplicaCount))
    return {};
  return PipelineAttr::get(attribute.getContext(), microbatches.getInt(),
                           *schedule, counts);
}
