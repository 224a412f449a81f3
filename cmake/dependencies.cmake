# The one place that knows what each distribution calls our dependencies.
# Defines lw::yaml_cpp, lw::spdlog, lw::json, lw::cli11, lw::icu, lw::pcre2 and, with tests, lw::catch_main.
include_guard(GLOBAL)

find_package(Threads REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(yaml-cpp REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ICU 70 REQUIRED COMPONENTS uc)

# lw_alias(<ours> <theirs>...): our name for the first of their targets that exists. Their headers
# come in as SYSTEM, since they are imported targets.
function(lw_alias ours)
  foreach(theirs IN LISTS ARGN)
    if(TARGET ${theirs})
      add_library(${ours} INTERFACE IMPORTED GLOBAL)
      target_link_libraries(${ours} INTERFACE ${theirs})
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "None of the targets ${ARGN} exists, of which ${ours} must be one")
endfunction()

lw_alias(lw::yaml_cpp yaml-cpp::yaml-cpp yaml-cpp)  # 0.8; 0.7
lw_alias(lw::spdlog spdlog::spdlog)
lw_alias(lw::json nlohmann_json::nlohmann_json)
lw_alias(lw::cli11 CLI11::CLI11)
lw_alias(lw::icu ICU::uc)

# Debian's PCRE2 comes without CMake files.
find_path(LW_PCRE2_INCLUDE pcre2.h REQUIRED)
find_library(LW_PCRE2_LIBRARY pcre2-8 REQUIRED)
mark_as_advanced(LW_PCRE2_INCLUDE LW_PCRE2_LIBRARY)
add_library(lw::pcre2 INTERFACE IMPORTED GLOBAL)
target_include_directories(lw::pcre2 SYSTEM INTERFACE ${LW_PCRE2_INCLUDE})
target_link_libraries(lw::pcre2 INTERFACE ${LW_PCRE2_LIBRARY})

# A json value turns into another type only where the code says so. The Debian package sets the macro
# on its target from a cache entry of its own build, so ours has to replace that.
get_target_property(lw_json_defines nlohmann_json::nlohmann_json INTERFACE_COMPILE_DEFINITIONS)
list(FILTER lw_json_defines EXCLUDE REGEX "JSON_USE_IMPLICIT_CONVERSIONS|NOTFOUND")
set_target_properties(nlohmann_json::nlohmann_json PROPERTIES INTERFACE_COMPILE_DEFINITIONS "${lw_json_defines}")
set_property(TARGET lw::json APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS JSON_USE_IMPLICIT_CONVERSIONS=0)

# Catch2 3 is a library with a main of its own; Catch2 2 is one header, and one file has to compile its body.
function(lw_find_catch)
  find_package(Catch2 REQUIRED)
  set(Catch2_VERSION ${Catch2_VERSION} PARENT_SCOPE)
  if(TARGET Catch2::Catch2WithMain)
    lw_alias(lw::catch_main Catch2::Catch2WithMain)
    return()
  endif()
  set(main ${PROJECT_BINARY_DIR}/generated/catch_main.cpp)
  file(CONFIGURE OUTPUT ${main} CONTENT "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
  add_library(lw_catch_main STATIC ${main})
  target_link_libraries(lw_catch_main PUBLIC Catch2::Catch2)
  add_library(lw::catch_main ALIAS lw_catch_main)
endfunction()
