# cudalint without anything to install: docker run --rm -v "$PWD:/src" cudalint src/
FROM rust:1-bookworm AS build
RUN apt-get update && apt-get install --yes --no-install-recommends python3-pip && rm -rf /var/lib/apt/lists/*
WORKDIR /cudalint
COPY . .
ENV CUDALINT_Z3_CACHE=/z3
RUN cargo build --release --locked --features relocatable && \
    mkdir /out && cp target/release/cudalint target/release/libz3.so.* LICENSE* /out/

FROM debian:bookworm-slim
# git is asked for --since and --staged.
RUN apt-get update && apt-get install --yes --no-install-recommends git libstdc++6 && rm -rf /var/lib/apt/lists/* && \
    git config --system --add safe.directory '*'
# The binary finds the solver's library beside itself.
COPY --from=build /out/ /opt/cudalint/
RUN ln -s /opt/cudalint/cudalint /usr/local/bin/cudalint
WORKDIR /src
ENTRYPOINT ["cudalint"]
CMD ["--help"]
