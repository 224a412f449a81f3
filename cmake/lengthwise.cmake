# What every target of ours shares. Settings live on targets; only the language and the
# compiler launcher are global.
include_guard(GLOBAL)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(LW_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(LW_CCACHE_PROGRAM ccache)
  mark_as_advanced(LW_CCACHE_PROGRAM)
  if(LW_CCACHE_PROGRAM)
    # Without this sloppiness ccache never hits a file that uses a precompiled header.
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                    ${LW_CCACHE_PROGRAM})
  endif()
endif()

# lw_options(<target> [TORCH]): include root, warnings, sanitizers; TORCH adds LibTorch and its
# precompiled headers.
function(lw_options target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "")
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                           -Wcast-align -Wdouble-promotion $<$<BOOL:${LW_WERROR}>:-Werror>)
  # GCC 12 reports memcpy overlaps in std::string concatenation that are not there (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  # From 12 to 14 it also reports bounds of the short strings inside std::string that nothing crosses.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  # GCC 13 and later guess that a reference dangles wherever a function that returns one is given a temporary.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE -Wno-dangling-reference)
  endif()
  if(LW_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LW_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${LW_SANITIZE})
  endif()
  if(arg_TORCH)
    target_link_libraries(${target} PUBLIC lw::torch)
    if(LW_PCH)
      lw_torch_pch()
      target_precompile_headers(${target} REUSE_FROM lw_torch_pch)
    endif()
  endif()
endfunction()

# One precompiled header for all targets. It holds what nearly every file with tensors needs; <torch/torch.h>
# stays out, since it doubles what each file costs. Measured with LibTorch 2.13 and g++ 12, CPU seconds: 25 once,
# then 3.4 a file and what is in it; without, 10.5. For 58 files 174, with unity builds of 8 instead 90; but then
# an edit costs 10 and more, and file-local names of different files must not meet. A precompiled header for the
# folders without LibTorch (json, yaml) saves nothing.
function(lw_torch_pch)
  if(TARGET lw_torch_pch)
    return()
  endif()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/lw_torch_pch.cpp CONTENT "// Carries the precompiled header.\n")
  add_library(lw_torch_pch OBJECT ${PROJECT_BINARY_DIR}/generated/lw_torch_pch.cpp)
  lw_options(lw_torch_pch)
  target_link_libraries(lw_torch_pch PUBLIC lw::torch lw::json)
  target_precompile_headers(lw_torch_pch PRIVATE ${PROJECT_SOURCE_DIR}/encodings/position_encoding.h
                                                   ${PROJECT_SOURCE_DIR}/encodings/tensor.h)
endfunction()

# lw_sources(<out> <folder>...): every .cpp directly in the folders; new files are seen by the next build.
function(lw_sources out)
  list(TRANSFORM ARGN REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# lw_library(<name> [TORCH] FOLDERS <folder>... [EXCLUDE <file>...] [LINK <target>...]):
# one static library from the .cpp files of its folders; a folder without any gives an interface library.
function(lw_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "FOLDERS;EXCLUDE;LINK")
  lw_sources(sources ${arg_FOLDERS})
  list(TRANSFORM arg_EXCLUDE PREPEND ${PROJECT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${arg_EXCLUDE})
  if(NOT sources)
    add_library(${name} INTERFACE)
    target_include_directories(${name} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${name} INTERFACE ${arg_LINK} $<$<BOOL:${arg_TORCH}>:lw::torch>)
    return()
  endif()
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  if(arg_TORCH)
    lw_options(${name} TORCH)
  else()
    lw_options(${name})
  endif()
endfunction()
