//===- BatchConstants.cpp - Constants that hold the batch of a file -------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with a fixed batch may hold it in its constants, too: the divisor of a
// mean over the batch, the places of samples. Another batch leaves them as they
// are. Where samples do not meet, no constant can depend on their number.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Analysis/SampleMixing.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

/// The batch, or what divides by it, or by one less.
static bool mayBeBatch(double number, int64_t batch) {
  for (double value : {double(batch), double(batch - 1)})
    if (value > 1 && (std::fabs(number - value) <= 1e-6 * value ||
                      std::fabs(number * value - 1) <= 1e-6))
      return true;
  return false;
}

/// A number of the file that an op computes with.
static std::optional<double> numberOf(Operation &op) {
  if (auto scale = dyn_cast<ScaleOp>(op))
    return scale.getFactor().convertToDouble();
  auto constant = dyn_cast<ConstantOp>(op);
  auto values =
      constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  if (values && values.isSplat() && isa<FloatType>(values.getElementType()))
    return values.getSplatValue<APFloat>().convertToDouble();
  return std::nullopt;
}

static std::string nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return quote(name ? name.str() : op->getName().getStringRef().str());
}

/// Why a constant of the program may be the batch of the file; empty if none.
static std::string findBatch(func::FuncOp function, int64_t batch) {
  SampleMixing mixing = findSampleMixing(function);
  if (!mixing.parts.empty())
    return "op " + nameOf(mixing.parts.front()) +
           " takes a part of the samples, by constants of the file";
  for (Operation *op : mixing.gathers)
    if (isa_and_nonnull<ConstantOp>(op->getOperand(1).getDefiningOp()))
      return "op " + nameOf(op) + " picks samples by constants of the file";
  if (mixing.sums.empty() && mixing.gathers.empty())
    return "";
  Operation *first =
      (mixing.sums.empty() ? mixing.gathers : mixing.sums).front();
  for (Operation &op : function.front())
    if (auto number = numberOf(op); number && mayBeBatch(*number, batch))
      return "op " + nameOf(first) + " lets samples meet, where the number " +
             std::to_string(*number) + " of op " + nameOf(&op) +
             " may stand for it";
  return "";
}

/// The model with the batch that the file has, without a word about it; null
/// where it can not be imported.
static OwningOpRef<ModuleOp> importAsItIs(StringRef path,
                                          const GraphImporter &importer) {
  MLIRContext *context = importer.builder.getContext();
  ONNXImportOptions options = importer.options;
  options.batch = importer.oldBatch;
  options.assumeBatch = true;
  options.weightsOut.clear();
  options.weightPlaces = nullptr;
  for (auto &[name, shape] : options.inputShapes)
    if (options.sampleDim < int64_t(shape.size()))
      shape[options.sampleDim] = importer.oldBatch;
  ScopedDiagnosticHandler silence(context,
                                  [](Diagnostic &) { return success(); });
  return importONNX(path, context, options);
}

LogicalResult mlir::soap::onnx::checkBatch(StringRef path, ModuleOp module,
                                           const GraphImporter &importer) {
  OwningOpRef<ModuleOp> other;
  // Of one sample, maps do not tell the dim.
  if (importer.batch == 1) {
    other = importAsItIs(path, importer);
    if (!other)
      return success();
    module = *other;
  }
  std::string why =
      findBatch(*module.getOps<func::FuncOp>().begin(), importer.oldBatch);
  if (why.empty())
    return success();
  return emitError(importer.loc)
         << "the batch of the file, " << importer.oldBatch
         << ", is replaced by " << importer.batch << ", and " << why
         << ": expected an export with a dynamic batch, or the file's, or "
            "--assume-batch";
}
