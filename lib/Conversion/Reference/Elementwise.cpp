//===- Elementwise.cpp - Kernels of elementwise ops -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The scalar function of every elementwise op, and one kernel for one or
// several of them: fused chains differ from the reference only in that.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::soap;

using Predicate = arith::CmpFPredicate;

/// Between floats that compute in f32.
static bool isRounding(CastOp op) {
  auto computes = [](Value value) {
    return computeTypeOf(cast<ShapedType>(value.getType()).getElementType())
        .isF32();
  };
  return computes(op.getX()) && computes(op.getY());
}

bool mlir::soap::isElementwise(Operation *op) {
  if (auto cast = dyn_cast<CastOp>(op))
    return isRounding(cast);
  return isa<ReluOp, NegOp, AbsOp, ExpOp, LogOp, SqrtOp, TanhOp, SigmoidOp,
             SignOp, ScaleOp, AddOp, SubOp, MulOp, DivOp, MaximumOp, MinimumOp,
             GreaterEqualOp, EqualOp, BiasAddOp, ReluGradOp, TanhGradOp,
             SigmoidGradOp, SqrtGradOp, AccumulateOp, SgdOp, ErfOp, SinOp,
             CosOp, ReciprocalOp, RsqrtOp, GeluOp, GreaterOp, PowOp, WhereOp,
             ErfGradOp, GeluGradOp, AdamOp, Log1pOp, Expm1Op, SoftplusOp,
             AsinOp, AcosOp, AtanOp, AsinhOp, AcoshOp, AtanhOp, StopGradientOp,
             SwiGLUOp, SwiGLUGradOp>(op);
}

static Scalar sigmoid(KernelBuilder &k, const Scalar &x) {
  return k.number(1) / (k.number(1) + exp(-x));
}

static Scalar sign(KernelBuilder &k, const Scalar &x) {
  Scalar zero = k.number(0);
  // NaN stays NaN: it is neither above nor below zero.
  return select(compare(Predicate::OGT, x, zero), k.number(1),
                select(compare(Predicate::OLT, x, zero), k.number(-1),
                       select(compare(Predicate::OEQ, x, zero), zero, x)));
}

static Scalar indicator(KernelBuilder &k, const Condition &condition) {
  return select(condition, k.number(1), k.number(0));
}

/// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|): no power overflows.
static Scalar softplus(KernelBuilder &k, const Scalar &x) {
  return max(x, k.number(0)) + log1p(exp(-abs(x)));
}

/// sqrt(1 - x^2) without the cancellation at +-1.
static Scalar coside(KernelBuilder &k, const Scalar &x) {
  return sqrt((k.number(1) - x) * (k.number(1) + x));
}

/// Where sqrt(x^2 +- 1) is x in every type, and x^2 does not overflow yet.
static Condition isLarge(KernelBuilder &k, const Scalar &size) {
  return compare(Predicate::OGT, size, k.number(1e10));
}

/// log(2 x).
static Scalar logOfTwice(KernelBuilder &k, const Scalar &x) {
  return log(x) + k.number(M_LN2);
}

/// sign(x) * log1p(|x| + x^2 / (1 + sqrt(x^2 + 1))): exact for small x.
static Scalar asinh(KernelBuilder &k, const Scalar &x) {
  Scalar size = abs(x), one = k.number(1), square = size * size;
  Scalar curve = log1p(size + square / (one + sqrt(square + one)));
  return copySign(select(isLarge(k, size), logOfTwice(k, size), curve), x);
}

/// log1p(t + sqrt(t) * sqrt(t + 2)) of t = x - 1: no number below 1, where the
/// root of t * (t + 2) would be one far to the left.
static Scalar acosh(KernelBuilder &k, const Scalar &x) {
  Scalar t = x - k.number(1);
  Scalar curve = log1p(t + sqrt(t) * sqrt(t + k.number(2)));
  return select(isLarge(k, x), logOfTwice(k, x), curve);
}

/// sign(x) / 2 * log1p(2 |x| / (1 - |x|)).
static Scalar atanh(KernelBuilder &k, const Scalar &x) {
  Scalar size = abs(x);
  Scalar ratio = (size + size) / (k.number(1) - size);
  return copySign(k.number(0.5) * log1p(ratio), x);
}

