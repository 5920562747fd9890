//===- Symbols.cpp - Functions of the C ABI by name -----------------------===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Symbols.h. Every function of Runtime.h is listed here.
//
//===----------------------------------------------------------------------===//

#include "Soap/Runtime/Artifact/Symbols.h"

#include "Soap/ABI/Runtime.h"

#include <cstring>
#include <utility>

using namespace soap;

void *runtime::resolveSymbol(const char *name) {
  static const std::pair<const char *, void *> table[] = {
#define SOAP_SYMBOL(function) {#function, reinterpret_cast<void *>(&function)}
      SOAP_SYMBOL(soap_rt_task_begin),
      SOAP_SYMBOL(soap_rt_task_end),
      SOAP_SYMBOL(soap_rt_send),
      SOAP_SYMBOL(soap_rt_post),
      SOAP_SYMBOL(soap_rt_recv),
      SOAP_SYMBOL(soap_rt_collective),
      SOAP_SYMBOL(soap_rt_parallel),
      SOAP_SYMBOL(soap_rt_assertion_failed),
      SOAP_SYMBOL(soap_rt_conv2d_f32),
      SOAP_SYMBOL(soap_rt_conv2d_input_grad_f32),
      SOAP_SYMBOL(soap_rt_conv2d_weight_grad_f32),
      SOAP_SYMBOL(soap_rt_matmul_f32),
      SOAP_SYMBOL(soap_rt_conv2d_bf16),
      SOAP_SYMBOL(soap_rt_conv2d_input_grad_bf16),
      SOAP_SYMBOL(soap_rt_conv2d_weight_grad_bf16),
      SOAP_SYMBOL(soap_rt_matmul_bf16),
      SOAP_SYMBOL(soap_rt_matmul_bf16_f32),
      SOAP_SYMBOL(soap_rt_attention_f32),
      SOAP_SYMBOL(soap_rt_attention_bf16),
      SOAP_SYMBOL(soap_rt_conv2d),
      SOAP_SYMBOL(soap_rt_matmul),
      SOAP_SYMBOL(soap_rt_pool2d),
      SOAP_SYMBOL(soap_rt_batch_norm),
      SOAP_SYMBOL(soap_rt_attention),
      SOAP_SYMBOL(soap_rt_use_stream),
      SOAP_SYMBOL(soap_rt_launch),
      SOAP_SYMBOL(soap_rt_copy),
      SOAP_SYMBOL(soap_rt_constant),
      SOAP_SYMBOL(soap_rt_record_event),
      SOAP_SYMBOL(soap_rt_wait_event),
      SOAP_SYMBOL(soap_rt_begin_transfers),
      SOAP_SYMBOL(soap_rt_end_transfers),
#undef SOAP_SYMBOL
  };
  for (const auto &[known, address] : table)
    if (std::strcmp(known, name) == 0)
      return address;
  return nullptr;
}
