//===- DescribeTopology.cpp - soap-translate --describe-topology *- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A topology as text, as a drawing, as the file that it would be, or as prices
// of its collectives.
//
//===----------------------------------------------------------------------===//

#include "Translation.h"

#include "Soap/Cost/CollectiveReport.h"
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
enum class Form { Text, Svg, Json, Collectives };
} // namespace

static cl::opt<Form>
    form("topology-as", cl::init(Form::Text), cl::cat(describeCategory),
         cl::value_desc("text|svg|json|collectives"),
         cl::desc("Print devices, links and routes (text, the default), a "
                  "drawing (svg), the topology file, to copy and change "
                  "(json), or prices of collectives, as nccl-tests prints "
                  "measured ones (collectives)"),
         cl::values(clEnumValN(Form::Text, "text", "Devices, links and routes"),
                    clEnumValN(Form::Svg, "svg", "A drawing"),
                    clEnumValN(Form::Json, "json",
                               "The topology file, to copy and change"),
                    clEnumValN(Form::Collectives, "collectives",
                               "Prices of collectives")));

static cl::list<int> groups(
    "collective-devices", cl::CommaSeparated, cl::cat(describeCategory),
    cl::value_desc("N,..."),
    cl::desc("With --topology-as=collectives: of the first N devices (default: "
             "2, 4, 8, ... and all)"));
static cl::list<int64_t> sizes(
    "collective-bytes", cl::CommaSeparated, cl::cat(describeCategory),
    cl::value_desc("N,..."),
    cl::desc("With --topology-as=collectives: of N bytes, as nccl-tests counts "
             "them (default: 1 KiB to 1 GiB)"));

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
    break;
  }
  case Form::Collectives:
    for (int count : groups)
      if (count < 2 || count > topology->deviceCount())
        return complain("--collective-devices: expected 2 to " +
                        std::to_string(topology->deviceCount()) + ", got " +
                        std::to_string(count));
    for (int64_t count : sizes)
      if (count < 1 || count > int64_t(1) << 40)
        return complain("--collective-bytes: expected 1 to 2^40, got " +
                        std::to_string(count));
    output << ::soap::describeCollectives(
        *topology, std::vector<int>(groups.begin(), groups.end()),
        std::vector<int64_t>(sizes.begin(), sizes.end()));
  }
  return success();
}

Translation mlir::soap::describeTopologyTranslation() {
  return {describe, describeCategory, [] { return true; }, run,
          /*readsFile=*/false};
}
