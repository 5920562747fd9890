//===- GpuThreads.cpp - GPU kernels run by threads of the host ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See GpuThreads.h.
//
//===----------------------------------------------------------------------===//

#include "GpuThreads.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

#include "gtest/gtest.h"

#include <atomic>
#include <barrier>
#include <cmath>
#include <cstring>
#include <thread>

using namespace mlir;

namespace soap::test {
namespace {

/// A number or the place of a buffer.
struct Cell {
  int64_t integer = 0;
  double number = 0;
  char *place = nullptr;
};

/// The threads of a warp that fold numbers together.
struct Warp {
  explicit Warp(int64_t lanes) : barrier(lanes), numbers(lanes) {}

  std::barrier<> barrier;
  std::vector<double> numbers;
};

struct Place {
  int64_t thread = 0, threads = 1, block = 0, blocks = 1;
  std::barrier<> *barrier = nullptr;
  Warp *warp = nullptr;
};

/// Grid of every launch.
struct Grid {
  int64_t blocks, threads;
};

class Interpreter {
public:
  Interpreter(ModuleOp module, Grid grid, Place place)
      : module(module), grid(grid), place(place) {}

  void set(Value value, Cell cell) { cells[value] = cell; }

  void run(Block &block) {
    for (Operation &op : block)
      run(op);
  }

private:
  ModuleOp module;
  Grid grid;
  Place place;
  llvm::DenseMap<Value, Cell> cells;

  const Cell &get(Value value) {
    auto found = cells.find(value);
    EXPECT_TRUE(found != cells.end());
    return found->second;
  }
  int64_t integer(Value value) { return get(value).integer; }
  double number(Value value) { return get(value).number; }

  void setInteger(Operation &op, int64_t value) {
    set(op.getResult(0), {value, 0, nullptr});
  }
  /// Rounds as the type does.
  void setNumber(Operation &op, double value) {
    bool isSingle = op.getResult(0).getType().isF32();
    set(op.getResult(0),
        {0, isSingle ? static_cast<double>(static_cast<float>(value)) : value,
         nullptr});
  }

  char *address(Value buffer, ValueRange indices) {
    auto type = cast<MemRefType>(buffer.getType());
    int64_t at = 0;
    for (auto [d, index] : llvm::enumerate(indices)) {
      int64_t i = integer(index), extent = type.getDimSize(d);
      EXPECT_TRUE(i >= 0 && i < extent) << "outside of a buffer";
      at = at * extent + i;
    }
    return get(buffer).place + at * (type.getElementTypeBitWidth() / 8);
  }

  template <typename T>
  static T read(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
  }
  template <typename T>
  static void write(char *to, T value) {
    std::memcpy(to, &value, sizeof value);
  }

  void load(memref::LoadOp op) {
    const char *from = address(op.getMemRef(), op.getIndices());
    Type type = op.getType();
    if (type.isF32())
      setNumber(*op, read<float>(from));
    else if (type.isF64())
      setNumber(*op, read<double>(from));
    else
      setInteger(*op, read<int32_t>(from));
  }

  void store(memref::StoreOp op) {
    char *to = address(op.getMemRef(), op.getIndices());
    Type type = op.getValue().getType();
    if (type.isF32())
      write(to, static_cast<float>(number(op.getValue())));
    else if (type.isF64())
      write(to, number(op.getValue()));
    else
      write(to, static_cast<int32_t>(integer(op.getValue())));
  }

  void loop(scf::ForOp op) {
    for (auto [argument, initial] :
         llvm::zip(op.getRegionIterArgs(), op.getInitArgs()))
      set(argument, get(initial));
    int64_t end = integer(op.getUpperBound()), step = integer(op.getStep());
    for (int64_t i = integer(op.getLowerBound()); i < end; i += step) {
      set(op.getInductionVar(), {i, 0, nullptr});
      run(*op.getBody());
      std::vector<Cell> yielded;
      for (Value value : op.getYieldedValues())
        yielded.push_back(get(value));
      for (auto [argument, value] : llvm::zip(op.getRegionIterArgs(), yielded))
        set(argument, value);
    }
    for (auto [argument, result] :
         llvm::zip(op.getRegionIterArgs(), op.getResults()))
      set(result, get(argument));
  }

  void choose(scf::IfOp op) {
    Block *block = integer(op.getCondition()) ? op.thenBlock() : op.elseBlock();
    if (!block)
      return;
    run(*block);
    for (auto [result, value] :
         llvm::zip(op.getResults(), block->getTerminator()->getOperands()))
      set(result, get(value));
  }

