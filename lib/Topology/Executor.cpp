//===- Executor.cpp - Frameworks that run plans ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of executors: facts of their documentation and sources, and
// constants that `bench/published` fits (docs/Executors.md).
//
//===----------------------------------------------------------------------===//

#include "Soap/Topology/Executor.h"

#include "Support/Json.h"

#include <cassert>
#include <cmath>

using namespace soap;

static constexpr int64_t mib = int64_t(1) << 20;

/// FSDP of PyTorch in eager mode, as Composer and llm-foundry run it.
static Executor torchFsdp() {
  Executor executor;
  executor.name = "torch-fsdp";
  executor.configs = false;
  executor.overlap = false;
  executor.views = true;
  executor.stages = executor.chunks = false;
  executor.tensor = executor.context = executor.experts = false;
  executor.selective = false;
  executor.uneven = executor.offload = executor.anyCut = false;
  executor.zero = {0, 2, 3};
  executor.fuses = false;
  executor.gradientSums = "bf16";
  executor.reservedBytes = 1536 * mib;
  executor.products = 0.75;
  executor.attention = 1.03;
  executor.others = 0.756;
  executor.attentionFlops = 1.64e14;
  executor.dispatchNs = 5500;
  executor.least = 0.94;
  executor.most = 1.17;
  return executor;
}

/// FSDP2 with `torch.compile` of each block.
static Executor torchtitan() {
  Executor executor;
  executor.name = "torchtitan";
  executor.configs = false;
  executor.overlap = false;
  executor.views = true;
  executor.noSequence = false;
  executor.contiguous = false;
  executor.uneven = executor.offload = executor.anyCut = false;
  executor.zero = {0, 1, 3};
  executor.reservedBytes = 1536 * mib;
  executor.products = 0.843;
  executor.attention = 0.612;
  executor.others = 0.607;
  executor.attentionFlops = 2.14e14;
  executor.dispatchNs = 5000;
  executor.least = 0.83;
  executor.most = 1.05;
  return executor;
}

/// Megatron-Core with the distributed optimizer, as Megatron-Bridge runs it.
static Executor megatronCore() {
  Executor executor;
  executor.name = "megatron-core";
  executor.configs = false;
  executor.views = true;
  executor.contiguous = false;
  executor.uneven = executor.offload = executor.anyCut = false;
  executor.zero = {0, 1, 3};
  executor.accumulates = executor.quantizesAtOnce = executor.regathers = true;
  executor.reservedBytes = 2048 * mib;
  executor.products = 0.96;
  executor.others = 0.8;
  executor.least = 0.93;
  executor.most = 1.12;
  return executor;
}

/// `jax.jit` over a mesh, as `soap.jax` and MaxText run it: XLA.
static Executor jax() {
  Executor executor;
  executor.name = "jax";
  executor.configs = false;
  executor.overlap = false;
  executor.views = true;
  executor.stages = executor.chunks = executor.experts = false;
  executor.zigzag = false;
  executor.uneven = executor.offload = executor.anyCut = false;
  executor.zero = {0, 1, 3};
  executor.reservedBytes = 1024 * mib;
  return executor;
}

static std::vector<Executor> builtinExecutors() {
  return {Executor(), torchFsdp(), torchtitan(), megatronCore(), jax()};
}

