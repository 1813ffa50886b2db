# SPDX-License-Identifier: Apache-2.0
# cmake --install, find_package(sinew), pkg-config, and what CPack makes of them: a Debian package and a tarball.
#
# Components: `program` (program, page, manual pages, completions), `development` (libraries, headers, CMake and pkg-config
# files), `bundle` (for the tarball: the libraries that the program needs, but for glibc, and the font).
include(CMakePackageConfigHelpers)
set(SINEW_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/sinew)

get_property(modules GLOBAL PROPERTY SINEW_MODULES)
list(TRANSFORM modules PREPEND sinew_ OUTPUT_VARIABLE targets)
install(TARGETS ${targets} sinew_all EXPORT sinewTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(EXPORT sinewTargets NAMESPACE sinew:: DESTINATION ${SINEW_CMAKE_DIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sinew DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sinewConfig.cmake.in ${PROJECT_BINARY_DIR}/sinewConfig.cmake
  INSTALL_DESTINATION ${SINEW_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/sinewConfig.cmake ${PROJECT_BINARY_DIR}/sinewConfigVersion.cmake
  DESTINATION ${SINEW_CMAKE_DIR} COMPONENT development)

# sinew_pkg_config(NAME description requires module...): a .pc file that works wherever the folder is moved to. Modules are
# static libraries, so what they link is named in full.
function(sinew_pkg_config name description requires)
  file(RELATIVE_PATH PREFIX_FROM_HERE /x/${CMAKE_INSTALL_LIBDIR}/pkgconfig /x)
  set(LIBS "")
  foreach(module IN LISTS ARGN)  # lowest layer first; a linker wants it last
    get_target_property(type sinew_${module} TYPE)
    if(NOT type STREQUAL INTERFACE_LIBRARY)
      string(PREPEND LIBS "-lsinew_${module} ")
    endif()
  endforeach()
  if(SINEW_METIS_LIBRARY)
    string(APPEND LIBS "-lmetis ")
  endif()
  if(SINEW_MESHOPTIMIZER_LIBRARY AND "pipeline" IN_LIST ARGN)
    string(APPEND LIBS "-lmeshoptimizer ")
  endif()
  set(NAME ${name})
  set(DESCRIPTION "${description}")
  set(REQUIRES "${requires}")
  configure_file(${PROJECT_SOURCE_DIR}/cmake/sinew.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
sinew_pkg_config(sinew "Character rigging and skinning" "eigen3 fmt tbb libhwy libpng libjpeg freetype2" ${modules})
sinew_pkg_config(sinew-player "Plays rigs: the modules player and io of sinew" "eigen3 fmt tbb libhwy"
  core math solve mesh skeleton rig volume deform io player)

# The page of the studio, where ./dev page has built it.
install(DIRECTORY ${PROJECT_BINARY_DIR}/page/ DESTINATION ${CMAKE_INSTALL_DATADIR}/sinew/page COMPONENT program OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)

# Manual pages and completions, by the program that is installed.
if(TARGET sinew)
  set(zsh_folder ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  if(EXISTS /etc/debian_version)
    set(zsh_folder ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  endif()
  install(CODE "
    set(sinew_program \"$<TARGET_FILE:sinew>\")
    set(sinew_made \"${PROJECT_BINARY_DIR}/shell_pages\")
    set(sinew_man \"${CMAKE_INSTALL_MANDIR}/man1\")
    set(sinew_bash \"${CMAKE_INSTALL_DATADIR}/bash-completion/completions\")
    set(sinew_fish \"${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d\")
    set(sinew_zsh \"${zsh_folder}\")" COMPONENT program)
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/SinewShellPages.cmake COMPONENT program)
  # Where the tarball has the libraries that it bundles. RPATH and not RUNPATH, which libraries do not hand on to those that
  # they need themselves.
  set_target_properties(sinew PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/sinew")
  target_link_options(sinew PRIVATE -Wl,--disable-new-dtags)
  install(CODE "set(sinew_program \"$<TARGET_FILE:sinew>\")
    set(sinew_docs \"${CMAKE_INSTALL_DOCDIR}\")
    set(sinew_data \"${CMAKE_INSTALL_DATADIR}\")" COMPONENT bundle EXCLUDE_FROM_ALL)
  install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/SinewBundle.cmake COMPONENT bundle EXCLUDE_FROM_ALL)
endif()

include(SinewPackage)
