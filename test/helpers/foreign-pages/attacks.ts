import { request } from 'node:http';
import { type ForeignPage, type PageRequest, NAMES_OF_LOOPBACK } from './attacker.ts';
import type { Prey, RunningCommand } from './command.ts';

/** What a page tries on a port. */
export interface Aim {
  readonly reads: readonly string[];
  readonly writes: readonly { readonly method: 'POST' | 'DELETE'; readonly path: string; readonly json: string }[];
}

/** A port of the service, and what to call it. */
export interface Target {
  readonly name: string;
  readonly port: number;
  readonly aim: Aim;
  /** Whether it answers browsers at all; that nothing was read there would otherwise mean nothing. */
  readonly isForBrowsers: boolean;
}

const TEMPORAL = '/api/v1/namespaces/default';
/** What has something to click on. */
const FOR_PEOPLE: readonly string[] = ['/', '/docs', '/console', '/namespaces/default/workflows'];
const SPEAKS_WITHIN_MS = 2_000;

/** The aims of each part that a command prints the address of; `unknown` are all of them together. */
export function aimsAt(prey: Prey): Record<keyof RunningCommand['urls'] | 'unknown', Aim> {
  const { recordId, deliveryId, videoId, receiverUrl } = prey;
  const write = (path: string, body: unknown): Aim['writes'][number] => ({
    ...{ method: 'POST', path, json: JSON.stringify(body) },
  });
  const workflow = `${TEMPORAL}/workflows/${encodeURIComponent(prey.runningWorkflowId)}`;
  const parts = {
    rest: {
      reads: [
        ...['/api/downloads', `/downloads/${recordId}`, '/api/account', '/api/webhook/deliveries', prey.filePath],
        ...['/live', '/ready', '/health', '/openapi.json', '/docs', '/', '/console'],
        '/api/resolve?url=@tea',
        ...['result', 'job'].map((part) => `/api/downloads/${recordId}/${part}`),
      ],
      writes: [
        write('/api/downloads/video', { vidnet_video_id: videoId }),
        write('/api/webhook/test', { url: receiverUrl }),
        write(`/api/webhook/deliveries/${deliveryId}/redeliver`, {}),
        { method: 'DELETE' as const, path: `/downloads/${recordId}`, json: '{}' },
      ],
    },
    rpc: {
      reads: ['/downloads.list?input={}', '/webhook.deliveries?input={}', '/health'],
      writes: [
        write('/downloads.video', { vidnet_video_id: videoId }),
        write('/webhook.redeliver', { delivery_id: deliveryId }),
      ],
    },
    // Its HTTP API has the same paths.
    webUi: {
      reads: [
        ...['/', '/namespaces/default/workflows', '/api/v1/namespaces', `${TEMPORAL}/workflows`],
        ...[`${TEMPORAL}/schedules`, workflow, `${workflow}/history`],
      ],
      writes: [
        write(`${TEMPORAL}/workflows/retention-of-a-page`, {
          workflowType: { name: 'retention' },
          taskQueue: { name: 'tapedeck' },
          input: [{ retentionDays: -1 }],
        }),
        write(`${workflow}/terminate`, { reason: 'a page' }),
      ],
    },
    sandbox: {
      reads: ['/', '/stats', '/misbehave'],
      writes: [write('/misbehave', { video: '*', target: 'page', mode: '500' }), write('/stats/reset', {})],
    },
  };
  const all = Object.values(parts);
  const unknown = {
    reads: [...new Set(['/metrics', ...all.flatMap(({ reads }) => reads)])],
    writes: all.flatMap(({ writes }) => writes),
  };
  return { ...parts, unknown };
}

/** Two requests, for a port that does not speak HTTP to programs either. */
export const POKE: Aim = { reads: ['/'], writes: [{ method: 'POST', path: '/', json: '{}' }] };

/**
 * What a page of another origin does: it sends whatever a browser lets it send. It never sees an answer, so what arrived
 * there counts as well: by its events, sizes and times an element tells whether it was one.
 *
 * @returns what was answered, in lines
 */
