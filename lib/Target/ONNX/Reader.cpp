//===- Reader.cpp - Decoding of ONNX files ----------------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From protobuf to `Model`, distrusting everything. The only file that sees
// protobuf.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Model.h"

#include <onnx/onnx_pb.h>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/unknown_field_set.h>

#include <bit>
#include <charconv>
#include <climits>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

using namespace mlir::soap::onnx;
using ::soap::Error;
using ::soap::Expected;
using ::soap::MaybeError;
namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little,
              "raw tensor data is little endian");

namespace {

/// Bytes of one element in raw data; 0 for types that are not decoded.
size_t elementBytes(int32_t dataType) {
  switch (dataType) {
  case kFloat:
  case kInt32:
  case kUInt32:
    return 4;
  case kInt64:
  case kDouble:
    return 8;
  case kUInt16:
  case kInt16:
  case kFloat16:
  case kBFloat16:
    return 2;
  case kUInt8:
  case kInt8:
  case kBool:
    return 1;
  }
  return 0;
}

/// The bytes of a tensor stored in a file beside the model, which may not leave
/// the model's folder.
Expected<std::string> readExternal(const ::onnx::TensorProto &proto,
                                   const fs::path &folder, uint64_t bytes) {
  std::string location;
  uint64_t offset = 0, length = 0;
  bool hasLength = false;
  for (const auto &entry : proto.external_data()) {
    auto number = [&](uint64_t &result) {
      const std::string &text = entry.value();
      auto [end, status] =
          std::from_chars(text.data(), text.data() + text.size(), result);
      return status == std::errc() && end == text.data() + text.size();
    };
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset" && !number(offset))
      return Error{"external data: expected a number as 'offset', got " +
                   quote(entry.value())};
    else if (entry.key() == "length") {
      if (!number(length))
        return Error{"external data: expected a number as 'length', got " +
                     quote(entry.value())};
      hasLength = true;
    }
  }
  fs::path relative(location);
  bool inside = !location.empty() && relative.is_relative() &&
                location.find('\0') == std::string::npos;
  for (const fs::path &part : relative)
    inside = inside && part != "..";
  std::error_code status;
  fs::path root, file;
  if (inside) {
    root = fs::canonical(folder.empty() ? fs::path(".") : folder, status);
    file = fs::canonical(root / relative, status);
    if (status || !fs::is_regular_file(file, status))
      return Error{"can not read the external data file " + quote(location)};
    // A link may not lead out of the folder either.
    auto step = file.begin();
    for (const fs::path &part : root)
      inside = inside && step != file.end() && *step++ == part;
  }
  if (!inside)
    return Error{"external data file " + quote(location) +
                 ": expected a relative path inside of the model's folder"};
  uint64_t size = fs::file_size(file, status);
  if (status || offset > size || (hasLength && length > size - offset))
    return Error{"external data: offset " + std::to_string(offset) +
                 (hasLength ? " and length " + std::to_string(length) : "") +
                 " exceed the file " + quote(location)};
  if (!hasLength)
    length = std::min(bytes, size - offset);
  if (length != bytes)
    return Error{"external data file " + quote(location) + ": expected " +
                 std::to_string(bytes) + " bytes, got " +
                 std::to_string(length)};
  std::string result(bytes, '\0');
  std::ifstream stream(file, std::ios::binary);
  if (!stream.seekg(offset) || !stream.read(result.data(), bytes))
    return Error{"can not read the external data file " + quote(location)};
  return result;
}

/// The number with the given bits: a float16, or the upper half of a float32.
float widen(uint16_t bits, int32_t dataType) {
  if (dataType == kBFloat16)
    return std::bit_cast<float>(uint32_t(bits) << 16);
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  float sign = bits >> 15 ? -1.0f : 1.0f;
  if (exponent == 31)
    return fraction ? std::numeric_limits<float>::quiet_NaN()
                    : sign * std::numeric_limits<float>::infinity();
  return sign * std::ldexp(float(exponent ? fraction + 1024 : fraction),
                           int(exponent ? exponent : 1) - 25);
}

/// Values from packed bytes; `raw` has the right size.
void decodeRaw(Tensor &tensor, const std::string &raw, size_t count) {
  auto widen = [&](auto example) {
    tensor.ints.resize(count);
    for (size_t i = 0; i < count; ++i) {
      decltype(example) value;
      std::memcpy(&value, raw.data() + i * sizeof(value), sizeof(value));
      tensor.ints[i] = value;
    }
  };
  auto toFloats = [&](auto example, auto convert) {
    tensor.floats.resize(count);
    for (size_t i = 0; i < count; ++i) {
      decltype(example) value;
      std::memcpy(&value, raw.data() + i * sizeof(value), sizeof(value));
      tensor.floats[i] = convert(value);
    }
  };
  switch (tensor.dataType) {
  case kDouble:
    return toFloats(double(), [](double x) { return static_cast<float>(x); });
  case kFloat16:
  case kBFloat16:
    return toFloats(uint16_t(),
                    [&](uint16_t x) { return ::widen(x, tensor.dataType); });
  case kInt16:
    return widen(int16_t());
  case kUInt16:
    return widen(uint16_t());
  case kUInt32:
    return widen(uint32_t());
  case kFloat:
    tensor.floats.resize(count);
    if (count)
      std::memcpy(tensor.floats.data(), raw.data(), raw.size());
    return;
  case kInt32:
    return widen(int32_t());
  case kInt64:
    return widen(int64_t());
  case kInt8:
    return widen(int8_t());
  default:
    return widen(uint8_t());
  }
}

/// Values as the file has them, with the type of the file.
Expected<Tensor> readTyped(const ::onnx::TensorProto &proto,
                           const fs::path &folder) {
  Tensor tensor;
  tensor.name = proto.name();
  tensor.dataType = proto.data_type();
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  if (tensor.dims.size() > 64)
    return Error{"rank " + std::to_string(tensor.dims.size()) +
                 " is too large"};
  int64_t count = countElements(tensor.dims);
  if (count < 0)
    return Error{"shape " + shapeString(tensor.dims) +
                 " has a negative dim or too many elements"};
  if (tensor.dataType == kUndefined)
    return Error{"the element type is missing"};
  if (proto.has_segment())
    return Error{"segmented tensors are not supported"};
  if (!tensor.isDecoded() && !isOtherFloat(tensor.dataType))
    return tensor;

  auto wrongCount = [&](int64_t got, const char *what) {
    return Error{"shape " + shapeString(tensor.dims) + " of " +
                 dataTypeName(tensor.dataType) + " needs " +
                 std::to_string(what[0] == 'b' ? count * int64_t(elementBytes(
                                                             tensor.dataType))
                                               : count) +
                 " " + what + ", got " + std::to_string(got)};
  };
  if (proto.data_location() == ::onnx::TensorProto::EXTERNAL) {
    auto raw = readExternal(proto, folder,
                            uint64_t(count) * elementBytes(tensor.dataType));
    if (!raw)
      return raw.takeError();
    decodeRaw(tensor, *raw, count);
  } else if (proto.has_raw_data()) {
    if (proto.raw_data().size() !=
        uint64_t(count) * elementBytes(tensor.dataType))
      return wrongCount(proto.raw_data().size(), "bytes of raw data");
    decodeRaw(tensor, proto.raw_data(), count);
  } else if (tensor.dataType == kDouble) {
    if (proto.double_data_size() != count)
      return wrongCount(proto.double_data_size(), "values");
    for (double value : proto.double_data())
      tensor.floats.push_back(static_cast<float>(value));
  } else if (isOtherFloat(tensor.dataType)) {
    if (proto.int32_data_size() != count)
      return wrongCount(proto.int32_data_size(), "values");
    for (int32_t bits : proto.int32_data())
      tensor.floats.push_back(
          widen(static_cast<uint16_t>(bits), tensor.dataType));
  } else if (tensor.dataType == kUInt32) {
    if (proto.uint64_data_size() != count)
      return wrongCount(proto.uint64_data_size(), "values");
    for (uint64_t value : proto.uint64_data())
      tensor.ints.push_back(static_cast<uint32_t>(value));
  } else if (tensor.isFloat()) {
    if (proto.float_data_size() != count)
      return wrongCount(proto.float_data_size(), "values");
    tensor.floats.assign(proto.float_data().begin(), proto.float_data().end());
  } else if (tensor.dataType == kInt64) {
    if (proto.int64_data_size() != count)
      return wrongCount(proto.int64_data_size(), "values");
    tensor.ints.assign(proto.int64_data().begin(), proto.int64_data().end());
  } else {
    if (proto.int32_data_size() != count)
      return wrongCount(proto.int32_data_size(), "values");
    tensor.ints.assign(proto.int32_data().begin(), proto.int32_data().end());
  }
  return tensor;
}

/// State that the decoding of all parts of a file shares.
struct Reader {
  const fs::path &folder;
  /// Types of floats other than float32 that were read.
  std::set<int32_t> &otherFloats;

