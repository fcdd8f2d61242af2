# Hot loops for several instruction sets.
#
# Every src/cpu/loops/*_isa.c is compiled once per instruction set; BERTH_ISA(name) in
# src/cpu/isa.h appends the set's name, and a table picks one at first use.
# Files named *_loops.c hold loops of rarer types: compiled once, for any CPU of
# the architecture, but with the same optimisation unless said below.
set(BERTH_LOOP_OPTIONS -O3 -fno-trapping-math -fno-semantic-interposition)

set(BERTH_ISAS baseline)
# What few CPUs need is kept small.
set(BERTH_ISA_FLAGS_baseline -Os -ftree-vectorize)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  list(APPEND BERTH_ISAS avx2 avx512)
  set(BERTH_ISA_FLAGS_avx2 -march=x86-64-v3)
  # Half-width vectors, the compilers' choice, leave bandwidth unused.
  set(BERTH_ISA_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)
endif()

file(GLOB BERTH_ISA_SOURCES CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/src/cpu/loops/*_isa.c)
file(GLOB BERTH_LOOP_SOURCES CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/src/cpu/loops/*_loops.c)
set_source_files_properties(${BERTH_LOOP_SOURCES} PROPERTIES
                            COMPILE_OPTIONS "${BERTH_LOOP_OPTIONS}")
# Kernels that are loops over plain numbers, without loops of their own elsewhere.
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/cpu/ops/l2_loss.c
  ${CMAKE_SOURCE_DIR}/src/cpu/ops/parts.c
  ${CMAKE_SOURCE_DIR}/src/cpu/ops/range.c
  ${CMAKE_SOURCE_DIR}/src/cpu/ops/segment.c PROPERTIES
  COMPILE_OPTIONS "${BERTH_LOOP_OPTIONS}")
# Samples of images and blocks of them, which the same is true of.
set(BERTH_SHORT_ENDS "")
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(BERTH_SHORT_ENDS --param=max-completely-peeled-insns=16
                       --param=vect-epilogues-nomask=0)
endif()
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/io/image/jpeg_pixels.c
  ${CMAKE_SOURCE_DIR}/src/io/image/jpeg_turn.c
  ${CMAKE_SOURCE_DIR}/src/io/image/jpeg_write.c PROPERTIES
  COMPILE_OPTIONS "${BERTH_LOOP_OPTIONS};${BERTH_SHORT_ENDS}")
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/cast_loops.c
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/select_loops.c PROPERTIES
  COMPILE_OPTIONS "${BERTH_LOOP_OPTIONS};${BERTH_SHORT_ENDS}")
# One function of each element is vectorised, but not unrolled and peeled as -O3
# does: less code, and as fast (docs/decisions/0032-room-in-the-library.md).
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/arg_loops.c
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/binary_loops.c
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/unary_loops.c PROPERTIES
  COMPILE_OPTIONS
  "-O2;-ftree-vectorize;-fno-trapping-math;-fno-semantic-interposition;${BERTH_SHORT_ENDS}")
# Those of many types in which little is done gain nothing from long code.
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/pool_loops.c PROPERTIES
  COMPILE_OPTIONS "-Os;-fno-trapping-math;-fno-semantic-interposition")
# What is in no loop of an instruction set.
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/special_loops.c PROPERTIES
  COMPILE_OPTIONS "-O2;-fno-trapping-math;-fno-semantic-interposition")
set_source_files_properties(
  ${CMAKE_SOURCE_DIR}/src/cpu/loops/train_loops.c PROPERTIES
  COMPILE_OPTIONS "-Os;-fno-trapping-math;-fno-semantic-interposition")
# What vectors leave over is a loop, and not one copy of its body after the
# other, nor one of shorter vectors: two fifths less code, and the same vectors.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties(
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/binary_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/color_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/complex_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/convert_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/fold_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/norm_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/quant_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/rows_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/softmax_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/special_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/train_isa.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/unary_isa.c PROPERTIES
    COMPILE_OPTIONS "${BERTH_SHORT_ENDS}")
endif()
# Products of complex numbers that look for infinities are calls, and sums in
# a fixed order no vectors; what is not hot is kept small. Of decompositions most
# is done by rows, in loops of their own: -O3 makes the rest a fourth longer and
# saves a fiftieth of the time.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set_source_files_properties(
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/factor_loops.c PROPERTIES
    COMPILE_OPTIONS
    "-O2;-ftree-vectorize;${BERTH_SHORT_ENDS};-fno-trapping-math;-fno-semantic-interposition;-fcx-limited-range;-fno-signed-zeros;-fassociative-math")
  set_source_files_properties(
    ${CMAKE_SOURCE_DIR}/src/cpu/ops/conv.c
    ${CMAKE_SOURCE_DIR}/src/cpu/ops/conv_lanes.c
    ${CMAKE_SOURCE_DIR}/src/cpu/ops/conv_planes.c
    ${CMAKE_SOURCE_DIR}/src/cpu/ops/factor.c
    ${CMAKE_SOURCE_DIR}/src/cpu/ops/tensor_array.c
    ${CMAKE_SOURCE_DIR}/src/cpu/ops/distribution.c
    ${CMAKE_SOURCE_DIR}/src/cpu/loops/special_integrals.c PROPERTIES
    COMPILE_OPTIONS "-Os")
endif()

# Those that are written in vectors gain nothing from what -O3 makes of the
# loops around them, which doubles them.
set(BERTH_ISA_WRITTEN gemm_isa.c gemm_plain_isa.c spectrum_isa.c
    factor_rows_isa.c lanes_isa.c depthwise_isa.c segment_isa.c series_isa.c)
list(TRANSFORM BERTH_ISA_WRITTEN PREPEND ${CMAKE_SOURCE_DIR}/src/cpu/loops/)

# Their remainders are a few numbers, which have no time to become vectors.
set_source_files_properties(${CMAKE_SOURCE_DIR}/src/cpu/loops/factor_rows_isa.c
                            PROPERTIES COMPILE_OPTIONS -fno-tree-vectorize)

# Compiles |sources| for |isa|, with |options| before those of the set.
function(berth_isa_library name isa options sources)
  add_library(${name} OBJECT ${sources})
  target_compile_definitions(${name} PRIVATE BERTH_ISA_SUFFIX=_${isa})
  target_compile_options(${name} PRIVATE ${BERTH_WARNINGS} ${BERTH_LOOP_OPTIONS}
                         ${options} ${BERTH_ISA_FLAGS_${isa}}
                         ${BERTH_NO_TABLES})
  target_link_libraries(${name} PUBLIC berth_flags)
endfunction()

if(BERTH_ISA_SOURCES)
  list(REMOVE_ITEM BERTH_ISA_SOURCES ${BERTH_ISA_WRITTEN})
  foreach(isa ${BERTH_ISAS})
    berth_isa_library(berth_isa_${isa} ${isa} "" "${BERTH_ISA_SOURCES}")
    berth_isa_library(berth_isa_${isa}_written ${isa} "-O2;-ftree-vectorize"
                      "${BERTH_ISA_WRITTEN}")
    list(APPEND BERTH_ISA_OBJECTS $<TARGET_OBJECTS:berth_isa_${isa}>
         $<TARGET_OBJECTS:berth_isa_${isa}_written>)
  endforeach()
endif()
