//===- ShardingText.cpp - Shardings as text -------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See ShardingText.h.
//
//===----------------------------------------------------------------------===//

#include "ShardingText.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;

static constexpr int64_t maxDevices = 1 << 20;

//===----------------------------------------------------------------------===//
// Shardy
//===----------------------------------------------------------------------===//

namespace {

struct Mesh {
  SmallVector<std::pair<StringRef, int64_t>> axes;

  int64_t size() const {
    int64_t product = 1;
    for (auto [name, extent] : axes)
      product *= extent;
    return product;
  }
};

StringRef shardyText(Attribute attribute) {
  auto opaque = dyn_cast_or_null<OpaqueAttr>(attribute);
  return opaque && opaque.getDialectNamespace().getValue() == "sdy"
             ? opaque.getAttrData()
             : StringRef();
}

/// `mesh<["a"=2, "b"=4]>` with its devices in row-major order.
std::optional<Mesh> parseMesh(StringRef text) {
  if (!text.consume_front("mesh<[") || !text.consume_back("]>"))
    return std::nullopt;
  Mesh mesh;
  SmallVector<StringRef> parts;
  text.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    auto [name, size] = part.trim().split('=');
    int64_t extent = 0;
    if (!name.consume_front("\"") || !name.consume_back("\"") ||
        size.getAsInteger(10, extent) || extent < 1 ||
        mesh.size() > maxDevices / extent)
      return std::nullopt;
    mesh.axes.emplace_back(name, extent);
  }
  return mesh;
}

/// The axes of each dim of `[{"a"}, {"b", ?}p1]`, by number. `isOpen` is set if
/// some dim may be cut further.
std::optional<SmallVector<SmallVector<size_t>>>
parseDims(StringRef text, const Mesh &mesh, size_t rank, bool &isOpen) {
  SmallVector<SmallVector<size_t>> dims;
  llvm::SmallDenseSet<size_t> used;
  for (text = text.trim(); !text.empty(); text = text.ltrim(", ")) {
    if (!text.consume_front("{"))
      return std::nullopt;
    auto [list, rest] = text.split('}');
    text = rest;
    // In which order shardings are propagated.
    if (text.consume_front("p"))
      text = text.drop_while(llvm::isDigit);
    dims.emplace_back();
    SmallVector<StringRef> names;
    list.split(names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef name : names) {
      name = name.trim();
      if (name.empty())
        continue;
      if (name == "?") {
        isOpen = true;
        continue;
      }
      const auto *axis = llvm::find_if(mesh.axes, [&](const auto &own) {
        return name == ("\"" + own.first + "\"").str();
      });
      if (axis == mesh.axes.end() ||
          !used.insert(axis - mesh.axes.begin()).second)
        return std::nullopt;
      dims.back().push_back(axis - mesh.axes.begin());
    }
  }
  if (dims.size() != rank)
    return std::nullopt;
  return dims;
}

/// Pieces of the dims, each on a device of the mesh; replicas over other axes.
::soap::Config makeConfig(const Mesh &mesh,
                          ArrayRef<SmallVector<size_t>> dims) {
  ::soap::Config config;
  // Axes that cut nothing come first: replicas are outermost.
  SmallVector<size_t> order;
  for (size_t axis = 0; axis < mesh.axes.size(); ++axis)
    if (llvm::none_of(dims, [&](const SmallVector<size_t> &own) {
          return llvm::is_contained(own, axis);
        })) {
      order.push_back(axis);
      config.replicas *= mesh.axes[axis].second;
    }
  for (const SmallVector<size_t> &own : dims) {
    int64_t degree = 1;
    for (size_t axis : own) {
      order.push_back(axis);
      degree *= mesh.axes[axis].second;
    }
    config.degrees.push_back(degree);
  }
  SmallVector<int64_t> strides(mesh.axes.size(), 1);
  for (size_t axis = mesh.axes.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * mesh.axes[axis].second;
  for (int64_t i = 0; i < mesh.size(); ++i) {
    int64_t rest = i, device = 0;
    for (size_t axis : llvm::reverse(order)) {
      device += rest % mesh.axes[axis].second * strides[axis];
      rest /= mesh.axes[axis].second;
    }
    config.devices.push_back(static_cast<int>(device));
  }
  return config;
}

/// The mesh of a name; none: it is not in the module.
std::optional<Mesh> findMesh(ModuleOp module, StringRef name) {
  for (Operation &op : *module.getBody()) {
    auto symbol = dyn_cast_or_null<StringAttr>(op.getAttr("sym_name"));
    if (op.getName().getStringRef() == "sdy.mesh" && symbol &&
        symbol.getValue() == name)
      return parseMesh(shardyText(op.getAttr("mesh")));
  }
  return std::nullopt;
}

/// Number `at` of `[<...>, <...>]`, whose number is `count`; empty if there are
/// others.
StringRef itemOf(StringRef list, unsigned at, unsigned count) {
  if (!list.consume_front("[") || !list.consume_back("]"))
    return {};
  StringRef found;
  unsigned number = 0;
  int depth = 0;
  size_t begin = 0;
  for (auto [i, c] : llvm::enumerate(list)) {
    if (c == '<' && depth++ == 0)
      begin = i;
    if (c == '>' && --depth == 0 && number++ == at)
      found = list.slice(begin, i + 1);
  }
  return number == count ? found : StringRef();
}

} // namespace

