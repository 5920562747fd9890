//===- Main.cpp - A tool of the wheel -------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The wheel has LLVM and MLIR once, in a library that holds the `main` of each
// tool under a name of its own, SOAP_TOOL_MAIN.
//
//===----------------------------------------------------------------------===//

extern "C" int SOAP_TOOL_MAIN(int argc, char **argv);

int main(int argc, char **argv) { return SOAP_TOOL_MAIN(argc, argv); }
