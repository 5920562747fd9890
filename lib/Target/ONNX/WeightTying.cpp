//===- WeightTying.cpp - Which equal weights are one ----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters merge tensors that are equal when the file is written: weights that
// are one in the model, and weights that only begin with the same values. The
// first stay one, the others get a parameter each.
//
//===----------------------------------------------------------------------===//

#include "ParameterPlan.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>
#include <cstring>

using namespace mlir;
using namespace mlir::soap::onnx;

namespace {

/// Uses of a tensor that are one parameter.
struct UseGroup {
  std::string key;
  std::vector<TensorUse> uses;
};

bool isWeak(UseKind kind) {
  return kind == UseKind::Input || kind == UseKind::Factor ||
         kind == UseKind::Term || kind == UseKind::Joined ||
         kind == UseKind::Other || kind == UseKind::FirstState;
}

class UseGrouper {
public:
  /// `isListed`: the user's list has the tensor, once.
  UseGrouper(const Model &model, const NamedTensor &tensor, bool isUntied,
             bool isListed)
      : model(model), tensor(tensor), isUntied(isUntied), isListed(isListed),
        splat(isSplat(*tensor.values)),
        hasNameOfModule(!hasExportersName(tensor)), isUsedByItsModule(false) {
    for (const TensorUse &use : tensor.uses)
      if (const auto &scope = model.nodes[use.node].scope)
        isUsedByItsModule |= holds(*scope);
  }

  /// Groups in the order of nodes, the one that keeps the name first.
  std::vector<UseGroup> run() const {
    std::vector<UseGroup> groups;
    for (const TensorUse &use : tensor.uses) {
      std::string key = keyOf(use);
      auto sameHop = [&](const TensorUse &other) {
        return other.hopNode == use.hopNode &&
               other.hopOperand == use.hopOperand;
      };
      // A value computed of the tensor on the way to several nodes is one
      // value.
      auto found = llvm::find_if(groups, [&](const UseGroup &group) {
        return group.key == key || llvm::any_of(group.uses, sameHop);
      });
      if (found == groups.end())
        found = groups.insert(groups.end(), UseGroup{key, {}});
      found->uses.push_back(use);
    }
    auto owner = llvm::find_if(groups, [&](const UseGroup &group) {
      const auto &scope = model.nodes[group.uses[0].node].scope;
      return scope && holds(*scope) && fitsName(group.uses[0].kind);
    });
    if (owner != groups.end())
      std::rotate(groups.begin(), owner, owner + 1);
    return groups;
  }

  /// A weight of several nodes that are not known to be one layer.
  bool isSharedByNodes() const {
    const Node &first = model.nodes[tensor.uses[0].node];
    return llvm::any_of(tensor.uses, [&](const TensorUse &use) {
      const Node &node = model.nodes[use.node];
      bool isOneLayer = node.scope && node.scope == first.scope;
      bool isPaths = !node.name.empty() && node.name[0] == '/';
      return use.node != tensor.uses[0].node && !isOneLayer && !isPaths &&
             (use.kind == UseKind::Product || use.kind == UseKind::Table);
    });
  }

  /// A name for a group that does not keep the tensor's.
  std::string nameFor(const UseGroup &group) const {
    const Node &node = model.nodes[group.uses[0].node];
    UseKind kind = group.uses[0].kind;
    bool isBias = kind == UseKind::Bias || kind == UseKind::NormBias;
    std::string last = lastComponent(tensor.name).str();
    if (kind == UseKind::Mean || kind == UseKind::Variance)
      last = kind == UseKind::Mean ? "running_mean" : "running_var";
    else if (!hasNameOfModule || !fitsName(kind))
      last = isBias ? "bias" : "weight";
    else if (node.scope)
      // "layers.1.attn.out.weight" for "layers.0.attn.out.weight", which
      // "layers.0.attn" uses.
      for (const TensorUse &use : tensor.uses) {
        StringRef path = tensor.name;
        const auto &scope = model.nodes[use.node].scope;
        if (scope && !scope->empty() && path.consume_front(*scope + "."))
          return *node.scope + "." + path.str();
      }
    std::string base = node.scope && !isWeak(kind) ? *node.scope
                       : node.name.empty()         ? node.outputs[0]
                                                   : node.name;
    return base.empty() ? last : base + "." + last;
  }

private:
  /// The module `scope` is the one that the tensor's name has, or around it.
  bool holds(StringRef scope) const {
    StringRef path = modulePath(tensor.name);
    return hasNameOfModule &&
           (path == scope || (!scope.empty() && path.consume_front(scope) &&
                              path.starts_with(".")));
  }
  /// "bias" is no scale.
  bool fitsName(UseKind kind) const {
    bool isBias = kind == UseKind::Bias || kind == UseKind::NormBias;
    bool isStatistic = kind == UseKind::Mean || kind == UseKind::Variance;
    StringRef last = lastComponent(tensor.name);
    if (last.contains("running_"))
      return isStatistic;
    return !isStatistic && (isWeak(kind) || last.contains("bias") == isBias);
  }

