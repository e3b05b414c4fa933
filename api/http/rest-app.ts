import type { BlockList } from 'node:net';
import { H3, HTTPResponse, type EventHandler } from 'h3';
import { BATCH_ARCHIVE } from '../../contract/batches/batch-state.ts';
import { UPLOADS_PATH } from '../../contract/kinds/upload.ts';
import type { Uploads } from '../../store/files/uploads.ts';
import { ApiError } from '../../contract/http/api-error.ts';
import { createAuthenticate } from '../access/authenticate.ts';
import { accessMiddleware, callerOf, refuseRevoked } from '../access/access-middleware.ts';
import type { LimitedCaller, RequestIds } from '../access/access-middleware.ts';
import { loadConsole, type ConsoleFiles } from '../console/console-files.ts';
import { consolePage } from '../console/console-page.ts';
import { pictureProxy } from '../console/picture-proxy.ts';
import type { Tracing } from '../../runtime/telemetry/tracing.ts';
import { optional } from '../../runtime/optional.ts';
import type { Downloader } from '../../outbound/download.ts';
import type { ServiceDeps } from '../service-deps.ts';
import { createIdempotency } from './idempotency.ts';
import { docsPage, textPage } from './docs-page.ts';
import { allowOrigins } from '../edge/allowed-origins.ts';
import { meterAnswers } from '../edge/answer-budget.ts';
import { keepReserve } from '../edge/connections.ts';
import { securityHeaders } from '../edge/security-headers.ts';
import { uploadHost } from './upload-host.ts';
import { archiveHost, fileHost } from './file-host.ts';
import { feedHost, FEEDS_PATH } from '../podcasts/feed-host.ts';
import type { OnAnswered } from '../api-metrics.ts';
import { MCP_PATH, mcpHost, METADATA_PATH, resourceMetadata } from '../mcp/mcp-host.ts';
import { toolsOf } from '../mcp/tools.ts';
import { apiMarkdown, llmsText, MARKDOWN_PATH } from '../openapi/api-markdown.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { isRepeatable, scopeOf, streamsEvents, type Operation } from '../operations/operation.ts';
import { operations } from '../operations/operations.ts';
import { rateLimit, rateLimitStateOf } from '../access/rate-limit.ts';
import { readInput } from './read-request.ts';
import { forRequest, nameRequests, requestIdOf } from './request-id.ts';
import { observeRequests } from './request-log.ts';
import { errorResponse, respond } from './respond.ts';
import { traceRequests } from './request-traces.ts';

export interface RestOptions {
  readonly requestsPerMinute: number;
  readonly publicUrl: string;
  readonly driveUrl: string;
  readonly isLoopback: boolean;
  /** The origins of other sites whose pages may use the API. */
  readonly origins?: readonly string[];
  readonly allowsAnonymous: boolean;
  readonly trustedProxies: BlockList;
  readonly loadConsole?: () => Promise<ConsoleFiles>;
  readonly downloadPicture: Downloader;
  readonly onAnswered?: OnAnswered | undefined;
  readonly tracing?: Tracing | undefined;
  readonly uploads?: Uploads | undefined;
  /** The largest file that a caller may upload. */
  readonly uploadMaxBytes?: number;
  readonly ytdlp?: () => Promise<string | undefined>;
}

