//===- ParameterPlan.h - What float tensors of a model are ------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file does not say which of its tensors are trained: initializers hold
// parameters, running statistics, and constants that the exporter folded, and
// equal ones are merged. Before nodes are imported, all of that is decided here
// in three steps, each in a file of its own: what tensors are used for
// (ParameterUses.cpp), what they are by use, name and the user's word
// (ParameterRoles.cpp), and which equal ones are one (WeightTying.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_TARGET_ONNX_PARAMETERPLAN_H
#define SOAP_LIB_TARGET_ONNX_PARAMETERPLAN_H

#include "Model.h"
#include "ParameterNames.h"

#include "Soap/Target/ONNX.h"

#include "mlir/IR/Location.h"
#include "mlir/Support/LogicalResult.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace mlir::soap::onnx {

/// The role of an operand for a node that depends on data.
enum class UseKind {
  Product,    // weight of a product, a convolution, a recurrence
  Table,      // rows are picked by data
  NormScale,  // of a norm
  NormBias,   // of a norm
  Bias,       // of a product
  Mean,       // running statistic
  Variance,   // running statistic
  FirstState, // of a recurrence
  Input,      // shifts or scales the data themselves
  Factor,     // multiplies or divides
  Term,       // is added or subtracted
  Joined,     // is concatenated
  Other,      // any other that a gradient reaches
  Setting     // a bound, a ratio, a shape: no gradient reaches it
};

/// A use of a tensor: operand `operand` of `node`, reached through nodes that
/// compute with known values only, the first of which has it as operand
/// `hopOperand` (the node itself, where there are none).
struct TensorUse {
  size_t node, operand;
  size_t hopNode, hopOperand;
  UseKind kind;
  /// A branch or body of the node reads the tensor: `hopOperand` means nothing.
  bool isInBody = false;
};

enum class TensorKind { Parameter, State, Constant };

/// A name that a float tensor has in the file: an initializer, the value of a
/// Constant node, or an Identity of one.
struct NamedTensor {
  std::string name;
  const Tensor *values = nullptr; // shared with what it is an Identity of
  bool isConstantNode = false;
  /// For Identities: of what.
  std::string identityOf;
  /// Not empty: the name was made here, for some uses of this tensor, which the
  /// exporter merged with equal ones.
  std::string splitFrom;
  std::vector<TensorUse> uses;

  TensorKind kind = TensorKind::Constant;
  /// Why the kind is not certain; empty where it is.
  std::string doubt;
  /// A list of parameters has it, under this name or, if roles are assumed,
  /// another.
  bool isListed = false;
  /// No list has it: a parameter only if it is tied to one that is listed.
  bool onlyIfTied = false;
  /// The name of the parameter that this one is equal to and shares its values
  /// with, transposed or not; empty: none.
  std::string tiedTo;
  bool isTransposed = false;
};

/// The origin of the name; the exporter names values of a Constant node.
inline NameKind nameKindOf(const NamedTensor &tensor) {
  return tensor.isConstantNode      ? NameKind::Exporter
         : tensor.splitFrom.empty() ? classifyName(tensor.name)
                                    : classifyName(tensor.splitFrom);
}
/// The exporter did.
inline bool hasExportersName(const NamedTensor &tensor) {
  NameKind kind = nameKindOf(tensor);
  return kind == NameKind::Exporter || kind == NameKind::ExporterOp;
}

/// "'a', 'b' and 7 more", for messages.
std::string someOf(ArrayRef<std::string> texts, bool isQuoted = false);

/// Counts dims other than 1.
inline size_t countWideDims(const std::vector<int64_t> &dims) {
  size_t count = 0;
  for (int64_t dim : dims)
    count += dim != 1;
  return count;
}

/// All elements are the same.
bool isSplat(const Tensor &tensor);

/// Only parameters are used so, or what stands for one.
inline bool isStrong(UseKind kind) {
  return kind == UseKind::Product || kind == UseKind::Table ||
         kind == UseKind::NormScale || kind == UseKind::NormBias ||
         kind == UseKind::Bias;
}

/// The module that uses the tensor, as far as nodes tell; nothing where no node
/// does.
std::optional<std::string> scopeOf(const Model &model,
                                   const NamedTensor &tensor);

/// The float tensors of `model` by name, with their uses. `data` are the graph
/// inputs that are data.
std::deque<NamedTensor> findTensors(const Model &model,
                                    const std::set<std::string> &data);

