import type { BlockList } from 'node:net';
import { H3, HTTPResponse, type EventHandler, type H3Event } from 'h3';
import { webhookIdSchema } from '../contract/deliveries.ts';
import { ApiError } from '../contract/errors.ts';
import { ulidSchema } from '../contract/ids.ts';
import { speakerLabelFormatSchema } from '../contract/speaker-label-formats.ts';
import { transcriptFormatSchema } from '../contract/transcript-formats.ts';
import { createAuthenticate } from './access/authenticate.ts';
import { accessMiddleware, callerOf } from './access/access-middleware.ts';
import type { ApiDeps, ServiceDeps } from './deps.ts';
import { docsPage } from './docs-page.ts';
import { meterAnswers } from './edge/answer-budget.ts';
import { securityHeaders } from './edge/security-headers.ts';
import { errorResponse } from './error-response.ts';
import { fileHost } from './file-host.ts';
import { openApiDocument } from './openapi.ts';
import { scopeOf, waitSecondsOf, type Operation } from './operation.ts';
import { operations } from './operations.ts';
import { rateLimit } from './rate-limit.ts';
import { preferredWaitMs, readJsonBody, readQuery } from './request.ts';
import { createResponder, streamed } from './respond.ts';
import { cancelDownload } from './use-cases/cancel-download.ts';
import { checkHealth, checkReady } from './use-cases/check-health.ts';
import { exportSpeakerLabels } from './use-cases/export-speaker-labels.ts';
import { exportTranscript, type ExportedText } from './use-cases/export-transcript.ts';
import { getAccount } from './use-cases/get-account.ts';
import { getDownload } from './use-cases/get-download.ts';
import { getSpeakerLabels } from './use-cases/get-speaker-labels.ts';
import { getTranscript } from './use-cases/get-transcript.ts';
import { listDeliveries } from './use-cases/list-deliveries.ts';
import { listDownloads } from './use-cases/list-downloads.ts';
import { redeliverWebhook } from './use-cases/redeliver-webhook.ts';
import { requestChannel } from './use-cases/request-channel.ts';
import { requestImgnetAudio } from './use-cases/request-imgnet-audio.ts';
import { requestImgnetContent } from './use-cases/request-imgnet-content.ts';
import { requestImgnetList } from './use-cases/request-imgnet-list.ts';
import { requestImgnetProfile } from './use-cases/request-imgnet-profile.ts';
import { requestSpeakerLabels } from './use-cases/request-speaker-labels.ts';
import { requestTranscript } from './use-cases/request-transcript.ts';
import { requestVidnetDownload, type VidnetDownload } from './use-cases/request-vidnet-download.ts';
import { testWebhook } from './use-cases/test-webhook.ts';

export interface RestOptions {
  readonly requestsPerMinute: number;
  readonly publicUrl: string;
  /** Whether the service listens on loopback only. */
  readonly isLoopback: boolean;
  /** Whether callers without an API key are let in. */
  readonly allowsAnonymous: boolean;
  readonly trustedProxies: BlockList;
}

/** The REST facade: routes, and how answers and errors are dressed. */
export function createRestApp(deps: ServiceDeps, options: RestOptions): H3 {
  const app = new H3({ silent: true, onError: (error, event) => errorResponse(deps.log, error, event) });
  const authenticate = createAuthenticate({ ...deps, allowsAnonymous: options.allowsAnonymous });
  app.use(securityHeaders);
  app.use(accessMiddleware({ ...options, authenticate, stopping: deps.stopping }));
  app.use(rateLimit(options.requestsPerMinute, deps));
  app.use(meterAnswers(deps.answerBudget));
  mountOperations(app, deps);

  const document = JSON.stringify(openApiDocument(options.publicUrl, { ...options, ...deps }));
  app.get('/openapi.json', () => new HTTPResponse(document, { headers: { 'Content-Type': 'application/json' } }));
  app.get('/docs/**', docsPage());
  const files = fileHost(deps);
  app.get('/files/**', files);
  app.head('/files/**', files);
  app.all('/files/**', () => refuseMethod('GET, HEAD'));
  return app;
}

type Routes = Readonly<Record<keyof typeof operations, EventHandler>>;

