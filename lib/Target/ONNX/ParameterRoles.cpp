//===- ParameterRoles.cpp - Which tensors of a model are trained ----------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// By use, where only parameters have it; else by name and values; and by what
// the user says in any case. What is neither certain nor said is reported.
//
//===----------------------------------------------------------------------===//

#include "ParameterPlan.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::soap::onnx;

std::string mlir::soap::onnx::someOf(ArrayRef<std::string> texts,
                                     bool isQuoted) {
  constexpr size_t kLimit = 12;
  std::string result;
  for (const std::string &text : texts.take_front(kLimit))
    result += (result.empty() ? "" : ", ") + (isQuoted ? text : quote(text));
  if (texts.size() > kLimit)
    result += " and " + std::to_string(texts.size() - kLimit) + " more";
  return result;
}

//===----------------------------------------------------------------------===//
// Roles by values
//===----------------------------------------------------------------------===//

/// Zeros, and numbers so low that a softmax makes them zero.
static bool isAdditiveMask(const Tensor &tensor) {
  bool hasZero = false, hasLow = false;
  for (float value : tensor.floats) {
    hasZero |= value == 0;
    hasLow |= value <= -1e4f;
    if (value != 0 && !(value <= -1e4f))
      return false;
  }
  return hasZero && hasLow;
}

/// Zeros and ones.
static bool isFactorMask(const Tensor &tensor) {
  bool hasZero = false, hasOne = false;
  for (float value : tensor.floats) {
    hasZero |= value == 0;
    hasOne |= value == 1;
    if (value != 0 && value != 1)
      return false;
  }
  return hasZero && hasOne;
}

/// Rows of sines and cosines of the same angles: the squares of each row sum up
/// to half its length.
static bool isSinusoidal(const Tensor &tensor) {
  if (tensor.dims.size() < 2)
    return false;
  int64_t width = tensor.dims.back(), rows = tensor.size() / width;
  if (width < 4 || width % 2 || rows < 2 || isSplat(tensor))
    return false;
  bool hasOther = false;
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < width; ++i) {
      double value = tensor.floats[row * width + i];
      if (!(std::fabs(value) <= 1.00001))
        return false;
      hasOther |= std::fabs(value) > 0.01 && std::fabs(value) < 0.99;
      sum += value * value;
    }
    if (std::fabs(sum - double(width) / 2) > 1e-4 * double(width))
      return false;
  }
  return hasOther;
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

static bool isStatistic(UseKind kind) {
  return kind == UseKind::Mean || kind == UseKind::Variance;
}

FailureOr<TensorRoles> TensorRoles::create(const Model &model,
                                           const ONNXImportOptions &options,
                                           Location loc) {
  TensorRoles roles(model, loc, options.assumeRoles);
  roles.hasAdapters =
      llvm::any_of(model.initializers, [](const Tensor &tensor) {
        return StringRef(tensor.name).contains_insensitive("lora_");
      });
  auto parameters = NamePatterns::parse("--parameters", options.parameters);
  auto constants = NamePatterns::parse("--constants", options.constants);
  for (auto *patterns : {&parameters, &constants})
    if (!*patterns)
      return emitError(loc) << patterns->error();
  roles.parameters = std::move(*parameters);
  roles.constants = std::move(*constants);
  if (options.parametersFrom.empty())
    return roles;
  roles.listPath = options.parametersFrom;
  auto names = readParameterList(options.parametersFrom);
  if (!names)
    return emitError(loc) << "--parameters-from: " << names.error();
  if (failed(roles.resolveList(*names)))
    return failure();
  return roles;
}

