# obload on a laptop that is not Linux:
#   docker build -t obload . && docker run --rm -v "$PWD/reports:/obload/reports" obload run scenarios/quickstart.json5
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libcurl4-openssl-dev pkg-config make \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /obload
COPY Package.swift Makefile ./
COPY tools tools
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --product obload --static-swift-stdlib -Xswiftc -cross-module-optimization \
  && install -D .build/release/obload /out/obload

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libcurl4 ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /obload
COPY --from=build /out/obload /usr/local/bin/obload
COPY scenarios scenarios
ENTRYPOINT ["obload"]
