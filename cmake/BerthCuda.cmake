# GPU kernels: src/cuda/ops/*.cu and the modules of BerthCudaModules.cmake, compiled for cards
# and for the software GPU.
#
# The target berth_cuda_images is libberth-cuda, with the code for cards in it: PTX by clang,
# which needs no toolkit of the vendor's, and machine code for the chips in
# BERTH_CUDA_CHIPS where ptxas is found (it comes with the CUDA toolkit, and with
# the Python package nvidia-cuda-nvcc: say -DBERTH_PTXAS=/path/to/ptxas). Without
# clang, or with -DBERTH_CUDA=OFF, the file says what was left out.
#
# The target berth_cuda_host has the same sources compiled as C: the kernels of
# the software GPU.
option(BERTH_CUDA "Build the GPU kernels (clang)" ON)
set(BERTH_CUDA_CHIPS 80 86 89 90 100
    CACHE STRING "Chips to build machine code for, where ptxas is found")
find_package(ZLIB REQUIRED)
find_program(BERTH_CLANG NAMES clang clang-21 clang-20 clang-19 clang-18 clang-17
                               clang-16 clang-15 clang-14)
find_program(BERTH_PTXAS ptxas PATHS /usr/local/cuda/bin)

set(BERTH_CUDA_DIR ${CMAKE_BINARY_DIR}/gen/cuda)
file(MAKE_DIRECTORY ${BERTH_CUDA_DIR})
file(GLOB BERTH_CUDA_KERNELS CONFIGURE_DEPENDS
     ${CMAKE_SOURCE_DIR}/src/cuda/ops/*.cu)
include(BerthCudaModules)
berth_cuda_modules(BERTH_CUDA_MADE ${BERTH_CUDA_DIR})
list(APPEND BERTH_CUDA_KERNELS ${BERTH_CUDA_MADE})

set(BERTH_CUDA_LEFT_OUT "")
if(NOT BERTH_CUDA)
  set(BERTH_CUDA_LEFT_OUT "Berth was built without GPU kernels (BERTH_CUDA=OFF)")
elseif(NOT BERTH_CLANG)
  set(BERTH_CUDA_LEFT_OUT "Berth was built without GPU kernels: clang, which compiles them, was not found")
endif()
if(BERTH_CUDA_LEFT_OUT)
  message(STATUS "${BERTH_CUDA_LEFT_OUT}.")
endif()

# ---- For cards ----

set(BERTH_CUDA_IMAGES)

# Adds machine code of |module| for |chip|, from its PTX, to BERTH_CUDA_IMAGES.
function(berth_cuda_chip module chip)
  set(image ${BERTH_CUDA_DIR}/${module}.${chip}.cubin)
  add_custom_command(
    OUTPUT ${image}
    COMMAND ${BERTH_PTXAS} -arch=sm_${chip} -o ${image}
            ${BERTH_CUDA_DIR}/${module}.ptx
    DEPENDS ${BERTH_CUDA_DIR}/${module}.ptx
    COMMENT "Compiling GPU kernels ${module} for sm_${chip}"
    VERBATIM)
  set(BERTH_CUDA_IMAGES ${BERTH_CUDA_IMAGES} ${image} PARENT_SCOPE)
endfunction()

# Older versions of ptxas do not know every chip.
function(berth_cuda_check_chips out)
  set(chips)
  execute_process(COMMAND ${BERTH_PTXAS} --help OUTPUT_VARIABLE help)
  foreach(chip ${BERTH_CUDA_CHIPS})
    if(help MATCHES "sm_${chip}'")
      list(APPEND chips ${chip})
    endif()
  endforeach()
  message(STATUS "GPU kernels are compiled for these chips: ${chips}")
  set(${out} ${chips} PARENT_SCOPE)
endfunction()

if(NOT BERTH_CUDA_LEFT_OUT)
  if(BERTH_PTXAS)
    berth_cuda_check_chips(BERTH_CUDA_KNOWN_CHIPS)
  endif()
  foreach(source ${BERTH_CUDA_KERNELS})
    cmake_path(GET source STEM module)
    set(ptx ${BERTH_CUDA_DIR}/${module}.ptx)
    # Contraction would round otherwise than the host does.
    add_custom_command(
      OUTPUT ${ptx}
      COMMAND
        ${BERTH_CLANG} -x cuda --cuda-device-only -nocudainc -nocudalib
        --cuda-gpu-arch=sm_70 -O3 -ffp-contract=off -Wall -Wextra
        -Wno-unknown-cuda-version -I${CMAKE_SOURCE_DIR}/src -S ${source} -o ${ptx}
        -MD -MF ${ptx}.d -MT ${ptx}
      DEPENDS ${source}
      DEPFILE ${ptx}.d
      COMMENT "Compiling GPU kernels ${module} to PTX"
      VERBATIM)
    list(APPEND BERTH_CUDA_IMAGES ${ptx})
    foreach(chip ${BERTH_CUDA_KNOWN_CHIPS})
      berth_cuda_chip(${module} ${chip})
    endforeach()
  endforeach()
endif()

add_executable(berth_imagegen ${CMAKE_SOURCE_DIR}/tools/imagegen/imagegen.c)
target_compile_definitions(berth_imagegen PRIVATE _GNU_SOURCE)
target_compile_options(berth_imagegen PRIVATE ${BERTH_WARNINGS})
target_link_libraries(berth_imagegen PRIVATE ZLIB::ZLIB)

set(BERTH_CUDA_TABLE ${BERTH_CUDA_DIR}/images.c)
add_custom_command(
  OUTPUT ${BERTH_CUDA_TABLE}
  COMMAND berth_imagegen ${BERTH_CUDA_TABLE} "${BERTH_CUDA_LEFT_OUT}"
          ${BERTH_CUDA_IMAGES}
  DEPENDS berth_imagegen ${BERTH_CUDA_IMAGES}
  COMMENT "Packing GPU kernels"
  VERBATIM)

# libberth-cuda: the kernels, and nothing else. Opened when a card is used.
add_library(berth_cuda_images SHARED ${BERTH_CUDA_TABLE})
set_target_properties(berth_cuda_images PROPERTIES OUTPUT_NAME berth-cuda
                                                   NO_SONAME ON)
target_link_libraries(berth_cuda_images PRIVATE berth_flags)
install(TARGETS berth_cuda_images LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})

if(BERTH_TESTS)
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    add_test(NAME tools/imagegen
             COMMAND Python3::Interpreter ${CMAKE_SOURCE_DIR}/tests/tools/imagegen_test.py
                     $<TARGET_FILE:berth_imagegen>)
    set_tests_properties(tools/imagegen PROPERTIES LABELS unit)
  endif()
endif()

# ---- For the software GPU ----

if(BERTH_CUDA_KERNELS)
  add_library(berth_cuda_host OBJECT ${BERTH_CUDA_KERNELS})
  set_source_files_properties(${BERTH_CUDA_KERNELS} PROPERTIES LANGUAGE C)
  target_compile_options(berth_cuda_host PRIVATE ${BERTH_WARNINGS})
  target_link_libraries(berth_cuda_host PUBLIC berth_flags)
  if(NOT BERTH_SANITIZE)
    target_compile_options(berth_cuda_host PRIVATE -O2)
  endif()
endif()
