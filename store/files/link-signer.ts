import { createHmac, timingSafeEqual } from 'node:crypto';
import { isWithin } from '../../contract/within.ts';

export type LinkSigner = ReturnType<typeof createLinkSigner>;

const SIGNATURE = /^[A-Za-z0-9_-]{43}$/;
const EXPIRES = /^[1-9]\d{9,10}$/;

/** The first secret signs, and all are accepted, so that links outlive a rotation. */
export function createLinkSigner(options: {
  readonly secrets: readonly string[];
  readonly driveUrl: string;
  readonly ttlSeconds: number;
}) {
  const { secrets, driveUrl, ttlSeconds } = options;
  const [newest] = secrets;
  if (newest === undefined) throw new Error('links need a secret');
  const sign = (secret: string, path: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`v1\n${path}\n${expires}`).digest();
  return {
    /**
     * @param downloadName the name with which browsers store the file
     * @returns a link that is valid for `ttlSeconds`, with `Expires` in Unix seconds
     */
    linkTo(recordId: string, fileName: string, downloadName?: string): string {
      const name = downloadName === undefined ? '' : `/${encodeURIComponent(downloadName)}`;
      const path = filePath(recordId, fileName) + name;
      const expires = String(Math.floor(Date.now() / 1000) + ttlSeconds);
      return `${driveUrl}${path}?Expires=${expires}&Signature=${sign(newest, path, expires).toString('base64url')}`;
    },
    isValid(path: string, { expires, signature }: Readonly<Record<'expires' | 'signature', string | null>>): boolean {
      // Node's decoder also accepts padding and foreign characters, which would allow many spellings of one signature.
      if (expires === null || signature === null || !EXPIRES.test(expires) || !SIGNATURE.test(signature)) return false;
      const given = Buffer.from(signature, 'base64url');
      const isSigned = secrets.some((secret) => timingSafeEqual(given, sign(secret, path, expires)));
      // The last of 43 characters has two unused bits, so the text is compared too.
      const authentic = isSigned && given.toString('base64url') === signature;
      return authentic && isWithin((Number(expires) - ttlSeconds) * 1000, ttlSeconds * 1000, Date.now());
    },
  };
}

export function filePath(recordId: string, fileName: string): string {
  return `/files/${recordId}/${fileName}`;
}