/// Decides what tensors are, and what of it is certain: by the user's word, by
/// a list that has the exact names of all parameters, or without one where a
/// tensor has both the name and the use of a parameter, and no other tensor may
/// be the same (docs/ONNX.md, Parameters and constants). Kept until all are
/// decided, as it collects what is to be said about them.
class TensorRoles {
public:
  /// `loc` is where messages point. Reads the file of `options.parametersFrom`;
  /// an error if one of its names is not that of exactly one tensor, unless
  /// roles are assumed.
  static FailureOr<TensorRoles>
  create(const Model &model, const ONNXImportOptions &options, Location loc);

  /// Sets kind, doubt and what the list of parameters says.
  LogicalResult decide(NamedTensor &tensor);
  /// A graph input without values: a parameter in any case.
  LogicalResult decideInput(const std::string &name);
  /// Patterns that nothing matches, and the graph's tensors that are listed but
  /// not there, are errors and warnings; one warning has all doubts.
  LogicalResult report(const std::deque<NamedTensor> &tensors);
  bool hasList() const { return !listed.empty(); }
  /// The user lets import guess.
  bool areAssumed() const { return isAssumed; }
  /// The list has the tensor under this name, or that of a wrapper.
  bool isListed(const std::string &name) const {
    return owners.count(name) && !frozen.count(name);
  }
  /// A listed tensor that several nodes read, in modules of which one may be a
  /// frozen copy of the other: says so in the doubt.
  void doubtSharing(NamedTensor &tensor) const;

private:
  TensorRoles(const Model &model, Location loc, bool isAssumed)
      : model(model), loc(loc), isAssumed(isAssumed) {}
  LogicalResult resolveList(ArrayRef<ListedParameter> names);
  void decideByUse(NamedTensor &tensor) const;
  std::string missingEvidence(const NamedTensor &tensor) const;
  bool findInList(const NamedTensor &tensor);

  const Model &model;
  Location loc;
  bool isAssumed;
  /// Some tensors have names of low-rank adapters.
  bool hasAdapters = false;
  NamePatterns parameters, constants;
  /// Names of the list, whether a tensor was found for them.
  std::map<std::string, bool> listed;
  std::vector<std::string> listOrder;
  std::string listPath;
  /// By the name of a tensor, its name in the list; and which of them the list
  /// has as frozen.
  std::map<std::string, std::string> owners;
  std::set<std::string> frozen;
  /// Tensors that are in the list under the name of a module's parameter.
  std::set<std::string> foundByModule;
};

/// Uses of one initializer that the exporter merged with equal ones are tensors
/// of their own: adds initializers to `model`, and makes their nodes read them.
/// `places` gets which operands those are, by the new names.
LogicalResult splitMergedTensors(Model &model, std::deque<NamedTensor> &tensors,
                                 TensorRoles &roles, NamePatterns &tie,
                                 NamePatterns &untie,
                                 std::map<std::string, ONNXWeightPlace> &places,
                                 Location loc);

/// Finds equal weights and sets which are tied to which.
LogicalResult tieEqualWeights(const Model &model,
                              std::deque<NamedTensor> &tensors,
                              const TensorRoles &roles, NamePatterns &tie,
                              NamePatterns &untie, Location loc);

/// The decisions on all tensors.
struct ParameterPlan {
  std::deque<NamedTensor> tensors;
  std::map<std::string, NamedTensor *> byName;
  /// Of names that no initializer and no graph input of the file has.
  std::map<std::string, ONNXWeightPlace> places;

  const NamedTensor *find(const std::string &name) const {
    auto found = byName.find(name);
    return found == byName.end() ? nullptr : found->second;
  }
  /// The tensor that `name` is an Identity of, itself where it is none.
  std::string rootOf(std::string name) const {
    for (auto *tensor = find(name); tensor && !tensor->identityOf.empty();
         tensor = find(name))
      name = tensor->identityOf;
    return name;
  }
};

/// All three steps. Failure after a diagnostic.
LogicalResult planParameters(Model &model, const std::set<std::string> &data,
                             const ONNXImportOptions &options, Location loc,
                             ParameterPlan &plan);

} // namespace mlir::soap::onnx

#endif // SOAP_LIB_TARGET_ONNX_PARAMETERPLAN_H
