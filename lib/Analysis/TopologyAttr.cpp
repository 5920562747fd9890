//===- TopologyAttr.cpp - The topology of a module ------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Option, then module attribute, then an error that says how to give a
// topology.
//
//===----------------------------------------------------------------------===//

#include "Soap/Analysis/TopologyAttr.h"

#include "Soap/Dialect/Soap/SoapQuantized.h"
#include "Soap/Profile/ProfileModel.h"
#include "Topology/BuiltinDevices.h"

using namespace mlir;
using namespace mlir::soap;

/// The topology alone.
static FailureOr<::soap::Topology> findTopology(ModuleOp module,
                                                StringRef option) {
  auto fail = [&](const std::string &message) -> FailureOr<::soap::Topology> {
    module.emitError() << message;
    return failure();
  };
  if (!option.empty()) {
    ::soap::Expected<::soap::Topology> loaded =
        ::soap::loadTopology(option.str());
    return loaded ? FailureOr<::soap::Topology>(std::move(*loaded))
                  : fail(loaded.error());
  }
  Attribute attribute = module->getAttr(SoapDialect::kTopology);
  if (!attribute)
    return fail(
        "has no topology: give the option 'topology=NAME|FILE' (for example "
        "'topology=cpu-4'), or set the module attribute 'soap.topology'");
  StringRef text = topologyText(attribute);
  ::soap::Expected<::soap::Topology> parsed =
      text.ltrim().starts_with("{")
          ? ::soap::parseTopology(text.str(), "soap.topology")
          : ::soap::builtinTopology(text.str());
  return parsed ? FailureOr<::soap::Topology>(std::move(*parsed))
                : fail(parsed.error());
}

/// Option, then the module's attribute, then Soap.
static LogicalResult findExecutor(ModuleOp module, StringRef option,
                                  ::soap::Executor &executor) {
  auto known = module->getAttrOfType<StringAttr>(SoapDialect::kExecutor);
  if (option.empty() && !known)
    return success();
  ::soap::Expected<::soap::Executor> found =
      option.empty() ? ::soap::parseExecutor(known.getValue().str(),
                                             SoapDialect::kExecutor.str())
                     : ::soap::loadExecutor(option.str());
  if (!found)
    return module.emitError()
           << (option.empty() ? "'soap.executor': " : "option 'executor=': ")
           << found.error();
  executor = std::move(*found);
  if (executor.isDefault())
    module->removeAttr(SoapDialect::kExecutor);
  else
    module->setAttr(
        SoapDialect::kExecutor,
        StringAttr::get(module.getContext(), ::soap::printExecutor(executor)));
  return success();
}

/// CPUs convert 8-bit floats; of other devices, some multiply them.
static LogicalResult checkFloat8(ModuleOp module,
                                 const ::soap::Topology &topology) {
  const ::soap::DeviceType *lacking = nullptr;
  for (const ::soap::DeviceType &type : topology.deviceTypes)
    if (!type.copiesOccupyReceiver && !type.flopsPerSecond.contains("f8"))
      lacking = &type;
  if (!lacking)
    return success();
  WalkResult result = module.walk([&](MatmulScaledOp op) {
    op.emitError()
        << "multiplies 8-bit floats, which device type '" << lacking->name
        << "' of topology '" << topology.name
        << "' does not: expected CPUs, or devices with a rate of f8 ("
        << ::soap::builtinDevicesWith("f8") << ")";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<::soap::Topology> mlir::soap::resolveTopology(ModuleOp module,
                                                        StringRef option,
                                                        StringRef profile,
                                                        StringRef executor) {
  FailureOr<::soap::Topology> topology = findTopology(module, option);
  if (failed(topology) || failed(checkFloat8(module, *topology)) ||
      failed(findExecutor(module, executor, topology->executor)))
    return failure();
  if (!profile.empty())
    if (::soap::MaybeError error =
            ::soap::useProfile(*topology, profile.str())) {
      module.emitError() << error->message;
      return failure();
    }
  for (const ::soap::DeviceType &type : topology->deviceTypes)
    if (type.costs)
      if (std::string doubts = ::soap::doubtsOf(type.costs->getProfile());
          !doubts.empty())
        module.emitWarning() << "profile '" << type.profile << "': " << doubts;
  return topology;
}