/// Finds the tensor of each name: the one that has it, or has a component of a
/// wrapper in front ("module.", or the name of the attribute that holds the
/// model), or lacks one.
LogicalResult TensorRoles::resolveList(ArrayRef<ListedParameter> names) {
  for (const ListedParameter &each : names)
    if (listed.emplace(each.name, false).second)
      listOrder.push_back(each.name);
  // Null: without values, and checked elsewhere.
  std::map<std::string, const std::vector<int64_t> *> file;
  for (const Tensor &tensor : model.initializers)
    file.emplace(tensor.name, &tensor.dims);
  for (const ValueInfo &info : model.inputs)
    file.emplace(info.name, nullptr);
  for (const Node &node : model.nodes) {
    if (node.outputs.size() != 1)
      continue;
    auto from = node.opType == "Identity" && node.inputs.size() == 1
                    ? file.find(node.inputs[0])
                    : file.end();
    if (from != file.end())
      file.emplace(node.outputs[0], from->second);
    else if (node.opType == "Constant" && node.attributes.size() == 1)
      file.emplace(node.outputs[0], &node.attributes[0].tensor.dims);
  }
  // Of the prefixes that names of the file have in front of names of the list,
  // the most frequent is the wrapper's. A wrapper puts it in front of all.
  std::map<std::string, size_t> prefixes;
  for (const auto &[name, dims] : file) {
    if (listed.count(name))
      continue;
    size_t end = name.find('.');
    for (int i = 0; i < 2 && end != std::string::npos; ++i) {
      if (listed.count(name.substr(end + 1)))
        ++prefixes[name.substr(0, end + 1)];
      end = name.find('.', end + 1);
    }
  }
  auto most = llvm::max_element(prefixes, [](const auto &a, const auto &b) {
    return a.second < b.second;
  });
  bool isWrapped =
      most != prefixes.end() &&
      (isAssumed || (llvm::none_of(listOrder,
                                   [&](const std::string &name) {
                                     return file.count(name) != 0;
                                   }) &&
                     llvm::count_if(prefixes, [&](const auto &prefix) {
                       return prefix.second == most->second;
                     }) == 1));
  std::vector<std::string> missing;
  for (const ListedParameter &each : names) {
    SmallVector<std::string> candidates = {each.name};
    if (isWrapped)
      candidates.push_back(most->first + each.name);
    for (StringRef prefix : {"module.", "_orig_mod.", "model."})
      if (StringRef inner = each.name; inner.consume_front(prefix))
        candidates.push_back(inner.str());
    llvm::erase_if(candidates, [&](const std::string &name) {
      return !file.count(name) || (name != each.name && listed.count(name));
    });
    if (candidates.empty()) {
      missing.push_back(each.name);
      continue;
    }
    if (candidates.size() > 1 && !isAssumed)
      return emitError(loc) << "--parameters-from: " << quote(each.name)
                            << " fits two tensors, " << quote(candidates[0])
                            << " and " << quote(candidates[1]);
    const auto *dims = file[candidates[0]];
    if (each.shape && dims && *each.shape != *dims)
      return emitError(loc)
             << "--parameters-from: " << quote(each.name) << " has shape "
             << shapeString(*each.shape) << " in the list, "
             << shapeString(*dims) << " in the model";
    owners[candidates[0]] = each.name;
    listed[each.name] = true;
    if (each.isFrozen)
      frozen.insert(candidates[0]);
  }
  if (isAssumed || missing.empty())
    return success();
  if (missing.size() == names.size())
    return emitError(loc) << "--parameters-from: " << listPath
                          << ": no tensor of the model has one of its names, "
                             "the first is "
                          << quote(missing.front());
  return emitError(loc)
         << "--parameters-from: " << missing.size()
         << " of its names are not in the model: " << someOf(missing)
         << "; an exporter folded or renamed them, or the model does not use "
            "them: export without folding (docs/ONNX.md), take out of the list "
            "what is not used, or import the module itself by soap.from_torch; "
            "--assume-roles looks for them by the modules of nodes";
}

