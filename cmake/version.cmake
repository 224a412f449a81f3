# generated/lw_version.h: LW_VERSION, LW_GIT_COMMIT and LW_COMPILER. Written anew by each build but only
# touched when it changes, and only the one file that includes it is then compiled again.
# As a script (cmake -P) it writes the header; included in the project it defines lw_use_version().
if(NOT CMAKE_SCRIPT_MODE_FILE)
  include_guard(GLOBAL)
  add_custom_target(lw_version
    COMMAND ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR} -DOUTPUT=${PROJECT_BINARY_DIR}/generated/lw_version.h
            -DVERSION=${PROJECT_VERSION} "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            -P ${PROJECT_SOURCE_DIR}/cmake/version.cmake
    BYPRODUCTS ${PROJECT_BINARY_DIR}/generated/lw_version.h
    COMMENT "Checking the commit for lw_version.h" VERBATIM)

  # lw_use_version(<target>): the target's sources may include "lw_version.h".
  function(lw_use_version target)
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "INTERFACE_LIBRARY")
      add_dependencies(${target} lw_version)
      target_include_directories(${target} PRIVATE ${PROJECT_BINARY_DIR}/generated)
    endif()
  endfunction()
  return()
endif()

set(commit "unknown")
if(EXISTS ${SOURCE_DIR}/.git)
  execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --dirty --abbrev=40 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND described)
    set(commit ${described})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Written by cmake/version.cmake at each build.
#pragma once
#define LW_VERSION "@VERSION@"
#define LW_GIT_COMMIT "@commit@"
#define LW_COMPILER "@COMPILER@"
]] @ONLY)
