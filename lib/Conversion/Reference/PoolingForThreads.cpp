//===- PoolingForThreads.cpp - Kernels of pooling for GPUs ----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread computes a cell: neighbours that share what they read, which it
// loads once, before it computes. What is outside of a tensor is loaded from
// its border, so that loads wait for no branch, and left out.
//
//===----------------------------------------------------------------------===//

#include "PoolingWindows.h"

#include "Soap/Dialect/Soap/GpuAttributes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// A position along one dim of a tensor.
struct Place {
  Index index;      ///< inside: where it is outside, the nearest that is not
  Condition inside; ///< whether it was
};

Place placeIn(KernelBuilder &k, const Index &at, int64_t extent) {
  return {min(max(at, k.constant(0)), k.constant(extent - 1)),
          within(at, 0, extent)};
}

/// Stores an element of a cell. Every element is in one cell and is stored
/// once.
void storeOfCell(KernelBuilder &k, const Tensor &tensor,
                 ArrayRef<Index> indices, const Condition &inside,
                 const Scalar &value) {
  k.ifThen(inside, [&] {
    tensor.set(indices, value);
    std::prev(k.builder.getInsertionPoint())
        ->setAttr(kIndependent, k.builder.getUnitAttr());
  });
}

/// Of this size a cell is still small code.
constexpr int64_t maxTaps = 36, maxOfCell = 16;

//===----------------------------------------------------------------------===//
// Cells of windows
//===----------------------------------------------------------------------===//

/// Along one dim: windows that follow each other, and what they read.
struct WindowCells {
  int64_t size, count, windows;
  int64_t stride, kernel, padding, extent; ///< of the image

  /// Windows that overlap belong together.
  WindowCells(int64_t windows, int64_t size, int64_t stride, int64_t kernel,
              int64_t padding, int64_t extent)
      : size(stride < kernel ? std::min(size, windows) : 1),
        count(llvm::divideCeil(windows, this->size)), windows(windows),
        stride(stride), kernel(kernel), padding(padding), extent(extent) {}

  int64_t taps() const { return (size - 1) * stride + kernel; }
  /// Whether every window has an element of the image.
  bool allTouch() const {
    return padding < kernel && (windows - 1) * stride - padding < extent;
  }
  SmallVector<Place> places(KernelBuilder &k, const Index &cell) const {
    SmallVector<Place> found;
    for (int64_t tap = 0; tap < taps(); ++tap)
      found.push_back(
          placeIn(k, cell * (size * stride) + (tap - padding), extent));
    return found;
  }
  Place window(const Index &cell, int64_t number) const {
    Index at = cell * size + number;
    return {at, within(at, 0, windows)};
  }
};

/// Elements that the windows of a cell read: [rows, columns].
using Taps = SmallVector<SmallVector<Scalar>>;

/// Calls `body` for every cell, with what it reads. `neutral` stands for what
/// is outside of the image; none: its border does.
void forEachCell(KernelBuilder &k, const WindowCells &down,
                 const WindowCells &right, std::optional<double> neutral,
                 function_ref<void(ArrayRef<Index>, const Taps &)> body) {
  Tensor x = k.in(0), y = k.out();
  k.forEach({y.dim(0), y.dim(1), down.count, right.count}, [&](Index n, Index c,
                                                               Index h,
                                                               Index w) {
    k.markIndependent();
    SmallVector<Place> rows = down.places(k, h), columns = right.places(k, w);
    Taps taps;
    for (const Place &row : rows)
      for (SmallVector<Scalar> &line = taps.emplace_back();
           const Place &column : columns)
        line.push_back(x({n, c, row.index, column.index}));
    for (auto [row, line] : llvm::zip_equal(rows, taps))
      for (auto [column, tap] : llvm::zip_equal(columns, line))
        if (neutral)
          tap = select(row.inside && column.inside, tap, k.number(*neutral));
    body({n, c, h, w}, taps);
  });
}

/// Whether cells read so little that it stays in registers.
bool areSmall(const WindowCells &down, const WindowCells &right) {
  return down.taps() * right.taps() <= maxTaps && down.extent > 0 &&
         right.extent > 0;
}

} // namespace

