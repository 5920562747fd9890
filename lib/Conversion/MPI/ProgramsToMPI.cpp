//===- ProgramsToMPI.cpp - Programs with messages of the mpi dialect ------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs on buffers become functions of upstream dialects alone: calls of
// kernels, and mpi.send, mpi.recv, mpi.allreduce. A function of the name of the
// entry takes whole tensors and runs the program of its rank.
//
//===----------------------------------------------------------------------===//

#include "Conversion/Messages/MessageOrder.h"

#include "Soap/Conversion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MPI/IR/MPI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Config/llvm-config.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPPROGRAMSTOMPI
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

Value indexConstant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}
Value i32Constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

MemRefType rowMajor(ArrayRef<int64_t> shape, Type element) {
  return MemRefType::get(shape, element);
}
MemRefType rowMajor(Type buffer) {
  auto type = cast<MemRefType>(buffer);
  return rowMajor(type.getShape(), type.getElementType());
}
bool isRowMajor(Value buffer) {
  return cast<MemRefType>(buffer.getType()).getLayout().isIdentity();
}

Value allocate(OpBuilder &builder, Location loc, MemRefType type) {
  return memref::AllocOp::create(builder, loc, type, ValueRange(),
                                 builder.getI64IntegerAttr(64));
}

/// `to[toOffsets + i] = from[fromOffsets + i]` for all i below `extents`.
void copyBox(OpBuilder &builder, Location loc, Value from,
             ArrayRef<int64_t> fromOffsets, Value to,
             ArrayRef<int64_t> toOffsets, ArrayRef<int64_t> extents) {
  Value zero = indexConstant(builder, loc, 0),
        one = indexConstant(builder, loc, 1);
  SmallVector<Value> low(extents.size(), zero), step(extents.size(), one), high;
  for (int64_t extent : extents)
    high.push_back(indexConstant(builder, loc, extent));
  auto shifted = [&](OpBuilder &inner, ValueRange loops,
                     ArrayRef<int64_t> offsets) {
    SmallVector<Value> indices;
    for (auto [loop, offset] : llvm::zip_equal(loops, offsets))
      indices.push_back(offset == 0 ? loop
                                    : Value(arith::AddIOp::create(
                                          inner, loc, loop,
                                          indexConstant(inner, loc, offset))));
    return indices;
  };
  scf::buildLoopNest(
      builder, loc, low, high, step,
      [&](OpBuilder &inner, Location, ValueRange loops) {
        Value element = memref::LoadOp::create(
            inner, loc, from, shifted(inner, loops, fromOffsets));
        memref::StoreOp::create(inner, loc, element, to,
                                shifted(inner, loops, toOffsets));
      });
}

void copyWhole(OpBuilder &builder, Location loc, Value from, Value to) {
  ArrayRef<int64_t> shape = cast<MemRefType>(to.getType()).getShape();
  SmallVector<int64_t> zeros(shape.size(), 0);
  copyBox(builder, loc, from, zeros, to, zeros, shape);
}

/// Between a whole tensor and a tile that holds a region of it packed: one copy
/// for each box of the region.
void copyRegion(OpBuilder &builder, Location loc, Value whole, Value tile,
                const ::soap::Region &region, bool toTile) {
  SmallVector<int64_t> inWhole(region.rank()), inTile(region.rank()),
      extents(region.rank());
  auto visit = [&](auto &self, size_t d) -> void {
    if (d == region.rank()) {
      if (toTile)
        copyBox(builder, loc, whole, inWhole, tile, inTile, extents);
      else
        copyBox(builder, loc, tile, inTile, whole, inWhole, extents);
      return;
    }
    int64_t packed = 0;
    for (const ::soap::Interval &interval : region[d].intervals()) {
      inWhole[d] = interval.lo;
      inTile[d] = packed;
      extents[d] = interval.size();
      packed += interval.size();
      self(self, d + 1);
    }
  };
  visit(visit, 0);
}

