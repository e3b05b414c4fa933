import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

interface Line {
  readonly msg: string;
  readonly stage?: string;
  readonly downloadId?: string;
}
let service: TestService;
beforeAll(async () => {
  service = await TestService.shared();
}, 120_000);
afterAll(() => service.stop());

async function linesOf(role: 'api' | 'worker', downloadId: string): Promise<Line[]> {
  const lines = (await service.logOf(role)).split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Line).filter((line) => line.downloadId === downloadId);
}

async function ask(videoId: string, headers: Record<string, string>, webhook?: string) {
  const body = { vidnet_video_id: videoId, ...(webhook === undefined ? {} : { include_webhook: webhook }) };
  const answer = await service.request<{ data: { id: string } }>('POST', '/api/downloads/audio', { body, headers });
  return { recordId: answer.body.data.id, requestId: answer.headers.get('x-request-id') };
}

it('each step of a job and of its webhook is told in one line with the id of the request that began it', async () => {
  const receiver = await startWebhookReceiver();
  const mediaId = service.videoId('ordinary');
  const { recordId, requestId } = await ask(mediaId, { 'x-request-id': 'order-4711' }, receiver.url);
  expect(requestId).toBe('order-4711');
  const stages = ['attemptDelivery', 'beginJob', 'fetchAudio', 'finishJob'];
  const told = await until(
    async () => {
      const lines = await linesOf('worker', recordId);
      return stages.every((stage) => lines.some((line) => line.stage === stage)) ? lines : undefined;
    },
    { what: 'a line of each step' },
  );
  expect(told.map(({ stage }) => stage).sort()).toEqual(stages);
  const all = {
    requestId: 'order-4711',
    mediaId,
    caller: 'anonymous',
    host: expect.any(String) as string,
    outcome: 'ok',
  };
  for (const line of told) expect(line).toMatchObject(all);
  const bytes = expect.any(Number) as number;
  expect(told.filter((line) => 'bytes' in line)).toMatchObject([
    { stage: 'fetchAudio', bytes },
    { stage: 'finishJob', bytes },
  ]);
  expect(await linesOf('api', recordId)).toMatchObject([{ msg: 'job accepted', requestId: 'order-4711' }]);
});

it('a step that has failed says why, and a hostile id is replaced by one that is in the answer and in the lines', async () => {
  const { recordId, requestId } = await ask(service.videoId('private'), { 'x-request-id': 'x'.repeat(10_000) });
  expect(requestId).toMatch(/^[\da-f-]{36}$/);
  await service.ended(recordId);
  const lines = await until(
    async () => {
      const found = await linesOf('worker', recordId);
      return found.some(({ stage }) => stage === 'finishJob') ? found : undefined;
    },
    { what: 'the end' },
  );
  expect(lines.find(({ stage }) => stage === 'fetchAudio')).toMatchObject({
    ...{ requestId, outcome: 'private', failure: expect.stringMatching(/private/i) as string },
  });
});
