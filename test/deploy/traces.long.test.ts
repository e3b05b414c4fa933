import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { serveOnLoopback } from '../../local/loopback-server.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
}
const CALLER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`;
const spans: Span[] = [];
let collector: Awaited<ReturnType<typeof serveOnLoopback>>;
let service: TestService;

beforeAll(async () => {
  collector = await serveOnLoopback((request, response) => {
    void json(request).then((body) => {
      const { resourceSpans } = body as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      spans.push(...resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)));
      response.end('{}');
    });
  });
  service = await TestService.start({ env: { TRACES_URL: `${collector.url}/v1/traces` } });
}, 120_000);
afterAll(async () => {
  await service.stop();
  await collector.stop();
});

it('a trace connects a request with the job, its activities and programs, and the receiver of its webhook', async () => {
  const receiver = await startWebhookReceiver();
  const body = { vidnet_video_id: service.videoId('ordinary'), include_webhook: receiver.url };
  const accepted = await service.request<{ data: { id: string } }>('POST', '/api/downloads/video', {
    body,
    headers: { traceparent },
  });
  expect(accepted.status).toBe(202);
  const post = await until(() => receiver.posts[0], { what: 'the webhook' });
  const names = ['POST /api/downloads/video', 'beginJob', 'fetchVideo', 'yt-dlp', 'ffmpeg', 'finishJob', 'job video'];
  const own = () => spans.filter(({ traceId }) => traceId === CALLER.traceId);
  const found = await until(
    () => ([...names, 'attemptDelivery'].every((name) => own().some((one) => one.name === name)) ? own() : undefined),
    { what: 'all spans', within: 30_000 },
  );
  const parentOf = (name: string): string | undefined => {
    const { parentSpanId } = found.find((one) => one.name === name) ?? {};
    return parentSpanId === CALLER.spanId ? 'the caller' : found.find(({ spanId }) => spanId === parentSpanId)?.name;
  };
  expect(Object.fromEntries([...names, 'attemptDelivery'].map((name) => [name, parentOf(name)]))).toEqual({
    'POST /api/downloads/video': 'the caller',
    beginJob: 'POST /api/downloads/video',
    fetchVideo: 'POST /api/downloads/video',
    'yt-dlp': 'fetchVideo',
    ffmpeg: 'fetchVideo',
    finishJob: 'POST /api/downloads/video',
    'job video': 'POST /api/downloads/video',
    attemptDelivery: 'POST /api/downloads/video',
  });
  const attempt = found.find(({ name }) => name === 'attemptDelivery')!;
  expect(post.headers['traceparent']).toBe(`00-${CALLER.traceId}-${attempt.spanId}-01`);
  const stage = (await service.logOf('worker')).split('\n').find((line) => line.includes('"stage":"fetchVideo"'));
  expect(JSON.parse(stage ?? '{}')).toMatchObject({ downloadId: accepted.body.data.id, traceId: CALLER.traceId });
  await receiver.close();
}, 120_000);
