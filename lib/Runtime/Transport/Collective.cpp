//===- Collective.cpp - One device's part in a collective -----------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Collective.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/Collective.h"

#include "Soap/Support/NarrowFloats.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

using namespace soap;
using namespace soap::runtime;

int64_t Collective::elements() const {
  if (!pieces().empty())
    return std::accumulate(pieces().begin(), pieces().end(), int64_t(0));
  if (isAllToAll())
    return std::accumulate(inputCounts.begin(), inputCounts.end(), int64_t(0));
  return inputs.empty() ? outputCounts[0] : inputCounts[0];
}

const std::vector<int64_t> &Collective::pieces() const {
  static const std::vector<int64_t> none;
  return kind == CollectiveKind::ReduceScatter ? inputCounts
         : kind == CollectiveKind::AllGather   ? outputCounts
                                               : none;
}

std::vector<int64_t> Collective::pieceOffsets() const {
  std::vector<int64_t> offsets(1, 0);
  for (int64_t piece : pieces())
    offsets.push_back(offsets.back() + piece);
  return offsets;
}

void Collective::splitPieces() {
  auto split = [&](std::vector<void *> &buffers, std::vector<int64_t> &counts) {
    if (buffers.size() != 1 || counts[0] % size() != 0)
      return;
    int64_t piece = counts[0] / size();
    assert(piece >= 0 && counts.size() == buffers.size() &&
           "a number of elements a buffer");
    char *first = static_cast<char *>(buffers[0]);
    buffers.clear();
    for (int64_t p = 0; p < size(); ++p)
      buffers.push_back(first + p * piece * elementBytes());
    counts.assign(size_t(size()), piece);
    isContiguous = true;
  };
  if (kind == CollectiveKind::ReduceScatter || isAllToAll())
    split(inputs, inputCounts);
  if (kind == CollectiveKind::AllGather || isAllToAll() ||
      (kind == CollectiveKind::AllToAll && isRoot()))
    split(outputs, outputCounts);
}

std::string Collective::describe() const {
  bool gathers = kind == CollectiveKind::AllToAll && !isAllToAll();
  return std::string(gathers ? "gather" : collectiveName(kind)) + " " +
         std::to_string(number) + " of " + std::to_string(size()) + " devices";
}

std::string Collective::check() const {
  auto expect = [&](size_t in, size_t out) {
    if (inputs.size() == in && outputs.size() == out)
      return std::string();
    return describe() + ": expected " + std::to_string(in) + " inputs and " +
           std::to_string(out) + " outputs, got " +
           std::to_string(inputs.size()) + " and " +
           std::to_string(outputs.size());
  };
  size_t members = group->size();
  std::string error;
  switch (kind) {
  case CollectiveKind::AllReduce:
    error = expect(0, 1);
    break;
  case CollectiveKind::Reduce:
    error = isRoot() ? expect(0, 1) : expect(1, 0);
    break;
  case CollectiveKind::Broadcast:
    error = isRoot() ? expect(1, 0) : expect(0, 1);
    break;
  case CollectiveKind::ReduceScatter:
    error = expect(members, 1);
    if (error.empty() && inputCounts[size_t(place)] != outputCounts[0])
      error = describe() + ": expected an output of " +
              std::to_string(inputCounts[size_t(place)]) + " elements, got " +
              std::to_string(outputCounts[0]);
    break;
  case CollectiveKind::AllGather:
    error = expect(1, members);
    if (error.empty() && outputCounts[size_t(place)] != inputCounts[0])
      error = describe() + ": expected an input of " +
              std::to_string(outputCounts[size_t(place)]) + " elements, got " +
              std::to_string(inputCounts[0]);
    break;
  case CollectiveKind::AllToAll:
    if (isAllToAll()) {
      error = expect(members, members);
      if (error.empty() &&
          inputCounts[size_t(place)] != outputCounts[size_t(place)])
        error = describe() + ": the device's own piece has " +
                std::to_string(inputCounts[size_t(place)]) +
                " elements as input and " +
                std::to_string(outputCounts[size_t(place)]) + " as output";
      break;
    }
    error = isRoot() ? expect(1, members) : expect(1, 0);
    for (int64_t count : outputCounts)
      if (error.empty() && count != inputCounts[0])
        error = describe() + ": expected pieces of " +
                std::to_string(inputCounts[0]) + " elements, got " +
                std::to_string(count);
    break;
  case CollectiveKind::Exchange:
    error = describe() + ": expected messages";
    break;
  }
  bool sums = kind == CollectiveKind::AllReduce ||
              kind == CollectiveKind::Reduce ||
              kind == CollectiveKind::ReduceScatter;
  if (error.empty() && sums && elementType == SOAP_BYTES)
    error =
        describe() + ": expected elements of f32, f64, f16 or bf16, got bytes";
  return error;
}

