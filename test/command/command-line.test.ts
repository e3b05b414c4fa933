import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { resolveText } from '../../api/use-cases/resolve-url.ts';
import type { ServiceDeps } from '../../api/service-deps.ts';
import { parseCommandLine, type Parsed } from '../../command/arguments.ts';
import { commandOf, COMMANDS, optionsOf, type CommandName, type FetchCommand } from '../../command/command-table.ts';
import { completionScript } from '../../command/completion.ts';
import { readConfig } from '../../command/command-config.ts';
import { UsageError } from '../../command/exit-codes.ts';
import { helpText } from '../../command/help.ts';
import { planById, planOf, type Options } from '../../command/plan-downloads.ts';
import { loadConfig } from '../../config.ts';

const line = (text: string): Parsed => parseCommandLine(text.split(' ').filter(Boolean));
const names = Object.keys(COMMANDS) as CommandName[];

describe('a command line', () => {
  it('is parsed into the subjects to fetch and their options', () => {
    expect(line('transcript one two --language en --comments -o out/ --jobs 8 --no-wait --json')).toEqual({
      action: 'fetch',
      command: 'transcript',
      texts: ['one', 'two'],
      options: {
        ...{ output: 'out/', isForced: false, isJson: true, isWaiting: false, from: undefined, concurrency: 8 },
        ...{ format: undefined, hasComments: true, isVideo: false, fields: { language: 'en' } },
      },
    });
    expect(line('speakers --min-speakers 2 --max-speakers 3 x')).toMatchObject({
      options: { isWaiting: true, concurrency: 4, fields: { speakers: { min: 2, max: 3 } } },
    });
    expect(line('speakers --speakers 2 x')).toMatchObject({ options: { fields: { speakers: { exact: 2 } } } });
    expect(line('speakers x')).toMatchObject({ options: { fields: {} } });
    expect(line('list @x --max-age-days 0')).toMatchObject({ options: { fields: { max_age_days: 0 } } });
    expect(line('media x --wait-for-start')).toMatchObject({ options: { fields: { wait_for_start: true } } });
    const live = { from: 'now', seconds: 90 };
    expect(line('media x --seconds 90')).toMatchObject({ options: { fields: { live } } });
    // An id may begin with a hyphen.
    expect(line('audio --from - -- -7Rb2LqWd_8')).toMatchObject({ texts: ['-7Rb2LqWd_8'], options: { from: '-' } });
  });

  it('is parsed into jobs, words for other programs and help', () => {
    expect(line('jobs --type captions --status failed --after 2026-11-21 --limit 3')).toEqual({
      action: 'jobs',
      query: { type: 'captions', status: 'failed', created_after: '2026-11-21T00:00:00.000Z' },
      ...{ limit: 3, isJson: false },
    });
    const follow = { action: 'follow', isVideo: false, language: undefined, isJson: false };
    expect(line('follow')).toEqual({ ...follow, urls: [], request: { since: 'now' } });
    expect(line('follow @tea --since 2026-01-31 --every 1d --video')).toEqual({
      ...{ ...follow, urls: ['@tea'], isVideo: true },
      request: { since: '2026-01-31', every: '1d' },
    });
    expect(line('unfollow A')).toEqual({ action: 'unfollow', ids: ['A'], isJson: false });
    expect(line('cancel A B --json')).toEqual({ action: 'cancel', ids: ['A', 'B'], isJson: true });
    expect(line('batch list.txt --as video --archive all.zip')).toMatchObject({
      ...{ action: 'batch', command: 'video', archive: 'all.zip', options: { from: 'list.txt' } },
    });
    expect(line('batches retry A B')).toMatchObject({ action: 'batches', change: 'retry', ids: ['A', 'B'] });
    expect(line('batches --limit 3')).toMatchObject({ action: 'batches', change: undefined, limit: 3 });
    expect(line('items A')).toEqual({ action: 'items', ids: ['A'], isJson: false });
    expect(line('webhook test https://x.example')).toMatchObject({ action: 'webhook test', url: 'https://x.example' });
    expect(line('feed create X')).toEqual({ action: 'feed', what: 'create', id: 'X', isJson: false });
    expect(line('feed list --json')).toEqual({ action: 'feed', what: 'list', id: '', isJson: true });
    expect(line('keys create alice --credit 5.000')).toEqual({
      action: 'keys',
      words: ['create', 'alice', '--credit', '5.000'],
    });
    expect(line('--version')).toEqual({ action: 'version' });
    expect([line('--help'), line('help audio'), line('audio -h')]).toMatchObject([
      { action: 'help', command: undefined },
      { action: 'help', command: 'audio' },
      { action: 'help', command: 'audio' },
    ]);
  });

  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21 09:30', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30:15', '2026-11-21T09:30:15.000Z'],
    ['2026-11-21 09:30 UTC', '2026-11-21T09:30:00.000Z'],
    ['2026-11-21T09:30:00.5Z', '2026-11-21T09:30:00.500Z'],
    ['2026-11-21T09:30+02:00', '2026-11-21T07:30:00.000Z'],
  ])('has times in UTC, wherever it runs: %s', (text, createdAfter) => {
    vi.stubEnv('TZ', 'America/New_York');
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(new Date('2026-11-21T00:00').getTimezoneOffset()).toBe(300);
    expect(parseCommandLine(['jobs', '--after', text])).toMatchObject({ query: { created_after: createdAfter } });
  });

  it.each([
    ['', 'No command'],
    ['sing', 'no command sing'],
    ['audio', 'at least one URL'],
    ['audio x --language en', 'audio takes no --language'],
    ['audio x --nonsense', 'nonsense'],
    ['audio -7Rb2LqWd_8', "'--'"],
    ['audio x --jobs 0', '--jobs'],
    ['audio x --jobs 33', '--jobs'],
    ['audio x --output=', '--output'],
    ['transcript x', '--language'],
    ['transcript x --mode auto', '--language'],
    ['transcript x -l en --mode speech', 'native, auto, generate'],
    ['audio x --mode auto', 'audio takes no --mode'],
    ['transcript x -l en --format rttm', 'rttm'],
    ['speakers x --format mp3', '--format'],
    ['jobs x', 'options only'],
    ['jobs --status done', 'pending, success, failed'],
    ['jobs --after noon', '--after'],
    ['jobs --before 2026-13-01', '--before'],
    ['jobs --after 11/21/2026', '--after'],
    ['cancel', 'ID of a job'],
    ['webhook url', 'webhook test URL'],
    ['batch', 'batch: give one file'],
    ['batch a b', 'batch: give one file'],
    ['batch - --as speech', '--as: one of audio'],
    ['batches stop A', 'batches [cancel|resume|retry ID…]'],
    ['batches retry', 'batches [cancel|resume|retry ID…]'],
    ['feed create', 'feed create ID'],
    ['feed list X', 'feed list'],
  ])('is rejected with an explanation: %s', (text, message) => {
    expect(() => line(text)).toThrow(UsageError);
    expect(() => line(text)).toThrow(message);
  });

  it('takes a mode and several languages of a transcript', () => {
    const fieldsOf = (text: string) => (line(text) as { options: { fields: object } }).options.fields;
    expect(fieldsOf('transcript x -l de,en --mode auto')).toEqual({ language: ['de', 'en'], mode: 'auto' });
    expect(fieldsOf('transcript x --mode generate')).toEqual({ mode: 'generate' });
    expect(fieldsOf('speech x -l de,en')).toEqual({ language: 'de,en' });
  });

  it('has help for each command and option', () => {
    const all = helpText(undefined);
    for (const name of names) {
      expect(all).toContain(commandOf(name).about);
      for (const option of optionsOf(name)) expect(helpText(name)).toContain(`--${option}`);
    }
    expect(all).toMatch(/130 {2}interrupted/);
  });

  it('reads its settings from the environment', () => {
    const config = readConfig({
      TAPEDECK_URL: 'http://127.0.0.1:3000/',
      TAPEDECK_KEY: '',
      NO_COLOR: '1',
      PORT: '3005',
    });
    expect(config).toMatchObject({ url: 'http://127.0.0.1:3000', key: undefined, isColoured: false, isMoving: true });
    expect(config.defaultUrl).toBe('http://127.0.0.1:3005');
    expect(Object.isFrozen(config)).toBe(true);
    expect(readConfig({ TERM: 'dumb' })).toMatchObject({ url: undefined, isColoured: false, isMoving: false });
    for (const url of ['localhost:3000', 'ftp://x'])
      expect(() => readConfig({ TAPEDECK_URL: url })).toThrow('TAPEDECK_URL');
  });
});

