//===- BucketGradients.cpp - Small gradients, reduced together ------------===//
//
// The pass soap-bucket-gradients: gradients that the same devices sum up, each
// in an exchange of its own, are put into buckets. Where buckets end is decided
// by simulation: a large one saves latencies, but waits for its last gradient.
//
//===----------------------------------------------------------------------===//

#include "StrategySupport.h"

#include "Soap/Analysis/TopologyAttr.h"
#include "Soap/Core/StrategyPlan.h"
#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Dialect/Soap/SoapOps.h"
#include "Soap/Transforms/Passes.h"

#include "llvm/ADT/ScopeExit.h"

#include <map>

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPBUCKETGRADIENTS
#include "Soap/Transforms/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

/// What is tried where no size is given: from what any network sends in one
/// message to the buckets of data-parallel frameworks.
constexpr int64_t sizesToTry[] = {int64_t(1) << 14, int64_t(1) << 16,
                                  int64_t(1) << 18, int64_t(1) << 20,
                                  int64_t(1) << 22, int64_t(1) << 24};

/// Gradients that are exchanged together.
struct Bucket {
  SmallVector<OpOperand *> uses; ///< one of each gradient, in program order
  int64_t bytes = 0;
};

struct BucketGradients
    : mlir::soap::impl::SoapBucketGradientsBase<BucketGradients> {
  using SoapBucketGradientsBase::SoapBucketGradientsBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

  LogicalResult run();
  FailureOr<std::pair<int64_t, int64_t>>
  tryBytes(func::FuncOp target, const ::soap::Topology &deviceTopology,
           int64_t most);
  FailureOr<std::unique_ptr<FunctionProblem>>
  putIntoBuckets(StringRef name, const ::soap::Topology &deviceTopology,
                 int64_t most, unsigned &buckets, unsigned &gradients);
};

} // namespace

/// Whether all of a tensor is read by replicas on several devices, that have it
/// complete: what the update of a parameter that is nowhere cut does.
static bool readsWholeOnAll(const ::soap::Kernel &reader,
                            const ::soap::Config &config) {
  return !reader.space.linear && config.replicas > 1 &&
         llvm::all_of(config.degrees,
                      [](int64_t degree) { return degree == 1; });
}

/// Gradients that are exchanged on their way to their only reader, and that
/// have at most `most` bytes, bucket by bucket.
static std::vector<Bucket> findBuckets(const FunctionProblem &target,
                                       const ::soap::Strategy &strategy,
                                       int64_t most) {
  const OpGraph &opGraph = target.opGraph;
  const ::soap::Graph &graph = opGraph.graph;
  ::soap::CostModel cost(target.topology);
  ::soap::StrategyPlan plan(graph, cost);
  plan.set(strategy);
  DenseMap<Operation *, int> nodeOf;
  for (auto [n, op] : llvm::enumerate(opGraph.ops))
    nodeOf[op] = static_cast<int>(n);

  using Key = std::pair<std::vector<int>, const void *>; ///< devices, type
  std::map<Key, Bucket> open;
  std::vector<Bucket> done;
  auto close = [&](Bucket &bucket) {
    if (bucket.uses.size() > 1)
      done.push_back(std::move(bucket));
    bucket = {};
  };
  for (auto [n, op] : llvm::enumerate(opGraph.ops)) {
    if (graph.nodes[n].whole.phase != ::soap::Phase::Backward)
      continue;
    for (Value gradient : op->getResults()) {
      auto type = cast<RankedTensorType>(gradient.getType());
      if (!gradient.hasOneUse() || !isa<FloatType>(type.getElementType()))
        continue;
      OpOperand &use = *gradient.use_begin();
      auto reader = nodeOf.find(use.getOwner());
      if (reader == nodeOf.end() ||
          !readsWholeOnAll(graph.nodes[reader->second].whole,
                           strategy[reader->second]))
        continue;
      int value = opGraph.valueIds.lookup(gradient);
      int64_t bytes = graph.values[value].bytes();
      if (bytes > most || plan.valuePlan(value).tasks.empty())
        continue;
      Bucket &bucket = open[{strategy[reader->second].devices,
                             type.getElementType().getAsOpaquePointer()}];
      // It is filled behind this op, and must be before all of its readers.
      bool isLate = llvm::any_of(bucket.uses, [&, op = op](OpOperand *other) {
        return other->getOwner()->isBeforeInBlock(op);
      });
      if (isLate || bucket.bytes + bytes > most)
        close(bucket);
      bucket.uses.push_back(&use);
      bucket.bytes += bytes;
    }
  }
  for (auto &[key, bucket] : open)
    close(bucket);
  return done;
}

