# Op schemas and builders, written by tools/opgen from ops.def, known.def and
# shapes.def.
#
# Sets BERTH_OPS_SOURCES. The public header goes to include/berth/ops.h of the
# build tree, beside those of the source tree.
file(GLOB BERTH_OPGEN_SOURCES CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/tools/opgen/*.c)
add_executable(berth_opgen ${BERTH_OPGEN_SOURCES})
target_compile_definitions(berth_opgen PRIVATE _GNU_SOURCE)
target_compile_options(berth_opgen PRIVATE ${BERTH_WARNINGS})
target_include_directories(berth_opgen PRIVATE ${CMAKE_SOURCE_DIR}/include
                                               ${CMAKE_SOURCE_DIR}/src)

set(BERTH_OPS_DEFS ${CMAKE_SOURCE_DIR}/src/op/ops.def
    ${CMAKE_SOURCE_DIR}/src/op/known.def
    ${CMAKE_SOURCE_DIR}/src/op/shapes.def)
set(BERTH_OPS_TABLE ${CMAKE_BINARY_DIR}/gen/op/op_table.c)
set(BERTH_OPS_HEADER ${CMAKE_BINARY_DIR}/include/berth/ops.h)
set(BERTH_OPS_BUILDERS ${CMAKE_BINARY_DIR}/gen/op/ops.c)
set(BERTH_OPS_GRADIENTS ${CMAKE_BINARY_DIR}/gen/grad/grad_table.c)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/gen/op ${CMAKE_BINARY_DIR}/gen/grad
     ${CMAKE_BINARY_DIR}/include/berth)
add_custom_command(
  OUTPUT ${BERTH_OPS_TABLE} ${BERTH_OPS_HEADER} ${BERTH_OPS_BUILDERS}
         ${BERTH_OPS_GRADIENTS}
  COMMAND berth_opgen ${BERTH_OPS_DEFS} ${BERTH_OPS_TABLE} ${BERTH_OPS_HEADER}
          ${BERTH_OPS_BUILDERS} ${BERTH_OPS_GRADIENTS}
  DEPENDS berth_opgen ${BERTH_OPS_DEFS}
  COMMENT "Writing op schemas and builders")
set(BERTH_OPS_SOURCES ${BERTH_OPS_TABLE} ${BERTH_OPS_BUILDERS}
    ${BERTH_OPS_GRADIENTS} ${BERTH_OPS_HEADER})

# The table must say what TensorFlow says.
if(BERTH_TESTS)
  find_package(Python3 COMPONENTS Interpreter)
  foreach(program schema_dump schema_graph)
    add_executable(${program} EXCLUDE_FROM_ALL
                   ${CMAKE_SOURCE_DIR}/tests/tools/${program}.c)
    target_link_libraries(${program} PRIVATE berth_flags berth_static)
    list(APPEND BERTH_TEST_TARGETS ${program})
  endforeach()
  if(Python3_FOUND)
    add_test(NAME graph/schema_oracle
             COMMAND Python3::Interpreter
                     ${CMAKE_SOURCE_DIR}/tests/tools/schema_oracle_test.py
                     $<TARGET_FILE:schema_dump>
                     ${CMAKE_SOURCE_DIR}/tests/data/oracle/registry.txt)
    add_test(NAME graph/schema_import
             COMMAND Python3::Interpreter
                     ${CMAKE_SOURCE_DIR}/tests/tools/schema_import_test.py
                     $<TARGET_FILE:schema_graph>
                     ${CMAKE_SOURCE_DIR}/tests/data/oracle/registry.txt)
    add_test(NAME graph/import_oracle
             COMMAND Python3::Interpreter
                     ${CMAKE_SOURCE_DIR}/tests/tools/import_oracle_test.py
                     $<TARGET_FILE:schema_graph>
                     ${CMAKE_SOURCE_DIR}/tests/data/oracle/imports.txt)
    add_test(NAME tools/opgen COMMAND Python3::Interpreter
                                      ${CMAKE_SOURCE_DIR}/tests/tools/opgen_test.py
                                      $<TARGET_FILE:berth_opgen>)
    set_tests_properties(graph/schema_oracle graph/schema_import
                         graph/import_oracle tools/opgen PROPERTIES LABELS unit)
  endif()
endif()
