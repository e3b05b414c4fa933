import { H3, HTTPResponse, type EventHandler, type H3Event } from 'h3';
import { ApiError } from '../contract/errors.ts';
import { POLL_INTERVAL_SECONDS } from '../contract/limits.ts';
import { ulidSchema } from '../contract/ids.ts';
import { vidnetDownloadRequestSchema } from '../contract/requests.ts';
import type { Answer } from './answer.ts';
import type { ApiDeps } from './deps.ts';
import { docsPage } from './docs-page.ts';
import { httpStatusOf, toApiError } from './errors.ts';
import { fileHost } from './file-host.ts';
import { openApiDocument } from './openapi.ts';
import { operations } from './operations.ts';
import { rateLimit } from './rate-limit.ts';
import { preferredWaitMs, readJsonBody } from './request.ts';
import { checkHealth } from './use-cases/check-health.ts';
import { getDownload } from './use-cases/get-download.ts';
import { requestVidnetDownload, type VidnetDownload } from './use-cases/request-vidnet-download.ts';
import { testWebhook } from './use-cases/test-webhook.ts';

export interface RestOptions {
  readonly requestsPerMinute: number;
  readonly publicUrl: string;
  readonly filesDir: string;
}

/** The REST facade: routes, and how answers and errors are dressed. */
export function createRestApp(deps: ApiDeps, options: RestOptions): H3 {
  const app = new H3({ silent: true, onError: (error, event) => errorResponse(deps, error, event) });
  app.use(rateLimit(options.requestsPerMinute));

  const requestDownload = async (event: H3Event, type: VidnetDownload['type']): Promise<HTTPResponse> => {
    const request = await readJsonBody(event, vidnetDownloadRequestSchema);
    return respond(event, await requestVidnetDownload(deps, { type, request, waitMs: preferredWaitMs(event) }));
  };
  const routes: Record<keyof typeof operations, EventHandler> = {
    requestAudio: (event) => requestDownload(event, 'audio'),
    requestVideo: (event) => requestDownload(event, 'vidnet_video'),
    getDownload: async (event) => {
      // An id that is not one can't be known: 404 as for any other unknown id.
      const id = ulidSchema.safeParse(event.context.params?.['downloadId']);
      if (!id.success) throw new ApiError('not_found', 'There is no download with this id.');
      return respond(event, await getDownload(deps, id.data, preferredWaitMs(event)));
    },
    testWebhook: async (event) =>
      respond(event, await testWebhook(deps, await readJsonBody(event, operations.testWebhook.body))),
    checkHealth: async (event) => respond(event, await checkHealth(deps)),
  };
  for (const [name, operation] of Object.entries(operations)) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const handler = routes[name as keyof typeof operations];
    app.on(operation.method, path, handler);
    if (operation.method === 'get') app.head(path, handler);
    app.all(path, () => refuseMethod(operation.method === 'get' ? 'GET, HEAD' : 'POST'));
  }

  const document = JSON.stringify(openApiDocument(options.publicUrl));
  app.get('/openapi.json', () => new HTTPResponse(document, { headers: { 'Content-Type': 'application/json' } }));
  app.get('/docs/**', docsPage());
  const files = fileHost({ root: options.filesDir, signer: deps.signer });
  app.get('/files/**', files);
  app.head('/files/**', files);
  app.all('/files/**', () => refuseMethod('GET, HEAD'));
  return app;
}

function refuseMethod(allow: string): never {
  throw new ApiError('method_not_allowed', `This path takes ${allow} only.`, { headers: { Allow: allow } });
}

function respond(event: H3Event, answer: Answer<unknown>): HTTPResponse {
  const status = { finished: 200, pending: 202, unavailable: 503 }[answer.state];
  const waitMs = preferredWaitMs(event);
  return new HTTPResponse(JSON.stringify(answer.body), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(answer.state === 'finished' ? {} : { 'Retry-After': String(POLL_INTERVAL_SECONDS) }),
      ...(waitMs > 0 ? { 'Preference-Applied': `wait=${String(waitMs / 1000)}` } : {}),
    },
  });
}

function errorResponse(deps: ApiDeps, thrown: unknown, event: H3Event): HTTPResponse {
  const error = toApiError(thrown);
  const status = httpStatusOf(error);
  if (status >= 500) {
    deps.log.error({ err: error.cause ?? error, method: event.req.method, path: event.url.pathname }, error.message);
  }
  const { retryAfterSeconds } = error.extras;
  return new HTTPResponse(JSON.stringify(error.toBody()), {
    status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...error.extras.headers,
      ...(retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }),
    },
  });
}