/// Types that upstream's lowering of messages knows.
bool hasMpiType(Type element) {
  return element.isF32() || element.isF64() || element.isSignlessInteger(8) ||
         element.isSignlessInteger(16) || element.isSignlessInteger(32) ||
         element.isSignlessInteger(64);
}

/// The elements as one row, as messages have them.
Value flatten(OpBuilder &builder, Location loc, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 1)
    return buffer;
  if (type.getRank() == 0)
    return memref::ExpandShapeOp::create(
        builder, loc, rowMajor({1}, type.getElementType()), buffer,
        ArrayRef<ReassociationIndices>());
  auto all = llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
  return memref::CollapseShapeOp::create(builder, loc, buffer,
                                         ArrayRef<ReassociationIndices>(all));
}

void createSend(OpBuilder &builder, Location loc, Value buffer, int64_t tag,
                int64_t to) {
  Value world =
      mpi::CommWorldOp::create(builder, loc, builder.getType<mpi::CommType>());
  mpi::SendOp::create(builder, loc, Type(), flatten(builder, loc, buffer),
                      i32Constant(builder, loc, tag),
                      i32Constant(builder, loc, to), world);
}

void createRecv(OpBuilder &builder, Location loc, Value buffer, int64_t tag,
                int64_t from) {
  Value world =
      mpi::CommWorldOp::create(builder, loc, builder.getType<mpi::CommType>());
  mpi::RecvOp::create(builder, loc, Type(), flatten(builder, loc, buffer),
                      i32Constant(builder, loc, tag),
                      i32Constant(builder, loc, from), world);
}

//===----------------------------------------------------------------------===//
// The program of a rank
//===----------------------------------------------------------------------===//

/// Members of a collective.
using Group = SmallVector<int32_t>;

/// All ranks of the table: their communicator is the world's.
bool isWorld(const RankTable &table, ArrayRef<int32_t> group) {
  int64_t count = 0;
  for (const Rank &rank : table.ranks)
    count = std::max(count, rank.device + 1);
  llvm::SmallDenseSet<int32_t> members(group.begin(), group.end());
  return static_cast<int64_t>(members.size()) == count;
}

/// Replaces ops of the soap dialect in a copy of a program. Its last arguments
/// are the communicators of `groups`.
class RankProgram {
public:
  RankProgram(func::FuncOp program, const Rank &rank, const RankTable &table,
              ArrayRef<Group> groups, const SymbolTable &symbols)
      : program(program), rank(rank), table(table), groups(groups),
        symbols(symbols), builder(program.getContext()) {}

  LogicalResult run() {
    Block &body = program.getBody().front();
    for (size_t i = 0; i < groups.size(); ++i)
      communicators.push_back(
          body.addArgument(builder.getType<mpi::CommType>(), program.getLoc()));
    program.setFunctionType(
        builder.getFunctionType(body.getArgumentTypes(), TypeRange()));
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (!isa_and_nonnull<SoapDialect>(op.getDialect()))
        continue;
      builder.setInsertionPoint(&op);
      if (failed(replace(&op)))
        return failure();
      op.erase();
    }
    return success();
  }

