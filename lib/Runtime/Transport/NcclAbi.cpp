//===- NcclAbi.cpp - Loading NCCL -----------------------------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See NcclAbi.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Transport/NcclAbi.h"

#include "Support/SharedLibrary.h"

#include <dlfcn.h>
#include <type_traits>

using namespace soap;
using namespace soap::runtime;

static Expected<NcclAbi> load() {
  auto library = loadLibrary("libnccl.so.2", "SOAP_NCCL", "NCCL of NVIDIA");
  if (!library)
    return Error{"transport nccl is not available: " + library.error()};
  NcclAbi abi{};
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        dlsym(*library, name));
    if (!function && missing.empty())
      missing = name;
  };
#define SOAP_NCCL_FUNCTION(name) find(abi.name, #name)
  SOAP_NCCL_FUNCTION(ncclGetVersion);
  SOAP_NCCL_FUNCTION(ncclGetErrorString);
  SOAP_NCCL_FUNCTION(ncclGetLastError);
  SOAP_NCCL_FUNCTION(ncclGetUniqueId);
  SOAP_NCCL_FUNCTION(ncclCommInitRank);
  SOAP_NCCL_FUNCTION(ncclCommAbort);
  SOAP_NCCL_FUNCTION(ncclCommDestroy);
  SOAP_NCCL_FUNCTION(ncclCommGetAsyncError);
  SOAP_NCCL_FUNCTION(ncclGroupStart);
  SOAP_NCCL_FUNCTION(ncclGroupEnd);
  SOAP_NCCL_FUNCTION(ncclSend);
  SOAP_NCCL_FUNCTION(ncclRecv);
  SOAP_NCCL_FUNCTION(ncclCommSplit);
  SOAP_NCCL_FUNCTION(ncclAllReduce);
  SOAP_NCCL_FUNCTION(ncclReduce);
  SOAP_NCCL_FUNCTION(ncclReduceScatter);
  SOAP_NCCL_FUNCTION(ncclAllGather);
  SOAP_NCCL_FUNCTION(ncclBroadcast);
#undef SOAP_NCCL_FUNCTION
  if (!missing.empty())
    return Error{"transport nccl is not available: the library has no function "
                 "'" +
                 missing + "'"};
  int version = 0;
  constexpr int withSplit = 21801; // 2.18.1
  if (abi.ncclGetVersion(&version) != ncclSuccess || version < withSplit)
    return Error{
        "transport nccl is not available: expected NCCL 2.18 or later, "
        "got version number " +
        std::to_string(version)};
  return abi;
}

Expected<const NcclAbi *> runtime::loadNccl() {
  static const Expected<NcclAbi> abi = load();
  if (!abi)
    return Error{abi.error()};
  return &*abi;
}
