# What `make install` puts where. Everything can be moved afterwards: no file
# has the prefix in it.
include(CMakePackageConfigHelpers)

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/berth
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
install(FILES ${CMAKE_BINARY_DIR}/include/berth/ops.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/berth)

# ---- Libraries, for CMake and pkg-config ----

set_target_properties(berth_shared PROPERTIES EXPORT_NAME berth)
set_target_properties(berth_static PROPERTIES EXPORT_NAME static)
install(TARGETS berth_shared berth_static
        EXPORT berthTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(BERTH_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/berth)
install(EXPORT berthTargets NAMESPACE berth:: DESTINATION ${BERTH_CMAKE_DIR})
configure_package_config_file(
  ${CMAKE_CURRENT_LIST_DIR}/berthConfig.cmake.in
  ${CMAKE_BINARY_DIR}/berthConfig.cmake INSTALL_DESTINATION ${BERTH_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/berthConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/berthConfig.cmake
              ${CMAKE_BINARY_DIR}/berthConfigVersion.cmake
        DESTINATION ${BERTH_CMAKE_DIR})

set(BERTH_PC_DIR ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH BERTH_PC_TO_PREFIX /prefix/${BERTH_PC_DIR} /prefix)
string(REGEX REPLACE "/$" "" BERTH_PC_TO_PREFIX ${BERTH_PC_TO_PREFIX})
configure_file(${CMAKE_CURRENT_LIST_DIR}/berth.pc.in
               ${CMAKE_BINARY_DIR}/berth.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/berth.pc DESTINATION ${BERTH_PC_DIR})

# ---- The program ----

if(TARGET berth_cli)
  file(RELATIVE_PATH BERTH_BIN_TO_LIB /prefix/${CMAKE_INSTALL_BINDIR}
       /prefix/${CMAKE_INSTALL_LIBDIR})
  # The same in the build tree, whose folders are bin and lib: a path that is
  # edited when installing ends in an empty entry until then, and an empty entry
  # is the current folder.
  set(BERTH_RPATH "$ORIGIN/../lib" "$ORIGIN/${BERTH_BIN_TO_LIB}")
  list(REMOVE_DUPLICATES BERTH_RPATH)
  set_target_properties(berth_cli PROPERTIES INSTALL_RPATH "${BERTH_RPATH}"
                                             BUILD_WITH_INSTALL_RPATH ON)
  install(TARGETS berth_cli DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${CMAKE_SOURCE_DIR}/docs/man/berth.1
          DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  set(BERTH_COMPLETION ${CMAKE_SOURCE_DIR}/cli/completion)
  install(FILES ${BERTH_COMPLETION}/berth.bash
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME berth)
  install(FILES ${BERTH_COMPLETION}/berth.zsh
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions
          RENAME _berth)
  install(FILES ${BERTH_COMPLETION}/berth.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
