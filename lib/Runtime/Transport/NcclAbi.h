//===- NcclAbi.h - The functions of NCCL that the transport calls ---------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// As nccl.h of version 2 declares them, so that neither building nor running on
// the CPU needs NCCL: the library is loaded by name when it is asked for.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_NCCLABI_H
#define SOAP_LIB_RUNTIME_TRANSPORT_NCCLABI_H

#include "Soap/Support/Error.h"

#include <cstddef>

namespace soap::runtime {

struct NcclUniqueId {
  char internal[128];
};
using NcclComm = struct ncclComm *;
/// ncclSuccess is 0, ncclInProgress 7; others are errors.
using NcclResult = int;
constexpr NcclResult ncclSuccess = 0;
constexpr NcclResult ncclInProgress = 7;
/// ncclDataType_t.
constexpr int ncclUint8 = 1, ncclFloat16 = 6, ncclFloat32 = 7, ncclFloat64 = 8,
              ncclBfloat16 = 9;
/// ncclRedOp_t.
constexpr int ncclSum = 0;
/// Color of ncclCommSplit for ranks that join no new communicator.
constexpr int ncclSplitNoColor = -1;

struct NcclAbi {
  NcclResult (*ncclGetVersion)(int *version);
  const char *(*ncclGetErrorString)(NcclResult);
  const char *(*ncclGetLastError)(NcclComm);
  NcclResult (*ncclGetUniqueId)(NcclUniqueId *);
  NcclResult (*ncclCommInitRank)(NcclComm *, int ranks, NcclUniqueId, int rank);
  NcclResult (*ncclCommSplit)(NcclComm, int color, int key, NcclComm *,
                              void *config);
  NcclResult (*ncclCommAbort)(NcclComm);
  NcclResult (*ncclCommDestroy)(NcclComm);
  NcclResult (*ncclCommGetAsyncError)(NcclComm, NcclResult *);
  NcclResult (*ncclGroupStart)();
  NcclResult (*ncclGroupEnd)();
  NcclResult (*ncclSend)(const void *, size_t count, int type, int peer,
                         NcclComm, void *stream);
  NcclResult (*ncclRecv)(void *, size_t count, int type, int peer, NcclComm,
                         void *stream);
  NcclResult (*ncclAllReduce)(const void *, void *, size_t count, int type,
                              int operation, NcclComm, void *stream);
  NcclResult (*ncclReduce)(const void *, void *, size_t count, int type,
                           int operation, int root, NcclComm, void *stream);
  /// `count`: elements that each rank gets.
  NcclResult (*ncclReduceScatter)(const void *, void *, size_t count, int type,
                                  int operation, NcclComm, void *stream);
  /// `count`: elements that each rank gives.
  NcclResult (*ncclAllGather)(const void *, void *, size_t count, int type,
                              NcclComm, void *stream);
  NcclResult (*ncclBroadcast)(const void *, void *, size_t count, int type,
                              int root, NcclComm, void *stream);
};

/// The library that the environment variable SOAP_NCCL names, else
/// libnccl.so.2. Loaded once.
Expected<const NcclAbi *> loadNccl();

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_NCCLABI_H
