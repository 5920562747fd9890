//===- Experts.cpp - Kernels of routing, dispatch and combine -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every element of a result is written by one iteration, which reads what it
// needs: iterations of all loops over results may run at the same time. Indices
// that come from memory are checked before they are used.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace mlir::soap;

namespace {

/// More than any index.
constexpr int64_t kBeyond = int64_t(1) << 42;
/// Of a token, whose rows are found before the loop over features.
constexpr int64_t kUnrolledChoices = 16;

void storeIndex(const Tensor &to, ArrayRef<Index> at, const Index &value) {
  KernelBuilder &k = *value.k;
  to.storeRaw(at, arith::IndexCastOp::create(k.builder, k.loc, to.elementType(),
                                             k.materialize(value)));
}

SmallVector<Index> join(ArrayRef<Index> front, const Index &last) {
  SmallVector<Index> indices(front);
  indices.push_back(last);
  return indices;
}

Condition isLess(const Index &a, const Index &b) {
  return within(b - a, 1, kBeyond);
}

Condition isEither(const Condition &a, const Condition &b) {
  return !(!a && !b);
}

//===----------------------------------------------------------------------===//
// The largest elements
//===----------------------------------------------------------------------===//

/// An element of a row, and where it is.
struct Found {
  Scalar value;
  Index place;

