# BerthWire.cmake - Turns src/wire/*.proto into C with protoc-c.
#
# Sets BERTH_WIRE_SOURCES and makes the generated headers visible as
# "wire/<file>.pb-c.h" to whatever links berth_flags.
find_program(BERTH_PROTOC_C protoc-c REQUIRED)

set(BERTH_WIRE_DIR ${CMAKE_BINARY_DIR}/gen)
file(MAKE_DIRECTORY ${BERTH_WIRE_DIR})
file(GLOB BERTH_PROTOS CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/wire/*.proto)

set(BERTH_WIRE_SOURCES)
foreach(proto ${BERTH_PROTOS})
  cmake_path(GET proto STEM noun)
  set(base ${BERTH_WIRE_DIR}/wire/${noun}.pb-c)
  # A message refers to others by value, so every file depends on all of them.
  add_custom_command(
    OUTPUT ${base}.c ${base}.h
    COMMAND ${BERTH_PROTOC_C} --proto_path=${CMAKE_SOURCE_DIR}/src
            --c_out=${BERTH_WIRE_DIR} wire/${noun}.proto
    DEPENDS ${BERTH_PROTOS}
    COMMENT "Generating wire/${noun}.pb-c.c"
    VERBATIM)
  list(APPEND BERTH_WIRE_SOURCES ${base}.c)
endforeach()