export async function attackAcross(page: ForeignPage, targets: readonly Target[]): Promise<string[]> {
  const read = await Promise.all(
    targets.map(async ({ port, aim: { reads, writes } }) => {
      const url = (path: string): string => `http://127.0.0.1:${String(port)}${path}`;
      const requests: PageRequest[] = [
        ...reads.map((path) => ({ url: url(path) })),
        // The browser asks the server before it sends what no form could send.
        ...writes.flatMap((one) => writing(url(one.path), one)),
        ...NAMES_OF_LOOPBACK.flatMap((name) => {
          const origin = `http://${name}:${String(port)}`;
          return [{ url: origin + reads[0]! }, ...writing(origin + writes[0]!.path, writes[0]!)];
        }),
      ];
      const answers = await page.fetchAll(requests);
      await page.loadAll('script', reads.map(url));
      await page.formAll(writes.map(({ path, json }) => ({ url: url(path), json })));
      return answers.flatMap((answer, index) => lineOf(requests[index]!, answer));
    }),
  );
  const arrived = page.arrived().filter(({ method, status }) => method !== 'OPTIONS' && isAnswer(status));
  const probes = await probesAmong(arrived.flatMap(({ method, url }) => (method === 'GET' ? [url] : [])));
  const lines = arrived.flatMap(({ method, url }) =>
    method === 'GET' && probes.has(url) ? [] : [`${method} ${url} was answered`],
  );
  return named([...read.flat(), ...lines], targets);
}

/** What a page does that the browser takes for one of the service's own: it reads every answer. @returns what it read, in lines */
export async function attackAsOwn(page: ForeignPage, origin: string, target: Target): Promise<string[]> {
  const { reads, writes } = target.aim;
  const requests: PageRequest[] = [
    ...reads.map((path) => ({ url: origin + path })),
    ...writes.flatMap((one) => writing(origin + one.path, one)),
  ];
  // The Web UI of Temporal sets the cookie of its token with the first.
  await page.fetchAll(requests.slice(0, 1));
  const answers = await page.fetchAll(requests);
  if (target.isForBrowsers && answers.every(({ status }) => status === 0)) throw new Error(`${target.name} is away`);
  return named(
    answers.flatMap((answer, index) => lineOf(requests[index]!, answer)),
    [target],
  );
}

/** @returns what a page can show as if it were its own, to have it clicked on */
export async function framedBy(page: ForeignPage, targets: readonly Target[]): Promise<string[]> {
  const urls = targets.flatMap(({ port, aim }) =>
    aim.reads.flatMap((path) => (FOR_PEOPLE.includes(path) ? [`http://127.0.0.1:${String(port)}${path}`] : [])),
  );
  await page.loadAll('iframe', urls);
  const answered = new Set(page.arrived().flatMap(({ url, status }) => (isAnswer(status) ? [url] : [])));
  const framed = page.framed().filter((url) => answered.has(url));
  return named(framed, targets);
}

function writing(url: string, { method, json }: Aim['writes'][number]): PageRequest[] {
  if (method === 'DELETE') return [{ url, init: { method } }];
  return ['text/plain', 'application/json'].map((type) => ({
    url,
    init: { method, body: json, headers: { 'content-type': type } },
  }));
}

function lineOf({ url, init }: PageRequest, { status, text }: { status: number; text: string }): string[] {
  if (!isAnswer(status) || text === '' || isProbe(text)) return [];
  return [`${init?.method ?? 'GET'} ${url} was read: ${text.slice(0, 60)}`];
}

/** A refusal may be read. */
function isAnswer(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Says that something runs, and nothing more: probes come by any name, and anybody may know. */
function isProbe(text: string): boolean {
  return text === '{"status":"ok"}';
}

/** @returns those of the addresses that tell nothing more to a program either, which may read every answer */
async function probesAmong(urls: readonly string[]): Promise<Set<string>> {
  const bodies = await Promise.all(
    [...new Set(urls)].map(async (url) => {
      const answer = await fetch(url.replace(/^http:\/\/[^:]+:/, 'http://127.0.0.1:'));
      return [url, await answer.text()] as const;
    }),
  );
  return new Set(bodies.flatMap(([url, text]) => (isProbe(text) ? [url] : [])));
}

function named(lines: readonly string[], targets: readonly Target[]): string[] {
  const names = new Map(targets.map(({ name, port }) => [String(port), name]));
  const shown = lines.map((line) =>
    line.replace(/http:\/\/[^:]+:(\d+)/, (all, port: string) => names.get(port) ?? all),
  );
  return [...new Set(shown)].toSorted();
}

/** Whether a port answers programs of this machine by HTTP. */
export function speaksHttp(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = request({ host: '127.0.0.1', port, path: '/', timeout: SPEAKS_WITHIN_MS }, (answer) => {
      answer.destroy();
      resolve(true);
    });
    probe.once('timeout', () => probe.destroy());
    probe.once('error', () => resolve(false));
    probe.once('close', () => resolve(false));
    probe.end();
  });
}