/// tanh(sqrt(2 / pi) * (x + 0.044715 x^3)), of the approximated gelu.
static Scalar geluTanh(KernelBuilder &k, const Scalar &x) {
  return tanh(k.number(std::sqrt(2 / M_PI)) *
              (x + k.number(0.044715) * x * x * x));
}

namespace {
/// Distribution and density of the standard normal, the latter times
/// sqrt(2 pi).
struct Normal {
  Scalar below, bell;
};
} // namespace

static Normal normalAt(KernelBuilder &k, const Scalar &x) {
  Scalar bell = exp(k.number(-0.5) * x * x), one = k.number(1);
  if (!k.fast || !k.computeType().isF32())
    return {k.number(0.5) * (one + erf(k.number(M_SQRT1_2) * x)), bell};
  // In f32 both from one exponential: erfc(z) exp(z^2) is a polynomial in
  // 1 / (1 + 0.45 z), here minimax of the relative error (3e-7 for z >= 0).
  // Unlike 1 + erf, it is as exact where little is left below.
  constexpr double terms[] = {0.06631969, -0.23788956, 0.20455459, 0.04441021,
                              0.18637916, 0.2287909,   0.25351849, 0.25391681};
  Scalar t = one / (one + k.number(0.45 * M_SQRT1_2) * abs(x));
  Scalar tail = k.number(terms[0] / 2);
  for (double term : llvm::ArrayRef(terms).drop_front())
    tail = tail * t + k.number(term / 2);
  tail = tail * t * bell;
  return {select(compare(Predicate::OLT, x, k.number(0)), tail, one - tail),
          bell};
}

static Scalar gelu(KernelBuilder &k, const Scalar &x, bool approximate) {
  if (!approximate)
    return x * normalAt(k, x).below;
  Scalar curve = geluTanh(k, x);
  return k.number(0.5) * x * (k.number(1) + curve);
}

static Scalar geluSlope(KernelBuilder &k, const Scalar &x, bool approximate) {
  Scalar one = k.number(1), half = k.number(0.5);
  if (!approximate) {
    Normal normal = normalAt(k, x);
    return normal.below + k.number(1 / std::sqrt(2 * M_PI)) * x * normal.bell;
  }
  Scalar curve = geluTanh(k, x);
  Scalar inner =
      k.number(std::sqrt(2 / M_PI)) * (one + k.number(3 * 0.044715) * x * x);
  return half * (one + curve) + half * x * (one - curve * curve) * inner;
}

static SmallVector<Scalar> adam(AdamOp op, KernelBuilder &k,
                                ArrayRef<Scalar> x) {
  auto number = [&](const APFloat &value) {
    return k.number(value.convertToDouble());
  };
  Scalar one = k.number(1), weight = x[0], g = x[1];
  bool decays = !op.getWeightDecay().isZero();
  if (decays && !op.getDecoupled())
    g = g + number(op.getWeightDecay()) * weight;
  Scalar beta1 = number(op.getBeta1()), beta2 = number(op.getBeta2());
  Scalar m = beta1 * x[2] + (one - beta1) * g;
  Scalar v = beta2 * x[3] + (one - beta2) * g * g;
  Scalar step = m * x[4] / (sqrt(v * x[5]) + number(op.getEpsilon()));
  if (decays && op.getDecoupled())
    step = step + number(op.getWeightDecay()) * weight;
  return {weight - number(op.getLearningRate()) * step, m, v};
}

/// To the nearest number that `type` has.
static Scalar rounded(KernelBuilder &k, const Scalar &x, Type type) {
  if (x.value.getType() == type)
    return x;
  Value narrow = arith::TruncFOp::create(k.builder, k.loc, type, x.value);
  return {&k,
          arith::ExtFOp::create(k.builder, k.loc, x.value.getType(), narrow)};
}

