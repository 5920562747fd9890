//===- ScaledProducts.cpp - 8-bit floats in a training step ---------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works behind differentiation, so that the gradients of a layer are the
// gradients of the product without casts: nothing flows through a rounding.
//
//===----------------------------------------------------------------------===//

#include "ScaledProducts.h"

#include "Soap/Dialect/Soap/LoopCorrespondence.h"
#include "Soap/Dialect/Soap/SoapQuantized.h"
#include "Soap/Dialect/Soap/SumAttribute.h"

#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace mlir::soap;

static StringRef nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return name ? name.getValue() : StringRef();
}

static StringRef forwardNameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kGradOf);
  return name ? name.getValue() : StringRef();
}

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

llvm::StringSet<> mlir::soap::lastProducts(func::FuncOp model) {
  llvm::StringSet<> names;
  for (Value value : model.front().getTerminator()->getOperands())
    while (Operation *op = value.getDefiningOp()) {
      if (isa<MatmulOp>(op))
        names.insert(nameOf(op));
      // Products are on the side of the larger operand of a sum.
      if (!isa<CastOp, ReshapeOp, TransposeOp, SliceOp, BiasAddOp, AddOp,
               ScaleOp>(op))
        break;
      Value next = op->getOperand(0);
      if (isa<AddOp>(op) && isa<BlockArgument>(next))
        next = op->getOperand(1);
      value = next;
    }
  return names;
}

namespace {

class Scaling {
public:
  Scaling(Block &block, ScaleSharing sharing, const llvm::StringSet<> &last,
          llvm::function_ref<bool(BlockArgument)> isParameter,
          const OpMaker::Namer &setName, SmallVectorImpl<std::string> &refused)
      : block(block), sharing(sharing), last(last), isParameter(isParameter),
        setName(setName), refused(refused),
        builder(block.getParentOp()->getContext()) {}

  int64_t run() {
    SmallVector<MatmulOp> products(block.getOps<MatmulOp>());
    for (MatmulOp op : products)
      if (forwardNameOf(op).empty() && isLayer(op))
        layers[nameOf(op)] = {op, isWeight(op.getA()) ? 0U : 1U};
    int64_t count = layers.size();
    for (MatmulOp op : products) {
      StringRef layer = forwardNameOf(op);
      bool isGradient = !layer.empty();
      auto found = layers.find(isGradient ? layer : nameOf(op));
      if (found != layers.end())
        replace(op, found->second, isGradient);
    }
    for (Operation *op : llvm::reverse(replaced))
      op->erase();
    // Views of what products read before.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (views.contains(&op) && op.use_empty())
        op.erase();
    return count;
  }

private:
  Block &block;
  ScaleSharing sharing;
  const llvm::StringSet<> &last;
  llvm::function_ref<bool(BlockArgument)> isParameter;
  const OpMaker::Namer &setName;
  SmallVectorImpl<std::string> &refused;
  OpBuilder builder;

  /// A product of a parameter; once replaced, what stands for it.
  struct Layer {
    Operation *product = nullptr;
    unsigned weight = 0; ///< operand that is the parameter
  };
  llvm::StringMap<Layer> layers; ///< by name
  SmallVector<Operation *> replaced;
  llvm::DenseSet<Operation *> views;

  /// A tensor in 8 bits, and its scales.
  struct Quantized {
    Value values, scales;
  };
  /// By value, type and dim of blocks.
  std::map<std::tuple<void *, void *, int64_t>, Quantized> known;
  llvm::DenseMap<Value, Value> maxima;

  bool hasBlocks() const { return sharing == ScaleSharing::Blocks; }

  //===--------------------------------------------------------------------===//
  // Layers
  //===--------------------------------------------------------------------===//

  /// A parameter, its working copy, or a view of it.
  bool isWeight(Value value) const {
    while (Operation *op = value.getDefiningOp()) {
      if (!isa<CastOp, ReshapeOp, TransposeOp>(op))
        return false;
      value = op->getOperand(0);
    }
    return isParameter(cast<BlockArgument>(value));
  }

