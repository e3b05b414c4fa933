import { expect, it, vi } from 'vitest';
import type { Display } from '../../command/display.ts';
import { EXIT } from '../../command/exit-codes.ts';
import { followSources, unfollow } from '../../command/follow-sources.ts';
import type { Service } from '../../command/reach-service.ts';

const subscription = {
  ...{ id: 'S', status: 'active', every: '6h', from: '@tea', started: 3, pause: null, failure: null },
};

function connection(answers: (path: string, query?: Record<string, string>) => object) {
  const send = vi.fn((_method: string, path: string, { query }: { query?: Record<string, string> } = {}) =>
    Promise.resolve(answers(path, query)),
  );
  const lines: string[] = [];
  const service = { send, signal: new AbortController().signal } as unknown as Service;
  const display = { print: (line: string) => lines.push(line), note: vi.fn() } as unknown as Display;
  return { send, lines, to: { service, display } };
}
const asked = { urls: ['@tea'], request: { since: 'now' }, isVideo: false, language: undefined, isJson: false };

it.each([
  ['audio of a channel', 'channel', {}, { operation: 'requestAudio' }],
  ['videos of a channel', 'channel', { isVideo: true }, { operation: 'requestVideo' }],
  ['transcripts of a channel', 'channel', { language: 'en' }, { operation: 'requestTranscript', language: 'en' }],
  ['audio of a feed', 'page', {}, { operation: 'requestMedia', format: 'audio' }],
])('subscribes to %s', async (_what, kind, more, each) => {
  const { send, lines, to } = connection((path) => (path === '/api/resolve' ? { subjects: [{ kind }] } : subscription));
  expect(await followSources(to, { action: 'follow', ...asked, ...more })).toBe(EXIT.success);
  expect(send).toHaveBeenLastCalledWith('POST', '/api/subscriptions', { body: { since: 'now', from: '@tea', each } });
  expect(lines).toEqual(['S  active  every 6h  3 fetched  @tea']);
});

it('lists all pages of subscriptions without a URL, with the reason of a pause', async () => {
  const pause = { code: 'requested', message: 'It was paused by a request.' };
  const { lines, to } = connection((_path, query) =>
    query?.['cursor'] === undefined
      ? { subscriptions: [subscription], next_cursor: 'c' }
      : { subscriptions: [{ ...subscription, status: 'paused', pause }], next_cursor: null },
  );
  await followSources(to, { action: 'follow', ...asked, urls: [] });
  expect(lines).toEqual([
    'S  active  every 6h  3 fetched  @tea',
    'S  paused  every 6h  3 fetched  @tea  It was paused by a request.',
  ]);
});

it('deletes subscriptions', async () => {
  const { send, to } = connection(() => subscription);
  expect(await unfollow(to, { action: 'unfollow', ids: ['S'], isJson: true })).toBe(EXIT.success);
  expect(send).toHaveBeenCalledExactlyOnceWith('DELETE', '/api/subscriptions/S');
});