  std::string keyOf(const TensorUse &use) const {
    const Node &node = model.nodes[use.node];
    using enum UseKind;
    // Each norm has statistics of its own.
    if (use.kind == Mean || use.kind == Variance)
      return (use.kind == Mean ? "mean of " : "variance of ") +
             (node.scope ? "module " + *node.scope
                         : "node " + std::to_string(use.node));
    if (use.kind == Setting)
      return "setting";
    if (isUntied)
      return "node " + std::to_string(use.node);
    if (isListed)
      return "one";
    // PyTorch's older exporter writes an Identity where it merges.
    if (!node.name.empty() && node.name[0] == '/')
      return "one";
    bool isPassed = hasNameOfModule && !isUsedByItsModule;
    if (!splat) {
      // Layers of a stack begin as copies of one layer.
      if (!node.scope || isPassed)
        return "one";
      const Node &first = model.nodes[tensor.uses[0].node];
      return first.scope && differInNumbersOnly(*first.scope, *node.scope,
                                                /*inNames=*/true)
                 ? "module " + *node.scope
                 : "one";
    }
    if (node.scope && isPassed)
      return "one";
    std::string kind = std::to_string(int(use.kind)) + " of ";
    if (isWeak(use.kind))
      return kind + "node " + std::to_string(use.node);
    if (node.scope)
      return kind + "module " + *node.scope;
    // A layer that is applied twice has the same weight beside.
    if (use.kind == Bias && use.operand >= 2 && node.inputs.size() > 1)
      return kind + "weight " + node.inputs[1];
    return kind + "node " + std::to_string(use.node);
  }

  const Model &model;
  const NamedTensor &tensor;
  bool isUntied, isListed, splat, hasNameOfModule, isUsedByItsModule;
};

/// "'b' to 'a', 'd' to 'c' and 3 more".
std::string somePairs(ArrayRef<std::pair<std::string, std::string>> pairs) {
  std::string result;
  constexpr size_t kLimit = 6;
  for (const auto &[name, other] : pairs.take_front(kLimit))
    result +=
        (result.empty() ? "" : ", ") + quote(name) + " to " + quote(other);
  if (pairs.size() > kLimit)
    result += " and " + std::to_string(pairs.size() - kLimit) + " more";
  return result;
}

} // namespace

