# warplens with NVIDIA's compiler and CUPTI: no GPU, driver or toolkit needed. docker build -t warplens . && docker run --rm warplens demo
# With a GPU: docker run --rm --gpus all -v "$PWD:/work" warplens record -- ./program
FROM python:3.12-slim-bookworm AS build
WORKDIR /src
COPY . .
RUN scripts/setup.sh && pip wheel --no-deps -w /dist .

FROM python:3.12-slim-bookworm
RUN apt-get update && apt-get install -y --no-install-recommends g++ && rm -rf /var/lib/apt/lists/*
COPY --from=build /dist /dist
RUN wheel=$(ls /dist/warplens-*.whl) && pip install --no-cache-dir "${wheel}[compiler,recorder]" && rm -r /dist
ENV NVIDIA_VISIBLE_DEVICES=all NVIDIA_DRIVER_CAPABILITIES=compute,utility
WORKDIR /work
ENTRYPOINT ["warplens"]
CMD ["--help"]
