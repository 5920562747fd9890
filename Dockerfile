# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# An image with Soap's tools, Open MPI and the LeNet example on Debian 12.
#   docker build -t soap .
#   docker run --rm soap                     trains LeNet on four devices
#   docker run --rm -it soap bash            soap-opt, soap-run, soap-solve, soap-translate, soap-launch, soap-plan, mpirun
FROM debian:bookworm AS build
WORKDIR /soap
COPY scripts/install-deps.sh scripts/highs-env.sh scripts/
RUN scripts/install-deps.sh && rm -rf /var/lib/apt/lists/*
COPY . .
RUN scripts/build.sh release && cd build && cpack -G DEB -B /packages

FROM debian:bookworm
COPY --from=build /packages/soap-tools_*.deb /packages/libsoap-runtime_*.deb /packages/
RUN apt-get update && apt-get install -y --no-install-recommends /packages/*.deb lld-22 openmpi-bin openssh-client python3 \
  dataset-fashion-mnist && rm -rf /var/lib/apt/lists/* /packages
COPY examples /usr/share/soap/examples
RUN useradd --create-home soap
USER soap
WORKDIR /home/soap
CMD ["soap-run", "train", "/usr/share/soap/examples/lenet.onnx", "--data", "idx:/usr/share/datasets/fashion-mnist", "--topology", "cpu-4", "--epochs", "1"]
