//===- WarpRun.cpp - What a warp of a launch touches ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See WarpRun.h.
//
//===----------------------------------------------------------------------===//

#include "WarpRun.h"

#include "../../Parallelize/CooperativeBlocks.h"
#include "../../Parallelize/CooperativeRows.h"
#include "../../Parallelize/IndependentLoops.h"
#include "../../PostedSends.h"
#include "Chips.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <set>

using namespace mlir;
using namespace mlir::soap;

namespace {

constexpr unsigned lanes = kWarpLanes;
using Mask = uint32_t;
constexpr Mask allLanes = ~Mask(0);

/// An integer of each lane.
struct Lanes {
  std::array<int64_t, lanes> of{};
  bool fromMemory = false; ///< depends on integers in memory
  bool isUnknown = false;  ///< depends on floats

  static Lanes splat(int64_t value) {
    Lanes result;
    result.of.fill(value);
    return result;
  }
};

/// How long a block takes beside its instructions.
struct Length {
  double rounds = 0, nearRounds = 0, serial = 0;
  /// Of a thread, from memory, in the block alone.
  double loads = 0, loadBytes = 0;

  void add(const Length &other) {
    rounds += other.rounds;
    nearRounds += other.nearRounds;
    serial += other.serial;
  }
  void take(const Length &other) {
    rounds = std::max(rounds, other.rounds);
    nearRounds = std::max(nearRounds, other.nearRounds);
    serial = std::max(serial, other.serial);
    loads = std::max(loads, other.loads);
    loadBytes = std::max(loadBytes, other.loadBytes);
  }
};

/// How an iteration of a loop needs the one before through memory.
enum class Carry {
  None,
  /// It loads the element that the same thread has just stored. Other loads are
  /// under way meanwhile, as they are known to be of other memory.
  Sum,
  SlowSum, ///< the same, but other loads wait for the store
  Other,
};

/// Accesses of one direction to one buffer in one run of a block.
struct Group {
  std::set<int64_t> sectors;
  std::set<int64_t> bytes; ///< elements, by the address of their first byte
  int64_t elementBytes = 1;
};
using Groups = std::map<std::pair<unsigned, bool>, Group>;

/// Rough instructions of an op: positions are 64-bit numbers, divisions by
/// constants shifts or multiplications, functions polynomials.
double instructionsOf(Operation *op) {
  if (isa<arith::DivUIOp, arith::RemUIOp, arith::DivSIOp, arith::RemSIOp>(op)) {
    APInt divisor;
    bool isShift = matchPattern(op->getOperand(1), m_ConstantInt(&divisor)) &&
                   divisor.isPowerOf2();
    return isShift ? 1 : 8;
  }
  if (isa<arith::MulIOp, memref::LoadOp, memref::StoreOp>(op))
    return 2;
  // By ex2.approx, which units for 16 lanes of a multiprocessor compute.
  if (isa<math::ExpOp>(op) && op->getResult(0).getType().isF32())
    return 10;
  if (isa<math::ExpOp, math::TanhOp, math::LogOp, math::ErfOp, math::Log1pOp,
          math::ExpM1Op>(op))
    return 24;
  if (isa<arith::DivFOp, math::SqrtOp, math::RsqrtOp>(op))
    return 8;
  if (isa<math::PowFOp, math::SinOp, math::CosOp, math::Atan2Op>(op))
    return 40;
  if (isa<arith::ConstantOp, scf::YieldOp, func::ReturnOp, ViewLikeOpInterface>(
          op))
    return 0;
  return isa<scf::ForOp>(op) ? 0 : 1;
}

class Run {
public:
  Run(func::FuncOp part, WarpWork &work) : part(part), work(work) {}

  void run(int64_t first, int64_t extent) {
    Block &body = part.getBody().front();
    unsigned count = body.getNumArguments();
    Lanes begin, end;
    Mask mask = 0;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      begin.of[lane] = first + lane;
      end.of[lane] = first + lane + 1;
      if (first + lane < extent)
        mask |= Mask(1) << lane;
    }
    set(body.getArgument(count - 2), begin);
    set(body.getArgument(count - 1), end);
    Length length = runBlock(body, mask, 1);
    work.rounds += length.rounds;
    work.nearRounds += length.nearRounds;
    work.serial += length.serial;
    finish();
  }