  void launch(mlir::soap::ParallelCallOp call) {
    auto name = call->getAttrOfType<SymbolRefAttr>(mlir::soap::kGpuKernel);
    auto kernel =
        name ? module.lookupSymbol<gpu::GPUFuncOp>(name) : gpu::GPUFuncOp();
    ASSERT_TRUE(kernel) << "no kernel of " << call.getCallee().str();
    std::vector<Cell> buffers;
    for (Value buffer : call.getBuffers())
      buffers.push_back(get(buffer));
    std::vector<std::vector<std::vector<char>>> shared(
        static_cast<size_t>(grid.blocks));
    std::vector<std::unique_ptr<std::barrier<>>> barriers;
    constexpr int64_t lanes = 32;
    std::vector<std::unique_ptr<Warp>> warps;
    std::vector<std::thread> threads;
    for (int64_t block = 0; block < grid.blocks; ++block) {
      barriers.push_back(std::make_unique<std::barrier<>>(grid.threads));
      for (Value memory : kernel.getWorkgroupAttributions()) {
        auto type = cast<MemRefType>(memory.getType());
        shared[block].emplace_back(type.getNumElements() *
                                       (type.getElementTypeBitWidth() / 8),
                                   static_cast<char>(0xff));
      }
      for (int64_t thread = 0; thread < grid.threads; ++thread) {
        if (thread % lanes == 0)
          warps.push_back(
              std::make_unique<Warp>(std::min(lanes, grid.threads - thread)));
        threads.emplace_back([&, block, thread, all = barriers.back().get(),
                              warp = warps.back().get()] {
          Interpreter one(
              module, grid,
              {thread, grid.threads, block, grid.blocks, all, warp});
          for (auto [argument, buffer] :
               llvm::zip(kernel.getArguments(), buffers))
            one.set(argument, buffer);
          for (auto [memory, bytes] :
               llvm::zip(kernel.getWorkgroupAttributions(), shared[block]))
            one.set(memory, {0, 0, bytes.data()});
          one.run(kernel.getBody().front());
        });
      }
    }
    for (std::thread &thread : threads)
      thread.join();
  }

  /// Of all threads of the warp, in the order of lanes.
  void fold(gpu::SubgroupReduceOp op) {
    Warp &warp = *place.warp;
    auto lane = static_cast<size_t>(place.thread) % 32;
    bool isFloat = isa<FloatType>(op.getType());
    warp.numbers[lane] = isFloat ? number(op.getValue())
                                 : static_cast<double>(integer(op.getValue()));
    warp.barrier.arrive_and_wait();
    double all = warp.numbers[0];
    for (size_t i = 1; i < warp.numbers.size(); ++i)
      switch (op.getOp()) {
      case gpu::AllReduceOperation::ADD:
        all += warp.numbers[i];
        break;
      case gpu::AllReduceOperation::MAXIMUMF:
        all = std::max(all, warp.numbers[i]);
        break;
      default:
        ADD_FAILURE() << "not interpreted";
      }
    warp.barrier.arrive_and_wait();
    if (isFloat)
      setNumber(*op, all);
    else
      setInteger(*op, static_cast<int64_t>(all));
  }

  static bool compare(arith::CmpFPredicate predicate, double a, double b) {
    EXPECT_EQ(predicate, arith::CmpFPredicate::OLT) << "not interpreted";
    return a < b;
  }

