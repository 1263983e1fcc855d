# The C header of the XLA FFI, as the package jaxlib carries it for people who write handlers of custom calls.
#   Gives the interface library stead_xla_ffi_abi. Python3_EXECUTABLE names a Python that has jaxlib.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
execute_process(
  COMMAND ${Python3_EXECUTABLE} -c
          "import importlib.util, pathlib; print(pathlib.Path(importlib.util.find_spec('jaxlib').origin).parent / 'include')"
  OUTPUT_VARIABLE xla_ffi_directory OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT EXISTS "${xla_ffi_directory}/xla/ffi/api/c_api.h")
  message(FATAL_ERROR "Custom calls need the header xla/ffi/api/c_api.h of the Python package jaxlib at build time. "
                      "Install it, or set Python3_EXECUTABLE to an interpreter that has it.")
endif()
add_library(stead_xla_ffi_abi INTERFACE)
target_include_directories(stead_xla_ffi_abi SYSTEM INTERFACE ${xla_ffi_directory})

# Gives one room the header.
function(stead_xla_ffi folder)
  target_link_libraries(stead_${folder} PRIVATE stead_xla_ffi_abi)
  if(TARGET ${folder}_test)
    target_link_libraries(${folder}_test PRIVATE stead_xla_ffi_abi)
  endif()
endfunction()
