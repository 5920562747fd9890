//===- DescribeTopology.cpp - soap-translate --describe-topology *- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A topology as text, as a drawing, or as the file that it would be.
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Topology/TopologyReport.h"

using namespace mlir;
using namespace mlir::soap;
namespace cl = llvm::cl;

static cl::OptionCategory describeCategory("Options of --describe-topology");

/// Options keep references to their texts.
static const std::string helpText = [] {
  std::string text = "Print the devices and routes of a cluster: a file, or ";
  std::string separator;
  for (const std::string &name : ::soap::builtinTopologyNames()) {
    text += separator + name;
    separator = "; ";
  }
  return text;
}();

static cl::opt<std::string> describe("describe-topology",
                                     cl::value_desc("NAME"), cl::desc(helpText),
                                     cl::cat(translateCategory()));

namespace {
enum class Form { Text, Svg, Json };
} // namespace

static cl::opt<Form>
    form("topology-as", cl::init(Form::Text), cl::cat(describeCategory),
         cl::value_desc("text|svg|json"),
         cl::desc("Print devices, links and routes (text, the default), a "
                  "drawing (svg), or the topology file, to copy and change "
                  "(json)"),
         cl::values(clEnumValN(Form::Text, "text", "Devices, links and routes"),
                    clEnumValN(Form::Svg, "svg", "A drawing"),
                    clEnumValN(Form::Json, "json",
                               "The topology file, to copy and change")));

static LogicalResult run(StringRef, llvm::raw_ostream &output, MLIRContext &) {
  auto complain = [](const std::string &message) {
    llvm::errs() << "soap-translate: --describe-topology: " << message << "\n";
    return failure();
  };
  auto topology = ::soap::loadTopology(describe);
  if (!topology)
    return complain(topology.error());
  switch (form) {
  case Form::Text:
    output << ::soap::describeTopology(*topology);
    break;
  case Form::Json:
    output << ::soap::printTopology(*topology);
    break;
  case Form::Svg: {
    auto drawing = ::soap::drawTopology(*topology);
    if (!drawing)
      return complain(drawing.error());
    output << *drawing;
  }
  }
  return success();
}

Translation mlir::soap::describeTopologyTranslation() {
  return {describe, describeCategory, [] { return true; }, run,
          /*readsFile=*/false};
}
