# SPDX-License-Identifier: Apache-2.0
# Part of the wheel: the libraries that the module loads and that no Python can be expected to have, beside it, and their
# licences. `sinew_module` is set by CMakeLists.txt.
file(GET_RUNTIME_DEPENDENCIES MODULES ${sinew_module} RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv|stdc\\+\\+|gcc_s|z)\\.so" "^libpython")
if(missing)
  message(FATAL_ERROR "libraries of the module that were not found: ${missing}")
endif()
foreach(library IN LISTS libraries)
  get_filename_component(name ${library} NAME)
  file(REAL_PATH ${library} real)
  # One file under the name that loaders ask for: wheels know no links.
  file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/sinew TYPE FILE RENAME ${name} FILES ${real})
  set(package "")
  string(REGEX REPLACE "^/usr/" "/" short ${real})
  foreach(path ${real} ${short})
    if(NOT package)
      execute_process(COMMAND dpkg-query --search ${path} OUTPUT_VARIABLE package ERROR_QUIET)
      string(REGEX REPLACE "[:,].*" "" package "${package}")
    endif()
  endforeach()
  if(package AND EXISTS /usr/share/doc/${package}/copyright)
    file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/sinew/licences TYPE FILE RENAME ${package}
      FILES /usr/share/doc/${package}/copyright)
  endif()
endforeach()
