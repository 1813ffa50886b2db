# SPDX-License-Identifier: Apache-2.0
# Read by CPack once for each kind of package.
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_COMPONENTS_ALL program development bundle)
  set(CPACK_PACKAGE_FILE_NAME "sinew-${CPACK_PACKAGE_VERSION}-linux-x86_64")
  set(CPACK_ARCHIVE_FILE_NAME ${CPACK_PACKAGE_FILE_NAME})
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  set(CPACK_COMPONENTS_ALL program development)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
