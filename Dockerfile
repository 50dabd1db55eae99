# A static binary in an empty image:
#   docker build -t sesstool .
#   docker run --rm -v "$PWD:/work:ro" sesstool validate sessions
FROM rust:1.89-alpine AS build
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo build --release --locked \
    && cp target/release/sesstool /sesstool \
    && strip /sesstool

FROM scratch
COPY --from=build /sesstool /sesstool
WORKDIR /work
USER 65534:65534
ENTRYPOINT ["/sesstool"]