std::string Collective::differenceTo(const Collective &other) const {
  auto list = [](const std::vector<int64_t> &numbers) {
    std::string text;
    for (int64_t number : numbers)
      text += (text.empty() ? "" : ", ") + std::to_string(number);
    return "(" + text + ")";
  };
  std::string mine = "device " + std::to_string(me()),
              theirs = "device " + std::to_string(other.me());
  if (kind != other.kind)
    return describe() + ": on " + theirs + " it is " +
           collectiveName(other.kind);
  if (elementType != other.elementType)
    return describe() + ": elements have type " + std::to_string(elementType) +
           " on " + mine + " and type " + std::to_string(other.elementType) +
           " on " + theirs;
  if (isAllToAll()) {
    auto differs = [](const Collective &from, const Collective &to) {
      int64_t given = from.inputCounts[size_t(to.place)],
              wanted = to.outputCounts[size_t(from.place)];
      return given == wanted
                 ? std::string()
                 : to.describe() + ": device " + std::to_string(to.me()) +
                       " expects " + std::to_string(wanted) +
                       " elements of device " + std::to_string(from.me()) +
                       ", which gives " + std::to_string(given);
    };
    std::string text = differs(*this, other);
    return text.empty() ? differs(other, *this) : text;
  }
  if (pieces() != other.pieces())
    return describe() + ": pieces have " + list(pieces()) + " elements on " +
           mine + " and " + list(other.pieces()) + " on " + theirs;
  if (elements() != other.elements())
    return describe() + ": " + std::to_string(elements()) + " elements on " +
           mine + " and " + std::to_string(other.elements()) + " on " + theirs;
  return "";
}

MaybeError Collective::addTo(std::vector<const Collective *> &calls) const {
  calls.resize(size_t(size()));
  const Collective *&mine = calls[size_t(place)];
  if (mine)
    return Error{describe() + ": device " + std::to_string(me()) +
                 " takes part twice"};
  for (const Collective *other : calls)
    if (other)
      if (std::string error = other->differenceTo(*this); !error.empty())
        return Error{error};
  mine = this;
  return std::nullopt;
}

/// By chunks that stay in the cache, so that `to` may be any of the sources.
/// Sums are of type `Sum`, and rounded once.
template <typename T, typename Sum = T>
static void foldAs(const std::vector<const void *> &sources, void *to,
                   int64_t count) {
  constexpr int64_t chunk = 1024;
  Sum sum[chunk];
  for (int64_t begin = 0; begin < count; begin += chunk) {
    int64_t size = std::min(chunk, count - begin);
    const T *first = static_cast<const T *>(sources[0]) + begin;
    for (int64_t i = 0; i < size; ++i)
      sum[i] = first[i];
    for (size_t s = 1; s < sources.size(); ++s) {
      const T *next = static_cast<const T *>(sources[s]) + begin;
      for (int64_t i = 0; i < size; ++i)
        sum[i] += next[i];
    }
    T *result = static_cast<T *>(to) + begin;
    for (int64_t i = 0; i < size; ++i)
      result[i] = T(sum[i]);
  }
}

void runtime::foldSums(int64_t elementType,
                       const std::vector<const void *> &sources, void *to,
                       int64_t count) {
  assert(!sources.empty() && count >= 0 && "something to sum");
  assert(elementType != SOAP_BYTES && "elements of a sum are numbers");
  switch (elementType) {
  case SOAP_F64:
    return foldAs<double>(sources, to, count);
  case SOAP_F16:
    return foldAs<Float16, float>(sources, to, count);
  case SOAP_BF16:
    return foldAs<BFloat16, float>(sources, to, count);
  default:
    return foldAs<float>(sources, to, count);
  }
}
