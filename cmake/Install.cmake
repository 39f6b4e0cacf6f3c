# cmake --install: the program, its data, manual pages and completion, laid out so that the prefix can be moved. cpack makes a .deb of it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # only the program is needed, not the tests
add_custom_target(installation ALL DEPENDS warpladder library) # all that is installed; `warpladder` alone is enough for ./run
install(TARGETS warpladder RUNTIME DESTINATION bin)
if(TARGET wl_sim_program) # what `warpladder cc` compiles with: see Toolchain.cmake
    add_dependencies(installation wl_sim_program wl_labs_program wl_published_stages chevrons)
    install(TARGETS chevrons RUNTIME DESTINATION lib/warpladder)
    install(TARGETS wl_sim_program ARCHIVE DESTINATION lib/warpladder)
    foreach(file IN ITEMS compile-flags link-flags labs-link-flags warpladder-labs.o)
        install(FILES "${WL_TOOLCHAIN}/${file}" DESTINATION lib/warpladder)
    endforeach()
    install(DIRECTORY "${WL_TOOLCHAIN}/stages" DESTINATION lib/warpladder)
    install(FILES cmake/symbol-table.sh cmake/private-objects.sh cmake/kernel-check.sh cmake/one-source.sh
        DESTINATION lib/warpladder)
    # Headers that kernels include, the labs, and the stages that they are made of.
    install(DIRECTORY sim/include DESTINATION lib/warpladder/sim)
    install(DIRECTORY "${WL_SIM_FORWARDS}" DESTINATION lib/warpladder)
    install(DIRECTORY harness sim allpairs io ${WL_PROBLEMS} DESTINATION lib/warpladder FILES_MATCHING PATTERN "*.h" PATTERN "kernel.cu")
    install(DIRECTORY labs DESTINATION lib/warpladder PATTERN "*.[ch]" EXCLUDE)
endif()
install(DIRECTORY plots DESTINATION share/warpladder FILES_MATCHING PATTERN "*.gp" PATTERN "*.tsv")
# What `report` shows: the published results, and of the stages.
file(GLOB published_results "${PROJECT_SOURCE_DIR}/results/*.tsv")
install(FILES ${published_results} DESTINATION share/warpladder/results)
install(DIRECTORY ${WL_PROBLEMS} DESTINATION share/warpladder FILES_MATCHING REGEX "/[0-9][0-9]_[^/]*/(README.md|kernel.cu)$")
install(DIRECTORY docs/ DESTINATION share/doc/warpladder FILES_MATCHING PATTERN "*.md" PATTERN "*.tsv" PATTERN "*.cu")
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION share/doc/warpladder)
install(FILES LICENSE DESTINATION share/doc/warpladder RENAME copyright)
# Pages are written by the program itself, from the tables behind --help. Then its debugging information moves to a file of its own,
# in which the simulated device looks up source lines.
install(CODE "
    execute_process(COMMAND sh \"${PROJECT_SOURCE_DIR}/packaging/finish.sh\" \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\"
        \"${CMAKE_OBJCOPY}\" \"${CMAKE_STRIP}\" $<$<BOOL:${WARPLADDER_WHEEL}>:in> COMMAND_ERROR_IS_FATAL ANY)")

# A wheel brings the libraries that a machine may lack.
if(WARPLADDER_WHEEL)
    set_target_properties(warpladder PROPERTIES INSTALL_RPATH "$ORIGIN/../lib:$ORIGIN/../lib/bundled")
    set_target_properties(libwarpladder PROPERTIES INSTALL_RPATH "$ORIGIN:$ORIGIN/bundled")
    find_program(WL_PATCHELF patchelf REQUIRED)
    install(CODE "set(patchelf \"${WL_PATCHELF}\")")
    install(SCRIPT packaging/wheel/bundle.cmake)
endif()

# A package of its own, so that the other needs no MPI.
if(TARGET warpladder-mpi)
    add_dependencies(installation warpladder-mpi)
    install(TARGETS warpladder-mpi RUNTIME DESTINATION bin COMPONENT mpi)
    # Shells look for a file by the program's name; what is in it serves both programs.
    install(FILES packaging/completion/warpladder.bash DESTINATION share/bash-completion/completions RENAME warpladder-mpi COMPONENT mpi)
    install(FILES packaging/completion/_warpladder DESTINATION share/zsh/site-functions RENAME _warpladder-mpi COMPONENT mpi)
    install(CODE "
        set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
        file(MAKE_DIRECTORY \"\${folder}/share/man/man1\")
        execute_process(COMMAND \"\${folder}/bin/warpladder-mpi\" --man
            OUTPUT_FILE \"\${folder}/share/man/man1/warpladder-mpi.1\" COMMAND_ERROR_IS_FATAL ANY)
        execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-all \"\${folder}/bin/warpladder-mpi\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT mpi)
    set(CPACK_DEB_COMPONENT_INSTALL ON)
    set(CPACK_COMPONENTS_ALL Unspecified library mpi)
    set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
    set(CPACK_COMPONENT_UNSPECIFIED_GROUP all)
    set(CPACK_COMPONENT_LIBRARY_GROUP all) # the package warpladder has libwarpladder, with MPI and without
    set(CPACK_COMPONENT_MPI_GROUP mpi)
    set(CPACK_DEBIAN_ALL_PACKAGE_NAME warpladder)
    set(CPACK_DEBIAN_MPI_PACKAGE_NAME warpladder-mpi)
    set(CPACK_DEBIAN_MPI_PACKAGE_RECOMMENDS "mpi-default-bin")
    set(CPACK_DEBIAN_MPI_DESCRIPTION "Warpladder's search, distances and align-reads by all ranks of an MPI run.")
endif()

set(CPACK_PACKAGE_CONTACT "Warpladder developers <warpladder@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "ladders of GPU kernels for computational biology")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gnuplot-nox, g++, binutils, clang, bubblewrap")
set(CPACK_DEBIAN_PACKAGE_DESCRIPTION "Pairwise distances, database search, read alignment and likelihoods of trees on GPUs and CPUs,
and a simulated GPU that counts the memory traffic of each kernel and refuses faulty ones.")
include(CPack)
