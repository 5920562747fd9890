//===- BucketGradients.cpp - Small gradients, reduced together ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pass soap-bucket-gradients: gradients that the same devices sum up, each
// in an exchange of its own, are put into buckets. Where buckets end is decided
// by simulation: a large one saves latencies, but waits for its last gradient.
//
//===----------------------------------------------------------------------===//

#include "Transforms/Support/StrategySupport.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Plan/StrategyPlan.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DebugLog.h"

#include <map>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPBUCKETGRADIENTS
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

#define DEBUG_TYPE "soap-bucket-gradients"

using namespace mlir;
using namespace mlir::soap;

namespace {

/// The sizes that are tried if none is given: from one message of any network
/// to the buckets of data-parallel frameworks.
constexpr int64_t sizesToTry[] = {int64_t(1) << 14, int64_t(1) << 16,
                                  int64_t(1) << 18, int64_t(1) << 20,
                                  int64_t(1) << 22, int64_t(1) << 24};

/// A gradient that is exchanged on its way to its only reader. Ops are numbers
/// of nodes, which are the same in a copy of the function.
struct Gradient {
  size_t producer, reader;
  unsigned result, operand;
  int64_t bytes;
  /// Devices and element type, which all gradients of a bucket share.
  std::pair<std::vector<int>, const void *> kind;
};

/// Numbers of gradients that are exchanged together, in program order.
using Bucket = std::vector<size_t>;

struct BucketGradients
    : mlir::soap::impl::SoapBucketGradientsBase<BucketGradients> {
  using SoapBucketGradientsBase::SoapBucketGradientsBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  FailureOr<::soap::Evaluation> tryBuckets(const FunctionProblem &target,
                                           ArrayRef<Gradient> gradients,
                                           ArrayRef<Bucket> buckets);
};

} // namespace

/// Whether all of a tensor is read by replicas on several devices, that have it
/// complete: what the update of a parameter that is nowhere split does.
static bool readsWholeOnAll(const ::soap::Kernel &reader,
                            const ::soap::Config &config) {
  return !reader.space.linear && config.replicas > 1 &&
         llvm::all_of(config.degrees,
                      [](int64_t degree) { return degree == 1; });
}

/// In program order.
static std::vector<Gradient> findGradients(const FunctionProblem &target,
                                           const ::soap::Strategy &strategy) {
  const OpGraph &opGraph = target.opGraph;
  const ::soap::Graph &graph = opGraph.graph;
  ::soap::CostModel cost(target.topology);
  ::soap::StrategyPlan plan(graph, cost);
  plan.set(strategy);
  DenseMap<Operation *, size_t> nodeOf;
  for (auto [n, op] : llvm::enumerate(opGraph.ops))
    nodeOf[op] = n;
  std::vector<Gradient> gradients;
  for (auto [n, op] : llvm::enumerate(opGraph.ops)) {
    if (graph.nodes[n].whole.phase != ::soap::Phase::Backward)
      continue;
    for (OpResult gradient : op->getResults()) {
      Type type = cast<RankedTensorType>(gradient.getType()).getElementType();
      if (!gradient.hasOneUse() || !isa<FloatType>(type))
        continue;
      OpOperand &use = *gradient.use_begin();
      auto reader = nodeOf.find(use.getOwner());
      int value = opGraph.valueIds.lookup(gradient);
      if (reader != nodeOf.end() && !plan.valuePlan(value).tasks.empty() &&
          readsWholeOnAll(graph.nodes[reader->second].whole,
                          strategy[reader->second]))
        gradients.push_back(
            {n,
             reader->second,
             gradient.getResultNumber(),
             use.getOperandNumber(),
             graph.values[value].bytes(),
             {strategy[reader->second].devices, type.getAsOpaquePointer()}});
    }
  }
  return gradients;
}

/// Buckets of at most `most` bytes of gradients of at most as many.
static std::vector<Bucket> fillBuckets(ArrayRef<Gradient> gradients,
                                       int64_t most) {
  struct Open {
    Bucket bucket;
    int64_t bytes = 0;
    size_t firstReader = SIZE_MAX;
  };
  std::map<decltype(Gradient::kind), Open> open;
  std::vector<Bucket> done;
  auto close = [&](Open &filled) {
    if (filled.bucket.size() > 1)
      done.push_back(std::move(filled.bucket));
    filled = {};
  };
  for (auto [g, gradient] : llvm::enumerate(gradients)) {
    if (gradient.bytes > most)
      continue;
    Open &to = open[gradient.kind];
    // It stands behind the last producer, and before the first reader.
    if (to.firstReader < gradient.producer || to.bytes + gradient.bytes > most)
      close(to);
    to.bucket.push_back(g);
    to.bytes += gradient.bytes;
    to.firstReader = std::min(to.firstReader, gradient.reader);
  }
  for (auto &[kind, filled] : open)
    close(filled);
  return done;
}