  /// The end of the first block.
  double runEnd(scf::IfOp end) {
    Block &body = part.getBody().front();
    unsigned count = body.getNumArguments();
    int64_t last = iterationsOfBlock(part) - 1;
    set(body.getArgument(count - 2), Lanes::splat(last));
    set(body.getArgument(count - 1), Lanes::splat(last + 1));
    scf::ForOp range = rangeLoopOf(part);
    set(range.getInductionVar(), Lanes::splat(last));
    for (Block *block : {&body, range.getBody()})
      for (Operation &op : *block)
        if (op.getNumRegions() == 0 && isMemoryEffectFree(&op))
          compute(&op);
    Length behindAll;
    work.rounds += runTogether(*end.thenBlock(), 1, behindAll).rounds;
    finish();
    return behindAll.rounds;
  }

private:
  func::FuncOp part;
  WarpWork &work;
  llvm::DenseMap<Value, Lanes> values;
  llvm::DenseSet<Operation *> sums; ///< loads of what `Carry::Sum` says
  llvm::DenseSet<Value> kept;       ///< buffers whose row is in registers
  std::optional<llvm::DenseSet<Value>> written; ///< when first asked for
  bool inRegisters = false; ///< what a row has loaded is not loaded again
  /// Sectors and bytes that the evaluated iterations touched.
  struct Sampled {
    llvm::DenseSet<int64_t> sectors, bytes;
    double takenSectors = 0, takenBytes = 0;
    int64_t elementBytes = 1;
  };
  std::map<std::pair<unsigned, bool>, Sampled> sampled;

  /// Of all that was asked for, what is different, from the iterations that
  /// were evaluated.
  void finish() {
    for (auto &[key, access] : work.accesses) {
      const Sampled &own = sampled[key];
      auto scaled = [](double all, double different, double taken) {
        return taken > 0 ? all * different / taken : 0;
      };
      access.ownSectors =
          scaled(access.sectors, static_cast<double>(own.sectors.size()),
                 own.takenSectors);
      access.ownBytes =
          scaled(access.bytes,
                 static_cast<double>(own.bytes.size() *
                                     static_cast<size_t>(own.elementBytes)),
                 own.takenBytes);
      if (double all = access.sectors; inRegisters && !key.second) {
        access.sectors = access.ownSectors;
        access.bytes = access.ownBytes;
        access.lines = access.lines * access.ownSectors / std::max(all, 1.0);
        access.minSectors = std::min(access.minSectors, access.sectors);
      }
    }
  }

  void set(Value value, const Lanes &of) { values[value] = of; }
  const Lanes *get(Value value) const {
    auto found = values.find(value);
    return found == values.end() ? nullptr : &found->second;
  }
  void note(const Twine &what) {
    std::string text = what.str();
    if (!llvm::is_contained(work.unknown, text))
      work.unknown.push_back(text);
  }

  //===--------------------------------------------------------------------===//
  // Integers
  //===--------------------------------------------------------------------===//

  /// An integer of unknown value.
  static Lanes unknownInteger() {
    Lanes result = Lanes::splat(1);
    result.isUnknown = true;
    return result;
  }

  template <typename Function>
  void binary(Operation *op, Function compute) {
    const Lanes *a = get(op->getOperand(0)), *b = get(op->getOperand(1));
    if (!a || !b)
      return;
    Lanes result;
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.of[lane] = compute(a->of[lane], b->of[lane]);
    result.fromMemory = a->fromMemory || b->fromMemory;
    result.isUnknown = a->isUnknown || b->isUnknown;
    set(op->getResult(0), result);
  }

