//===- Layouts.cpp - How a program holds its images -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Layouts.h.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"

#include "SlotNames.h"

#include "../Reference/Kernels.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/TargetParser/Host.h"

#include <cassert>
#include <map>
#include <set>

using namespace mlir;
using namespace mlir::soap;

std::optional<ImageLayout> mlir::soap::parseLayout(StringRef name) {
  if (name == "auto") {
    // Without AVX, too, the library has kernels for blocks of 8.
    bool wide = llvm::sys::getHostCPUFeatures().lookup("avx512f");
    return wide ? ImageLayout::Blocks16 : ImageLayout::Blocks8;
  }
  for (ImageLayout layout :
       {ImageLayout::ChannelsFirst, ImageLayout::ChannelsLast,
        ImageLayout::Blocks8, ImageLayout::Blocks16})
    if (name == layoutName(layout))
      return layout;
  return std::nullopt;
}

StringRef mlir::soap::layoutName(ImageLayout layout) {
  switch (layout) {
  case ImageLayout::ChannelsFirst:
    return "nchw";
  case ImageLayout::ChannelsLast:
    return "nhwc";
  case ImageLayout::Blocks8:
    return "nchw8c";
  case ImageLayout::Blocks16:
    return "nchw16c";
  }
  return "nchw";
}

RankedTensorType mlir::soap::bufferType(RankedTensorType type,
                                        ImageLayout layout) {
  if (layout == ImageLayout::ChannelsFirst)
    return type;
  SmallVector<int64_t> shape;
  assert(type.getRank() == 4 && "images have four dims");
  for (unsigned dim : bufferOrder(layout))
    shape.push_back(type.getDimSize(dim));
  if (int64_t block = channelBlock(layout)) {
    assert(type.getDimSize(1) % block == 0 && "whole blocks of channels");
    shape[1] /= block;
    shape.back() = block;
  }
  return RankedTensorType::get(shape, type.getElementType());
}

bool mlir::soap::layoutsAgree(RankedTensorType type, ImageLayout a,
                              ImageLayout b) {
  if (a == b)
    return true;
  assert(type.getRank() == 4 && "images have four dims");
  ArrayRef<int64_t> shape = type.getShape();
  // One block is channels last.
  auto isLast = [&](ImageLayout layout) {
    return layout == ImageLayout::ChannelsLast ||
           (channelBlock(layout) && shape[1] == channelBlock(layout));
  };
  return shape[1] == 1 || shape[2] * shape[3] == 1 || (isLast(a) && isLast(b));
}

namespace {

/// The values of an op that can have another layout, all the same one.
struct Images {
  SmallVector<OpOperand *> operands;
  SmallVector<Value> results;

  SmallVector<Value> values() const {
    SmallVector<Value> all(results);
    for (OpOperand *operand : operands)
      all.push_back(operand->get());
    return all;
  }
};

bool isImage(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank() == 4;
}

/// Repeats along some dims: the same elements in the same order in all
/// layouts, as long as channels and positions are not both there.
bool isOrderedBroadcast(ArrayRef<bool> has) {
  return has.size() == 4 && !(has[1] && (has[2] || has[3]));
}

/// Images of an elementwise op; none if some operand would be in another order.
Images elementwiseImages(Operation *op, bool anyElement) {
  Images images;
  if (!isImage(op->getResult(0)))
    return images;
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<RankedTensorType>(operand.get().getType());
    if (type == result || (anyElement && type.getShape() == result.getShape()))
      images.operands.push_back(&operand);
    else if (!isOrderedBroadcast(operandDims(op, operand.getOperandNumber())))
      return {};
  }
  llvm::append_range(images.results, op->getResults());
  return images;
}

