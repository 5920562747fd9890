//===- EmitManifest.cpp - What the launcher must know ---------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The JSON of docs/Runtime.md from `soap.programs` and from planned programs.
//
//===----------------------------------------------------------------------===//

#include "Messages/MessageOrder.h"
#include "Soap/Analysis/ProgramTables.h"
#include "Soap/Conversion/Passes.h"
#include "Soap/Dialect/Soap/GpuAttributes.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Dialect/Soap/TrainingAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/JSON.h"

#include <array>
#include <charconv>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPEMITMANIFEST
#include "Soap/Conversion/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

std::string text(StringRef string) { return llvm::json::fixUTF8(string); }

class ManifestWriter {
public:
  ManifestWriter(ModuleOp module, llvm::raw_ostream &os)
      : module(module), symbols(module), json(os) {}

  LogicalResult run(ArrayAttr programs) {
    LogicalResult result = success();
    json.object([&] {
      json.attribute("version", 2);
      writeTopology(programs);
      writeGpuTarget();
      if (auto training = module->getAttrOfType<StringAttr>(kTraining))
        json.attribute("training", text(training.getValue()));
      json.attributeArray("tensors", [&] {
        for (Attribute entry : programs)
          if (succeeded(result))
            result = writeTensors(cast<DictionaryAttr>(entry));
      });
      json.attributeArray("entries", [&] {
        for (Attribute entry : programs)
          if (succeeded(result))
            result = writeEntry(cast<DictionaryAttr>(entry));
      });
    });
    return result;
  }

private:
  ModuleOp module;
  SymbolTable symbols;
  llvm::json::OStream json;
  /// Type and kind by tensor name; names by entry where two entries mean
  /// different tensors.
  llvm::StringMap<Type> types;
  llvm::StringMap<std::string> renamed;

  /// Reads a key of a table of `soap.programs`, which the user may have
  /// written.
  template <typename Attr>
  FailureOr<Attr> get(DictionaryAttr table, StringRef key) {
    if (auto attribute = table.getAs<Attr>(key))
      return attribute;
    return module.emitError("'")
           << SoapDialect::kPrograms << "' has a table without a proper '"
           << key << "'";
  }

  void writeTopology(ArrayAttr programs) {
    int64_t devices = 1;
    std::string name = "cpu-1";
    if (StringRef topology =
            topologyText(module->getAttr(SoapDialect::kTopology));
        !topology.empty()) {
      llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(topology);
      if (!parsed) {
        llvm::consumeError(parsed.takeError());
        name = topology.str();
      } else if (llvm::json::Object *object = parsed->getAsObject()) {
        if (auto string = object->getString("name"))
          name = string->str();
        if (llvm::json::Array *list = object->getArray("devices"))
          devices = static_cast<int64_t>(list->size());
      }
    }
    for (Attribute entry : programs)
      if (auto ranks = cast<DictionaryAttr>(entry).getAs<ArrayAttr>("ranks"))
        for (auto rank : ranks.getAsRange<DictionaryAttr>())
          if (auto device = rank.getAs<IntegerAttr>("device"))
            devices = std::max(devices, device.getInt() + 1);
    json.attribute("devices", devices);
    json.attribute("topology", text(name));
  }

  /// The chip of the kernels of the module, if it was lowered for GPUs.
  void writeGpuTarget() {
    auto target = module->getAttrOfType<DictionaryAttr>(kGpuTarget);
    auto chip = target ? target.getAs<StringAttr>("chip") : StringAttr();
    auto format = target ? target.getAs<StringAttr>("format") : StringAttr();
    auto references =
        target ? target.getAs<BoolAttr>("host_references") : BoolAttr();
    if (!chip || !format || !references)
      return;
    json.attributeObject("gpu", [&] {
      json.attribute("chip", text(chip));
      json.attribute("format", text(format));
      json.attribute("host_references", references.getValue());
      if (references.getValue())
        writeKernels();
    });
  }

