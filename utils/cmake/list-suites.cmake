# SPDX-License-Identifier: GPL-2.0-only
#
# Run after the test runner is linked: asks RUNNER for its suites and writes LIST, which ctest reads.
execute_process(COMMAND ${RUNNER} --list OUTPUT_VARIABLE suites RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${RUNNER} --list failed: ${status}")
endif()
string(REPLACE "\n" ";" suites "${suites}")
set(text "")
foreach(suite ${suites})
  if(suite)
    string(APPEND text "add_test(\"${suite}\" \"${RUNNER}\" \"--suite=${suite}\" \"--verbose\")\n")
  endif()
endforeach()
file(WRITE ${LIST} "${text}")
