/*===- Runtime.h - C ABI of the launcher runtime --------------------*- C -*-===
 *
 * What lowered programs call, and nothing else. Programs know this ABI, not the
 * backend (cpu, cuda) or the transport (local, mpi, nccl). Tensors are dense
 * row-major f32 unless a function says otherwise. All functions report failures
 * through the context: after one, every later call returns at once and the
 * program runs to its end; the launcher then reports the first failure with op,
 * device and message, and stops all devices within a bounded time.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_RUNTIME_RUNTIME_H
#define SOAP_RUNTIME_RUNTIME_H

#include <stdint.h>

/* Counts changes that make older compiled code wrong: artifacts of another
 * version are refused. */
#define SOAP_RT_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/* One device's view of one running program. */
typedef struct SoapContext SoapContext;

/* A device program. args: one pointer per argument, then one per result that
 * does not replace an argument. */
typedef void (*SoapProgram)(SoapContext *ctx, void **args, void *arena);

/* Around every op of a program; slot = its position. For traces, error places
 * and the watchdog. */
void soap_rt_task_begin(SoapContext *ctx, int64_t slot);
void soap_rt_task_end(SoapContext *ctx, int64_t slot);

/* Point to point; the peer and the transfer number of the slot are in the rank
 * table. A send takes the bytes at once (the buffer may be reused when it
 * returns); a post lends them until the program and its peers have ended, so
 * that they are copied once. A receive blocks until they are there, or fails
 * when the peer failed or stayed silent too long. */
void soap_rt_send(SoapContext *ctx, int64_t slot, const void *data,
                  int64_t bytes);
void soap_rt_post(SoapContext *ctx, int64_t slot, const void *data,
                  int64_t bytes);
void soap_rt_recv(SoapContext *ctx, int64_t slot, void *data, int64_t bytes);

/* Calls body(args, begin, end) for ranges that cover [0, extent), on the
 * threads of the calling device, and returns when all are done. Ranges are
 * multiples of `grain` (positive) long, but for the last one. One thread: one
 * call. */
void soap_rt_parallel(void (*body)(void *const *args, int64_t begin,
                                   int64_t end),
                      void *const *args, int64_t extent, int64_t grain);

/* Convolution, OIHW weights (O = groups x outputs per group). `d` points to 20
 * numbers: N, groups, C per group, H, W, O per group, OH, OW, KH, KW, stride h,
 * w, dilation h, w, padding top, left, bottom, right, and the layouts of x and
 * of y. Layout 0 is NCHW; 1 NHWC, "channels last"; 8 and 16 are blocks of as
 * many channels, [N, C / 8, H, W, 8], of which C must be a multiple. Padding
 * may be negative (cropping). All outputs are overwritten. */
void soap_rt_conv2d_f32(SoapContext *ctx, const int64_t *d, const float *x,
                        const float *w, float *y);
void soap_rt_conv2d_input_grad_f32(SoapContext *ctx, const int64_t *d,
                                   const float *dy, const float *w, float *dx);
void soap_rt_conv2d_weight_grad_f32(SoapContext *ctx, const int64_t *d,
                                    const float *x, const float *dy, float *dw);

/* y[b] = op(a[b]) op(b[b]): `d` points to 6 numbers: batch, M, N, K, transpose
 * a, transpose b. a is M x K (K x M if transposed), b is K x N (N x K if
 * transposed). y is overwritten. */
void soap_rt_matmul_f32(SoapContext *ctx, const int64_t *d, const float *a,
                        const float *b, float *y);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_RUNTIME_RUNTIME_H */