LogicalResult mlir::soap::onnx::splitMergedTensors(
    Model &model, std::deque<NamedTensor> &tensors, TensorRoles &roles,
    NamePatterns &tie, NamePatterns &untie,
    std::map<std::string, ONNXWeightPlace> &places, Location loc) {
  std::set<std::string> names;
  for (const ValueInfo &info : model.inputs)
    names.insert(info.name);
  for (const Tensor &tensor : model.initializers)
    names.insert(tensor.name);
  for (const Node &node : model.nodes)
    names.insert(node.outputs.begin(), node.outputs.end());

  std::vector<std::pair<std::string, std::string>> split, copies;
  std::vector<std::string> shared;
  for (size_t i = 0, count = tensors.size(); i < count; ++i) {
    NamedTensor &tensor = tensors[i];
    if (tensor.uses.size() < 2 || tie.match(tensor.name) ||
        llvm::any_of(tensor.uses,
                     [](const TensorUse &use) { return use.isInBody; }))
      continue;
    // All that is merged is untied by "*", all uses of a weight by its name.
    const std::string *untied = untie.match(tensor.name);
    UseGrouper grouper(model, tensor, untied && *untied != "*",
                       !roles.areAssumed() && roles.isListed(tensor.name));
    std::vector<UseGroup> groups = grouper.run();
    if (groups.size() < 2) {
      if (grouper.isSharedByNodes())
        shared.push_back(tensor.name);
      continue;
    }
    std::vector<NamedTensor> parts;
    for (const UseGroup &group : groups) {
      NamedTensor part = tensor;
      part.uses = group.uses;
      if (!parts.empty()) {
        part.name = grouper.nameFor(group);
        part.splitFrom = tensor.name;
      }
      if (failed(roles.decide(part)))
        return failure();
      // Constants need no copies.
      if (!parts.empty() && part.kind == TensorKind::Constant &&
          parts[0].kind == TensorKind::Constant)
        parts[0].uses.insert(parts[0].uses.end(), part.uses.begin(),
                             part.uses.end());
      else
        parts.push_back(std::move(part));
    }
    for (NamedTensor &part : llvm::drop_begin(parts)) {
      std::string name = part.name;
      for (int number = 1; !names.insert(name).second; ++number)
        name = part.name + "_" + std::to_string(number);
      part.name = name;
      Tensor values = *tensor.values;
      values.name = name;
      model.initializers.push_back(std::move(values));
      part.values = &model.initializers.back();
      part.identityOf.clear();
      part.isConstantNode = false;
      ONNXWeightPlace &place = places[name];
      place.name = name;
      for (const TensorUse &use : part.uses) {
        model.nodes[use.hopNode].inputs[use.hopOperand] = name;
        place.operands.emplace_back(use.hopNode, use.hopOperand);
      }
      bool isCopy = part.kind == TensorKind::Parameter &&
                    parts[0].kind == TensorKind::Parameter && !part.isListed &&
                    !isSplat(*part.values);
      (isCopy ? copies : split).emplace_back(name, tensor.name);
    }
    tensor.uses = parts[0].uses;
    for (NamedTensor &part : llvm::drop_begin(parts))
      tensors.push_back(std::move(part));
  }
  if (!shared.empty())
    emitRemark(loc) << shared.size()
                    << (shared.size() == 1 ? " weight is" : " weights are")
                    << " used by several nodes and one parameter each: "
                    << someOf(shared)
                    << "; --untie-weights=NAME gives each node its own";
  if (!split.empty())
    emitRemark(loc) << split.size()
                    << (split.size() == 1 ? " weight shares" : " weights share")
                    << " an initializer with a weight of another role or layer "
                       "that is equal, and is not tied to it: "
                    << somePairs(split) << "; --tie-weights= ties by name";
  if (!copies.empty())
    emitWarning(loc) << copies.size()
                     << (copies.size() == 1 ? " weight shares"
                                            : " weights share")
                     << " an initializer with one of another layer, assumed to "
                        "be a copy, and not tied: "
                     << somePairs(copies) << "; --tie-weights= ties by name";
  return success();
}

//===----------------------------------------------------------------------===//
// Equal weights
//===----------------------------------------------------------------------===//

namespace {

/// The same for a matrix and its transpose.
uint64_t hashOf(const Tensor &tensor) {
  uint64_t sum = tensor.floats.size();
  for (float value : tensor.floats) {
    uint64_t bits = std::bit_cast<uint32_t>(value) + 0x9e3779b97f4a7c15u;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
    sum += bits ^ (bits >> 31);
  }
  return sum;
}

bool areEqual(const Tensor &a, const Tensor &b) {
  return a.dims == b.dims && std::memcmp(a.floats.data(), b.floats.data(),
                                         a.floats.size() * sizeof(float)) == 0;
}

bool areTransposed(const Tensor &a, const Tensor &b) {
  if (a.dims.size() != 2 || b.dims.size() != 2 || a.dims[0] != b.dims[1] ||
      a.dims[1] != b.dims[0])
    return false;
  for (int64_t row = 0; row < a.dims[0]; ++row)
    for (int64_t column = 0; column < a.dims[1]; ++column)
      if (std::bit_cast<uint32_t>(a.floats[row * a.dims[1] + column]) !=
          std::bit_cast<uint32_t>(b.floats[column * b.dims[1] + row]))
        return false;
  return true;
}

bool hasUse(const NamedTensor &tensor, UseKind kind) {
  return llvm::any_of(tensor.uses,
                      [&](const TensorUse &use) { return use.kind == kind; });
}

class WeightTier {
public:
  WeightTier(const Model &model, const TensorRoles &roles, NamePatterns &tie,
             NamePatterns &untie, Location loc)
      : model(model), roles(roles), tie(tie), untie(untie), loc(loc) {}

