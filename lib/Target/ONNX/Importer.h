//===- Importer.h - State of one import, and one node's view of it --------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `GraphImporter` maps names of the ONNX graph to what they stand for, and
// makes function arguments and ops. `NodeContext` is what the handler of a node
// sees: typed attributes, operands, errors that name the node. Handlers compute
// all shapes themselves and check them, so that building an op can not fail.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_IMPORTER_H
#define SOAP_LIB_TARGET_ONNX_IMPORTER_H

#include "Model.h"
#include "ParameterPlan.h"

#include "Soap/Dialect/Soap/IndexBounds.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Target/ONNX.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <memory>
#include <set>
#include <unordered_map>

namespace mlir::soap::onnx {

using Shape = std::vector<int64_t>;

/// The role of a parameter: decides its kind and how it is initialized if the
/// file has no values. Weights are output-major (`Weight`: OIHW, [N, K];
/// `RowWeight`: [.., N, K]) or input-major (`InputMajorWeight`: [K, N]).
enum class Role {
  Weight,
  RowWeight,
  InputMajorWeight,
  Bias,
  Scale,
  Mean,
  Variance,
  Other
};

/// A float tensor that is trained: an initializer, or a graph input that is no
/// data. It becomes a function argument when first used.
struct Parameter {
  std::string name;
  Shape shape;
  std::shared_ptr<Tensor> tensor; // null: no values in the file
  Value argument;
  std::string source; // its name in the file
  /// Not null: no parameter of its own, but the transpose of another.
  std::shared_ptr<Parameter> transposeOf;
  /// Where it was first used, and as what.
  std::string firstUser;
  Role role = Role::Other;
};

/// The meaning of a name of the graph; exactly one of the first four is set.
struct Operand {
  Value value;                          // computed, or a data argument
  std::shared_ptr<Parameter> parameter; // a weight
  std::shared_ptr<Tensor> constant;     // known now: shapes, axes, scalars
  Shape shape;
  /// The element type that the file gives a computed value. Integers are i32 or
  /// float32 tensors, bools float32 tensors of 0 and 1.
  int32_t dataType = kFloat;
  std::shared_ptr<std::vector<Operand>> sequence; // a list of tensors

  explicit operator bool() const { return value || parameter || constant; }
  int32_t type() const { return constant ? constant->dataType : dataType; }
};

class NodeContext;
/// Imports one node; on failure an error was reported.
using Handler = LogicalResult (*)(NodeContext &);

/// How nodes of one op type are imported. `fold` is called when all operands
/// are constants, `build` otherwise; either may be null.
struct OpEntry {
  int64_t firstOpset, lastOpset;
  Handler build, fold;
};
using OpTable = std::unordered_map<std::string, OpEntry>;
inline constexpr int64_t kFirstOpset = 7, kLastOpset = 23;
/// Of ops that ONNX lacks; the table has them as "soap::StopGradient".
inline constexpr const char *kSoapDomain = "soap";

/// One registration function per family, each in a file of its own.
void addLinearOps(OpTable &table);
void addPoolingOps(OpTable &table);
void addNormalizationOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addReductionOps(OpTable &table);
void addShapeOps(OpTable &table);
void addLogicOps(OpTable &table);
void addIndexingOps(OpTable &table);
void addRecurrentOps(OpTable &table);
void addConstantOps(OpTable &table);
void addConvolutionOps(OpTable &table);
void addResizeOps(OpTable &table);
void addScatterOps(OpTable &table);
void addSelectionOps(OpTable &table);
void addRoundingOps(OpTable &table);
void addCurveOps(OpTable &table);
void addGroupNormOps(OpTable &table);
void addAttentionOps(OpTable &table);
void addGatedOps(OpTable &table);
void addLossOps(OpTable &table);
void addQuantizationOps(OpTable &table);
void addTileOps(OpTable &table);
void addSubgraphOps(OpTable &table);
void addSequenceOps(OpTable &table);

/// Whether a BatchNormalization is in training mode.
bool normalizesWithBatch(const Node &node, int64_t opset);

/// Exporters write gelu as x * (1 + erf(x / sqrt(2))) / 2, in several orders:
/// one op again.
void recognizeGelu(Block &body);

class GraphImporter {
public:
  GraphImporter(Model &model, MLIRContext *context, Location loc,
                const ONNXImportOptions &options);

  OwningOpRef<ModuleOp> run();