  void run(Operation &op) {
    auto x = [&] { return number(op.getOperand(0)); };
    auto y = [&] { return number(op.getOperand(1)); };
    auto i = [&] { return integer(op.getOperand(0)); };
    auto j = [&] { return integer(op.getOperand(1)); };
    llvm::TypeSwitch<Operation &>(op)
        .Case([&](arith::ConstantOp constant) {
          if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
            setNumber(op, value.getValueAsDouble());
          else
            setInteger(op, cast<IntegerAttr>(constant.getValue())
                               .getValue()
                               .getSExtValue());
        })
        .Case([&](arith::AddIOp) { setInteger(op, i() + j()); })
        .Case([&](arith::SubIOp) { setInteger(op, i() - j()); })
        .Case([&](arith::MulIOp) { setInteger(op, i() * j()); })
        .Case<arith::DivUIOp, arith::DivSIOp>(
            [&](auto) { setInteger(op, i() / j()); })
        .Case<arith::RemUIOp, arith::RemSIOp>(
            [&](auto) { setInteger(op, i() % j()); })
        .Case([&](arith::AndIOp) { setInteger(op, i() & j()); })
        .Case([&](arith::MinSIOp) { setInteger(op, std::min(i(), j())); })
        .Case([&](arith::SelectOp choice) {
          set(choice.getResult(),
              get(integer(choice.getCondition()) ? choice.getTrueValue()
                                                 : choice.getFalseValue()));
        })
        .Case<arith::IndexCastOp>([&](auto) { setInteger(op, i()); })
        .Case([&](arith::SIToFPOp) { setNumber(op, static_cast<double>(i())); })
        .Case([&](arith::CmpIOp compare) {
          setInteger(op, arith::applyCmpPredicate(
                             compare.getPredicate(),
                             APInt(64, static_cast<uint64_t>(i()), true),
                             APInt(64, static_cast<uint64_t>(j()), true)));
        })
        .Case([&](arith::AddFOp) { setNumber(op, x() + y()); })
        .Case([&](arith::SubFOp) { setNumber(op, x() - y()); })
        .Case([&](arith::MulFOp) { setNumber(op, x() * y()); })
        .Case([&](arith::DivFOp) { setNumber(op, x() / y()); })
        .Case([&](arith::MaximumFOp) { setNumber(op, std::max(x(), y())); })
        .Case([&](math::SqrtOp) { setNumber(op, std::sqrt(x())); })
        .Case([&](math::ExpOp) { setNumber(op, std::exp(x())); })
        .Case([&](gpu::SubgroupReduceOp all) { fold(all); })
        .Case([&](memref::LoadOp access) { load(access); })
        .Case([&](memref::StoreOp access) { store(access); })
        .Case([&](memref::AtomicRMWOp count) {
          auto *to = reinterpret_cast<int32_t *>(
              address(count.getMemref(), count.getIndices()));
          setInteger(op,
                     std::atomic_ref(*to).fetch_add(static_cast<int32_t>(i())));
        })
        .Case([&](memref::ViewOp view) {
          Cell cell = get(view.getSource());
          cell.place += integer(view.getByteShift());
          set(view.getResult(), cell);
        })
        .Case<memref::CollapseShapeOp, memref::ExpandShapeOp>([&](auto view) {
          Cell cell = get(view.getSrc());
          set(view.getResult(), cell);
        })
        .Case([&](scf::ForOp nested) { loop(nested); })
        .Case([&](scf::IfOp choice) { choose(choice); })
        .Case([&](gpu::ThreadIdOp) { setInteger(op, place.thread); })
        .Case([&](gpu::BlockDimOp) { setInteger(op, place.threads); })
        .Case([&](gpu::BlockIdOp) { setInteger(op, place.block); })
        .Case([&](gpu::GridDimOp) { setInteger(op, place.blocks); })
        .Case([&](gpu::BarrierOp) { place.barrier->arrive_and_wait(); })
        .Case([&](LLVM::FenceOp) {
          std::atomic_thread_fence(std::memory_order_acq_rel);
        })
        .Case([&](mlir::soap::ParallelCallOp call) { launch(call); })
        .Case<scf::YieldOp, gpu::ReturnOp, func::ReturnOp,
              mlir::soap::RecordEventOp, mlir::soap::WaitEventOp>([&](auto) {})
        .Default([&](Operation &other) {
          ADD_FAILURE() << "not interpreted: "
                        << other.getName().getStringRef().str();
        });
  }
};

} // namespace

std::vector<Array> runOnThreads(const std::string &text,
                                const std::string &type,
                                const std::string &lowering,
                                const std::vector<Array> &inputs,
                                int64_t blocks, int64_t threads) {
  Prepared prepared(
      text, type, lowering + ",soap-kernels-to-gpu{kernels=launches}", inputs);
  if (!prepared.module)
    return {};
  auto program = prepared.module->lookupSymbol<func::FuncOp>("f");
  auto arenaBytes =
      program->getAttrOfType<IntegerAttr>(mlir::soap::SoapDialect::kArenaBytes);
  std::vector<char> arena(
      static_cast<size_t>(arenaBytes ? arenaBytes.getInt() : 0) + 64,
      static_cast<char>(0xff));
  Interpreter interpreter(*prepared.module, {blocks, threads}, {});
  // The arena is the last of the arguments.
  for (auto [i, argument] : llvm::enumerate(program.getArguments()))
    interpreter.set(argument,
                    {0, 0,
                     i < prepared.buffers.size() ? prepared.buffers[i].data()
                                                 : arena.data()});
  interpreter.run(program.getBody().front());
  return prepared.results();
}

} // namespace soap::test
