# SPDX-License-Identifier: Apache-2.0
# The files of src/autorig/templates as text inside the library, so that an installed program needs no path.
# Run with -DSOURCES=... -DOUTPUT=... as a script it writes the source; included it names that source SINEW_TEMPLATE_SOURCE.
if(CMAKE_SCRIPT_MODE_FILE)
  set(code "// Made of src/autorig/templates by cmake.\n#include \"autorig/template_file.h\"\nnamespace sinew::autorig {\n")
  string(APPEND code "std::string_view built_in_text(std::string_view name) {\n")
  foreach(source IN LISTS SOURCES)
    get_filename_component(name ${source} NAME_WE)
    file(READ ${source} text)
    string(APPEND code "  if (name == \"${name}\")\n    return R\"sinew(${text})sinew\";\n")
  endforeach()
  string(APPEND code "  (void)name;\n  return {};\n}\n}  // namespace sinew::autorig\n")
  file(WRITE ${OUTPUT} "${code}")
  return()
endif()

file(GLOB templates CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/autorig/templates/*.template)
set(made ${PROJECT_BINARY_DIR}/autorig_templates.cpp)
add_custom_command(OUTPUT ${made}
  COMMAND ${CMAKE_COMMAND} "-DSOURCES=${templates}" -DOUTPUT=${made} -P ${CMAKE_CURRENT_LIST_FILE}
  DEPENDS ${templates} ${CMAKE_CURRENT_LIST_FILE} VERBATIM)
set(SINEW_TEMPLATE_SOURCE ${made})
