# Defines lw::torch: LibTorch's libraries, headers (as SYSTEM), run path and LW_TORCH_VERSION, a number
# such as 21300 for 2.13.0. What fitted first is kept in the cache as LW_TORCH_ROOT, so that configuring
# again from another shell does not change the library behind a finished build.
include(${CMAKE_CURRENT_LIST_DIR}/torch_search.cmake)

# What the user points at; when it changes, the search runs anew. A shell that sets none of the variables
# (an editor's, a ninja that configures again) leaves the choice as it was.
set(lw_torch_asked "${LW_TORCH_SOURCE}|${LIBTORCH}|${Torch_DIR}|${CMAKE_PREFIX_PATH}")
set(lw_torch_asked_by_shell "$ENV{LIBTORCH}$ENV{Torch_DIR}$ENV{CMAKE_PREFIX_PATH}")
if(NOT lw_torch_asked_by_shell)
  set(lw_torch_asked_by_shell "${LW_TORCH_ASKED_BY_SHELL}")
endif()

set(lw_reason "not searched yet")
if(LW_TORCH_ROOT AND LW_TORCH_ASKED STREQUAL lw_torch_asked
   AND LW_TORCH_ASKED_BY_SHELL STREQUAL lw_torch_asked_by_shell)
  lw_torch_check(${LW_TORCH_ROOT})
endif()
if(lw_reason)
  lw_torch_search(${PROJECT_SOURCE_DIR})
  if(NOT lw_torch_root)
    list(JOIN lw_torch_refused "\n  " lw_torch_tried)
    message(FATAL_ERROR "No LibTorch that fits was found. Tried, in this order:\n  ${lw_torch_tried}\n"
      "Run ./run.sh setup, which installs one into .venv, or point at one: cmake -DLIBTORCH=FOLDER, "
      "where FOLDER holds include/ and lib/libtorch_cpu.so.")
  endif()
  foreach(line IN LISTS lw_torch_refused)
    message(STATUS "LibTorch: skipped ${line}")
  endforeach()
  set(LW_TORCH_ROOT ${lw_torch_root} CACHE PATH "The LibTorch in use" FORCE)
  set(LW_TORCH_ASKED "${lw_torch_asked}" CACHE INTERNAL "What the search for LW_TORCH_ROOT was asked" FORCE)
  set(LW_TORCH_ASKED_BY_SHELL "${lw_torch_asked_by_shell}" CACHE INTERNAL "And by the environment" FORCE)
  lw_torch_check(${LW_TORCH_ROOT})
endif()
message(STATUS "LibTorch: ${lw_version} in ${LW_TORCH_ROOT}")

set(LibTorch_VERSION ${lw_version})
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch REQUIRED_VARS LW_TORCH_ROOT VERSION_VAR LibTorch_VERSION)

if(NOT TARGET lw::torch)
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)\\.([0-9]+)" _ ${lw_version})
  math(EXPR lw_version_number "${CMAKE_MATCH_1} * 10000 + ${CMAKE_MATCH_2} * 100 + ${CMAKE_MATCH_3}")

  set(lw_torch_libraries "")
  foreach(name torch torch_cpu torch_cuda c10 c10_cuda)
    if(EXISTS ${lw_library_dir}/lib${name}.so)
      list(APPEND lw_torch_libraries ${lw_library_dir}/lib${name}.so)
    endif()
  endforeach()
  list(JOIN lw_torch_libraries "," lw_torch_link)

  add_library(lw::torch INTERFACE IMPORTED GLOBAL)
  # Kernels register themselves when their library loads, so every library has to stay in the binary even
  # if no symbol of it is used; Ubuntu's linker would drop it. LibTorch brings its own OpenMP: none is added.
  target_link_libraries(lw::torch INTERFACE "-Wl,--push-state,--no-as-needed,${lw_torch_link},--pop-state")
  target_link_options(lw::torch INTERFACE "-Wl,-rpath,${lw_library_dir}")
  if(lw_torch_link MATCHES "cuda")
    # The CUDA libraries' own dependencies may be here only when the program runs.
    target_link_options(lw::torch INTERFACE -Wl,--allow-shlib-undefined)
  endif()
  target_include_directories(lw::torch SYSTEM INTERFACE ${lw_include_dir} ${lw_include_dir}/torch/csrc/api/include)
  target_compile_definitions(lw::torch INTERFACE LW_TORCH_VERSION=${lw_version_number}
                                                 AT_PER_OPERATOR_HEADERS)
endif()
