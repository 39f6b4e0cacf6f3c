# The gpu backend: is there a CUDA toolkit, for which architectures is it asked to compile, and how a kernel.cu is
# compiled by it. CUDA 12.0 to 13: older ones have no DPX functions (__viaddmax_s16x2_relu), which kernels of sw use.
#
#   WL_HAVE_CUDA                              ON where the gpu backend is built
#   wl_add_gpu_object(target file.cu)         compiles a kernel file for the GPU, into `target`

# The toolkit's compiler: the one asked for, else on the PATH, else where NVIDIA's installers put it. It goes into the
# environment variable that check_language reads: that tries it out, where a CMAKE_CUDA_COMPILER would be believed.
function(wl_find_nvcc)
    if(NOT CMAKE_CUDA_COMPILER)
        unset(CMAKE_CUDA_COMPILER CACHE) # an earlier "not found"
        if(NOT DEFINED ENV{CUDACXX})
            file(GLOB folders "/usr/local/cuda-*/bin" "/opt/cuda/bin")
            list(SORT folders COMPARE NATURAL ORDER DESCENDING)
            find_program(WL_NVCC nvcc HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin
                PATHS /usr/local/cuda/bin ${folders})
            if(WL_NVCC)
                set(ENV{CUDACXX} "${WL_NVCC}")
            endif()
        endif()
    endif()
endfunction()

# Architectures: this machine's GPUs; where there is none, 75, 80 and 90, and PTX that later ones compile for
# themselves. One the toolkit does not know is left out; a GPU newer than the toolkit gets the newest PTX.
function(wl_cuda_architectures result)
    set(known)
    execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --list-gpu-arch OUTPUT_VARIABLE text ERROR_QUIET)
    string(REGEX MATCHALL "compute_[0-9]+" names "${text}")
    foreach(name IN LISTS names)
        string(REPLACE "compute_" "" number "${name}")
        list(APPEND known ${number})
    endforeach()
    list(SORT known COMPARE NATURAL)

    set(present)
    find_program(WL_NVIDIA_SMI nvidia-smi)
    if(WL_NVIDIA_SMI)
        execute_process(COMMAND "${WL_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
            OUTPUT_VARIABLE text ERROR_QUIET RESULT_VARIABLE failed)
        if(NOT failed)
            string(REGEX MATCHALL "[0-9]+\\.[0-9]" capabilities "${text}")
            foreach(capability IN LISTS capabilities)
                string(REPLACE "." "" number "${capability}")
                list(APPEND present ${number})
            endforeach()
            list(REMOVE_DUPLICATES present)
        endif()
    endif()

    set(chosen)
    if(present)
        list(GET known -1 newest)
        foreach(number IN LISTS present)
            if(number IN_LIST known)
                list(APPEND chosen ${number}-real)
            elseif(number GREATER newest)
                list(APPEND chosen ${newest}-virtual)
            else()
                message(WARNING "This CUDA toolkit compiles for compute capability ${known}; a GPU of this machine has "
                    "${number} and will not be used.")
            endif()
        endforeach()
    endif()
    if(NOT chosen)
        foreach(number 75 80 90)
            if(number IN_LIST known OR NOT known)
                list(APPEND chosen ${number}-real)
            endif()
        endforeach()
        list(APPEND chosen 90-virtual)
    endif()
    list(REMOVE_DUPLICATES chosen)
    # 90a: 9.0 with the instructions that no later chip has (harness/device/warpgroup.h). CUDA 11 does not know them, and is refused below.
    execute_process(COMMAND "${CMAKE_CUDA_COMPILER}" --version OUTPUT_VARIABLE text ERROR_QUIET)
    if(text MATCHES "release ([0-9]+)" AND CMAKE_MATCH_1 GREATER_EQUAL 12)
        list(TRANSFORM chosen REPLACE "^90-real$" "90a-real")
    endif()
    set(${result} "${chosen}" PARENT_SCOPE)
endfunction()

set(WL_HAVE_CUDA OFF)
if(WARPLADDER_CUDA) # AUTO or ON
    wl_find_nvcc()
    include(CheckLanguage)
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        if(NOT CMAKE_CUDA_ARCHITECTURES AND DEFINED ENV{CUDAARCHS})
            set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}" CACHE STRING "Compute capabilities to compile for")
        elseif(NOT CMAKE_CUDA_ARCHITECTURES)
            wl_cuda_architectures(wl_architectures)
            set(CMAKE_CUDA_ARCHITECTURES "${wl_architectures}" CACHE STRING "Compute capabilities to compile for")
        endif()
        enable_language(CUDA)
        if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.0)
            set(wl_trouble "CUDA ${CMAKE_CUDA_COMPILER_VERSION} is older than 12.0")
        else()
            find_package(CUDAToolkit REQUIRED)
            set(CMAKE_CUDA_STANDARD 17)
            set(CMAKE_CUDA_STANDARD_REQUIRED ON)
            set(WL_HAVE_CUDA ON)
            message(STATUS "CUDA ${CMAKE_CUDA_COMPILER_VERSION}, architectures ${CMAKE_CUDA_ARCHITECTURES}")
        endif()
    else()
        set(wl_trouble "no working CUDA toolkit found (nvcc on the PATH, in CUDACXX or /usr/local/cuda)")
    endif()
    if(NOT WL_HAVE_CUDA)
        if(WARPLADDER_CUDA STREQUAL "AUTO")
            message(STATUS "Backends cpu and sim only: ${wl_trouble}")
        else()
            message(FATAL_ERROR "WARPLADDER_CUDA is ON, but ${wl_trouble}.")
        endif()
    endif()
endif()

# An OBJECT library of kernel files compiled by nvcc.
function(wl_add_gpu_objects name)
    add_library(${name} OBJECT ${ARGN})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}")
    target_compile_definitions(${name} PRIVATE WL_HAVE_CUDA)
    wl_library_code(${name})
    if("${CMAKE_CUDA_ARCHITECTURES}" MATCHES "90a")
        target_compile_definitions(${name} PRIVATE WL_HAVE_SM90A)
    endif()
    # Every host thread has a default stream of its own: `search` has two threads a GPU, one of which copies while the
    # other's kernels run. All of a GPU's code is compiled so, or events and kernels would be in different streams.
    target_compile_options(${name} PRIVATE "SHELL:--default-stream per-thread")
    # nvcc's own output is not free of what -Wextra and -Wunused-function look for; 177 is its own word for a static
    # function without a call, of which g++ says nothing where it is inline.
    target_compile_options(${name} PRIVATE -lineinfo -diag-suppress=177
        "SHELL:-Xcompiler -Wall,-Wno-unused-function,-Wno-unknown-pragmas")
    if(WARPLADDER_WERROR)
        target_compile_options(${name} PRIVATE "SHELL:--Werror all-warnings")
    endif()
endfunction()

function(wl_add_gpu_object target file)
    get_filename_component(stem "${file}" NAME_WE)
    set(name ${target}_gpu_${stem})
    wl_add_gpu_objects(${name} "${file}")
    target_sources(${target} PRIVATE "$<TARGET_OBJECTS:${name}>")
endfunction()
