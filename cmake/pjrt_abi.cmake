# The declarations of the PJRT C API, generated into the build tree from the pinned Python package `pypjrt`.
#   Gives the interface library stead_pjrt_abi: pjrt_abi.h and pjrt_functions.def.
#   Python3_EXECUTABLE names a Python that has the package; where it has not, pip fetches the package into the build tree.

set(STEAD_PYPJRT_VERSION 0.1.1)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
set(python ${Python3_EXECUTABLE})
set(pypjrt_directory ${PROJECT_BINARY_DIR}/pypjrt)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${pypjrt_directory}
          ${python} -c "import importlib.metadata; print(importlib.metadata.version('pypjrt'))"
  OUTPUT_VARIABLE pypjrt_version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT pypjrt_version STREQUAL STEAD_PYPJRT_VERSION)
  execute_process(
    COMMAND ${python} -m pip install --quiet --no-deps --upgrade --target ${pypjrt_directory} pypjrt==${STEAD_PYPJRT_VERSION}
    RESULT_VARIABLE pip_result)
  if(NOT pip_result EQUAL 0)
    message(FATAL_ERROR "The PJRT plugin needs the Python package pypjrt ${STEAD_PYPJRT_VERSION} at build time. "
                        "Install it, or set Python3_EXECUTABLE to an interpreter that has it.")
  endif()
endif()

set(pjrt_abi_directory ${PROJECT_BINARY_DIR}/generated/pjrt)
set(pjrt_abi_generator ${PROJECT_SOURCE_DIR}/scripts/generate_pjrt_abi.py)
add_custom_command(
  OUTPUT ${pjrt_abi_directory}/pjrt_abi.h ${pjrt_abi_directory}/pjrt_functions.def
  COMMAND ${CMAKE_COMMAND} -E env PYTHONPATH=${pypjrt_directory} ${python} ${pjrt_abi_generator} ${pjrt_abi_directory}
  DEPENDS ${pjrt_abi_generator}
  COMMENT "Generating the PJRT ABI from pypjrt ${STEAD_PYPJRT_VERSION}"
  VERBATIM)
add_custom_target(stead_pjrt_abi_files DEPENDS ${pjrt_abi_directory}/pjrt_abi.h)
add_library(stead_pjrt_abi INTERFACE)
add_dependencies(stead_pjrt_abi stead_pjrt_abi_files)
target_include_directories(stead_pjrt_abi INTERFACE ${pjrt_abi_directory})
