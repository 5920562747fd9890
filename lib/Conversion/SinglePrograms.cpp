//===- SinglePrograms.cpp - Functions as programs of one device -----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gives modules that are not partitioned the rank table of a partitioned one.
// In partitioned ones, convolutions read the tiles that theirs are cut of.
//
//===----------------------------------------------------------------------===//

#include "WholeTiles.h"

#include "Soap/Analysis/SharedOps.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/IndexBounds.h"
#include "Soap/Dialect/Soap/Ops/ForeignOps.h"
#include "Soap/Dialect/Soap/SoapCollectives.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPSINGLEPROGRAMS
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

DictionaryAttr
dictionary(Builder &builder,
           std::initializer_list<std::pair<StringRef, Attribute>> entries) {
  NamedAttrList list;
  for (const auto &[key, value] : entries)
    list.set(key, value);
  return list.getDictionary(builder.getContext());
}

/// Name of an argument or result, or a default.
std::string nameOf(DictionaryAttr attributes, StringRef fallback, size_t i) {
  if (attributes)
    if (auto name = attributes.getAs<StringAttr>(SoapDialect::kName))
      return name.str();
  return (fallback + Twine(i)).str();
}

/// Row of the tensor table: the `soap.` attributes, name and type.
DictionaryAttr tensorRow(Builder &builder, StringRef name, ValueKind kind,
                         Type type, DictionaryAttr attributes,
                         Attribute bounds = nullptr) {
  NamedAttrList row;
  row.set("kind", ValueKindAttr::get(builder.getContext(), kind));
  if (attributes)
    for (NamedAttribute attribute : attributes) {
      StringRef key = attribute.getName();
      if (key.consume_front("soap.") && key != "config")
        row.set(key, attribute.getValue());
    }
  row.set("name", builder.getStringAttr(name));
  row.set("type", TypeAttr::get(type));
  if (bounds)
    row.set("classes", bounds);
  return row.getDictionary(builder.getContext());
}

DictionaryAttr tileRow(Builder &builder, StringRef tensor, Type type,
                       bool updated) {
  ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
  auto whole =
      ::soap::Region::whole(std::vector<int64_t>(shape.begin(), shape.end()));
  return dictionary(builder,
                    {{"tensor", builder.getStringAttr(tensor)},
                     {"region", RegionAttr::get(builder.getContext(), whole)},
                     {"updated", builder.getBoolAttr(updated)}});
}

/// Slots and schedule of a function: its ops in their order, at no time.
DictionaryAttr numberOps(Builder &builder, func::FuncOp function,
                         int64_t &count) {
  SmallVector<Attribute> names, kinds;
  for (Operation &op : function.getOps()) {
    if (!isModelOp(&op))
      continue;
    op.setAttr(SoapDialect::kSlot, builder.getI64IntegerAttr(names.size()));
    StringRef kind = op.getName().stripDialect();
    auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName);
    names.push_back(
        name ? name : builder.getStringAttr(kind + "#" + Twine(names.size())));
    kinds.push_back(builder.getStringAttr(kind));
  }
  count = static_cast<int64_t>(names.size());
  SmallVector<int64_t> zeros(count, 0);
  return dictionary(builder, {{"names", builder.getArrayAttr(names)},
                              {"kinds", builder.getArrayAttr(kinds)},
                              {"start_ns", builder.getDenseI64ArrayAttr(zeros)},
                              {"end_ns", builder.getDenseI64ArrayAttr(zeros)}});
}

