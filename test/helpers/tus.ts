import { request as httpRequest } from 'node:http';

type Headers = Readonly<Record<string, string>>;

/** @returns the value of `Upload-Metadata` */
export function metadataOf(fields: Headers): string {
  return Object.entries(fields)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

/** A caller that speaks tus 1.0. */
export function tusCaller(baseUrl: string, own: Headers = {}) {
  const ask = (method: string, path: string, headers: Headers, body?: Buffer) =>
    fetch(new URL(path, baseUrl), {
      method,
      headers: { 'tus-resumable': '1.0.0', ...own, ...headers },
      ...(body && { body: new Uint8Array(body) }),
    });
  const fields = { filename: 'talk.m4a', filetype: 'audio/mp4' };
  return {
    ask,
    headers: own,
    create: (length: number, more: Headers = fields, headers: Headers = {}) =>
      ask('POST', '/api/uploads', { 'upload-length': String(length), 'upload-metadata': metadataOf(more), ...headers }),
    send: (path: string, offset: number, bytes: Buffer) =>
      ask('PATCH', path, { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' }, bytes),
    async offsetOf(path: string): Promise<number> {
      const answer = await ask('HEAD', path, {});
      if (answer.status !== 200) throw new Error(`HEAD: ${String(answer.status)}`);
      return Number(answer.headers.get('upload-offset'));
    },
    /** Sends the first bytes of a longer body, and breaks the connection. */
    cut: (
      path: string,
      { offset, all, sent }: { readonly offset: number; readonly all: Buffer; readonly sent: number },
    ) =>
      new Promise<void>((resolve, reject) => {
        const headers = {
          ...{ 'tus-resumable': '1.0.0', 'upload-offset': String(offset) },
          ...{
            'content-type': 'application/offset+octet-stream',
            'content-length': String(all.length - offset),
            ...own,
          },
        };
        const request = httpRequest(new URL(path, baseUrl), { method: 'PATCH', headers });
        request.on('error', (error: NodeJS.ErrnoException) =>
          error.code === 'ECONNRESET' ? resolve() : reject(error),
        );
        request.on('response', (response) => reject(new Error(`answered ${String(response.statusCode)}`)));
        request.write(all.subarray(offset, offset + sent), () => setTimeout(() => request.destroy(), 50));
        request.on('close', () => resolve());
      }),
  };
}
