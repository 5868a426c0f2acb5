# The program as an image: `docker build --tag c4 .`, then `docker run --rm c4 solve 4453`.

ARG PYTHON=3.12

FROM python:${PYTHON}-slim AS build
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc git libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY . .
RUN pip wheel --no-cache-dir --wheel-dir /wheels ".[web]"

FROM python:${PYTHON}-slim
# This stage has no compiler.
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels "c4-analysis[web]"
RUN useradd --create-home --uid 10001 c4
USER 10001
WORKDIR /home/c4
# The memory of freed tables goes back to the system.
ENV MALLOC_MMAP_THRESHOLD_=131072
ENTRYPOINT ["c4"]
CMD ["--help"]