  /// The value of an operand as an SSA value; makes the argument of a
  /// parameter, or a constant op, when first needed. Null after an error: a
  /// parameter that is used as a running statistic, too.
  Value materialize(Operand &operand, Role role, Location loc,
                    const std::string &nameHint);
  /// A name made of letters, digits, '_', '-' and '.' that no other op or
  /// tensor has.
  std::string uniqueName(const std::string &wanted) {
    return uniqueName(wanted, names);
  }
  RankedTensorType tensorType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getF32Type());
  }
  RankedTensorType integerType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getI32Type());
  }

  /// 1, 2, ...: of ops that draw random numbers.
  uint64_t nextSeed() { return ++lastSeed; }

  /// The meaning of a tensor of the file, as planned: a parameter of
  /// its own or another's, or a constant. `values` are its own, or the ones of
  /// the tensor that it is an Identity of.
  Operand operandFor(const std::string &name, std::shared_ptr<Tensor> values);
  /// Integers of the data are computed with as float32: says so, once.
  void noteIntegers(Value value);
  /// The function has no attributes yet: see soap::boundElements.
  void boundElements(Value value, int64_t bound) {
    soap::boundElements(value, bound, argumentAttributes);
  }
  /// Imports the nodes of `graph`, whose inputs stand for `arguments`. Names
  /// that it defines are its own. The meanings of its outputs, or failure after
  /// an error.
  FailureOr<std::vector<Operand>> importGraph(const Graph &graph,
                                              std::vector<Operand> arguments,
                                              NodeContext &user);
  /// The plan has a tensor called `name`.
  bool isPlanned(const std::string &name) const { return plan.find(name); }

  Model &model;
  const ONNXImportOptions &options;
  OpBuilder builder;
  Location loc;
  /// The first nodes in training mode, and the first norm that is frozen among
  /// those, by name; empty: none.
  struct {
    std::string norm, dropout, frozenNorm;
  } training;
  /// Whether any batch norm of the model is in training mode, once that
  /// was looked for.
  std::optional<bool> someNormTrains;
  /// Whether the batch norm is frozen: in evaluation mode where others train.
  bool noteBatchNorm(const NodeContext &node, bool trains);
  /// Extent of the sample dim of the first data input that has one in the file;
  /// 0: none has.
  int64_t batchOfFile = 0;
  /// Dim 0 of the data inputs in the file and what options replace it with; 0
  /// if they do not.
  int64_t oldBatch = 0, batch = 0;
  /// Types of floats other than float32 that nodes cast to.
  std::set<int32_t> otherFloats;

private:
  friend class NodeContext;

  InFlightDiagnostic error(const Twine &message) {
    return emitError(loc) << message;
  }
  std::string uniqueName(const std::string &wanted,
                         std::set<std::string> &taken);
  LogicalResult indexNodes();
  LogicalResult chooseDataInputs(std::set<std::string> &data);
  LogicalResult addInputs();
  LogicalResult addDataInput(const ValueInfo &info);
  FailureOr<Shape> staticShape(const ValueInfo &info, bool isData);
  LogicalResult addInitializers(const std::set<std::string> &data);
  LogicalResult importNode(const Node &node);
  void countUses(const Graph &graph);
  Value outputValue(Operand &operand, const std::string &name);
  FailureOr<SmallVector<Value>>
  collectOutputs(std::vector<DictionaryAttr> &attributes);
  bool isFinal(const std::string &name) const;
  bool isUsed(const std::string &name) const {
    return useCounts.find(name) != useCounts.end();
  }
  Value addArgument(RankedTensorType type, ArrayRef<NamedAttribute> attributes);
  Value addParameter(Parameter &parameter, Role role);
  Value materialize(Parameter &parameter, Role role, Location loc);
  void eraseDead();
  /// Warns where the exporter seems to have folded norms (TrainingHints.cpp).
  void warnOfFolding();
  /// Says which tables have rows of zeros, as padding has.
  void remarkPaddingRows();
  /// Takes what is not certain from the plan; later it has no values.
  void collectDoubts();
  /// Marks the function if it is not certain what is trained.
  void markUncertainRoles(Operation *function);
  /// Says what nodes in training mode become.
  void remarkTrainingMode();
  /// Says which parameters have a value for each sample of the batch.
  void remarkBatchAxes();
  void recordPlaces();

  OpTable table;
  uint64_t lastSeed = 0;
  bool integersNoted = false;
  /// Graphs of attributes that were imported, and how deep this one is.
  int64_t numGraphs = 0, depth = 0, numNodes = 0;
  Block *body = nullptr;
  std::unordered_map<std::string, Operand> operands;
  std::unordered_map<std::string, size_t>
      producers; // by output name, over all nodes
  std::unordered_map<std::string, int64_t> useCounts;
  std::set<std::string> names;
  ParameterPlan plan;
  /// Reasons why it is not certain which tensors are trained.
  std::vector<std::string> doubts;
  std::vector<DictionaryAttr> argumentAttributes;
  std::vector<std::pair<std::string, std::shared_ptr<Tensor>>> externalWeights;
};

