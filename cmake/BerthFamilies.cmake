# Which families of kernels a backend has: cmake -P with BACKEND, FOLDER, OUT.
#
# Writes OUT, a line FAMILY(name) for each table of kernels that a source below
# FOLDER defines: `const berth_kernel_t berth_<backend>_<name>_kernels[]`. A new
# family is a new file and is listed nowhere.
file(GLOB sources ${FOLDER}/*.c)
list(SORT sources)
set(text "// Written by cmake/BerthFamilies.cmake; do not edit.\n")
foreach(source ${sources})
  file(STRINGS ${source} tables
       REGEX "^const berth_kernel_t berth_${BACKEND}_[a-z0-9_]+_kernels\\[\\] = {$")
  foreach(table ${tables})
    string(REGEX REPLACE ".* berth_${BACKEND}_([a-z0-9_]+)_kernels.*" "\\1" name
                         "${table}")
    string(APPEND text "FAMILY(${name})\n")
  endforeach()
endforeach()
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
  file(WRITE ${OUT} "${text}")
endif()