/// Images of norms over batches: the operands at the front, and the first
/// result unless that is statistics.
Images normImages(Operation *op) {
  auto has = [&](unsigned operands, bool result) {
    Images images;
    for (unsigned i = 0; i < operands; ++i)
      images.operands.push_back(&op->getOpOperand(i));
    if (result)
      images.results.push_back(op->getResult(0));
    return images;
  };
  return llvm::TypeSwitch<Operation *, Images>(op)
      .Case<BatchNormOp, BatchNormTrainOp, BatchNormApplyOp>(
          [&](Operation *) { return has(1, true); })
      .Case([&](BatchNormStatsOp) { return has(1, false); })
      .Case<BatchNormGradOp, BatchNormGradApplyOp>(
          [&](Operation *) { return has(2, true); })
      .Case([&](BatchNormGradReduceOp) { return has(2, false); })
      .Default(Images());
}

Images imagesOf(Operation *op, bool isLibrary, bool gpu) {
  auto operandsAt = [&](std::initializer_list<unsigned> indices) {
    Images images;
    for (unsigned i : indices)
      images.operands.push_back(&op->getOpOperand(i));
    return images;
  };
  if (isLibrary)
    return llvm::TypeSwitch<Operation *, Images>(op)
        .Case<Conv2DOp, Conv2DInputGradOp>([&](Operation *) {
          Images images = operandsAt({0});
          images.results.push_back(op->getResult(0));
          return images;
        })
        .Case([&](Conv2DWeightGradOp) { return operandsAt({0, 1}); })
        .Default(Images());
  // Updates write over their operands, which are arguments of the program.
  if (isa<SgdOp>(op) || (gpu && isa<AdamOp>(op)))
    return {};
  if (isElementwise(op))
    return elementwiseImages(op, /*anyElement=*/gpu);
  Images images = gpu ? normImages(op) : Images();
  if (!images.operands.empty())
    return images;
  if (!isa<MaxPool2DOp, MaxPool2DGradOp, AvgPool2DOp, AvgPool2DGradOp, ReduceOp,
           ConcatOp, SliceOp, PadOp>(op) &&
      !(gpu && isa<AssembleOp>(op)))
    return images;
  for (OpOperand &operand : op->getOpOperands())
    if (isImage(operand.get()))
      images.operands.push_back(&operand);
  if (!isa<ReduceOp>(op))
    llvm::append_range(images.results, op->getResults());
  return images;
}

int64_t channelsOf(Value image) {
  assert(isImage(image) && "images have four dims");
  return cast<RankedTensorType>(image.getType()).getDimSize(1);
}

/// The op works on whole blocks of channels.
bool keepsBlocks(Operation *op, int64_t block) {
  assert(block > 0 && "a layout with blocks");
  auto whole = [&](int64_t channels) { return channels % block == 0; };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<Conv2DOp, Conv2DInputGradOp, Conv2DWeightGradOp>([&](auto conv) {
        auto groups = static_cast<int64_t>(conv.getGroups());
        auto weight = cast<RankedTensorType>(isa<Conv2DWeightGradOp>(op)
                                                 ? op->getResult(0).getType()
                                                 : op->getOperand(1).getType());
        int64_t inputs = weight.getDimSize(1),
                outputs = weight.getDimSize(0) / groups;
        bool isDepthwise = inputs == 1 && outputs == 1;
        return groups == 1 || isDepthwise || (whole(inputs) && whole(outputs));
      })
      .Case([&](SliceOp slice) {
        return slice.getStrides()[1] == 1 && whole(slice.getOffsets()[1]);
      })
      .Case([&](PadOp pad) {
        return pad.getInterior()[1] == 0 && whole(pad.getLow()[1]);
      })
      .Default(true);
}

/// A window slides over the op's images, of many channels: kernels of the CPU
/// are several times as fast with channels innermost as over rows of pixels.
bool slidesOverChannels(Operation *op) {
  constexpr int64_t many = 8;
  return isa<MaxPool2DOp, MaxPool2DGradOp, AvgPool2DOp, AvgPool2DGradOp>(op) &&
         channelsOf(op->getResult(0)) >= many;
}

/// Values of one layout.
struct ImageClass {
  unsigned convolutions = 0;
  bool windows = false; ///< of pooling
  bool blocks = true;   ///< can be in blocks
};