/// Refuses another batch than the file's where a constant may hold that; the
/// importer has replaced the batch of the model at `path` (BatchConstants.cpp).
LogicalResult checkBatch(StringRef path, ModuleOp module,
                         const GraphImporter &importer);

/// Attribute and operand access of one node. Getters report errors once and
/// then return defaults: handlers check `failed()` before they use what they
/// got.
class NodeContext {
public:
  NodeContext(GraphImporter &importer, const Node &node);

  GraphImporter &importer;
  const Node &node;
  Location loc;
  int64_t opset() const {
    return node.opset ? node.opset : importer.model.opset;
  }

  /// Reports an error that names node, op and opset.
  LogicalResult error(const Twine &message);
  bool failed() const { return hasFailed; }
  /// After `build`: attributes that no getter asked for are an error.
  LogicalResult checkAttributes();

  // Attributes.
  bool hasAttribute(const char *name);
  int64_t intAttribute(const char *name, int64_t defaultValue);
  float floatAttribute(const char *name, float defaultValue);
  std::string stringAttribute(const char *name, const char *defaultValue);
  std::optional<Shape> intsAttribute(const char *name);
  const NodeAttribute *rawAttribute(const char *name);
  /// Accepts the attribute without looking at it: it has no influence.
  void ignoreAttribute(const char *name) { used.insert(name); }

  // Operands.
  size_t numInputs() const { return node.inputs.size(); }
  bool hasInput(size_t index) const {
    return index < node.inputs.size() && !node.inputs[index].empty();
  }
  /// Reports an error unless there are between `low` and `high` operands, and
  /// at most `results` results are asked for.
  bool checkCounts(size_t low, size_t high, size_t results = 1);
  const Operand &operand(size_t index) const { return *inputs[index]; }
  const Shape &shape(size_t index) const { return inputs[index]->shape; }
  bool isConstant(size_t index) const {
    return inputs[index]->constant != nullptr;
  }
  bool allConstant() const;
  /// A float32 tensor as SSA value; null after an error.
  Value tensor(size_t index, Role role = Role::Other);
  /// A tensor of the file as constant, whatever its role; null after an error.
  Value frozen(size_t index);
  /// An int32 tensor as SSA value; null after an error.
  Value integers(size_t index);
  /// The element type that the file gives operand `index`; `kFloat` for floats
  /// of any width.
  int32_t typeOf(size_t index) const { return inputs[index]->type(); }
  /// The elements are integers, not bools.
  bool isInteger(size_t index) const {
    return onnx::isInteger(typeOf(index)) && typeOf(index) != kBool;
  }
  bool isBool(size_t index) const { return typeOf(index) == kBool; }
  /// Values known at import; null after an error that says so.
  const Tensor *constant(size_t index);
  /// Values of an integer vector or scalar known at import.
  std::optional<Shape> constantInts(size_t index);
  /// The value of a float operand with one element that is no trained
  /// parameter.
  std::optional<float> constantScalar(size_t index);
  /// The same for numbers of any type.
  std::optional<double> constantNumber(size_t index);

  // Results.
  /// `type`: the elements stand for this type of the file.
  LogicalResult setResult(size_t index, Value value, int32_t type = kFloat);
  LogicalResult setConstant(size_t index, Tensor tensor);
  LogicalResult setOperand(size_t index, const Operand &operand);
  bool wantsResult(size_t index) const {
    return index < node.outputs.size() && !node.outputs[index].empty();
  }
  /// Whether a node or a result of the model uses result `index`.
  bool isUsed(size_t index) const {
    return wantsResult(index) && importer.isUsed(node.outputs[index]);
  }
  /// The result is a result of the model and nothing else uses it.
  bool isFinal() const { return importer.isFinal(node.outputs[0]); }
  std::string baseName() const;

