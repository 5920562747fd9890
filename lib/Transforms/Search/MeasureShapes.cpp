//===- MeasureShapes.cpp - Measurements on demand -------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See MeasureShapes.h.
//
//===----------------------------------------------------------------------===//

#include "MeasureShapes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// Empty: not found.
static std::string findSoapRun() {
  if (auto given = llvm::sys::Process::GetEnv("SOAP_RUN"))
    return *given;
  static int here;
  std::string executable = llvm::sys::fs::getMainExecutable(nullptr, &here);
  StringRef folder = llvm::sys::path::parent_path(executable);
  auto beside = llvm::sys::findProgramByName("soap-run", {folder});
  if (beside)
    return *beside;
  auto found = llvm::sys::findProgramByName("soap-run");
  return found ? *found : std::string();
}

LogicalResult mlir::soap::measureShapes(ModuleOp module, StringRef name) {
  auto fail = [&] {
    return module.emitError() << "option 'measure=" << name << "': ";
  };
  std::string program = findSoapRun();
  if (program.empty())
    return fail() << "cannot find soap-run, expected it beside this program, "
                     "on the path, or named by the environment variable "
                     "SOAP_RUN";
  SmallString<128> path;
  int descriptor = -1;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile(
          "soap-measure", "mlir", descriptor, path))
    return fail() << "cannot create a temporary file: " << error.message();
  llvm::FileRemover remover(path);
  {
    llvm::raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
    module.print(stream);
  }
  std::string message;
  int status = llvm::sys::ExecuteAndWait(
      program, {program, "calibrate", path, "-o", name, "--quiet"},
      std::nullopt, {}, 0, 0, &message);
  if (status == 0)
    return success();
  auto error = fail() << "'" << program << " calibrate' ";
  if (message.empty())
    return error << "exited with " << status;
  return error << "failed: " << message;
}
