//===- ConvGraph.cpp - A convolution by cuDNN's graph API -----------------===//
//
// See ConvGraph.h. Which engines are left out, and the names of the others,
// follow what cudnn-frontend and PyTorch do.
//
//===----------------------------------------------------------------------===//

#include "ConvGraph.h"

#include <algorithm>

using namespace soap;
using namespace soap::runtime;

#define SOAP_TRY(...)                                                          \
  do                                                                           \
    if (MaybeError soapError = (__VA_ARGS__))                                  \
      return *soapError;                                                       \
  while (false)

MaybeError CudnnDescriptor::create(cudnnBackendDescriptorType_t type) {
  SOAP_CUDA(cudnnBackendCreateDescriptor, type, &native);
  return std::nullopt;
}

MaybeError CudnnDescriptor::finalize() {
  SOAP_CUDA(cudnnBackendFinalize, native);
  return std::nullopt;
}

/// What tensors are called in plans. From `Between` on they are in no memory.
enum TensorId : int64_t { A = 1, B, Third, Result, Between };

/// Steps of a tensor of `dims`, which are those of NCHW in both layouts.
static std::vector<int64_t> stridesOf(const std::vector<int64_t> &dims,
                                      bool channelsLast) {
  int64_t c = dims[1], h = dims[2], w = dims[3];
  if (channelsLast)
    return {h * w * c, 1, w * c, c};
  return {c * h * w, h * w, w, 1};
}

Expected<size_t> ConvGraph::addTensor(const ConvCall &call, int64_t id,
                                      std::vector<int64_t> dims,
                                      int64_t alignment) {
  bool isVirtual = id >= Between;
  CudnnDescriptor tensor;
  SOAP_TRY(tensor.create(CUDNN_BACKEND_TENSOR_DESCRIPTOR));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE,
                      call.precision == Precision::BF16 && !isVirtual
                          ? CUDNN_DATA_BFLOAT16
                          : CUDNN_DATA_FLOAT));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, dims));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64,
                      stridesOf(dims, call.channelsLast())));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, id));
  SOAP_TRY(tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64,
                      isVirtual ? int64_t(16) : alignment));
  if (isVirtual)
    SOAP_TRY(
        tensor.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, CUDNN_TYPE_BOOLEAN, true));
  SOAP_TRY(tensor.finalize());
  tensors.push_back(std::move(tensor));
  return tensors.size() - 1;
}

MaybeError ConvGraph::addConvolution(const ConvCall &call, size_t a, size_t b,
                                     size_t result) {
  const ConvShape &s = call.shape;
  CudnnDescriptor conv, operation;
  SOAP_TRY(conv.create(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE,
                    CUDNN_DATA_FLOAT));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE,
                    CUDNN_TYPE_CONVOLUTION_MODE, CUDNN_CROSS_CORRELATION));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64,
                    int64_t(2)));
  const std::vector<int64_t> padding{s.pt, s.pl};
  SOAP_TRY(
      conv.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, padding));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64,
                    padding));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64,
                    std::vector<int64_t>{s.sh, s.sw}));
  SOAP_TRY(conv.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64,
                    std::vector<int64_t>{s.dh, s.dw}));
  SOAP_TRY(conv.finalize());

  /// The names of one kind.
  struct Names {
    cudnnBackendDescriptorType_t type;
    cudnnBackendAttributeName_t conv, a, b, result, alpha, beta;
  };
  static constexpr Names kinds[] = {
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA},
      {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
       CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA}};
  const Names &n = kinds[size_t(call.kind)];
  SOAP_TRY(operation.create(n.type));
  constexpr auto descriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  SOAP_TRY(operation.set(n.conv, descriptor, conv.get()));
  SOAP_TRY(operation.set(n.a, descriptor, tensors[a].get()));
  SOAP_TRY(operation.set(n.b, descriptor, tensors[b].get()));
  SOAP_TRY(operation.set(n.result, descriptor, tensors[result].get()));
  SOAP_TRY(operation.set(n.alpha, CUDNN_TYPE_FLOAT, 1.0f));
  SOAP_TRY(operation.set(n.beta, CUDNN_TYPE_FLOAT, 0.0f));
  SOAP_TRY(operation.finalize());
  parts.push_back(std::move(conv));
  operations.push_back(std::move(operation));
  return std::nullopt;
}