  void compareIntegers(arith::CmpIOp op) {
    const Lanes *a = get(op.getLhs()), *b = get(op.getRhs());
    if (!a || !b)
      return;
    Lanes result;
    result.fromMemory = a->fromMemory || b->fromMemory;
    result.isUnknown = a->isUnknown || b->isUnknown;
    unsigned width = op.getLhs().getType().isIndex()
                         ? 64
                         : op.getLhs().getType().getIntOrFloatBitWidth();
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.of[lane] =
          result.fromMemory
              ? op.getPredicate() != arith::CmpIPredicate::eq
              : arith::applyCmpPredicate(
                    op.getPredicate(),
                    APInt(width, static_cast<uint64_t>(a->of[lane]), false,
                          true),
                    APInt(width, static_cast<uint64_t>(b->of[lane]), false,
                          true));
    set(op.getResult(), result);
  }

  void select(arith::SelectOp op) {
    const Lanes *condition = get(op.getCondition()),
                *yes = get(op.getTrueValue()), *no = get(op.getFalseValue());
    if (!condition || !yes || !no)
      return;
    Lanes result;
    for (unsigned lane = 0; lane < lanes; ++lane)
      result.of[lane] = condition->of[lane] ? yes->of[lane] : no->of[lane];
    result.fromMemory =
        condition->fromMemory || yes->fromMemory || no->fromMemory;
    result.isUnknown = condition->isUnknown || yes->isUnknown || no->isUnknown;
    set(op.getResult(), result);
  }