export function createRestApp(deps: ServiceDeps, options: RestOptions): H3 {
  const app = new H3({
    silent: true,
    onError: (error, event) => errorResponse(deps.log, error, event),
    ...observeRequests(deps.log, options.onAnswered),
  });
  const authenticate = createAuthenticate({ ...deps, allowsAnonymous: options.allowsAnonymous });
  app.use(nameRequests);
  if (options.tracing !== undefined) app.use(traceRequests(options.tracing));
  app.use(securityHeaders);
  app.use(allowOrigins(options.origins ?? []));
  app.use(keepReserve);
  app.use(accessMiddleware({ ...options, authenticate, stopping: deps.stopping }));
  app.use(rateLimit(options.requestsPerMinute, deps));
  app.use(meterAnswers(deps.answerBudget));
  mountOperations(app, deps);

  // The document is created before anything is served, because that blocks the event loop for 100 ms.
  const document = openApiDocument(options.publicUrl, { ...options, ...deps }).then((one) => JSON.stringify(one));
  app.get('/openapi.json', async () => {
    return new HTTPResponse(await document, { headers: { 'Content-Type': 'application/json' } });
  });
  app.all(MCP_PATH, mcpHost(deps, toolsOf(deps.rendering.prices), options.onAnswered));
  app.get(METADATA_PATH, resourceMetadata(options.publicUrl));
  app.get(METADATA_PATH + MCP_PATH, resourceMetadata(options.publicUrl));
  app.get('/llms.txt', textPage(llmsText(options.publicUrl), 'text/plain'));
  app.get(MARKDOWN_PATH, textPage(apiMarkdown(options.publicUrl, deps.rendering.prices), 'text/markdown'));
  app.get('/docs/**', docsPage());
  app.get('/', frontDoor(options.publicUrl));
  app.get('/pictures', pictureProxy({ authenticate, download: options.downloadPicture }));
  app.get('/console/**', consolePage({ ...options, log: deps.log, load: options.loadConsole ?? loadConsole }));
  const uploads = uploadHost(deps, options.uploads, options.uploadMaxBytes ?? Infinity);
  app.all(UPLOADS_PATH, uploads);
  app.all(`${UPLOADS_PATH}/:uploadId`, uploads);
  const archive = `/files/:batchId/${BATCH_ARCHIVE.name}`;
  app.get(archive, archiveHost(deps));
  app.head(archive, archiveHost(deps));
  for (const [path, host] of [
    ['/files/**', fileHost(deps)],
    [`${FEEDS_PATH}**`, feedHost(deps)],
  ] as const) {
    app.get(path, host);
    app.head(path, host);
    app.all(path, () => refuseMethod('GET, HEAD'));
  }
  return app;
}

function mountOperations(app: H3, deps: ServiceDeps): void {
  const idempotently = createIdempotency(deps);
  const methodsByPath = new Map<string, string[]>();
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const { method } = operation;
    const handler: EventHandler = async (event) => {
      const caller: LimitedCaller = { ...callerOf(event, scopeOf(operation)), ...rateLimitStateOf(event) };
      const input = await readInput(event, operation, deps.defaultWaitSeconds);
      const own = forRequest(deps, requestIdOf(event));
      const run = (ids?: RequestIds) => operation.run(own, { ...caller, ...optional('ids', ids) }, input as never);
      const answer = await (isRepeatable(operation) ? idempotently(event, { name, input }, run) : run());
      if (input.waitMs > 0) await refuseRevoked(event);
      return respond(own, event, answer);
    };
    app.on(method, path, handler, { meta: { mayPoll: isAboutJob(operation), operation: name } });
    if (method === 'get') app.head(path, handler, { meta: { operation: name } });
    const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...methods]);
  }
  for (const [path, methods] of methodsByPath) app.all(path, () => refuseMethod(methods.join(', ')));
}

function frontDoor(publicUrl: string): EventHandler {
  const paths = { console: '/console', docs: '/docs', openapi: '/openapi.json', health: '/health' };
  const links = Object.entries(paths).map(([name, path]) => [name, publicUrl + path]);
  const document = JSON.stringify({ service: 'tapedeck', ...Object.fromEntries(links) });
  return ({ req }) => {
    const headers = { Vary: 'Accept' };
    if (req.headers.get('accept')?.includes('text/html') === true) {
      return new HTTPResponse(null, { status: 302, headers: { ...headers, Location: paths.console } });
    }
    return new HTTPResponse(document, { headers: { ...headers, 'Content-Type': 'application/json' } });
  };
}

/** Whether a request may be a poll: a GET of one download, or a request for a job, which can wait for it. */
function isAboutJob(operation: Operation): boolean {
  const { method, params, wait } = operation;
  // An event stream is one request, whatever its duration.
  return method === 'get' ? params !== undefined && !streamsEvents(operation) : wait !== undefined;
}

function refuseMethod(allow: string): never {
  throw new ApiError('method_not_allowed', `This path takes ${allow} only.`, { headers: { Allow: allow } });
}