  Expected<Tensor> readTensor(const ::onnx::TensorProto &proto) {
    auto tensor = readTyped(proto, folder);
    if (tensor && isOtherFloat(tensor->dataType)) {
      otherFloats.insert(tensor->dataType);
      tensor->dataType = kFloat;
    }
    return tensor;
  }
  Expected<NodeAttribute> readAttribute(const ::onnx::AttributeProto &proto);
  MaybeError readNodes(const ::onnx::GraphProto &graph,
                       std::vector<Node> &nodes);
  Expected<std::shared_ptr<const Graph>>
  readSubgraph(const ::onnx::GraphProto &proto);
};

Expected<NodeAttribute>
Reader::readAttribute(const ::onnx::AttributeProto &proto) {
  NodeAttribute attribute;
  attribute.name = proto.name();
  using Proto = ::onnx::AttributeProto;
  // Files of the first IR versions have no type: the field that is there says
  // it.
  auto type = proto.type();
  if (type == Proto::UNDEFINED)
    type = proto.has_f()           ? Proto::FLOAT
           : proto.has_i()         ? Proto::INT
           : proto.has_s()         ? Proto::STRING
           : proto.has_t()         ? Proto::TENSOR
           : proto.ints_size() > 0 ? Proto::INTS
           : proto.floats_size()   ? Proto::FLOATS
                                   : Proto::UNDEFINED;
  switch (type) {
  case Proto::INT:
    attribute.kind = NodeAttribute::Kind::Int;
    attribute.i = proto.i();
    break;
  case Proto::FLOAT:
    attribute.kind = NodeAttribute::Kind::Float;
    attribute.f = proto.f();
    break;
  case Proto::STRING:
    attribute.kind = NodeAttribute::Kind::String;
    attribute.s = proto.s();
    break;
  case Proto::INTS:
    attribute.kind = NodeAttribute::Kind::Ints;
    attribute.ints.assign(proto.ints().begin(), proto.ints().end());
    break;
  case Proto::FLOATS:
    attribute.kind = NodeAttribute::Kind::Floats;
    attribute.floats.assign(proto.floats().begin(), proto.floats().end());
    break;
  case Proto::STRINGS:
    attribute.kind = NodeAttribute::Kind::Strings;
    attribute.strings.assign(proto.strings().begin(), proto.strings().end());
    break;
  case Proto::GRAPH: {
    attribute.kind = NodeAttribute::Kind::Graph;
    auto graph = readSubgraph(proto.g());
    if (!graph)
      return Error{"attribute " + quote(attribute.name) + ": " + graph.error()};
    attribute.graph = *graph;
    break;
  }
  case Proto::UNDEFINED:
    break;
  case Proto::TENSOR: {
    attribute.kind = NodeAttribute::Kind::Tensor;
    auto tensor = readTensor(proto.t());
    if (!tensor)
      return Error{"attribute " + quote(attribute.name) + ": " +
                   tensor.error()};
    attribute.tensor = std::move(*tensor);
    break;
  }
  default:
    break;
  }
  if (!proto.ref_attr_name().empty())
    attribute.kind = NodeAttribute::Kind::Other;
  return attribute;
}

Expected<ValueInfo> readValueInfo(const ::onnx::ValueInfoProto &proto) {
  ValueInfo info;
  info.name = proto.name();
  if (info.name.empty())
    return Error{"the name is missing"};
  if (!proto.type().has_tensor_type())
    return Error{"expected a tensor"};
  const auto &type = proto.type().tensor_type();
  info.dataType = type.elem_type();
  info.hasShape = type.has_shape();
  if (type.shape().dim_size() > 64)
    return Error{"rank " + std::to_string(type.shape().dim_size()) +
                 " is too large"};
  for (const auto &dim : type.shape().dim()) {
    Dim result;
    if (dim.has_dim_value())
      result.extent = dim.dim_value();
    else
      result.symbol = dim.dim_param();
    if (dim.has_dim_value() && dim.dim_value() < 0)
      return Error{"dim " + std::to_string(info.dims.size()) +
                   " is negative: " + std::to_string(dim.dim_value())};
    // Some exporters write 0 for a dim that they do not know.
    if (result.extent == 0)
      result.extent = -1;
    info.dims.push_back(std::move(result));
  }
  return info;
}

/// The last but one of "['', 'layers.0', 'layers.0.norm', 'layer_norm']": the
/// path of the innermost module; nothing for other texts.
std::optional<std::string> moduleOfScopes(const std::string &text) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < text.size();) {
    size_t begin = text.find_first_of("'\"", at);
    if (begin == std::string::npos)
      break;
    size_t end = text.find(text[begin], begin + 1);
    if (end == std::string::npos)
      return std::nullopt;
    parts.push_back(text.substr(begin + 1, end - begin - 1));
    at = end + 1;
  }
  if (parts.size() < 2)
    return std::nullopt;
  return parts[parts.size() - 2];
}

