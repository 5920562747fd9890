//===- AttentionChain.cpp - Attention as a chain of ops -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks from the softmax to the products before and after it. What is between
// them may have no other reader, since it is not computed any more.
//
//===----------------------------------------------------------------------===//

#include "AttentionChain.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "llvm/ADT/StringSet.h"

#include <limits>
#include <utility>

using namespace mlir;
using namespace mlir::soap;

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}
static ArrayRef<int64_t> shapeOf(Value value) {
  return typeOf(value).getShape();
}

static std::string nameOf(Operation *op) {
  auto name = op->getAttrOfType<StringAttr>(SoapDialect::kName);
  return name ? "'" + name.str() + "'"
              : "'" + op->getName().getStringRef().str() + "'";
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

namespace {

/// From the operand of the softmax to the products. Each step is at the scores
/// as they are before what the steps so far do.
class ScoreWalk {
public:
  ScoreWalk(AttentionChain &chain, int64_t queries, int64_t keys)
      : chain(chain), queries(queries), keys(keys) {}

  /// Why it fails; empty: it found the products.
  std::string run() {
    Value scores = chain.softmax.getX();
    ArrayRef<int64_t> shape = shapeOf(scores);
    while (true) {
      Operation *op = scores.getDefiningOp();
      if (!op)
        return "its scores are an argument of the function";
      if (shapeOf(scores) != shape)
        return nameOf(op) + " is repeated for its scores";
      if (!scores.hasOneUse())
        return nameOf(op) + " has another reader";
      if (auto products = dyn_cast<MatmulOp>(op)) {
        chain.products = products;
        return "";
      }
      std::string why = step(op, scores);
      if (!why.empty())
        return why;
    }
  }

private:
  AttentionChain &chain;
  int64_t queries, keys;

  std::string step(Operation *op, Value &scores) {
    if (std::optional<double> factor = factorOf(op, scores)) {
      chain.scale *= *factor;
      return "";
    }
    if (auto where = dyn_cast<WhereOp>(op))
      return hide(where, scores);
    if (auto add = dyn_cast<AddOp>(op))
      return addBias(add, scores);
    if (auto tanh = dyn_cast<TanhOp>(op)) {
      if (chain.softcap != 0)
        return nameOf(op) + " is a second cap";
      // cap * tanh(scale * x / cap): the scales behind it are the cap.
      if (!(chain.scale > 0))
        return nameOf(op) + " is no cap";
      chain.softcap = std::exchange(chain.scale, 1);
      scores = tanh.getX();
      return "";
    }
    return nameOf(op) + " is between the products and the softmax";
  }

  /// Of a multiplication with a number; `scores` becomes what it multiplies.
  std::optional<double> factorOf(Operation *op, Value &scores) {
    std::optional<double> number;
    if (auto scale = dyn_cast<ScaleOp>(op)) {
      scores = scale.getX();
      return scale.getFactor().convertToDouble();
    }
    if (auto mul = dyn_cast<MulOp>(op)) {
      if ((number = splatOf(mul.getY())))
        scores = mul.getX();
      else if ((number = splatOf(mul.getX())))
        scores = mul.getY();
      return number;
    }
    if (auto div = dyn_cast<DivOp>(op);
        div && (number = splatOf(div.getY())) && *number != 0) {
      scores = div.getX();
      return 1 / *number;
    }
    return std::nullopt;
  }

  /// A scale that was met is behind the mask: the mask would be scaled, too.
  std::string checkUnscaled(Operation *op) const {
    if (chain.scale == 1 && chain.softcap == 0)
      return "";
    return nameOf(op) + " comes before a scale or a cap";
  }

  /// A bound that leaves a query without keys is no mask of an attention:
  /// numbers that hide would be its softmax.
  std::string show(const VisibleKeys &visible, Operation *op) {
    VisibleKeys both = chain.visible.meet(visible);
    if (!both.showsEveryQuery(queries, keys))
      return nameOf(op) + " hides all keys of a query";
    chain.visible = both;
    return "";
  }

  std::string hide(WhereOp where, Value &scores) {
    if (std::string why = checkUnscaled(where); !why.empty())
      return why;
    std::optional<double> number = splatOf(where.getY());
    if (!number || !hides(*number))
      return nameOf(where) + " replaces scores by others than hidden ones";
    scores = where.getX();
    if (std::optional<VisibleKeys> visible =
            keysOfCondition(where.getCondition(), queries, keys))
      return show(*visible, where);
    // A query whose keys are all hidden by a number would have their mean.
    constexpr double infinite = -1e30;
    if (*number > infinite)
      return nameOf(where) +
             " hides scores by a number that is not below -1e30";
    chain.conditions.push_back(where.getCondition());
    return "";
  }

  std::string addBias(AddOp add, Value &scores) {
    if (std::string why = checkUnscaled(add); !why.empty())
      return why;
    ArrayRef<int64_t> shape = shapeOf(add->getResult(0));
    bool isFirst = shapeOf(add.getX()) == shape;
    // Scores come from a product, possibly through scales.
    if (isFirst && shapeOf(add.getY()) == shape &&
        !leadsToProduct(add.getX()) && leadsToProduct(add.getY()))
      isFirst = false;
    scores = isFirst ? add.getX() : add.getY();
    Value bias = isFirst ? add.getY() : add.getX();
    if (std::optional<VisibleKeys> visible = keysOfMask(bias, queries, keys))
      return show(*visible, add);
    if (shapeOf(bias).size() > 4)
      return nameOf(add) + " adds a bias of more than four dims";
    chain.biases.push_back(bias);
    return "";
  }

  static bool leadsToProduct(Value value) {
    Operation *op = value.getDefiningOp();
    while (op && isa<ScaleOp, DivOp, MulOp, TanhOp, WhereOp>(op))
      op = op->getOperand(isa<WhereOp>(op) ? 1 : 0).getDefiningOp();
    return isa_and_nonnull<MatmulOp>(op);
  }
};

} // namespace

bool mlir::soap::mayBeAttention(SoftmaxOp softmax) {
  return llvm::any_of(softmax.getY().getUsers(), [&](Operation *user) {
    auto product = dyn_cast<MatmulOp>(user);
    return product && product.getA() == softmax.getY() &&
           !product.getTransposeA() && shapeOf(product.getB()).size() > 2;
  });
}

std::variant<AttentionChain, std::string>
mlir::soap::findChain(SoftmaxOp softmax) {
  AttentionChain chain;
  chain.softmax = softmax;
  ArrayRef<int64_t> shape = shapeOf(softmax.getX());
  size_t rank = shape.size();
  if (rank < 3 || rank > 4 || softmax.getAxis() != rank - 1)
    return "it is not over the last dim of three or four";
  if (!softmax.getY().hasOneUse())
    return "its probabilities have another reader than the product with the "
           "values";
  auto mixed = dyn_cast<MatmulOp>(*softmax.getY().getUsers().begin());
  if (!mixed || mixed.getA() != softmax.getY() || mixed.getTransposeA() ||
      mixed.getTransposeB() || shapeOf(mixed.getB()).size() != rank)
    return "no product of it and values follows";
  chain.mixed = mixed;
  if (std::string why =
          ScoreWalk(chain, shape[rank - 2], shape[rank - 1]).run();
      !why.empty())
    return why;
  if (chain.products.getTransposeA() ||
      shapeOf(chain.products.getA()).size() != rank ||
      shapeOf(chain.products.getB()).size() != rank)
    return nameOf(chain.products) + " is no product of queries and keys";
  // The scale in front of the cap is divided by it.
  if (chain.softcap != 0)
    chain.scale *= chain.softcap;
  return chain;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

namespace {

class AttentionWriter {
public:
  explicit AttentionWriter(const AttentionChain &of)
      : chain(of), builder(chain.mixed), loc(chain.mixed.getLoc()) {
    if (auto name = chain.mixed->getAttrOfType<StringAttr>(SoapDialect::kName))
      base = name.str();
    for (Operation &op : *chain.mixed->getBlock())
      if (auto name = op.getAttrOfType<StringAttr>(SoapDialect::kName))
        names.insert(name.getValue());
  }

  void run() {
    Value q = chain.products.getA(), k = rowsOfKeys(), v = chain.mixed.getB();
    withoutRepetition(k, v);
    bool isFlat = shapeOf(q).size() == 3;
    if (isFlat)
      unflatten(q, k, v);
    auto bound = [&](std::optional<int64_t> distance, int64_t sign) {
      return distance ? builder.getI64IntegerAttr(sign * *distance)
                      : IntegerAttr();
    };
    auto attention = AttentionOp::create(
        builder, loc, q, k, v, biasOf(shapeOf(q)), Value(), Value(),
        builder.getF64FloatAttr(chain.scale),
        builder.getF64FloatAttr(chain.softcap), bound(chain.visible.low, -1),
        bound(chain.visible.high, 1), builder.getI64IntegerAttr(0));
    Value out = attention.getOut();
    if (isFlat) {
      setName(attention, base.empty() ? "" : base + ".attention");
      auto flat =
          ReshapeOp::create(builder, loc, chain.mixed.getY().getType(), out);
      setName(flat, base);
      out = flat;
    } else {
      setName(attention, base);
    }
    chain.mixed.getY().replaceAllUsesWith(out);
    eraseChain();
  }

private:
  AttentionChain chain;
  OpBuilder builder;
  Location loc;
  std::string base;        ///< name of the product with the values
  llvm::StringSet<> names; ///< of the function

  void setName(Operation *op, const std::string &name) {
    if (!name.empty())
      op->setAttr(SoapDialect::kName, builder.getStringAttr(name));
  }
  template <typename Op, typename... Args>
  Value create(const char *suffix, Args &&...args) {
    auto op = Op::create(builder, loc, std::forward<Args>(args)...);
    if (!base.empty()) {
      std::string name = base + "." + suffix;
      while (!names.insert(name).second)
        name += "_";
      setName(op, name);
    }
    return op->getResult(0);
  }

  /// Keys as rows [.., K, D].
  Value rowsOfKeys() {
    Value keys = chain.products.getB();
    if (chain.products.getTransposeB())
      return keys;
    auto rank = static_cast<int64_t>(shapeOf(keys).size());
    SmallVector<int64_t> swap = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(swap[static_cast<size_t>(rank) - 1],
              swap[static_cast<size_t>(rank) - 2]);
    if (auto transpose = keys.getDefiningOp<TransposeOp>()) {
      SmallVector<int64_t> order;
      for (int64_t d : swap)
        order.push_back(transpose.getPermutation()[static_cast<size_t>(d)]);
      if (order == llvm::to_vector(llvm::seq<int64_t>(0, rank)))
        return transpose.getX();
      return transposed(transpose.getX(), order);
    }
    return transposed(keys, swap);
  }
  Value transposed(Value x, ArrayRef<int64_t> order) {
    SmallVector<int64_t> shape;
    for (int64_t d : order)
      shape.push_back(shapeOf(x)[static_cast<size_t>(d)]);
    return create<TransposeOp>(
        "keys", RankedTensorType::get(shape, typeOf(x).getElementType()), x,
        builder.getDenseI64ArrayAttr(order));
  }

  /// Heads before each is repeated `group` times, [N, H / group, K, D]; null:
  /// they are not repeated.
  static Value beforeRepetition(Value heads, int64_t &group) {
    auto reshape = heads.getDefiningOp<ReshapeOp>();
    auto broadcast =
        reshape ? reshape.getX().getDefiningOp<BroadcastOp>() : BroadcastOp();
    ArrayRef<int64_t> whole = shapeOf(heads);
    if (!broadcast || whole.size() != 4 ||
        shapeOf(broadcast.getY()).size() != 5)
      return {};
    ArrayRef<int64_t> apart = shapeOf(broadcast.getY());
    Value before = broadcast.getX();
    group = apart[2];
    if (apart.take_front(1) != whole.take_front(1) ||
        apart.take_back(2) != whole.take_back(2))
      return {};
    // The repeated dim is new, or has extent 1.
    if (broadcast.getAxes() == ArrayRef<int64_t>{2})
      return before;
    return {};
  }
  static void withoutRepetition(Value &k, Value &v) {
    int64_t keyGroup = 1, valueGroup = 1;
    Value keys = beforeRepetition(k, keyGroup),
          values = beforeRepetition(v, valueGroup);
    if (keys && values && keyGroup == valueGroup) {
      k = keys;
      v = values;
    }
  }

  /// [X, T, D] as [N, H, T, D] if all are views of that, else as [X, 1, T, D].
  void unflatten(Value &q, Value &k, Value &v) {
    auto before = [](Value flat) -> Value {
      auto reshape = flat.getDefiningOp<ReshapeOp>();
      if (!reshape || shapeOf(reshape.getX()).size() != 4 ||
          shapeOf(reshape.getX()).take_back(2) != shapeOf(flat).take_back(2))
        return {};
      return reshape.getX();
    };
    Value ofQ = before(q), ofK = before(k), ofV = before(v);
    if (ofQ && ofK && ofV &&
        shapeOf(ofQ).take_front(2) == shapeOf(ofK).take_front(2) &&
        shapeOf(ofQ).take_front(2) == shapeOf(ofV).take_front(2)) {
      q = ofQ;
      k = ofK;
      v = ofV;
      return;
    }
    for (auto [name, value] :
         {std::pair{"queries.heads", &q}, std::pair{"keys.heads", &k},
          std::pair{"values.heads", &v}}) {
      ArrayRef<int64_t> shape = shapeOf(*value);
      *value = create<ReshapeOp>(
          name,
          RankedTensorType::get({shape[0], 1, shape[1], shape[2]},
                                typeOf(*value).getElementType()),
          *value);
    }
  }

  /// The sum of all that is added to the scores, of rank 4; null: nothing is.
  Value biasOf(ArrayRef<int64_t> queries) {
    Value sum;
    auto add = [&](Value part) {
      part = ofRankFour(part, queries);
      if (!sum) {
        sum = part;
        return;
      }
      SmallVector<int64_t> shape;
      for (auto [a, b] : llvm::zip(shapeOf(sum), shapeOf(part)))
        shape.push_back(std::max(a, b));
      sum = create<AddOp>(
          "bias", RankedTensorType::get(shape, typeOf(sum).getElementType()),
          sum, part);
    };
    for (Value bias : chain.biases)
      add(bias);
    for (auto [i, condition] : llvm::enumerate(chain.conditions))
      add(biasOfCondition(condition, i));
    return sum;
  }

  Value biasOfCondition(Value condition, size_t number) {
    auto scalar = [&](double value, const std::string &name) {
      RankedTensorType type = RankedTensorType::get(
          {}, typeOf(chain.products.getY()).getElementType());
      return create<ConstantOp>(
          name.c_str(), type,
          DenseElementsAttr::get(
              type, Attribute(FloatAttr::get(type.getElementType(), value))));
    };
    std::string suffix = std::to_string(number);
    RankedTensorType type = RankedTensorType::get(
        shapeOf(condition), typeOf(chain.products.getY()).getElementType());
    return create<WhereOp>(
        ("mask" + suffix).c_str(), type, condition, scalar(0, "shown" + suffix),
        scalar(-std::numeric_limits<double>::infinity(), "hidden" + suffix));
  }

  /// Of scores [X, Q, K], X is one dim of samples and heads.
  Value ofRankFour(Value bias, ArrayRef<int64_t> queries) {
    SmallVector<int64_t> shape(shapeOf(bias));
    bool isFlat = shapeOf(chain.softmax.getX()).size() == 3;
    if (isFlat && shape.size() == 3) {
      int64_t whole = queries[0] * queries[1];
      shape =
          shape[0] == whole && whole > 1
              ? SmallVector<int64_t>{queries[0], queries[1], shape[1], shape[2]}
              : SmallVector<int64_t>{1, 1, shape[1], shape[2]};
    }
    while (shape.size() < 4)
      shape.insert(shape.begin(), 1);
    if (shapeOf(bias) == ArrayRef<int64_t>(shape))
      return bias;
    return create<ReshapeOp>(
        "bias_of_heads",
        RankedTensorType::get(shape, typeOf(bias).getElementType()), bias);
  }

  /// Erases ops that nothing reads any more, from the product with the values.
  void eraseChain() {
    SmallVector<Operation *> work{chain.mixed};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (!op->use_empty() || !seen.insert(op).second)
        continue;
      SmallVector<Operation *> before;
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            producer && !llvm::is_contained(before, producer))
          before.push_back(producer);
      op->erase();
      for (Operation *producer : before)
        if (producer->use_empty() &&
            isa_and_nonnull<SoapDialect>(producer->getDialect()))
          work.push_back(producer);
    }
  }
};

} // namespace

void mlir::soap::writeAttention(const AttentionChain &chain) {
  AttentionWriter(chain).run();
}
