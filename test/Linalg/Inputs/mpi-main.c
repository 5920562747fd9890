// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs @main of mpi.mlir on every rank and compares what rank 0 gathers with
// sums of its own, twice: parameters are updated in place.
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DESCRIPTOR(rank)                                                       \
  struct {                                                                     \
    float *allocated, *aligned;                                                \
    int64_t offset, sizes[rank], strides[rank];                                \
  }
typedef DESCRIPTOR(2) Matrix;
typedef DESCRIPTOR(1) Vector;

enum { ROWS = 8, INNER = 12, COLUMNS = 6 };
static float x[ROWS * INNER], w[INNER * COLUMNS], y[ROWS * COLUMNS], s[INNER];

void _mlir_ciface_main(Matrix *, Matrix *, Matrix *, Vector *);

static Matrix matrix(float *data, int64_t rows, int64_t columns) {
  Matrix m = {data, data, 0, {rows, columns}, {columns, 1}};
  return m;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  int rank, failed = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < ROWS * INNER; ++i)
    x[i] = (float)(i % 7 - 3);
  for (int i = 0; i < INNER * COLUMNS; ++i)
    w[i] = (float)(i % 5 - 2) / 4;
  Matrix mx = matrix(x, ROWS, INNER), mw = matrix(w, INNER, COLUMNS),
         my = matrix(y, ROWS, COLUMNS);
  Vector ms = {s, s, 0, {INNER}, {1}};
  for (int step = 0; step < 2; ++step) {
    float before[INNER * COLUMNS];
    memcpy(before, w, sizeof(w));
    _mlir_ciface_main(&mx, &mw, &my, &ms);
    for (int i = 0; rank == 0 && i < ROWS; ++i)
      for (int j = 0; j < COLUMNS; ++j) {
        float sum = 0;
        for (int k = 0; k < INNER; ++k)
          sum += x[i * INNER + k] * before[k * COLUMNS + j];
        failed += !(fabsf(y[i * COLUMNS + j] - (sum > 0 ? sum : 0)) < 1e-5f);
      }
    for (int k = 0; rank == 0 && k < INNER; ++k) {
      float sum = 0;
      for (int i = 0; i < ROWS; ++i)
        sum += x[i * INNER + k];
      failed += !(fabsf(s[k] - sum) < 1e-5f);
    }
    for (int i = 0; rank == 0 && i < INNER * COLUMNS; ++i)
      failed += w[i] != before[i] / 2;
    for (int i = 0; i < ROWS * INNER; ++i)
      x[i] += 1;
  }
  int size;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == 0)
    printf("%d ranks: %d elements differ\n", size, failed);
  MPI_Finalize();
  return failed != 0;
}
