# SPDX-License-Identifier: Apache-2.0
# Installs the build into a folder of its own, builds the consumer against that copy and runs it.
# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCOMPILER=... -DGENERATOR=... -P run.cmake
function(step what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${what} failed (${code}):\n${out}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK}/run)
step("installing" ${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/stage)
step("configuring" ${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR} -DCMAKE_BUILD_TYPE=Release
  -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_PREFIX_PATH=${WORK}/stage)
step("building" ${CMAKE_COMMAND} --build ${WORK}/build)
step("running" ${CMAKE_COMMAND} -E chdir ${WORK}/run ${WORK}/build/consumer)
if(NOT EXISTS ${WORK}/run/bent_arm.obj)
  message(FATAL_ERROR "the consumer wrote no mesh")
endif()
