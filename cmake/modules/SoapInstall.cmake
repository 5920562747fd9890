# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install rules, and the package files with which other projects do find_package(Soap): one in the build tree
# (lib/cmake/Soap there, so that Soap need not be installed), one in the install tree.
include(CMakePackageConfigHelpers)

get_property(SOAP_EXPORTS GLOBAL PROPERTY SOAP_EXPORTS)
get_property(SOAP_TOOLS GLOBAL PROPERTY SOAP_TOOLS)
set(SOAP_PACKAGE_DIR lib/cmake/Soap)

if(SOAP_TOOLS)
  install(TARGETS ${SOAP_TOOLS} RUNTIME DESTINATION bin)
endif()
install(TARGETS ${SOAP_EXPORTS} EXPORT SoapTargets
  ARCHIVE DESTINATION lib LIBRARY DESTINATION lib RUNTIME DESTINATION bin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/Soap DESTINATION include
  FILES_MATCHING PATTERN "*.h" PATTERN "*.td")
install(DIRECTORY ${PROJECT_BINARY_DIR}/include/Soap DESTINATION include
  FILES_MATCHING PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(EXPORT SoapTargets DESTINATION ${SOAP_PACKAGE_DIR})
export(EXPORT SoapTargets FILE ${PROJECT_BINARY_DIR}/${SOAP_PACKAGE_DIR}/SoapTargets.cmake)

foreach(tree build install)
  if(tree STREQUAL build)
    set(destination ${PROJECT_BINARY_DIR}/${SOAP_PACKAGE_DIR})
    set(prefix ${PROJECT_BINARY_DIR})
    set(SOAP_PACKAGE_INCLUDES ${PROJECT_SOURCE_DIR}/include ${PROJECT_BINARY_DIR}/include)
  else()
    set(destination ${PROJECT_BINARY_DIR}/install-package)
    set(prefix ${CMAKE_INSTALL_PREFIX})
    set(SOAP_PACKAGE_INCLUDES "\${PACKAGE_PREFIX_DIR}/include")
  endif()
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/modules/SoapConfig.cmake.in ${destination}/SoapConfig.cmake
    INSTALL_DESTINATION ${SOAP_PACKAGE_DIR} INSTALL_PREFIX ${prefix})
  write_basic_package_version_file(${destination}/SoapConfigVersion.cmake COMPATIBILITY SameMinorVersion)
endforeach()
install(FILES ${destination}/SoapConfig.cmake ${destination}/SoapConfigVersion.cmake DESTINATION ${SOAP_PACKAGE_DIR})