SmallVector<Scalar> mlir::soap::emitScalars(Operation *op, KernelBuilder &k,
                                            ArrayRef<Scalar> x) {
  using Results = SmallVector<Scalar>;
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case([&](ReluOp) { return Results{max(x[0], k.number(0))}; })
      .Case([&](NegOp) { return Results{-x[0]}; })
      .Case([&](AbsOp) { return Results{abs(x[0])}; })
      .Case([&](ExpOp) { return Results{exp(x[0])}; })
      .Case([&](LogOp) { return Results{log(x[0])}; })
      .Case([&](SqrtOp) { return Results{sqrt(x[0])}; })
      .Case([&](TanhOp) { return Results{tanh(x[0])}; })
      .Case([&](SigmoidOp) { return Results{sigmoid(k, x[0])}; })
      .Case([&](SignOp) { return Results{sign(k, x[0])}; })
      .Case([&](ScaleOp scale) {
        return Results{k.number(scale.getFactor().convertToDouble()) * x[0]};
      })
      .Case([&](AddOp) { return Results{x[0] + x[1]}; })
      .Case([&](SubOp) { return Results{x[0] - x[1]}; })
      .Case([&](MulOp) { return Results{x[0] * x[1]}; })
      .Case([&](DivOp) { return Results{x[0] / x[1]}; })
      .Case([&](MaximumOp) { return Results{max(x[0], x[1])}; })
      .Case([&](MinimumOp) { return Results{min(x[0], x[1])}; })
      .Case([&](GreaterEqualOp) {
        return Results{indicator(k, compare(Predicate::OGE, x[0], x[1]))};
      })
      .Case([&](EqualOp) {
        return Results{indicator(k, compare(Predicate::OEQ, x[0], x[1]))};
      })
      .Case([&](GreaterOp) {
        return Results{indicator(k, compare(Predicate::OGT, x[0], x[1]))};
      })
      .Case([&](Log1pOp) { return Results{log1p(x[0])}; })
      .Case([&](Expm1Op) { return Results{expm1(x[0])}; })
      .Case([&](SoftplusOp) { return Results{softplus(k, x[0])}; })
      .Case([&](AsinOp) { return Results{atan2(x[0], coside(k, x[0]))}; })
      .Case([&](AcosOp) { return Results{atan2(coside(k, x[0]), x[0])}; })
      .Case([&](AtanOp) { return Results{atan2(x[0], k.number(1))}; })
      .Case([&](AsinhOp) { return Results{asinh(k, x[0])}; })
      .Case([&](AcoshOp) { return Results{acosh(k, x[0])}; })
      .Case([&](AtanhOp) { return Results{atanh(k, x[0])}; })
      .Case([&](StopGradientOp) { return Results{x[0]}; })
      .Case([&](SinOp) { return Results{sin(x[0])}; })
      .Case([&](CosOp) { return Results{cos(x[0])}; })
      .Case([&](ErfOp) { return Results{erf(x[0])}; })
      .Case([&](ReciprocalOp) { return Results{k.number(1) / x[0]}; })
      .Case([&](RsqrtOp rsqrt) {
        return Results{
            k.number(1) /
            sqrt(x[0] + k.number(rsqrt.getEpsilon().convertToDouble()))};
      })
      .Case([&](GeluOp op) {
        return Results{gelu(k, x[0], op.getApproximate())};
      })
      .Case([&](PowOp) { return Results{pow(x[0], x[1])}; })
      .Case([&](WhereOp) {
        Condition picks = compare(Predicate::UNE, x[0], k.number(0));
        return Results{select(picks, x[1], x[2])};
      })
      .Case([&](ErfGradOp) {
        return Results{x[0] * k.number(2 / std::sqrt(M_PI)) *
                       exp(-(x[1] * x[1]))};
      })
      .Case([&](GeluGradOp op) {
        return Results{x[0] * geluSlope(k, x[1], op.getApproximate())};
      })
      .Case([&](SwiGLUOp op) {
        Scalar beta = k.number(op.getBeta().convertToDouble());
        return Results{x[0] * sigmoid(k, beta * x[0]) * x[1]};
      })
      .Case([&](SwiGLUGradOp op) {
        Scalar beta = k.number(op.getBeta().convertToDouble()),
               share = sigmoid(k, beta * x[1]);
        // s + beta * gate * s * (1 - s)
        Scalar slope =
            share * (k.number(1) + beta * x[1] * (k.number(1) - share));
        return Results{x[0] * x[2] * slope};
      })
      .Case([&](AdamOp op) { return adam(op, k, x); })
      .Case([&](CastOp op) {
        Type type = cast<ShapedType>(op.getY().getType()).getElementType();
        return Results{rounded(k, x[0], type)};
      })
      .Case([&](BiasAddOp) { return Results{x[0] + x[1]}; })
      .Case([&](ReluGradOp) {
        Scalar zero = k.number(0);
        return Results{select(compare(Predicate::OGT, x[1], zero), x[0], zero)};
      })
      .Case([&](TanhGradOp) {
        return Results{x[0] * (k.number(1) - x[1] * x[1])};
      })
      .Case([&](SigmoidGradOp) {
        return Results{x[0] * x[1] * (k.number(1) - x[1])};
      })
      .Case([&](SqrtGradOp) { return Results{x[0] / (k.number(2) * x[1])}; })
      .Case([&](AccumulateOp) {
        Scalar sum = x[0];
        for (const Scalar &term : x.drop_front())
          sum = sum + term;
        return Results{sum};
      })
      .Case([&](SgdOp sgd) {
        auto number = [&](const APFloat &value) {
          return k.number(value.convertToDouble());
        };
        Scalar g = x[1];
        if (!sgd.getWeightDecay().isZero())
          g = g + number(sgd.getWeightDecay()) * x[0];
        if (!sgd.getVelocity())
          return Results{x[0] - number(sgd.getLearningRate()) * g};
        Scalar velocity = number(sgd.getMomentum()) * x[2] + g;
        return Results{x[0] - number(sgd.getLearningRate()) * velocity,
                       velocity};
      });
}