FailureOr<DictionaryAttr> programEntry(func::FuncOp function) {
  Builder builder(function.getContext());
  SmallVector<Attribute> tensors, args, results;
  SmallVector<bool> updated(function.getNumArguments(), false);
  int64_t batch = 0;
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto updates =
            function.getResultAttrOfType<IntegerAttr>(i, SoapDialect::kUpdates))
      updated[updates.getInt()] = true;
  for (auto [types, what] :
       {std::pair(function.getArgumentTypes(), StringRef("argument")),
        std::pair(function.getResultTypes(), StringRef("result"))})
    for (auto [i, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape())
        return function.emitError()
               << what << " #" << i << " of '" << function.getName()
               << "' must be a tensor of static shape, got " << type;
    }
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    DictionaryAttr attributes = function.getArgAttrDict(i);
    std::string name = nameOf(attributes, "arg", i);
    tensors.push_back(
        tensorRow(builder, name, ValueKind::Data, type, attributes,
                  boundsAttribute(function, function.getArgument(i))));
    args.push_back(tileRow(builder, name, type, updated[i]));
    if (auto dim =
            function.getArgAttrOfType<IntegerAttr>(i, SoapDialect::kSampleDim))
      batch = cast<RankedTensorType>(type).getDimSize(dim.getInt());
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    DictionaryAttr attributes = function.getResultAttrDict(i);
    if (attributes && attributes.get(SoapDialect::kUpdates))
      continue;
    std::string name = nameOf(attributes, "result", i);
    tensors.push_back(
        tensorRow(builder, name, ValueKind::Output, type, attributes));
    results.push_back(tileRow(builder, name, type, false));
  }

  int64_t slots = 0;
  DictionaryAttr schedule = numberOps(builder, function, slots);
  SmallVector<int64_t> none(slots, -1);
  DictionaryAttr rank = dictionary(
      builder, {{"device", builder.getI64IntegerAttr(0)},
                {"program", FlatSymbolRefAttr::get(function)},
                {"tasks", builder.getDenseI64ArrayAttr(
                              llvm::to_vector(llvm::seq<int64_t>(0, slots)))},
                {"peers", builder.getDenseI64ArrayAttr(none)},
                {"transfers", builder.getDenseI64ArrayAttr(none)},
                {"args", builder.getArrayAttr(args)},
                {"results", builder.getArrayAttr(results)}});
  return dictionary(builder,
                    {{"entry", builder.getStringAttr(function.getName())},
                     {"batch", builder.getI64IntegerAttr(batch)},
                     {"tensors", builder.getArrayAttr(tensors)},
                     {"schedule", schedule},
                     {"ranks", builder.getArrayAttr({rank})}});
}

/// Messages have peers in a rank table only.
LogicalResult checkSendsNothing(func::FuncOp function) {
  auto result = function.walk([&](Operation *op) {
    if (!isa<SendOp, RecvOp>(op) && !isCollective(op))
      return WalkResult::advance();
    op->emitOpError("is in function '")
        << function.getName()
        << "', which is not partitioned: expected a program of "
           "--soap-partition, which says with whom it exchanges messages";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

struct SingleProgramsPass
    : public mlir::soap::impl::SoapSingleProgramsBase<SingleProgramsPass> {
  using SoapSingleProgramsBase::SoapSingleProgramsBase;

  /// The rank table has attributes of the dialect; ops may be of others.
  void getDependentDialects(DialectRegistry &registry) const override {
    SoapSingleProgramsBase::getDependentDialects(registry);
    registry.insert<SoapDialect>();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (module->hasAttr(SoapDialect::kPrograms)) {
      if (failed(inlineSharedOps(module)))
        return signalPassFailure();
      for (auto function : module.getOps<func::FuncOp>())
        for (Block &block : function.getBody())
          readWholeTiles(block);
      return;
    }
    WalkResult strategy = module.walk([](IterationSpaceOpInterface op) {
      auto config = op->getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
      bool isElsewhere =
          config && llvm::any_of(config.getDevices(),
                                 [](int64_t device) { return device != 0; });
      return isElsewhere ? WalkResult::interrupt() : WalkResult::advance();
    });
    if (strategy.wasInterrupted())
      module.emitRemark("has a strategy that is not used: expected "
                        "'--soap-partition' before, without which every "
                        "function is a program of one device");
    SmallVector<Attribute> entries;
    for (func::FuncOp function : module.getOps<func::FuncOp>()) {
      if (function.isExternal() || function.isPrivate())
        continue;
      if (failed(checkSendsNothing(function)))
        return signalPassFailure();
      FailureOr<DictionaryAttr> entry = programEntry(function);
      if (failed(entry))
        return signalPassFailure();
      entries.push_back(*entry);
    }
    if (entries.empty()) {
      module.emitError("has no function to make a program of");
      return signalPassFailure();
    }
    module->setAttr(SoapDialect::kPrograms,
                    ArrayAttr::get(module.getContext(), entries));
  }
};

} // namespace