/// `<@mesh, [{"a"}, {}], replicated={"b"}>`.
std::optional<Sharding> ShardingReader::readShardy(StringRef text) {
  constexpr const char *form = "expected #sdy.sharding<@mesh, [{...}, ...]>";
  if (!text.consume_front("<") || !text.consume_back(">"))
    return fail(form);
  std::optional<Mesh> mesh;
  if (text.consume_front("@")) {
    auto [name, rest] = text.split(',');
    mesh = findMesh(module, name.trim());
    text = rest;
  } else {
    size_t end = text.find('>');
    mesh = parseMesh(end == text.npos ? StringRef() : text.take_front(end + 1));
    text =
        end == text.npos ? StringRef() : text.drop_front(end + 1).ltrim(", ");
  }
  if (!mesh)
    return fail("whose mesh is not in the module, or no #sdy.mesh<[\"a\"=2, "
                "...]> with devices in row-major order");
  text = text.trim();
  if (!text.consume_front("["))
    return fail(form);
  auto [list, others] = text.split(']');
  if (others.contains("unreduced"))
    return fail("which is of partial sums: expected one of whole elements");
  others = others.trim();
  if (!others.empty() && !others.ltrim(", ").starts_with("replicated="))
    return fail(form);
  Sharding sharding;
  auto dims = parseDims(list, *mesh, shape.size(), sharding.isOpen);
  if (!dims)
    return fail("expected a list of whole axes for each dim");
  sharding.config = makeConfig(*mesh, *dims);
  return sharding;
}

//===----------------------------------------------------------------------===//
// GSPMD
//===----------------------------------------------------------------------===//

/// Consumes `[2,1,4]`: numbers from `least` on whose product is at most
/// `maxDevices`.
static std::optional<SmallVector<int64_t>>
consumeList(StringRef &text, char open, char close, int64_t least) {
  if (!text.consume_front(StringRef(&open, 1)))
    return std::nullopt;
  auto [list, rest] = text.split(close);
  text = rest;
  SmallVector<StringRef> parts;
  list.split(parts, ',', -1, /*KeepEmpty=*/false);
  SmallVector<int64_t> numbers;
  int64_t product = 1;
  for (StringRef part : parts) {
    int64_t number = 0;
    if (part.trim().getAsInteger(10, number) || number < least ||
        product > maxDevices / std::max<int64_t>(number, 1))
      return std::nullopt;
    product *= std::max<int64_t>(number, 1);
    numbers.push_back(number);
  }
  return numbers;
}

/// The same on all devices.
std::optional<Sharding> ShardingReader::replicated() {
  auto partitions = module->getAttrOfType<IntegerAttr>("mhlo.num_partitions");
  if (!partitions || partitions.getValue().getSignificantBits() > 31 ||
      partitions.getInt() < 1 || partitions.getInt() > maxDevices)
    return fail("and the module has no 'mhlo.num_partitions' from 1 to 2^20");
  Sharding sharding;
  sharding.config.degrees.assign(shape.size(), 1);
  sharding.config.replicas = partitions.getInt();
  sharding.config.devices.resize(partitions.getInt());
  std::iota(sharding.config.devices.begin(), sharding.config.devices.end(), 0);
  return sharding;
}

