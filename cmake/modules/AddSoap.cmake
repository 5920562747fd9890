# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Thin helpers: every library and tool of the project is declared through these, so that flags live in one place.

set(SOAP_WARNINGS -Wall -Wextra -Werror -Wno-unused-parameter)
if(NOT SOAP_WERROR)
  list(REMOVE_ITEM SOAP_WARNINGS -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns about `"literal" + std::string` (GCC bug 105651).
  list(APPEND SOAP_WARNINGS -Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # The std::stable_sort of GCC 12's library uses what it declares deprecated.
  list(APPEND SOAP_WARNINGS -Wno-deprecated-declarations)
endif()

# Installed programs and libraries find each other relative to their own place, so that a prefix can be moved. libMLIR
# and CUDA's libraries are not in the loader's path: a binary that links them carries the path that it was linked with.
set(CMAKE_INSTALL_RPATH "$ORIGIN/../lib;$ORIGIN/../lib/soap")
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
# Install rules that name no component are part of the package soap-tools (SoapInstall.cmake).
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tools)

# Fast linker and compiler cache where they are installed.
find_program(SOAP_LLD NAMES ld.lld-22 ld.lld HINTS ${LLVM_TOOLS_BINARY_DIR})
if(SOAP_LLD AND LLVM_TOOLS_BINARY_DIR)
  add_link_options(-fuse-ld=lld -B${LLVM_TOOLS_BINARY_DIR})
endif()
find_program(SOAP_CCACHE ccache)
if(SOAP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SOAP_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${SOAP_CCACHE})
endif()
if(SOAP_SANITIZERS)
  add_compile_options(-fsanitize=${SOAP_SANITIZERS} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SOAP_SANITIZERS})
endif()

if(SOAP_FUZZERS)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "SOAP_FUZZERS needs Clang, whose libFuzzer is in libclang-rt-22-dev")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

function(soap_target_options name)
  target_include_directories(${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:include>)
  # Headers that only the project itself includes: "Support/Json.h".
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_compile_options(${name} PRIVATE ${SOAP_WARNINGS})
endfunction()

# A clean build takes less time with the sources of a library in batches, which parse and instantiate once what they
# share. A change of one source compiles its batch.
option(SOAP_BATCH_SOURCES "Compile the sources of a library in batches of eight" OFF)
# A first look takes still less: -O0 for sources on MLIR, which neither search nor train, halves their time.
option(SOAP_QUICK_BUILD "Compile sources in batches, and those on MLIR with -O0" OFF)
function(soap_batch_sources)
  if(NOT SOAP_BATCH_SOURCES AND NOT SOAP_QUICK_BUILD)
    return()
  endif()
  find_program(SOAP_PYTHON python3 REQUIRED)
  foreach(name ${ARGN})
    get_target_property(sources ${name} SOURCES)
    get_target_property(folder ${name} SOURCE_DIR)
    list(TRANSFORM sources PREPEND ${folder}/ REGEX "^[^/]")
    execute_process(COMMAND ${SOAP_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/modules/batch_conflicts.py
        ${PROJECT_SOURCE_DIR} 8 ${sources} OUTPUT_VARIABLE batches COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]+" batches "${batches}")
    set(number 0)
    foreach(batch ${batches})
      string(REPLACE "|" ";" batch "${batch}")
      set_source_files_properties(${batch} TARGET_DIRECTORY ${name} PROPERTIES UNITY_GROUP batch${number})
      math(EXPR number "${number} + 1")
    endforeach()
    # Each pass names its debug output.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
                          UNITY_BUILD_CODE_BEFORE_INCLUDE "#undef DEBUG_TYPE")
  endforeach()
endfunction()

# Gives other projects a library: SoapCore is Soap::Core for them, and within this build.
function(soap_export name)
  string(REGEX REPLACE "^Soap" "" short ${name})
  set_target_properties(${name} PROPERTIES EXPORT_NAME ${short})
  add_library(Soap::${short} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY SOAP_EXPORTS ${name})
endfunction()

# A shared library that programs load when they need it: installed into lib, linked by no target.
function(soap_loaded_library name)
  set_property(GLOBAL APPEND PROPERTY SOAP_LOADED_LIBRARIES ${name})
endfunction()

# Tests run for milliseconds: optimizing them would be a fifth of a clean build.
function(soap_test_options name)
  target_compile_options(${name} PRIVATE "$<$<CONFIG:Release,RelWithDebInfo>:-O0>")
endfunction()

# Most of what a file costs is parsing the same headers and instantiating the same templates: precompiled headers, one
# for each kind of sources, take two thirds of that off a clean build. Off, every file has to name what it uses; ccache
# hits across build directories need it off, too.
option(SOAP_PRECOMPILED_HEADERS "Share precompiled headers between sources of a kind" OFF)
if(SOAP_ENABLE_TESTS AND NOT SOAP_RUNTIME_ONLY)
  find_package(GTest REQUIRED)
endif()

# The object library whose precompiled header sources of a kind share; both compilers refuse one that was compiled with
# other options (-O, -fPIE) than the file that uses it.
function(soap_add_precompiled_header pch)
  cmake_parse_arguments(ARG "MLIR;TEST" "" "" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/${pch}.cpp "// Only the precompiled header is of use.\n")
  add_library(${pch} OBJECT ${PROJECT_BINARY_DIR}/${pch}.cpp)
  soap_target_options(${pch})
  target_compile_options(${pch} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:-fpch-instantiate-templates>")
  if(ARG_TEST)
    soap_test_options(${pch})
    target_link_libraries(${pch} PRIVATE GTest::gtest)
    target_precompile_headers(${pch} PRIVATE <gtest/gtest.h>)
  endif()
  if(ARG_TEST OR NOT ARG_MLIR)
    target_link_libraries(${pch} PRIVATE nlohmann_json::nlohmann_json)
    target_precompile_headers(${pch} PRIVATE <filesystem> <fstream> <nlohmann/json.hpp> <sstream>)
  endif()
  if(ARG_MLIR)
    if(SOAP_QUICK_BUILD AND NOT ARG_TEST)
      target_compile_options(${pch} PRIVATE -O0)
      # The headers that lowering includes most: parsed once, not once a batch.
      target_precompile_headers(${pch} PRIVATE
        <mlir/Dialect/LLVMIR/LLVMDialect.h>
        <mlir/Dialect/Math/IR/Math.h>
        <mlir/Dialect/MemRef/IR/MemRef.h>
        <mlir/Dialect/SCF/IR/SCF.h>
        <mlir/IR/IRMapping.h>)
    endif()
    target_include_directories(${pch} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS} ${PROJECT_BINARY_DIR}/include)
    target_precompile_headers(${pch} PRIVATE
      <Soap/Dialect/Soap/SoapOps.h>
      <mlir/Dialect/Arith/IR/Arith.h>
      <mlir/Dialect/Func/IR/FuncOps.h>
      <mlir/Dialect/Tensor/IR/Tensor.h>
      <mlir/IR/DialectImplementation.h>
      <mlir/Pass/Pass.h>
      <llvm/ADT/TypeSwitch.h>)
    add_dependencies(${pch} SoapTableGen)
  else()
    target_precompile_headers(${pch} PRIVATE <chrono> <functional> <map> <mutex> <set> <thread>)
  endif()
endfunction()

# soap_precompiled_headers(TARGET [MLIR] [TEST]): the sources of a target share the header of their kind.
function(soap_precompiled_headers name)
  if(NOT SOAP_PRECOMPILED_HEADERS)
    return()
  endif()
  string(JOIN "" pch Soap ${ARGN} PCH)
  if(NOT TARGET ${pch})
    soap_add_precompiled_header(${pch} ${ARGN})
  endif()
  target_precompile_headers(${name} REUSE_FROM ${pch})
  if(SOAP_QUICK_BUILD AND "${ARGN}" STREQUAL "MLIR")
    target_compile_options(${name} PRIVATE -O0)
  endif()
  # Clang instantiates the header's templates once, in it.
  target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:Clang>:-fpch-instantiate-templates>")
  # GCC 12 forgets what it knows of string lengths in a precompiled <string>, and warns in it.
  target_compile_options(${name} PRIVATE "$<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow;-Wno-array-bounds>")
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
endfunction()

# A plain C++ library: no MLIR, no LLVM. add_soap_core_library(SoapCore a.cpp LINK x)
function(add_soap_core_library name)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  soap_target_options(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE_LINK})
  soap_precompiled_headers(${name})
  soap_export(${name})