/// Exporters fold a weight and give it a new name, or merge it with an equal
/// one, but the node that uses it still has the path of its module: a guess.
bool TensorRoles::findInList(const NamedTensor &tensor) {
  StringRef name = tensor.name;
  if (owners.count(tensor.name) || foundByModule.count(tensor.name))
    return true;
  // Uses that were split from others have names of the module's.
  if (auto found = listed.find(tensor.name); isAssumed && found != listed.end())
    return found->second = true;
  bool isExporters = hasExportersName(tensor);
  if (!isAssumed || (isExporters && tensor.values->floats.size() == 1))
    return false;

  auto scope = scopeOf(model, tensor);
  if (!scope || tensor.uses.empty())
    return false;
  UseKind use = tensor.uses.front().kind;
  bool isBias = use == UseKind::Bias || use == UseKind::NormBias;
  bool isStrong = isBias || use == UseKind::Product || use == UseKind::Table ||
                  use == UseKind::NormScale;
  if (!isStrong && tensor.splitFrom.empty())
    return false;
  auto fits = [&](const std::string &candidate, bool isInner) {
    StringRef path = modulePath(candidate), module = *scope;
    if (listed[candidate] ||
        lastComponent(candidate).contains("bias") != isBias ||
        (!isExporters && isStrong &&
         lastComponent(candidate) != lastComponent(name)))
      return false;
    if (isInner)
      return path.consume_front(module) && path.starts_with(".");
    return path == module || (!path.empty() && module.consume_back(path) &&
                              module.ends_with("."));
  };
  // Layer scales come late in a module.
  if (!isStrong)
    for (const std::string &candidate : llvm::reverse(listOrder))
      if (fits(candidate, /*isInner=*/false)) {
        foundByModule.insert(tensor.name);
        return listed[candidate] = true;
      }
  for (bool isInner : {false, true})
    for (const std::string &candidate : listOrder)
      if (isStrong && (!isInner || isExporters) && fits(candidate, isInner)) {
        foundByModule.insert(tensor.name);
        return listed[candidate] = true;
      }
  return false;
}

//===----------------------------------------------------------------------===//
// The decision
//===----------------------------------------------------------------------===//

/// Without any word of the user.
void TensorRoles::decideByUse(NamedTensor &tensor) const {
  const Tensor &values = *tensor.values;
  auto has = [&](auto... kinds) {
    return llvm::any_of(tensor.uses, [&](const TensorUse &use) {
      return ((use.kind == kinds) || ...);
    });
  };
  auto become = [&](TensorKind kind, const char *doubt = "") {
    tensor.kind = kind;
    tensor.doubt = doubt;
  };
  const auto parameter = TensorKind::Parameter, constant = TensorKind::Constant;
  using enum UseKind;

  NameKind named = nameKindOf(tensor);
  bool isExporters = hasExportersName(tensor);
  bool isBuffer =
      isBufferName(tensor.splitFrom.empty() ? tensor.name : tensor.splitFrom);
  bool splat = isSplat(values);

  if (!has(Product, Table, NormScale, NormBias, Bias, FirstState, Input, Factor,
           Term, Joined, Other))
    return become(constant);
  // Learned scalars have rank 0, too. PyTorch's exporters name what they fold,
  // others give constants any name.
  if (values.dims.empty()) {
    if (isExporters)
      return become(constant);
    if (named == NameKind::Module || model.producer == "pytorch")
      return become(isBuffer ? constant : parameter, "a scalar");
    return become(constant);
  }
  if (has(Product, Table)) {
    if (isBuffer)
      return become(constant, "named as a buffer");
    bool isComputed = llvm::any_of(tensor.uses, [](const TensorUse &use) {
      return use.kind == Product && use.hopNode != use.node;
    });
    // Relative positions go through a layer of their own before they meet data.
    if ((has(Table) || isComputed) && isSinusoidal(values))
      return become(constant, "a table of sines and cosines");
    if (isComputed && isFactorMask(values))
      return become(constant, "a mask in the computation of a weight");
    if (isExporters && values.floats.size() == 1)
      return become(constant, "one number that the exporter named");
    if (tensor.isConstantNode)
      return become(parameter,
                    "the value of a Constant node, used as a weight");
    if (named == NameKind::ExporterOp && isExporters)
      return become(parameter, "named after an op, used as a weight");
    return become(parameter);
  }
  if (has(NormScale, NormBias, Bias)) {
    if (isBuffer && !has(NormScale, NormBias))
      return become(constant, "named as a buffer");
    // Exporters write scales of one and biases of zero where a norm or a
    // product has none.
    float neutral = has(NormScale) ? 1.0f : 0.0f;
    if (isExporters && splat && values.floats[0] == neutral)
      return become(constant, "what a layer without scale or bias has");
    if (isExporters && values.floats.size() == 1 && has(Bias))
      return become(constant);
    if (!tensor.splitFrom.empty() && has(NormScale) && splat &&
        values.floats[0] == 1 &&
        llvm::all_of(tensor.uses, [&](const TensorUse &use) {
          const Node &node = model.nodes[use.node];
          return node.inputs.size() < 3 || node.inputs[2].empty();
        }))
      return become(constant, "the scale of a norm without bias");
    if (isExporters && (tensor.isConstantNode || named == NameKind::ExporterOp))
      return become(parameter, "a scale or bias that the exporter named");
    return become(parameter);
  }

  // Any tensor may be added, multiplied, concatenated.
  bool isParameter = isParameterName(tensor.name);
  if (has(FirstState) &&
      llvm::all_of(values.floats, [](float value) { return value == 0; }))
    return become(constant);
  if (isAdditiveMask(values))
    return become(constant, isExporters || isBuffer ? "" : "a mask");
  if (tensor.isConstantNode)
    return become(constant);
  if (isExporters)
    return become(constant,
                  splat || isFactorMask(values) ? "" : "named by the exporter");
  if (isBuffer)
    return become(constant, "named as a buffer");
  if (isFactorMask(values))
    return become(constant, "zeros and ones");
  if (isSinusoidal(values))
    return become(constant, "a table of sines and cosines");
  if (has(Factor) && countWideDims(values.dims) > 1 && !isParameter)
    return become(constant, "a table that multiplies");
  if (isParameter && named == NameKind::Module)
    return become(parameter);
  if (has(Input) && !has(Factor, Term, Joined, Other))
    return become(constant, "applied to the input");
  become(parameter, has(Factor)   ? "a factor"
                    : has(Joined) ? "is concatenated"
                    : has(Term)   ? "is added"
                                  : "used by no layer");
}

