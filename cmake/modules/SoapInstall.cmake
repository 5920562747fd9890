# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Install rules. `cmake --install` installs what is built and says what is not; with `--component NAME`, as cpack
# calls it, a component that is not complete is an error.
#   tools         programs, and the libraries that no package of the distribution brings
#   runtime       the shared libraries that programs load or link: compiler, plugin, transports, backends
#   development   headers, static libraries and the CMake package (cmake/CMakeLists.txt)
get_property(SOAP_EXPORTS GLOBAL PROPERTY SOAP_EXPORTS)
get_property(SOAP_TOOLS GLOBAL PROPERTY SOAP_TOOLS)
get_property(SOAP_LOADED_LIBRARIES GLOBAL PROPERTY SOAP_LOADED_LIBRARIES)
get_property(SOAP_BUNDLED_LIBRARIES GLOBAL PROPERTY SOAP_BUNDLED_LIBRARIES)

# Says at install time which files of these targets are not there. Sets SOAP_NOT_BUILT in the install script.
function(soap_check_built component)
  set(files "")
  foreach(target ${ARGN})
    list(APPEND files "$<TARGET_FILE:${target}>")
  endforeach()
  install(CODE "
    set(SOAP_NOT_BUILT)
    set(files \"${files}\")
    foreach(file IN LISTS files)
      if(NOT EXISTS \"\${file}\")
        get_filename_component(name \"\${file}\" NAME)
        list(APPEND SOAP_NOT_BUILT \${name})
      endif()
    endforeach()
    if(SOAP_NOT_BUILT)
      string(JOIN \", \" names \${SOAP_NOT_BUILT})
      if(CMAKE_INSTALL_COMPONENT)
        message(FATAL_ERROR \"Component ${component} is not complete. Not built: \${names}\")
      endif()
      message(STATUS \"Component ${component}: not built: \${names}\")
    endif()"
    COMPONENT ${component})
endfunction()

soap_check_built(tools ${SOAP_TOOLS})
install(TARGETS ${SOAP_TOOLS} RUNTIME DESTINATION bin COMPONENT tools OPTIONAL)
if(SOAP_BUNDLED_LIBRARIES)
  install(FILES ${SOAP_BUNDLED_LIBRARIES} DESTINATION lib/soap COMPONENT tools
    PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endif()

set(runtime ${SOAP_LOADED_LIBRARIES})
if(TARGET SoapCompiler)
  list(APPEND runtime SoapCompiler)
  install(TARGETS SoapCompiler EXPORT SoapTargets LIBRARY DESTINATION lib COMPONENT runtime OPTIONAL)
endif()
if(TARGET SoapCAPI)
  list(APPEND runtime SoapCAPI)
  install(TARGETS SoapCAPI EXPORT SoapTargets LIBRARY DESTINATION lib COMPONENT runtime OPTIONAL)
endif()
if(runtime)
  soap_check_built(runtime ${runtime})
endif()
if(SOAP_LOADED_LIBRARIES)
  install(TARGETS ${SOAP_LOADED_LIBRARIES} LIBRARY DESTINATION lib COMPONENT runtime OPTIONAL)
endif()

# Machines that only run artifacts do not compile against Soap.
if(NOT SOAP_RUNTIME_ONLY)
  add_subdirectory(cmake)
endif()