  /// The buffers of each kernel, so that a run can compare a launch with its
  /// host reference.
  void writeKernels() {
    llvm::StringSet<> known;
    json.attributeArray("kernels", [&] {
      module.walk([&](ParallelCallOp call) {
        auto kernel = call->getAttrOfType<SymbolRefAttr>(kGpuKernel);
        if (!kernel || !known.insert(kernel.getLeafReference()).second)
          return;
        json.object([&] {
          json.attribute("name", text(kernel.getLeafReference()));
          writeBuffers(call.getBuffers().getTypes());
        });
      });
    });
  }

  void writeBuffers(TypeRange types) {
    constexpr StringLiteral names[] = {"f32", "f64", "i32",
                                       "i64", "f16", "bf16"};
    SmallVector<std::pair<std::string, int64_t>> buffers;
    for (Type type : types) {
      auto buffer = cast<MemRefType>(type);
      std::string element;
      llvm::raw_string_ostream(element) << buffer.getElementType();
      int64_t count = buffer.getNumElements();
      if (!llvm::is_contained(names, element)) {
        element = "bytes";
        bool isIndex = buffer.getElementType().isIndex();
        count *= isIndex ? 8 : (buffer.getElementTypeBitWidth() + 7) / 8;
      }
      buffers.emplace_back(element, count);
    }
    json.attributeArray("elements", [&] {
      for (auto &[element, count] : buffers)
        json.value(element);
    });
    json.attributeArray("counts", [&] {
      for (auto &[element, count] : buffers)
        json.value(count);
    });
  }

  //===--------------------------------------------------------------------===//
  // Tensors
  //===--------------------------------------------------------------------===//

  std::string nameIn(StringRef entry, StringRef name) {
    auto other = renamed.find((entry + "\n" + name).str());
    return other == renamed.end() ? name.str() : other->second;
  }

  LogicalResult writeTensors(DictionaryAttr entry) {
    FailureOr<StringAttr> entryName = get<StringAttr>(entry, "entry");
    FailureOr<ArrayAttr> tensors = get<ArrayAttr>(entry, "tensors");
    if (failed(entryName) || failed(tensors))
      return failure();
    for (Attribute row : *tensors) {
      auto tensor = dyn_cast<DictionaryAttr>(row);
      if (!tensor)
        return module.emitError("'")
               << SoapDialect::kPrograms << "' has a tensor that is no table";
      FailureOr<StringAttr> name = get<StringAttr>(tensor, "name");
      FailureOr<TypeAttr> type = get<TypeAttr>(tensor, "type");
      if (failed(name) || failed(type))
        return failure();
      auto ranked = dyn_cast<RankedTensorType>(type->getValue());
      if (!ranked || !ranked.hasStaticShape())
        return module.emitError("tensor '")
               << name->getValue() << "' has type " << type->getValue()
               << ": expected a tensor of static shape";
      auto [known, inserted] = types.try_emplace(name->getValue(), ranked);
      std::string shown = name->str();
      if (!inserted) {
        if (known->second == ranked)
          continue;
        // Another tensor of this name: activations of another batch, say.
        shown = (entryName->getValue() + "." + name->getValue()).str();
        renamed[(entryName->getValue() + "\n" + name->getValue()).str()] =
            shown;
        if (!types.try_emplace(shown, ranked).second)
          return module.emitError("two tensors are called '") << shown << "'";
      }
      if (failed(writeTensor(tensor, shown, ranked)))
        return failure();
    }
    return success();
  }

