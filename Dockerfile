# The tools on a CPU, with the simulated device: docker build -t warpladder . && docker run --rm -v "$PWD:/data" warpladder --help
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends build-essential cmake file git zlib1g-dev libhts-dev liblapacke-dev \
        liblapack-dev libblas-dev libdw-dev libelf-dev libinih-dev libcmark-gfm-dev libcmark-gfm-extensions-dev libnlopt-dev \
    && rm -rf /var/lib/apt/lists/*
COPY . /source
RUN cmake -S /source -B /build -DCMAKE_BUILD_TYPE=Release -DWARPLADDER_CUDA=OFF -DWARPLADDER_TESTS=OFF \
    && cmake --build /build --parallel --target installation && cd /build && cpack -G DEB

FROM debian:bookworm-slim
COPY --from=build /build/warpladder_*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/warpladder_*.deb gnuplot-nox \
    && rm -rf /var/lib/apt/lists/* /tmp/warpladder_*.deb
WORKDIR /data
ENTRYPOINT ["warpladder"]
CMD ["--help"]
