# cmake [-DLW_TORCH_SOURCE=system] -P cmake/probe_torch.cmake
# Says which LibTorch a build would use, without configuring one. Prints "root|version|origin" and the
# refused places, one a line, to standard output; fails if nothing fits.
include(${CMAKE_CURRENT_LIST_DIR}/torch_search.cmake)
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH source_dir)
lw_torch_search(${source_dir})
set(lines ${lw_torch_refused})
if(lw_torch_root)
  list(PREPEND lines "${lw_torch_root}|${lw_torch_version}|${lw_torch_origin}")
else()
  list(PREPEND lines "none")
endif()
list(JOIN lines "\n" text)
execute_process(COMMAND ${CMAKE_COMMAND} -E echo "${text}")