endfunction()

# A library on MLIR (shared libMLIR and libLLVM only).
#   add_soap_mlir_library(SoapDialect a.cpp DEPENDS gen LINK SoapCore)
function(add_soap_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  soap_target_options(${name})
  target_include_directories(${name} SYSTEM PUBLIC ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS}
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>)
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM PRIVATE ${ARG_PRIVATE_LINK})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  add_dependencies(${name} SoapTableGen)
  soap_precompiled_headers(${name} MLIR)
  soap_export(${name})
endfunction()

# Include folders and options of a program on MLIR, beside the ones that its libraries bring.
function(soap_mlir_program name)
  target_include_directories(${name} SYSTEM PRIVATE ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS} ${PROJECT_BINARY_DIR}/include)
  add_dependencies(${name} SoapTableGen)
endfunction()

# A tool in build/bin. add_soap_tool(soap-opt main.cpp MLIR LINK SoapTransforms); MLIR: its sources are on MLIR.
function(add_soap_tool name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_MLIR)
    soap_mlir_program(${name})
    soap_precompiled_headers(${name} MLIR)
  else()
    soap_precompiled_headers(${name})
  endif()
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_compile_options(${name} PRIVATE ${SOAP_WARNINGS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY SOAP_TOOLS ${name})
endfunction()

# A GoogleTest binary in build/bin/unittests; scripts/test.sh runs every one of them.
# add_soap_unittest(RegionTest RegionTest.cpp LINK SoapCore); MLIR: its sources are on MLIR.
add_custom_target(SoapUnitTests)
function(add_soap_unittest name)
  if(NOT SOAP_ENABLE_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/unittests)
  target_compile_options(${name} PRIVATE ${SOAP_WARNINGS})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/unittests ${PROJECT_SOURCE_DIR}/lib)
  soap_test_options(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main Threads::Threads)
  if(ARG_MLIR)
    soap_mlir_program(${name})
    soap_precompiled_headers(${name} MLIR TEST)
  else()
    soap_precompiled_headers(${name} TEST)
  endif()
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(SoapUnitTests ${name})
endfunction()