  LogicalResult writeTensor(DictionaryAttr tensor, StringRef name,
                            RankedTensorType type) {
    LogicalResult result = success();
    json.object([&] {
      json.attribute("name", text(name));
      auto kind = enumValue<ValueKindAttr>(tensor.get("kind"));
      json.attribute("kind",
                     stringifyValueKind(kind.value_or(ValueKind::Output)));
      json.attributeArray("shape", [&] {
        for (int64_t extent : type.getShape())
          json.value(extent);
      });
      std::string dtype;
      llvm::raw_string_ostream os(dtype);
      os << type.getElementType();
      json.attribute("dtype", dtype);
      for (auto [key, shown] :
           {std::pair("sample_dim", "sample_dim"),
            std::pair("fan_in", "fan_in"), std::pair("fan_out", "fan_out"),
            std::pair("classes", "classes")})
        if (auto number = tensor.getAs<IntegerAttr>(key))
          json.attribute(shown, number.getInt());
      if (auto runs = tensor.getAs<DenseI64ArrayAttr>("classes"))
        json.attributeArray("classes", [&] {
          for (int64_t number : runs.asArrayRef())
            json.value(number);
        });
      if (auto memory = tensor.getAs<StringAttr>("memory"))
        json.attribute("memory", text(memory.getValue()));
      Attribute init = tensor.get("init");
      if (init && isa<InitRuleAttr, StringAttr, ElementsAttr>(init)) {
        json.attributeBegin("init");
        result = writeInit(init, name);
        json.attributeEnd();
      }
    });
    return result;
  }

  /// A rule by name, one number for all elements, or the elements' bytes.
  LogicalResult writeInit(Attribute init, StringRef name) {
    if (auto rule = enumValue<InitRuleAttr>(init)) {
      json.value(stringifyInitRule(*rule));
      return success();
    }
    if (!isa<ElementsAttr>(init)) {
      json.value(nullptr);
      return module.emitError("initial value of '")
             << name << "' is " << init
             << ": expected #soap.init<he, glorot, zeros, ones or default>, or "
                "elements";
    }
    auto type = cast<ShapedType>(cast<ElementsAttr>(init).getShapedType());
    if (Type element = type.getElementType();
        !element.isIntOrFloat() || element.getIntOrFloatBitWidth() > 64) {
      json.value(nullptr);
      return module.emitError("initial value of '")
             << name << "' has elements of type " << element
             << ": expected integers or floats of at most 64 bits";
    }
    auto splat = dyn_cast<SplatElementsAttr>(init);
    if (splat && isFinite(splat.getSplatValue<Attribute>())) {
      json.array([&] { writeNumber(splat.getSplatValue<Attribute>()); });
      return success();
    }
    ArrayRef<char> data;
    std::string repeated;
    if (splat) {
      // JSON has no infinity and no NaN.
      for (int64_t i = 0; i < splat.getNumElements(); ++i)
        repeated.append(splat.getRawData().begin(), splat.getRawData().end());
      data = ArrayRef(repeated.data(), repeated.size());
    } else if (auto dense = dyn_cast<DenseElementsAttr>(init))
      data = dense.getRawData();
    else if (auto resource = dyn_cast<DenseResourceElementsAttr>(init))
      if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
        data = blob->getData();
    size_t expected = static_cast<size_t>(type.getNumElements()) *
                      (type.getElementTypeBitWidth() / 8);
    if (data.size() != expected) {
      json.value(nullptr);
      return module.emitError("initial value of '")
             << name << "' has " << data.size() << " bytes, expected "
             << expected;
    }
    json.object([&] { json.attribute("base64", llvm::encodeBase64(data)); });
    return success();
  }

  static bool isFinite(Attribute value) {
    auto number = dyn_cast<FloatAttr>(value);
    return !number || number.getValue().isFinite();
  }

  void writeNumber(Attribute value) {
    if (auto number = dyn_cast<FloatAttr>(value))
      json.value(number.getValueAsDouble());
    else
      json.value(cast<IntegerAttr>(value).getValue().getSExtValue());
  }

  //===--------------------------------------------------------------------===//
  // Entries
  //===--------------------------------------------------------------------===//

  /// By hand: with the tiles, these lists are nearly all of a manifest for many
  /// devices.
  void writeIntegers(StringRef key, ArrayRef<int64_t> values) {
    std::string list = "[";
    for (int64_t value : values) {
      if (list.size() > 1)
        list += ',';
      std::array<char, 24> digits;
      list.append(digits.data(),
                  std::to_chars(digits.begin(), digits.end(), value).ptr);
    }
    list += ']';
    json.attributeBegin(key);
    json.rawValue(list);
    json.attributeEnd();
  }