private:
  func::FuncOp program;
  const Rank &rank;
  const RankTable &table;
  ArrayRef<Group> groups;
  const SymbolTable &symbols;
  OpBuilder builder;
  SmallVector<Value> communicators;

  LogicalResult replace(Operation *op) {
    if (auto call = dyn_cast<KernelCallOp>(op))
      return replaceCall(call);
    if (auto send = dyn_cast<SendBufferOp>(op))
      return replaceMessage(op, send.getTile());
    if (auto recv = dyn_cast<RecvBufferOp>(op))
      return replaceMessage(op, recv.getOutput());
    if (auto collective = dyn_cast<CollectiveBufferOp>(op))
      return replaceCollective(collective);
    return op->emitOpError(
        "has no counterpart in upstream dialects: expected kernels, sends, "
        "receives and all-reduces ('library=none threads=false', which "
        "'comm=mpi' implies)");
  }

  /// Kernels take row-major buffers: others are copied before and after.
  LogicalResult replaceCall(KernelCallOp call) {
    auto kernel = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!kernel)
      return call.emitOpError("'")
             << call.getCallee() << "' is no kernel of the module";
    Location loc = call.getLoc();
    SmallVector<Value> operands(call->getOperands());
    SmallVector<std::pair<Value, Value>> copies; // from the copy, to the place
    size_t inputs = call.getInputs().size();
    for (auto [i, operand] : llvm::enumerate(operands)) {
      if (isRowMajor(operand))
        continue;
      Value copy = allocate(builder, loc, rowMajor(operand.getType()));
      copyWhole(builder, loc, operand, copy);
      copies.emplace_back(copy, i < inputs ? Value() : operand);
      operand = copy;
    }
    func::CallOp::create(builder, loc, kernel, operands);
    for (auto [copy, place] : copies) {
      if (place)
        copyWhole(builder, loc, copy, place);
      memref::DeallocOp::create(builder, loc, copy);
    }
    return success();
  }

  int64_t slotOf(Operation *op) {
    auto slot = op->getAttrOfType<IntegerAttr>(SoapDialect::kSlot);
    return slot ? slot.getInt() : -1;
  }

  LogicalResult checkType(Operation *op, Value buffer) {
    Type element = cast<MemRefType>(buffer.getType()).getElementType();
    if (hasMpiType(element))
      return success();
    return op->emitOpError("exchanges elements of type ")
           << element
           << ", which messages of the mpi dialect do not have: expected f32, "
              "f64, i8, i16, i32 or i64";
  }

  LogicalResult replaceMessage(Operation *op, Value buffer) {
    if (failed(checkType(op, buffer)))
      return failure();
    Location loc = op->getLoc();
    int64_t peer = Rank::at(rank.peers, slotOf(op)),
            tag = Rank::at(rank.transfers, slotOf(op));
    bool isSend = isa<SendBufferOp>(op);
    Value packed = buffer;
    if (!isRowMajor(buffer)) {
      packed = allocate(builder, loc, rowMajor(buffer.getType()));
      if (isSend)
        copyWhole(builder, loc, buffer, packed);
    }
    if (isSend)
      createSend(builder, loc, packed, tag, peer);
    else
      createRecv(builder, loc, packed, tag, peer);
    if (packed != buffer) {
      if (!isSend)
        copyWhole(builder, loc, packed, buffer);
      memref::DeallocOp::create(builder, loc, packed);
    }
    return success();
  }

  LogicalResult replaceCollective(CollectiveBufferOp op) {
    if (op.getKind() != CollectiveKind::AllReduce)
      return op.emitOpError("is a collective of kind '")
             << stringifyCollectiveKind(op.getKind())
             << "', which the mpi dialect does not have: expected 'all_reduce' "
                "or messages (a topology whose devices have 'collectives': "
                "false)";
    Value buffer = op.getOutputs()[0];
    if (failed(checkType(op, buffer)))
      return failure();
    Location loc = op.getLoc();
    const Group &members =
        table.collectives[Rank::at(rank.collectives, slotOf(op))].members;
    Value communicator =
        isWorld(table, members)
            ? Value(mpi::CommWorldOp::create(builder, loc,
                                             builder.getType<mpi::CommType>()))
            : communicators[llvm::find(groups, members) - groups.begin()];
    // The buffer holds the own part; the mpi dialect has no MPI_IN_PLACE.
    Value part = allocate(builder, loc, rowMajor(buffer.getType()));
    copyWhole(builder, loc, buffer, part);
    Value sum = buffer;
    if (!isRowMajor(buffer))
      sum = allocate(builder, loc, rowMajor(buffer.getType()));
    mpi::AllReduceOp::create(builder, loc, Type(), flatten(builder, loc, part),
                             flatten(builder, loc, sum),
                             mpi::MPI_ReductionOpEnum::MPI_SUM, communicator);
    if (sum != buffer) {
      copyWhole(builder, loc, sum, buffer);
      memref::DeallocOp::create(builder, loc, sum);
    }
    memref::DeallocOp::create(builder, loc, part);
    return success();
  }
};

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

