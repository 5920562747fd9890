//===- RaiseProducts.cpp - Products of linalg for the library -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RaiseProducts.h. A product is recognized by its maps and its body,
// whatever it is called; a convolution by its name.
//
//===----------------------------------------------------------------------===//

#include "RaiseProducts.h"

#include "Soap/Dialect/Soap/SoapOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::soap;

namespace {

bool isF32(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() && tensor.getElementType().isF32();
}

/// All elements are known to be +0 or -0.
bool isZero(Value init) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
  return matchPattern(init, m_AnyZeroFloat());
}

/// The shape of a product as `soap.matmul` has it.
struct Product {
  bool transposeA = false, transposeB = false;
};

/// Dims of the operands are batches in order, then a row and a column.
std::optional<Product> matchProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op->getNumResults() != 1 ||
      !llvm::all_of(op->getOperandTypes(), isF32) ||
      !linalg::isaContractionOpInterface(op))
    return std::nullopt;
  // acc + x * y, and nothing else.
  Block *body = op.getBlock();
  auto add =
      body->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  if (!add || llvm::range_size(body->without_terminator()) != 2 ||
      !isa<arith::MulFOp>(body->front()))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->m.size() != 1 || dims->n.size() != 1 ||
      dims->k.size() != 1)
    return std::nullopt;
  auto has = [&](AffineMap map, unsigned row, unsigned column) {
    if (map.getNumResults() != dims->batch.size() + 2)
      return false;
    SmallVector<unsigned> expected(dims->batch.begin(), dims->batch.end());
    expected.append({row, column});
    for (auto [expr, loop] : llvm::zip_equal(map.getResults(), expected)) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || dim.getPosition() != loop)
        return false;
    }
    return true;
  };
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned m = dims->m[0], n = dims->n[0], k = dims->k[0];
  Product product;
  product.transposeA = has(maps[0], k, m);
  product.transposeB = has(maps[1], n, k);
  if ((!product.transposeA && !has(maps[0], m, k)) ||
      (!product.transposeB && !has(maps[1], k, n)) || !has(maps[2], m, n))
    return std::nullopt;
  return product;
}

/// How the operands of a convolution are arranged. An order lists the dims of
/// an operand as (sample, group, channel, places) or (group, output, channel,
/// places); 1-D convolutions have one place, others two.
struct ConvolutionForm {
  SmallVector<int64_t> image, weights, result;
  bool hasGroups = false;   ///< dims for groups
  bool isDepthwise = false; ///< a group per channel, without dims for them
};

std::optional<ConvolutionForm> convolutionForm(Operation *op) {
  using Form = ConvolutionForm;
  using Optional = std::optional<Form>;
  const SmallVector<int64_t> first = {0, 1, 2, 3}, last = {0, 3, 1, 2};
  return llvm::TypeSwitch<Operation *, Optional>(op)
      .Case([&](linalg::Conv2DNchwFchwOp) { return Form{first, first, first}; })
      .Case([&](linalg::Conv2DNhwcHwcfOp) {
        return Form{last, {3, 2, 0, 1}, last};
      })
      .Case([&](linalg::Conv2DNhwcFhwcOp) { return Form{last, last, last}; })
      .Case([&](linalg::Conv2DNgchwGfchwOp) {
        return Form{{0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}, true};
      })
      .Case([&](linalg::Conv2DNgchwFgchwOp) {
        return Form{{0, 1, 2, 3, 4}, {1, 0, 2, 3, 4}, {0, 1, 2, 3, 4}, true};
      })
      .Case([&](linalg::Conv2DNhwgcGfhwcOp) {
        return Form{{0, 3, 4, 1, 2}, {0, 1, 4, 2, 3}, {0, 3, 4, 1, 2}, true};
      })
      .Case([&](linalg::DepthwiseConv2DNchwChwOp) {
        return Form{first, {0, 1, 2}, first, false, true};
      })
      .Case([&](linalg::Conv1DNcwFcwOp) {
        return Form{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}};
      })
      .Case([&](linalg::Conv1DNwcWcfOp) {
        return Form{{0, 2, 1}, {2, 1, 0}, {0, 2, 1}};
      })
      .Default([](Operation *) { return std::nullopt; });
}

class Raiser {
public:
  explicit Raiser(linalg::LinalgOp op) : op(op), builder(op) {}

  bool run() {
    if (std::optional<Product> product = matchProduct(op)) {
      auto flag = [&](bool set) {
        return set ? builder.getUnitAttr() : UnitAttr();
      };
      finish(mark(MatmulOp::create(
          builder, op.getLoc(), op->getResult(0).getType(), op->getOperand(0),
          op->getOperand(1), flag(product->transposeA),
          flag(product->transposeB), DenseI64ArrayAttr())));
      return true;
    }
    if (!llvm::all_of(op->getOperandTypes(), isF32))
      return false;
    if (std::optional<ConvolutionForm> form = convolutionForm(op))
      return raiseConvolution(*form);
    return false;
  }

private:
  linalg::LinalgOp op;
  OpBuilder builder;

