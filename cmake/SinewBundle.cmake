# SPDX-License-Identifier: Apache-2.0
# Part of the tarball: every library that the program loads, but for glibc's own, goes into lib/sinew, where its $ORIGIN
# rpath finds it; DejaVu Sans, for captions, into share/sinew/fonts; their licences into the documents.
# `sinew_program`, `sinew_docs` and `sinew_data` are set by SinewInstall.cmake.
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${sinew_program} RESOLVED_DEPENDENCIES_VAR libraries
  UNRESOLVED_DEPENDENCIES_VAR missing
  PRE_EXCLUDE_REGEXES "^ld-linux" "^lib(c|m|dl|rt|pthread|util|resolv)\\.so")
if(missing)
  message(FATAL_ERROR "libraries of the program that were not found: ${missing}")
endif()
file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/sinew TYPE SHARED_LIBRARY FOLLOW_SYMLINK_CHAIN FILES ${libraries})
set(font /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf)
file(INSTALL DESTINATION ${CMAKE_INSTALL_PREFIX}/${sinew_data}/sinew/fonts TYPE FILE FILES ${font})

include(${CMAKE_CURRENT_LIST_DIR}/SinewLicences.cmake)
foreach(file IN LISTS libraries ITEMS ${font})
  sinew_licence(${file} ${CMAKE_INSTALL_PREFIX}/${sinew_docs}/licences found)
  if(NOT found)
    message(FATAL_ERROR "${file}: no package with its licence was found")
  endif()
endforeach()
