//===- DelayTransport.h - Random delays of messages -------------*- C++ -*-===//
//
// Part of the Soap Project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fault injection for tests: devices sleep at random before and after they
// send, receive or enter a collective. Programs have to compute the same and
// may not hang, whatever the times of their messages are.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_LIB_RUNTIME_TRANSPORT_DELAYTRANSPORT_H
#define SOAP_LIB_RUNTIME_TRANSPORT_DELAYTRANSPORT_H

#include "Runtime/Transport/Transport.h"

#include <chrono>

namespace soap::runtime {

struct DelayOptions {
  /// Device, iteration and number of the call decide the rest of a delay.
  uint64_t seed = 0;
  /// The longest common delay; 0: no delays. One delay in 64 is ten times as
  /// long as it would be.
  std::chrono::microseconds longest{0};
};

/// Delays the messages of all host transports that this process makes from now
/// on. Not thread-safe: called before the first of them is made.
void injectDelays(const DelayOptions &options);

/// The transport with the delays of `injectDelays`; the transport itself if
/// there are none.
std::unique_ptr<Transport> withDelays(std::unique_ptr<Transport> transport,
                                      int64_t devices);

} // namespace soap::runtime

#endif // SOAP_LIB_RUNTIME_TRANSPORT_DELAYTRANSPORT_H
