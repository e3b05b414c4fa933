import { fileURLToPath } from 'node:url';

/** The root of the project, with a slash at the end. */
export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The requirements files whose packages are part of the image, from the root of the project. */
export const IMAGE_REQUIREMENTS = [
  'local/engines/yt-dlp-requirements.txt',
  'local/engines/speech-requirements.txt',
] as const;