  /// Builds an op with a result of `shape`; the last op of a node has no
  /// suffix. Null after an error (too many elements, empty).
  template <typename OpTy, typename... Args>
  Value create(StringRef suffix, const Shape &shape, Args &&...args) {
    if (!checkShape(shape))
      return Value();
    auto op = OpTy::create(importer.builder, loc, importer.tensorType(shape),
                           std::forward<Args>(args)...);
    nameOp(op, suffix);
    return op->getResult(0);
  }
  bool checkShape(const Shape &shape);
  Value createReshape(StringRef suffix, Value x, const Shape &shape);
  Value createScale(StringRef suffix, Value x, double factor);
  /// Repeats x to `shape`, to which it broadcasts.
  Value createBroadcast(StringRef suffix, Value x, const Shape &shape);
  Value createTranspose(StringRef suffix, Value x, const Shape &permutation);
  Value createSlice(StringRef suffix, Value x, const Shape &offsets,
                    const Shape &sizes);
  /// A rank-0 constant.
  Value createScalar(StringRef suffix, double value);
  /// A tensor of one value.
  Value createSplat(StringRef suffix, const Shape &shape, double value);
  /// An op on two tensors, with broadcasting; null after an error.
  template <typename OpTy>
  Value createBinary(StringRef suffix, Value x, Value y);
  /// An op on one tensor that keeps its shape; null for null.
  template <typename OpTy>
  Value createUnary(StringRef suffix, Value x);
  /// `condition` != 0 ? x : y, with broadcasting.
  Value createWhere(StringRef suffix, Value condition, Value x, Value y);
  /// Over `axes`, which are sorted; they stay as dims of 1 if `keepDims`.
  Value createReduce(StringRef suffix, Value x, ReduceKind kind,
                     const Shape &axes, bool keepDims = false);
  /// Known values, row-major.
  Value createConstant(StringRef suffix, const Shape &shape,
                       ArrayRef<float> values);
  Value createIndices(StringRef suffix, const Shape &shape,
                      ArrayRef<int32_t> values);
  /// 0, 1, .. along dim `axis` of a tensor of rank `rank` whose other dims
  /// are 1.
  Value createPositions(StringRef suffix, int64_t extent, int64_t axis,
                        int64_t rank);
  /// [.., m, k] * [.., k, n] with the same batch dims, or a right operand of
  /// rank 2; the last two dims of an operand may be transposed.
  Value createMatmul(StringRef suffix, Value a, Value b,
                     bool transposeA = false, bool transposeB = false);
  Value createConcat(StringRef suffix, ArrayRef<Value> values, int64_t axis);
  /// Whole numbers held as float32, as i32.
  Value createCast(StringRef suffix, Value x);
  /// i32 as float32.
  Value createFloats(StringRef suffix, Value x);
  /// Rows of dim `axis` of x at known positions.
  Value createPick(StringRef suffix, Value x, int64_t axis,
                   ArrayRef<int32_t> positions);
  /// x padded by `low` and `high` zeros, or `value`; negative: cropped.
  Value createPad(StringRef suffix, Value x, const Shape &low,
                  const Shape &high, double value = 0);

  /// Names an op that was not made by `create` (it has several results).
  void nameOp(Operation *op, StringRef suffix);
  /// Operand `index` as floats, whatever it is: integers are cast.
  Value floats(size_t index, Role role = Role::Other);
  /// An operand of no node, as floats.
  Value floatsOf(const Operand &operand);

private:
  const NodeAttribute *typedAttribute(const char *name,
                                      NodeAttribute::Kind kind,
                                      const char *expected);

  std::vector<Operand *> inputs; // null for optional operands that are left out
  std::set<std::string> used;
  bool hasFailed = false;
  friend class GraphImporter;
};

inline Shape shapeOf(Value value) {
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  return Shape(shape.begin(), shape.end());
}
/// Tensors one after the other along a dim, which `addsDim` adds to each; a
/// constant if all are.
FailureOr<Operand> joinOperands(NodeContext &node, StringRef suffix,
                                ArrayRef<Operand> parts, int64_t axis,
                                bool addsDim);
inline DenseI64ArrayAttr arrayAttr(NodeContext &node,
                                   ArrayRef<int64_t> values) {
  return node.importer.builder.getDenseI64ArrayAttr(values);
}
/// The NumPy broadcast of two shapes.
std::optional<Shape> broadcastShapes(const Shape &a, const Shape &b);

template <typename OpTy>
Value NodeContext::createBinary(StringRef suffix, Value x, Value y) {
  if (!x || !y)
    return Value();
  auto shape = broadcastShapes(shapeOf(x), shapeOf(y));
  if (!shape) {
    (void)error("operands " + shapeString(shapeOf(x)) + " and " +
                shapeString(shapeOf(y)) + " do not broadcast");
    return Value();
  }
  return create<OpTy>(suffix, *shape, x, y);
}

template <typename OpTy>
Value NodeContext::createUnary(StringRef suffix, Value x) {
  return x ? create<OpTy>(suffix, shapeOf(x), x) : Value();
}

/// A permutation that exchanges two dims; its own inverse.
Shape swappedDims(int64_t rank, int64_t a, int64_t b);

/// Wraps a negative axis; an error unless it is in [-rank, rank).
std::optional<int64_t> normalizeAxis(NodeContext &node, int64_t axis,
                                     int64_t rank);
/// The same for several, sorted; an error if one is given twice.
std::optional<Shape> normalizeAxes(NodeContext &node, const Shape &axes,
                                   int64_t rank);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_IMPORTER_H
