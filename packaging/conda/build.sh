#!/usr/bin/env bash
set -euo pipefail
# shellcheck disable=SC2086 # conda gives several options in one variable
cmake -S . -B build-conda ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_PREFIX_PATH="$PREFIX" \
    -DWARPLADDER_CUDA=OFF -DWARPLADDER_TESTS=OFF
cmake --build build-conda --parallel "${CPU_COUNT:-2}" --target installation
cmake --install build-conda