  /// The columns of a schedule in rows, as they are. Simulations read more of
  /// them.
  void writeRows(DictionaryAttr schedule) {
    json.attributeObject("schedule", [&] {
      for (StringRef key : {"names", "kinds", "shapes"})
        json.attributeArray(key, [&] {
          for (Attribute attribute : schedule.getAs<ArrayAttr>(key))
            json.value(text(cast<StringAttr>(attribute)));
        });
      for (StringRef key : {"counts", "durations_ns", "shape", "start_ns",
                            "numbers", "key_block", "key_task", "key_step"})
        writeText(key, schedule);
    });
  }

  void writeText(StringRef key, DictionaryAttr table) {
    json.attribute(key, text(table.getAs<StringAttr>(key)));
  }

  /// An entry as it is written, and with its tasks one by one.
  LogicalResult writeSchedule(DictionaryAttr written, DictionaryAttr entry) {
    FailureOr<DictionaryAttr> schedule = get<DictionaryAttr>(entry, "schedule");
    if (failed(schedule))
      return failure();
    FailureOr<ArrayAttr> names = get<ArrayAttr>(*schedule, "names");
    FailureOr<ArrayAttr> kinds = get<ArrayAttr>(*schedule, "kinds");
    FailureOr<DenseI64ArrayAttr> starts =
        get<DenseI64ArrayAttr>(*schedule, "start_ns");
    FailureOr<DenseI64ArrayAttr> ends =
        get<DenseI64ArrayAttr>(*schedule, "end_ns");
    if (failed(names) || failed(kinds) || failed(starts) || failed(ends))
      return failure();
    size_t count = names->size();
    if (kinds->size() != count ||
        starts->size() != static_cast<int64_t>(count) ||
        ends->size() != static_cast<int64_t>(count))
      return module.emitError("'")
             << SoapDialect::kPrograms
             << "' has a schedule with lists of different lengths";
    auto shapes = schedule->getAs<ArrayAttr>("shapes");
    auto shapeOf = schedule->getAs<DenseI64ArrayAttr>("shape");
    if (shapeOf && shapeOf.size() != static_cast<int64_t>(count))
      return module.emitError("'")
             << SoapDialect::kPrograms
             << "' has a schedule with lists of different lengths";
    auto shapeCount = static_cast<int64_t>(shapes ? shapes.size() : 0);
    for (int64_t shape : shapeOf ? shapeOf.asArrayRef() : ArrayRef<int64_t>())
      if (shape < -1 || shape >= shapeCount)
        return module.emitError("'")
               << SoapDialect::kPrograms << "' has a task of shape " << shape
               << ": expected a number of 'shapes', of which there are "
               << shapeCount << ", or -1";
    if (hasScheduleRows(written)) {
      auto rows = written.getAs<DictionaryAttr>("schedule");
      if (!shapeOf || !shapes ||
          !llvm::all_of(shapes, llvm::IsaPred<StringAttr>))
        return module.emitError("'")
               << SoapDialect::kPrograms
               << "' has a schedule in rows without proper 'shape' and "
                  "'shapes'";
      writeRows(rows);
      return success();
    }
    json.attributeArray("schedule", [&] {
      for (size_t i = 0; i < count; ++i)
        json.object([&] {
          auto string = [&](Attribute attribute) {
            auto value = dyn_cast<StringAttr>(attribute);
            return value ? text(value) : std::string();
          };
          json.attribute("name", string((*names)[i]));
          json.attribute("kind", string((*kinds)[i]));
          json.attribute("start_ns", (*starts)[i]);
          json.attribute("end_ns", (*ends)[i]);
          if (int64_t shape = shapeOf ? shapeOf[i] : -1; shape >= 0)
            json.attribute("shape", string(shapes[shape]));
        });
    });
    return success();
  }

