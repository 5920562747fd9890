# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Finds CUDA and cuDNN in a toolkit (from 12.8 on, as the runtime has libraries, cudaLibrary_t, since then). Parts that
# the toolkit lacks come from PyPI's nvidia wheels (nvidia-cuda-runtime, nvidia-cuda-crt, nvidia-cublas,
# nvidia-cudnn-cu13) of a Python, as PyTorch installs them.
#   SOAP_CUDA_PYTHON   that Python (default: python3 of PATH)
# Defines the targets CUDA::cudart, CUDA::cublas and CUDA::cublasLt as far as they are there, SOAP_CUDA_INCLUDE,
# SOAP_CUDA_VERSION, SOAP_CUDA_FROM, and SOAP_CUDNN and SOAP_CUDNN_INCLUDE, which are false where there is no cuDNN.
find_package(CUDAToolkit 12.8 QUIET)
set(SOAP_CUDA_INCLUDE ${CUDAToolkit_INCLUDE_DIRS})
set(SOAP_CUDA_VERSION "${CUDAToolkit_VERSION}")
set(SOAP_CUDA_FROM "toolkit")

# Folders with include and lib below the packages `nvidia`: nvidia/cu13, nvidia/cudnn, nvidia/cublas, ...
find_program(SOAP_CUDA_PYTHON NAMES python3 python)
set(wheel_includes "")
set(wheel_libraries "")
if(SOAP_CUDA_PYTHON)
  execute_process(COMMAND ${SOAP_CUDA_PYTHON} -c "import nvidia; print(';'.join(nvidia.__path__))" OUTPUT_VARIABLE roots ERROR_QUIET
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  foreach(root ${roots})
    file(GLOB includes LIST_DIRECTORIES true "${root}/*/include")
    file(GLOB libraries LIST_DIRECTORIES true "${root}/*/lib")
    list(APPEND wheel_includes ${includes})
    list(APPEND wheel_libraries ${libraries})
  endforeach()
endif()

if(NOT TARGET CUDA::cudart AND wheel_includes)
  find_path(SOAP_CUDA_WHEEL_INCLUDE cuda_runtime_api.h PATHS ${wheel_includes} NO_DEFAULT_PATH)
  if(SOAP_CUDA_WHEEL_INCLUDE)
    file(STRINGS "${SOAP_CUDA_WHEEL_INCLUDE}/cuda_runtime_api.h" line REGEX "#define CUDART_VERSION +[0-9]+")
    string(REGEX REPLACE ".* ([0-9]+)$" "\\1" number "${line}")
    if(number GREATER_EQUAL 12080)
      math(EXPR major "${number} / 1000")
      math(EXPR minor "${number} % 1000 / 10")
      set(SOAP_CUDA_VERSION "${major}.${minor}")
      set(SOAP_CUDA_INCLUDE ${wheel_includes})
      set(SOAP_CUDA_FROM "wheels")
    endif()
  endif()
endif()
if(SOAP_CUDA_VERSION)
  string(REGEX MATCH "^[0-9]+" major "${SOAP_CUDA_VERSION}")
  # Wheels have no names without a version.
  foreach(library cudart cublas cublasLt)
    find_library(SOAP_WHEEL_${library} NAMES ${library} lib${library}.so.${major} PATHS ${wheel_libraries} NO_DEFAULT_PATH)
    if(NOT TARGET CUDA::${library} AND SOAP_WHEEL_${library})
      add_library(CUDA::${library} SHARED IMPORTED)
      set_target_properties(CUDA::${library} PROPERTIES IMPORTED_LOCATION "${SOAP_WHEEL_${library}}")
      if(NOT SOAP_CUDA_FROM STREQUAL "wheels")
        set(SOAP_CUDA_FROM "toolkit and wheels")
        list(APPEND SOAP_CUDA_INCLUDE ${wheel_includes})
        list(REMOVE_DUPLICATES SOAP_CUDA_INCLUDE)
      endif()
    endif()
  endforeach()
endif()

find_path(SOAP_CUDNN_INCLUDE cudnn.h HINTS ${CUDAToolkit_INCLUDE_DIRS} ${wheel_includes})
find_library(SOAP_CUDNN NAMES cudnn libcudnn.so.9 HINTS ${CUDAToolkit_LIBRARY_DIR} ${CUDAToolkit_LIBRARY_ROOT}/lib ${wheel_libraries})
