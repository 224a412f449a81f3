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

# A faster linker than GNU's where there is one.
include(CheckLinkerFlag)
set(lw_linker_flag "")
foreach(linker mold lld)
  check_linker_flag(CXX -fuse-ld=${linker} LW_LINKS_WITH_${linker})
  if(LW_LINKS_WITH_${linker})
    set(lw_linker_flag -fuse-ld=${linker})
    break()
  endif()
endforeach()

# lw_options(<target> [TORCH] [PCH <name>] [UNITY <files>]): include root, warnings, sanitizers. TORCH adds LibTorch and,
# if PCH names no other, its precompiled headers. UNITY compiles so many files at once (docs/building.md has the
# measurements that chose the numbers).
function(lw_options target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "PCH;UNITY" "")
  target_include_directories(${target} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
                                           -Wcast-align -Wdouble-promotion $<$<BOOL:${LW_WERROR}>:-Werror>)
  # GCC 12 reports memcpy overlaps in std::string concatenation that are not there (its bug 105651).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  # GCC's own garbage collection: with a larger heap it runs less often, which saves a tenth of the time.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE --param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000)
  endif()
  # From 12 to 14 it also reports bounds of the short strings inside std::string that nothing crosses.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-stringop-overflow)
  endif()
  # GCC 13 and later guess that a reference dangles wherever a function that returns one is given a temporary.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
    target_compile_options(${target} PRIVATE -Wno-dangling-reference)
  endif()
  target_link_options(${target} PRIVATE ${lw_linker_flag})
  if(LW_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${LW_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${LW_SANITIZE})
  endif()
  if(arg_TORCH)
    target_link_libraries(${target} PUBLIC lw::torch)
  endif()
  if(LW_PCH AND (arg_TORCH OR arg_PCH))
    if(NOT arg_PCH)
      set(arg_PCH lw_torch_pch)
    endif()
    target_precompile_headers(${target} REUSE_FROM ${arg_PCH})
  endif()
  if(LW_UNITY AND arg_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${arg_UNITY})
  endif()
endfunction()

# lw_pch(<name> HEADERS <header>... LINK <target>...): a precompiled header that targets share by PCH <name>. It
# carries the headers, and what they need to be read.
function(lw_pch name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH" "" "HEADERS;LINK;DEFINE")
  if(NOT LW_PCH)
    return()
  endif()
  set(carrier ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${carrier} CONTENT "// Carries a precompiled header.\n")
  add_library(${name} OBJECT ${carrier})
  # Not through ccache: a precompiled header holds the times of its headers, and GCC reads a header of another time again.
  set_target_properties(${name} PROPERTIES CXX_COMPILER_LAUNCHER "")
  lw_options(${name})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  target_compile_definitions(${name} PRIVATE ${arg_DEFINE})
  target_precompile_headers(${name} PRIVATE ${arg_HEADERS})
endfunction()

# lw_sources(<out> <folder>...): every .cpp directly in the folders; new files are seen by the next build.
function(lw_sources out)
  list(TRANSFORM ARGN REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${patterns})
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# lw_library(<name> [TORCH] [COLD] [PCH <name>] [UNITY <files>] FOLDERS <folder>... [EXCLUDE <file>...]
# [LINK <target>...]): one static library from the .cpp files of its folders. COLD is for code that reads, arranges and
# writes text: it is compiled with -O1, which takes a quarter less time than -O2.
function(lw_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TORCH;COLD" "PCH;UNITY" "FOLDERS;EXCLUDE;LINK")
  lw_sources(sources ${arg_FOLDERS})
  list(TRANSFORM arg_EXCLUDE PREPEND ${PROJECT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${arg_EXCLUDE})
  add_library(${name} STATIC ${sources})
  target_link_libraries(${name} PUBLIC ${arg_LINK})
  set(torch "")
  if(arg_TORCH)
    set(torch TORCH)
  endif()
  lw_options(${name} ${torch} PCH "${arg_PCH}" UNITY "${arg_UNITY}")
  if(arg_COLD)
    target_compile_options(${name} PRIVATE $<$<CONFIG:RelWithDebInfo,Release>:-O1>)
  endif()
endfunction()