  /// Groups of devices, each once, and of every operation what it is and whose.
  LogicalResult writeCollectives(DictionaryAttr entry) {
    FailureOr<DictionaryAttr> schedule = get<DictionaryAttr>(entry, "schedule");
    if (failed(schedule))
      return failure();
    auto table = schedule->getAs<ArrayAttr>("operations");
    if (!table)
      return success();
    llvm::MapVector<ArrayRef<int32_t>, int64_t> groups;
    SmallVector<std::tuple<std::string, int64_t, int64_t>> rows;
    for (Attribute attribute : table) {
      auto row = dyn_cast<DictionaryAttr>(attribute);
      if (!row)
        return module.emitError("'") << SoapDialect::kPrograms
                                     << "' has a collective that is no table";
      FailureOr<StringAttr> kind = get<StringAttr>(row, "kind");
      if (failed(kind))
        return failure();
      auto members = row.getAs<DenseI32ArrayAttr>("members");
      auto root = row.getAs<IntegerAttr>("root");
      int64_t group = -1;
      if (members && !members.empty())
        group = groups
                    .insert({members.asArrayRef(),
                             static_cast<int64_t>(groups.size())})
                    .first->second;
      rows.emplace_back(text(*kind), group, root ? root.getInt() : -1);
    }
    json.attributeArray("groups", [&] {
      for (const auto &[members, number] : groups)
        json.array([&] {
          for (int32_t device : members)
            json.value(device);
        });
    });
    json.attributeArray("collectives", [&] {
      for (const auto &[kind, group, root] : rows)
        json.object([&] {
          json.attribute("kind", kind);
          json.attribute("group", group);
          json.attribute("root", root);
        });
    });
    return success();
  }

  LogicalResult writeTiles(StringRef key, StringRef entry,
                           DictionaryAttr rank) {
    FailureOr<ArrayAttr> tiles = get<ArrayAttr>(rank, key);
    if (failed(tiles))
      return failure();
    LogicalResult result = success();
    json.attributeArray(key, [&] {
      for (Attribute attribute : *tiles) {
        auto tile = dyn_cast<DictionaryAttr>(attribute);
        auto tensor = tile ? tile.getAs<StringAttr>("tensor") : StringAttr();
        auto region = tile ? tile.getAs<RegionAttr>("region") : RegionAttr();
        if (!tensor || !region) {
          result = module.emitError("'")
                   << SoapDialect::kPrograms << "' has a tile in '" << key
                   << "' without tensor and region";
          return;
        }
        // Devices with the same tile have the same attribute.
        std::string &shown = tileTexts[tile];
        if (shown.empty())
          shown = tileText(entry, tile, tensor, region.getRegion());
        json.rawValue(shown);
      }
    });
    return result;
  }

  /// Of the entry that is written.
  llvm::DenseMap<DictionaryAttr, std::string> tileTexts;

  std::string tileText(StringRef entry, DictionaryAttr tile, StringRef tensor,
                       const ::soap::Region &region) {
    std::string shown;
    llvm::raw_string_ostream os(shown);
    llvm::json::OStream object(os);
    object.object([&] {
      object.attribute("tensor", text(nameIn(entry, tensor)));
      writeRegion(object, region);
      if (auto updated = tile.getAs<BoolAttr>("updated");
          updated && updated.getValue())
        object.attribute("updated", true);
    });
    return shown;
  }

  static void writeRegion(llvm::json::OStream &json,
                          const ::soap::Region &region) {
    json.attributeArray("region", [&] {
      for (const ::soap::IndexSet &dim : region.indexSets())
        json.array([&] {
          for (const ::soap::Interval &interval : dim.intervals())
            json.array([&] {
              json.value(interval.lo);
              json.value(interval.hi);
            });
        });
    });
  }

