//===- UpdateWeights.cpp - Trained weights back into an ONNX file ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The way back of `--weights-out`: the values of a safetensors file replace
// the values of the file that the model was imported from. All else stays as it
// is, so that other programs run what was trained.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Importer.h"

#include "Soap/Runtime/Data/TensorFiles.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cstring>
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

/// The bytes of a matrix of floats, transposed.
std::string transposed(const ::soap::runtime::HostTensor &values) {
  constexpr size_t kSize = sizeof(float);
  size_t rows = values.shape[0], columns = values.shape[1];
  std::string result(values.bytes.size(), '\0');
  const char *from = reinterpret_cast<const char *>(values.bytes.data());
  for (size_t row = 0; row < rows; ++row)
    for (size_t column = 0; column < columns; ++column)
      std::memcpy(result.data() + (column * rows + row) * kSize,
                  from + (row * columns + column) * kSize, kSize);
  return result;
}

/// Float values as raw data, wherever they were before.
void setValues(::onnx::TensorProto &tensor,
               const ::soap::runtime::HostTensor &values, bool isTransposed) {
  tensor.clear_float_data();
  tensor.clear_external_data();
  tensor.clear_data_location();
  if (isTransposed)
    tensor.set_raw_data(transposed(values));
  else
    tensor.set_raw_data(values.bytes.data(), values.bytes.size());
}

/// Finds the initializer called `name`, or adds one of `shape`: for a graph
/// input, for what a node gave, or for operands that shared another one.
::onnx::TensorProto &findOrAdd(::onnx::ModelProto &model,
                               const std::string &name, const Shape &shape) {
  ::onnx::GraphProto &graph = *model.mutable_graph();
  for (::onnx::TensorProto &tensor : *graph.mutable_initializer())
    if (tensor.name() == name)
      return tensor;
  ::onnx::TensorProto *tensor = graph.add_initializer();
  tensor->set_name(name);
  tensor->set_data_type(::onnx::TensorProto::FLOAT);
  for (int64_t dim : shape)
    tensor->add_dims(dim);
  // Before IR version 4, every initializer had to be an input, too.
  if (model.ir_version() < 4)
    model.set_ir_version(4);
  return *tensor;
}

/// Removes the Constant and Identity nodes whose results are initializers now.
void eraseReplaced(::onnx::GraphProto &graph,
                   const std::set<std::string> &replaced) {
  auto &nodes = *graph.mutable_node();
  for (int i = nodes.size(); i-- > 0;)
    if ((nodes[i].op_type() == "Identity" ||
         nodes[i].op_type() == "Constant") &&
        nodes[i].output_size() == 1 && replaced.count(nodes[i].output(0)))
      nodes.DeleteSubrange(i, 1);
}

} // namespace

LogicalResult mlir::soap::updateONNXWeights(StringRef path,
                                            StringRef weightsPath,
                                            llvm::raw_ostream &output,
                                            MLIRContext *context,
                                            ONNXImportOptions options) {
  // Import says which weight has which name, and checks the file.
  std::map<std::string, std::vector<ONNXWeightPlace>> places;
  options.weightPlaces = &places;
  options.weightsOut.clear();
  OwningOpRef<ModuleOp> module = importONNX(path, context, options);
  if (!module)
    return failure();
  std::map<std::string, Shape> shapes;
  for (auto function : module->getOps<func::FuncOp>())
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (auto name =
              function.getArgAttrOfType<StringAttr>(i, SoapDialect::kName))
        shapes[name.str()] = shapeOf(function.getArgument(i));
  Location loc = FileLineColLoc::get(context, path, 0, 0);
  auto weights = ::soap::runtime::readSafetensors(weightsPath.str());
  if (!weights)
    return emitError(loc) << weights.error();

  ::onnx::ModelProto model;
  std::ifstream stream(path.str(), std::ios::binary);
  if (!stream || !model.ParseFromIstream(&stream))
    return emitError(loc) << "can not be read again";
  // Places count the nodes of functions, which are inlined.
  if (auto error = inlineFunctions(model))
    return emitError(loc) << error->message;
  size_t updated = 0;
  std::set<std::string> replaced;
  for (const auto &[name, values] : *weights) {
    auto found = places.find(name);
    if (found == places.end()) // states of an optimizer
      continue;
    for (const ONNXWeightPlace &place : found->second) {
      Shape shape = values.shape;
      if (place.isTransposed)
        std::reverse(shape.begin(), shape.end());
      ::onnx::TensorProto &tensor = findOrAdd(model, place.name, shape);
      if (tensor.data_type() != ::onnx::TensorProto::FLOAT)
        return emitError(loc)
               << "tensor " << quote(place.name) << " has element type "
               << dataTypeName(tensor.data_type())
               << ", only float32 weights can be written back";
      if (values.dtype != ::soap::runtime::ElementType::F32 ||
          shapeOf(tensor) != shape || shapes[name] != values.shape)
        return emitError(loc)
               << weightsPath << ": tensor " << quote(name)
               << ": expected float32 of shape " << shapeString(shapes[name])
               << ", got " << ::soap::runtime::nameOf(values.dtype)
               << " of shape " << shapeString(values.shape);
      setValues(tensor, values, place.isTransposed);
      for (auto [node, operand] : place.operands)
        model.mutable_graph()->mutable_node(int(node))->set_input(int(operand),
                                                                  place.name);
      replaced.insert(place.name);
    }
    ++updated;
  }
  eraseReplaced(*model.mutable_graph(), replaced);
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