  SmallVector<Value> values() const {
    return {value.value, place.k->materialize(place)};
  }
};

/// Round after round: the best element behind that of the round before, in the
/// order of falling values and rising places.
void emitTopK(KernelBuilder &k) {
  Tensor x = k.in(0), values = k.out(0), indices = k.out(1);
  int64_t extent = x.shape().back(), count = values.shape().back();
  Scalar infinity = k.number(std::numeric_limits<double>::infinity());
  auto found = [&](ArrayRef<Value> carried) {
    return Found{{&k, carried[0]}, Index{&k, carried[1], -1, extent - 1}};
  };
  k.forEachOf(x.shape().drop_back(), [&](ArrayRef<Index> row) {
    Found start{infinity, k.constant(-1)};
    k.foldOf(
        {count}, start.values(),
        [&](ArrayRef<Index> round, ArrayRef<Value> carried) {
          Found last = found(carried);
          Found none{-infinity, k.constant(-1)};
          Found best = found(k.foldOf(
              {extent}, none.values(),
              [&](ArrayRef<Index> i, ArrayRef<Value> inner) {
                Found sofar = found(inner);
                Scalar element = x(join(row, i[0]));
                // Numbers can be compared, NaN cannot.
                Scalar key =
                    select(compare(arith::CmpFPredicate::UNO, element, element),
                           infinity, element);
                using Predicate = arith::CmpFPredicate;
                Condition isBehind =
                    isEither(compare(Predicate::OLT, key, last.value),
                             compare(Predicate::OEQ, key, last.value) &&
                                 isLess(last.place, i[0]));
                Condition isBetter =
                    isBehind &&
                    isEither(sofar.place == k.constant(-1),
                             compare(Predicate::OGT, key, sofar.value));
                return Found{select(isBetter, key, sofar.value),
                             select(isBetter, i[0], sofar.place)}
                    .values();
              }));
          // There are as many elements as rounds: one is found.
          Index place = max(best.place, k.constant(0));
          values.storeRaw(join(row, round[0]), x.loadRaw(join(row, place)));
          storeIndex(indices, join(row, round[0]), place);
          return best.values();
        });
  });
}

void emitTopKGrad(KernelBuilder &k) {
  Tensor dy = k.in(0), indices = k.in(1), dx = k.out();
  int64_t count = dy.shape().back();
  k.forEachOf(dx.shape(), [&](ArrayRef<Index> at) {
    ArrayRef<Index> row = at.drop_back();
    dx.set(at, k.sum({count}, [&](Index i) {
      Condition isHere = indices.loadIndex(join(row, i)) == at.back();
      return select(isHere, dy(join(row, i)), k.number(0));
    }));
  });
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Every expert goes through all choices and counts its own. Then every choice
/// looks itself up in the places of its expert, whose numbers rise.
void emitRoute(KernelBuilder &k) {
  Tensor indices = k.in(0), slots = k.out(0), tokens = k.out(1),
         load = k.out(2);
  int64_t samples = indices.dim(0), length = indices.dim(1),
          choices = indices.dim(2), experts = tokens.dim(1),
          capacity = tokens.dim(2);
  k.forEach({samples, experts}, [&](Index s, Index e) {
    k.forEach({capacity},
              [&](Index c) { storeIndex(tokens, {s, e, c}, k.constant(-1)); });
    Value zero = k.materialize(k.constant(0));
    Value total =
        k.foldOf({choices, length}, {zero},
                 [&](ArrayRef<Index> at, ArrayRef<Value> carried) {
                   Index count{&k, carried[0], 0, choices * length - 1};
                   Condition isOwn = indices.loadIndex({s, at[1], at[0]}) == e;
                   k.ifThen(isOwn && within(count, 0, capacity), [&] {
                     storeIndex(tokens, {s, e, count}, at[0] * length + at[1]);
                   });
                   return SmallVector<Value>{
                       k.materialize(select(isOwn, count + 1, count))};
                 })[0];
    load.set({s, e}, k.toScalar(Index{&k, total, 0, choices * length}));
  });
  k.forEach({samples, length, choices}, [&](Index s, Index l, Index i) {
    Index chosen = indices.loadIndex({s, l, i}), number = i * length + l;
    Condition isExpert = within(chosen, 0, experts);
    Index e = select(isExpert, chosen, k.constant(0));
    e.lo = 0;
    e.hi = experts - 1;
    auto tokenAt = [&](const Index &c) { return tokens.loadIndex({s, e, c}); };
    // How many places have smaller numbers.
    Index place = k.constant(0);
    int64_t step = 1;
    while (step <= capacity / 2)
      step *= 2;
    for (; step > 0; step /= 2) {
      Index next = place + step,
            token = tokenAt(min(next, k.constant(capacity)) - 1);
      Condition isBefore = within(next, 0, capacity + 1) &&
                           within(token, 0, kBeyond) && isLess(token, number);
      place = select(isBefore, next, place);
    }
    Index last = min(place, k.constant(capacity - 1));
    Condition hasPlace =
        isExpert && within(place, 0, capacity) && tokenAt(last) == number;
    storeIndex(slots, {s, l, i},
               select(hasPlace, e * capacity + last, k.constant(-1)));
  });
}

//===----------------------------------------------------------------------===//
// Dispatch and combine
//===----------------------------------------------------------------------===//

/// An index from memory in [0, count): itself, or 0 where it is outside.
struct Checked {
  Index index;
  Condition isInside;

  Checked(KernelBuilder &k, const Index &loaded, int64_t count)
      : isInside(within(loaded, 0, count)) {
    index = select(isInside, loaded, k.constant(0));
    index.lo = 0;
    index.hi = count - 1;
  }
};

void emitDispatch(DispatchOp op, KernelBuilder &k) {
  Tensor x = k.in(0), tokens = k.in(2), y = k.out();
  int64_t samples = x.dim(0), length = x.dim(1), width = x.dim(2),
          choices = k.in(1).dim(2), experts = tokens.dim(1),
          capacity = tokens.dim(2);
  bool hasGates = static_cast<bool>(op.getGates());
  auto emitOne = [&](const Index &e, const Index &s, const Index &c,
                     const Checked &choice, const Index &d) {
    Index l = choice.index % length;
    Scalar value = x({s, l, d});
    if (hasGates)
      value = value * k.in(3)({s, l, choice.index / length});
    y.set({e, s, c, d}, select(choice.isInside, value, k.number(0)));
  };
  auto choiceAt = [&](const Index &e, const Index &s, const Index &c) {
    return Checked(k, tokens.loadIndex({s, e, c}), choices * length);
  };
  if (k.forThreads) {
    k.forEach({experts, samples, capacity, width},
              [&](Index e, Index s, Index c, Index d) {
                emitOne(e, s, c, choiceAt(e, s, c), d);
              });
    return;
  }
  k.forEach({experts, samples, capacity}, [&](Index e, Index s, Index c) {
    Checked choice = choiceAt(e, s, c);
    k.forEach({width}, [&](Index d) { emitOne(e, s, c, choice, d); });
  });
}

/// The row of an expert that a choice has, as the tile of places counts them.
Checked rowOf(KernelBuilder &k, const Tensor &slots, ArrayRef<Index> choice,
              int64_t firstExpert, int64_t experts, int64_t capacity) {
  return {k, slots.loadIndex(choice) - firstExpert * capacity,
          experts * capacity};
}

void emitCombine(CombineExpertsOp op, KernelBuilder &k) {
  Tensor y = k.in(0), slots = k.in(1), z = k.out();
  int64_t samples = z.dim(0), length = z.dim(1), width = z.dim(2),
          choices = slots.dim(2), experts = y.dim(0), capacity = y.dim(2);
  auto first = static_cast<int64_t>(op.getFirstExpert());
  bool hasGates = static_cast<bool>(op.getGates());
  auto rowAt = [&](const Index &s, const Index &l, const Index &i) {
    return rowOf(k, slots, {s, l, i}, first, experts, capacity);
  };
  auto term = [&](const Checked &row, const Index &s, const Index &d,
                  function_ref<Scalar()> gate) {
    Scalar value = y({row.index / capacity, s, row.index % capacity, d});
    if (hasGates)
      value = value * gate();
    return select(row.isInside, value, k.number(0));
  };
  if (k.forThreads || choices > kUnrolledChoices) {
    k.forEach({samples, length, width}, [&](Index s, Index l, Index d) {
      z.set({s, l, d}, k.sum({choices}, [&](Index i) {
        return term(rowAt(s, l, i), s, d, [&] { return k.in(3)({s, l, i}); });
      }));
    });
    return;
  }
  k.forEach({samples, length}, [&](Index s, Index l) {
    SmallVector<Checked> rows;
    SmallVector<Scalar> gates;
    for (int64_t i = 0; i < choices; ++i) {
      rows.push_back(rowAt(s, l, k.constant(i)));
      if (hasGates)
        gates.push_back(k.in(3)({s, l, k.constant(i)}));
    }
    k.forEach({width}, [&](Index d) {
      Scalar sum = k.number(0);
      for (auto [i, row] : llvm::enumerate(rows))
        sum = sum + term(row, s, d, [&, i = i] { return gates[i]; });
      z.set({s, l, d}, sum);
    });
  });
}

void emitGatesGrad(GatesGradOp op, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.in(1), slots = k.in(2), dgates = k.out();
  int64_t samples = x.dim(0), length = x.dim(1), width = x.dim(2),
          choices = slots.dim(2), experts = y.dim(0), capacity = y.dim(2);
  auto first = static_cast<int64_t>(op.getFirstExpert());
  k.forEach({samples, length, choices}, [&](Index s, Index l, Index i) {
    Checked row = rowOf(k, slots, {s, l, i}, first, experts, capacity);
    Index e = row.index / capacity, place = row.index % capacity;
    Scalar product = k.sum(
        {width}, [&](Index d) { return x({s, l, d}) * y({e, s, place, d}); });
    dgates.set({s, l, i}, select(row.isInside, product, k.number(0)));
  });
}

} // namespace

bool mlir::soap::emitExpertKernel(Operation *op, KernelBuilder &k) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](TopKOp) { return emitTopK(k), true; })
      .Case([&](TopKGradOp) { return emitTopKGrad(k), true; })
      .Case([&](RouteOp) { return emitRoute(k), true; })
      .Case(
          [&](DispatchOp dispatch) { return emitDispatch(dispatch, k), true; })
      .Case([&](CombineExpertsOp combine) {
        return emitCombine(combine, k), true;
      })
      .Case([&](GatesGradOp grad) { return emitGatesGrad(grad, k), true; })
      .Default(false);
}