  LogicalResult writeRank(StringRef entry, DictionaryAttr rank, bool hasRows) {
    FailureOr<IntegerAttr> device = get<IntegerAttr>(rank, "device");
    FailureOr<FlatSymbolRefAttr> program =
        get<FlatSymbolRefAttr>(rank, "program");
    if (failed(device) || failed(program))
      return failure();
    auto function = symbols.lookup<func::FuncOp>(program->getValue());
    if (!function)
      return module.emitError("'")
             << SoapDialect::kPrograms << "' names '" << program->getValue()
             << "', which is not a program of the module";
    auto arena = function->getAttrOfType<IntegerAttr>("soap.arena_bytes");
    if (!arena)
      return function.emitError("program '")
             << function.getName()
             << "' has no arena: run soap-plan-memory before";
    json.attribute("device", device->getInt());
    json.attribute("program", text(program->getValue()));
    json.attribute("arena_bytes", arena.getInt());
    if (failed(writeTiles("args", entry, rank)) ||
        failed(writeTiles("results", entry, rank)))
      return failure();
    if (hasRows) {
      for (StringRef key : {"slots", "peers", "transfers", "collectives"})
        writeText(key, rank);
      return success();
    }
    for (StringRef key : {"tasks", "peers", "transfers"}) {
      FailureOr<DenseI64ArrayAttr> list = get<DenseI64ArrayAttr>(rank, key);
      if (failed(list))
        return failure();
      writeIntegers(key, *list);
    }
    // Programs of a module that was not partitioned have none.
    if (auto list = rank.getAs<DenseI64ArrayAttr>("collectives"))
      writeIntegers("collectives", list);
    return success();
  }

  LogicalResult writeEntry(DictionaryAttr entry) {
    FailureOr<StringAttr> name = get<StringAttr>(entry, "entry");
    FailureOr<ArrayAttr> ranks = get<ArrayAttr>(entry, "ranks");
    if (failed(name) || failed(ranks))
      return failure();
    ::soap::Expected<DictionaryAttr> listed = listTasks(entry);
    if (!listed)
      return module.emitError("'")
             << SoapDialect::kPrograms << "': " << listed.error();
    LogicalResult result = success();
    tileTexts.clear();
    json.object([&] {
      json.attribute("name", text(*name));
      if (auto batch = entry.getAs<IntegerAttr>("batch"))
        json.attribute("batch", batch.getInt());
      result = writeSchedule(entry, *listed);
      if (succeeded(result))
        result = writeCollectives(entry);
      json.attributeArray("ranks", [&] {
        for (Attribute attribute : *ranks) {
          auto rank = dyn_cast<DictionaryAttr>(attribute);
          if (failed(result) || !rank) {
            result = failure();
            return;
          }
          json.object(
              [&] { result = writeRank(*name, rank, hasScheduleRows(entry)); });
        }
      });
    });
    return result;
  }
};

struct EmitManifestPass
    : public mlir::soap::impl::SoapEmitManifestBase<EmitManifestPass> {
  using SoapEmitManifestBase::SoapEmitManifestBase;

  void runOnOperation() override {
    auto programs =
        getOperation()->getAttrOfType<ArrayAttr>(SoapDialect::kPrograms);
    if (!programs) {
      getOperation().emitError("has no '")
          << SoapDialect::kPrograms << "' to make a manifest of";
      return signalPassFailure();
    }
    std::string manifest;
    llvm::raw_string_ostream os(manifest);
    if (failed(ManifestWriter(getOperation(), os).run(programs)) ||
        failed(checkMessages(programs)))
      return signalPassFailure();
    getOperation()->setAttr(SoapDialect::kManifest,
                            StringAttr::get(&getContext(), manifest));
  }

private:
  static bool hasMessages(ArrayAttr ranks) {
    return ranks && llvm::any_of(ranks, [](Attribute rank) {
             auto row = cast<DictionaryAttr>(rank);
             return llvm::any_of(
                 std::array{"transfers", "collectives"}, [&](StringRef key) {
                   auto numbers = row.getAs<DenseI64ArrayAttr>(key);
                   return numbers && llvm::any_of(numbers.asArrayRef(),
                                                  [](int64_t number) {
                                                    return number >= 0;
                                                  });
                 });
           });
  }

  /// Devices of an entry never wait for each other in a circle. This is the
  /// order in which they run.
  LogicalResult checkMessages(ArrayAttr programs) {
    for (auto entry : programs.getAsRange<DictionaryAttr>()) {
      if (!hasScheduleRows(entry) &&
          !hasMessages(entry.getAs<ArrayAttr>("ranks")))
        continue;
      FailureOr<RankTable> table = readRankTable(getOperation(), entry);
      if (failed(table) || failed(checkMessageOrder(*table, Sends::Post)))
        return failure();
    }
    return success();
  }
};

} // namespace
