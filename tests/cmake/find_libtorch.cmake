# The search for LibTorch, tried on made-up folders and on a CUDA build imitated from the real CPU one.
# cmake -DREAL_TORCH=FOLDER -DCXX=COMPILER -DGENERATOR=NAME -DWORK=SCRATCH -P find_libtorch.cmake
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH tests_dir)
cmake_path(GET tests_dir PARENT_PATH source_dir)
include(${source_dir}/cmake/torch_search.cmake)
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
foreach(variable LIBTORCH Torch_DIR CMAKE_PREFIX_PATH)
  unset(ENV{${variable}})
endforeach()

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed (${status}): ${ARGN}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_match text pattern)
  if(NOT "${text}" MATCHES "${pattern}")
    message(FATAL_ERROR "expected /${pattern}/ in:\n${text}")
  endif()
endfunction()

# compile_library(<file> <code> [flags...])
function(compile_library file code)
  file(WRITE ${WORK}/code.cpp "${code}")
  run(${CXX} -shared -fPIC ${ARGN} ${WORK}/code.cpp -o ${file})
endfunction()

# make_torch(<folder> <version> <abi>): the least that passes for a LibTorch.
function(make_torch folder version abi)
  file(MAKE_DIRECTORY ${folder}/lib)
  string(REPLACE "." ";" parts ${version})
  list(GET parts 0 major)
  list(GET parts 1 minor)
  list(GET parts 2 patch)
  file(WRITE ${folder}/include/torch/csrc/api/include/torch/version.h
    "#define TORCH_VERSION_MAJOR ${major}\n#define TORCH_VERSION_MINOR ${minor}\n#define TORCH_VERSION_PATCH ${patch}\n")
  compile_library(${folder}/lib/libtorch.so "")
  compile_library(${folder}/lib/libtorch_cpu.so "")
  compile_library(${folder}/lib/libc10.so "#include <string>
    namespace c10 { struct SourceLocation {}; struct Error { Error(SourceLocation, std::string); };
    Error::Error(SourceLocation, std::string) {} }" -D_GLIBCXX_USE_CXX11_ABI=${abi})
endfunction()

function(expect_refused folder pattern)
  lw_torch_check(${folder})
  expect_match("${lw_reason}" "${pattern}")
endfunction()

# probe(<environment>...): what cmake/probe_torch.cmake answers.
function(probe)
  run(${CMAKE_COMMAND} -E env ${ARGN} ${CMAKE_COMMAND} -P ${source_dir}/cmake/probe_torch.cmake)
  set(output "${output}" PARENT_SCOPE)
endfunction()

make_torch(${WORK}/good 2.4.1 1)
make_torch(${WORK}/old_abi 2.4.1 0)
make_torch(${WORK}/too_old 1.12.1 1)
make_torch(${WORK}/no_c10 2.4.1 1)
file(REMOVE ${WORK}/no_c10/lib/libc10.so)
make_torch(${WORK}/no_headers 2.4.1 1)
file(REMOVE_RECURSE ${WORK}/no_headers/include)

lw_torch_check(${WORK}/good/)
if(lw_reason OR NOT lw_version STREQUAL "2.4.1" OR NOT lw_root STREQUAL "${WORK}/good")
  message(FATAL_ERROR "a good one is refused: ${lw_reason}; ${lw_version}; ${lw_root}")
endif()
expect_refused(${WORK}/old_abi "_GLIBCXX_USE_CXX11_ABI=0")
expect_refused(${WORK}/too_old "1\\.12\\.1; the oldest that works is 1\\.13")
expect_refused(${WORK}/no_c10 "libc10\\.so is missing")
expect_refused(${WORK}/no_headers "no C\\+\\+ headers")
expect_refused(${WORK}/nowhere "no such folder")
expect_refused(${WORK} "no lib/libtorch_cpu\\.so")

# What the user points at comes first, in each of the forms in which people point at it.
probe(LIBTORCH=${WORK}/good)
expect_match("${output}" "^${WORK}/good\\|2\\.4\\.1\\|LIBTORCH")
probe(Torch_DIR=${WORK}/good/share/cmake/Torch)
expect_match("${output}" "^${WORK}/good\\|2\\.4\\.1\\|Torch_DIR")
probe(CMAKE_PREFIX_PATH=${WORK}/nowhere:${WORK}/good/share/cmake)
expect_match("${output}" "^${WORK}/good\\|2\\.4\\.1\\|CMAKE_PREFIX_PATH")
# One that does not fit is named with its reason, and the next is taken.
probe(LIBTORCH=${WORK}/old_abi CMAKE_PREFIX_PATH=${WORK}/good)
expect_match("${output}" "^${WORK}/good\\|.*\nLIBTORCH: ${WORK}/old_abi: .*ABI=0")
# Asked for the system's, the search looks nowhere else.
run(${CMAKE_COMMAND} -E env LIBTORCH=${WORK}/good ${CMAKE_COMMAND} -DLW_TORCH_SOURCE=system
    -P ${source_dir}/cmake/probe_torch.cmake)
if(output MATCHES "${WORK}/good")
  message(FATAL_ERROR "system torch was asked for, but: ${output}")
endif()

# A CUDA build, as pip installs it, configures and links on a machine without a CUDA toolkit: the real CPU
# libraries beside CUDA ones that need symbols which nothing here defines. Not from /usr, where the headers
# lie among all others.
if(REAL_TORCH MATCHES "^/usr(/local)?$")
  return()
endif()
set(cuda ${WORK}/cuda)
file(MAKE_DIRECTORY ${cuda}/lib)
file(CREATE_LINK ${REAL_TORCH}/include ${cuda}/include SYMBOLIC)
file(GLOB libraries ${REAL_TORCH}/lib/*.so*)
foreach(library IN LISTS libraries)
  cmake_path(GET library FILENAME name)
  file(CREATE_LINK ${library} ${cuda}/lib/${name} SYMBOLIC)
endforeach()
foreach(name torch_cuda c10_cuda)
  file(REMOVE ${cuda}/lib/lib${name}.so)
  compile_library(${cuda}/lib/lib${name}.so
    "extern \"C\" int cudaMalloc(void**, unsigned long); int use_${name}() { return cudaMalloc(nullptr, 1); }"
    -Wl,-soname,lib${name}.so)
endforeach()
file(WRITE ${WORK}/project/main.cpp "static_assert(LW_TORCH_VERSION >= 11300);\nint main() {}\n")
file(WRITE ${WORK}/project/CMakeLists.txt "
  cmake_minimum_required(VERSION 3.25)
  project(uses_cuda_torch LANGUAGES CXX)
  list(APPEND CMAKE_MODULE_PATH ${source_dir}/cmake)
  find_package(LibTorch MODULE REQUIRED)
  add_executable(program main.cpp)
  target_link_libraries(program PRIVATE lw::torch)\n")
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${WORK}/project -B ${WORK}/project/build -DCMAKE_CXX_COMPILER=${CXX}
    -DLIBTORCH=${cuda})
run(${CMAKE_COMMAND} --build ${WORK}/project/build)
run(readelf -d ${WORK}/project/build/program)
foreach(name torch torch_cpu torch_cuda c10 c10_cuda)
  expect_match("${output}" "NEEDED[^\n]*lib${name}\\.so")
endforeach()
if(output MATCHES "gomp")
  message(FATAL_ERROR "LibTorch brings its own OpenMP, yet one was linked:\n${output}")
endif()
run(${WORK}/project/build/program)