/// "layers.0.norm" of "/layers.0/norm/LayerNormalization", as PyTorch's older
/// exporter names nodes.
std::optional<std::string> moduleOfPath(const std::string &name) {
  if (name.empty() || name[0] != '/')
    return std::nullopt;
  std::string path = name.substr(0, name.find_last_of('/'));
  std::string result;
  for (char c : path)
    if (c != '/')
      result += c;
    else if (!result.empty())
      result += '.';
  return result;
}

/// The module of a node, from its metadata or its name. Metadata came with IR
/// version 10: older definitions of ONNX keep it as an unknown field.
std::optional<std::string> readScope(const ::onnx::NodeProto &proto) {
  constexpr int kMetadata = 9, kKey = 1, kValue = 2;
  constexpr const char *kScopes = "pkg.torch.onnx.name_scopes";
  auto textOf = [](const google::protobuf::UnknownFieldSet &fields,
                   int number) {
    for (int i = 0; i < fields.field_count(); ++i)
      if (const auto &field = fields.field(i);
          field.number() == number &&
          field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
        return field.length_delimited();
    return std::string();
  };
  const google::protobuf::UnknownFieldSet &unknown = proto.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    const auto &field = unknown.field(i);
    google::protobuf::UnknownFieldSet entry;
    if (field.number() == kMetadata &&
        field.type() == google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
        entry.ParseFromString(field.length_delimited()) &&
        textOf(entry, kKey) == kScopes)
      return moduleOfScopes(textOf(entry, kValue));
  }
  auto known = [](const auto &message) -> std::optional<std::string> {
    if constexpr (requires { message.metadata_props(); })
      for (const auto &entry : message.metadata_props())
        if (entry.key() == kScopes)
          return moduleOfScopes(entry.value());
    return std::nullopt;
  };
  if (auto scope = known(proto))
    return scope;
  return moduleOfPath(proto.name());
}