  LogicalResult run(std::deque<NamedTensor> &tensors) {
    for (NamedTensor &tensor : tensors)
      if (tensor.identityOf.empty())
        rootOf[tensor.name] = tensor.name;
      else
        rootOf[tensor.name] = rootOf[tensor.identityOf];
    llvm::DenseMap<const Tensor *, uint64_t> hashes;
    std::map<std::pair<uint64_t, size_t>, std::vector<EqualClass>> buckets;
    // Import makes initializers first: only they may be tied to each other in
    // any order.
    std::vector<NamedTensor *> ordered;
    for (bool isInitializer : {true, false})
      for (NamedTensor &tensor : tensors)
        if ((tensor.identityOf.empty() && !tensor.isConstantNode) ==
            isInitializer)
          ordered.push_back(&tensor);
    for (NamedTensor *each : ordered) {
      NamedTensor &tensor = *each;
      isTied[&tensor] = tie.match(tensor.name);
      isUntied[&tensor] = untie.match(tensor.name);
      if (isTied[&tensor] && isUntied[&tensor])
        return emitError(loc) << quote(tensor.name)
                              << " matches --tie-weights=" << *isTied[&tensor]
                              << " and --untie-weights=" << *isUntied[&tensor]
                              << ", expected one of them";
      if (tensor.kind == TensorKind::Constant)
        continue;
      auto [hash, isNew] = hashes.try_emplace(tensor.values, 0);
      if (isNew)
        hash->second = hashOf(*tensor.values);
      auto &classes = buckets[{hash->second, tensor.values->floats.size()}];
      if (failed(tieToOne(tensor, classes)))
        return failure();
    }
    for (NamePatterns *patterns : {&tie, &untie})
      if (const std::string *unused = patterns->unused();
          unused && *unused != "*")
        return emitError(loc)
               << patterns->option() << "=" << *unused
               << ": no float32 tensor of the model has such a name";
    report();
    return success();
  }

private:
  /// Parameters of their own whose values are equal, as they are or transposed.
  struct EqualClass {
    const Tensor *values;
    struct Leader {
      NamedTensor *tensor;
      bool isTransposed;
    };
    std::vector<Leader> leaders;
  };
  /// Parameters that a further one is compared with: a stack of thousands of
  /// equal layers takes no time that grows with its square.
  static constexpr size_t kMaxLeaders = 256;

  /// Ties to the first parameter that it may be tied to, or becomes one.
  LogicalResult tieToOne(NamedTensor &tensor,
                         std::vector<EqualClass> &classes) {
    bool isTransposed = false;
    auto found = llvm::find_if(classes, [&](const EqualClass &each) {
      if (each.values == tensor.values ||
          areEqual(*each.values, *tensor.values))
        return true;
      isTransposed = isMatrix(tensor) && isMatrix(*each.leaders[0].tensor) &&
                     areTransposed(*each.values, *tensor.values);
      return isTransposed;
    });
    if (found == classes.end())
      found = classes.insert(classes.end(), EqualClass{tensor.values, {}});

    std::vector<std::pair<std::string, std::string>> *kept = nullptr;
    std::string keptFrom;
    for (auto [leader, isOther] :
         ArrayRef(found->leaders).take_front(kMaxLeaders)) {
      if (leader->kind != tensor.kind || tensor.kind == TensorKind::State) {
        if (isTied[leader] && isTied[&tensor])
          return emitError(loc)
                 << "--tie-weights: " << quote(tensor.name) << " is "
                 << nameOf(tensor) << " and " << quote(leader->name) << " is "
                 << nameOf(*leader) << ", which can not be tied";
        continue;
      }
      bool isAsked = isTied[leader] || isTied[&tensor];
      auto *verdict = isAsked ? nullptr : reasonAgainst(*leader, tensor);
      if (isUntied[leader] || isUntied[&tensor])
        verdict = &untiedByOption;
      // An option is the word of the user.
      if (verdict != &untiedByOption && !isAsked && tensor.doubt.empty() &&
          mayBeOther(*leader, tensor))
        tensor.doubt =
            "equals " + quote(leader->name) +
            (roles.hasList() ? ", of which it may be a frozen copy" : "");
      if (!verdict) {
        tensor.tiedTo = leader->name;
        tensor.isTransposed = isTransposed != isOther;
        tied.emplace_back(tensor.name, leader->name);
        return success();
      }
      if (!kept) {
        kept = verdict;
        keptFrom = leader->name;
      }
    }
    // Split tensors have been reported.
    if (kept && tensor.splitFrom.empty())
      kept->emplace_back(tensor.name, keptFrom);
    found->leaders.push_back({&tensor, isTransposed});
    return success();
  }

