/*===- Runtime.h - C ABI of the launcher runtime --------------------*- C -*-===
 *
 * Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The functions that lowered programs call. Programs know this ABI, not the
 * backend (cpu, cuda) or the transport (local, mpi, nccl). Tensors are dense
 * row-major f32 unless a function says otherwise. All functions report failures
 * through the context: after one, every later call returns at once and the
 * program runs to its end; the launcher then reports the first failure with op,
 * device and message, and stops all devices within a bounded time.
 *
 *===----------------------------------------------------------------------===*/

#ifndef SOAP_ABI_RUNTIME_H
#define SOAP_ABI_RUNTIME_H

#include <stdint.h>

/* Counts changes that make older compiled code wrong: artifacts of another
 * version are refused. */
#define SOAP_RT_ABI_VERSION 4

#ifdef __cplusplus
extern "C" {
#endif

/* One device's view of one running program. */
typedef struct SoapContext SoapContext;

/* A device program. args: one pointer per argument, then one per result that
 * does not replace an argument. */
typedef void (*SoapProgram)(SoapContext *ctx, void **args, void *arena);

/* The memory and messages that a program needs from its caller: modules have a
 * constant of this layout, `soap_interface_NAME`, for each program NAME, so
 * that a rank table with other numbers is refused before the program runs. All
 * are int64_t: the number of words that follow the bytes of the arena the
 * number of slots: one more than the largest slot the number of pointers in
 * `args`, then bytes and element type of each the number of messages, then
 * slot, kind and bytes of each; of a collective, its SOAP_ALL_REDUCE, ...
 * instead of bytes */
enum { SOAP_INTERFACE_SEND, SOAP_INTERFACE_RECV, SOAP_INTERFACE_COLLECTIVE };
enum {
  SOAP_INTERFACE_F32,
  SOAP_INTERFACE_F64,
  SOAP_INTERFACE_I32,
  SOAP_INTERFACE_I64,
  SOAP_INTERFACE_F16,
  SOAP_INTERFACE_BF16,
  SOAP_INTERFACE_OTHER
};
/* Modules also have the constant `soap_manifest_crc32`: the number of bytes of
 * the manifest that their programs were compiled with, and its CRC-32, as two
 * int64_t. */

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

/* Kinds of collectives. */
enum {
  SOAP_ALL_REDUCE,     /* the sum of all, on all */
  SOAP_REDUCE,         /* the sum of all, on the root */
  SOAP_REDUCE_SCATTER, /* the sum of all, a part on each */
  SOAP_ALL_GATHER,     /* the parts of all, on all */
  SOAP_BROADCAST,      /* the tensor of the root, on all */
  SOAP_GATHER,         /* the parts of all, on the root; of one size */
  SOAP_ALL_TO_ALL      /* a piece of each, for each */
};
/* Types of elements; BYTES are only moved. */
enum { SOAP_BYTES, SOAP_F32, SOAP_F64, SOAP_F16, SOAP_BF16 };

/* A collective of the group that the rank table names for the slot: all its
 * devices call it, and it may wait for them. Sums are folded in the order of
 * the group. `d` points to: the kind, the type of elements, the number n of
 * inputs and m of outputs, and the number of elements of each; `buffers` to n
 * inputs, then m outputs.
 *   ALL_REDUCE:     1 output, with the device's own part before
 *   REDUCE:         the root: as ALL_REDUCE; others: 1 input
 *   REDUCE_SCATTER: an input for each device of the group, or one with a piece
 *                   of the same size for each; 1 output
 *   ALL_GATHER:     1 input; outputs as the inputs there
 *   GATHER:         1 input; the root: outputs as the inputs there
 *   BROADCAST:      the root: 1 input; others: 1 output
 *   ALL_TO_ALL:     inputs as of a REDUCE_SCATTER, outputs as of an
 *                   ALL_GATHER: input i for device i, output i from it */
void soap_rt_collective(SoapContext *ctx, int64_t slot, const int64_t *d,
                        void *const *buffers);

/* Calls body(args, begin, end) for ranges that cover [0, extent), on the
 * threads of the calling device, and returns when all are done. Ranges are
 * multiples of `grain` (positive) long, the last one may be shorter. One
 * thread: one call. */
void soap_rt_parallel(void (*body)(void *const *args, int64_t begin,
                                   int64_t end),
                      void *const *args, int64_t extent, int64_t grain);

/* Ends the process with exit status 1 and a message on stderr: an assertion of
 * a kernel does not hold, such as an index beyond the end of a table. Kernels
 * have no context, and must not go on: they would read outside of their
 * buffers. */
void soap_rt_assertion_failed(const char *message);

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

/* The same on bf16, each number as its 16 bits: sums are in f32, and a result
 * is rounded once. Where the processor does not multiply bf16, operands are
 * copied to f32. */
void soap_rt_conv2d_bf16(SoapContext *ctx, const int64_t *d, const uint16_t *x,
                         const uint16_t *w, uint16_t *y);
void soap_rt_conv2d_input_grad_bf16(SoapContext *ctx, const int64_t *d,
                                    const uint16_t *dy, const uint16_t *w,
                                    uint16_t *dx);
void soap_rt_conv2d_weight_grad_bf16(SoapContext *ctx, const int64_t *d,
                                     const uint16_t *x, const uint16_t *dy,
                                     uint16_t *dw);
void soap_rt_matmul_bf16(SoapContext *ctx, const int64_t *d, const uint16_t *a,
                         const uint16_t *b, uint16_t *y);
/* With the sums themselves as its result. */
void soap_rt_matmul_bf16_f32(SoapContext *ctx, const int64_t *d,
                             const uint16_t *a, const uint16_t *b, float *y);

/* Attention of f32 or bf16, and its gradient, without scores in memory: `d`
 * points to 20 numbers, as in CpuAttentionCall of
 * lib/Runtime/Kernels/CpuAttention.h. Buffers are the operands and the results
 * of the op, in its order. */
void soap_rt_attention_f32(SoapContext *ctx, const int64_t *d,
                           void *const *buffers);
void soap_rt_attention_bf16(SoapContext *ctx, const int64_t *d,
                            void *const *buffers);

/* The products for programs on streams. `buffers` is read before they return.
 *
 * soap_rt_conv2d: `d` points to the 20 numbers above, the kind (0 forward,
 * 1 gradient of the input, 2 of the weights), the precision, the bytes of the
 * workspace and the epilogue. Buffers are both operands, the third one if the
 * epilogue has one, the result, and the workspace if it has bytes. In bf16
 * operands and result are bf16. Images are both NCHW or both NHWC; with NHWC
 * weights are [O, KH, KW, C].
 * soap_rt_matmul: the 6 numbers above, the precision, whether the result is
 * bf16, the epilogue and the bytes of the workspace. Buffers are a, b, the
 * third operand if the epilogue has one, y, its second result if it has one,
 * and the workspace if it has bytes.
 *
 * soap_rt_attention: 20 numbers: the kind, batch, heads, heads of keys,
 * queries, keys, width, width of values, the bits of the scale as f64, the
 * bounds left and right, the bytes of the workspace, and the layouts of q, k,
 * v, o, do, dq, dk, dv, numbered in lib/Runtime/Kernels/AttentionCall.h.
 * Buffers are q, k, v; then o, and the statistics of rows where the kind has
 * them; of the gradients o, do, the statistics, dq, dk, dv; and the workspace
 * if it has bytes.
 *
 * Precisions (operands; sums are f32) and epilogues are numbered in
 * lib/Runtime/Kernels/LibraryCalls.h. */
void soap_rt_conv2d(SoapContext *ctx, const int64_t *d, void *const *buffers);
void soap_rt_matmul(SoapContext *ctx, const int64_t *d, void *const *buffers);
/* Pooling, and norms over the batch at hand, with their gradients: numbers and
 * buffers are as in PoolCall and NormCall of
 * lib/Runtime/Kernels/ImageCalls.h. */
void soap_rt_pool2d(SoapContext *ctx, const int64_t *d, void *const *buffers);
void soap_rt_batch_norm(SoapContext *ctx, const int64_t *d,
                        void *const *buffers);
void soap_rt_attention(SoapContext *ctx, const int64_t *d,
                       void *const *buffers);

/* A generated kernel of a program on streams: `name` in the image of GPU
 * kernels, and as function of a range of its iterations for the CPU, its host
 * reference (null: none). Kernels take `buffers` pointers and nothing else. */
typedef struct SoapKernel {
  const char *name;
  void (*hostReference)(void *const *args, int64_t begin, int64_t end);
  int64_t extent, grain; /* of soap_rt_parallel */
  int64_t buffers;
} SoapKernel;

/* Programs on streams (--soap-lower-to-cuda). Launches, library calls, copies
 * and messages go to the current stream of the device, 0 when a program begins,
 * and may return before they have begun; a stream does them in order. On the
 * CPU all is done in the order of the program, and streams, events and groups
 * mean nothing. */
void soap_rt_use_stream(SoapContext *ctx, int64_t stream);
/* All iterations of a kernel; `buffers` is read before this returns. */
void soap_rt_launch(SoapContext *ctx, const SoapKernel *kernel,
                    void *const *buffers);
/* From and to memory of the device. */
void soap_rt_copy(SoapContext *ctx, void *to, const void *from, int64_t bytes);
/* Where the device has a constant of the program. */
const void *soap_rt_constant(SoapContext *ctx, const void *data, int64_t bytes);
/* Event `event` happens when `stream` has done all work given to it so far;
 * later work of a stream that waits for it begins after that. Events are
 * numbered from 0 in each program; each is recorded once, before it is waited
 * for. */
void soap_rt_record_event(SoapContext *ctx, int64_t event, int64_t stream);
void soap_rt_wait_event(SoapContext *ctx, int64_t event, int64_t stream);
/* Messages between these two do not wait for each other. Received data are
 * complete after the end. */
void soap_rt_begin_transfers(SoapContext *ctx);
void soap_rt_end_transfers(SoapContext *ctx);

#ifdef __cplusplus
}
#endif

#endif /* SOAP_ABI_RUNTIME_H */