MaybeError Reader::readNodes(const ::onnx::GraphProto &graph,
                             std::vector<Node> &nodes) {
  for (const auto &proto : graph.node()) {
    Node node;
    node.name = proto.name();
    node.opType = proto.op_type();
    node.domain = proto.domain() == "ai.onnx" ? "" : proto.domain();
    node.scope = readScope(proto);
    node.inputs.assign(proto.input().begin(), proto.input().end());
    node.outputs.assign(proto.output().begin(), proto.output().end());
    std::set<std::string> names;
    for (const auto &attributeProto : proto.attribute()) {
      std::string where =
          "node " +
          quote(node.name.empty() && !node.outputs.empty() ? node.outputs[0]
                                                           : node.name) +
          " (" + quote(node.opType) + "): ";
      auto attribute = readAttribute(attributeProto);
      if (!attribute)
        return Error{where + attribute.error()};
      if (!names.insert(attribute->name).second)
        return Error{where + "attribute " + quote(attribute->name) +
                     " is given twice"};
      node.attributes.push_back(std::move(*attribute));
    }
    node.opset = opsetOf(proto);
    nodes.push_back(std::move(node));
  }
  return {};
}

Expected<std::shared_ptr<const Graph>>
Reader::readSubgraph(const ::onnx::GraphProto &proto) {
  auto graph = std::make_shared<Graph>();
  if (proto.sparse_initializer_size() > 0)
    return Error{"sparse initializers are not supported"};
  for (const auto &initializer : proto.initializer()) {
    auto tensor = readTensor(initializer);
    if (!tensor)
      return Error{"initializer " + quote(initializer.name()) + ": " +
                   tensor.error()};
    graph->initializers.push_back(std::move(*tensor));
  }
  for (const auto &input : proto.input())
    graph->inputs.push_back(input.name());
  for (const auto &output : proto.output())
    graph->outputs.push_back(output.name());
  if (auto error = readNodes(proto, graph->nodes))
    return Error{error->message};
  return std::shared_ptr<const Graph>(std::move(graph));
}

