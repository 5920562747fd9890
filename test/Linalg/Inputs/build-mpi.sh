#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# build-mpi.sh MODULE OUTPUT: an executable of a module of --soap-lower-to-cpu=comm=mpi and mpi-main.c, by upstream's
# tools and mpicc. MLIR 22.1 calls Open MPI's sum by another name than Open MPI does.
set -e
mlir-opt "$1" --convert-scf-to-cf --expand-strided-metadata --lower-affine --convert-to-llvm \
  --reconcile-unrealized-casts -o "$2.llvm.mlir"
mlir-translate --mlir-to-llvmir "$2.llvm.mlir" -o "$2.ll"
clang -O1 -c -Wno-override-module "$2.ll" -o "$2.o"
llvm-objcopy --redefine-sym ompi_mpi_sum=ompi_mpi_op_sum "$2.o"
mpicc "$(dirname "$0")/mpi-main.c" "$2.o" -o "$2" -lm
