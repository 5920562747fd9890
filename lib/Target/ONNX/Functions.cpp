//===- Functions.cpp - Functions of an ONNX file ----------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Inlining. Values of a function get names of their own at each call; operands
// and results get the caller's names; attributes that refer to the call's are
// replaced by those.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"

#include "Model.h"

#include <google/protobuf/unknown_field_set.h>

#include <charconv>
#include <map>

using namespace mlir::soap::onnx;
using ::soap::Error;
using ::soap::MaybeError;

namespace {

/// Nodes of all calls together, and their bytes.
constexpr int64_t kLargestNumNodes = int64_t(1) << 20;
constexpr size_t kLargestBytes = size_t(1) << 31;
/// Functions that call functions.
constexpr int kLargestDepth = 64;
/// A key of a node's metadata.
constexpr const char *kOpset = "soap.opset";
constexpr int kMetadataField = 9, kKeyField = 1, kValueField = 2;

using google::protobuf::UnknownFieldSet;

/// Metadata of nodes came with IR version 10, so older definitions of ONNX have
/// it as an unknown field.
std::string textOf(const UnknownFieldSet &fields, int number) {
  for (int i = 0; i < fields.field_count(); ++i)
    if (fields.field(i).number() == number &&
        fields.field(i).type() ==
            google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED)
      return fields.field(i).length_delimited();
  return "";
}

void setOpset(::onnx::NodeProto &node, int64_t opset) {
  auto add = [&](auto &message) {
    if constexpr (requires { message.add_metadata_props(); }) {
      auto *entry = message.add_metadata_props();
      entry->set_key(kOpset);
      entry->set_value(std::to_string(opset));
    } else {
      UnknownFieldSet entry;
      entry.AddLengthDelimited(kKeyField, kOpset);
      entry.AddLengthDelimited(kValueField, std::to_string(opset));
      std::string bytes;
      entry.SerializeToString(&bytes);
      message.mutable_unknown_fields()->AddLengthDelimited(kMetadataField,
                                                           bytes);
    }
  };
  add(node);
}

/// The default values of a function's attributes, which came with IR version 9.
std::vector<::onnx::AttributeProto>
defaultsOf(const ::onnx::FunctionProto &function) {
  constexpr int kDefaultsField = 11;
  std::vector<::onnx::AttributeProto> result;
  auto known = [&](const auto &message) {
    if constexpr (requires { message.attribute_proto(); })
      result.assign(message.attribute_proto().begin(),
                    message.attribute_proto().end());
  };
  known(function);
  const UnknownFieldSet &unknown = function.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    ::onnx::AttributeProto attribute;
    if (unknown.field(i).number() == kDefaultsField &&
        unknown.field(i).type() ==
            google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
        attribute.ParseFromString(unknown.field(i).length_delimited()))
      result.push_back(std::move(attribute));
  }
  return result;
}

using Nodes = google::protobuf::RepeatedPtrField<::onnx::NodeProto>;
using Key = std::pair<std::string, std::string>;

/// The names and attributes of one call.
struct Call {
  std::map<std::string, std::string> names;
  std::string prefix;
  std::map<std::string, ::onnx::AttributeProto> attributes;

  std::string nameOf(const std::string &name) const {
    auto found = names.find(name);
    return name.empty()           ? name
           : found == names.end() ? prefix + name
                                  : found->second;
  }
};

class Inliner {
public:
  explicit Inliner(::onnx::ModelProto &model) : model(model) {}

  MaybeError run() {
    for (const auto &function : model.functions())
      if (!functions.emplace(Key(function.domain(), function.name()), &function)
               .second)
        return Error{"function " + quote(function.name()) +
                     " is defined twice, or for several overloads, which is "
                     "not supported"};
    if (auto error = expand(*model.mutable_graph()->mutable_node(), 0))
      return error;
    functions.clear();
    model.clear_functions();
    return {};
  }

private:
  /// Replaces the calls among `nodes` and in their graphs.
  MaybeError expand(Nodes &nodes, int depth) {
    Nodes result;
    for (::onnx::NodeProto &node : nodes) {
      if (++numNodes > kLargestNumNodes)
        return Error{"functions expand to more than " +
                     std::to_string(kLargestNumNodes) + " nodes"};
      for (auto &attribute : *node.mutable_attribute())
        if (attribute.has_g())
          if (auto error =
                  expand(*attribute.mutable_g()->mutable_node(), depth))
            return error;
      auto found = functions.find(Key(node.domain(), node.op_type()));
      if (found == functions.end()) {
        *result.Add() = std::move(node);
        continue;
      }
      if (depth >= kLargestDepth)
        return Error{"function " + quote(node.op_type()) +
                     " calls itself, or calls are nested more than " +
                     std::to_string(kLargestDepth) + " deep"};
      Nodes body;
      if (auto error = copyBody(node, *found->second, body))
        return error;
      if (auto error = expand(body, depth + 1))
        return error;
      for (::onnx::NodeProto &inner : body)
        *result.Add() = std::move(inner);
    }
    nodes.Swap(&result);
    return {};
  }

