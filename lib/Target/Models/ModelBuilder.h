//===- ModelBuilder.h - Layers as soap ops ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The common parts of the generators of networks: arguments with their
// attributes, and the usual layers. Images are [N, C, H, W]; sequences are
// [T, N, ...] in recurrent networks and [N, T, ...] in transformers.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_MODELS_MODELBUILDER_H
#define SOAP_LIB_TARGET_MODELS_MODELBUILDER_H

#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Target/Models.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::soap::models {

using Shape = SmallVector<int64_t>;

/// Chosen sizes of a network.
class Sizes {
public:
  int64_t batch = 1;
  std::map<std::string, int64_t> values;

  int64_t operator[](StringRef name) const { return values.at(name.str()); }
};

/// Height and width of windows, strides and padding.
struct Pair {
  int64_t h = 0, w = 0;
  Pair(int64_t both) : h(both), w(both) {}
  Pair(int64_t h, int64_t w) : h(h), w(w) {}
};

class ModelBuilder {
public:
  explicit ModelBuilder(MLIRContext *context);

  /// A result beside the logits: `loss` is added to the loss of a training
  /// step, a number of kind `output` is shown by it.
  struct Result {
    Value value;
    ValueKind kind;
    StringRef name;
  };
  /// The module, with `logits` as the first result of @forward.
  OwningOpRef<ModuleOp> finish(Value logits, ArrayRef<Result> others = {});

  static ArrayRef<int64_t> shapeOf(Value value) {
    return cast<RankedTensorType>(value.getType()).getShape();
  }

  //===--- arguments ------------------------------------------------------===//

  /// Data of floats; `sampleDim` counts the samples.
  Value image(ArrayRef<int64_t> shape);
  /// Data of token numbers.
  Value tokens(StringRef name, ArrayRef<int64_t> shape, int64_t sampleDim);
  /// `init` as in soap.init; fans 0: none.
  Value parameter(const Twine &name, ArrayRef<int64_t> shape, StringRef init,
                  int64_t fanIn = 0, int64_t fanOut = 0,
                  StringRef kind = "parameter");
  Value zeros(StringRef name, ArrayRef<int64_t> shape);
  /// `values` in row-major order.
  Value constant(StringRef name, ArrayRef<int64_t> shape,
                 ArrayRef<float> values);

  //===--- layers ---------------------------------------------------------===//

  /// Convolution with a bias unless it is off.
  Value conv(Value x, StringRef name, int64_t channels, Pair kernel,
             Pair stride = 1, Pair padding = 0, bool bias = true,
             int64_t groups = 1);
  Value batchNorm(Value x, StringRef name);
  Value relu(Value x, StringRef name);
  Value maxPool(Value x, StringRef name, Pair kernel, Pair stride,
                Pair padding = 0);
  Value avgPool(Value x, StringRef name, Pair kernel, Pair stride,
                Pair padding = 0);
  /// Mean over height and width: [N, C].
  Value globalAvgPool(Value x, StringRef name);
  Value concat(ArrayRef<Value> xs, StringRef name, int64_t axis);
  /// Over the last dim, or over `axis`.
  Value biasAdd(Value x, Value bias, StringRef name, int64_t axis = -1);
  Value add(Value x, Value y, StringRef name);
  Value sub(Value x, Value y, StringRef name);
  Value mul(Value x, Value y, StringRef name);
  Value div(Value x, Value y, StringRef name);
  Value scale(Value x, StringRef name, double factor);
  /// [R, 1] times [1, C]: [R, C].
  Value outerProduct(Value column, Value row, StringRef name);
  Value neg(Value x, StringRef name);
  Value sin(Value x, StringRef name);
  Value cos(Value x, StringRef name);
  Value sigmoid(Value x, StringRef name);
  Value swiglu(Value gate, Value up, StringRef name, double beta = 1);
  Value tanh(Value x, StringRef name);
  Value gelu(Value x, StringRef name);
  Value softmax(Value x, StringRef name, int64_t axis);
  Value dropout(Value x, StringRef name, double rate);
  Value reshape(Value x, StringRef name, ArrayRef<int64_t> shape);
  Value transpose(Value x, StringRef name, ArrayRef<int64_t> permutation);
  /// Repeats x along a new dim `axis` of this extent.
  Value broadcast(Value x, StringRef name, int64_t axis, int64_t extent);
  /// Over a dim, which is dropped.
  Value sum(Value x, StringRef name, int64_t axis);
  /// The smaller, the larger of x and a number.
  Value atMost(Value x, StringRef name, double bound);
  Value atLeast(Value x, StringRef name, double bound);
  Value plus(Value x, StringRef name, double number);
  /// Elements [from, from + size) of a dim.
  Value slice(Value x, StringRef name, int64_t axis, int64_t from,
              int64_t size);
  /// x * w^T + b over the last dim; `tied`: this weight instead of one of its
  /// own.
  Value linear(Value x, StringRef name, int64_t features, bool bias = true,
               Value tied = {});
  Value matmul(Value a, Value b, StringRef name, bool transposeB = false);
  /// `scale` and `cap` of the scores; causal, and of the last `window` keys
  /// unless that is 0.
  struct AttentionForm {
    double scale = 1, cap = 0;
    int64_t window = 0;
  };
  struct Attention {
    Value out, lse; ///< [N, A, T, E], [N, A, T]
  };
  /// Of queries [N, A, T, D], keys [N, G, T, D] and values [N, G, T, E].
  Attention attention(Value q, Value k, Value v, StringRef name,
                      const AttentionForm &form);
  Value layerNorm(Value x, StringRef name);
  /// Over the last dim, with a weight and no bias.
  Value rmsNorm(Value x, StringRef name, double epsilon = 1e-5);
  /// Scores [.., T, S] of attention without later positions: row i
  /// keeps columns 0 to i, the others become -infinity.
  Value causalMask(Value scores, StringRef name);
  /// Rows of a table [vocabulary, width]; the table is `table` if that is
  /// given.
  Value embedding(Value indices, StringRef name, int64_t vocabulary,
                  int64_t width, Value *table = nullptr);