/// `other` is what is added, or what relu became; of relu itself nothing.
MaybeError ConvGraph::addPointwise(cudnnPointwiseMode_t mode, size_t x,
                                   size_t other, size_t y) {
  CudnnDescriptor pointwise, operation;
  SOAP_TRY(pointwise.create(CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
  SOAP_TRY(pointwise.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE,
                         mode));
  SOAP_TRY(pointwise.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_TYPE_DATA_TYPE,
                         CUDNN_DATA_FLOAT));
  SOAP_TRY(pointwise.finalize());
  SOAP_TRY(operation.create(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
  constexpr auto descriptor = CUDNN_TYPE_BACKEND_DESCRIPTOR;
  SOAP_TRY(operation.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR,
                         descriptor, pointwise.get()));
  auto tensor = [&](cudnnBackendAttributeName_t name, size_t which) {
    return operation.set(name, descriptor, tensors[which].get());
  };
  if (mode == CUDNN_POINTWISE_RELU_BWD) {
    // It asks whether x was above 0, which is where relu is.
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_DYDESC, x));
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, other));
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_DXDESC, y));
  } else {
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x));
    if (mode == CUDNN_POINTWISE_ADD)
      SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, other));
    SOAP_TRY(tensor(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y));
  }
  SOAP_TRY(operation.finalize());
  parts.push_back(std::move(pointwise));
  operations.push_back(std::move(operation));
  return std::nullopt;
}

MaybeError ConvGraph::describe(const ConvCall &call, int64_t alignment) {
  const ConvShape &s = call.shape;
  const std::vector<int64_t> x{s.n, s.g * s.c, s.h, s.w},
      w{s.g * s.o, s.c, s.kh, s.kw}, y{s.n, s.g * s.o, s.oh, s.ow},
      perChannel{1, s.g * s.o, 1, 1};
  bool forward = call.kind == ConvKind::Forward,
       weights = call.kind == ConvKind::WeightGrad;
  const std::vector<int64_t> &result = forward ? y : weights ? w : x;
  std::vector<cudnnPointwiseMode_t> after;
  if (hasBias(call.epilogue))
    after.push_back(CUDNN_POINTWISE_ADD);
  if (call.epilogue == Epilogue::Relu || call.epilogue == Epilogue::BiasRelu)
    after.push_back(CUDNN_POINTWISE_RELU_FWD);
  if (call.epilogue == Epilogue::ReluGrad)
    after.push_back(CUDNN_POINTWISE_RELU_BWD);
  hasThird = hasThirdOperand(call.epilogue);

  auto a = addTensor(call, A, forward || weights ? x : y, alignment);
  if (!a)
    return a.takeError();
  auto b = addTensor(call, B, weights ? y : w, alignment);
  if (!b)
    return b.takeError();
  size_t third = 0;
  if (hasThird) {
    auto added = addTensor(
        call, Third, hasBias(call.epilogue) ? perChannel : result, alignment);
    if (!added)
      return added.takeError();
    third = *added;
  }
  // One tensor behind each operation; the last one is the result.
  std::vector<size_t> made;
  for (size_t i = 0; i <= after.size(); ++i) {
    auto tensor =
        addTensor(call, i == after.size() ? Result : Between + int64_t(i),
                  result, alignment);
    if (!tensor)
      return tensor.takeError();
    made.push_back(*tensor);
  }
  SOAP_TRY(addConvolution(call, *a, *b, made[0]));
  for (size_t i = 0; i < after.size(); ++i)
    SOAP_TRY(addPointwise(after[i], made[i], third, made[i + 1]));
  return std::nullopt;
}