static constexpr const char *kShared = "is used by several nodes";

/// Why what was decided without a doubt is not certain; empty where it is: the
/// tensor has both the name and the use of a parameter, or of no parameter.
std::string TensorRoles::missingEvidence(const NamedTensor &tensor) const {
  using enum UseKind;
  auto isUsed = [&](auto &&fits) { return llvm::any_of(tensor.uses, fits); };
  bool isPyTorch = model.producer == "pytorch";
  bool isExporters = hasExportersName(tensor);
  NameKind named = nameKindOf(tensor);
  StringRef last = lastComponent(tensor.name);
  if (tensor.kind == TensorKind::Constant) {
    if (!isUsed([](const TensorUse &use) { return use.kind != Setting; })) {
      // Bounds may be learned.
      bool isBound = isUsed([&](const TensorUse &use) {
        return model.nodes[use.node].opType == "Clip";
      });
      return isBound && named == NameKind::Module
                 ? "a bound with the path of a module"
                 : "";
    }
    // Numbers of the source text; a result of folding has the name of its op.
    if (tensor.isConstantNode || isAdditiveMask(*tensor.values))
      return "";
    // The first state of a recurrence, as a rule.
    bool isState = llvm::all_of(tensor.uses, [](const TensorUse &use) {
      return use.kind == FirstState;
    });
    if (isState && isSplat(*tensor.values) && tensor.values->floats[0] == 0)
      return "";
    bool isFolded = named == NameKind::ExporterOp &&
                    !StringRef(tensor.name).contains("scalar_tensor");
    if (tensor.values->floats.size() == 1)
      return isFolded || StringRef(tensor.name).starts_with("onnx::")
                 ? "a number that the exporter computed"
                 : "";
    return isExporters ? "named by the exporter" : "";
  }
  // An exporter made it of one parameter or of several, or of none.
  if (isExporters)
    return "a weight that the exporter named";
  if (!tensor.splitFrom.empty())
    return "shares an initializer with another weight";
  if (isPyTorch && (named != NameKind::Module ||
                    (last != "weight" && last != "bias" &&
                     last != "in_proj_weight" && last != "in_proj_bias")))
    return "may be a buffer";
  if (isFrozenName(tensor.name))
    return "has the name of a module that is seldom trained";
  if (hasAdapters && !StringRef(tensor.name).contains_insensitive("lora_"))
    return "beside low-rank adapters, whose base is seldom trained";
  static const std::set<StringRef> moves = {
      "Transpose", "Reshape",  "Unsqueeze", "Squeeze", "Identity",
      "Cast",      "CastLike", "Split",     "Slice",   "Flatten"};
  for (const TensorUse &use : tensor.uses) {
    if (use.isInBody)
      return "is read in a branch or body";
    if (use.hopNode != use.node &&
        !moves.count(model.nodes[use.hopNode].opType))
      return "is computed with before it meets data";
    const TensorUse &first = tensor.uses.front();
    const Node &node = model.nodes[use.node];
    bool isOneLayer =
        use.node == first.node ||
        (use.hopNode == first.hopNode && use.hopNode != use.node) ||
        (node.scope && node.scope == model.nodes[first.node].scope);
    if (!isOneLayer)
      return kShared;
  }
  return "";
}