MaybeError readGraph(::onnx::GraphProto &graph, const fs::path &folder,
                     Model &model) {
  if (graph.sparse_initializer_size() > 0)
    return Error{"sparse initializers are not supported"};
  std::set<std::string> names;
  Reader reader{folder, model.otherFloats};
  for (auto &proto : *graph.mutable_initializer()) {
    auto tensor = reader.readTensor(proto);
    if (!tensor)
      return Error{"initializer " + quote(proto.name()) + ": " +
                   tensor.error()};
    if (tensor->name.empty())
      return Error{"an initializer has no name"};
    if (!names.insert(tensor->name).second)
      return Error{"initializer " + quote(tensor->name) + " is defined twice"};
    model.initializers.push_back(std::move(*tensor));
    // Weights are the bulk of a file: not two copies of all of them at once.
    proto.Clear();
  }
  auto readInfos = [](const auto &protos, const char *what,
                      std::vector<ValueInfo> &infos) -> MaybeError {
    std::set<std::string> known;
    for (const auto &proto : protos) {
      auto info = readValueInfo(proto);
      if (!info)
        return Error{std::string(what) + " " + quote(proto.name()) + ": " +
                     info.error()};
      if (!known.insert(info->name).second)
        return Error{std::string(what) + " " + quote(info->name) +
                     " is defined twice"};
      infos.push_back(std::move(*info));
    }
    return {};
  };
  if (auto error = readInfos(graph.input(), "graph input", model.inputs))
    return error;
  if (auto error = readInfos(graph.output(), "graph output", model.outputs))
    return error;
  return reader.readNodes(graph, model.nodes);
}

} // namespace

namespace mlir::soap::onnx {

std::string dataTypeName(int32_t dataType) {
  switch (dataType) {
  case kUndefined:
    return "undefined";
  case kFloat:
    return "float32";
  case kBool:
    return "bool";
  }
  if (!::onnx::TensorProto::DataType_IsValid(dataType))
    return "type " + std::to_string(dataType);
  std::string name = ::onnx::TensorProto::DataType_Name(
      static_cast<::onnx::TensorProto::DataType>(dataType));
  for (char &c : name)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return name == "double" ? "float64" : name;
}

int64_t countElements(const std::vector<int64_t> &dims) {
  int64_t product = 1;
  bool empty = false, tooLarge = false;
  for (int64_t dim : dims) {
    if (dim < 0)
      return -1;
    empty = empty || dim == 0;
    // Extents other than 0 must multiply to something sensible even if the
    // tensor is empty.
    if (dim > 0 && __builtin_mul_overflow(product, dim, &product))
      return -1;
    tooLarge = tooLarge || product > kMaxElements;
  }
  return tooLarge ? -1 : empty ? 0 : product;
}

std::string shapeString(const std::vector<int64_t> &dims) {
  if (dims.empty())
    return "[]";
  std::string result;
  for (size_t i = 0; i < dims.size(); ++i)
    result += (i ? "x" : "") + std::to_string(dims[i]);
  return result;
}

std::string quote(const std::string &name) {
  static const char digits[] = "0123456789abcdef";
  std::string result = "'";
  for (unsigned char c : name.substr(0, 200)) {
    if (c >= 0x20 && c != 0x7f && c != '\'' && c != '\\')
      result += static_cast<char>(c);
    else
      (((result += "\\x") += digits[c >> 4]) += digits[c & 15]);
  }
  return result + (name.size() > 200 ? "...'" : "'");
}

Expected<Model> readModel(const std::string &path) {
  std::error_code status;
  if (!fs::exists(path, status))
    return Error{"no such file"};
  if (!fs::is_regular_file(path, status))
    return Error{"not a regular file"};
  if (fs::file_size(path, status) > INT_MAX)
    return Error{"larger than 2 GiB: store the weights as external data"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream)
    return Error{"can not be read"};
  // Protobuf would print its own messages beside ours.
  google::protobuf::SetLogHandler(nullptr);
  ::onnx::ModelProto proto;
  {
    google::protobuf::io::IstreamInputStream input(&stream);
    google::protobuf::io::CodedInputStream coded(&input);
    coded.SetTotalBytesLimit(INT_MAX);
    if (!proto.ParseFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
      return Error{"not an ONNX model, or truncated: expected a protobuf "
                   "message of type ModelProto"};
  }
  if (!proto.has_graph())
    return Error{"expected an ONNX model with a graph"};
  Model model;
  model.producer = proto.producer_name();
  for (const auto &import : proto.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx")
      model.opset = import.version();
  if (model.opset == 0)
    return Error{"no opset of the domain ai.onnx is imported"};
  if (auto error = inlineFunctions(proto))
    return *error;
  if (auto error = readGraph(*proto.mutable_graph(),
                             fs::path(path).parent_path(), model))
    return *error;
  return model;
}

} // namespace mlir::soap::onnx