bool mlir::soap::emitMaxPoolOfThreads(const Windows &windows,
                                      KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  WindowCells down(y.dim(2), windows.sh == 1 ? 2 : 1, windows.sh, windows.kh,
                   windows.top, x.dim(2)),
      right(y.dim(3), 2, windows.sw, windows.kw, windows.left, x.dim(3));
  if (windows.dh != 1 || windows.dw != 1 || !areSmall(down, right))
    return false;
  // An element of the border is in each window that is cut there.
  std::optional<double> neutral;
  if (!down.allTouch() || !right.allTouch())
    neutral = minusInfinity;
  forEachCell(k, down, right, neutral,
              [&](ArrayRef<Index> at, const Taps &taps) {
                // Maxima of rows, which windows above each other share.
                Taps rows;
                for (const SmallVector<Scalar> &line : taps)
                  for (SmallVector<Scalar> &row = rows.emplace_back();
                       int64_t b : llvm::seq(right.size)) {
                    row.push_back(line[b * right.stride]);
                    for (int64_t j = 1; j < right.kernel; ++j)
                      row.back() = max(row.back(), line[b * right.stride + j]);
                  }
                for (int64_t a = 0; a < down.size; ++a)
                  for (int64_t b = 0; b < right.size; ++b) {
                    Scalar maximum = rows[a * down.stride][b];
                    for (int64_t i = 1; i < down.kernel; ++i)
                      maximum = max(maximum, rows[a * down.stride + i][b]);
                    Place h = down.window(at[2], a), w = right.window(at[3], b);
                    storeOfCell(k, y, {at[0], at[1], h.index, w.index},
                                h.inside && w.inside, maximum);
                  }
              });
  return true;
}

bool mlir::soap::emitAvgPoolOfThreads(const Windows &windows, Counted rows,
                                      Counted columns, KernelBuilder &k) {
  Tensor x = k.in(0), y = k.out();
  WindowCells down(y.dim(2), 2, windows.sh, windows.kh, windows.top, x.dim(2)),
      right(y.dim(3), 2, windows.sw, windows.kw, windows.left, x.dim(3));
  if (windows.dh != 1 || windows.dw != 1 || !areSmall(down, right))
    return false;
  forEachCell(k, down, right, 0.0, [&](ArrayRef<Index> at, const Taps &taps) {
    for (int64_t a = 0; a < down.size; ++a) {
      Place h = down.window(at[2], a);
      Scalar inRows = countOfRows(k, windows, h.index, rows);
      for (int64_t b = 0; b < right.size; ++b) {
        Scalar sum = k.number(0);
        for (int64_t i = 0; i < down.kernel; ++i)
          for (int64_t j = 0; j < right.kernel; ++j)
            sum = sum + taps[a * down.stride + i][b * right.stride + j];
        Place w = right.window(at[3], b);
        Scalar count = inRows * countOfColumns(k, windows, w.index, columns);
        storeOfCell(k, y, {at[0], at[1], h.index, w.index},
                    h.inside && w.inside, sum / count);
      }
    }
  });
  return true;
}

//===----------------------------------------------------------------------===//
// Cells of elements
//===----------------------------------------------------------------------===//

namespace {

/// Along one dim: elements of a gradient that follow each other, a multiple of
/// the stride, and the windows that some of them are in. Which element is in
/// which window, and where, is the same in all cells.
struct ElementCells {
  int64_t size, count, extent;    ///< of the gradient
  int64_t first, shared, windows; ///< the first window of cell 0; of a cell
  int64_t low, stride, kernel;

  /// `low`: where element 0 is, counted from where window 0 begins.
  ElementCells(int64_t extent, int64_t low, int64_t stride, int64_t kernel,
               int64_t windows)
      : size(stride > 1 ? stride : std::min<int64_t>(2, extent)),
        count(llvm::divideCeil(extent, size)), extent(extent),
        first(llvm::divideFloorSigned(low - kernel, stride) + 1),
        shared(llvm::divideFloorSigned(low + size - 1, stride) - first + 1),
        windows(windows), low(low), stride(stride), kernel(kernel) {}

