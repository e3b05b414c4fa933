import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { sendCallers } from '../../../quality/chaos/callers.ts';
import { createClient } from '../../../quality/chaos/client.ts';
import { openLedger } from '../../../quality/chaos/ledger.ts';
import type { PlannedCall } from '../../../quality/chaos/plan.ts';

const JOB = { id: '01JD5Z3K6VQ0W8R9T2X4Y6B8CD', status: 'failed' };
const call: PlannedCall = {
  id: 'call-1',
  kind: 'transcript',
  atMs: 0,
  path: '/api/transcripts',
  body: {},
  expected: 'private',
};

/** One caller at a service that answers all requests alike. */
async function sentTo(status: number, body: object) {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.writeHead(status).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const ledger = openLedger([call], () => 'http://127.0.0.1/hook');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const client = createClient(url, 'Bearer key', ledger);
  await sendCallers({ client, ledger, nowMs: () => 0, goHome: new AbortController().signal });
  return { entry: ledger.entries[0]!, bareErrors: ledger.bareErrors, requests };
}

it.each([400, 500])('a caller takes a job that failed with %i for its answer, and asks no more', async (status) => {
  const { entry, bareErrors, requests } = await sentTo(status, { status: 'failed', download: JOB });
  expect(entry.jobs).toEqual([{ ...JOB, isOwedWebhook: false }]);
  expect(entry).not.toHaveProperty('problem');
  expect({ bareErrors, requests }).toEqual({ bareErrors: [], requests: 1 });
});

it('a caller takes a refusal for none', async () => {
  const { entry } = await sentTo(400, { error: 'url: must be a URL.', code: 'invalid_input' });
  expect(entry.jobs).toEqual([]);
  expect(entry.problem).toContain('answered 400');
});