/// An element of a result as its buffer would have it: replicas of an op agree
/// though devices fuse it with other ops.
static Scalar asStored(KernelBuilder &k, const Scalar &x, Value result) {
  Type type = cast<ShapedType>(result.getType()).getElementType();
  bool isNarrow =
      isa<FloatType>(type) && isa<FloatType>(x.value.getType()) &&
      type.getIntOrFloatBitWidth() < x.value.getType().getIntOrFloatBitWidth();
  return isNarrow ? rounded(k, x, type) : x;
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<ShapedType>(value.getType()).getShape();
}

SmallVector<bool> mlir::soap::operandDims(Operation *op, unsigned operand) {
  ArrayRef<int64_t> result = shapeOf(op->getResult(0));
  SmallVector<bool> has(result.size(), false);
  if (auto bias = dyn_cast<BiasAddOp>(op); bias && operand == 1) {
    has[bias.getAxis()] = result[bias.getAxis()] != 1;
    return has;
  }
  // Aligned at the last dim; dims of extent 1 repeat.
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(operand));
  for (size_t i = 0; i < shape.size(); ++i)
    has[result.size() - shape.size() + i] = shape[i] != 1;
  return has;
}

namespace {

/// The loops of a kernel: of each its extent, and the first and the last of its
/// dims, without dims of extent 1.
struct Loops {
  SmallVector<int64_t> extents;
  SmallVector<unsigned> firstDims, lastDims;
};

/// Neighbouring dims of the result that every input has or lacks together, and
/// that are `neighbours` in all buffers.
Loops loopsOf(ArrayRef<int64_t> shape, ArrayRef<SmallVector<bool>> dims,
              bool collapse,
              function_ref<bool(unsigned, unsigned)> neighbours) {
  Loops loops;
  for (auto [place, extent] : llvm::enumerate(shape)) {
    auto d = static_cast<unsigned>(place);
    bool joins = collapse && !loops.extents.empty();
    if (joins && extent != 1 && loops.extents.back() != 1) {
      joins = neighbours(loops.lastDims.back(), d);
      for (const SmallVector<bool> &has : dims)
        joins &= has[d] == has[loops.firstDims.back()];
    }
    if (!joins) {
      loops.extents.push_back(extent);
      loops.firstDims.push_back(d);
      loops.lastDims.push_back(d);
      continue;
    }
    // A dim of extent 1 does not say which inputs have it: the other dim does.
    if (loops.extents.back() == 1)
      loops.firstDims.back() = d;
    if (extent != 1 || loops.extents.back() == 1)
      loops.lastDims.back() = d;
    loops.extents.back() *= extent;
  }
  return loops;
}

} // namespace

