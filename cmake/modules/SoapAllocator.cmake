# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The allocator of programs that search. A search makes and forgets thousands of small vectors a proposal, between which
# glibc's allocator merges and splits free memory; jemalloc does not (docs/Benchmarks.md, Search rate). Libraries and
# plugins leave the choice to their program.
#   SOAP_JEMALLOC   OFF: the system's allocator
option(SOAP_JEMALLOC "Link jemalloc into programs that search, where it is found" ON)
set(SOAP_ALLOCATOR "")
if(NOT SOAP_JEMALLOC)
  message(STATUS "Allocator of searches: the system's (SOAP_JEMALLOC is OFF)")
elseif(SOAP_SANITIZERS)
  message(STATUS "Allocator of searches: the sanitizer's")
else()
  find_library(JEMALLOC_LIBRARY jemalloc)
  if(JEMALLOC_LIBRARY)
    message(STATUS "Allocator of searches: ${JEMALLOC_LIBRARY}")
    set(SOAP_ALLOCATOR ${JEMALLOC_LIBRARY})
  else()
    message(STATUS "Allocator of searches: the system's (no jemalloc: install libjemalloc-dev)")
  endif()
endif()

# Gives a program that allocator.
function(soap_search_allocator name)
  target_link_libraries(${name} PRIVATE ${SOAP_ALLOCATOR})
endfunction()