MaybeError ConvGraph::finalizeGraph() {
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

/// The list that an attribute is, at most `most`; descriptors of `type` are
/// made for it.
static Expected<std::vector<CudnnDescriptor>>
descriptorsIn(cudnnBackendDescriptor_t from, cudnnBackendAttributeName_t name,
              cudnnBackendDescriptorType_t type, int64_t most) {
  std::vector<CudnnDescriptor> list(static_cast<size_t>(most));
  std::vector<cudnnBackendDescriptor_t> natives;
  for (CudnnDescriptor &one : list) {
    SOAP_TRY(one.create(type));
    natives.push_back(one.get());
  }
  int64_t count = 0;
  if (most > 0)
    SOAP_CUDA(cudnnBackendGetAttribute, from, name,
              CUDNN_TYPE_BACKEND_DESCRIPTOR, most, &count, natives.data());
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

/// Whether the engine computes what programs mean: sums in one order, and
/// operands as they are.
static Expected<bool> isExact(cudnnBackendDescriptor_t engine,
                              Precision precision) {
  std::vector<cudnnBackendNumericalNote_t> notes(
      CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
  int64_t count = 0;
  SOAP_CUDA(cudnnBackendGetAttribute, engine, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
            CUDNN_TYPE_NUMERICAL_NOTE, int64_t(notes.size()), &count,
            notes.data());
  notes.resize(std::min(notes.size(), static_cast<size_t>(count)));
  return std::none_of(notes.begin(), notes.end(), [&](auto note) {
    return note == CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC ||
           note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
           note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION ||
           // On operands of f32 it is tf32.
           (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE &&
            precision == Precision::F32);
  });
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
MaybeError ConvGraph::add(CudnnDescriptor settings, const ConvCall &call) {
  auto engine = descriptorsIn(settings.get(), CUDNN_ATTR_ENGINECFG_ENGINE,
                              CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
  if (!engine)
    return engine.takeError();
  if (engine->empty())
    return Error{"cuDNN proposes no engine"};
  auto exact = isExact(engine->front().get(), call.precision);
  if (!exact)
    return exact.takeError();
  if (!*exact)
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
MaybeError ConvGraph::ask(cudnnBackendHeurMode_t mode, const ConvCall &call,
                          size_t most) {
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
    if (found.size() == most)
      break;
    if (MaybeError refused = add(std::move(settings), call))
      error = refused;
  }
  return found.empty() ? error : std::nullopt;
}

Expected<std::unique_ptr<ConvGraph>> ConvGraph::make(const CudnnTarget &target,
                                                     const ConvCall &call,
                                                     int64_t alignment,
                                                     size_t most) {
  std::unique_ptr<ConvGraph> made(new ConvGraph(target));
  SOAP_TRY(made->describe(call, alignment));
  SOAP_TRY(made->finalizeGraph());
  // Where there is no fast engine, one that computes it at all.
  if (made->ask(CUDNN_HEUR_MODE_A, call, most))
    SOAP_TRY(made->ask(CUDNN_HEUR_MODE_FALLBACK, call, most));
  return made;
}

MaybeError ConvGraph::makePlan(Engine &engine) {
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

Expected<size_t> ConvGraph::workspaceOf(size_t number) {
  Engine &engine = found[number];
  if (!engine.isMade) {
    engine.error = makePlan(engine);
    engine.isMade = true;
  }
  if (engine.error)
    return *engine.error;
  return engine.workspaceBytes;
}

MaybeError ConvGraph::run(size_t number, const ConvBuffers &buffers) {
  std::vector<int64_t> ids{A, B, Result};
  std::vector<void *> places{const_cast<void *>(buffers.a),
                             const_cast<void *>(buffers.b), buffers.result};
  if (hasThird) {
    ids.push_back(Third);
    places.push_back(const_cast<void *>(buffers.third));
  }
  CudnnDescriptor pack;
  SOAP_TRY(pack.create(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  SOAP_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, ids));
  SOAP_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR,
                    places));
  SOAP_TRY(pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR,
                    buffers.workspace));
  SOAP_TRY(pack.finalize());
  SOAP_CUDA(cudnnBackendExecute, target.handle, found[number].plan.get(),
            pack.get());
  return std::nullopt;
}
