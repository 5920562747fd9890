//===- Lstm.cpp - Kernels of LSTM chunks, steps and cells -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All of them share the pointwise part of a step; they differ in where the
// products with the recurrent weights come from, and in how many steps they do.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

using UnitFn = function_ref<Scalar(const Index &n, const Index &a)>;
using GateFn =
    function_ref<Scalar(const Index &n, int64_t gate, const Index &a)>;

Scalar sigmoid(KernelBuilder &k, const Scalar &x) {
  return k.number(1) / (k.number(1) + exp(-x));
}

//===----------------------------------------------------------------------===//
// Forward
//===----------------------------------------------------------------------===//

/// One step: `gate(n, g, a)` is the sum in front of the gate's function,
/// `before(n, a)` the cell before; results are written at `to` of their tensors
/// [T, N, A] and [T, N, 4, A].
void emitCell(KernelBuilder &k, GateFn gate, UnitFn before, const Index &to,
              const Tensor &h, const Tensor &c, const Tensor &gates) {
  k.forEach({h.dim(1), h.dim(2)}, [&](Index n, Index a) {
    Scalar i = sigmoid(k, gate(n, 0, a)), o = sigmoid(k, gate(n, 1, a)),
           f = sigmoid(k, gate(n, 2, a)), candidate = tanh(gate(n, 3, a));
    Scalar cell = f * before(n, a) + i * candidate;
    c.set({to, n, a}, cell);
    h.set({to, n, a}, o * tanh(cell));
    Scalar values[] = {i, o, f, candidate};
    for (int64_t g = 0; g < 4; ++g)
      gates.set({to, n, k.constant(g), a}, values[g]);
  });
}

/// x[t] + h * r, with h = `from`[at].
auto gateOf(KernelBuilder &k, const Tensor &x, const Index &t, const Tensor &r,
            const Tensor &from, const Index &at) {
  return [&k, x, t, r, from, at](const Index &n, int64_t g, const Index &a) {
    Index gate = k.constant(g);
    return x({t, n, gate, a}) + k.sum({r.dim(2)}, [&](Index i) {
      return r({gate, a, i}) * from({at, n, i});
    });
  };
}

auto unitsOf(const Tensor &from, const Index &at) {
  return
      [from, at](const Index &n, const Index &a) { return from({at, n, a}); };
}

void emitLstm(KernelBuilder &k) {
  Tensor x = k.in(0), r = k.in(1), h0 = k.in(2), c0 = k.in(3), y = k.out(0),
         cells = k.out(1), gates = k.out(2);
  Index zero = k.constant(0);
  emitCell(k, gateOf(k, x, zero, r, h0, zero), unitsOf(c0, zero), zero, y,
           cells, gates);
  if (x.dim(0) == 1)
    return;
  k.forEach({x.dim(0) - 1}, [&](Index before) {
    Index t = before + 1;
    emitCell(k, gateOf(k, x, t, r, y, before), unitsOf(cells, before), t, y,
             cells, gates);
  });
}

void emitStep(LstmStepOp op, KernelBuilder &k) {
  Index zero = k.constant(0), t = k.constant(static_cast<int64_t>(op.getT()));
  emitCell(k, gateOf(k, k.in(0), t, k.in(1), k.in(2), zero),
           unitsOf(k.in(3), zero), zero, k.out(0), k.out(1), k.out(2));
}

void emitCellOp(LstmCellOp op, KernelBuilder &k) {
  Tensor x = k.in(0), product = k.in(1);
  Index zero = k.constant(0), t = k.constant(static_cast<int64_t>(op.getT()));
  emitCell(
      k,
      [&](const Index &n, int64_t g, const Index &a) {
        return x({t, n, k.constant(g), a}) + product({n, k.constant(g), a});
      },
      unitsOf(k.in(2), zero), zero, k.out(0), k.out(1), k.out(2));
}

//===----------------------------------------------------------------------===//
// Gradient
//===----------------------------------------------------------------------===//

/// One step backwards. `dh` and `dc` are what comes from this step's y and
/// cells and from the step behind; `dc` may read what this step overwrites, at
/// the same unit.
void emitCellGrad(KernelBuilder &k, UnitFn dh, UnitFn dc, const Tensor &gates,
                  const Tensor &cells, const Index &t, UnitFn before,
                  const Index &to, const Tensor &dz, const Tensor &dcBefore) {
  Scalar one = k.number(1);
  k.forEach({cells.dim(1), cells.dim(2)}, [&](Index n, Index a) {
    auto gate = [&](int64_t g) { return gates({t, n, k.constant(g), a}); };
    Scalar i = gate(0), o = gate(1), f = gate(2), candidate = gate(3);
    Scalar curve = tanh(cells({t, n, a})), slope = dh(n, a);
    Scalar cell = dc(n, a) + slope * o * (one - curve * curve);
    Scalar values[] = {cell * candidate * i * (one - i),
                       slope * curve * o * (one - o),
                       cell * before(n, a) * f * (one - f),
                       cell * i * (one - candidate * candidate)};
    for (int64_t g = 0; g < 4; ++g)
      dz.set({to, n, k.constant(g), a}, values[g]);
    dcBefore.set({k.constant(0), n, a}, cell * f);
  });
}