/// A first convolution: its input has so few channels that the library reads
/// them as they are, whatever the layout of the output.
bool isFirstConvolution(Operation *op, int64_t block) {
  return isa<Conv2DOp, Conv2DWeightGradOp>(op) &&
         channelsOf(op->getOperand(0)) < block / 2 &&
         channelsOf(isa<Conv2DOp>(op) ? op->getResult(0) : op->getOperand(1)) %
                 block ==
             0;
}

/// The image that is not the small input.
Images largeImages(Operation *op, Images images) {
  if (isa<Conv2DOp>(op))
    images.operands.clear();
  else
    images.operands.erase(images.operands.begin());
  return images;
}

} // namespace

Layouts::Layouts(Block &block, function_ref<bool(Operation *)> isLibrary,
                 LayoutRules rules, const llvm::DenseSet<Operation *> &fixed) {
  ImageLayout preferred = rules.preferred;
  if (preferred == ImageLayout::ChannelsFirst)
    return;
  int64_t channels = channelBlock(preferred);
  struct Member {
    Operation *op;
    Images images;
    bool isLibrary;
  };
  SmallVector<Member> members;
  for (Operation &op : block) {
    if (op.getNumOperands() == 0 || fixed.contains(&op))
      continue;
    bool library = isLibrary(&op);
    Images images = imagesOf(&op, library, rules.gpu);
    if (!images.values().empty() && llvm::all_of(images.values(), isImage))
      members.push_back({&op, std::move(images), library});
  }
  // Convolutions with few input channels tie their input to their output only
  // where the output cannot be in blocks.
  llvm::DenseSet<Operation *> apart;
  if (channels)
    for (Member &member : members)
      if (member.isLibrary && isFirstConvolution(member.op, channels))
        apart.insert(member.op);
  llvm::EquivalenceClasses<void *> sets;
  llvm::DenseMap<void *, ImageClass> classes;
  for (bool again = true; again;) {
    again = false;
    sets = llvm::EquivalenceClasses<void *>();
    classes.clear();
    auto tied = [&](const Member &member) {
      return apart.contains(member.op) ? largeImages(member.op, member.images)
                                       : member.images;
    };
    for (const Member &member : members) {
      SmallVector<Value> values = tied(member).values();
      for (Value value : values)
        sets.unionSets(values[0].getAsOpaquePointer(),
                       value.getAsOpaquePointer());
    }
    for (const Member &member : members) {
      SmallVector<Value> values = tied(member).values();
      ImageClass &set =
          classes[sets.getLeaderValue(values[0].getAsOpaquePointer())];
      set.convolutions += member.isLibrary;
      set.windows |= !rules.gpu && slidesOverChannels(member.op);
      set.blocks &= channels && keepsBlocks(member.op, channels) &&
                    llvm::all_of(values, [&](Value value) {
                      return channelsOf(value) % channels == 0;
                    });
    }
    for (const Member &member : members) {
      Value large = tied(member).values()[0];
      if (apart.contains(member.op) &&
          !classes.lookup(sets.getLeaderValue(large.getAsOpaquePointer()))
               .blocks) {
        apart.erase(member.op);
        again = true;
      }
    }
  }
  for (const Member &member : members) {
    Images images = apart.contains(member.op)
                        ? largeImages(member.op, member.images)
                        : member.images;
    const ImageClass &set =
        classes[sets.getLeaderValue(images.values()[0].getAsOpaquePointer())];
    // For one convolution alone, two copies cost more than they gain.
    if (set.convolutions < 2 && !set.windows)
      continue;
    ImageLayout layout = set.blocks ? preferred : ImageLayout::ChannelsLast;
    for (Value value : images.results)
      values[value] = layout;
    for (OpOperand *operand : images.operands)
      operands[operand] = layout;
  }
}

void Layouts::readSumsAsHeld(Block &block) {
  for (auto combine : block.getOps<CombineOp>()) {
    CombinerKind kind = combine.getCombiner();
    if (::soap::hasStatisticsDim(static_cast<::soap::Combiner>(kind)))
      continue;
    for (OpOperand &tile : combine->getOpOperands())
      if (ImageLayout layout = held(tile.get());
          layout != ImageLayout::ChannelsFirst)
        operands[&tile] = layout;
  }
}

