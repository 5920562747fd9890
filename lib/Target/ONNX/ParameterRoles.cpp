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
  TensorRoles roles(model, loc);
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
  auto names = readNameList(options.parametersFrom);
  if (!names)
    return emitError(loc) << "--parameters-from: " << names.error();
  for (const std::string &name : *names)
    if (roles.listed.emplace(name, false).second)
      roles.listOrder.push_back(name);
  // Names that the file has stand for themselves. Of the prefixes that names of
  // the file have in front of names of the list, the most frequent is that of
  // the wrapper that was exported.
  std::map<std::string, size_t> prefixes;
  auto take = [&](const std::string &name) {
    if (auto found = roles.listed.find(name); found != roles.listed.end()) {
      found->second = true;
      return;
    }
    size_t end = name.find('.');
    for (int i = 0; i < 2 && end != std::string::npos; ++i) {
      if (roles.listed.count(name.substr(end + 1)))
        ++prefixes[name.substr(0, end + 1)];
      end = name.find('.', end + 1);
    }
  };
  for (const Tensor &tensor : model.initializers)
    take(tensor.name);
  for (const Node &node : model.nodes)
    if (node.opType == "Identity" || node.opType == "Constant")
      llvm::for_each(node.outputs, take);
  auto most = llvm::max_element(prefixes, [](const auto &a, const auto &b) {
    return a.second < b.second;
  });
  if (most != prefixes.end())
    roles.wrapper = most->first;
  return roles;
}

/// Wrappers put a component in front of names ("module.", or the name of the
/// attribute that holds the model); exporters fold a weight and give it a new
/// name, or merge it with an equal one, but the node that uses it still has the
/// path of its module.
bool TensorRoles::findInList(const NamedTensor &tensor) {
  auto take = [&](StringRef name) {
    auto found = listed.find(name.str());
    if (found != listed.end())
      found->second = true;
    return found != listed.end();
  };
  StringRef name = tensor.name;
  if (take(name) || foundByModule.count(tensor.name))
    return true;
  bool isExporters = hasExportersName(tensor);
  StringRef inner = name;
  if (!isExporters && !wrapper.empty() && inner.consume_front(wrapper) &&
      take(inner))
    return true;
  for (StringRef prefix : {"module.", "_orig_mod.", "model."})
    if (!isExporters && take((prefix + name).str()))
      return true;

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
    const char *said =
        asParameter && *asParameter == tensor.name
            ? "a parameter by --parameters"
        : asConstant && *asConstant == tensor.name ? "a constant by --constants"
        : listed.count(tensor.name) ? "a parameter by --parameters-from"
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
  decideByUse(tensor);
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
  if (isExporters && !scopeOf(model, tensor))
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
    else if (tensor.kind == TensorKind::Constant && tensor.onlyIfTied)
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
  for (NamedTensor &tensor : plan.tensors)
    if (tensor.onlyIfTied && tensor.tiedTo.empty())
      tensor.kind = TensorKind::Constant;
  for (NamedTensor &tensor : plan.tensors) {
    if (tensor.tiedTo.empty() ||
        plan.byName[tensor.tiedTo]->kind != TensorKind::Constant)
      continue;
    tensor.kind = TensorKind::Constant;
    tensor.tiedTo.clear();
  }
  return roles->report(plan.tensors);
}
