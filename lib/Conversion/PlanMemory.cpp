//===- PlanMemory.cpp - One arena for the temporaries of a program --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Live ranges of straight-line code, and first-fit by decreasing size.
//
//===----------------------------------------------------------------------===//

#include "PostedSends.h"

#include "Soap/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/Pass.h"

#include <cassert>
#include <vector>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPLANMEMORY
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr int64_t plainAlignment = 64;
/// Alignment that cuBLASLt and cuDNN demand of a workspace. The arena of a GPU
/// program begins at such an address, as cudaMalloc gives it.
constexpr int64_t workspaceAlignment = 256;

/// A temporary buffer: live from op `first` to op `last`, both included.
struct Buffer {
  memref::AllocOp alloc;
  int64_t first = 0, last = 0, bytes = 0, offset = 0;
  int64_t alignment = plainAlignment;

  bool overlapsLife(const Buffer &other) const {
    return first <= other.last && other.first <= last;
  }
};

int64_t alignUp(int64_t bytes, int64_t alignment) {
  assert(bytes >= 0 && alignment > 0 && "sizes are positive");
  return (bytes + alignment - 1) / alignment * alignment;
}

/// Whether a library call has the buffer as its workspace: the bytes that it
/// writes last.
bool isWorkspace(memref::AllocOp alloc) {
  return alloc.getType().getElementType().isInteger(8) &&
         llvm::any_of(alloc->getUsers(), [&](Operation *user) {
           auto call = dyn_cast<LibraryCallOp>(user);
           return call && !call.getOutputs().empty() &&
                  call.getOutputs().back() == alloc.getResult();
         });
}

/// Position of the last op that uses `value` or a view of it, -1 if none does.
int64_t lastUse(Value value, const DenseMap<Operation *, int64_t> &positions) {
  int64_t last = -1;
  SmallVector<Value> views{value};
  while (!views.empty())
    for (Operation *user : views.pop_back_val().getUsers()) {
      last = std::max(last, positions.lookup(user));
      // Peers read it until they end.
      if (auto send = dyn_cast<SendBufferOp>(user); send && isPosted(send))
        last = static_cast<int64_t>(positions.size());
      if (isa<ViewLikeOpInterface>(user))
        llvm::append_range(views, user->getResults());
    }
  return last;
}

FailureOr<SmallVector<Buffer>> collectBuffers(func::FuncOp function) {
  DenseMap<Operation *, int64_t> positions;
  SmallVector<Buffer> buffers;
  Block &block = function.getBody().front();
  for (Operation &op : block)
    positions[&op] = static_cast<int64_t>(positions.size());
  for (memref::AllocOp alloc : block.getOps<memref::AllocOp>()) {
    MemRefType type = alloc.getType();
    if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
        !type.getElementType().isIntOrFloat())
      return alloc.emitOpError("of type ")
             << type
             << " has no place in an arena: expected a static row-major "
                "buffer of numbers";
    Buffer buffer{alloc};
    buffer.first = positions[alloc];
    buffer.last = std::max(buffer.first, lastUse(alloc, positions));
    // Empty buffers have an address, too.
    buffer.bytes =
        alignUp(std::max<int64_t>(sizeInBytes(type), 1), plainAlignment);
    if (isWorkspace(alloc))
      buffer.alignment = workspaceAlignment;
    assert(buffer.first <= buffer.last && "a life ends after its beginning");
    buffers.push_back(buffer);
  }
  return buffers;
}

/// Buffers that have places, found by their lives: buffers of a microbatch
/// live beside few others, however many microbatches the program has.
class PlacedBuffers {
public:
  explicit PlacedBuffers(int64_t positions)
      : periods(positions / kPeriod + 1) {}

  void add(const Buffer &buffer) {
    forEachPeriod(buffer, [&](auto &period) { period.push_back(&buffer); });
  }

  /// Those that live at the same time as `buffer`, by offset.
  ArrayRef<const Buffer *> beside(const Buffer &buffer) {
    found.clear();
    forEachPeriod(buffer, [&](auto &period) {
      for (const Buffer *other : period)
        if (other->overlapsLife(buffer))
          found.push_back(other);
    });
    llvm::sort(found, [](const Buffer *a, const Buffer *b) {
      return std::pair(a->offset, a) < std::pair(b->offset, b);
    });
    found.erase(llvm::unique(found), found.end());
    return found;
  }

private:
  static constexpr int64_t kPeriod = 128; ///< ops

