import { MemoryLocker, Server, type ServerOptions, type Upload } from '@tus/server';
import { HTTPResponse, type EventHandler, type H3Event } from 'h3';
import { ulid } from 'ulid';
import { ApiError, type ErrorCode } from '../../contract/http/api-error.ts';
import { ulidSchema } from '../../contract/ids.ts';
import { UPLOADS_PATH } from '../../contract/kinds/upload.ts';
import type { Uploads } from '../../store/files/uploads.ts';
import { callerOf, type LimitedCaller } from '../access/access-middleware.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { checkedMetadata, isOwner, rejectUnreadable, startUploadJob } from '../use-cases/uploads.ts';
import { invalidField } from './to-api-error.ts';

const CODES: Readonly<Record<number, ErrorCode>> = { 404: 'not_found', 410: 'not_found', 413: 'body_too_large' };

/** Receives recordings by tus 1.0, which resumes after cuts and restarts. An upload of another caller does not exist. */
export function uploadHost(deps: ServiceDeps, uploads: Uploads | undefined, maxSize: number): EventHandler {
  const locker = new MemoryLocker();
  return async (event) => {
    const caller = callerOf(event, 'jobs');
    if (uploads === undefined) throw new ApiError('unavailable', 'Uploads are not accepted here.');
    const id = event.context.params?.['uploadId'];
    const methods = id === undefined ? ['POST', 'OPTIONS'] : ['HEAD', 'PATCH', 'DELETE', 'OPTIONS'];
    if (!methods.includes(event.req.method)) {
      const allow = methods.join(', ');
      throw new ApiError('method_not_allowed', `This path takes ${allow} only.`, { headers: { Allow: allow } });
    }
    if (id !== undefined && !ulidSchema.safeParse(id).success) throw noUpload();
    let refusal: unknown;
    // Each request has a server of its own, whose hooks know the caller. They share the store and the locks.
    const server = new Server({
      ...hooksOf(deps, uploads, caller),
      ...{ locker, maxSize, path: UPLOADS_PATH, datastore: uploads.store, allowedOrigins: [] },
      onResponseError(_request, error) {
        refusal = error;
        return undefined;
      },
    });
    const response = await server.handleWeb(event.req);
    return response.status < 400 ? response : refused(deps, event, { response, refusal });
  };
}

function hooksOf(deps: ServiceDeps, { store, keyOf }: Uploads, caller: LimitedCaller): Partial<ServerOptions> {
  const startJob = ({ id, metadata }: Upload) => startUploadJob(deps, caller, { id: idOf(id), metadata });
  return {
    namingFunction: () => keyOf(ulid()),
    generateUrl: (_request, { path, id }) => `${path}/${idOf(id)}`,
    getFileIdFromRequest: (_request, id) => id && keyOf(id),
    onUploadCreate(_request, upload) {
      return Promise.resolve().then(() => {
        if (!upload.size) throw invalidField('Upload-Length', 'must be the size of the file, and more than 0');
        return { metadata: { ...checkedMetadata(deps, caller, upload.metadata) } };
      });
    },
    async onIncomingRequest(request, id) {
      // A new upload has no owner yet.
      if (request.method === 'POST') return;
      const upload = await store.getUpload(id);
      if (!isOwner(caller, upload)) throw noUpload();
      // The process may have died between the last byte and the start of the job.
      if (request.method === 'HEAD' && upload.offset === upload.size) await startJob(upload);
    },
    async onUploadFinish(_request, upload) {
      await rejectUnreadable(deps, await startJob(upload));
      return {};
    },
  };
}

/** Gives an error of the tus server, whose status clients of the protocol know, the documented body. */
async function refused(
  { log }: Pick<ServiceDeps, 'log'>,
  event: H3Event,
  { response, refusal }: { readonly response: Response; readonly refusal: unknown },
): Promise<HTTPResponse> {
  // The rest of the body would be read as the next request.
  const headers = { Connection: 'close' };
  if (refusal instanceof ApiError) {
    const { code, message, extras } = refusal;
    throw new ApiError(code, message, { ...extras, headers: { ...extras.headers, ...headers } });
  }
  if (response.status >= 500) {
    log.error({ err: refusal, path: event.url.pathname }, 'an upload could not be stored');
    const message = 'The upload could not be stored. Resume it soon.';
    throw new ApiError('unavailable', message, { retryAfterSeconds: 5, headers });
  }
  const error = (await response.text()).trim().replace(/[^.]$/, '$&.');
  const body = { error, code: CODES[response.status] ?? 'invalid_input' };
  const tus = { 'Tus-Resumable': '1.0.0', 'Tus-Version': '1.0.0' };
  return new HTTPResponse(JSON.stringify(body), {
    status: response.status,
    headers: { ...tus, ...headers, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
  });
}

function idOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

function noUpload(): ApiError {
  return new ApiError('not_found', 'There is no upload with this id.');
}
