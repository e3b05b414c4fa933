# One image for both parts of the service: the api (the default command) and the worker.
# Debian and not Alpine: Temporal's native core needs glibc. Both digests are those of the lists for all platforms.
ARG NODE_IMAGE=node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ARG DEBIAN_IMAGE=debian:trixie-slim@sha256:d7e12182ce18b85b93007c1dedf31f2d29e01ccf3182cc4017c709b6259bc132

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY local/prune-packages.mjs local/
# No scripts of packages: one of them calls home.
RUN npm ci --omit=dev --ignore-scripts && npm_config_omit=dev node local/prune-packages.mjs
# Native code has 30 MB of names that only debuggers read.
RUN apt-get update && apt-get install -y --no-install-recommends binutils \
  && find /usr/local/bin/node node_modules -type f \( -name node -o -name '*.node' -o -name '*.so' \) -exec strip --strip-unneeded {} +

# Pages for browsers, by development packages that only their making needs.
FROM packages AS console
RUN npm ci --ignore-scripts
COPY . .
RUN node --input-type=module -e "await (await import('/app/api/console/console-files.ts')).builtConsole()"
# The model of words, of 148 MB.
RUN SPEECH_MODELS_DIR=/models node operator/models/main.ts install

FROM ${DEBIAN_IMAGE} AS python
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv
COPY local/engines/yt-dlp-requirements.txt local/engines/speech-requirements.txt /tmp/
# The speech packages have Silero's model for all engines: one of many shapes, in a folder without Python's version.
RUN python3 -m venv /opt/yt-dlp && python3 -m venv /opt/speech \
  && /opt/yt-dlp/bin/pip install --no-cache-dir --only-binary=:all: --no-deps --require-hashes -r /tmp/yt-dlp-requirements.txt \
  && /opt/speech/bin/pip install --no-cache-dir --only-binary=:all: --no-deps --require-hashes -r /tmp/speech-requirements.txt \
  && cd /opt/speech && mkdir models && mv lib/python3.*/site-packages/silero_vad/data/silero_vad.onnx models/ \
  && rm -r lib/python3.*/site-packages/silero_vad/data \
  && /opt/yt-dlp/bin/pip uninstall --yes pip && /opt/speech/bin/pip uninstall --yes pip \
  && find /opt/*/lib -type d \( -name tests -o -name SelfTest \) -prune -exec rm -r {} +

# Debian's source of ffmpeg without the 200 MB of libraries that Debian links it with. It reads all that it can read by itself,
# and AV1 by dav1d; it writes what media/ and speech/ ask for. Debian's tools make the package, so that dpkg knows it.
FROM ${DEBIAN_IMAGE} AS ffmpeg
WORKDIR /build
RUN find /etc/apt/sources.list* -type f -exec sed -i 's/^Types: deb$/& deb-src/; s/^deb \(.*\)/&\ndeb-src \1/' {} + \
  && apt-get update \
  && apt-get install -y --no-install-recommends dpkg-dev gcc libc6-dev libdav1d-dev libx264-dev libzimg-dev nasm pkgconf zlib1g-dev \
  && apt-get source ffmpeg
RUN cd ffmpeg-*/ \
  && ./configure --prefix=/usr --libdir=/usr/lib/ffmpeg --enable-rpath --enable-shared --disable-static --toolchain=hardened \
    --disable-autodetect --disable-debug --disable-devices --disable-doc --disable-ffplay --disable-network --disable-postproc \
    --enable-gpl --enable-libdav1d --enable-libx264 --enable-libzimg --enable-zlib --enable-indev=lavfi \
    --disable-encoders --enable-encoder=aac,libx264,pcm_s16le \
    --disable-muxers --enable-muxer=ipod,mp4,null,pcm_s16le,wav \
    --disable-filters --enable-filter=aformat,ametadata,anull,anullsrc,apad,aresample,asetnsamples,asplit,astats,atrim,format,pan,scale,sidedata,tonemap,zscale \
  && make -j"$(nproc)" && make install-progs install-libs DESTDIR=/package \
  && install -D --mode=644 debian/copyright /package/usr/share/doc/ffmpeg/copyright && mkdir /package/DEBIAN \
  && dpkg-shlibdeps --ignore-missing-info -l/package/usr/lib/ffmpeg /package/usr/bin/* /package/usr/lib/ffmpeg/*.so \
  && dpkg-gencontrol -pffmpeg -P/package -v"$(dpkg-parsechangelog --show-field Version)+tapedeck" \
  && dpkg-deb --root-owner-group -Znone --build /package /ffmpeg.deb

FROM ${DEBIAN_IMAGE}
# ca-certificates: for webhooks over TLS and for yt-dlp. tini: reaps what yt-dlp and ffmpeg leave, and hands on SIGTERM.
# Not mounted from its stage: the buildah of Debian 12 finds nothing there when that stage was made before.
COPY --from=ffmpeg /ffmpeg.deb /tmp/
RUN apt-get update \
  && apt-get install -y --no-install-recommends ca-certificates /tmp/ffmpeg.deb python3 tini \
  && rm -rf /tmp/ffmpeg.deb /var/lib/apt/lists/* /var/cache/apt/* \
  && useradd --uid 1000 --user-group --home-dir /data --no-create-home --shell /usr/sbin/nologin tapedeck \
  && install -d -o tapedeck -g tapedeck /data
COPY --from=packages /usr/local/bin/node /usr/local/bin/node
COPY --from=python /opt /opt
RUN node --version && /opt/yt-dlp/bin/yt-dlp --version && ffmpeg -version && ffprobe -version \
  && /opt/speech/bin/python3 -c 'import ctranslate2, numpy.random, tokenizers' && test -s /opt/speech/models/silero_vad.onnx

WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
# What .dockerignore lets through: the product, without what only runs it on a bare machine or proves it.
COPY . .
COPY --from=console /app/node_modules/.cache/tapedeck ./node_modules/.cache/tapedeck
COPY --from=console /models/base /opt/speech/models/base
# The workflows are compiled once for all starts, also of workers with PAYLOAD_KEYS: the running container cannot keep them.
RUN node --input-type=module -e "await import('@temporalio/core-bridge'); await import('sherpa-onnx-node')" \
  && node --input-type=module -e "const { loadWorkflows } = await import('/app/worker/workflow-bundle.ts'); await loadWorkflows(); await loadWorkflows({ hidesFailures: true })" \
  && node deploy/image/sbom.mjs > /usr/share/sbom.cdx.json && rm -rf /tmp/*

ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    DATA_DIR=/data \
    YTDLP_PATH=/opt/yt-dlp/bin/yt-dlp \
    FFMPEG_PATH=/usr/bin/ffmpeg \
    FFPROBE_PATH=/usr/bin/ffprobe \
    SPEECH_MODELS_DIR=/opt/speech/models \
    SPEECH_PYTHON_PATH=/opt/speech/bin/python3 \
    SPEECH_VAD_MODEL_PATH=/opt/speech/models/silero_vad.onnx
# A new named volume takes over the owner of the folder that it covers.
USER 1000:1000
EXPOSE 3000 3001

# For the api. A worker asks its own port: docker-compose.yml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Not `npm run api`: its bootstrap would want the development packages too.
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=16", "--heap-growing-percent=50"]
CMD ["api/main.ts"]