  template <typename Op>
  Value mark(Op created) {
    if (Attribute slot = op->getAttr(SoapDialect::kSlot))
      created->setAttr(SoapDialect::kSlot, slot);
    return created->getResult(0);
  }

  static SmallVector<int64_t> permuted(Value value, ArrayRef<int64_t> order) {
    SmallVector<int64_t> shape;
    for (int64_t dim : order)
      shape.push_back(cast<RankedTensorType>(value.getType()).getDimSize(dim));
    return shape;
  }
  Value transpose(Value value, ArrayRef<int64_t> order) {
    auto type =
        RankedTensorType::get(permuted(value, order), builder.getF32Type());
    return mark(TransposeOp::create(builder, op.getLoc(), type, value, order));
  }

  /// An accumulator that is not 0 at the beginning is added at the end.
  void finish(Value product) {
    Value init = op.getDpsInits()[0];
    if (!isZero(init))
      product = mark(AddOp::create(builder, op.getLoc(), product.getType(),
                                   product, init));
    op->getResult(0).replaceAllUsesWith(product);
    op->erase();
  }

  Value reshape(Value value, ArrayRef<int64_t> shape) {
    if (llvm::equal(cast<RankedTensorType>(value.getType()).getShape(), shape))
      return value;
    return mark(ReshapeOp::create(builder, op.getLoc(), value, shape));
  }

  /// Transposed if the order is not that of the dims.
  Value inOrder(Value value, ArrayRef<int64_t> order) {
    return llvm::is_sorted(order) ? value : transpose(value, order);
  }

  /// A number per place; a second place of extent 1 goes before the one of 1-D
  /// convolutions.
  SmallVector<int64_t> placeNumbers(StringRef name) {
    auto attribute = op->getAttrOfType<DenseIntElementsAttr>(name);
    SmallVector<int64_t> numbers;
    if (attribute)
      numbers = llvm::to_vector(attribute.getValues<int64_t>());
    if (numbers.size() == 1)
      numbers.insert(numbers.begin(), 1);
    return numbers;
  }

  bool raiseConvolution(const ConvolutionForm &form) {
    SmallVector<int64_t> strides = placeNumbers("strides"),
                         dilations = placeNumbers("dilations");
    Value x = op->getOperand(0), w = op->getOperand(1);
    // (sample, groups x channel, 2 places) and (groups x output, channel, 2
    // places).
    auto joined = [&](SmallVector<int64_t> shape, bool joins, size_t at) {
      if (joins) {
        shape[at + 1] *= shape[at];
        shape.erase(shape.begin() + static_cast<ptrdiff_t>(at));
      }
      return shape;
    };
    auto twoPlaces = [](SmallVector<int64_t> shape) {
      if (shape.size() == 3)
        shape.insert(shape.begin() + 2, 1);
      return shape;
    };
    SmallVector<int64_t> ordered = permuted(op->getResult(0), form.result);
    SmallVector<int64_t> image =
        twoPlaces(joined(permuted(x, form.image), form.hasGroups, 1));
    SmallVector<int64_t> kernel = permuted(w, form.weights);
    if (form.isDepthwise)
      kernel.insert(kernel.begin() + 1, 1);
    kernel = twoPlaces(joined(kernel, form.hasGroups, 0));
    SmallVector<int64_t> result = twoPlaces(joined(ordered, form.hasGroups, 1));
    if (strides.size() != 2 || dilations.size() != 2 || image.size() != 4 ||
        kernel.size() != 4 || result.size() != 4)
      return false;
    // Rows that no window reaches are no error in linalg.
    for (unsigned i : {0, 1}) {
      int64_t span = (kernel[2 + i] - 1) * dilations[i] + 1;
      if ((image[2 + i] - span) / strides[i] + 1 != result[2 + i])
        return false;
    }
    x = reshape(inOrder(x, form.image), image);
    w = reshape(inOrder(w, form.weights), kernel);
    int64_t zeros[] = {0, 0, 0, 0};
    Value y = mark(
        Conv2DOp::create(builder, op.getLoc(),
                         RankedTensorType::get(result, builder.getF32Type()), x,
                         w, strides, zeros, dilations,
                         /*groups=*/image[1] / kernel[1]));
    SmallVector<int64_t> back(form.result.size());
    for (auto [i, dim] : llvm::enumerate(form.result))
      back[dim] = static_cast<int64_t>(i);
    finish(inOrder(reshape(y, ordered), back));
    return true;
  }
};

} // namespace

void mlir::soap::raiseProducts(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto structured = dyn_cast<linalg::LinalgOp>(op))
      (void)Raiser(structured).run();
}