  /// Whether equal tensors are one is a guess: the file has copies and tensors
  /// that are one alike.
  bool mayBeOther(const NamedTensor &leader, const NamedTensor &tensor) const {
    bool isMerged = rootOf.at(leader.name) == rootOf.at(tensor.name);
    // Biases and scales of their own begin with patterns.
    if (!roles.hasList())
      return !isSplat(*tensor.values) &&
             (isMerged || (isMatrix(leader) && isMatrix(tensor)));
    if (leader.isListed == tensor.isListed ||
        areTableAndProduct(leader, tensor))
      return false;
    const NamedTensor &other = leader.isListed ? tensor : leader;
    return isMerged || (hasExportersName(other) && !isSplat(*tensor.values));
  }
  /// An embedding and the product at the end.
  static bool areTableAndProduct(const NamedTensor &a, const NamedTensor &b) {
    return isMatrix(a) && isMatrix(b) &&
           hasUse(a, UseKind::Table) != hasUse(b, UseKind::Table);
  }
  static bool isMatrix(const NamedTensor &tensor) {
    return hasUse(tensor, UseKind::Product) || hasUse(tensor, UseKind::Table);
  }
  static const char *nameOf(const NamedTensor &tensor) {
    return tensor.kind == TensorKind::State ? "a running statistic"
                                            : "a parameter";
  }

  /// Where a pair goes that is not tied by default; null for one that is.
  std::vector<std::pair<std::string, std::string>> *
  reasonAgainst(const NamedTensor &leader, const NamedTensor &tensor) {
    bool isMerged = rootOf[leader.name] == rootOf[tensor.name];
    if (roles.hasList() && !roles.areAssumed() &&
        leader.isListed != tensor.isListed &&
        !areTableAndProduct(leader, tensor))
      return &unmentioned;
    if (isSplat(*tensor.values))
      return isMerged ? &splats : &unmentioned;
    // A list of parameters has a shared one once.
    if (roles.hasList() && leader.isListed && tensor.isListed)
      return &unmentioned;
    if (isMerged)
      return areCopies(leader, tensor, /*inNames=*/false) ? &copies : nullptr;
    // Two initializers: the exporter did not find them to be one, or has one in
    // two layouts. An embedding and the product at the end are one.
    if (areTableAndProduct(leader, tensor))
      return nullptr;
    // Biases and scales begin with patterns.
    if (!isMatrix(leader) || !isMatrix(tensor))
      return &unmentioned;
    // A layer has weights of its own for its input and its state.
    auto hasName = [](const NamedTensor &each) {
      return each.splitFrom.empty() && !hasExportersName(each);
    };
    bool isOne = hasName(leader) && hasName(tensor) &&
                 !haveUserInCommon(leader, tensor) &&
                 !areCopies(leader, tensor, /*inNames=*/true);
    return isOne ? nullptr : &copies;
  }

  static bool haveUserInCommon(const NamedTensor &a, const NamedTensor &b) {
    return llvm::any_of(a.uses, [&](const TensorUse &use) {
      return llvm::any_of(b.uses, [&](const TensorUse &other) {
        return use.node == other.node;
      });
    });
  }

  /// The path of a weight and its name there, from the node that uses it where
  /// the exporter named it.
  std::optional<std::string> pathOf(const NamedTensor &tensor) const {
    if (!hasExportersName(tensor))
      return modulePath(tensor.name).str();
    return scopeOf(model, tensor);
  }
  bool areCopies(const NamedTensor &a, const NamedTensor &b,
                 bool inNames) const {
    auto x = pathOf(a), y = pathOf(b);
    return x && y && differInNumbersOnly(*x, *y, inNames);
  }

  void report() const {
    if (!tied.empty())
      emitRemark(loc) << tied.size()
                      << (tied.size() == 1 ? " weight is" : " weights are")
                      << " equal to another and tied: " << somePairs(tied)
                      << "; --untie-weights= makes parameters of their own";
    if (!splats.empty())
      emitRemark(loc)
          << splats.size()
          << (splats.size() == 1 ? " weight is" : " weights are")
          << " equal to another, all elements the same, and not tied: "
          << somePairs(splats) << "; --tie-weights= ties by name";
    if (!copies.empty())
      emitWarning(loc)
          << copies.size()
          << (copies.size() == 1 ? " weight is" : " weights are")
          << " equal to another, assumed to be a copy, and not tied: "
          << somePairs(copies) << "; --tie-weights= ties by name";
  }

  const Model &model;
  const TensorRoles &roles;
  NamePatterns &tie, &untie;
  Location loc;
  std::map<std::string, std::string> rootOf;
  llvm::DenseMap<const NamedTensor *, const std::string *> isTied, isUntied;
  std::vector<std::pair<std::string, std::string>> tied, splats, copies,
      unmentioned, untiedByOption;
};

} // namespace

LogicalResult
mlir::soap::onnx::tieEqualWeights(const Model &model,
                                  std::deque<NamedTensor> &tensors,
                                  const TensorRoles &roles, NamePatterns &tie,
                                  NamePatterns &untie, Location loc) {
  return WeightTier(model, roles, tie, untie, loc).run(tensors);
}
