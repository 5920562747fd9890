//===- Symbols.h - Functions of the C ABI by name ---------------*- C++ -*-===//
//
// Compiled code finds the runtime through this table, not through the dynamic
// linker: the executable need not export anything.
//
//===----------------------------------------------------------------------===//

#ifndef SOAP_RUNTIME_SYMBOLS_H
#define SOAP_RUNTIME_SYMBOLS_H

namespace soap::runtime {

/// The address of a `soap_rt_*` function; null if there is none.
void *resolveSymbol(const char *name);

} // namespace soap::runtime

#endif // SOAP_RUNTIME_SYMBOLS_H
