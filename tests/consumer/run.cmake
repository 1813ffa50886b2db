# SPDX-License-Identifier: Apache-2.0
# Installs the build into a folder of its own, builds the consumer against that copy and runs it.
# cmake -DBUILD=... -DSOURCE=... -DWORK=... -DCOMPILER=... -DGENERATOR=... -DPROGRAM=... -P run.cmake
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
step("making a character" ${PROGRAM} make biped --resolution 2000 -o ${WORK}/run/biped.glb)
# What the engine shows is what the program makes of the same pose, to the last bit.
foreach(deformer lbs dqs+mush)
  step("playing ${deformer}" ${WORK}/build/consumer ${WORK}/run/biped.glb ${deformer} ${WORK}/run/${deformer}.obj)
  step("posing ${deformer}" ${PROGRAM} pose ${WORK}/run/biped.glb --clip 0 --time 0.5 --deformer ${deformer}
    -o ${WORK}/run/${deformer}_expected.obj)
  step("comparing ${deformer}" ${CMAKE_COMMAND} -E compare_files ${WORK}/run/${deformer}.obj
    ${WORK}/run/${deformer}_expected.obj)
endforeach()
step("running the README's lines" ${WORK}/build/readme ${WORK}/run/biped.glb)
# A file that includes the player compiles fast.
file(WRITE ${WORK}/player.cpp "#include <sinew/player/rig_deformer.h>\n")
execute_process(COMMAND ${COMPILER} -std=c++20 -O2 -E -P -I${WORK}/stage/include ${WORK}/player.cpp
  OUTPUT_FILE ${WORK}/player.ii RESULT_VARIABLE code)
file(READ ${WORK}/player.ii text)
string(REGEX REPLACE "[^\n]" "" newlines "${text}")
string(LENGTH "${newlines}" count)
if(NOT code EQUAL 0 OR count GREATER 40000)
  message(FATAL_ERROR "sinew/player/rig_deformer.h: ${count} lines after the preprocessor, at most 40000 are allowed")
endif()
