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
# No compiler and no sources in what is run.
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --no-index --find-links /wheels "c4-analysis[web]"
RUN useradd --system --create-home --uid 10001 c4
USER 10001
WORKDIR /home/c4
ENV PYTHONUNBUFFERED=1
# A worker ends within a second or two of SIGTERM, and hands back what it is at.
STOPSIGNAL SIGTERM
ENTRYPOINT ["c4"]
CMD ["--help"]