function routesOf(deps: ApiDeps): Routes {
  const respond = createResponder(deps.log);
  const waitMsOf = (event: H3Event, operation: Operation): number =>
    preferredWaitMs(event) ?? waitSecondsOf(operation, deps.defaultWaitSeconds) * 1000;
  const requestDownload = async (event: H3Event, type: VidnetDownload['type']): Promise<HTTPResponse> => {
    const request = await readJsonBody(event, operations.requestAudio.body);
    return respond(event, await requestVidnetDownload(deps, { type, request, waitMs: preferredWaitMs(event) ?? 0 }));
  };
  return {
    requestAudio: (event) => requestDownload(event, 'audio'),
    requestVideo: (event) => requestDownload(event, 'vidnet_video'),
    listDownloads: async (event) =>
      respond(event, await listDownloads(deps, readQuery(event, operations.listDownloads.query))),
    getDownload: async (event) =>
      respond(event, await getDownload(deps, downloadIdOf(event), waitMsOf(event, operations.getDownload))),
    cancelDownload: async (event) => respond(event, await cancelDownload(deps, downloadIdOf(event))),
    requestChannel: async (event) => {
      const request = await readJsonBody(event, operations.requestChannel.body);
      return respond(event, await requestChannel(deps, request, waitMsOf(event, operations.requestChannel)));
    },
    requestTranscript: async (event) => {
      const request = await readJsonBody(event, operations.requestTranscript.body);
      return respond(event, await requestTranscript(deps, request, waitMsOf(event, operations.requestTranscript)));
    },
    getTranscript: async (event) =>
      respond(event, await getTranscript(deps, downloadIdOf(event), waitMsOf(event, operations.getTranscript))),
    exportTranscript: async (event) => {
      const format = transcriptFormatSchema.safeParse(event.context.params?.['format']);
      if (!format.success) throw new ApiError('not_found', 'A transcript can be had as .srt, .vtt or .txt.');
      return fileOf(event, deps, await exportTranscript(deps, downloadIdOf(event), format.data));
    },
    requestSpeakerLabels: async (event) => {
      const request = await readJsonBody(event, operations.requestSpeakerLabels.body);
      return respond(
        event,
        await requestSpeakerLabels(deps, request, waitMsOf(event, operations.requestSpeakerLabels)),
      );
    },
    getSpeakerLabels: async (event) =>
      respond(event, await getSpeakerLabels(deps, labelsIdOf(event), waitMsOf(event, operations.getSpeakerLabels))),
    exportSpeakerLabels: async (event) => {
      const format = speakerLabelFormatSchema.safeParse(event.context.params?.['format']);
      if (!format.success) throw new ApiError('not_found', 'A transcript can be had as .srt, .vtt, .txt or .rttm.');
      return fileOf(event, deps, await exportSpeakerLabels(deps, labelsIdOf(event), format.data));
    },
    requestImgnetProfile: async (event) => {
      const request = await readJsonBody(event, operations.requestImgnetProfile.body);
      return respond(
        event,
        await requestImgnetProfile(deps, request, waitMsOf(event, operations.requestImgnetProfile)),
      );
    },
    requestImgnetList: async (event) => {
      const request = await readJsonBody(event, operations.requestImgnetList.body);
      return respond(event, await requestImgnetList(deps, request, waitMsOf(event, operations.requestImgnetList)));
    },
    requestImgnetContent: async (event) => {
      const request = await readJsonBody(event, operations.requestImgnetContent.body);
      return respond(
        event,
        await requestImgnetContent(deps, request, waitMsOf(event, operations.requestImgnetContent)),
      );
    },
    requestImgnetAudio: async (event) => {
      const request = await readJsonBody(event, operations.requestImgnetAudio.body);
      return respond(event, await requestImgnetAudio(deps, request, waitMsOf(event, operations.requestImgnetAudio)));
    },
    getAccount: async (event) => respond(event, await getAccount(deps, readQuery(event, operations.getAccount.query))),
    testWebhook: async (event) =>
      respond(event, await testWebhook(deps, await readJsonBody(event, operations.testWebhook.body))),
    listDeliveries: async (event) =>
      respond(event, await listDeliveries(deps, readQuery(event, operations.listDeliveries.query))),
    redeliverWebhook: async (event) => {
      const id = webhookIdSchema.safeParse(event.context.params?.['deliveryId']);
      if (!id.success) throw new ApiError('not_found', 'There is no webhook delivery with this id.');
      return respond(event, await redeliverWebhook(deps, id.data));
    },
    checkLive: (event) => respond(event, { state: 'finished', body: { status: 'ok' } }),
    checkReady: async (event) => respond(event, await checkReady(deps)),
    checkHealth: async (event) => respond(event, await checkHealth(deps)),
  };
}

/** Registers every operation of the table, and the refusal of other methods at their paths. */
function mountOperations(app: H3, deps: ServiceDeps): void {
  const methodsByPath = new Map<string, string[]>();
  for (const [name, operation] of Object.entries<Operation>(operations)) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ':$1');
    const handler: EventHandler = (event) => {
      const caller = callerOf(event, scopeOf(operation));
      return routesOf({ ...deps, caller })[name as keyof typeof operations](event);
    };
    app.on(operation.method, path, handler, { meta: { mayPoll: isAboutJob(operation) } });
    if (operation.method === 'get') app.head(path, handler);
    const methods = operation.method === 'get' ? ['GET', 'HEAD'] : [operation.method.toUpperCase()];
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), ...methods]);
  }
  for (const [path, methods] of methodsByPath) app.all(path, () => refuseMethod(methods.join(', ')));
}

/** An id that is not one can't be known: 404 as for any other unknown id. */
function downloadIdOf(event: H3Event): string {
  const id = ulidSchema.safeParse(event.context.params?.['downloadId']);
  if (!id.success) throw new ApiError('not_found', 'There is no download with this id.');
  return id.data;
}

function labelsIdOf(event: H3Event): string {
  const id = ulidSchema.safeParse(event.context.params?.['id']);
  if (!id.success) throw new ApiError('not_found', 'There is no audio and no transcript with this id.');
  return id.data;
}

function fileOf(event: H3Event, { log }: ServiceDeps, { open, contentType, name }: ExportedText): HTTPResponse {
  const onCut = (error: unknown): void => log.error({ err: error, path: event.url.pathname }, 'a file was cut short');
  // Nobody would read what is opened for HEAD.
  return new HTTPResponse(event.req.method === 'HEAD' ? null : streamed(open(), onCut), {
    headers: {
      'Content-Type': `${contentType}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="${name}"`,
    },
  });
}

/** Whether it may ask how a job goes: a GET about one download, and the requests for jobs, which can wait for them. */
function isAboutJob({ method, params, wait }: Operation): boolean {
  return method === 'get' ? params !== undefined : wait !== undefined;
}

function refuseMethod(allow: string): never {
  throw new ApiError('method_not_allowed', `This path takes ${allow} only.`, { headers: { Allow: allow } });
}