void TensorRoles::doubtSharing(NamedTensor &tensor) const {
  const TensorUse &first = tensor.uses.front();
  const auto &scope = model.nodes[first.node].scope;
  for (const TensorUse &use : tensor.uses) {
    const auto &other = model.nodes[use.node].scope;
    if (!scope || !other || *scope == *other || isStatistic(use.kind))
      continue;
    bool isCopy = isSplat(*tensor.values) ||
                  (use.kind == first.kind &&
                   lastComponent(*scope) == lastComponent(*other));
    if (!isCopy)
      continue;
    tensor.doubt = "is used in the modules " + quote(*scope) + " and " +
                   quote(*other) + ", of which one may be a frozen copy";
    return;
  }
}

LogicalResult TensorRoles::decide(NamedTensor &tensor) {
  tensor.doubt.clear();
  const std::string *asParameter = parameters.match(tensor.name);
  const std::string *asConstant = constants.match(tensor.name);
  if (asParameter && asConstant)
    return emitError(loc) << quote(tensor.name)
                          << " matches --parameters=" << *asParameter
                          << " and --constants=" << *asConstant
                          << ", expected one of them";
  auto statistic = llvm::find_if(
      tensor.uses, [](const TensorUse &use) { return isStatistic(use.kind); });
  if (statistic != tensor.uses.end()) {
    // Patterns mean parameters and constants among other tensors, too; a name
    // means this one.
    const char *said = asParameter && *asParameter == tensor.name
                           ? "a parameter by --parameters"
                       : asConstant && *asConstant == tensor.name
                           ? "a constant by --constants"
                       : listed.count(tensor.name) && !frozen.count(tensor.name)
                           ? "a parameter by --parameters-from"
                           : nullptr;
    const Node &node = model.nodes[statistic->node];
    if (said)
      return emitError(loc)
             << quote(tensor.name) << " is " << said
             << ", and a running statistic of node "
             << quote(node.name.empty() ? node.outputs[0] : node.name)
             << ", expected one of both";
    tensor.kind = TensorKind::State;
    return success();
  }
  if (asParameter || asConstant) {
    tensor.kind = asParameter ? TensorKind::Parameter : TensorKind::Constant;
    return success();
  }
  if (frozen.count(tensor.name)) {
    tensor.kind = TensorKind::Constant;
    return success();
  }
  decideByUse(tensor);
  if (!hasList() && tensor.doubt.empty())
    tensor.doubt = missingEvidence(tensor);
  if (!hasList() || tensor.uses.empty())
    return success();
  if (findInList(tensor)) {
    tensor.kind = TensorKind::Parameter;
    tensor.isListed = true;
    tensor.doubt.clear();
    return success();
  }
  bool isExporters = hasExportersName(tensor) || !tensor.splitFrom.empty();
  tensor.doubt.clear();
  if (tensor.kind == TensorKind::Constant)
    return success();
  // A weight under a name of the exporter's, in a file that does not tell its
  // module.
  if (isAssumed && isExporters && !scopeOf(model, tensor))
    return success();
  // The list names a shared parameter once.
  tensor.onlyIfTied = true;
  return success();
}

