import satisfies from 'spdx-satisfies';

/** Licences (SPDX) that ask for no more than their text and the authors' names to be kept. */
const ALLOWED = [
  ...['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'Zlib'],
  ...['Unlicense', 'CC0-1.0', 'PSF-2.0', 'Python-2.0', 'PostgreSQL'],
] as const;

const NVIDIA_MODEL = {
  licence: 'CC-BY-4.0',
  why: 'a model of NVIDIA, not in the image; whoever passes it on names them',
} as const;

/** What asks for more, and why it is fine here. By name, so that nothing else comes in with the same licence unseen. */
export const TERMS: Readonly<Record<string, { readonly licence: string; readonly why: string }>> = {
  'caniuse-lite': {
    licence: 'CC-BY-4.0',
    why: 'a table of browsers that webpack brings; the name of the author is kept with it',
  },
  certifi: {
    licence: 'MPL-2.0',
    why: 'a list of certificates, unchanged; only changed files would have to be published',
  },
  mediabunny: {
    licence: 'MPL-2.0',
    why: 'reads finished files, unchanged; only changed files would have to be published',
  },
  mutagen: { licence: 'GPL-2.0-or-later', why: 'a module of yt-dlp, which runs as a process of its own' },
  ffmpeg: {
    licence: 'GPL-2.0-or-later',
    why: "runs as a process of its own; whoever passes the image on owes its source: Debian's, and the Dockerfile",
  },
  'ffmpeg and ffprobe builds': {
    licence: 'GPL-3.0-or-later',
    why: 'run as processes of their own, and are fetched by the machine that runs them',
  },
  'ca-certificates': { licence: 'MPL-2.0 AND GPL-2.0-or-later', why: 'a list of certificates of Debian, unchanged' },
  mongod: {
    licence: 'SSPL-1.0',
    why: 'a server that the service speaks to; its terms meet those who offer MongoDB itself as a service',
  },
  'parakeet-tdt-0.6b-v2': NVIDIA_MODEL,
  'parakeet-tdt-0.6b-v3': NVIDIA_MODEL,
  'titanet-large': NVIDIA_MODEL,
  'titanet-small': NVIDIA_MODEL,
};

/** What packages say in a form that is no SPDX expression, or not at all; from the text that they carry. */
export const CORRECTIONS: Readonly<Record<string, string>> = {
  unionfs: 'Unlicense',
};

/** @returns what is wrong with a licence, or undefined. @param licence an SPDX expression */
export function objection(name: string, licence: string | undefined): string | undefined {
  if (licence === undefined) return `${name} names no licence: look into it, and add it to CORRECTIONS`;
  const terms = TERMS[name];
  if (terms?.licence === licence) return undefined;
  try {
    if (satisfies(licence, ALLOWED)) return undefined;
  } catch {
    return `${name}: ${licence} is no SPDX expression: look into it, and add it to CORRECTIONS`;
  }
  return `${name}: ${licence} is not allowed: do without it, or say in TERMS why it is fine`;
}
