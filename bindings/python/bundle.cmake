# SPDX-License-Identifier: Apache-2.0
# Part of the wheel: the libraries that module and program load and that no Python can be expected to have, beside the
# module, and their licences. `sinew_module` and `sinew_program` are set by CMakeLists.txt.
file(GET_RUNTIME_DEPENDENCIES MODULES ${sinew_module} EXECUTABLES ${sinew_program} RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|stdc\\+\\+|gcc_s|z)\\.so" "^libpython")
if(missing)
  message(FATAL_ERROR "libraries of the package that were not found: ${missing}")
endif()
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/SinewLicences.cmake)
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} real)
  # One file under the name that loaders ask for: wheels know no links.
  file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/sinew TYPE FILE RENAME ${name} FILES ${real})
  sinew_licence(${library} ${CMAKE_INSTALL_PREFIX}/sinew/licences found)
endforeach()
