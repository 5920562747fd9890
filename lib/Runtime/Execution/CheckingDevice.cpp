//===- CheckingDevice.cpp - Compares calls with the host ------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CheckingDevice.h. Launches, pooling, norms and sums; CheckProducts.cpp
// has the products.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Execution/CheckingDevice.h"

#include "Runtime/Execution/CallNames.h"
#include "Runtime/Transport/Collective.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

using namespace soap;
using namespace soap::runtime;

namespace {

/// Half of the distance of two numbers around 1.
double unitOf(ElementType type) {
  switch (type) {
  case ElementType::F32:
    return 0x1p-24;
  case ElementType::F64:
    return 0x1p-53;
  case ElementType::F16:
    return 0x1p-11;
  case ElementType::BF16:
    return 0x1p-8;
  default:
    return 0;
  }
}

} // namespace

MaybeError CheckingDevice::finish() {
  context.progress.fetch_add(1, std::memory_order_relaxed);
  return real.finish([this] { return context.failed(); });
}

MaybeError CheckingDevice::drain() {
  return real.finish([] { return false; });
}

MaybeError
CheckingDevice::check(const CallName &name, int64_t stream,
                      const std::function<MaybeError()> &run,
                      const std::function<MaybeError(Call &)> &compare) {
  if (MaybeError error = finish())
    return error;
  // Streams that a failure has stopped may still write.
  if (context.failed())
    return std::nullopt;
  if (!checks.begin(name, context.place())) {
    if (MaybeError error = run())
      return error;
    return finish();
  }
  Call call{{}, stream, [&]() -> MaybeError {
              if (MaybeError error = run())
                return error;
              return drain();
            }};
  call.found.name = name;
  call.found.place = context.place();
  std::lock_guard<std::mutex> lock(checks.turn());
  if (MaybeError error = compare(call))
    return error;
  if (call.found.why.empty() && !call.found.differs && call.hasFloats &&
      !call.hasNumbers)
    call.found.why = "no result of the host is a number";
  checks.end(call.found);
  return std::nullopt;
}

Expected<std::unique_ptr<HostCopies>>
CheckingDevice::copyOperands(Call &call, const Operands &operands,
                             int64_t times) {
  auto copies = std::make_unique<HostCopies>();
  for (const Operand &operand : operands)
    copies->add(operand.data, operand.bytes());
  int64_t bytes = copies->bytes() * times;
  if (bytes > checks.limits().bytes) {
    call.found.why = "copies of its operands have " + std::to_string(bytes) +
                     " bytes, more than " +
                     std::to_string(checks.limits().bytes);
    return std::unique_ptr<HostCopies>();
  }
  if (MaybeError error = copies->read(real, call.stream))
    return *error;
  if (MaybeError error = drain())
    return *error;
  return copies;
}

Expected<AlignedBytes> CheckingDevice::fetch(const void *data, int64_t bytes,
                                             int64_t stream) {
  AlignedBytes result(bytes);
  if (MaybeError error = real.copy(result.data(), data, bytes, stream))
    return *error;
  if (MaybeError error = drain())
    return *error;
  return result;
}

Expected<std::unique_ptr<HostCopies>>
CheckingDevice::runProduct(Call &call, const Operands &operands,
                           const std::vector<Result> &results) {
  auto copies = copyOperands(call, operands, 2);
  if (!copies)
    return copies;
  for (const Result &result : results)
    if (*copies)
      if (MaybeError error = poison(**copies, result, call.stream))
        return *error;
  if (MaybeError error = call.run())
    return *error;
  return copies;
}

MaybeError CheckingDevice::poison(const HostCopies &operands,
                                  const Result &result, int64_t stream) {
  auto [data, bytes] = result;
  if (!data || operands.meets(data, bytes))
    return std::nullopt;
  // All bits are ones: a NaN of every type.
  constexpr int64_t most = int64_t(64) << 20;
  std::vector<char> ones(size_t(std::min(bytes, most)), char(-1));
  for (int64_t done = 0; done < bytes; done += most)
    if (MaybeError error =
            real.copy(static_cast<char *>(data) + done, ones.data(),
                      std::min(bytes - done, most), stream))
      return error;
  return drain();
}