  /// Its results choose experts.
  static bool isOfRouter(Operation *op, int depth = 0) {
    constexpr int most = 6;
    if (depth > most)
      return false;
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return isa<TopKOp>(user) ||
             (isa<CastOp, SoftmaxOp, SigmoidOp, AddOp, BiasAddOp, ReshapeOp>(
                  user) &&
              isOfRouter(user, depth + 1));
    });
  }

  bool isLayer(MatmulOp op) {
    auto type = cast<RankedTensorType>(op.getY().getType());
    if (!type.getElementType().isBF16() ||
        isWeight(op.getA()) == isWeight(op.getB()) ||
        last.contains(nameOf(op)) || isOfRouter(op))
      return false;
    // Experts have a scale each: only blocks do.
    if (!hasBlocks() && shapeOf(op.getB()).size() > 2)
      return false;
    ArrayRef<int64_t> a = shapeOf(op.getA()), y = type.getShape();
    int64_t depth = a[a.size() - (op.getTransposeA() ? 2 : 1)];
    SmallVector<std::pair<StringRef, int64_t>> sizes{
        {"features of the result", y.back()}, {"contracted elements", depth}};
    // Gradients of weights contract rows.
    if (hasBlocks())
      sizes.emplace_back("rows", y[y.size() - 2]);
    int64_t multiple = hasBlocks() ? kScaleBlock : 16;
    for (auto [what, size] : sizes)
      if (size % multiple != 0) {
        refused.push_back(("'" + nameOf(op) + "' has " + Twine(size) + " " +
                           what + ", expected a multiple of " + Twine(multiple))
                              .str());
        return false;
      }
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Products
  //===--------------------------------------------------------------------===//

  void replace(MatmulOp op, Layer &layer, bool isGradient) {
    auto depthOf = [](Value operand, bool isFirst, bool isTransposed) {
      return static_cast<int64_t>(shapeOf(operand).size()) -
             (isFirst == isTransposed ? 2 : 1);
    };
    Quantized a = quantized(op.getA(),
                            depthOf(op.getA(), true, op.getTransposeA()), op,
                            layer, isGradient),
              b = quantized(op.getB(),
                            depthOf(op.getB(), false, op.getTransposeB()), op,
                            layer, isGradient);
    builder.setInsertionPoint(op);
    auto scaled = MatmulScaledOp::create(
        builder, op.getLoc(), op.getY().getType(), a.values, b.values, a.scales,
        b.scales, op.getTransposeA(), op.getTransposeB(), op.getKFactorsAttr());
    scaled->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    scaled->removeDiscardableAttr(kSumType);
    op.getY().replaceAllUsesWith(scaled.getY());
    // Names of other ops refer to it: it is there until the end.
    replaced.push_back(op);
    if (!isGradient)
      layer.product = scaled;
  }

  /// A view that the gradient of `layer` made of rows.
  static ReshapeOp rowsOf(Value value, const Layer &layer) {
    auto view = value.getDefiningOp<ReshapeOp>();
    return view && forwardNameOf(view) == nameOf(layer.product) ? view
                                                                : ReshapeOp();
  }

  /// Elements from one index of dim `dim` to the next.
  static int64_t strideOf(ArrayRef<int64_t> shape, int64_t dim) {
    return llvm::product_of(shape.drop_front(dim + 1));
  }

  /// The dim of `from` that is the inner part of dim `dim` of its view.
  static int64_t innerDim(ArrayRef<int64_t> from, ArrayRef<int64_t> to,
                          int64_t dim) {
    for (size_t d = 0; d < from.size(); ++d)
      if (strideOf(from, d) == strideOf(to, dim) && from[d] > 1)
        return to[dim] % from[d] == 0 ? static_cast<int64_t>(d) : -1;
    return -1;
  }

  /// The operand of a product instead of `operand`, whose dim `depth` it
  /// contracts.
  Quantized quantized(Value operand, int64_t depth, MatmulOp product,
                      const Layer &layer, bool isGradient) {
    ReshapeOp view = rowsOf(operand, layer);
    Value root = operand;
    int64_t axis = depth;
    if (view) {
      int64_t inner = innerDim(shapeOf(view.getX()), shapeOf(operand), depth);
      if (!hasBlocks() ||
          (inner >= 0 && shapeOf(view.getX())[inner] % kScaleBlock == 0)) {
        root = view.getX();
        axis = inner;
        views.insert(view);
      } else {
        view = {};
      }
    }
    Quantized made = quantizedRoot(root, axis, product, layer, isGradient);
    if (!view)
      return made;
    made.values = viewed(made.values, shapeOf(operand), view);
    if (hasBlocks()) {
      SmallVector<int64_t> shape(shapeOf(operand));
      shape[depth] /= kScaleBlock;
      made.scales = viewed(made.scales, shape, view);
    }
    return made;
  }

  Value viewed(Value value, ArrayRef<int64_t> shape, ReshapeOp like) {
    builder.setInsertionPoint(like);
    if (Operation *made = value.getDefiningOp();
        made && like->isBeforeInBlock(made))
      builder.setInsertionPointAfter(made);
    auto type = cast<RankedTensorType>(value.getType());
    auto view =
        ReshapeOp::create(builder, like.getLoc(), type.clone(shape), value);
    view->setDiscardableAttrs(like->getDiscardableAttrDictionary());
    setName(view, (nameOf(like) + "." + suffixOf(type.getElementType())).str());
    return view;
  }

  static StringRef suffixOf(Type element) {
    return isa<Float8E8M0FNUType>(element) ? "scales"
           : isa<Float8E5M2Type>(element)  ? "e5m2"
                                           : "e4m3";
  }

  Quantized quantizedRoot(Value root, int64_t axis, MatmulOp product,
                          const Layer &layer, bool isGradient) {
    Operation *maker = root.getDefiningOp();
    bool isOfGradient = isGradientValue(root);
    Type type = isOfGradient && !hasBlocks()
                    ? Type(Float8E5M2Type::get(builder.getContext()))
                    : Type(Float8E4M3FNType::get(builder.getContext()));
    Quantized &result = known[{root.getAsOpaquePointer(),
                               const_cast<void *>(type.getAsOpaquePointer()),
                               hasBlocks() ? axis : -1}];
    if (result.values)
      return result;
    // In the pass that makes the value, where it is not kept in 16 bits then.
    // Weights are kept by both passes anyhow.
    bool isLate = isOfGradient || (isGradient && isWeight(root));
    if (isLate || !maker)
      builder.setInsertionPoint(product);
    else
      builder.setInsertionPointAfter(maker);
    if (isGradient && !isLate && !maker)
      builder.setInsertionPointToStart(&block);
    auto finish = [&](Operation *op) {
      if (!isLate)
        return;
      // Along the loops of the layer: of its result, or its weight.
      unsigned tensor =
          isOfGradient ? layer.product->getNumOperands() : layer.weight;
      Value like = isOfGradient ? layer.product->getResult(0)
                                : layer.product->getOperand(tensor);
      SmallVector<std::pair<std::string, std::string>> pairs;
      if (shapeOf(like) == shapeOf(root))
        pairs = correspondingLoops(op, 0, layer.product, tensor);
      SmallVector<std::pair<StringRef, StringRef>> names(pairs.begin(),
                                                         pairs.end());
      setGradientOf(op, layer.product, names);
    };
    std::string name = rootName(root);
    if (hasBlocks()) {
      SmallVector<int64_t> shape(shapeOf(root));
      shape[axis] /= kScaleBlock;
      result.scales = BlockScalesOp::create(
          builder, root.getLoc(),
          RankedTensorType::get(shape,
                                Float8E8M0FNUType::get(builder.getContext())),
          root, axis, type);
      setName(result.scales.getDefiningOp(), name + ".scales");
      finish(result.scales.getDefiningOp());
    } else {
      Value &amax = maxima[root];
      if (!amax) {
        amax = AmaxOp::create(builder, root.getLoc(),
                              RankedTensorType::get({}, builder.getF32Type()),
                              root);
        setName(amax.getDefiningOp(), name + ".amax");
        finish(amax.getDefiningOp());
      }
      result.scales = amax;
    }
    auto quantize =
        QuantizeOp::create(builder, root.getLoc(),
                           cast<RankedTensorType>(root.getType()).clone(type),
                           root, result.scales);
    setName(quantize, name + "." + suffixOf(type).str());
    finish(quantize);
    result.values = quantize;
    return result;
  }

  /// Made by the backward pass, and no view of what the forward pass made.
  static bool isGradientValue(Value value) {
    while (isa_and_nonnull<ReshapeOp, TransposeOp>(value.getDefiningOp()))
      value = value.getDefiningOp()->getOperand(0);
    Operation *maker = value.getDefiningOp();
    return maker && !forwardNameOf(maker).empty();
  }

  std::string rootName(Value root) const {
    if (Operation *maker = root.getDefiningOp();
        maker && !nameOf(maker).empty())
      return nameOf(maker).str();
    if (auto argument = dyn_cast<BlockArgument>(root)) {
      auto function = cast<func::FuncOp>(block.getParentOp());
      if (auto name = function.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), SoapDialect::kName))
        return name.str();
    }
    return "value";
  }
};

} // namespace

int64_t mlir::soap::scaleProducts(
    Block &block, ScaleSharing sharing, const llvm::StringSet<> &last,
    llvm::function_ref<bool(BlockArgument)> isParameter,
    const OpMaker::Namer &setName, SmallVectorImpl<std::string> &refused) {
  return Scaling(block, sharing, last, isParameter, setName, refused).run();
}
