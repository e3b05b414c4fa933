# One image for both parts of the service: the api (the default command) and the worker.
# The base is Debian because Temporal's native core needs glibc. Both digests name lists for all platforms.
ARG NODE_IMAGE=node:24.21.0-trixie-slim@sha256:8ec5d7557396cfe32d21c3f9c13072355ceab22b584578ca4bb28af31120cffe
ARG DEBIAN_IMAGE=debian:trixie-slim@sha256:d7e12182ce18b85b93007c1dedf31f2d29e01ccf3182cc4017c709b6259bc132

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY local/prune-packages.mjs local/
# Scripts of packages are not run, because one of them sends data to its publisher.
RUN npm ci --omit=dev --ignore-scripts && npm_config_omit=dev node local/prune-packages.mjs
# Symbols of native code, which only debuggers use, take 30 MB.
RUN apt-get update && apt-get install -y --no-install-recommends binutils \
  && find /usr/local/bin/node node_modules -type f \( -name node -o -name '*.node' -o -name '*.so' \) -exec strip --strip-unneeded {} +

# The pages of the console are built with development packages that the image does not contain.
FROM packages AS console
RUN npm ci --ignore-scripts
COPY . .
RUN node --input-type=module -e "await (await import('/app/api/console/console-files.ts')).builtConsole()"
# The default speech model has 148 MB.
RUN SPEECH_MODELS_DIR=/models node operator/models/main.ts install

FROM ${DEBIAN_IMAGE} AS python
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates python3 python3-venv
COPY local/engines/yt-dlp-requirements.txt local/engines/speech-requirements.txt /tmp/
# The speech packages contain Silero's model for all engines. It moves to a folder without the version of Python in its path.
RUN python3 -m venv /opt/yt-dlp && python3 -m venv /opt/speech \
  && /opt/yt-dlp/bin/pip install --no-cache-dir --only-binary=:all: --no-deps --require-hashes -r /tmp/yt-dlp-requirements.txt \
  && /opt/speech/bin/pip install --no-cache-dir --only-binary=:all: --no-deps --require-hashes -r /tmp/speech-requirements.txt \
  && cd /opt/speech && mkdir models && mv lib/python3.*/site-packages/silero_vad/data/silero_vad.onnx models/ \
  && rm -r lib/python3.*/site-packages/silero_vad/data \
  && /opt/yt-dlp/bin/pip uninstall --yes pip && /opt/speech/bin/pip uninstall --yes pip \
  && find /opt/*/lib -type d \( -name tests -o -name SelfTest \) -prune -exec rm -r {} +

# ffmpeg is built from Debian's source without the 200 MB of libraries that Debian links. It has all of its own decoders and dav1d
# for AV1, the encoders that media/ and speech/ use, and the network for sections of recordings. Debian's tools build the package,
# so that dpkg lists it.
FROM ${DEBIAN_IMAGE} AS ffmpeg
WORKDIR /build
RUN find /etc/apt/sources.list* -type f -exec sed -i 's/^Types: deb$/& deb-src/; s/^deb \(.*\)/&\ndeb-src \1/' {} + \
  && apt-get update \
  && apt-get install -y --no-install-recommends dpkg-dev gcc libc6-dev libdav1d-dev libgnutls28-dev libmp3lame-dev libopus-dev libx264-dev libxml2-dev libzimg-dev nasm pkgconf zlib1g-dev \
  && apt-get source ffmpeg
RUN cd ffmpeg-*/ \
  && ./configure --prefix=/usr --libdir=/usr/lib/ffmpeg --enable-rpath --enable-shared --disable-static --toolchain=hardened \
    --disable-autodetect --disable-debug --disable-devices --disable-doc --disable-ffplay --disable-postproc \
    --enable-gpl --enable-gnutls --enable-libdav1d --enable-libmp3lame --enable-libopus --enable-libx264 --enable-libxml2 --enable-libzimg --enable-zlib --enable-indev=lavfi \
    --disable-encoders --enable-encoder=aac,flac,libmp3lame,libopus,libx264,mjpeg,mov_text,pcm_s16le,subrip,webvtt \
    --disable-muxers --enable-muxer=flac,framecrc,ipod,matroska,mjpeg,mp3,mp4,null,opus,pcm_s16le,wav,webm \
    --disable-filters --enable-filter=aformat,ametadata,anull,anullsrc,apad,aresample,aselect,asetnsamples,asetpts,asplit,astats,atrim,format,pan,scale,select,setpts,sidedata,tonemap,zscale \
  && make -j"$(nproc)" && make install-progs install-libs DESTDIR=/package \
  && install -D --mode=644 debian/copyright /package/usr/share/doc/ffmpeg/copyright && mkdir /package/DEBIAN \
  && dpkg-shlibdeps --ignore-missing-info -l/package/usr/lib/ffmpeg /package/usr/bin/* /package/usr/lib/ffmpeg/*.so \
  && dpkg-gencontrol -pffmpeg -P/package -v"$(dpkg-parsechangelog --show-field Version)+tapedeck" \
  && dpkg-deb --root-owner-group -Znone --build /package /ffmpeg.deb

FROM ${DEBIAN_IMAGE}
# ca-certificates is needed for webhooks over TLS and for yt-dlp. tini reaps processes of yt-dlp and ffmpeg, and forwards SIGTERM.
# The package is copied and not mounted, because the buildah of Debian 12 mounts an empty folder if the stage is cached.
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
# .dockerignore excludes tests, tools and what is only needed outside of containers.
COPY . .
COPY --from=console /app/node_modules/.cache/tapedeck ./node_modules/.cache/tapedeck
COPY --from=console /models/base /opt/speech/models/base
# The workflows are compiled once, also for workers with PAYLOAD_KEYS, because a running container cannot store the bundle.
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
# A new named volume gets the owner of the folder that it covers.
USER 1000:1000
EXPOSE 3000 3001

# This checks the api. Workers have another check, in docker-compose.yml.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT || 3000}/ready`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# The command is not `npm run api`, because its bootstrap requires the development packages.
ENTRYPOINT ["tini", "--", "node", "--max-semi-space-size=16", "--heap-growing-percent=50"]
CMD ["api/main.ts"]
