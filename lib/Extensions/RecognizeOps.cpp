//===- RecognizeOps.cpp - Softmax and norms in linalg programs ------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `--soap-recognize-ops`.
//
//===----------------------------------------------------------------------===//

#include "Soap/Extensions/RecognizeOps.h"

#include "Soap/Dialect/Soap/SoapDialect.h"
#include "Soap/Extensions/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::soap {
#define GEN_PASS_DEF_SOAPRECOGNIZEOPS
#include "Soap/Extensions/Passes.h.inc"
} // namespace mlir::soap

using namespace mlir;
using namespace mlir::soap;

namespace {

struct RecognizeOpsPass
    : public mlir::soap::impl::SoapRecognizeOpsBase<RecognizeOpsPass> {
  using SoapRecognizeOpsBase::SoapRecognizeOpsBase;

  void runOnOperation() override {
    RecognizedOps found = recognizeOps(getOperation());
    if (found.count())
      getOperation().emitRemark() << "recognized " << found.text();
  }
};

} // namespace
