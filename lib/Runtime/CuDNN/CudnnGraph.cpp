//===- CudnnGraph.cpp - A graph as cuDNN's graph API takes it -------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CudnnGraph.h. Engines have the names that cudnn-frontend and PyTorch give
// them.
//
//===----------------------------------------------------------------------===//

#include "CudnnGraph.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

MaybeError CudnnDescriptor::create(cudnnBackendDescriptorType_t type) {
  SOAP_CUDA(cudnnBackendCreateDescriptor, type, &native);
  return std::nullopt;
}

MaybeError CudnnDescriptor::finalize() {
  SOAP_CUDA(cudnnBackendFinalize, native);
  return std::nullopt;
}

Expected<size_t> CudnnGraph::addTensor(int64_t id, cudnnDataType_t type,
                                       const std::vector<int64_t> &dims,
                                       const std::vector<int64_t> &strides,
                                       int64_t alignment, Storage storage) {
  CudnnDescriptor tensor;
  SOAP_TRY(tensor.create(CUDNN_BACKEND_TENSOR_DESCRIPTOR));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, type));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, strides));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64,
                      storage == Storage::Memory ? alignment : int64_t(16)));
  if (storage == Storage::Virtual)
    SOAP_TRY(
        tensor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true));
  if (storage == Storage::Value)
    SOAP_TRY(
        tensor.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, CUDNN_TYPE_BOOLEAN, true));
  SOAP_TRY(tensor.finalize());
  tensors.push_back(std::move(tensor));
  return tensors.size() - 1;
}