  MaybeError copyBody(const ::onnx::NodeProto &node,
                      const ::onnx::FunctionProto &function, Nodes &body) {
    auto describe = [&] {
      return "node " + quote(node.name()) + " (call of the function " +
             quote(node.op_type()) + "): ";
    };
    if (node.input_size() > function.input_size() ||
        node.output_size() > function.output_size())
      return Error{describe() + "expected at most " +
                   std::to_string(function.input_size()) + " operands and " +
                   std::to_string(function.output_size()) + " results, got " +
                   std::to_string(node.input_size()) + " and " +
                   std::to_string(node.output_size())};
    Call call;
    std::string base = node.name().empty() && node.output_size() > 0
                           ? node.output(0)
                           : node.name();
    call.prefix = base + "/call" + std::to_string(++numCalls) + "/";
    for (int i = 0; i < function.input_size(); ++i)
      call.names[function.input(i)] =
          i < node.input_size() ? node.input(i) : std::string();
    // A result that is an operand needs a node to be called otherwise.
    for (int i = 0; i < node.output_size(); ++i) {
      if (node.output(i).empty())
        continue;
      auto [known, isNew] =
          call.names.emplace(function.output(i), node.output(i));
      if (!isNew) {
        ::onnx::NodeProto *identity = body.Add();
        identity->set_op_type("Identity");
        identity->add_input(known->second);
        identity->add_output(node.output(i));
      }
    }
    for (const auto &attribute : defaultsOf(function))
      call.attributes[attribute.name()] = attribute;
    for (const auto &attribute : node.attribute())
      call.attributes[attribute.name()] = attribute;
    int64_t opset = 0;
    for (const auto &import : function.opset_import())
      if (import.domain().empty() || import.domain() == "ai.onnx")
        opset = import.version();
    for (const auto &inner : function.node()) {
      numBytes += inner.ByteSizeLong();
      if (numBytes > kLargestBytes)
        return Error{"functions expand to more than " +
                     std::to_string(kLargestBytes) + " bytes"};
      ::onnx::NodeProto *copy = body.Add();
      *copy = inner;
      rename(*copy, call, opset);
      if (!base.empty() && !inner.name().empty())
        copy->set_name(base + "/" + inner.name());
    }
    return {};
  }

  void rename(::onnx::NodeProto &node, const Call &call, int64_t opset) {
    for (std::string &name : *node.mutable_input())
      name = call.nameOf(name);
    for (std::string &name : *node.mutable_output())
      name = call.nameOf(name);
    if (opset != 0)
      setOpset(node, opset);
    auto &attributes = *node.mutable_attribute();
    for (int i = attributes.size(); i-- > 0;) {
      ::onnx::AttributeProto &attribute = attributes[i];
      if (!attribute.ref_attr_name().empty()) {
        auto found = call.attributes.find(attribute.ref_attr_name());
        if (found == call.attributes.end()) {
          attributes.DeleteSubrange(i, 1);
          continue;
        }
        std::string name = attribute.name();
        attribute = found->second;
        attribute.set_name(name);
        continue;
      }
      if (attribute.has_g())
        rename(*attribute.mutable_g(), call, opset);
    }
  }

  void rename(::onnx::GraphProto &graph, const Call &call, int64_t opset) {
    for (auto &info : *graph.mutable_input())
      info.set_name(call.nameOf(info.name()));
    for (auto &info : *graph.mutable_output())
      info.set_name(call.nameOf(info.name()));
    for (auto &tensor : *graph.mutable_initializer())
      tensor.set_name(call.nameOf(tensor.name()));
    for (auto &node : *graph.mutable_node())
      rename(node, call, opset);
  }

  ::onnx::ModelProto &model;
  std::map<Key, const ::onnx::FunctionProto *> functions;
  int64_t numNodes = 0, numCalls = 0;
  size_t numBytes = 0;
};

} // namespace

MaybeError mlir::soap::onnx::inlineFunctions(::onnx::ModelProto &model) {
  if (model.functions_size() == 0)
    return {};
  return Inliner(model).run();
}

int64_t mlir::soap::onnx::opsetOf(const ::onnx::NodeProto &node) {
  std::string text;
  auto known = [&](const auto &message) {
    if constexpr (requires { message.metadata_props(); })
      for (const auto &entry : message.metadata_props())
        if (entry.key() == kOpset)
          text = entry.value();
  };
  known(node);
  const UnknownFieldSet &unknown = node.unknown_fields();
  for (int i = 0; i < unknown.field_count(); ++i) {
    UnknownFieldSet entry;
    if (unknown.field(i).number() == kMetadataField &&
        unknown.field(i).type() ==
            google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED &&
        entry.ParseFromString(unknown.field(i).length_delimited()) &&
        textOf(entry, kKeyField) == kOpset)
      text = textOf(entry, kValueField);
  }
  int64_t opset = 0;
  std::from_chars(text.data(), text.data() + text.size(), opset);
  return opset;
}