LogicalResult TensorRoles::decideInput(const std::string &name) {
  (void)parameters.match(name);
  if (const std::string *pattern = constants.match(name))
    return emitError(loc) << "graph input " << quote(name)
                          << " matches --constants=" << *pattern
                          << ", but has no values";
  if (auto found = listed.find(name); found != listed.end())
    found->second = true;
  return success();
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

LogicalResult TensorRoles::report(const std::deque<NamedTensor> &tensors) {
  for (NamePatterns *patterns : {&parameters, &constants})
    if (const std::string *unused = patterns->unused())
      return emitError(loc)
             << patterns->option() << "=" << *unused
             << ": no float32 tensor of the model has such a name";

  std::vector<std::string> assumed[2];
  for (const NamedTensor &tensor : tensors)
    if (!tensor.doubt.empty())
      assumed[tensor.kind == TensorKind::Constant].push_back(
          quote(tensor.name) + " (" + shapeString(tensor.values->dims) + ", " +
          tensor.doubt + ")");
  size_t count = assumed[0].size() + assumed[1].size();
  if (count > 0) {
    InFlightDiagnostic warning = emitWarning(loc);
    warning << "the file does not say whether " << count
            << (count == 1 ? " tensor is a parameter"
                           : " tensors are parameters");
    if (!assumed[0].empty())
      warning << "; assumed to be parameters: "
              << someOf(assumed[0], /*isQuoted=*/true);
    if (!assumed[1].empty())
      warning << "; assumed to be constants: "
              << someOf(assumed[1], /*isQuoted=*/true);
    warning << "; --parameters= and --constants= decide by name, "
               "--parameters-from=FILE takes the names of all parameters";
    if (!isAssumed)
      warning << "; no training step is built before";
  }
  if (!hasList())
    return success();

  std::vector<std::string> missing, renamed, unlisted;
  for (const std::string &name : listOrder)
    if (!listed[name])
      missing.push_back(name);
  if (missing.size() == listed.size())
    return emitError(loc) << "--parameters-from: " << listPath
                          << ": no tensor of the model has one of its names, "
                             "the first is "
                          << quote(missing.front());
  for (const NamedTensor &tensor : tensors) {
    if (tensor.kind == TensorKind::Parameter && !tensor.isListed &&
        tensor.tiedTo.empty() && !tensor.onlyIfTied)
      renamed.push_back(tensor.name);
    else if (tensor.kind == TensorKind::Constant && tensor.onlyIfTied &&
             tensor.doubt.empty())
      unlisted.push_back(tensor.name);
  }
  if (!unlisted.empty())
    emitRemark(loc) << unlisted.size()
                    << " weights are not in the list of --parameters-from, and "
                       "constants: "
                    << someOf(unlisted);
  if (missing.empty() && renamed.empty())
    return success();
  InFlightDiagnostic diagnostic =
      missing.size() == renamed.size() ? emitRemark(loc) : emitWarning(loc);
  diagnostic << "--parameters-from: " << missing.size()
             << " of its names are not in the model";
  if (!missing.empty())
    diagnostic << ": " << someOf(missing);
  if (!renamed.empty())
    diagnostic << "; " << renamed.size()
               << " weights with names of the exporter's are parameters all "
                  "the same: "
               << someOf(renamed);
  return success();
}

/// The older exporter puts a number behind the path of a module that is called
/// again ("/norm_1/..."): the module is that whose tensors the file has.
static void nameScopes(Model &model) {
  std::set<std::string> paths;
  for (const Tensor &tensor : model.initializers)
    for (StringRef path = modulePath(tensor.name); !path.empty();
         path = modulePath(path))
      paths.insert(path.str());
  for (Node &node : model.nodes) {
    if (!node.scope || node.name.empty() || node.name[0] != '/')
      continue;
    std::string scope;
    for (StringRef part : llvm::split(StringRef(*node.scope), '.')) {
      std::string prefix = scope.empty() ? "" : scope + ".";
      StringRef stem = part.rtrim("0123456789");
      bool isRepeated = stem.size() < part.size() && stem.consume_back("_") &&
                        !paths.count(prefix + part.str()) &&
                        paths.count(prefix + stem.str());
      scope = prefix + (isRepeated ? stem : part).str();
    }
    node.scope = scope;
  }
}

/// A norm that is called again reads its statistics through an Identity of the
/// newer exporter's: they are its own.
static void shareStatistics(Model &model) {
  std::map<std::string, std::string> identities;
  std::map<std::string, std::string> owners;
  for (Node &node : model.nodes) {
    if (node.opType == "Identity" && node.inputs.size() == 1 &&
        node.outputs.size() == 1 &&
        classifyName(node.outputs[0]) == NameKind::ExporterOp)
      identities[node.outputs[0]] = node.inputs[0];
    if (node.opType != "BatchNormalization" || !node.scope)
      continue;
    for (size_t i = 3; i < std::min<size_t>(node.inputs.size(), 5); ++i) {
      std::string root = node.inputs[i];
      for (auto found = identities.find(root); found != identities.end();
           found = identities.find(root))
        root = found->second;
      auto owner = owners.emplace(root, *node.scope).first;
      if (isBufferName(root) && owner->second == *node.scope)
        node.inputs[i] = root;
    }
  }
}

LogicalResult mlir::soap::onnx::planParameters(
    Model &model, const std::set<std::string> &data,
    const ONNXImportOptions &options, Location loc, ParameterPlan &plan) {
  // A list of numbers is a tensor as any other.
  for (Node &node : model.nodes) {
    if (node.opType != "Constant" || node.attributes.size() != 1 ||
        node.attributes[0].name != "value_floats" ||
        node.attributes[0].kind != NodeAttribute::Kind::Floats)
      continue;
    NodeAttribute &attribute = node.attributes[0];
    attribute.name = "value";
    attribute.kind = NodeAttribute::Kind::Tensor;
    attribute.tensor.dataType = kFloat;
    attribute.tensor.dims = {int64_t(attribute.floats.size())};
    attribute.tensor.floats = std::move(attribute.floats);
  }
  nameScopes(model);
  shareStatistics(model);
  plan.tensors = findTensors(model, data);
  auto roles = TensorRoles::create(model, options, loc);
  if (failed(roles))
    return failure();
  auto tie = NamePatterns::parse("--tie-weights", options.tieWeights);
  auto untie = NamePatterns::parse("--untie-weights", options.untieWeights);
  for (auto *patterns : {&tie, &untie})
    if (!*patterns)
      return emitError(loc) << patterns->error();

  std::set<std::string> initialized;
  for (const Tensor &tensor : model.initializers)
    initialized.insert(tensor.name);
  for (const ValueInfo &info : model.inputs)
    if (!data.count(info.name) && !initialized.count(info.name) &&
        failed(roles->decideInput(info.name)))
      return failure();
  if (failed(splitMergedTensors(model, plan.tensors, *roles, *tie, *untie,
                                plan.places, loc)))
    return failure();
  for (NamedTensor &tensor : plan.tensors)
    if (failed(roles->decide(tensor)))
      return failure();
  if (failed(tieEqualWeights(model, plan.tensors, *roles, *tie, *untie, loc)))
    return failure();
  for (NamedTensor &tensor : plan.tensors)
    plan.byName[tensor.name] = &tensor;
  // A weight that a listed one is tied to is listed, too; a weight that is
  // neither is a constant.
  for (NamedTensor &tensor : plan.tensors)
    if (!tensor.tiedTo.empty() && !tensor.onlyIfTied)
      plan.byName[tensor.tiedTo]->onlyIfTied = false;
  for (NamedTensor &tensor : plan.tensors) {
    if (!tensor.onlyIfTied || !tensor.tiedTo.empty())
      continue;
    tensor.kind = TensorKind::Constant;
    // A buffer has a name of its own.
    if (!roles->areAssumed() && tensor.doubt.empty() &&
        hasExportersName(tensor) && tensor.values->floats.size() > 1)
      tensor.doubt = "is used as a weight, and the list has no name for it";
  }
  if (roles->hasList() && !roles->areAssumed())
    for (NamedTensor &tensor : plan.tensors)
      if (tensor.isListed && tensor.tiedTo.empty() && !tensor.uses.empty() &&
          !tie->match(tensor.name))
        roles->doubtSharing(tensor);
  for (NamedTensor &tensor : plan.tensors)
    if (tensor.doubt == kShared && tie->match(tensor.name))
      tensor.doubt.clear();
  for (NamedTensor &tensor : plan.tensors) {
    if (tensor.tiedTo.empty() ||
        plan.byName[tensor.tiedTo]->kind != TensorKind::Constant)
      continue;
    tensor.kind = TensorKind::Constant;
    tensor.tiedTo.clear();
  }
  return roles->report(plan.tensors);
}