void mlir::soap::emitElementwiseKernel(ArrayRef<Operation *> ops,
                                       ValueRange inputs, ValueRange outputs,
                                       bool collapse, KernelBuilder &k) {
  // Which dims of the iteration each input has, and where it is first read.
  SmallVector<SmallVector<bool>> dims(inputs.size());
  SmallVector<int64_t> shape(shapeOf(outputs[0]));
  for (auto [i, input] : llvm::enumerate(inputs))
    for (Operation *op : ops)
      for (OpOperand &operand : op->getOpOperands())
        if (operand.get() == input && dims[i].empty())
          dims[i] = operandDims(op, operand.getOperandNumber());

  // Everything in the order of the buffers from here on.
  const ImageLayout layout = k.out().getLayout();
  const SmallVector<unsigned> order = k.out().bufferDims();
  SmallVector<int64_t> modelShape(k.out().shape());
  if (layout != ImageLayout::ChannelsFirst) {
    auto reorder = [&](auto &list) {
      auto old = std::exchange(list, {});
      for (unsigned dim : bufferOrder(layout))
        list.push_back(old[dim]);
    };
    reorder(shape);
    if (int64_t block = channelBlock(layout)) {
      shape[1] /= block;
      shape.back() = block;
    }
    for (SmallVector<bool> &has : dims)
      if (!has.empty())
        reorder(has);
  }
  // Images in another layout, of which the two without blocks are mixed: only
  // rows and columns are neighbours in both.
  auto isOther = [&](size_t input) {
    return k.in(input).getLayout() != layout &&
           k.in(input).shape() == ArrayRef<int64_t>(modelShape);
  };
  bool isMixed = llvm::any_of(
      llvm::seq<size_t>(0, std::min(inputs.size(), k.inputCount())), isOther);
  auto [extents, firstDims, lastDims] =
      loopsOf(shape, dims, collapse, [&](unsigned before, unsigned dim) {
        return !isMixed || (order[before] == 2 && order[dim] == 3);
      });

  // Buffers are addressed as rows: the position is a sum over the loops that
  // the tensor has.
  std::map<SmallVector<bool>, Index> positions;
  auto position = [&](ArrayRef<Index> loops, ArrayRef<bool> has) {
    SmallVector<bool> present;
    for (unsigned dim : firstDims)
      present.push_back(has.empty() || has[dim] || shape[dim] == 1);
    if (auto known = positions.find(present); known != positions.end())
      return known->second;
    Index sum = k.constant(0);
    int64_t stride = 1;
    for (size_t l = loops.size(); l-- > 0;)
      if (present[l]) {
        sum = loops[l] * stride + sum;
        stride *= extents[l];
      }
    positions[present] = sum;
    return sum;
  };
  auto otherPosition = [&](ArrayRef<Index> loops, const Tensor &input) {
    Index sum = k.constant(0);
    SmallVector<unsigned> inner = input.bufferDims();
    for (auto [loop, dim] : llvm::zip(loops, lastDims)) {
      int64_t stride = 1;
      for (size_t place = inner.size(); inner[--place] != order[dim];)
        stride *= modelShape[inner[place]];
      sum = loop * stride + sum;
    }
    return sum;
  };
  SmallVector<Tensor> inputRows, outputRows;
  for (size_t i = 0; i < k.inputCount(); ++i)
    inputRows.push_back(k.in(i).flattened());
  for (size_t i = 0; i < k.outputCount(); ++i)
    outputRows.push_back(k.out(i).flattened());

  k.forEachInOrder(extents, [&](ArrayRef<Index> loops) {
    llvm::DenseMap<Value, Scalar> values;
    for (auto [i, input] : llvm::enumerate(inputs))
      values[input] =
          inputRows[i]({isMixed && isOther(i) ? otherPosition(loops, k.in(i))
                                              : position(loops, dims[i])});
    for (Operation *op : ops) {
      SmallVector<Scalar> operands;
      for (Value operand : op->getOperands())
        operands.push_back(values.at(operand));
      for (auto [result, scalar] :
           llvm::zip(op->getResults(), emitScalars(op, k, operands)))
        values[result] = asStored(k, scalar, result);
    }
    Index here = position(loops, {});
    for (auto [i, output] : llvm::enumerate(outputs))
      outputRows[i].set({here}, values.at(output));
  });
}