  template <typename Visit>
  void forEachPeriod(const Buffer &buffer, Visit visit) {
    assert(buffer.last / kPeriod < static_cast<int64_t>(periods.size()) &&
           "a life within the program");
    for (int64_t i = buffer.first / kPeriod; i <= buffer.last / kPeriod; ++i)
      visit(periods[i]);
  }

  std::vector<std::vector<const Buffer *>> periods;
  std::vector<const Buffer *> found;
};

/// The lowest aligned offset at which `buffer` overlaps no other one. `others`
/// live at the same time and are sorted by offset.
int64_t findOffset(const Buffer &buffer, ArrayRef<const Buffer *> others) {
  assert(llvm::is_sorted(others,
                         [](const Buffer *a, const Buffer *b) {
                           return a->offset < b->offset;
                         }) &&
         "others by offset");
  int64_t offset = 0;
  for (const Buffer *other : others) {
    if (offset + buffer.bytes <= other->offset)
      break;
    offset = std::max(offset,
                      alignUp(other->offset + other->bytes, buffer.alignment));
  }
  return offset;
}

int64_t placeBuffers(MutableArrayRef<Buffer> buffers) {
  SmallVector<Buffer *> bySize;
  int64_t end = 0;
  for (Buffer &buffer : buffers) {
    bySize.push_back(&buffer);
    end = std::max(end, buffer.last);
  }
  llvm::stable_sort(bySize, [](const Buffer *a, const Buffer *b) {
    return a->bytes > b->bytes;
  });
  PlacedBuffers placed(end);
  int64_t arena = 0;
  for (Buffer *buffer : bySize) {
    buffer->offset = findOffset(*buffer, placed.beside(*buffer));
    assert(llvm::none_of(placed.beside(*buffer),
                         [&](const Buffer *other) {
                           return other->offset <
                                      buffer->offset + buffer->bytes &&
                                  buffer->offset < other->offset + other->bytes;
                         }) &&
           "buffers that live at a time lie apart");
    assert(buffer->offset % buffer->alignment == 0 && "not aligned");
    arena = std::max(arena, buffer->offset + buffer->bytes);
    placed.add(*buffer);
  }
  return arena;
}

LogicalResult planFunction(func::FuncOp function) {
  if (!function.getBody().hasOneBlock())
    return function.emitError("program '")
           << function.getName() << "' must be straight-line code";
  FailureOr<SmallVector<Buffer>> buffers = collectBuffers(function);
  if (failed(buffers))
    return failure();
  int64_t bytes = placeBuffers(*buffers);

  OpBuilder builder(function.getContext());
  auto arenaType = MemRefType::get({bytes}, builder.getI8Type());
  unsigned position = function.getNumArguments();
  if (failed(function.insertArgument(position, arenaType, DictionaryAttr(),
                                     function.getLoc())))
    return failure();
  Value arena = function.getArgument(position);
  function->setAttr("soap.arena_bytes", builder.getI64IntegerAttr(bytes));
  for (const Buffer &buffer : *buffers) {
    memref::AllocOp alloc = buffer.alloc;
    builder.setInsertionPoint(alloc);
    Value offset =
        arith::ConstantIndexOp::create(builder, alloc.getLoc(), buffer.offset);
    Value view = memref::ViewOp::create(
        builder, alloc.getLoc(), alloc.getType(), arena, offset, ValueRange());
    alloc.replaceAllUsesWith(view);
    alloc.erase();
  }
  return success();
}

struct PlanMemoryPass
    : public mlir::soap::impl::SoapPlanMemoryBase<PlanMemoryPass> {
  using SoapPlanMemoryBase::SoapPlanMemoryBase;

  void runOnOperation() override {
    for (func::FuncOp function : getOperation().getOps<func::FuncOp>()) {
      // Kernels are private; programs are what others call.
      if (function.isExternal() || function.isPrivate() ||
          function->hasAttr("soap.arena_bytes"))
        continue;
      if (failed(planFunction(function)))
        return signalPassFailure();
    }
  }
};

} // namespace