/// A function that takes whole tensors and runs the program of its rank.
class Entry {
public:
  Entry(ModuleOp module, SymbolTable &symbols, const RankTable &table)
      : module(module), symbols(symbols), table(table),
        builder(module.getContext()), loc(module.getLoc()) {
    for (const RankCollective &collective : table.collectives)
      if (!isWorld(table, collective.members) &&
          !llvm::is_contained(groups, collective.members))
        groups.push_back(collective.members);
    planGather();
  }

  LogicalResult run() {
    if (symbols.lookup(table.entry))
      return module.emitError("the entry '")
             << table.entry.getValue()
             << "' has the name of another function of the module";
    llvm::DenseMap<int64_t, func::FuncOp> programs;
    for (const Rank &rank : table.ranks) {
      func::FuncOp program = rank.program;
      func::FuncOp copy = program.clone();
      copy.setName(
          (table.entry.getValue() + "__rank" + Twine(rank.device)).str());
      copy.setPrivate();
      symbols.insert(copy);
      programs[rank.device] = copy;
      if (failed(RankProgram(copy, rank, table, groups, symbols).run()))
        return failure();
    }
    createEntry(programs);
    return success();
  }

private:
  ModuleOp module;
  SymbolTable &symbols;
  const RankTable &table;
  OpBuilder builder;
  Location loc;
  SmallVector<Group> groups;

  /// A tile that rank 0 gets from another rank.
  struct Gathered {
    int64_t device;
    RankTile tile;
    int64_t tag;
  };
  SmallVector<Gathered> gathered;

  /// Tiles that a rank has after the program.
  static SmallVector<std::pair<unsigned, RankTile>>
  outputsOf(const Rank &rank) {
    SmallVector<std::pair<unsigned, RankTile>> outputs;
    for (auto [i, tile] : llvm::enumerate(rank.args))
      if (tile.updated)
        outputs.emplace_back(i, tile);
    for (auto [i, tile] : llvm::enumerate(rank.results))
      outputs.emplace_back(rank.args.size() + i, tile);
    return outputs;
  }

  /// Each tile once, from the first rank that has it.
  void planGather() {
    int64_t tag = 0;
    SmallVector<std::pair<unsigned, ::soap::Region>> known;
    SmallVector<const Rank *> ranks;
    for (const Rank &rank : table.ranks) {
      ranks.push_back(&rank);
      for (int64_t transfer : rank.transfers)
        tag = std::max(tag, transfer + 1);
    }
    llvm::sort(ranks, [](const Rank *a, const Rank *b) {
      return a->device < b->device;
    });
    for (const Rank *rank : ranks)
      for (const auto &[position, tile] : outputsOf(*rank)) {
        std::pair key(tile.tensor, tile.region);
        if (llvm::is_contained(known, key))
          continue;
        known.push_back(key);
        if (rank->device != 0)
          gathered.push_back({rank->device, tile, tag++});
      }
  }

  MemRefType tileType(const RankTile &tile) {
    return rowMajor(tile.region.shape(),
                    table.tensors[tile.tensor].getElementType());
  }

