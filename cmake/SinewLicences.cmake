# SPDX-License-Identifier: Apache-2.0
# sinew_licence(FILE FOLDER FOUND): copies the licence of the Debian package that FILE belongs to into FOLDER, under the
# package's name; FOUND says whether there was one. For scripts that install.
function(sinew_licence file folder found)
  file(REAL_PATH ${file} real)
  set(package "")
  string(REGEX REPLACE "^/usr/" "/" short ${real})
  foreach(path ${real} ${short})
    if(NOT package)
      execute_process(COMMAND dpkg-query --search ${path} OUTPUT_VARIABLE package ERROR_QUIET)
      string(REGEX REPLACE "[:,].*" "" package "${package}")
    endif()
  endforeach()
  set(${found} OFF PARENT_SCOPE)
  if(package AND EXISTS /usr/share/doc/${package}/copyright)
    file(INSTALL DESTINATION ${folder} TYPE FILE RENAME ${package} FILES /usr/share/doc/${package}/copyright)
    set(${found} ON PARENT_SCOPE)
  endif()
endfunction()