/// Writes a bucket behind the last of its gradients.
static void writeBucket(const Bucket &bucket) {
  SmallVector<Value> gradients;
  SmallVector<Location> places;
  Operation *last = nullptr, *reader = bucket.uses.front()->getOwner();
  for (OpOperand *use : bucket.uses) {
    Value gradient = use->get();
    gradients.push_back(gradient);
    places.push_back(gradient.getLoc());
    Operation *producer = gradient.getDefiningOp();
    if (!last || last->isBeforeInBlock(producer))
      last = producer;
  }
  OpBuilder builder(last->getContext());
  builder.setInsertionPointAfter(last);
  Location loc = builder.getFusedLoc(places);
  auto of = reader->getAttrOfType<ConfigAttr>(SoapDialect::kConfig);
  auto config = ConfigAttr::get(builder.getContext(), {}, {}, of.getReplicas(),
                                of.getDevices());
  auto packed = BucketOp::create(builder, loc, gradients);
  auto sums = UnbucketOp::create(builder, loc, ValueRange(gradients).getTypes(),
                                 packed.getBucket());
  packed->setAttr(SoapDialect::kConfig, config);
  sums->setAttr(SoapDialect::kConfig, config);
  for (auto [use, sum] : llvm::zip_equal(bucket.uses, sums.getYs()))
    use->set(sum);
}

/// Rewrites the function called `name`, and opens it again.
FailureOr<std::unique_ptr<FunctionProblem>> BucketGradients::putIntoBuckets(
    StringRef name, const ::soap::Topology &deviceTopology, int64_t most,
    unsigned &buckets, unsigned &gradients) {
  auto opened = openProblem(getOperation(), deviceTopology, name);
  if (failed(opened))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy((*opened)->opGraph, deviceTopology.deviceCount());
  if (failed(strategy))
    return failure();
  for (const Bucket &bucket : findBuckets(**opened, *strategy, most)) {
    writeBucket(bucket);
    ++buckets;
    gradients += bucket.uses.size();
  }
  return openProblem(getOperation(), deviceTopology, name);
}

/// What an iteration would take with buckets of so many bytes: bytes beyond the
/// capacity of devices, and time.
FailureOr<std::pair<int64_t, int64_t>> BucketGradients::tryBytes(
    func::FuncOp target, const ::soap::Topology &deviceTopology, int64_t most) {
  SymbolTable symbols(getOperation());
  func::FuncOp copy = target.clone();
  symbols.insert(copy); // gives it a name of its own
  llvm::scope_exit eraseCopy([&] { copy.erase(); });
  unsigned buckets = 0, gradients = 0;
  auto opened =
      putIntoBuckets(copy.getName(), deviceTopology, most, buckets, gradients);
  if (failed(opened))
    return failure();
  FailureOr<::soap::Strategy> strategy =
      readStrategy((*opened)->opGraph, deviceTopology.deviceCount());
  if (failed(strategy))
    return failure();
  ::soap::Evaluation evaluation = (*opened)->problem->evaluate(*strategy);
  return std::pair(evaluation.excessBytes, evaluation.makespanNs);
}

LogicalResult BucketGradients::run() {
  ModuleOp module = getOperation();
  if (bytes < 0)
    return module.emitError("option 'bytes=")
           << int64_t(bytes)
           << "': expected the most bytes of a bucket, or 0 to try "
           << "sizes";
  FailureOr<::soap::Topology> deviceTopology =
      resolveTopology(module, topology, profile);
  if (failed(deviceTopology))
    return failure();
  FailureOr<func::FuncOp> target = chooseFunction(module, function);
  if (failed(target))
    return failure();
  int64_t most = bytes;
  if (most == 0) {
    FailureOr<std::pair<int64_t, int64_t>> best =
        tryBytes(*target, *deviceTopology, 0);
    if (failed(best))
      return failure();
    for (int64_t size : sizesToTry) {
      FailureOr<std::pair<int64_t, int64_t>> tried =
          tryBytes(*target, *deviceTopology, size);
      if (failed(tried))
        return failure();
      if (*tried < *best) {
        best = tried;
        most = size;
      }
    }
  }
  unsigned buckets = 0, gradients = 0;
  if (most > 0 && failed(putIntoBuckets(target->getName(), *deviceTopology,
                                        most, buckets, gradients)))
    return failure();
  InFlightDiagnostic remark = module.emitRemark()
                              << "'@" << target->getName() << "': ";
  if (buckets > 0)
    remark << gradients << " gradients in " << buckets << " bucket"
           << (buckets == 1 ? "" : "s") << " of at most " << most << " bytes";
  else if (bytes == 0)
    remark << "no gradients in buckets: buckets of no size gain time";
  else
    remark << "no gradients in buckets: no two of at most " << most
           << " bytes are exchanged by the same devices";
  return success();
}