void CheckingDevice::noteResult(Call &call, const TensorPair &part,
                                const AlignedBytes &whole) {
  note(call, part);
  if (call.found.differs ||
      findNonFinite(part.type, part.host, part.count) >= 0)
    return;
  int64_t place =
      findNonFinite(part.type, whole.data(), whole.size() / sizeOf(part.type));
  if (place < 0)
    return;
  call.found.differs = true;
  call.found.tensor = part.name;
  call.found.element = place;
  call.found.error = std::numeric_limits<double>::infinity();
}

void CheckingDevice::note(Call &call, const TensorPair &pair) {
  if (isFloat(pair.type)) {
    call.hasFloats = true;
    call.hasNumbers |= hasNumber(pair.type, pair.host, pair.count);
  }
  TensorError error = errorOf(pair);
  CheckedCall &found = call.found;
  bool isFirst = found.tensor.empty();
  if (!isFirst && (found.differs || !error.isBeyond()) &&
      error.error * found.tolerance <= found.error * error.tolerance)
    return;
  found.differs |= error.isBeyond();
  found.tensor = pair.name;
  found.element = error.element;
  found.error = error.error;
  found.tolerance = error.tolerance;
}

/// Host references of kernels are the same loops in the same order as on the
/// device, except where a warp folds: results differ by what contracted
/// multiply-adds, other approximations of functions and other orders of few
/// terms round. As much as `factor` roundings of all operands change is
/// tolerated, and a few roundings of the result.
MaybeError CheckingDevice::compareMeasured(Call &call, const Operands &operands,
                                           const HostCall &onHost) {
  constexpr double factor = 64, roundings = 16;
  auto copies = copyOperands(call, operands, 3);
  if (!copies)
    return copies.takeError();
  if (!*copies)
    return call.run();
  if (MaybeError error = call.run())
    return error;
  HostCopies changed = (*copies)->clone();
  std::set<const void *> seen;
  // Arithmetic is in the widest type, but of 16 bits in f32.
  double unit = unitOf(ElementType::F64);
  for (const Operand &operand : operands) {
    if (!isFloat(operand.type) || !seen.insert(operand.data).second)
      continue;
    perturb(operand.type, changed.of(const_cast<void *>(operand.data)),
            operand.count);
    if (operand.type != ElementType::F64)
      unit = unitOf(ElementType::F32);
  }
  onHost(**copies);
  onHost(changed);
  context.progress.fetch_add(1, std::memory_order_relaxed);
  seen.clear();
  for (const Operand &operand : operands) {
    if (!seen.insert(operand.data).second)
      continue;
    auto device = fetch(operand.data, operand.bytes(), call.stream);
    if (!device)
      return device.takeError();
    TensorPair pair;
    pair.name = operand.name;
    pair.type = operand.type;
    pair.count = operand.count;
    pair.device = device->data();
    pair.host = (*copies)->of(operand.data);
    if (isFloat(operand.type)) {
      bool isNarrow =
          operand.type == ElementType::F16 || operand.type == ElementType::BF16;
      // Of 16 bits a number may be rounded the other way.
      pair.relative = isNarrow ? 3 * unitOf(operand.type) : roundings * unit;
      pair.absolute = factor * unit / perturbation *
                      maxDifference(operand.type, pair.host,
                                    changed.of(operand.data), operand.count);
    }
    note(call, pair);
  }
  return std::nullopt;
}

/// "f32, bf16"
static std::string typesOf(const std::vector<KernelBuffer> &buffers) {
  std::string text;
  std::set<std::string> seen;
  for (const KernelBuffer &buffer : buffers) {
    std::string type = buffer.dtype ? nameOf(*buffer.dtype) : "bytes";
    if (seen.insert(type).second)
      text += (text.empty() ? "" : ", ") + type;
  }
  return text;
}

