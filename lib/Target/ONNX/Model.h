//===- Model.h - An ONNX model as plain values ------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of an ONNX file that the importer reads, decoded and checked: sizes
// agree, dims are in range, names are unique. A file of its own so that only
// the reader sees protobuf, and nothing behind it has to distrust the file's
// structure again.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_MODEL_H
#define SOAP_LIB_TARGET_ONNX_MODEL_H

#include "Soap/Support/Error.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mlir::soap::onnx {

/// Largest number of elements of any tensor: sums and products of a few extents
/// stay within 64 bits.
inline constexpr int64_t kMaxElements = int64_t(1) << 44;

/// Codes of TensorProto.DataType that are decoded.
enum DataType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kUInt16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUInt32 = 12,
  kBFloat16 = 16
};
/// "float32", "int64", ...; "type 42" for unknown codes.
std::string dataTypeName(int32_t dataType);
inline bool isInteger(int32_t dataType) {
  return dataType == kUInt8 || dataType == kInt8 || dataType == kUInt16 ||
         dataType == kInt16 || dataType == kInt32 || dataType == kInt64 ||
         dataType == kUInt32 || dataType == kBool;
}
/// Floats of another width than float32. They are decoded, and computed with,
/// as float32.
inline bool isOtherFloat(int32_t dataType) {
  return dataType == kFloat16 || dataType == kBFloat16 || dataType == kDouble;
}

/// Product of dims; -1 if a dim is negative or the product exceeds
/// `kMaxElements`.
int64_t countElements(const std::vector<int64_t> &dims);
/// "2x3x4", "[]" for rank 0.
std::string shapeString(const std::vector<int64_t> &dims);
/// A name of the file between quotes, shortened, with unprintable characters
/// escaped.
std::string quote(const std::string &name);

/// A tensor with its values: `floats` for floats of any width, `ints` for
/// integers and bool, neither for other types (they are not decoded).
struct Tensor {
  std::string name;
  int32_t dataType = kUndefined;
  std::vector<int64_t> dims;
  std::vector<float> floats;
  std::vector<int64_t> ints;

  bool isFloat() const { return dataType == kFloat; }
  bool isDecoded() const { return isFloat() || isInteger(dataType); }
  int64_t size() const { return countElements(dims); }
  /// Element i of either kind.
  double number(int64_t i) const {
    return isFloat() ? double(floats[i]) : double(ints[i]);
  }
};

struct Graph;

struct NodeAttribute {
  enum class Kind {
    Int,
    Float,
    String,
    Ints,
    Floats,
    Strings,
    Tensor,
    Graph,
    Other
  };
  std::string name;
  Kind kind = Kind::Other;
  int64_t i = 0;
  float f = 0;
  std::string s;
  std::vector<int64_t> ints;
  std::vector<float> floats;
  std::vector<std::string> strings;
  Tensor tensor;
  /// A branch or a body.
  std::shared_ptr<const Graph> graph;
};

struct Node {
  std::string name, opType, domain;
  /// Of the function that the node comes from; 0: the model's.
  int64_t opset = 0;
  /// The path of the module that the node belongs to ("layers.0.norm", "" for
  /// the outermost), where the exporter tells it.
  std::optional<std::string> scope;
  std::vector<std::string> inputs, outputs;
  std::vector<NodeAttribute> attributes;
};

/// -1 is a dim that the file leaves open; `symbol` its name, if any.
struct Dim {
  int64_t extent = -1;
  std::string symbol;
};

struct ValueInfo {
  std::string name;
  int32_t dataType = kUndefined;
  bool hasShape = false;
  std::vector<Dim> dims;
};

/// The graph of an attribute: the branch of an If, the body of a Loop. It reads
/// values of the graphs around it by name.
struct Graph {
  std::vector<Node> nodes;
  std::deque<Tensor> initializers;
  std::vector<std::string> inputs, outputs;
};

struct Model {
  int64_t opset = 0;
  std::string producer; // "pytorch", ...
  /// Types of floats other than float32 that the file has.
  std::set<int32_t> otherFloats;
  std::vector<Node> nodes;
  std::deque<Tensor> initializers;
  std::vector<ValueInfo> inputs, outputs;
};

/// Reads and checks a model; errors are `what is wrong where`, without the
/// path.
::soap::Expected<Model> readModel(const std::string &path);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_MODEL_H
