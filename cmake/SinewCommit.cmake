# SPDX-License-Identifier: Apache-2.0
# The commit that a program was built from, for `sinew --version`. Included it adds a target that looks at every build and
# writes a source file when the commit has changed; run with -DSOURCE=... -DOUTPUT=... as a script it is that look.
if(CMAKE_SCRIPT_MODE_FILE)
  if(NOT COMMIT)
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=10 --exclude=*
      OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
  if(NOT COMMIT)
    set(COMMIT unknown)  # sources without their history
  endif()
  file(CONFIGURE OUTPUT ${OUTPUT} CONTENT
    "#include \"command_line.h\"\nnamespace sinew::cli {\nstd::string_view commit() {\n  return \"${COMMIT}\";\n}\n}  // namespace sinew::cli\n")
  return()
endif()

set(SINEW_COMMIT "" CACHE STRING "What --version calls the commit; empty: what git says")
set(SINEW_COMMIT_SOURCE ${PROJECT_BINARY_DIR}/commit.cpp)
add_custom_target(sinew_commit BYPRODUCTS ${SINEW_COMMIT_SOURCE}
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUTPUT=${SINEW_COMMIT_SOURCE} "-DCOMMIT=${SINEW_COMMIT}"
    -P ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
