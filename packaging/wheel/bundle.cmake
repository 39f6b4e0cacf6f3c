# What cmake --install does for a wheel: copies the shared libraries that the program and libwarpladder need. The compiler's own go to lib/,
# the others to lib/bundled/, where programs that g++ links on another machine look for them, too. C's and C++'s libraries are every machine's.
set(prefix "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${prefix}/bin/warpladder" LIBRARIES "${prefix}/lib/libwarpladder.so.1"
    PRE_EXCLUDE_REGEXES "^lib(c|m|dl|rt|pthread|gcc_s|stdc\\+\\+)\\.so" "^ld-linux" RESOLVED_DEPENDENCIES_VAR libraries)
file(MAKE_DIRECTORY "${prefix}/lib/bundled")
foreach(library IN LISTS libraries)
    get_filename_component(name "${library}" NAME)
    get_filename_component(file "${library}" REALPATH)
    set(to "${prefix}/lib/bundled/${name}")
    if(name MATCHES "^lib(gomp|gfortran|quadmath)\\.")
        set(to "${prefix}/lib/${name}")
    endif()
    file(COPY_FILE "${file}" "${to}")
    execute_process(COMMAND "${patchelf}" --set-rpath "$ORIGIN" "${to}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