  /// Arithmetic; what gives no integer is passed over.
  void compute(Operation *op) {
    // Hashes wrap around.
    auto wrapped = [](auto compute) {
      return [compute](int64_t a, int64_t b) {
        return static_cast<int64_t>(
            compute(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
      };
    };
    auto divide = [](bool remainder) {
      return [remainder](int64_t a, int64_t b) -> int64_t {
        if (b == 0 || a < 0 || b < 0)
          return 0;
        return remainder ? a % b : a / b;
      };
    };
    llvm::TypeSwitch<Operation *>(op)
        .Case([&](arith::ConstantOp constant) {
          APInt value;
          if (matchPattern(constant.getResult(), m_ConstantInt(&value)))
            set(constant.getResult(),
                Lanes::splat(value.getBitWidth() == 1 ? value.getZExtValue()
                                                      : value.getSExtValue()));
        })
        .Case<arith::AddIOp>(
            [&](auto) { binary(op, wrapped(std::plus<uint64_t>())); })
        .Case<arith::SubIOp>(
            [&](auto) { binary(op, wrapped(std::minus<uint64_t>())); })
        .Case<arith::MulIOp>(
            [&](auto) { binary(op, wrapped(std::multiplies<uint64_t>())); })
        // Positions are not negative.
        .Case<arith::DivUIOp, arith::DivSIOp>(
            [&](auto) { binary(op, divide(false)); })
        .Case<arith::RemUIOp, arith::RemSIOp>(
            [&](auto) { binary(op, divide(true)); })
        .Case<arith::MinSIOp, arith::MinUIOp>([&](auto) {
          binary(op, [](int64_t a, int64_t b) { return std::min(a, b); });
        })
        .Case<arith::MaxSIOp, arith::MaxUIOp>([&](auto) {
          binary(op, [](int64_t a, int64_t b) { return std::max(a, b); });
        })
        .Case<arith::AndIOp>([&](auto) {
          binary(op, [](int64_t a, int64_t b) { return a & b; });
        })
        .Case<arith::OrIOp>([&](auto) {
          binary(op, [](int64_t a, int64_t b) { return a | b; });
        })
        .Case<arith::XOrIOp>([&](auto) {
          binary(op, [](int64_t a, int64_t b) { return a ^ b; });
        })
        .Case([&](arith::CmpIOp compare) { compareIntegers(compare); })
        .Case([&](arith::SelectOp choice) { select(choice); })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
              arith::ExtUIOp, arith::TruncIOp>([&](auto) {
          if (const Lanes *from = get(op->getOperand(0)))
            set(op->getResult(0), Lanes(*from));
        })
        .Default([&](Operation *) {
          for (Value result : op->getResults())
            if (result.getType().isIntOrIndex())
              set(result, unknownInteger());
        });
  }

  //===--------------------------------------------------------------------===//
  // Memory
  //===--------------------------------------------------------------------===//

  /// Value of a lane's integer in memory: the same for the same address.
  static int64_t inMemory(int64_t address) {
    auto mixed = static_cast<uint64_t>(address + 1) * 0x9E3779B97F4A7C15u;
    return static_cast<int64_t>((mixed >> 32) % 1000003);
  }

  /// Addresses in bytes of the lanes in the argument that `buffer` shows; none
  /// for memory of a thread, and with a note for what is not known.
  std::optional<std::pair<unsigned, Lanes>>
  addressesOf(Value buffer, ValueRange indices, Operation *op) {
    auto type = cast<MemRefType>(buffer.getType());
    Value root = rootBuffer(buffer);
    auto argument = dyn_cast<BlockArgument>(root);
    if (!argument || argument.getOwner() != &part.getBody().front()) {
      if (!root.getDefiningOp<memref::AllocaOp>())
        note(op->getName().getStringRef() + " of no argument");
      return std::nullopt;
    }
    if (!type.hasStaticShape() || !type.getLayout().isIdentity()) {
      note(op->getName().getStringRef() + " of " + "a buffer with a layout");
      return std::nullopt;
    }
    Lanes address;
    int64_t stride = (type.getElementTypeBitWidth() + 7) / 8;
    for (size_t dim = indices.size(); dim-- > 0;) {
      int64_t extent = type.getDimSize(static_cast<unsigned>(dim));
      const Lanes *index = get(indices[dim]);
      Lanes none = unknownInteger();
      if (!index) {
        note("a position of " + op->getName().getStringRef());
        index = &none;
      }
      address.fromMemory |= index->fromMemory || index->isUnknown;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        int64_t at = index->of[lane];
        // Known positions that are outside are of lanes that do not get here.
        at = extent > 0 ? ((at % extent) + extent) % extent : 0;
        address.of[lane] += at * stride;
      }
      stride *= std::max<int64_t>(extent, 1);
    }
    return std::pair{argument.getArgNumber(), address};
  }

  void touch(Value buffer, ValueRange indices, Operation *op, bool writes,
             Mask mask, Groups &groups) {
    auto addresses = addressesOf(buffer, indices, op);
    if (!addresses || mask == 0)
      return;
    auto &[argument, at] = *addresses;
    int64_t bytes =
        (cast<MemRefType>(buffer.getType()).getElementTypeBitWidth() + 7) / 8;
    WarpAccess &access = work.accesses[{argument, writes}];
    access.dependsOnData |= at.fromMemory;
    Group &group = groups[{argument, writes}];
    group.elementBytes = bytes;
    for (unsigned lane = 0; lane < lanes; ++lane)
      if (mask >> lane & 1) {
        group.sectors.insert(at.of[lane] / GpuChip::sectorBytes);
        group.bytes.insert(at.of[lane]);
      }
    noteStride(access, at, mask, bytes);
    if (isa<memref::LoadOp>(op) &&
        isa<IntegerType, IndexType>(op->getResult(0).getType())) {
      Lanes loaded;
      loaded.fromMemory = true;
      for (unsigned lane = 0; lane < lanes; ++lane)
        loaded.of[lane] = inMemory(at.of[lane]);
      set(op->getResult(0), loaded);
    }
  }

  static void noteStride(WarpAccess &access, const Lanes &at, Mask mask,
                         int64_t bytes) {
    if (mask != allLanes)
      return;
    int64_t step = at.of[1] - at.of[0];
    bool isRegular = step % bytes == 0;
    for (unsigned lane = 1; lane < lanes; ++lane)
      isRegular &= at.of[lane] - at.of[lane - 1] == step;
    if (!isRegular || (access.hasStride && access.stride != step / bytes)) {
      access.isIrregular = true;
      access.stride.reset();
    } else if (!access.isIrregular) {
      access.stride = step / bytes;
    }
    access.hasStride = true;
  }

  /// Adds what one run of a block touched. Loads of a buffer that stand side by
  /// side are one access: ptxas makes vectors of them, and L1 has the sector.
  void close(Groups &groups, double scale) {
    for (auto &[key, group] : groups) {
      WarpAccess &access = work.accesses[key];
      Sampled &own = sampled[key];
      auto sectors = static_cast<double>(group.sectors.size());
      int64_t bytes =
          static_cast<int64_t>(group.bytes.size()) * group.elementBytes;
      access.sectors += sectors * scale;
      std::set<int64_t> lines;
      for (int64_t sector : group.sectors)
        lines.insert(sector * GpuChip::sectorBytes / GpuChip::lineBytes);
      access.lines += static_cast<double>(lines.size()) * scale;
      access.bytes += static_cast<double>(bytes) * scale;
      access.minSectors +=
          static_cast<double>((bytes + GpuChip::sectorBytes - 1) /
                              GpuChip::sectorBytes) *
          scale;
      own.sectors.insert(group.sectors.begin(), group.sectors.end());
      own.bytes.insert(group.bytes.begin(), group.bytes.end());
      own.takenSectors += sectors;
      own.takenBytes += static_cast<double>(bytes);
      own.elementBytes = group.elementBytes;
    }
    groups.clear();
  }

  //===--------------------------------------------------------------------===//
  // Control flow
  //===--------------------------------------------------------------------===//

  /// `scale`: how often all of it runs. `isRow`: lanes share what the block
  /// does.
  Length runBlock(Block &block, Mask mask, double scale, bool isRow = false) {
    Length length;
    Groups groups;
    llvm::DenseMap<Value, int> waits;
    int maxWaits = 0;
    bool hasNear = false;
    for (Operation &op : block) {
      work.instructions += instructionsOf(&op) * scale;
      int wait = 0;
      for (Value operand : op.getOperands())
        wait = std::max(wait, waits.lookup(operand));
      if (auto load = dyn_cast<memref::LoadOp>(op)) {
        touch(load.getMemRef(), load.getIndices(), &op, false, mask, groups);
        // Registers and shared memory are near.
        Value root = rootBuffer(load.getMemRef());
        bool isOwn = sums.contains(load) || kept.contains(root) ||
                     root.getDefiningOp<memref::AllocaOp>();
        bool isFar = !isOwn && !staysInL1(load);
        wait += isFar;
        hasNear |= !isOwn && !isFar;
        if (isFar) {
          ++length.loads;
          length.loadBytes +=
              load.getMemRefType().getElementTypeBitWidth() / 8.;
        }
      } else if (auto store = dyn_cast<memref::StoreOp>(op)) {
        Mask stores = isRow ? mask & -mask : mask;
        touch(store.getMemRef(), store.getIndices(), &op, true, stores, groups);
        wait = 0;
      } else if (op.getNumRegions() > 0) {
        length.add(runRegions(&op, mask, scale, isRow));
      } else {
        compute(&op);
      }
      for (Value result : op.getResults())
        waits[result] = wait;
      maxWaits = std::max(maxWaits, wait);
    }
    length.rounds += maxWaits;
    // A table that stays in L1 takes little beside loads from memory.
    if (maxWaits == 0 && hasNear)
      length.nearRounds += 1;
    if (maxWaits > 0)
      takeLoads(length.loads / maxWaits, length.loadBytes / maxWaits);
    close(groups, scale);
    return length;
  }

  Length runRegions(Operation *op, Mask mask, double scale, bool isRow) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return runLoop(loop, mask, scale, isRow);
    if (auto choice = dyn_cast<scf::IfOp>(op))
      return runIf(choice, mask, scale);
    note(op->getName().getStringRef() + ", counted once");
    Length length;
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        for (BlockArgument argument : block.getArguments())
          if (argument.getType().isIntOrIndex())
            set(argument, unknownInteger());
        length.add(runBlock(block, mask, scale));
      }
    for (Value result : op->getResults())
      if (result.getType().isIntOrIndex())
        set(result, unknownInteger());
    return length;
  }

  void passOn(Block &block, ResultRange results) {
    for (auto [value, result] :
         llvm::zip(block.getTerminator()->getOperands(), results))
      if (const Lanes *of = get(value))
        set(result, Lanes(*of));
  }

  /// Threads of a block share loops; `behindAll` takes up what the block does
  /// that counts last.
  Length runTogether(Block &block, double scale, Length &behindAll) {
    Length length;
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        length.rounds += runShared(loop, scale);
      } else if (auto count = dyn_cast<memref::AtomicRMWOp>(op)) {
        // A fence waits for stores, the atomic op for memory.
        length.rounds += 2;
        Groups groups;
        touch(count.getMemref(), count.getIndices(), &op, true, 1, groups);
        close(groups, scale);
      } else if (auto choice = dyn_cast<scf::IfOp>(op)) {
        Length inner = runTogether(*choice.thenBlock(),
                                   scale / countedBlocks(choice.getCondition()),
                                   behindAll);
        behindAll.rounds += inner.rounds;
      } else {
        compute(&op);
      }
    }
    return length;
  }

  /// Of so many blocks one has the condition: it compares a count with the last
  /// one.
  double countedBlocks(Value condition) {
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    APInt last;
    if (compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
        compare.getLhs().getDefiningOp<memref::AtomicRMWOp>() &&
        matchPattern(compare.getRhs(), m_ConstantInt(&last)))
      return static_cast<double>(last.getSExtValue() + 1);
    note("a condition of blocks, counted for all");
    return 1;
  }

  /// Rounds of a thread; the work of all.
  double runShared(scf::ForOp loop, double scale) {
    constexpr int64_t threads = 256, most = 8;
    int64_t trips = tripCountOf(loop).value_or(1);
    int64_t warps = (trips + lanes - 1) / lanes, taken = std::min(warps, most);
    double rounds = 0;
    for (int64_t i = 0; i < taken; ++i) {
      int64_t first = (taken == 1 ? 0 : i * (warps - 1) / (taken - 1)) * lanes;
      Lanes variable;
      Mask mask = 0;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        variable.of[lane] = first + lane;
        if (first + lane < trips)
          mask |= Mask(1) << lane;
      }
      set(loop.getInductionVar(), variable);
      Length one = runBlock(*loop.getBody(), mask,
                            scale * static_cast<double>(warps) /
                                static_cast<double>(taken));
      rounds = std::max(rounds, one.rounds);
    }
    return rounds * static_cast<double>((trips + threads - 1) / threads);
  }

  Length runIf(scf::IfOp op, Mask mask, double scale) {
    // The end of a block is counted by itself.
    if (op->hasAttr(kTogether))
      return {};
    if (op->hasAttr(kLanes)) {
      int64_t numbers = numbersOfLane(op);
      inRegisters = numbers > 0;
      kept.clear();
      work.keptNumbers = std::max(work.keptNumbers, numbers);
      return runBlock(*op.thenBlock(), mask, scale, /*isRow=*/true);
    }
    Mask yes = mask, no = mask;
    const Lanes *condition = get(op.getCondition());
    if (condition && !condition->isUnknown) {
      yes = no = 0;
      for (unsigned lane = 0; lane < lanes; ++lane)
        if (mask >> lane & 1)
          (condition->of[lane] ? yes : no) |= Mask(1) << lane;
    }
    Length length;
    auto branch = [&](Block *block, Mask active) {
      if (!block || !active)
        return;
      length.take(runBlock(*block, active, scale));
      passOn(*block, op.getResults());
    };
    branch(op.elseBlock(), no);
    branch(op.thenBlock(), yes);
    return length;
  }

  /// Of a small buffer that nothing writes, and of which an iteration reads
  /// some: other warps have read it before.
  bool staysInL1(memref::LoadOp load) {
    if (load->getParentOfType<scf::ForOp>() != rangeLoopOf(part))
      return false;
    Value root = rootBuffer(load.getMemRef());
    auto argument = dyn_cast<BlockArgument>(root);
    auto type = cast<MemRefType>(root.getType());
    if (!argument || !type.hasStaticShape() ||
        sizeInBytes(type) > GpuChip::smallBytes)
      return false;
    if (!written) {
      written.emplace();
      part.walk([&](Operation *op) {
        if (Value buffer = writtenBy(op))
          written->insert(rootBuffer(buffer));
      });
    }
    return !written->contains(root);
  }

  /// No other argument shows the memory of this one.
  bool isApart(Value root) {
    auto argument = dyn_cast<BlockArgument>(root);
    return !argument ||
           part.getArgAttr(argument.getArgNumber(),
                           LLVM::LLVMDialect::getNoAliasAttrName());
  }

  /// Loads of a sum, whose place is the same in all iterations, go to `sums`.
  Carry carryOf(scf::ForOp loop) {
    llvm::DenseMap<Value, SmallVector<memref::StoreOp>> stores;
    loop.walk([&](memref::StoreOp store) {
      stores[rootBuffer(store.getMemRef())].push_back(store);
    });
    Carry carry = Carry::None;
    loop.walk([&](memref::LoadOp load) {
      auto found = stores.find(rootBuffer(load.getMemRef()));
      if (found == stores.end() || carry == Carry::Other)
        return;
      // Code that is the same in all iterations stands before the loop.
      bool isSum = load->getParentOp() == loop &&
                   llvm::all_of(load.getIndices(),
                                [&](Value index) {
                                  return loop.isDefinedOutsideOfLoop(index);
                                }) &&
                   llvm::all_of(found->second, [&](memref::StoreOp store) {
                     return store.getMemRefType() == load.getMemRefType() &&
                            llvm::equal(store.getIndices(), load.getIndices());
                   });
      carry = isSum ? Carry::Sum : Carry::Other;
      if (isSum)
        sums.insert(load);
    });
    if (carry != Carry::Sum)
      return carry;
    bool allApart = true, othersApart = true;
    for (auto &[root, ofRoot] : stores)
      allApart &= isApart(root);
    loop.walk([&](memref::LoadOp load) {
      othersApart &=
          sums.contains(load) || isApart(rootBuffer(load.getMemRef()));
    });
    return allApart || othersApart ? Carry::Sum : Carry::SlowSum;
  }

  Length runLoop(scf::ForOp loop, Mask mask, double scale, bool isRow) {
    const Lanes *low = get(loop.getLowerBound()),
                *high = get(loop.getUpperBound()), *by = get(loop.getStep());
    bool isKnown = low && high && by && !low->isUnknown && !high->isUnknown &&
                   !low->fromMemory && !high->fromMemory && !by->isUnknown;
    if (!isKnown)
      note("a loop of unknown length, counted once");
    Lanes begin = low ? *low : Lanes::splat(0),
          end = high ? *high : Lanes::splat(1),
          step = by ? *by : Lanes::splat(1);
    int64_t trips = isKnown ? 0 : 1;
    for (unsigned lane = 0; isKnown && lane < lanes; ++lane) {
      if (isRow) {
        begin.of[lane] = lane;
        step.of[lane] = lanes;
      }
      if (mask >> lane & 1 && step.of[lane] > 0)
        trips = std::max(trips,
                         (end.of[lane] - begin.of[lane] + step.of[lane] - 1) /
                             step.of[lane]);
    }
    for (auto [argument, initial] :
         llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      if (const Lanes *of = get(initial))
        set(argument, Lanes(*of));
    bool isInnermost = loop.getBody()->getOps<scf::ForOp>().empty();
    SmallVector<int64_t> taken = iterationsOf(trips, isInnermost);
    Carry carry = carryOf(loop);
    Length body;
    for (int64_t iteration : taken) {
      Lanes variable;
      Mask active = 0;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        variable.of[lane] = begin.of[lane] + iteration * step.of[lane];
        if (mask >> lane & 1 && (!isKnown || variable.of[lane] < end.of[lane]))
          active |= Mask(1) << lane;
      }
      variable.fromMemory = begin.fromMemory;
      set(loop.getInductionVar(), variable);
      Length once = runBlock(*loop.getBody(), active,
                             scale * static_cast<double>(trips) /
                                 static_cast<double>(taken.size()));
      body.take(once);
      for (auto [argument, value] :
           llvm::zip(loop.getRegionIterArgs(),
                     loop.getBody()->getTerminator()->getOperands()))
        if (const Lanes *of = get(value)) {
          Lanes next(*of);
          next.isUnknown |= taken.size() < static_cast<size_t>(trips);
          set(argument, next);
        }
    }
    for (auto [argument, result] :
         llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (const Lanes *of = get(argument))
        set(result, Lanes(*of));
    double unrolled = isRow && inRegisters ? rowsIterations(body.loads) : 4;
    auto count = static_cast<double>(trips);
    double rounds = carry == Carry::None || carry == Carry::Sum
                        ? std::ceil(count / unrolled)
                        : count;
    if (rounds < count && body.rounds > 0) {
      double atOnce = std::min(count, unrolled) / body.rounds;
      takeLoads(atOnce * body.loads, atOnce * body.loadBytes);
    }
    if (isRow && inRegisters)
      loop.walk([&](memref::LoadOp load) {
        kept.insert(rootBuffer(load.getMemRef()));
      });
    if (isRow && loop.getNumResults() > 0)
      work.instructions += 10 * loop.getNumResults() * scale; // shuffles
    Length length{rounds * body.rounds, count * body.nearRounds,
                  count * std::max(1.0, body.serial), 0, 0};
    if ((carry == Carry::Sum || carry == Carry::SlowSum) && trips > 0) {
      length.rounds += 1; // the first load
      length.nearRounds += count;
    }
    return length;
  }

  void takeLoads(double loads, double bytes) {
    work.loadsAtOnce = std::max(work.loadsAtOnce, loads);
    work.loadBytesAtOnce = std::max(work.loadBytesAtOnce, bytes);
  }

  /// Iterations of a row in registers whose loads are under way at once: of
  /// others about four, as ptxas unrolls them, or CooperativeRows.cpp does.
  static double rowsIterations(double loads) {
    constexpr double most = 32; // assembled code has 31 to 75
    return std::clamp(std::floor(most / std::max(loads, 1.0)), 1.0,
                      static_cast<double>(lanes));
  }

  /// Neighbours of innermost loops, as they may touch one sector; else the
  /// first one and one in the middle.
  static SmallVector<int64_t> iterationsOf(int64_t trips, bool isInnermost) {
    constexpr int64_t most = 8;
    SmallVector<int64_t> taken;
    if (isInnermost || trips <= 2)
      for (int64_t i = 0; i < std::min(trips, most); ++i)
        taken.push_back(i);
    else
      taken = {0, trips / 2};
    return taken;
  }
};

} // namespace

WarpWork mlir::soap::runWarp(func::FuncOp part, int64_t first, int64_t extent) {
  WarpWork work;
  Run(part, work).run(first, extent);
  return work;
}

BlockEnd mlir::soap::runBlockEnd(func::FuncOp part) {
  BlockEnd end;
  end.lastRounds = Run(part, end.work).runEnd(blockEndOf(part));
  return end;
}

SmallVector<int64_t> mlir::soap::segmentsOf(func::FuncOp part, int64_t extent) {
  SmallVector<int64_t> bounds;
  scf::ForOp range = rangeLoopOf(part);
  if (!range)
    return bounds;
  for (Operation *user : range.getInductionVar().getUsers())
    if (auto compare = dyn_cast<arith::CmpIOp>(user)) {
      APInt value;
      if (compare.getLhs() == range.getInductionVar() &&
          matchPattern(compare.getRhs(), m_ConstantInt(&value)) &&
          value.getSExtValue() > 0 && value.getSExtValue() < extent)
        bounds.push_back(value.getSExtValue());
    }
  llvm::sort(bounds);
  bounds.erase(llvm::unique(bounds), bounds.end());
  return bounds;
}