static std::string listNames() {
  std::string text;
  for (const std::string &name : executorNames())
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::vector<std::string> soap::executorNames() {
  std::vector<std::string> names;
  for (const Executor &executor : builtinExecutors())
    names.push_back(executor.name);
  return names;
}

static const Executor *findExecutor(const std::string &name) {
  static const std::vector<Executor> executors = builtinExecutors();
  for (const Executor &executor : executors)
    if (executor.name == name)
      return &executor;
  return nullptr;
}

int64_t Executor::usableBytes(int64_t memoryBytes) const {
  assert(memoryBytes >= 0 && "a negative memory");
  double left = static_cast<double>(memoryBytes - reservedBytes);
  return std::max<int64_t>(
      static_cast<int64_t>(std::floor(left / (1 + fragmentation))), 0);
}

int64_t Executor::heldBytes(int64_t tensorBytes) const {
  return reservedBytes +
         static_cast<int64_t>(
             std::ceil(static_cast<double>(tensorBytes) * (1 + fragmentation)));
}

namespace {

/// The constants by their keys in files.
struct Constant {
  const char *key;
  double Executor::*value;
  double low, high;
};
constexpr Constant constants[] = {
    {"products", &Executor::products, 0.05, 10},
    {"attention", &Executor::attention, 0.05, 10},
    {"others", &Executor::others, 0.05, 10},
    {"collectives", &Executor::collectives, 0.05, 10},
    {"attention_flops_per_s", &Executor::attentionFlops, 0, 1e18},
    {"fragmentation", &Executor::fragmentation, 0, 1}};
constexpr double nsPerSecond = 1e9;

} // namespace

static Executor readExecutor(const jsonfile::Cursor &root) {
  root.expectObject({"version", "name", "base", "products", "attention",
                     "others", "collectives", "attention_flops_per_s",
                     "fragmentation", "dispatch_s", "reserved_bytes", "fuses",
                     "accumulates", "quantizes_at_once", "regathers", "kernels",
                     "range"});
  root.expectVersion();
  const Executor *base = findExecutor(root["base"].string());
  if (!base)
    root["base"].failExpected("one of " + listNames());
  Executor executor = *base;
  executor.name = root["name"].string();
  if (findExecutor(executor.name))
    root["name"].failExpected("another name than built-in executors have");
  for (const Constant &constant : constants)
    if (root.has(constant.key))
      executor.*constant.value =
          root[constant.key].number(constant.low, constant.high);
  if (root.has("kernels")) {
    double speed = root["kernels"].number(0.05, 20);
    for (double Executor::*value :
         {&Executor::products, &Executor::attention, &Executor::others,
          &Executor::attentionFlops})
      executor.*value *= speed;
  }
  if (root.has("dispatch_s"))
    executor.dispatchNs =
        std::llround(root["dispatch_s"].number(0, 1) * nsPerSecond);
  if (root.has("reserved_bytes"))
    executor.reservedBytes =
        root["reserved_bytes"].integer(0, int64_t(1) << 50);
  if (root.has("fuses"))
    executor.fuses = root["fuses"].boolean();
  if (root.has("accumulates"))
    executor.accumulates = root["accumulates"].boolean();
  if (root.has("quantizes_at_once"))
    executor.quantizesAtOnce = root["quantizes_at_once"].boolean();
  if (root.has("regathers"))
    executor.regathers = root["regathers"].boolean();
  // Published runs say nothing of constants of one's own.
  executor.least = executor.most = 0;
  if (root.has("range")) {
    std::vector<jsonfile::Cursor> range = root["range"].elements();
    if (range.size() != 2)
      root["range"].failExpected("the least and the most of measured over "
                                 "simulated times");
    executor.least = range[0].number(0.01, 100);
    executor.most = range[1].number(executor.least, 100);
  }
  executor.base = base->name;
  return executor;
}

Expected<Executor> soap::parseExecutor(const std::string &text,
                                       const std::string &file) {
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos || text[first] != '{') {
    if (const Executor *found = findExecutor(text))
      return *found;
    return Error{"'" + text + "': unknown executor, expected one of " +
                 listNames() + ", or a file"};
  }
  Expected<nlohmann::json> document = jsonfile::parse(text, file);
  if (!document)
    return document.takeError();
  return jsonfile::read(*document, file, [&](const jsonfile::Cursor &root) {
    return readExecutor(root);
  });
}

Expected<Executor> soap::loadExecutor(const std::string &nameOrFile) {
  if (const Executor *found = findExecutor(nameOrFile))
    return *found;
  Expected<std::optional<std::string>> text = jsonfile::readFile(nameOrFile);
  if (!text)
    return text.takeError();
  if (*text)
    return parseExecutor(**text, nameOrFile);
  return Error{"'" + nameOrFile + "': unknown executor, expected one of " +
               listNames() + ", or a file"};
}

std::string soap::printExecutor(const Executor &executor) {
  if (executor.base.empty())
    return executor.name;
  nlohmann::ordered_json root;
  root["version"] = 1;
  root["name"] = executor.name;
  root["base"] = executor.base;
  for (const Constant &constant : constants)
    root[constant.key] = executor.*constant.value;
  root["dispatch_s"] = static_cast<double>(executor.dispatchNs) / nsPerSecond;
  root["reserved_bytes"] = executor.reservedBytes;
  root["fuses"] = executor.fuses;
  root["accumulates"] = executor.accumulates;
  root["quantizes_at_once"] = executor.quantizesAtOnce;
  root["regathers"] = executor.regathers;
  if (executor.most > 0)
    root["range"] = {executor.least, executor.most};
  return root.dump();
}
