# cmake -D ROOT=... -D HEADER=... -D SOURCES=... -P commit.cmake: the commit being built, and hashes of the variants' sources (sources.sh), as
# headers that change only when these do.
cmake_minimum_required(VERSION 3.22)
set(commit unknown)
find_program(GIT git)
if(GIT)
    set(git "${GIT}" -c "safe.directory=${ROOT}" -C "${ROOT}")
    execute_process(COMMAND ${git} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE head RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT failed)
        set(commit "${head}")
        execute_process(COMMAND ${git} diff --quiet HEAD -- RESULT_VARIABLE changed ERROR_QUIET OUTPUT_QUIET)
        if(changed)
            string(APPEND commit " with changes")
        endif()
    endif()
endif()
file(CONFIGURE OUTPUT "${HEADER}" CONTENT "#define WL_COMMIT \"@commit@\"\n" @ONLY)

execute_process(COMMAND sh "${CMAKE_CURRENT_LIST_DIR}/sources.sh" "${ROOT}" OUTPUT_VARIABLE hashes ERROR_QUIET)
string(REGEX REPLACE "([^\n]+)\n" "\"\\1\", " hashes "${hashes}")
file(CONFIGURE OUTPUT "${SOURCES}" CONTENT "#define WL_SOURCES @hashes@\n" @ONLY)