MaybeError CheckingDevice::launch(const SoapKernel &kernel,
                                  void *const *buffers, int64_t stream) {
  const std::vector<KernelBuffer> *known = nullptr;
  if (gpu)
    if (auto found = gpu->kernels.find(kernel.name);
        found != gpu->kernels.end())
      known = &found->second;
  CallName name{"launch", kernel.name, known ? typesOf(*known) : ""};
  auto run = [&] { return real.launch(kernel, buffers, stream); };
  return check(name, stream, run, [&](Call &call) -> MaybeError {
    if (!kernel.hostReference)
      call.found.why = "the module has no host references";
    else if (!known || int64_t(known->size()) != kernel.buffers)
      call.found.why = "the manifest has no list of the kernel's buffers";
    if (!call.found.why.empty())
      return call.run();
    Operands operands;
    std::vector<std::string> names;
    for (int64_t i = 0; i < kernel.buffers; ++i)
      names.push_back("buffer " + std::to_string(i));
    for (int64_t i = 0; i < kernel.buffers; ++i) {
      const KernelBuffer &buffer = (*known)[size_t(i)];
      operands.push_back(
          {names[size_t(i)].c_str(), buffers[i],
           buffer.dtype ? elementType(*buffer.dtype) : ElementType::U8,
           buffer.count});
    }
    return compareMeasured(call, operands, [&](const HostCopies &copies) {
      std::vector<void *> list;
      for (int64_t i = 0; i < kernel.buffers; ++i)
        list.push_back(copies.of(buffers[i]));
      soap_rt_parallel(kernel.hostReference, list.data(), kernel.extent,
                       kernel.grain);
    });
  });
}

MaybeError CheckingDevice::pool(const PoolCall &pool,
                                const PoolBuffers &buffers, int64_t stream) {
  auto run = [&] { return real.pool(pool, buffers, stream); };
  return check(nameOf(pool), stream, run, [&](Call &call) {
    int64_t x = pool.x.volume(), y = pool.y().volume();
    Operands operands;
    auto add = [&](const char *name, const float *data, int64_t count) {
      if (data)
        operands.push_back({name, data, ElementType::F32, count});
    };
    add("dy", buffers.dy, y);
    add("x", buffers.x, x);
    add("y", buffers.y, y);
    add(pool.isGradient ? "dx" : "y", buffers.result, pool.isGradient ? x : y);
    return compareMeasured(call, operands, [&](const HostCopies &copies) {
      runHostReference(pool, {copies.of(buffers.dy), copies.of(buffers.x),
                              copies.of(buffers.y), copies.of(buffers.result)});
    });
  });
}

MaybeError CheckingDevice::batchNorm(const NormCall &norm,
                                     const NormBuffers &buffers,
                                     int64_t stream) {
  auto run = [&] { return real.batchNorm(norm, buffers, stream); };
  return check(nameOf(norm), stream, run, [&](Call &call) {
    Operands operands;
    auto add = [&](const char *name, const float *data, int64_t count) {
      if (data)
        operands.push_back({name, data, ElementType::F32, count});
    };
    add("dy", buffers.dy, norm.x.volume());
    add("x", buffers.x, norm.x.volume());
    add("gamma", buffers.gamma, norm.x.c);
    add("beta", buffers.beta, norm.x.c);
    add("mean", buffers.mean, norm.x.c);
    add("inverse deviation", buffers.inverse, norm.x.c);
    add(norm.isGradient ? "dx" : "y", buffers.result, norm.x.volume());
    add("dgamma", buffers.dgamma, norm.x.c);
    add("dbeta", buffers.dbeta, norm.x.c);
    return compareMeasured(call, operands, [&](const HostCopies &copies) {
      NormBuffers list{};
      list.dy = copies.of(buffers.dy);
      list.x = copies.of(buffers.x);
      list.gamma = copies.of(buffers.gamma);
      list.beta = copies.of(buffers.beta);
      list.mean = copies.of(buffers.mean);
      list.inverse = copies.of(buffers.inverse);
      list.result = copies.of(buffers.result);
      list.dgamma = copies.of(buffers.dgamma);
      list.dbeta = copies.of(buffers.dbeta);
      runHostReference(norm, list);
    });
  });
}

MaybeError CheckingDevice::add(int64_t elementType, void *to, const void *from,
                               int64_t count, int64_t stream) {
  auto run = [&] { return real.add(elementType, to, from, count, stream); };
  CallName name = nameOfSum(elementType, count);
  return check(name, stream, run, [&](Call &call) -> MaybeError {
    auto dtype = dtypeNamed(name.type);
    if (!dtype) {
      call.found.why = "sums of this type are unknown";
      return call.run();
    }
    ElementType type = runtime::elementType(*dtype);
    return compareMeasured(
        call, {{"sum", to, type, count}, {"term", from, type, count}},
        [&](const HostCopies &copies) {
          void *sum = copies.of(to);
          foldSums(elementType, {sum, copies.of(const_cast<void *>(from))}, sum,
                   count);
        });
  });
}
