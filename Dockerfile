# One image for both parts of the service: the api (the default command) and the worker.
# Debian and not Alpine: Temporal's native core needs glibc.
FROM node:24-trixie-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY local/prune-packages.mjs local/
# No scripts of packages: one of them calls home.
RUN npm ci --omit=dev --ignore-scripts && npm_config_omit=dev node local/prune-packages.mjs

# Pages for browsers, by development packages that only their making needs.
FROM packages AS console
RUN npm ci --ignore-scripts
COPY . .
RUN node --input-type=module -e "await (await import('/app/api/console/console-files.ts')).builtConsole()"

FROM node:24-trixie-slim AS yt-dlp
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
COPY local/engines/yt-dlp-requirements.txt /tmp/requirements.txt
RUN python3 -m venv /opt/yt-dlp \
  && /opt/yt-dlp/bin/pip install --no-cache-dir --only-binary=:all: --no-deps --require-hashes -r /tmp/requirements.txt

# The builtin speech engine, and Silero's model for all of them. One folder names the model, whatever Python's version is.
FROM node:24-trixie-slim AS speech
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
COPY local/engines/speech-requirements.txt /tmp/requirements.txt
RUN python3 -m venv /opt/speech \
  && /opt/speech/bin/pip install --no-cache-dir --only-binary=:all: --no-deps --require-hashes -r /tmp/requirements.txt \
  && ln -s /opt/speech/lib/python3.*/site-packages/silero_vad/data /opt/speech/models

FROM node:24-trixie-slim
# ca-certificates: for webhooks over TLS and for yt-dlp. tini: reaps what yt-dlp and ffmpeg leave, and hands on SIGTERM.
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates ffmpeg python3 tini \
  && rm -rf /var/lib/apt/lists/*
COPY --from=yt-dlp /opt/yt-dlp /opt/yt-dlp
COPY --from=speech /opt/speech /opt/speech
RUN /opt/yt-dlp/bin/yt-dlp --version && ffprobe -version \
  && /opt/speech/bin/python3 -c 'import pocketsphinx, sklearn.cluster' && test -s /opt/speech/models/silero_vad.onnx

WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
# What .dockerignore lets through: the product, without what only runs it on a bare machine or proves it.
COPY . .
COPY --from=console /app/node_modules/.cache/tapedeck ./node_modules/.cache/tapedeck
# Compiled once for all starts: the running container cannot keep it.
RUN node --input-type=module -e "await (await import('/app/worker/workflow-bundle.ts')).loadWorkflows()"
# A new named volume takes over the owner of the folder that it covers.
RUN mkdir /data && chown node:node /data

ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    DATA_DIR=/data \
    YTDLP_PATH=/opt/yt-dlp/bin/yt-dlp \
    FFMPEG_PATH=/usr/bin/ffmpeg \
    FFPROBE_PATH=/usr/bin/ffprobe \
    SPEECH_PYTHON_PATH=/opt/speech/bin/python3 \
    SPEECH_VAD_MODEL_PATH=/opt/speech/models/silero_vad.onnx
USER 1000:1000
EXPOSE 3000 3001

# For the api. A worker asks its own port: docker-compose.yml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Not `npm run api`: its bootstrap would want the development packages too.
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=16"]
CMD ["api/main.ts"]
