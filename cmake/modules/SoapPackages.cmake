# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# `cpack -G DEB` in a complete build: soap-tools, libsoap-runtime and libsoap-dev for the Debian or Ubuntu release that
# it runs on. Dependencies on shared libraries are read from the programs (dpkg-shlibdeps of dpkg-dev).
# scripts/check-packages.sh installs them in a fresh Debian.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME soap)
set(CPACK_PACKAGE_VENDOR "The Soap project")
set(CPACK_PACKAGE_CONTACT "The Soap developers")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Parallelization of neural network training on MLIR")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL tools runtime development)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE zstd)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME soap-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libsoap-runtime (= ${PROJECT_VERSION})")
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "Soap's programs
 soap-translate imports ONNX files, soap-opt builds training steps and searches parallelization strategies,
 soap-run trains, soap-launch runs it on several hosts, soap-solve solves device placement and cost graph problems.")

# Linking artifacts calls the linker of LLVM.
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libsoap-runtime)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "lld-${LLVM_VERSION_MAJOR}")
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "Soap's shared libraries
 The compiler behind a C ABI, the plugin of mlir-opt, and the transports and backends that soap-run loads.")

# Packages that SoapConfig.cmake looks for, and that the static libraries link.
set(development
  "libsoap-runtime (= ${PROJECT_VERSION})" "libmlir-${LLVM_VERSION_MAJOR}-dev" "mlir-${LLVM_VERSION_MAJOR}-tools"
  "llvm-${LLVM_VERSION_MAJOR}-dev" nlohmann-json3-dev zlib1g-dev "g++")
get_property(uses_onnx GLOBAL PROPERTY SOAP_USES_ONNX)
if(uses_onnx)
  list(APPEND development libonnx-dev libprotobuf-dev protobuf-compiler)
endif()
if(SOAP_DNNL)
  list(APPEND development libdnnl-dev)
endif()
string(JOIN ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${development})
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libsoap-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "Headers, static libraries and CMake files of Soap
 find_package(Soap) defines Soap::Core, Soap::Search, Soap::Dialect, Soap::Runtime and others.")

# Debian wants the licence of a package in a file of its name.
foreach(component TOOLS RUNTIME DEVELOPMENT)
  string(TOLOWER ${component} name)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION share/doc/${CPACK_DEBIAN_${component}_PACKAGE_NAME}
    RENAME copyright COMPONENT ${name})
endforeach()
include(CPack)
