//===- RunEntry.cpp - One function on inputs from files -------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// soap-run entry: parameters from --init, arguments from NPY files, results
// to NPY files.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Runtime/Artifact/Fingerprint.h"
#include "Soap/Runtime/Data/Indices.h"
#include "Soap/Runtime/Data/TensorFiles.h"
#include "Soap/Runtime/Execution/Initialize.h"
#include "Soap/Runtime/Processes/Agreement.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <sys/stat.h>

using namespace soap;
using namespace soap::run;
using namespace soap::runtime;

namespace {

MaybeError setInput(Session &session, const std::string &name,
                    const std::string &path, Hasher &hash) {
  const Manifest &manifest = session.manifest();
  auto tensor = manifest.tensorNamed(name);
  if (!tensor) {
    std::string names;
    for (const TensorInfo &info : manifest.tensors)
      if (info.kind == TensorKind::Data || info.kind == TensorKind::Label)
        names += (names.empty() ? "'" : ", '") + info.name + "'";
    return Error{"the module has no tensor '" + name + "'; its inputs are " +
                 (names.empty() ? "none" : names)};
  }
  auto value = readNpy(path);
  if (!value)
    return value.takeError();
  const TensorInfo &info = manifest.tensors[*tensor];
  if (isFloat(value->dtype) && !isFloat(elementType(info.dtype)))
    return Error{path + ": tensor '" + name + "': expected type " +
                 nameOf(info.dtype) + ", got " + nameOf(value->dtype)};
  if (MaybeError error = session.tensors().set(*tensor, *value))
    return Error{path + ": " + error->message};
  hash.add(name);
  hash.add(value->bytes.data(), size_t(value->volume() * sizeOf(value->dtype)));
  // The shape fits.
  if (MaybeError error = checkTensorIndices(*value, info, manifest))
    return Error{path + ": " + error->message};
  return std::nullopt;
}

/// A name of a tensor as a file name.
std::string fileName(std::string name) {
  for (char &c : name)
    if (c == '/' || c == '\0' || (unsigned char)c < ' ')
      c = '_';
  if (name[0] == '.')
    name[0] = '_';
  return name + ".npy";
}

void print(const std::string &name, const HostTensor &value) {
  int64_t count = value.volume();
  std::printf("%s %s%s:", name.c_str(), nameOf(value.dtype),
              shapeString(value.shape).c_str());
  for (int64_t i = 0; i < std::min<int64_t>(count, 8); ++i)
    std::printf(" %g", value.at(i));
  std::printf("%s\n", count > 8 ? " ..." : "");
}

} // namespace

MaybeError run::runEntry(Session &session, const Options &options) {
  auto entry = session.entry(options.entry);
  if (!entry)
    return entry.takeError();
  if (MaybeError error = initialize(session.manifest(), session.tensors(),
                                    options.init, uint64_t(options.seed)))
    return error;
  Hasher hash;
  for (const auto &[name, path] : options.inputs)
    if (MaybeError error = setInput(session, name, path, hash))
      return error;
  if (MaybeError error =
          checkSame(session.placement(), "values of '--input'", hash.digits(),
                    std::to_string(options.inputs.size()) + " tensors"))
    return error;
  for (int64_t i = 0; i < options.iterations; ++i)
    if (MaybeError error = session.run(*entry))
      return error;

  bool root = session.placement().isRoot();
  if (root && !options.output.empty() &&
      mkdir(options.output.c_str(), 0777) != 0 && errno != EEXIST)
    return Error{options.output + ": cannot create: " + std::strerror(errno)};
  auto emit = [&](size_t tensor,
                  const Expected<HostTensor> &value) -> MaybeError {
    if (!value)
      return Error{value.error()};
    if (!root)
      return std::nullopt;
    const std::string &name = session.manifest().tensors[tensor].name;
    if (!options.output.empty())
      return writeNpy(options.output + "/" + fileName(name), *value);
    if (!options.quiet)
      print(name, *value);
    return std::nullopt;
  };
  std::set<size_t> results, updates;
  for (const RankInfo &rank : session.manifest().entries[*entry].ranks) {
    for (const TileInfo &tile : rank.results)
      results.insert(tile.tensor);
    for (const TileInfo &tile : rank.args)
      if (tile.updated)
        updates.insert(tile.tensor);
  }
  for (size_t tensor : results)
    if (MaybeError error =
            emit(tensor, session.tensors().result(*entry, tensor)))
      return error;
  for (size_t tensor : updates)
    if (MaybeError error =
            emit(tensor, session.tensors().get(tensor, /*rootOnly=*/true)))
      return error;
  return std::nullopt;
}
