# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the module without an ns-3 source tree, against an ns-3 that exists already. Gives
# CMakeLists.txt and examples/CMakeLists.txt the two commands of ns-3's own build system that they
# call, build_lib() and build_lib_example(), and the library variables (${libcore} ...) they name.
#
#   cmake -S . -B build && cmake --build build        # Debian and Ubuntu: the package libns3-dev
#   cmake -S . -B build -DNS3_PREFIX=/opt/ns-3.48     # installed with "cmake --install", or a wheel
#   cmake -S . -B build -DNS3_DIR=$HOME/ns-3.48       # a source tree that has been built
#
# Results: the library in build/lib, the examples and roce-test-runner in build/bin, headers in
# build/include/ns3, one ctest entry per suite.
#
# ns-3's own CMake package is not used: Debian's aborts unless four more packages are installed, the
# target names changed in 3.43, and it does not tell the C++ standard, which inline code shares.

set(NS3_PREFIX "$ENV{NS3_PREFIX}" CACHE PATH "Where ns-3 is installed (empty: the system's)")
set(NS3_DIR "$ENV{NS3_DIR}" CACHE PATH "A built ns-3 source tree, used instead of an installed ns-3")
set(ROCE_SANITIZE "" CACHE STRING "Sanitizers to build with, e.g. address,undefined")
option(ROCE_WARNINGS_AS_ERRORS "Stop at the first compiler warning" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Kind of build" FORCE)
endif()

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

# ---- Find ns-3 -------------------------------------------------------------------------------

# Pairs of include and library directory under ROOT, most specific first: a tree built with CMake
# (3.36 and later), a tree built with waf, an installation.
function(roce_ns3_layouts ROOT OUT)
  set(layouts "build/include:build/lib" "build:build/lib")
  if(CMAKE_LIBRARY_ARCHITECTURE)
    list(APPEND layouts "include:lib/${CMAKE_LIBRARY_ARCHITECTURE}")
  endif()
  list(APPEND layouts "include:lib64" "include:lib")
  list(TRANSFORM layouts REPLACE "^([^:]*):(.*)$" "${ROOT}/\\1:${ROOT}/\\2")
  set(${OUT} ${layouts} PARENT_SCOPE)
endfunction()

# Sets NS3_INCLUDE, NS3_CORE (the core library's file) or leaves them empty.
function(roce_find_ns3 ROOT)
  roce_ns3_layouts(${ROOT} layouts)
  foreach(layout ${layouts})
    string(REPLACE ":" ";" layout ${layout})
    list(GET layout 0 include)
    list(GET layout 1 lib)
    if(NOT EXISTS ${include}/ns3/core-module.h)
      continue()
    endif()
    file(GLOB candidates ${lib}/libns3*-core*.so)
    # A tree can hold several profiles; the one built last is the one in use.
    set(core "")
    foreach(candidate ${candidates})
      if(candidate MATCHES "/libns3[0-9.]*-core(-(debug|default|release|optimized|minsizerel|relwithdebinfo))?\\.so$"
         AND (NOT core OR "${candidate}" IS_NEWER_THAN "${core}"))
        set(core ${candidate})
      endif()
    endforeach()
    if(core)
      set(NS3_INCLUDE ${include} PARENT_SCOPE)
      set(NS3_CORE ${core} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

set(NS3_INCLUDE "")
set(NS3_CORE "")
if(NS3_PREFIX OR NS3_DIR)
  set(ns3_roots ${NS3_PREFIX} ${NS3_DIR})
else()
  set(ns3_roots /usr/local /usr)
endif()
foreach(root ${ns3_roots})
  if(NOT NS3_CORE)
    roce_find_ns3(${root})
  endif()
endforeach()
if(NOT NS3_CORE)
  string(REPLACE ";" " and " ns3_roots "${ns3_roots}")
  message(
    FATAL_ERROR
      "No built ns-3 found below ${ns3_roots}.\n"
      "Debian, Ubuntu: apt-get install libns3-dev. Otherwise give -DNS3_PREFIX=DIR for an installed "
      "ns-3, or -DNS3_DIR=DIR for a source tree in which ./ns3 build has been run."
  )
endif()

# libns3.48-core-debug.so -> ".48", "-debug"; Debian's libns3-core.so -> libns3-core.so.37.
get_filename_component(ns3_lib_dir ${NS3_CORE} DIRECTORY)
string(REGEX MATCH "/libns3([0-9.]*)-core([-a-z]*)\\.so$" unused ${NS3_CORE})
set(ns3_infix "${CMAKE_MATCH_1}")
set(ns3_profile "${CMAKE_MATCH_2}")
get_filename_component(ns3_real ${NS3_CORE} REALPATH)
if(ns3_infix MATCHES "^\\.([0-9]+)")
  set(ns3_minor ${CMAKE_MATCH_1})
elseif(ns3_real MATCHES "\\.so\\.([0-9]+)$")
  set(ns3_minor ${CMAKE_MATCH_1})
else()
  message(WARNING "The release of ${NS3_CORE} is not known; taking it for one that wants C++17")
  set(ns3_minor 37)
endif()

# Headers of ns-3 must be compiled with the standard the libraries were built with.
if(NOT CMAKE_CXX_STANDARD)
  if(ns3_minor LESS 41)
    set(CMAKE_CXX_STANDARD 17)
  elseif(ns3_minor LESS 46)
    set(CMAKE_CXX_STANDARD 20)
  else()
    set(CMAKE_CXX_STANDARD 23)
  endif()
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
message(STATUS "ns-3.${ns3_minor}${ns3_profile}: ${NS3_CORE}, C++${CMAKE_CXX_STANDARD}")

# Logs and assertions of our own code: present unless ns-3 itself was built for speed. Only those
# builds have a release number and no profile, or "optimized", in the name.
if(ns3_profile MATCHES "release|optimized|minsizerel" OR (ns3_infix AND NOT ns3_profile))
  set(ns3_definitions "")
else()
  set(ns3_definitions NS3_LOG_ENABLE NS3_ASSERT_ENABLE)
endif()

# One imported target and one variable lib<module> per library, as ns-3's build system has.
file(GLOB ns3_libs ${ns3_lib_dir}/libns3${ns3_infix}-*${ns3_profile}.so)
foreach(file ${ns3_libs})
  string(REGEX MATCH "/libns3[0-9.]*-(.*)${ns3_profile}\\.so$" unused ${file})
  set(module ${CMAKE_MATCH_1})
  if(module MATCHES "-test$")
    continue()
  endif()
  add_library(ns3::${module} SHARED IMPORTED)
  set_target_properties(
    ns3::${module} PROPERTIES IMPORTED_LOCATION ${file}
                              INTERFACE_COMPILE_DEFINITIONS "${ns3_definitions}"
  )
  if(NOT NS3_INCLUDE STREQUAL /usr/include)
    set_target_properties(
      ns3::${module} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES ${NS3_INCLUDE}
    )
  endif()
  set(lib${module} ns3::${module})
endforeach()

# ---- What ns-3's build system would provide ------------------------------------------------------

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)

enable_testing()

add_compile_options(-Wall -Wextra)
if(ROCE_WARNINGS_AS_ERRORS)
  add_compile_options(-Werror)
endif()
if(ROCE_SANITIZE)
  add_compile_options(-fsanitize=${ROCE_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ROCE_SANITIZE})
endif()
# Models register themselves when their library is loaded, so a library that is only named at run
# time (by TypeId) must not be dropped. Ubuntu's compilers would.
add_link_options(-Wl,--no-as-needed)

# The headers as users see them: flat, below ns3/, ahead of any other ns-3 on the include path.
function(roce_write_headers LIBNAME PUBLIC PRIVATE)
  set(module "")
  foreach(header ${PUBLIC} ${PRIVATE})
    get_filename_component(name ${header} NAME)
    file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/include/ns3/${name}
         CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${header}\"\n"
    )
  endforeach()
  foreach(header ${PUBLIC})
    get_filename_component(name ${header} NAME)
    string(APPEND module "#include \"ns3/${name}\"\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/include/ns3/${LIBNAME}-module.h CONTENT "${module}")
endfunction()

function(build_lib)
  cmake_parse_arguments(
    LIB "" "LIBNAME"
    "SOURCE_FILES;HEADER_FILES;PRIVATE_HEADER_FILES;LIBRARIES_TO_LINK;TEST_SOURCES" ${ARGN}
  )
  roce_write_headers(${LIB_LIBNAME} "${LIB_HEADER_FILES}" "${LIB_PRIVATE_HEADER_FILES}")

  add_library(${LIB_LIBNAME} SHARED ${LIB_SOURCE_FILES})
  set_target_properties(${LIB_LIBNAME} PROPERTIES OUTPUT_NAME ns3-${LIB_LIBNAME})
  target_include_directories(${LIB_LIBNAME} PUBLIC ${CMAKE_BINARY_DIR}/include)
  target_link_libraries(${LIB_LIBNAME} PUBLIC ${LIB_LIBRARIES_TO_LINK})
  set(lib${LIB_LIBNAME} ${LIB_LIBNAME})

  if(LIB_TEST_SOURCES)
    roce_build_test_runner(${LIB_LIBNAME} ${LIB_TEST_SOURCES})
  endif()
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/examples/CMakeLists.txt)
    add_subdirectory(examples)
  endif()

  find_program(PYTHON3_PROGRAM python3)
  if(PYTHON3_PROGRAM)
    add_test(NAME file-lists
             COMMAND ${PYTHON3_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/test/check-file-lists.py
    )
  endif()
endfunction()

# One program with all suites; ctest learns their names from the program itself.
function(roce_build_test_runner LIBNAME)
  set(runner ${LIBNAME}-test-runner)
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${runner}.cc
       CONTENT
         "#include \"ns3/test.h\"\n\nint\nmain(int argc, char* argv[])\n{\n    return ns3::TestRunner::Run(argc, argv);\n}\n"
  )
  add_executable(${runner} ${ARGN} ${CMAKE_BINARY_DIR}/${runner}.cc)
  target_compile_definitions(
    ${runner} PRIVATE NS_TEST_SOURCEDIR="${CMAKE_CURRENT_SOURCE_DIR}/test"
  )
  target_link_libraries(${runner} PRIVATE ${LIBNAME})
  if(TARGET ns3::applications) # whose applications tests create by name
    target_link_libraries(${runner} PRIVATE ns3::applications)
  endif()
  set(list ${CMAKE_BINARY_DIR}/${runner}-suites.cmake)
  add_custom_command(
    TARGET ${runner} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DRUNNER=$<TARGET_FILE:${runner}> -DLIST=${list} -P
            ${CMAKE_CURRENT_SOURCE_DIR}/utils/cmake/list-suites.cmake
    VERBATIM
  )
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${list})
endfunction()

# As in ns-3, an example is left out where a library it asks for is not there.
function(build_lib_example)
  cmake_parse_arguments(EX "" "NAME" "SOURCE_FILES;HEADER_FILES;LIBRARIES_TO_LINK" ${ARGN})
  foreach(library ${EX_LIBRARIES_TO_LINK})
    if(NOT TARGET ${library})
      message(STATUS "Example ${EX_NAME} left out: there is no ${library}")
      return()
    endif()
  endforeach()
  add_executable(${EX_NAME} ${EX_SOURCE_FILES})
  target_link_libraries(${EX_NAME} PRIVATE ${EX_LIBRARIES_TO_LINK})
endfunction()