/// Consumes `<=[2,4]T(1,0)`, numbers counted in another order, or `0,1,2,3`.
std::optional<SmallVector<int>> ShardingReader::readDevices(StringRef &text,
                                                            int64_t count) {
  SmallVector<int> devices;
  if (!text.consume_front("<=")) {
    StringRef list =
        text.take_while([](char c) { return llvm::isDigit(c) || c == ','; });
    text = text.drop_front(list.size());
    SmallVector<StringRef> parts;
    list.split(parts, ',');
    for (StringRef part : parts) {
      int device = 0;
      if (part.getAsInteger(10, device) || device < 0)
        return fail("expected numbers of devices");
      devices.push_back(device);
    }
  } else {
    auto extents = consumeList(text, '[', ']', 1);
    if (!extents || extents->empty())
      return fail("expected <=[...] with the extents of a grid of devices");
    SmallVector<int64_t> order(extents->size());
    std::iota(order.begin(), order.end(), 0);
    if (text.consume_front("T")) {
      auto permutation = consumeList(text, '(', ')', 0);
      SmallVector<int64_t> sorted;
      if (permutation)
        sorted = *permutation;
      llvm::sort(sorted);
      if (sorted != order)
        return fail("expected T(...) with each dim of the grid once");
      order = *permutation;
    }
    SmallVector<int64_t> strides(extents->size(), 1);
    for (size_t d = extents->size(); d-- > 1;)
      strides[d - 1] = strides[d] * (*extents)[d];
    int64_t total = strides[0] * (*extents)[0];
    for (int64_t i = 0; i < total; ++i) {
      int64_t rest = i, device = 0;
      for (int64_t dim : llvm::reverse(order)) {
        device += rest % (*extents)[dim] * strides[dim];
        rest /= (*extents)[dim];
      }
      devices.push_back(static_cast<int>(device));
    }
  }
  if (static_cast<int64_t>(devices.size()) != count)
    return fail("which has " + Twine(count) + " tiles on " +
                Twine(devices.size()) + " devices");
  return devices;
}

/// `{replicated}`, `{devices=[2,1,4]<=[8] last_tile_dim_replicate}`.
std::optional<Sharding> ShardingReader::readGspmd(StringRef text) {
  constexpr const char *form =
      "expected {replicated}, {maximal device=N} or {devices=[...]...}";
  // Names of ops may follow.
  text = text.take_front(text.find(" metadata="));
  if (!text.consume_front("{"))
    return fail(form);
  text.consume_back("}");
  if (text == "replicated")
    return replicated();
  Sharding sharding;
  ::soap::Config &config = sharding.config;
  if (text.consume_front("maximal device=")) {
    int device = 0;
    if (text.getAsInteger(10, device) || device < 0)
      return fail(form);
    config.degrees.assign(shape.size(), 1);
    config.devices = {device};
    return sharding;
  }
  if (!text.consume_front("devices="))
    return fail(form);
  auto tiles = consumeList(text, '[', ']', 1);
  if (!tiles)
    return fail(form);
  int64_t count = std::accumulate(tiles->begin(), tiles->end(), int64_t(1),
                                  std::multiplies<>());
  auto devices = readDevices(text, count);
  if (!devices)
    return std::nullopt;
  text = text.trim();
  size_t others = 0; // dims that cut nothing
  if (text == "last_tile_dim_replicate") {
    others = 1;
  } else if (text.consume_front("last_tile_dims={")) {
    SmallVector<StringRef> kinds;
    text.take_until([](char c) { return c == '}'; }).split(kinds, ',');
    for (StringRef kind : kinds)
      if (kind.trim() != "replicated")
        return fail("which has dims that are " + kind.trim() +
                    ": expected replicated ones");
    others = kinds.size();
  } else if (!text.empty()) {
    return fail(form);
  }
  if (tiles->size() != shape.size() + others)
    return fail("which has " + Twine(tiles->size()) + " dims, expected " +
                Twine(shape.size() + others));
  config.degrees.assign(tiles->begin(), tiles->begin() + shape.size());
  int64_t pieces = config.piecesPerReplica();
  config.replicas = count / pieces;
  for (int64_t replica = 0; replica < config.replicas; ++replica)
    for (int64_t piece = 0; piece < pieces; ++piece)
      config.devices.push_back((*devices)[piece * config.replicas + replica]);
  return sharding;
}

std::optional<Sharding>
ShardingReader::read(Attribute attribute, unsigned result, unsigned results) {
  if (auto text = dyn_cast<StringAttr>(attribute))
    return readGspmd(text.getValue().trim());
  StringRef text = shardyText(attribute);
  if (text.consume_front("sharding_per_value<") && text.consume_back(">"))
    return readShardy(itemOf(text, result, results));
  if (!text.consume_front("sharding") || results != 1)
    return fail("expected #sdy.sharding<...> or #sdy.sharding_per_value<[...]> "
                "for " +
                Twine(results) + " results");
  return readShardy(text);
}
