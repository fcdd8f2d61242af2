# Hardening of what users get: what an error in memory can do is made less.
#
#   full RELRO, BIND_NOW   tables of addresses are resolved at the start, then
#                          read-only
#   noexecstack            no code on the stack
#   PIE                    the program lies at an address nobody knows
#   stack protector        a frame that was overrun does not return
#   _FORTIFY_SOURCE        the C library checks sizes that the compiler knows
#   CET                    jumps and returns go where they may (x86)
#
# Each is used where compiler and linker have it; docs/decisions/0014-hardened-builds.md
# has the costs. Sets BERTH_HARDEN_COMPILE and BERTH_HARDEN_LINK, which berth_flags
# passes on, and BERTH_HARDENED, what tests/objects looks for in the objects.
#
# Builds with sanitizers do without: those see more, and not all of it goes
# together. So do builds without optimisation, where _FORTIFY_SOURCE cannot work.
include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckLinkerFlag)
include(CheckPIESupported)
option(BERTH_HARDEN "Harden optimised builds" ON)

set(BERTH_HARDEN_COMPILE "")
set(BERTH_HARDEN_LINK "")
set(BERTH_HARDENED "")
if(NOT BERTH_HARDEN OR BERTH_SANITIZE OR BERTH_FUZZ OR BERTH_COVERAGE
   OR NOT CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$")
  return()
endif()

# Uses |flag| of the compiler where it is known, under |name|.
macro(berth_harden_compile name flag)
  check_c_compiler_flag(${flag} BERTH_HAS_${name})
  if(BERTH_HAS_${name})
    list(APPEND BERTH_HARDEN_COMPILE ${flag})
    list(APPEND BERTH_HARDENED ${name})
  endif()
endmacro()

# The same for the linker.
macro(berth_harden_link name flag)
  check_linker_flag(C ${flag} BERTH_HAS_${name})
  if(BERTH_HAS_${name})
    list(APPEND BERTH_HARDEN_LINK ${flag})
    list(APPEND BERTH_HARDENED ${name})
  endif()
endmacro()

# Uses the highest level of _FORTIFY_SOURCE that the C library takes. Compilers
# that define one themselves would warn about another.
macro(berth_harden_fortify)
  foreach(level 3 2)
    set(CMAKE_REQUIRED_FLAGS "-O2 -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${level}")
    check_c_source_compiles(
      "#include <stdio.h>
      #if __USE_FORTIFY_LEVEL != ${level}
      #error
      #endif
      int main(void) { return 0; }" BERTH_HAS_FORTIFY_${level})
    unset(CMAKE_REQUIRED_FLAGS)
    if(BERTH_HAS_FORTIFY_${level})
      list(APPEND BERTH_HARDEN_COMPILE -U_FORTIFY_SOURCE
           -D_FORTIFY_SOURCE=${level})
      list(APPEND BERTH_HARDENED FORTIFY)
      break()
    endif()
  endforeach()
endmacro()

berth_harden_compile(STACK_PROTECTOR -fstack-protector-strong)
berth_harden_compile(CET -fcf-protection=full)
berth_harden_fortify()
berth_harden_link(RELRO -Wl,-z,relro)
berth_harden_link(BIND_NOW -Wl,-z,now)
berth_harden_link(NOEXECSTACK -Wl,-z,noexecstack)
check_pie_supported(LANGUAGES C)
if(CMAKE_C_LINK_PIE_SUPPORTED)
  list(APPEND BERTH_HARDENED PIE)
endif()
message(STATUS "Builds are hardened by: ${BERTH_HARDENED}")
