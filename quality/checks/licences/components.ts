/** A program, an image or a model that the service uses beside its packages. */
export interface Component {
  readonly name: string;
  /** SPDX expression. */
  readonly licence: string;
  /** What for, and how it gets there. */
  readonly what: string;
  /** What the Dockerfile and docker-compose.yml call it. */
  readonly names?: readonly string[];
}

/** Licences of the packages in the requirements files of the image; from their metadata or, failing that, their text. */
export const PYTHON_LICENCES: Readonly<Record<string, string>> = {
  brotli: 'MIT',
  certifi: 'MPL-2.0',
  'charset-normalizer': 'MIT',
  idna: 'BSD-3-Clause',
  mutagen: 'GPL-2.0-or-later',
  numpy: 'BSD-3-Clause AND 0BSD AND MIT AND Zlib AND CC0-1.0',
  pocketsphinx: 'BSD-2-Clause AND BSD-3-Clause',
  pycryptodomex: 'BSD-2-Clause AND Unlicense',
  requests: 'Apache-2.0',
  'silero-vad': 'MIT',
  urllib3: 'MIT',
  websockets: 'BSD-3-Clause',
  'yt-dlp': 'Unlicense',
  'yt-dlp-ejs': 'Unlicense AND MIT AND ISC',
};

export const IMAGE_COMPONENTS: readonly Component[] = [
  { name: 'Node.js', licence: 'MIT', what: 'runs the service', names: ['node'] },
  { name: 'Python', licence: 'PSF-2.0', what: 'runs yt-dlp and the speech engine', names: ['python3'] },
  { name: 'ffmpeg', licence: 'GPL-2.0-or-later', what: "media; built from Debian's source", names: ['ffmpeg'] },
  { name: 'tini', licence: 'MIT', what: 'first process of the container', names: ['tini'] },
  {
    name: 'ca-certificates',
    licence: 'MPL-2.0 AND GPL-2.0-or-later',
    names: ['ca-certificates'],
    what: 'certificates for TLS',
  },
  { name: 'Silero VAD model', licence: 'MIT', what: 'finds speech; a file in the package silero-vad' },
  { name: 'English model of pocketsphinx', licence: 'BSD-2-Clause', what: 'words; files in the package pocketsphinx' },
];

export const ENGINE_COMPONENTS: readonly Component[] = [
  {
    name: 'Temporal server, CLI, web UI and tools',
    licence: 'MIT',
    what: 'durable jobs; an image, an official release, or built from its Go module',
    names: ['temporalio/server', 'temporalio/admin-tools', 'temporalio/ui'],
  },
  { name: 'mongod', licence: 'SSPL-1.0', what: 'database; an image, or an official release', names: ['mongo'] },
  { name: 'FerretDB', licence: 'Apache-2.0', what: 'database where there is no mongod; built from its Go module' },
  { name: 'SQLite for Go (modernc.org/sqlite)', licence: 'BSD-3-Clause', what: 'store of FerretDB' },
  { name: 'PostgreSQL', licence: 'PostgreSQL', what: "database of compose's Temporal", names: ['postgres'] },
  { name: 'versitygw', licence: 'Apache-2.0', what: 'S3 server of the tests' },
  {
    name: 'Chromium',
    licence: 'BSD-3-Clause',
    what: 'browser of the tests; a package of Debian, or Chrome for Testing (with terms of its own) by playwright-core',
  },
  { name: 'Temporal test server', licence: 'Apache-2.0', what: 'clock that jumps, of the tests' },
  {
    name: 'ffmpeg and ffprobe builds',
    licence: 'GPL-3.0-or-later',
    what: 'media, on a machine without ffmpeg; from packages of Python and npm',
  },
];