/// Writes a bucket behind the last of its gradients. `ops`: of the function.
static void writeBucket(ArrayRef<Operation *> ops, ArrayRef<Gradient> gradients,
                        const Bucket &bucket) {
  SmallVector<Value> parts;
  SmallVector<Location> places;
  for (size_t g : bucket) {
    parts.push_back(ops[gradients[g].producer]->getResult(gradients[g].result));
    places.push_back(parts.back().getLoc());
  }
  OpBuilder builder(ops.front()->getContext());
  builder.setInsertionPointAfter(ops[gradients[bucket.back()].producer]);
  Location loc = builder.getFusedLoc(places);
  auto of = ops[gradients[bucket.front()].reader]->getAttrOfType<ConfigAttr>(
      SoapDialect::kConfig);
  auto config = ConfigAttr::get(builder.getContext(), {}, {}, of.getReplicas(),
                                of.getDevices());
  auto packed = BucketOp::create(builder, loc, parts);
  auto sums = UnbucketOp::create(builder, loc, ValueRange(parts).getTypes(),
                                 packed.getBucket());
  packed->setAttr(SoapDialect::kConfig, config);
  sums->setAttr(SoapDialect::kConfig, config);
  for (auto [g, sum] : llvm::zip_equal(bucket, sums.getYs()))
    ops[gradients[g].reader]->setOperand(gradients[g].operand, sum);
}

/// The price of an iteration with buckets.
FailureOr<::soap::Evaluation>
BucketGradients::tryBuckets(const FunctionProblem &target,
                            ArrayRef<Gradient> gradients,
                            ArrayRef<Bucket> buckets) {
  SymbolTable symbols(getOperation());
  func::FuncOp function = target.function, copy = function.clone();
  symbols.insert(copy); // gives it a name of its own
  llvm::scope_exit eraseCopy([&] { copy.erase(); });
  SmallVector<Operation *> ops;
  for (Operation &op : copy.getBody().front().without_terminator())
    ops.push_back(&op);
  for (const Bucket &bucket : buckets)
    writeBucket(ops, gradients, bucket);
  auto opened = openProblem(getOperation(), target.topology, copy.getName());
  if (failed(opened))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy((*opened)->opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();
  return (*opened)->problem->evaluate(*strategy);
}

LogicalResult BucketGradients::run() {
  ModuleOp module = getOperation();
  if (bytes < 0)
    return module.emitError("option 'bytes=")
           << int64_t(bytes)
           << "': expected the most bytes of a bucket, or 0 to try "
           << "sizes";
  if (failed(checkHasStrategy(module, function)))
    return failure();
  if (module->hasAttr(SoapDialect::kPipeline))
    return module.emitError()
           << "has a '" << SoapDialect::kPipeline
           << "', whose gradients come one microbatch after the other: "
              "expected a strategy for the whole batch";
  auto opened = openProblem(module, topology, profile, function);
  if (failed(opened))
    return failure();
  const FunctionProblem &target = **opened;
  FailureOr<::soap::Strategy> strategy =
      readStrategy((*opened)->opGraph, target.topology.deviceCount());
  if (failed(strategy))
    return failure();
  std::vector<Gradient> gradients = findGradients(target, *strategy);
  int64_t most = bytes;
  std::vector<Bucket> buckets = fillBuckets(gradients, most);
  if (most == 0) {
    ::soap::Evaluation best = target.problem->evaluate(*strategy);
    std::vector<Bucket> before; // nothing new where they are the same
    for (int64_t size : sizesToTry) {
      std::vector<Bucket> filled = fillBuckets(gradients, size);
      if (filled == before)
        continue;
      FailureOr<::soap::Evaluation> tried =
          tryBuckets(target, gradients, filled);
      if (failed(tried))
        return failure();
      LDBG() << "buckets of " << size << " bytes: " << tried->makespanNs
             << " ns, without buckets or with the best so far: "
             << best.makespanNs << " ns";
      before = filled;
      if (::soap::isBetter(*tried, best)) {
        best = *tried;
        most = size;
        buckets = std::move(filled);
      }
    }
  }
  size_t count = 0;
  for (const Bucket &bucket : buckets) {
    writeBucket(target.opGraph.ops, gradients, bucket);
    count += bucket.size();
  }
  InFlightDiagnostic remark = module.emitRemark()
                              << "'@" << func::FuncOp(target.function).getName()
                              << "': ";
  if (!buckets.empty())
    remark << count << " gradients in " << buckets.size() << " bucket"
           << (buckets.size() == 1 ? "" : "s") << " of at most " << most
           << " bytes";
  else if (bytes == 0)
    remark << "no gradients in buckets: buckets of no size gain time";
  else
    remark << "no gradients in buckets: no two of at most " << most
           << " bytes are exchanged by the same devices";
  return success();
}
