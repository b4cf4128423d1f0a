# Targets that check CUDA sources with the flags of the target that compiles them.
#
#   include(Cudalint)
#   cudalint_add_target(app)                      # the target app-cudalint: cmake --build . --target app-cudalint
#   cudalint_add_target(app kernels NAME lint ARGS --level info)
#
# All sources of the targets named are analysed together, so that launches in one reach kernels in another.
# Definitions, include folders (those of linked libraries, too) and the newest architecture are the targets' own.
# CMake evaluates no `$<COMPILE_LANGUAGE:…>` here: where definitions or folders hold one, use `cudalint -p build`.
# CUDALINT_EXECUTABLE names the program where it is not on the PATH.

include_guard()

find_program(CUDALINT_EXECUTABLE cudalint DOC "The static analyser of CUDA memory accesses")

function(cudalint_add_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "ARGS")
  set(targets ${arg_UNPARSED_ARGUMENTS})
  if(NOT targets)
    message(FATAL_ERROR "cudalint_add_target: name a target")
  endif()
  list(GET targets 0 first)
  if(NOT arg_NAME)
    set(arg_NAME ${first}-cudalint)
  endif()
  if(NOT CUDALINT_EXECUTABLE)
    message(STATUS "cudalint is not here: no target ${arg_NAME}")
    return()
  endif()

  set(sources)
  set(flags)
  set(architectures)
  foreach(target IN LISTS targets)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(own ${target} SOURCES)
    foreach(source IN LISTS own)
      if(source MATCHES "\\.(cu|cuh)$")
        get_filename_component(source "${source}" ABSOLUTE BASE_DIR "${folder}")
        list(APPEND sources "${source}")
      endif()
    endforeach()
    set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
    set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
    # A semicolon as such would part the expression before CMake evaluates it.
    list(APPEND flags
      "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>"
      "$<$<BOOL:${includes}>:-I$<JOIN:${includes},$<SEMICOLON>-I>>")
    get_target_property(own ${target} CUDA_ARCHITECTURES)
    foreach(architecture IN LISTS own)
      if(architecture MATCHES "^([0-9]+)")
        list(APPEND architectures ${CMAKE_MATCH_1})
      endif()
    endforeach()
  endforeach()
  if(NOT sources)
    message(STATUS "cudalint_add_target: ${targets} has no CUDA source")
    return()
  endif()
  if(architectures)
    list(SORT architectures COMPARE NATURAL ORDER DESCENDING)
    list(GET architectures 0 newest)
    list(APPEND flags --arch sm_${newest})
  endif()

  add_custom_target(${arg_NAME}
    COMMAND ${CUDALINT_EXECUTABLE} check ${flags} ${arg_ARGS} ${sources}
    WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}"
    COMMENT "Checking the CUDA sources of ${targets}"
    COMMAND_EXPAND_LISTS
    VERBATIM)
endfunction()
