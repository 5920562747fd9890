//===- Shardings.cpp - Shardings of a program ---------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Meshes and shardings of Shardy, read from their text, as placements.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Dialect/Soap/SoapDialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::stablehlo_import;
namespace shlo = mlir::soap::stablehlo_import;

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
    constexpr int64_t most = 1 << 20;
    if (!name.consume_front("\"") || !name.consume_back("\"") ||
        size.getAsInteger(10, extent) || extent < 1 ||
        mesh.size() > most / extent)
      return std::nullopt;
    mesh.axes.emplace_back(name, extent);
  }
  return mesh;
}

/// The axes of each dim of `sharding<@mesh, [{"a"}, {"b", ?}]>`, by number.
std::optional<SmallVector<SmallVector<size_t>>>
parseDims(StringRef text, const Mesh &mesh, size_t rank) {
  if (!text.consume_front("[") || !text.consume_back("]"))
    return std::nullopt;
  SmallVector<SmallVector<size_t>> dims;
  llvm::SmallDenseSet<size_t> used;
  for (text = text.trim(); !text.empty(); text = text.ltrim(", ")) {
    if (!text.consume_front("{"))
      return std::nullopt;
    auto [list, rest] = text.split('}');
    text = rest;
    dims.emplace_back();
    SmallVector<StringRef> names;
    list.split(names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef name : names) {
      name = name.trim();
      if (name == "?" || name.empty()) // may be cut further
        continue;
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

/// The config of a tensor that has a sharding; null, after an error, if it
/// cannot be read.
ConfigAttr readSharding(func::FuncOp source, Attribute attribute,
                        RankedTensorType type, const Twine &what) {
  StringRef text = shardyText(attribute);
  auto fail = [&](StringRef reason) {
    source.emitError() << "--keep-shardings: " << what << " has the sharding "
                       << attribute << ", " << reason;
    return ConfigAttr();
  };
  StringRef rest = text;
  if (!rest.consume_front("sharding<@") || !rest.consume_back(">"))
    return fail("expected #sdy.sharding<@mesh, [{...}, ...]>");
  auto [name, dimsText] = rest.split(',');
  std::optional<Mesh> mesh;
  for (Operation &op : *source->getParentOfType<ModuleOp>().getBody()) {
    auto symbol = dyn_cast_or_null<StringAttr>(op.getAttr("sym_name"));
    if (op.getName().getStringRef() == "sdy.mesh" && symbol &&
        symbol.getValue() == name)
      mesh = parseMesh(shardyText(op.getAttr("mesh")));
  }
  if (!mesh)
    return fail("whose mesh is not in the module, or no #sdy.mesh<[\"a\"=2, "
                "...]> with devices in row-major order");
  auto dims = parseDims(dimsText.trim(), *mesh, type.getRank());
  if (!dims)
    return fail("expected a list of whole axes for each dim");
  ::soap::IterationSpace space;
  for (auto [d, extent] : llvm::enumerate(type.getShape()))
    space.loops.push_back({"d" + std::to_string(d), extent});
  ::soap::Config config = makeConfig(*mesh, *dims);
  ::soap::ConfigCheck check = ::soap::checkConfig(space, config, -1);
  if (check.fault != ::soap::ConfigFault::None)
    return fail(check.message);
  return makeConfigAttr(source.getContext(), config, space);
}

} // namespace

LogicalResult shlo::keepShardings(func::FuncOp source, func::FuncOp function,
                                  bool keep) {
  constexpr StringRef name = "sdy.sharding";
  unsigned others = 0, placed = 0;
  source->getParentOfType<ModuleOp>().walk([&](Operation *op) {
    auto target = dyn_cast_or_null<StringAttr>(op->getAttr("call_target_name"));
    others += op->getName().getStringRef() == "sdy.sharding_constraint" ||
              (target && target.getValue() == "Sharding");
  });
  auto visit = [&](unsigned count, bool isArgument) -> LogicalResult {
    for (unsigned i = 0; i < count; ++i) {
      Attribute sharding = isArgument ? source.getArgAttr(i, name)
                                      : source.getResultAttr(i, name);
      if (!sharding)
        continue;
      ++placed;
      if (!keep)
        continue;
      Type type = isArgument ? function.getArgumentTypes()[i]
                             : function.getResultTypes()[i];
      ConfigAttr config =
          readSharding(source, sharding, cast<RankedTensorType>(type),
                       (isArgument ? "argument " : "result ") + Twine(i));
      if (!config)
        return failure();
      if (isArgument)
        function.setArgAttr(i, SoapDialect::kConfig, config);
      else
        function.setResultAttr(i, SoapDialect::kConfig, config);
    }
    return success();
  };
  if (failed(visit(source.getNumArguments(), /*isArgument=*/true)) ||
      failed(visit(source.getNumResults(), /*isArgument=*/false)))
    return failure();
  unsigned unused = others + (keep ? 0 : placed);
  if (unused)
    function.emitRemark()
        << unused << " shardings of the program are not used"
        << (keep ? ": only arguments and results have a place"
                 : "; --keep-shardings keeps arguments and results where they "
                   "say");
  return success();
}