  /// Where an LSTM layer starts, and ends: [1, N, H]; null: zeros.
  struct State {
    Value h, c;
  };
  /// A layer over all steps of x [T, N, F], as ops of `chunk` steps each that
  /// share its weights: [T, N, H].
  Value lstm(Value x, StringRef name, int64_t hidden, int64_t chunk,
             State *state = nullptr);

  //===--- experts --------------------------------------------------------===//

  /// The `k` largest elements along the last dim, and their positions.
  struct Choice {
    Value values, indices;
  };
  Choice topK(Value x, StringRef name, int64_t k);
  /// Results of soap.route.
  struct Routes {
    Value slots, tokens, load;
  };
  /// `capacity` places of each expert for the choices [N, T, K] of a sample.
  Routes route(Value indices, StringRef name, int64_t experts,
               int64_t capacity);
  /// [N, T, W] to [E, N, C, W].
  Value dispatch(Value x, const Routes &routes, StringRef name);
  /// [E, N, C, W] to [N, T, W], weighted with `gates` [N, T, K].
  Value combineExperts(Value y, const Routes &routes, Value gates,
                       StringRef name);

private:
  OpBuilder builder;
  Location loc;
  OwningOpRef<ModuleOp> module;
  func::FuncOp function;
  Block *body;
  SmallVector<DictionaryAttr> argumentAttributes;

  Value addArgument(Type type, ArrayRef<NamedAttribute> attributes);
  RankedTensorType type(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  NamedAttribute text(StringRef key, const Twine &value);
  NamedAttribute kindOf(ValueKind kind);
  NamedAttribute initBy(InitRule rule);
  NamedAttribute count(StringRef key, int64_t value);
  Value number(StringRef name, double value);

  template <typename OpTy, typename... Args>
  OpTy create(const Twine &name, Args &&...args) {
    auto op = OpTy::create(builder, loc, std::forward<Args>(args)...);
    op->setAttr(SoapDialect::kName, builder.getStringAttr(name));
    return op;
  }
};

/// One generator: its description and what builds it.
struct Generator {
  ModelDescription description;
  OwningOpRef<ModuleOp> (*build)(const Sizes &sizes, MLIRContext *context);
  /// A fault of sizes that are allowed one by one; empty: none. The
  /// text follows "model 'NAME': ".
  std::string (*check)(const Sizes &sizes) = nullptr;
};

void addImageModels(std::vector<Generator> &generators);
void addInception(std::vector<Generator> &generators);
void addResNets(std::vector<Generator> &generators);
void addRecurrentModels(std::vector<Generator> &generators);
void addTransformers(std::vector<Generator> &generators);
void addLlama(std::vector<Generator> &generators);
void addMixtures(std::vector<Generator> &generators);
void addVisionTransformers(std::vector<Generator> &generators);
void addUNet(std::vector<Generator> &generators);

} // namespace mlir::soap::models

#endif // SOAP_LIB_TARGET_MODELS_MODELBUILDER_H