/// Layouts with blocks are not written: no pass between decides on them.
static ArrayAttr layoutsAttr(Builder &builder, ArrayRef<ImageLayout> layouts) {
  SmallVector<Attribute> values;
  for (ImageLayout layout : layouts)
    values.push_back(TensorLayoutAttr::get(builder.getContext(),
                                           layout == ImageLayout::ChannelsLast
                                               ? TensorLayout::NHWC
                                               : TensorLayout::NCHW));
  return builder.getArrayAttr(values);
}

void Layouts::writeAttributes(Block &block) const {
  Builder builder(block.getParentOp()->getContext());
  for (Operation &op : block) {
    SmallVector<ImageLayout> layouts;
    for (OpOperand &operand : op.getOpOperands())
      layouts.push_back(read(operand));
    for (Value result : op.getResults())
      layouts.push_back(held(result));
    if (llvm::any_of(layouts, [](ImageLayout layout) {
          return layout != ImageLayout::ChannelsFirst;
        }))
      op.setAttr(kLayouts, layoutsAttr(builder, layouts));
  }
}

Layouts Layouts::ofAttributes(Block &block) {
  Layouts layouts;
  for (Operation &op : block) {
    auto names = op.getAttrOfType<ArrayAttr>(kLayouts);
    if (!names)
      continue;
    auto layoutAt = [&](size_t place) {
      return enumValue<TensorLayoutAttr>(names[place]) == TensorLayout::NHWC
                 ? ImageLayout::ChannelsLast
                 : ImageLayout::ChannelsFirst;
    };
    for (OpOperand &operand : op.getOpOperands())
      layouts.setRead(operand, layoutAt(operand.getOperandNumber()));
    for (OpResult result : op.getResults())
      layouts.setHeld(result,
                      layoutAt(op.getNumOperands() + result.getResultNumber()));
  }
  return layouts;
}

SmallVector<Layouts>
mlir::soap::assignLayouts(ModuleOp module, ArrayRef<func::FuncOp> programs,
                          function_ref<bool(Operation *)> isLibrary,
                          LayoutRules rules) {
  SlotNames names(module);
  auto namesOf = [&](func::FuncOp program, Operation &op) {
    return names.of(program, &op);
  };
  llvm::DenseSet<Operation *> fixed;
  // Ops whose programs do not agree stay as the model has them; that may part
  // others. Ends, as fixed ops only become more.
  for (;;) {
    SmallVector<Layouts> layouts;
    for (func::FuncOp program : programs)
      layouts.emplace_back(program.getBody().front(), isLibrary, rules, fixed);
    // By name and kind of op: a task may be several ops.
    using Key = std::pair<StringRef, StringRef>;
    std::map<Key, SmallVector<ImageLayout>> first;
    std::set<Key> parted;
    for (auto [function, assigned] : llvm::zip(programs, layouts)) {
      func::FuncOp program = function;
      for (Operation &op : program.getBody().front()) {
        // Kernels without sums have the same bits in all layouts.
        if (rules.gpu && (isElementwise(&op) ||
                          isa<AssembleOp, ConcatOp, SliceOp, PadOp>(op)))
          continue;
        SmallVector<ImageLayout> own;
        for (OpOperand &operand : op.getOpOperands())
          own.push_back(assigned.read(operand));
        for (Value result : op.getResults())
          own.push_back(assigned.held(result));
        llvm::erase(own, ImageLayout::ChannelsFirst);
        for (StringRef name : namesOf(program, op)) {
          Key key{name, op.getName().getStringRef()};
          auto [known, isNew] = first.try_emplace(key, own);
          if (!isNew && known->second != own)
            parted.insert(key);
        }
      }
    }
    if (parted.empty()) {
      for (auto [function, assigned] : llvm::zip(programs, layouts))
        if (func::FuncOp program = function; !rules.gpu)
          assigned.readSumsAsHeld(program.getBody().front());
      return layouts;
    }
    for (func::FuncOp program : programs)
      for (Operation &op : program.getBody().front())
        for (StringRef name : namesOf(program, op))
          if (parted.count({name, op.getName().getStringRef()}))
            fixed.insert(&op);
  }
}
