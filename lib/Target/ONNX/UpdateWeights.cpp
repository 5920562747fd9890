//===- UpdateWeights.cpp - Trained weights back into an ONNX file -*- C++
//-*-===//
//
// The way back of `--weights-out`: the values of a safetensors file replace
// those of the file that the model was imported from. All else stays as it is,
// so that other programs run what was trained.
//
//===----------------------------------------------------------------------===//

#include "Importer.h"

#include "Soap/Runtime/Files.h"

#include <fstream>
#include <onnx/onnx_pb.h>

using namespace mlir;
using namespace mlir::soap;
using namespace mlir::soap::onnx;

namespace {

using Shape = std::vector<int64_t>;

Shape shapeOf(const ::onnx::TensorProto &tensor) {
  return Shape(tensor.dims().begin(), tensor.dims().end());
}

/// Float values as raw data, wherever they were before.
void setValues(::onnx::TensorProto &tensor,
               const ::soap::runtime::HostTensor &values) {
  tensor.clear_float_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
  tensor.set_raw_data(values.bytes.data(), values.bytes.size());
}

/// Finds the initializer called `name`, or adds one for a graph input, of the
/// input's shape.
::onnx::TensorProto *findOrAdd(::onnx::GraphProto &graph,
                               const std::string &name) {
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer())
    if (tensor.name() == name)
      return &tensor;
  for (const ::onnx::ValueInfoProto &input : graph.input()) {
    if (input.name() != name)
      continue;
    ::onnx::TensorProto *tensor = graph.add_initializer();
    tensor->set_name(name);
    tensor->set_data_type(::onnx::TensorProto::FLOAT);
    for (const auto &dim : input.type().tensor_type().shape().dim())
      tensor->add_dims(dim.dim_value());
    return tensor;
  }
  return nullptr;
}

} // namespace

LogicalResult mlir::soap::updateONNXWeights(StringRef path,
                                            StringRef weightsPath,
                                            llvm::raw_ostream &output,
                                            MLIRContext *context,
                                            ONNXImportOptions options) {
  // Import says which weight has which name, and checks the file.
  std::map<std::string, std::string> sources;
  options.parameterSources = &sources;
  options.weightsOut.clear();
  if (!importONNX(path, context, options))
    return failure();
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  auto weights = ::soap::runtime::readSafetensors(weightsPath.str());
  if (!weights)
    return emitError(loc) << weights.error();

  ::onnx::ModelProto model;
  std::ifstream stream(path.str(), std::ios::binary);
  if (!stream || !model.ParseFromIstream(&stream))
    return emitError(loc) << "can not be read again";
  size_t updated = 0;
  for (const auto &[name, values] : *weights) {
    auto source = sources.find(name);
    if (source == sources.end()) // states of an optimizer
      continue;
    if (source->second.empty())
      return emitError(loc) << "weight " << quote(name)
                            << " has no place of its own in the file: it "
                               "shares an initializer with others";
    ::onnx::TensorProto *tensor =
        findOrAdd(*model.mutable_graph(), source->second);
    if (!tensor)
      return emitError(loc)
             << "weight " << quote(name)
             << " is the value of a node, not an initializer or a graph input";
    if (values.dtype != ::soap::runtime::ElementType::F32 ||
        shapeOf(*tensor) != values.shape)
      return emitError(loc)
             << weightsPath << ": tensor " << quote(name)
             << ": expected float32 of shape " << shapeString(shapeOf(*tensor))
             << ", got " << ::soap::runtime::nameOf(values.dtype)
             << " of shape " << shapeString(values.shape);
    setValues(*tensor, values);
    ++updated;
  }
  if (updated == 0)
    return emitError(loc)
           << weightsPath
           << ": no tensor has the name of a weight of the model";
  std::string bytes;
  if (!model.SerializeToString(&bytes))
    return emitError(loc) << "the model with its weights is larger than 2 GiB";
  output << bytes;
  return success();
}
