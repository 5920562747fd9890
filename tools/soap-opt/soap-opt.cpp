//===- soap-opt.cpp - The optimizer driver --------------------------------===//
//
// mlir-opt with the soap dialect and passes: reads IR, runs the passes named on
// the command line, prints IR. The upstream dialects and passes are registered
// too, so that every stage of the pipeline can be printed, read back and
// continued.
//
//===----------------------------------------------------------------------===//

#include "Soap/InitAll.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  mlir::soap::registerAllPasses();

  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllToLLVMIRTranslations(registry);
  mlir::soap::registerAllDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Soap: parallelize and lower deep neural networks\n",
      registry));
}