  void createEntry(const llvm::DenseMap<int64_t, func::FuncOp> &programs) {
    SmallVector<Type> types;
    for (RankedTensorType tensor : table.tensors)
      types.push_back(rowMajor(tensor.getShape(), tensor.getElementType()));
    builder.setInsertionPointToEnd(module.getBody());
    auto function = func::FuncOp::create(builder, loc, table.entry,
                                         builder.getFunctionType(types, {}));
    symbols.insert(function);
    function->setAttr("llvm.emit_c_interface", builder.getUnitAttr());
    // An entry called `main` is not the program's: only its interface for C is
    // a symbol.
    function->setAttr(
        "llvm.linkage",
        LLVM::LinkageAttr::get(builder.getContext(), LLVM::Linkage::Internal));
    Block *body = function.addEntryBlock();
    builder.setInsertionPointToEnd(body);
    Type comm = builder.getType<mpi::CommType>(), i32 = builder.getI32Type();
    Value world = mpi::CommWorldOp::create(builder, loc, comm);
    Value number =
        mpi::CommRankOp::create(builder, loc, Type(), i32, world).getRank();
    SmallVector<Value> communicators;
    for (const Group &group : groups) {
      // All ranks split the world: members have color 1.
      Value color = i32Constant(builder, loc, 0),
            one = i32Constant(builder, loc, 1);
      for (int32_t member : group) {
        Value isMember =
            arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  number, i32Constant(builder, loc, member));
        color = arith::SelectOp::create(builder, loc, isMember, one, color);
      }
      communicators.push_back(mpi::CommSplitOp::create(builder, loc, Type(),
                                                       comm, world, color,
                                                       number)
                                  .getNewcomm());
    }
    llvm::SmallSetVector<int64_t, 8> devices;
    devices.insert(0); // gathers
    for (const Rank &rank : table.ranks)
      devices.insert(rank.device);
    for (int64_t device : devices) {
      Value isOwn =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                                i32Constant(builder, loc, device));
      scf::IfOp::create(builder, loc, isOwn, [&](OpBuilder &inner, Location) {
        for (const Rank &rank : table.ranks)
          if (rank.device == device)
            runRank(inner, rank, programs.lookup(device), body->getArguments(),
                    communicators);
        if (device == 0)
          gather(inner, body->getArguments());
        scf::YieldOp::create(inner, loc);
      });
    }
    func::ReturnOp::create(builder, loc);
  }

  void runRank(OpBuilder &inner, const Rank &rank, func::FuncOp program,
               ValueRange wholes, ArrayRef<Value> communicators) {
    SmallVector<Value> buffers;
    for (const RankTile &tile : rank.args) {
      buffers.push_back(allocate(inner, loc, tileType(tile)));
      copyRegion(inner, loc, wholes[tile.tensor], buffers.back(), tile.region,
                 /*toTile=*/true);
    }
    for (const RankTile &tile : rank.results)
      buffers.push_back(allocate(inner, loc, tileType(tile)));
    auto arena = cast<MemRefType>(program.getArgumentTypes()[buffers.size()]);
    buffers.push_back(allocate(inner, loc, arena));
    SmallVector<Value> operands(buffers);
    llvm::append_range(operands, communicators);
    func::CallOp::create(inner, loc, program, operands);
    for (const auto &[position, tile] : outputsOf(rank)) {
      copyRegion(inner, loc, wholes[tile.tensor], buffers[position],
                 tile.region, /*toTile=*/false);
      for (const Gathered &piece : gathered)
        if (piece.device == rank.device && piece.tile.tensor == tile.tensor &&
            piece.tile.region == tile.region)
          createSend(inner, loc, buffers[position], piece.tag, /*to=*/0);
    }
    for (Value buffer : buffers)
      memref::DeallocOp::create(inner, loc, buffer);
  }

  void gather(OpBuilder &inner, ValueRange wholes) {
    for (const Gathered &piece : gathered) {
      Value tile = allocate(inner, loc, tileType(piece.tile));
      createRecv(inner, loc, tile, piece.tag, piece.device);
      copyRegion(inner, loc, wholes[piece.tile.tensor], tile, piece.tile.region,
                 /*toTile=*/false);
      memref::DeallocOp::create(inner, loc, tile);
    }
  }
};

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct ProgramsToMPIPass
    : public mlir::soap::impl::SoapProgramsToMPIBase<ProgramsToMPIPass> {
  using SoapProgramsToMPIBase::SoapProgramsToMPIBase;

  void runOnOperation() override {
    if (failed(lower(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult lower(ModuleOp module) {
    if (implementation != "OpenMPI" && implementation != "MPICH")
      return module.emitError("option 'implementation=")
             << implementation.getValue() << "': expected OpenMPI or MPICH";
    auto entries = module->getAttrOfType<ArrayAttr>(SoapDialect::kPrograms);
    if (!entries)
      return module.emitError("has no '")
             << SoapDialect::kPrograms
             << "', expected programs after soap-plan-memory";
    SymbolTable symbols(module);
    SmallVector<RankTable> tables;
    for (auto entry : entries.getAsRange<DictionaryAttr>()) {
      FailureOr<RankTable> table = readRankTable(module, entry);
      if (failed(table) || failed(checkTypes(module, *table)) ||
          failed(checkGroups(module, *table)) ||
          failed(checkMessageOrder(*table, Sends::Block)))
        return failure();
      tables.push_back(std::move(*table));
    }
    for (const RankTable &table : tables)
      if (failed(Entry(module, symbols, table).run()))
        return failure();
    llvm::SmallSetVector<Operation *, 8> programs;
    for (const RankTable &table : tables)
      for (const Rank &rank : table.ranks)
        programs.insert(rank.program);
    for (Operation *program : programs)
      symbols.erase(program);
    dropAttributes(module);
    Builder builder(module.getContext());
    module->setAttr(
        "dlti.map",
        MapAttr::get(module.getContext(),
                     {DataLayoutEntryAttr::get(
                         builder.getStringAttr("MPI:Implementation"),
                         builder.getStringAttr(implementation))}));
    return success();
  }

  /// Upstream's lowering of `mpi.comm_split` keeps 32 bits of the new
  /// communicator, which is a pointer in Open MPI.
  LogicalResult checkGroups(ModuleOp module, const RankTable &table) {
    if (implementation != "OpenMPI")
      return success();
    for (const RankCollective &collective : table.collectives)
      if (!isWorld(table, collective.members)) {
        InFlightDiagnostic error = module.emitError("'")
                                   << table.entry.getValue()
                                   << "' has a collective of devices ";
        llvm::interleaveComma(collective.members, error);
        return error << " alone, whose communicator MLIR " << LLVM_VERSION_MAJOR
                     << " cannot make for Open MPI: expected collectives of "
                        "all ranks, messages (a topology whose devices have "
                        "'collectives': false), or mpi=MPICH";
      }
    return success();
  }

  /// Results travel to rank 0.
  static LogicalResult checkTypes(ModuleOp module, const RankTable &table) {
    for (auto [tensor, name] : llvm::zip_equal(table.tensors, table.names))
      if (!hasMpiType(tensor.getElementType()))
        return module.emitError("tensor '")
               << name.getValue() << "' of '" << table.entry.getValue()
               << "' has elements of type " << tensor.getElementType()
               << ", which messages of the mpi dialect do not have: expected "
                  "f32, f64, i8, i16, i32 or i64";
    return success();
  }

  /// Attributes of the soap dialect, and of functions that were for LLVM's
  /// pointers.
  static void dropAttributes(ModuleOp module) {
    module->walk([](Operation *op) {
      for (NamedAttribute attribute :
           llvm::to_vector(op->getDiscardableAttrs()))
        if (attribute.getName().strref().starts_with("soap.") ||
            attribute.getName() == "passthrough")
          op->removeDiscardableAttr(attribute.getName());
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        function.removeArgAttrsAttr();
        function.removeResAttrsAttr();
      }
    });
  }
};

} // namespace
