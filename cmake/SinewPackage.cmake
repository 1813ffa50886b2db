# SPDX-License-Identifier: Apache-2.0
# What CPack makes: sinew_VERSION_amd64.deb, and a tarball for any x86-64 Linux with the glibc of the machine that built it, or
# a later one. ./dev package calls it.
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME sinew)
set(CPACK_PACKAGE_VENDOR "The sinew authors")
set(CPACK_PACKAGE_CONTACT "The sinew authors <sinew@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Character rigging and skinning")
set(CPACK_PACKAGE_DESCRIPTION "Turns a character mesh into a rig that deforms well, and plays the rig: finds skeletons,
computes skinning weights, poses, bakes, renders and compares, from the command line
or in the browser. Holds the program, its library and headers.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_SOURCE_DIR}/out/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/SinewPackageKind.cmake)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION graphics)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS fonts-dejavu-core)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
  "g++, cmake, pkg-config, libeigen3-dev, libfmt-dev, libtbb-dev, libhwy-dev, libmetis-dev, libmeshoptimizer-dev, nlohmann-json3-dev, libpng-dev, libjpeg-dev, libfreetype-dev")

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
include(CPack)
