import { createReadStream } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { basename, dirname, extname } from 'node:path';
import type * as Tus from 'tus-js-client';
import { TapedeckError, type DownloadResult } from '../clients/typescript/src/index.ts';
import { sizeText } from '../runtime/terminal-progress.ts';
import { progressText, type Display } from './display.ts';
import { UsageError } from './exit-codes.ts';
import type { Service } from './reach-service.ts';

/** Extensions of sound without pictures; the service finds out what the others are. */
const SOUND = /^(?:aac|aif|aiff|amr|caf|flac|m4a|m4b|mka|mp3|oga|ogg|opus|wav|wma)$/;
const RETRY_DELAYS = [0, 1_000, 3_000, 5_000, 10_000, 20_000];

export interface UploadTarget {
  readonly service: Service;
  readonly display: Display;
  readonly url: string;
  readonly key: string | undefined;
  readonly uploadsFile: string;
}

/** Sends a file, continues where an earlier attempt was cut, also one of an earlier run, and waits until it is verified. */
export async function uploadFile(target: UploadTarget, path: string): Promise<DownloadResult> {
  const { service, display } = target;
  const facts = await stat(path).catch(() => undefined);
  if (facts?.isFile() !== true) throw new UsageError(`${path}: there is no such file.`);
  const work = display.work(path);
  try {
    const id = await send(target, path, (sent) => {
      const text = `${sizeText(sent)} of ${sizeText(facts.size)}`;
      work.show({ stage: 'uploading', percent: (sent / facts.size) * 100, text });
    });
    return await service.follow<DownloadResult>(id, ({ data: { progress } }) => {
      if (progress !== undefined) work.show({ ...progress, text: progressText(progress) });
    });
  } finally {
    work.end();
  }
}

/** @returns the ID of the upload, which is also that of its job */
async function send(
  { service, url, key, uploadsFile }: UploadTarget,
  path: string,
  onSent: (bytes: number) => void,
): Promise<string> {
  const name = basename(path);
  const extension = extname(path).slice(1).toLowerCase();
  const type = `${SOUND.test(extension) ? 'audio' : 'video'}/x-${/^\w+$/.test(extension) ? extension : 'unknown'}`;
  await mkdir(dirname(uploadsFile), { recursive: true });
  // Imported here, because it handles signals that other commands leave to Node.js.
  const tus = await import('tus-js-client');
  // The types of the package describe browsers only.
  const { FileUrlStorage } = tus as object as { readonly FileUrlStorage: new (path: string) => Tus.UrlStorage };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const file = createReadStream(path) as unknown as Buffer;
  const upload = new tus.Upload(file, {
    endpoint: `${url}/api/uploads`,
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    metadata: { filename: name.slice(0, 300), filetype: type },
    retryDelays: RETRY_DELAYS,
    // The addresses of unfinished uploads, of all runs of this program.
    urlStorage: new FileUrlStorage(uploadsFile),
    removeFingerprintOnSuccess: true,
    onProgress: onSent,
    onError: (error) => reject(refusalOf(error)),
    onSuccess: () => resolve(''),
  });
  const stop = (): void => void upload.abort().finally(() => reject(service.signal.reason as Error));
  service.signal.addEventListener('abort', stop, { once: true });
  const [known] = await upload.findPreviousUploads();
  if (known !== undefined) upload.resumeFromPreviousUpload(known);
  upload.start();
  await promise;
  return upload.url?.split('/').at(-1) ?? '';
}

function refusalOf(error: Error | Tus.DetailedError): Error {
  if (!('originalResponse' in error)) return error;
  const body = error.originalResponse?.getBody();
  if (body === undefined) return new TapedeckError(error.message, { code: 'unreachable' });
  try {
    const { error: message, code } = JSON.parse(body) as { readonly error: string; readonly code: 'invalid_input' };
    return new TapedeckError(message, { code });
  } catch {
    return new TapedeckError(error.message, { code: 'unexpected_answer' });
  }
}