  Place window(KernelBuilder &k, const Index &cell, int64_t number) const {
    return placeIn(k, cell * (size / stride) + (first + number), windows);
  }
  /// The place of an element in a window, if it is in it.
  std::optional<int64_t> placeOf(int64_t element, int64_t window) const {
    int64_t at = low + element - (first + window) * stride;
    return at >= 0 && at < kernel ? std::optional(at) : std::nullopt;
  }
  Place element(const Index &cell, int64_t number) const {
    Index at = cell * size + number;
    return {at, within(at, 0, extent)};
  }
};

/// A number that a window gives to the elements in it; where there is a place,
/// to the one that is there.
struct FromWindow {
  Scalar number;
  Value place;
};

/// Sums over the windows that an element is in, in their order. `load` gets a
/// window and whether there is one; `add` a sum, and the place in the window.
void sumOverCells(
    KernelBuilder &k, const ElementCells &down, const ElementCells &right,
    function_ref<FromWindow(ArrayRef<Index>, const Condition &)> load,
    function_ref<Scalar(Scalar, const FromWindow &, int64_t, int64_t)> add) {
  Tensor dx = k.out();
  k.forEach({dx.dim(0), dx.dim(1), down.count, right.count},
            [&](Index n, Index c, Index h, Index w) {
              k.markIndependent();
              SmallVector<SmallVector<FromWindow>> loaded;
              for (int64_t p = 0; p < down.shared; ++p) {
                Place row = down.window(k, h, p);
                for (SmallVector<FromWindow> &line = loaded.emplace_back();
                     int64_t q : llvm::seq(right.shared)) {
                  Place column = right.window(k, w, q);
                  line.push_back(load({n, c, row.index, column.index},
                                      row.inside && column.inside));
                }
              }
              for (int64_t a = 0; a < down.size; ++a)
                for (int64_t b = 0; b < right.size; ++b) {
                  Scalar sum = k.number(0);
                  for (int64_t p = 0; p < down.shared; ++p)
                    for (int64_t q = 0; q < right.shared; ++q) {
                      std::optional<int64_t> i = down.placeOf(a, p),
                                             j = right.placeOf(b, q);
                      if (i && j)
                        sum = add(sum, loaded[p][q], *i, *j);
                    }
                  Place row = down.element(h, a), column = right.element(w, b);
                  storeOfCell(k, dx, {n, c, row.index, column.index},
                              row.inside && column.inside, sum);
                }
            });
}

/// The cells of a gradient, if they are small code.
std::optional<std::pair<ElementCells, ElementCells>>
cellsOf(const Windows &windows, const Tensor &dx, const Tensor &dy,
        int64_t offsetH, int64_t offsetW) {
  if (windows.dh != 1 || windows.dw != 1 || dx.dim(2) == 0 || dx.dim(3) == 0 ||
      dy.dim(2) == 0 || dy.dim(3) == 0)
    return std::nullopt;
  ElementCells down(dx.dim(2), offsetH + windows.top, windows.sh, windows.kh,
                    dy.dim(2)),
      right(dx.dim(3), offsetW + windows.left, windows.sw, windows.kw,
            dy.dim(3));
  if (down.size * right.size > maxOfCell ||
      down.shared * right.shared > maxOfCell)
    return std::nullopt;
  return std::pair(down, right);
}

//===----------------------------------------------------------------------===//
// Gradients with a thread per element
//===----------------------------------------------------------------------===//

/// Along one dim: a window that an element may be in, and the element's place
/// in it.
struct PlaceInWindow {
  Index window, place;
  Condition inside; ///< there is such a window, and the element is in it
};

/// Of the windows that `offset`, counted from where the first window begins, is
/// in, the one that begins `back` windows before the last.
PlaceInWindow placeInWindow(KernelBuilder &k, const Index &offset,
                            const Index &back, int64_t stride, int64_t dilation,
                            int64_t kernel, int64_t windows) {
  Index zero = k.constant(0), last = max(offset, zero) / stride;
  PlaceInWindow at{last - back, {}, {&k, nullptr, true}};
  // With a remainder the distance is known not to be negative.
  Index distance = offset.lo >= 0 ? offset % stride + back * stride
                                  : offset - at.window * stride;
  at.place = dilation == 1 ? distance : max(distance, zero) / dilation;
  at.inside = within(at.window, 0, windows) && within(at.place, 0, kernel);
  if (dilation != 1)
    at.inside = at.inside && at.place * dilation == distance;
  return at;
}

/// The sum over the windows that element (row, column) of an image is in, in
/// their order: `add(window, i, j, sum)`, where (i, j) is its place in the
/// window. `indices` are the element's, `windowed` has an element per
/// window.
Scalar sumOverWindows(
    KernelBuilder &k, const Windows &windows, const Tensor &windowed,
    ArrayRef<Index> indices, const Index &row, const Index &column,
    function_ref<Scalar(ArrayRef<Index>, Index, Index, Scalar)> add) {
  // Along a dim an element is in so many windows at most, of which the last one
  // begins at it or before.
  int64_t down = (windows.kh - 1) * windows.dh / windows.sh + 1;
  int64_t right = (windows.kw - 1) * windows.dw / windows.sw + 1;
  using Sums = SmallVector<Value>;
  auto sumOfRow = [&](ArrayRef<Index> y, ArrayRef<Value> sum) -> Sums {
    PlaceInWindow h =
        placeInWindow(k, row + windows.top, k.constant(down - 1) - y[0],
                      windows.sh, windows.dh, windows.kh, windowed.dim(2));
    return k.foldOf({right}, sum, [&](ArrayRef<Index> x, ArrayRef<Value> sum) {
      PlaceInWindow w =
          placeInWindow(k, column + windows.left, k.constant(right - 1) - x[0],
                        windows.sw, windows.dw, windows.kw, windowed.dim(3));
      auto added = [&] {
        return add({indices[0], indices[1], h.window, w.window}, h.place,
                   w.place, {&k, sum[0]})
            .value;
      };
      Condition inside = h.inside && w.inside;
      if (inside.isKnown())
        return Sums{inside.known ? added() : sum[0]};
      auto choice = scf::IfOp::create(
          k.builder, k.loc, inside.value,
          [&](OpBuilder &, Location loc) {
            scf::YieldOp::create(k.builder, loc, added());
          },
          [&](OpBuilder &, Location loc) {
            scf::YieldOp::create(k.builder, loc, sum[0]);
          });
      return Sums{choice.getResult(0)};
    });
  };
  return {&k, k.foldOf({down}, {k.number(0).value}, sumOfRow)[0]};
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

Value constantOf(KernelBuilder &k, Type type, int64_t value) {
  return arith::ConstantOp::create(k.builder, k.loc,
                                   k.builder.getIntegerAttr(type, value));
}

/// As `firstMaximum`, in a type of few bits, by straight code.
Value firstMaximumInCell(KernelBuilder &k, const Windows &windows,
                         const Tensor &x, const Tensor &y,
                         ArrayRef<Index> window, Type type) {
  WindowCells down(y.dim(2), 1, windows.sh, windows.kh, windows.top, x.dim(2)),
      right(y.dim(3), 1, windows.sw, windows.kw, windows.left, x.dim(3));
  SmallVector<Place> rows = down.places(k, window[2]),
                     columns = right.places(k, window[3]);
  Scalar maximum = y(window);
  SmallVector<Scalar> numbers;
  for (const Place &row : rows)
    for (const Place &column : columns)
      numbers.push_back(x({window[0], window[1], row.index, column.index}));
  // From the last to the first, which remains.
  Value found = constantOf(k, type, windows.kh * windows.kw);
  for (int64_t i = windows.kh; i-- > 0;)
    for (int64_t j = windows.kw; j-- > 0;) {
      int64_t place = i * windows.kw + j;
      Condition isHere =
          rows[i].inside && columns[j].inside &&
          compare(arith::CmpFPredicate::OEQ, numbers[place], maximum);
      found = arith::SelectOp::create(k.builder, k.loc, k.materialize(isHere),
                                      constantOf(k, type, place), found);
    }
  return found;
}

} // namespace

/// Threads of windows keep where their maximum is; threads of elements sum over
/// the windows that they are in.
void mlir::soap::emitMaxPoolGradOfThreads(const Windows &windows,
                                          int64_t offsetH, int64_t offsetW,
                                          KernelBuilder &k) {
  Tensor dy = k.in(0), x = k.in(1), y = k.in(2), dx = k.out();
  int64_t elements = windows.kh * windows.kw;
  bool isSmall = windows.dh == 1 && windows.dw == 1 && elements <= maxTaps &&
                 x.dim(2) > 0 && x.dim(3) > 0;
  Type type = isSmall ? k.builder.getI8Type() : k.builder.getI32Type();
  Tensor places =
      k.allocate(cast<MemRefType>(dy.getBuffer().getType()).getShape(), type,
                 dy.getLayout());
  k.forEach({dy.dim(0), dy.dim(1), dy.dim(2), dy.dim(3)},
            [&](Index n, Index c, Index h, Index w) {
              Value place =
                  isSmall
                      ? firstMaximumInCell(k, windows, x, y, {n, c, h, w}, type)
                      : arith::IndexCastOp::create(
                            k.builder, k.loc, type,
                            firstMaximum(k, windows, x, y, n, c, h, w));
              places.storeRaw({n, c, h, w}, place);
            });
  auto isAt = [&](Value place, int64_t at) {
    return Condition{&k, arith::CmpIOp::create(k.builder, k.loc,
                                               arith::CmpIPredicate::eq, place,
                                               constantOf(k, type, at))};
  };
  if (auto cells = cellsOf(windows, dx, dy, offsetH, offsetW)) {
    return sumOverCells(
        k, cells->first, cells->second,
        [&](ArrayRef<Index> window, const Condition &inside) {
          FromWindow loaded{dy(window), places.loadRaw(window)};
          if (!inside.isKnown() || !inside.known)
            loaded.place = arith::SelectOp::create(
                k.builder, k.loc, k.materialize(inside), loaded.place,
                constantOf(k, type, elements));
          return loaded;
        },
        [&](Scalar sum, const FromWindow &window, int64_t i, int64_t j) {
          return sum + select(isAt(window.place, i * windows.kw + j),
                              window.number, k.number(0));
        });
  }
  k.forEach({dx.dim(0), dx.dim(1), dx.dim(2), dx.dim(3)}, [&](Index n, Index c,
                                                              Index h,
                                                              Index w) {
    SmallVector<Index> at{n, c, h, w};
    dx.set(at, sumOverWindows(
                   k, windows, dy, at, h + offsetH, w + offsetW,
                   [&](ArrayRef<Index> window, Index i, Index j, Scalar sum) {
                     Condition isHere =
                         places.loadIndex(window) == i * windows.kw + j;
                     return sum + select(isHere, dy(window), k.number(0));
                   }));
  });
}

/// Threads of windows divide, threads of elements sum.
void mlir::soap::emitAvgPoolGradOfThreads(const Windows &windows, Counted rows,
                                          Counted columns, KernelBuilder &k) {
  Tensor dy = k.in(0), dx = k.out();
  Tensor shares =
      k.allocate(cast<MemRefType>(dy.getBuffer().getType()).getShape(),
                 k.computeType(), dy.getLayout());
  k.forEach({dy.dim(0), dy.dim(1), dy.dim(2), dy.dim(3)},
            [&](Index n, Index c, Index h, Index w) {
              shares.set({n, c, h, w},
                         dy({n, c, h, w}) /
                             countOf(k, windows, h, w, rows, columns));
            });
  if (auto cells = cellsOf(windows, dx, dy, 0, 0))
    return sumOverCells(
        k, cells->first, cells->second,
        [&](ArrayRef<Index> window, const Condition &inside) {
          return FromWindow{select(inside, shares(window), k.number(0)), {}};
        },
        [&](Scalar sum, const FromWindow &window, int64_t, int64_t) {
          return sum + window.number;
        });
  k.forEach({dx.dim(0), dx.dim(1), dx.dim(2), dx.dim(3)},
            [&](Index n, Index c, Index h, Index w) {
              SmallVector<Index> at{n, c, h, w};
              dx.set(at, sumOverWindows(
                             k, windows, dy, at, h, w,
                             [&](ArrayRef<Index> window, Index, Index,
                                 Scalar sum) { return sum + shares(window); }));
            });
}