/// dz[at] * r at one unit: the gradient of h.
Scalar productAt(KernelBuilder &k, const Tensor &dz, const Index &at,
                 const Tensor &r, const Index &n, const Index &a) {
  return k.sum({4, r.dim(1)}, [&](Index g, Index i) {
    return dz({at, n, g, i}) * r({g, i, a});
  });
}

void emitLstmGrad(LstmGradOp op, KernelBuilder &k) {
  Tensor dy = k.in(0), r = k.in(1), gates = k.in(2), cells = k.in(3),
         c0 = k.in(4), dx = k.out(0), dh0 = k.out(1), dc0 = k.out(2);
  int64_t steps = dy.dim(0);
  Index zero = k.constant(0);
  auto ofCell = [&](const Index &t, const Index &n, const Index &a) {
    return op.getDcells() ? k.in(5)({t, n, a}) : k.number(0);
  };
  // dc0 holds the gradient of the cell until the first step has been done.
  auto step = [&](const Index &t, UnitFn before, bool isLast) {
    emitCellGrad(
        k,
        [&](const Index &n, const Index &a) {
          Scalar own = dy({t, n, a});
          return isLast ? own : own + productAt(k, dx, t + 1, r, n, a);
        },
        [&](const Index &n, const Index &a) {
          Scalar own = ofCell(t, n, a);
          return isLast ? own : own + dc0({zero, n, a});
        },
        gates, cells, t, before, t, dx, dc0);
  };
  auto beforeOf = [&](const Index &t) {
    return [&cells, at = t - 1](const Index &n, const Index &a) {
      return cells({at, n, a});
    };
  };
  Index last = k.constant(steps - 1);
  if (steps > 1) {
    step(last, beforeOf(last), /*isLast=*/true);
    if (steps > 2)
      k.forEach({steps - 2}, [&](Index i) {
        Index t = k.constant(steps - 2) - i;
        step(t, beforeOf(t), /*isLast=*/false);
      });
  }
  step(zero, unitsOf(c0, zero), /*isLast=*/steps == 1);
  k.forEach({dh0.dim(1), dh0.dim(2)}, [&](Index n, Index a) {
    dh0.set({zero, n, a}, productAt(k, dx, zero, r, n, a));
  });
}

/// Operands that are there, by position in the list of all.
template <typename OpTy>
std::optional<Tensor> optionalInput(OpTy op, KernelBuilder &k, Value value) {
  if (!value)
    return std::nullopt;
  // A value may be two operands: of the last ones, which are optional.
  for (size_t i = op->getNumOperands(); i-- > 0;)
    if (op->getOperand(i) == value)
      return k.in(i);
  return std::nullopt;
}

template <typename OpTy>
void emitStepGrad(
    OpTy op, KernelBuilder &k, size_t firstGates,
    function_ref<std::optional<Scalar>(const Index &, const Index &)> product) {
  Tensor dy = k.in(0), gates = k.in(firstGates), cells = k.in(firstGates + 1),
         previous = k.in(firstGates + 2);
  std::optional<Tensor> dcells = optionalInput(op, k, op.getDcells()),
                        nextDc = optionalInput(op, k, op.getNextDc());
  Index zero = k.constant(0), t = k.constant(static_cast<int64_t>(op.getT())),
        before = k.constant(static_cast<int64_t>(op.getPreviousT()));
  emitCellGrad(
      k,
      [&](const Index &n, const Index &a) {
        Scalar own = dy({t, n, a});
        std::optional<Scalar> next = product(n, a);
        return next ? own + *next : own;
      },
      [&](const Index &n, const Index &a) {
        Scalar sum = dcells ? (*dcells)({t, n, a}) : k.number(0);
        return nextDc ? sum + (*nextDc)({zero, n, a}) : sum;
      },
      gates, cells, t, unitsOf(previous, before), zero, k.out(0), k.out(1));
}

} // namespace

bool mlir::soap::emitLstmKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](LstmOp) { return emitLstm(k), true; })
      .Case([&](LstmStepOp step) { return emitStep(step, k), true; })
      .Case([&](LstmCellOp cell) { return emitCellOp(cell, k), true; })
      .Case([&](LstmGradOp grad) { return emitLstmGrad(grad, k), true; })
      .Case([&](LstmStepGradOp grad) {
        std::optional<Tensor> next = optionalInput(grad, k, grad.getNextDz());
        emitStepGrad(
            grad, k, 2,
            [&](const Index &n, const Index &a) -> std::optional<Scalar> {
              if (!next)
                return std::nullopt;
              return productAt(k, *next, k.constant(0), k.in(1), n, a);
            });
        return true;
      })
      .Case([&](LstmCellGradOp grad) {
        std::optional<Tensor> product =
            optionalInput(grad, k, grad.getProduct());
        emitStepGrad(
            grad, k, 1,
            [&](const Index &n, const Index &a) -> std::optional<Scalar> {
              if (!product)
                return std::nullopt;
              return (*product)({n, a});
            });
        return true;
      })
      .Default(false);
}