const config = loadConfig({ IMGNET_API_TOKEN: 'token' });
const records = { ownerOf: () => Promise.resolve(undefined) };
const speechLanguages = { speed: () => Promise.resolve(undefined) };
const deps = {
  ...{ platforms: config.platforms, rendering: { prices: config.prices } },
  ...{ records, speechLanguages },
} as unknown as ServiceDeps;
const usual: Options = { fields: {}, hasComments: false, isVideo: false };

async function plan(command: FetchCommand, text: string, options: Partial<Options> = {}) {
  const { body: resolved } = await resolveText(deps, undefined, { url: text });
  const received = JSON.parse(JSON.stringify(resolved)) as Parameters<typeof planOf>[2]['resolved'];
  return planOf(command, text, { ...usual, ...options, resolved: received });
}

describe('a subject that a text refers to', () => {
  const video = { vidnet_video_id: 'kX3vQ9mTz0A' };

  it('is requested as the service offers it', async () => {
    expect(await plan('audio', 'https://youtu.be/kX3vQ9mTz0A')).toEqual({
      ...{
        first: undefined,
        needs: undefined,
        request: { operation: 'requestAudio', path: '/api/downloads/audio', body: video },
      },
    });
    const fields = { language: 'de' };
    expect((await plan('transcript', 'kX3vQ9mTz0A', { fields, hasComments: true })).request).toEqual({
      operation: 'requestTranscript',
      path: '/api/transcripts',
      body: { ...video, ...fields, include_comments: true },
    });
    expect((await plan('transcript', 'kX3vQ9mTz0A', { fields })).request.body).toEqual({ ...video, ...fields });
    const page = await plan('transcript', 'https://site.example/page', { fields: { ...fields, mode: 'generate' } });
    expect(page.request.body).toEqual({ url: 'https://site.example/page', mode: 'generate', ...fields });
    expect((await plan('transcript', 'instagram.com/p/DAbCdEfGhIj', { fields })).request.body).toMatchObject({
      mode: 'auto',
    });
    expect((await plan('media', 'https://site.example/page', { isVideo: true })).request.body).toMatchObject({
      format: 'video',
    });
    expect((await plan('audio', 'https://www.instagram.com/reel/Abc123/')).request.path).toBe('/api/imgnet/audio');
  });

  it('is requested after the result that it needs', async () => {
    expect(await plan('list', '@evening.talks', { fields: { max_age_days: 7 } })).toEqual({
      first: { path: '/api/imgnet/profile', body: { url: '@evening.talks' } },
      needs: 'list_id',
      request: { operation: 'requestImgnetList', path: '/api/imgnet/list', body: { max_age_days: 7 } },
    });
    expect(await plan('speakers', 'kX3vQ9mTz0A')).toMatchObject({
      first: { path: '/api/downloads/audio', body: video },
      needs: 'transcript_with_speaker_id',
    });
    const id = '01JD5Z3K6VQ0W8R9T2X4Y6B8CD';
    const speech = { first: undefined, needs: undefined };
    expect(await plan('speech', 'kX3vQ9mTz0A')).toMatchObject({
      ...speech,
      request: { path: '/api/speech', body: video },
    });
    const page = await plan('speech', 'https://example.com/talk', { fields: { language: 'en' } });
    expect(page.request).toEqual({
      operation: 'requestSpeech',
      path: '/api/speech',
      body: { url: 'https://example.com/talk', language: 'en' },
    });
    expect(planById('speech', id, usual)?.request).toEqual({ path: '/api/speech', body: { download_id: id } });
    expect(planById('speakers', id, usual)?.request.body).toEqual({ transcript_with_speaker_id: id });
    expect(planById('audio', id, usual)).toBeUndefined();
  });

  it('is rejected with the available alternatives', async () => {
    const post = 'https://www.instagram.com/p/Abc123/';
    await expect(plan('channel', post)).rejects.toThrow(
      'is a post, of which there is no channel; there is: audio, transcript, speech, speakers',
    );
    await expect(plan('speech', 'talk.m4a')).rejects.toThrow(
      'talk.m4a: there is no such file, and it is a channel, of which there is no speech',
    );
    await expect(plan('audio', 'two words')).rejects.toThrow('no URL, handle or id');
    await expect(plan('media', 'http://127.0.0.1/page')).rejects.toThrow(UsageError);
  });
});

