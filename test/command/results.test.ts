import { EventEmitter } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { TapedeckError } from '../../clients/typescript/src/index.ts';
import { failureOf, jobIdsOf, progressOf } from '../../command/read-answer.ts';
import { EXIT, exitCodeOf, FailedError, sentenceOf, UsageError } from '../../command/exit-codes.ts';
import { factsText } from '../../command/job-facts.ts';
import { interruptionMessages, onInterruption } from '../../command/interruption.ts';
import { jsonText } from '../../command/printable.ts';
import { readTexts } from '../../command/run-command.ts';
import { saveFile, saveText } from '../../command/save-file.ts';
import { pathByLink, pathIn, targetOf } from '../../command/download-targets.ts';
import { fileNameOf } from '../../runtime/file-names.ts';
import { ERROR_TABLE, type ErrorCode } from '../../contract/http/api-error.ts';

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'tapedeck-results-'))));
afterAll(() => rm(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

describe('the name of a file', () => {
  const id = 'kX3vQ9mTz0A';
  it.each([
    ['How long should tea brew?', `How long should tea brew_ [${id}].m4a`],
    ['../../etc/passwd', `_.._etc_passwd [${id}].m4a`],
    ['--help', `help [${id}].m4a`],
    ['.hidden\u0000\u001b[2J\u202etxt', `hidden[2Jtxt [${id}].m4a`],
    ['a\nb\u2028c  d', `a b c d [${id}].m4a`],
    ['C:\\con|x"<>', `C_con_x_ [${id}].m4a`],
    ['…', `… [${id}].m4a`],
    ['...', `_ [${id}].m4a`],
    [undefined, `${id}.m4a`],
  ])('%j is safe', (title, expected) => {
    expect(fileNameOf({ title, id, ending: '.m4a' })).toBe(expected);
  });

  it.each([
    ['2026%20%E8%8C%B6.opus', '2026 茶.opus'],
    ['..%2F..%2Fetc%2Fpasswd', '_.%2Fetc%2Fpasswd'],
    ['%FF%0A%1b[2J.m4a', '\ufffd [2J.m4a'],
  ])('by a template is safe: %s', (last, expected) => {
    expect(pathByLink('.', `https://media.example/files/01J/x.m4a/${last}?Expires=1`)).toBe(expected);
  });

  it('fits the limit of a file system, with its id and ending', () => {
    const name = fileNameOf({ title: '茶'.repeat(300), id, ending: '.speakers.rttm' });
    expect(Buffer.byteLength(name)).toBeGreaterThan(250);
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
    expect(name).toMatch(/^茶+ \[kX3vQ9mTz0A\]\.speakers\.rttm$/);
    expect(fileNameOf({ title: undefined, id: `https://site.example/${'x'.repeat(400)}`, ending: '.mp4' })).toMatch(
      /^https_.+\.mp4$/,
    );
  });

  it.each([
    ['an ending', { title: 'T', id, ending: `.${'x'.repeat(400)}` }],
    ['an ending of long characters', { title: 'T', id, ending: `.${'👩‍🚀'.repeat(100)}` }],
    ['a title and an ending', { title: '👩‍🚀'.repeat(300), id, ending: `.${'é'.repeat(400)}` }],
    ['an id', { title: 'T', id: '茶'.repeat(400), ending: '.m4a' }],
    ['an id without a title', { title: undefined, id: '茶'.repeat(400), ending: `.${'茶'.repeat(400)}` }],
    ['everything', { title: 'x'.repeat(4_000), id: 'y'.repeat(4_000), ending: `.${'z'.repeat(4_000)}` }],
  ] as const)('can be created if %s is too long, also for several files', async (_, naming) => {
    const dir = await mkdtemp(join(folder, 'long-'));
    for (const index of [0, 1]) {
      await saveText(pathIn({ folder: dir }, naming, index), 'whole', { isForced: false, signal });
    }
    const names = await readdir(dir);
    expect(names).toHaveLength(2);
    for (const name of names) {
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255);
      expect(name).not.toContain('\ufffd');
    }
  });

  it('can be created from the longest name that a user can give, also for several files', async () => {
    const file = join(await mkdtemp(join(folder, 'longest-')), `${'é'.repeat(125)}b.m4a`);
    const naming = { title: 'T', id, ending: '.m4a' };
    for (const index of [0, 1]) {
      const path = pathIn({ file }, naming, index);
      await saveText(path, 'whole', { isForced: false, signal });
      expect(path).toMatch(index === 0 ? /b\.m4a$/ : /é-2\.m4a$/);
    }
  });

  it('follows from the value of --output', async () => {
    const file = join(folder, 'there.txt');
    await writeFile(file, 'old');
    const one = { isMany: false, isForced: false };
    expect(targetOf(undefined, one)).toEqual({ folder: '.' });
    expect(targetOf(folder, one)).toEqual({ folder });
    expect(targetOf(`${folder}/new/`, { ...one, isMany: true })).toEqual({ folder: `${folder}/new/` });
    expect(targetOf(`${folder}/new.m4a`, one)).toEqual({ file: `${folder}/new.m4a` });
    expect(targetOf(file, { ...one, isForced: true })).toEqual({ file });
    expect(() => targetOf(file, one)).toThrow('--force');
    expect(() => targetOf(`${folder}/new.m4a`, { ...one, isMany: true })).toThrow('folder');
    const naming = { title: 'T', id: 'I', ending: '.m4a' };
    expect([pathIn({ file: 'a/b.m4a' }, naming, 1), pathIn({ folder: 'a' }, naming, 1)]).toEqual([
      'a/b-2.m4a',
      'a/T [I]-2.m4a',
    ]);
  });
});

describe('a saved file', () => {
  it('gets its name when it is complete, and overwrites no other file', async () => {
    const dir = join(folder, 'deep', 'er');
    const path = join(dir, 'a.txt');
    await saveText(path, 'first', { isForced: false, signal });
    await expect(saveText(path, 'second', { isForced: false, signal })).rejects.toThrow(FailedError);
    expect(await readFile(path, 'utf8')).toBe('first');
    await saveText(path, 'third', { isForced: true, signal });
    expect([await readFile(path, 'utf8'), await readdir(dir)]).toEqual(['third', ['a.txt']]);
  });

  it('leaves no partial file after a lost connection or Ctrl-C', async () => {
    const dir = join(folder, 'broken');
    await mkdir(dir);
    const interruption = new AbortController();
    const progress: number[] = [];
    const until = (end: () => void) => ({
      name: 'x',
      sizeBytes: 10,
      // eslint-disable-next-line @typescript-eslint/require-await -- It is made as it is read.
      contents: (async function* () {
        yield Buffer.alloc(4);
        end();
        yield Buffer.alloc(4);
      })(),
    });
    const lost = until(() => {
      throw new TapedeckError('gone', { code: 'unreachable' });
    });
    const options = { isForced: false, signal: interruption.signal, onProgress: (done: number) => progress.push(done) };
    await expect(saveFile(join(dir, 'x'), lost, options)).rejects.toThrow('gone');
    expect(progress).toEqual([4]);
    const interrupted = until(() => interruption.abort(new Error('SIGINT')));
    await expect(saveFile(join(dir, 'x'), interrupted, options)).rejects.toThrow('SIGINT');
    expect(await readdir(dir)).toEqual([]);
  });
});

describe('a signal', () => {
  it('stops the command gracefully, and the second one ends it at once', async () => {
    const process = Object.assign(new EventEmitter(), { exit: vi.fn() });
    let nowMs = 0;
    const { signal: stop, code } = onInterruption(process, () => nowMs);
    process.emit('SIGINT');
    // The launcher hands the same Ctrl-C on.
    nowMs = 3;
    process.emit('SIGINT');
    expect([stop.aborted, await code, process.exit.mock.calls]).toEqual([true, 130, []]);
    nowMs = 2_000;
    process.emit('SIGTERM');
    expect(process.exit).toHaveBeenCalledExactlyOnceWith(143);
    expect(interruptionMessages(['A', 'B'], false)[0]).toMatch(/continue in the service: A, B$/);
    expect(interruptionMessages(['A'], true)[0]).toContain('when the service runs again');
  });
});

describe('the outcome of a request', () => {
  it('has an exit code for every error of the service', () => {
    expect([exitCodeOf(new UsageError('x')), exitCodeOf(new FailedError('x')), exitCodeOf(new Error('x'))]).toEqual([
      2, 1, 1,
    ]);
    const by = (code: number) =>
      (Object.keys(ERROR_TABLE) as ErrorCode[]).filter(
        (one) => exitCodeOf(new TapedeckError('x', { code: one })) === code,
      );
    expect(by(EXIT.refused)).toEqual(
      expect.arrayContaining(['unauthorized', 'insufficient_credit', 'forbidden', 'rate_limited', 'unavailable']),
    );
    expect(by(EXIT.usage)).toEqual(expect.arrayContaining(['invalid_input', 'webhook_target_forbidden']));
    expect(by(EXIT.failure)).toEqual(expect.arrayContaining(['audio_failed', 'not_found', 'already_finished']));
    expect(by(EXIT.success)).toEqual([]);
    expect(exitCodeOf(new TapedeckError('x', { code: 'unreachable' }))).toBe(EXIT.refused);
    for (const unknown of ['out_of_tape', '', 'constructor', '__proto__', 'toString', 'INVALID_INPUT']) {
      expect(exitCodeOf(new TapedeckError('x', { code: unknown as ErrorCode })), unknown).toBe(EXIT.refused);
    }
  });

  it('is described with the invalid fields and the missing credit', () => {
    const details = [{ path: 'language', message: 'must be a tag' }];
    const facts = { code: 'invalid_input', refusal: { details } } as const;
    expect(sentenceOf(new TapedeckError('The request is wrong.', facts))).toBe(
      'The request is wrong. language: must be a tag',
    );
    expect(sentenceOf(new TapedeckError('language: must be a tag.', facts))).toBe('language: must be a tag');
    const poor = { code: 'insufficient_credit', refusal: { price: '0.005', credit: '0.001' } } as const;
    expect(sentenceOf(new TapedeckError('Too little.', poor))).toBe(
      'Too little. It costs 0.005, and the key has 0.001 left.',
    );
    const cause = new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:9') });
    expect(sentenceOf(new TapedeckError('Away.', { code: 'unreachable', cause }))).toBe(
      'Away. (connect ECONNREFUSED 127.0.0.1:9)',
    );
  });

  it('is read from the responses of every kind', () => {
    const record = { id: 'A', status: 'failed', response: 'private' } as const;
    expect([jobIdsOf({ data: record }), failureOf({ data: record })]).toEqual([['A'], 'private']);
    expect(failureOf({ status: 'failed', message: 'no captions' })).toBe('no captions');
    expect(failureOf({ status: 'success', message: 'complete' })).toBeUndefined();
    const part = (id: string) => ({ id, status: 'pending' });
    expect(jobIdsOf({ downloads: { posts: part('A'), reels: part('B') } })).toEqual(['A', 'B']);
    expect([jobIdsOf({ download_id: 'A' }), jobIdsOf({ download: { id: 'A' } }), jobIdsOf({})]).toEqual([
      ['A'],
      ['A'],
      [],
    ]);
    expect(progressOf({ progress: { reels: { stage: 'fetching' } } }, 'reels')).toEqual({ stage: 'fetching' });
    expect(progressOf({ data: { progress: { stage: 'waiting' } } })).toEqual({ stage: 'waiting' });
  });

  it('is printed for people and as JSON without characters that control a terminal', () => {
    const channel = {
      status: 'success',
      title: 'Tea',
      country: null,
      videos: [{ vidnet_id: 'v', title: 'One\n two', published_at: '2026-03-14 18:00:00' }],
    };
    expect(factsText(channel)).toBe(`${'title'.padEnd(22)}  Tea\n\n2026-03-14  v  One two`);
    // A post has the links of its videos.
    expect(factsText({ videos: ['https://x.example/1'] })).toBe('');
    const value = { title: '\u001b[2J\u009b2J\u2028' };
    expect(jsonText(value)).toMatch(/^[\x20-\x7e]+$/);
    expect(JSON.parse(jsonText(value))).toEqual(value);
  });
});

describe('a list of subjects', () => {
  it('is read line by line, without blank lines and comments', async () => {
    const stdin = Readable.from(['# tea\r\n', 'one\r\n\n  two  \nthr', 'ee']);
    expect(await readTexts('-', { stdin, signal })).toEqual(['one', 'two', 'three']);
    await expect(readTexts(join(folder, 'nowhere'), { stdin, signal })).rejects.toThrow(UsageError);
  });
});
