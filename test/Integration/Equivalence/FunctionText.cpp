//===- FunctionText.cpp - Writes functions as text ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Types are spelled out, so that the parser checks the generators.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

namespace soap::equivalence {

std::string array(const std::vector<int64_t> &values) {
  std::string text = "array<i64";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : ": ") + std::to_string(values[i]);
  return text + ">";
}

std::string Tensor::type() const {
  std::string text = "tensor<";
  for (int64_t d : shape)
    text += std::to_string(d) + "x";
  return text + dtype + ">";
}

Tensor FunctionText::arg(std::vector<int64_t> shape, Fill fill,
                         const std::string &kind, const std::string &dtype,
                         const std::string &extra) {
  std::string name = "a" + std::to_string(nextArg++);
  Tensor tensor{"%" + name, std::move(shape), dtype};
  args += (args.empty() ? "" : ", ") + tensor.name + ": " + tensor.type() +
          " {soap.kind = #soap.kind<" + kind + ">, soap.name = \"" + name +
          "\"" + extra + "}";
  fills[name] = fill;
  return tensor;
}

std::vector<Tensor>
FunctionText::op(const std::string &mnemonic,
                 const std::vector<Tensor> &operands,
                 const std::string &attributes,
                 const std::vector<std::vector<int64_t>> &resultShapes,
                 const std::string &prefix, const std::string &dtype) {
  std::vector<Tensor> results;
  std::string names, operandNames, operandTypes, resultTypes, rest = dtype;
  for (const std::vector<int64_t> &shape : resultShapes) {
    size_t comma = rest.find(',');
    results.push_back(
        {"%v" + std::to_string(nextValue++), shape, rest.substr(0, comma)});
    if (comma != std::string::npos)
      rest.erase(0, comma + 1);
    names += (names.empty() ? "" : ", ") + results.back().name;
    resultTypes += (resultTypes.empty() ? "" : ", ") + results.back().type();
  }
  for (const Tensor &operand : operands) {
    operandNames += (operandNames.empty() ? "" : ", ") + operand.name;
    operandTypes += (operandTypes.empty() ? "" : ", ") + operand.type();
  }
  body += "  " + names + " = soap." + mnemonic + " " + prefix + operandNames +
          (attributes.empty() ? "" : " {" + attributes + "}") + " : (" +
          operandTypes + ") -> (" + resultTypes + ")\n";
  return results;
}

Tensor FunctionText::constant(std::vector<int64_t> shape, double splat) {
  Tensor tensor{"%v" + std::to_string(nextValue++), std::move(shape)};
  body += "  " + tensor.name + " = soap.constant dense<" +
          std::to_string(splat) + "> : " + tensor.type() + " : " +
          tensor.type() + "\n";
  return tensor;
}

void FunctionText::finish(Case &result, const std::vector<Tensor> &results,
                          const std::vector<int> &updates) {
  std::string types, names, returned;
  for (size_t i = 0; i < results.size(); ++i) {
    int update = i < updates.size() ? updates[i] : -1;
    std::string attributes =
        update >= 0 ? "soap.kind = #soap.kind<update>, soap.updates = " +
                          std::to_string(update) + " : i64"
                    : "soap.kind = #soap.kind<output>, soap.name = \"out" +
                          std::to_string(i) + "\"";
    types += (i ? ", " : "") + results[i].type() + " {" + attributes + "}";
    names += (i ? ", " : "") + results[i].name;
    returned += (i ? ", " : "") + results[i].type();
  }
  result.text = "module {\nfunc.func @forward(" + args + ") -> (" + types +
                ") {\n" + body + "  return " + names + " : " + returned +
                "\n}\n}\n";
  result.fills = fills;
}

} // namespace soap::equivalence