/** What bash would complete: the words so far, the last one unfinished. */
function completed(words: readonly string[]): readonly string[] {
  const script = `${completionScript('bash')}
COMP_WORDS=(${['tapedeck', ...words].map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${String(words.length)}
_tapedeck; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe('a completion script', () => {
  it.each(['bash', 'zsh'])('for %s is valid in bash', (shell) => {
    const { status, stderr } = spawnSync('bash', ['-n'], { input: completionScript(shell), encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('completes commands, options and their values', () => {
    expect(completed(['tr'])).toEqual(['transcript']);
    expect(completed(['jobs', '--st'])).toEqual(['--status']);
    expect(completed(['jobs', '--status', ''])).toEqual(['pending', 'success', 'failed']);
    expect(completed(['webhook', 't'])).toEqual(['test']);
    expect(completed(['audio', '--lang'])).toEqual([]);
  });

  it('for fish contains each command with its quoted options', () => {
    const lines = completionScript('fish').split('\n');
    for (const one of lines)
      expect(one).toMatch(/^complete -c tapedeck (?:-f )?-n '(?:[^'\\]|\\.)*' (?:[^']|'(?:[^'\\]|\\.)*')*$/);
    for (const name of names) expect(lines.some((one) => one.includes(`-a ${name} `))).toBe(true);
    expect(() => completionScript('tcsh')).toThrow(UsageError);
  });
});
