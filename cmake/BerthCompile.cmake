# Compiler settings shared by everything that is built.
set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(BERTH_WARNINGS
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wvla -Wundef
    -Wstrict-prototypes -Wmissing-prototypes -Wformat=2)
if(BERTH_WERROR)
  list(APPEND BERTH_WARNINGS -Werror)
endif()

# For sources that are not hot, where the build optimises at all. Their functions
# have no tables for unwinding, nor have loops and kernels of the CPU: they are a
# tenth of a library, debuggers and profilers read them from debugging
# information, and nothing is thrown through C.
set(BERTH_SMALL "")
set(BERTH_TIGHT "")
set(BERTH_NO_TABLES "")
if(CMAKE_BUILD_TYPE MATCHES "^(Release|MinSizeRel)$" AND NOT BERTH_SANITIZE)
  set(BERTH_NO_TABLES -fno-asynchronous-unwind-tables)
  set(BERTH_SMALL -Os ${BERTH_NO_TABLES})
  # For sources that are hot, but not in loops over numbers: nothing between
  # functions, nor before what is jumped to.
  set(BERTH_TIGHT -falign-functions=1 -falign-jumps=1 -falign-loops=1
                  -falign-labels=1)
endif()

# Everything Berth compiles for itself links this.
add_library(berth_flags INTERFACE)
target_compile_definitions(berth_flags INTERFACE _GNU_SOURCE)
target_compile_options(berth_flags INTERFACE -fvisibility=hidden -fno-math-errno
                                             -ffp-contract=off)
target_include_directories(
  berth_flags INTERFACE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src
                        ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR}/gen)
target_compile_options(berth_flags INTERFACE ${BERTH_HARDEN_COMPILE})
target_link_options(berth_flags INTERFACE ${BERTH_HARDEN_LINK})
if(BERTH_SANITIZE STREQUAL "address")
  set(BERTH_SANITIZE_FLAGS -fsanitize=address,undefined
                           -fno-sanitize-recover=undefined)
elseif(BERTH_SANITIZE STREQUAL "thread")
  set(BERTH_SANITIZE_FLAGS -fsanitize=thread)
endif()
if(BERTH_FUZZ)
  list(APPEND BERTH_SANITIZE_FLAGS -fsanitize=fuzzer-no-link)
endif()
if(BERTH_SANITIZE_FLAGS)
  target_compile_options(berth_flags INTERFACE ${BERTH_SANITIZE_FLAGS}
                                               -fno-omit-frame-pointer)
  target_link_options(berth_flags INTERFACE ${BERTH_SANITIZE_FLAGS})
endif()
if(BERTH_CHECK)
  target_compile_definitions(berth_flags INTERFACE BERTH_CHECK)
endif()
if(BERTH_COVERAGE)
  target_compile_options(berth_flags INTERFACE --coverage)
  target_link_options(berth_flags INTERFACE --coverage)
endif()