MaybeError CudnnGraph::finalize() {
  std::vector<cudnnBackendDescriptor_t> list;
  for (const CudnnDescriptor &operation : operations)
    list.push_back(operation.get());
  SOAP_TRY(graph.create(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
  if (target.handle)
    SOAP_TRY(graph.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE,
                       target.handle));
  SOAP_TRY(graph.set(CUDNN_ATTR_OPERATIONGRAPH_OPS,
                     CUDNN_TYPE_BACKEND_DESCRIPTOR, list));
  return graph.finalize();
}

/// The list that an attribute is, at most `maxCount`; descriptors of `type` are
/// made for it.
static Expected<std::vector<CudnnDescriptor>>
descriptorsIn(cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name,
              cudnnBackendDescriptorType_t type, int64_t maxCount) {
  std::vector<CudnnDescriptor> list(static_cast<size_t>(maxCount));
  std::vector<cudnnBackendDescriptor_t> natives;
  for (CudnnDescriptor &one : list) {
    SOAP_TRY(one.create(type));
    natives.push_back(one.get());
  }
  int64_t count = 0;
  if (maxCount > 0)
    SOAP_CUDA(cudnnBackendGetAttribute, from, name,
              CUDNN_TYPE_BACKEND_DESCRIPTOR, maxCount, &count, natives.data());
  list.resize(std::min(list.size(), static_cast<size_t>(count)));
  return list;
}

template <typename T>
static Expected<T> numberIn(cudnnBackendDescriptor_t from,
                            cudnnBackendAttributeName_t name,
                            cudnnBackendAttributeType_t type) {
  T value{};
  int64_t count = 0;
  SOAP_CUDA(cudnnBackendGetAttribute, from, name, type, 1, &count, &value);
  return value;
}

static Expected<std::vector<cudnnBackendNumericalNote_t>>
notesOf(cudnnBackendDescriptor_t engine) {
  std::vector<cudnnBackendNumericalNote_t> notes(
      CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  int64_t count = 0;
  SOAP_CUDA(cudnnBackendGetAttribute, engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
            CUDNN_TYPE_NUMERICAL_NOTE, int64_t(notes.size()), &count,
            notes.data());
  notes.resize(std::min(notes.size(), static_cast<size_t>(count)));
  return notes;
}

static Expected<std::string> nameOf(cudnnBackendDescriptor_t engine,
                                    cudnnBackendDescriptor_t settings) {
  auto number = numberIn<int64_t>(engine, CUDNN_ATTR_ENGINE_GLOBAL_INDEX,
                                  CUDNN_TYPE_INT64);
  if (!number)
    return number.takeError();
  std::string name = "engine " + std::to_string(*number);
  auto knobs = descriptorsIn(settings, CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                             CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR,
                             CUDNN_KNOB_TYPE_COUNTS);
  if (!knobs)
    return knobs.takeError();
  for (const CudnnDescriptor &knob : *knobs) {
    auto type = numberIn<cudnnBackendKnobType_t>(
        knob.get(), CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE);
    if (!type)
      return type.takeError();
    auto value = numberIn<int64_t>(
        knob.get(), CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64);
    if (!value)
      return value.takeError();
    name += " " + std::to_string(*type) + "=" + std::to_string(*value);
  }
  return name;
}

/// An error where cuDNN does not have the engine on this device after all, or
/// where it computes something else.
MaybeError CudnnGraph::add(CudnnDescriptor settings, const Accept &accept) {
  auto engine = descriptorsIn(settings.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                              CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  if (!engine)
    return engine.takeError();
  if (engine->empty())
    return Error{"cuDNN proposes no engine"};
  auto notes = notesOf(engine->front().get());
  if (!notes)
    return notes.takeError();
  if (!accept(*notes))
    return Error{"cuDNN has no engine for this graph that keeps its precision"};
  auto name = nameOf(engine->front().get(), settings.get());
  if (!name)
    return name.takeError();
  if (std::find(names.begin(), names.end(), *name) != names.end())
    return std::nullopt;
  names.push_back(*name);
  found.emplace_back().settings = std::move(settings);
  return std::nullopt;
}

/// An error where that finds none.
MaybeError CudnnGraph::ask(cudnnBackendHeurMode_t mode, size_t maxEngines,
                           const Accept &accept) {
  CudnnDescriptor heuristics;
  SOAP_TRY(heuristics.create(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
  SOAP_TRY(heuristics.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH,
                          CUDNN_TYPE_BACKEND_DESCRIPTOR, graph.get()));
  SOAP_TRY(
      heuristics.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, mode));
#if CUDNN_VERSION >= 91900
  if (target.properties)
    SOAP_TRY(heuristics.set(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP,
                            CUDNN_TYPE_BACKEND_DESCRIPTOR, target.properties));
#endif
  SOAP_TRY(heuristics.finalize());
  int64_t count = 0;
  SOAP_CUDA(cudnnBackendGetAttribute, heuristics.get(),
            CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0,
            &count, nullptr);
  auto list = descriptorsIn(heuristics.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS,
                            CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, count);
  if (!list)
    return list.takeError();
  MaybeError error = Error{"cuDNN has no engine for this graph"};
  for (CudnnDescriptor &settings : *list) {
    if (found.size() == maxEngines)
      break;
    if (MaybeError refused = add(std::move(settings), accept))
      error = refused;
  }
  return found.empty() ? error : std::nullopt;
}

MaybeError CudnnGraph::propose(size_t maxEngines, const Accept &accept) {
  // Where there is no fast engine, one that computes it at all.
  if (ask(CUDNN_HEUR_MODE_A, maxEngines, accept))
    return ask(CUDNN_HEUR_MODE_FALLBACK, maxEngines, accept);
  return std::nullopt;
}

MaybeError CudnnGraph::makePlan(Engine &engine) {
  SOAP_TRY(engine.plan.create(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
  if (target.handle)
    SOAP_TRY(engine.plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE,
                             CUDNN_TYPE_HANDLE, target.handle));
#if CUDNN_VERSION >= 91900
  if (target.properties)
    SOAP_TRY(engine.plan.set(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP,
                             CUDNN_TYPE_BACKEND_DESCRIPTOR, target.properties));
#endif
  SOAP_TRY(engine.plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG,
                           CUDNN_TYPE_BACKEND_DESCRIPTOR,
                           engine.settings.get()));
  SOAP_TRY(engine.plan.finalize());
  auto bytes = numberIn<int64_t>(engine.plan.get(),
                                 CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                 CUDNN_TYPE_INT64);
  if (!bytes)
    return bytes.takeError();
  engine.workspaceBytes = static_cast<size_t>(*bytes);
  return std::nullopt;
}

Expected<size_t> CudnnGraph::workspaceOf(size_t number) {
  Engine &engine = found[number];
  if (!engine.isMade) {
    engine.error = makePlan(engine);
    engine.isMade = true;
  }
  if (engine.error)
    return *engine.error;
  return engine.workspaceBytes;
}

MaybeError CudnnGraph::run(size_t engine, const std::vector<int64_t> &ids,
                           const std::vector<void *> &places, void *workspace) {
  CudnnDescriptor pack;
  SOAP_TRY(pack.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  SOAP_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids));
  SOAP_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
                    places));
  SOAP_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
                    workspace));
  SOAP_TRY(pack.finalize());
  SOAP_CUDA(cudnnBackendExecute, target.handle, found[engine].plan.get(),
            pack.get());
  return std::nullopt;
}
