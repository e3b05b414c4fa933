import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startProgram } from '../../runtime/subprocess/run-program.ts';
import { baseArguments, linkNeeded, runYtdlp } from '../../sources/vidnet/yt-dlp/run-yt-dlp.ts';
import { downloadArguments } from '../../sources/vidnet/yt-dlp/yt-dlp-arguments.ts';
import { mergeExtractorArgs } from '../../sources/vidnet/yt-dlp/yt-dlp-extractor-args.ts';
import { channelUrl, videoUrl, type YtdlpSettings } from '../../sources/vidnet/yt-dlp/yt-dlp-settings.ts';
import { inFolder } from '../helpers/recorded-site.ts';

const settings = {
  program: 'yt-dlp',
  videoUrlTemplate: 'https://video.example/watch?v={id}',
  channelUrlTemplate: 'https://video.example/{path}',
  maxFileBytes: 1_000,
  maxVideoHeight: 720,
};

describe('the arguments of every run', () => {
  it.each(['--ignore-config', '--no-plugin-dirs', '--no-exec', '--no-cache-dir'])('include %s', (flag) => {
    expect(baseArguments(settings, undefined)).toContain(flag);
  });

  it('do not evade a geo-block', () => {
    const args = baseArguments(settings, undefined);
    expect(args[args.indexOf('--xff') + 1]).toBe('never');
  });

  it("have the operator's settings, and none that is not set", () => {
    const full = baseArguments({ ...settings, pluginDir: '/p', jsRuntime: 'node' }, '/work/cookies.txt');
    const values = ['--plugin-dirs', '--js-runtimes', '--cookies'].map((name) => full[full.indexOf(name) + 1]);
    expect(values).toEqual(['/p', 'node', '/work/cookies.txt']);
    for (const name of ['--plugin-dirs', '--js-runtimes', '--cookies']) {
      expect(baseArguments(settings, undefined)).not.toContain(name);
    }
  });
});

/** Started by `env`, as the yt-dlp that is one file: it tells what it was started with. */
const TELL = `#!/usr/bin/env python3
import json, os, shlex, shutil, stat, sys
options = sys.argv[1 + sys.argv.index('--config-locations')] if '--config-locations' in sys.argv else os.devnull
facts = {
    'arguments': sys.argv,
    'environment': dict(os.environ),
    'options': shlex.split(open(options).read(), comments=True),
    'mode': stat.S_IMODE(os.stat(options).st_mode),
    'folder': os.listdir(),
    'found': [name for name in ['python3', 'rtmpdump', 'sh', 'tell'] if shutil.which(name)],
}
json.dump(facts, open(os.path.join(os.path.dirname(__file__), 'facts.json'), 'w'))
`;

describe('a run', () => {
  const secret = randomBytes(12).toString('hex');
  const start = async (more: Partial<YtdlpSettings>) => {
    const bin = await mkdtemp(join(tmpdir(), 'tapedeck-tell-'));
    onTestFinished(() => rm(bin, { recursive: true }));
    for (const name of ['tell', 'rtmpdump']) await writeFile(join(bin, name), TELL, { mode: 0o700 });
    const run = { subject: 'video', args: [], maxFileBytes: 1_000_000 } as const;
    const using = { ...settings, program: join(bin, 'tell'), ...more };
    await inFolder((call) => runYtdlp(using, call, run));
    const text = await readFile(join(bin, 'facts.json'), 'utf8');
    return JSON.parse(text) as {
      readonly arguments: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      readonly options: readonly string[];
      readonly mode: number;
      readonly folder: readonly string[];
      readonly found: readonly string[];
    };
  };

  it('has no password or token in its arguments, which everyone on the machine can read', async () => {
    const proxy = `http://user:${secret}@127.0.0.1:9`;
    const facts = await start({ proxy, extractorArgs: `youtube:po_token=web+it's ${secret}` });
    expect(facts.arguments.join(' ')).not.toContain(secret);
    expect(facts.environment).toMatchObject({ all_proxy: proxy });
    expect(facts.options).toEqual(['--extractor-args', `youtube:po_token=web+it's ${secret}`]);
    expect(facts.mode).toBe(0o600);
  });

  it.each(['works', 'fails'])('that %s has its own password for the guard, which is not an argument', async (how) => {
    const lent: string[] = [];
    const ended: string[] = [];
    const lend = () => {
      const url = `http://user:${randomBytes(12).toString('hex')}@127.0.0.1:9`;
      lent.push(url);
      return { url, receivedBytes: () => 0, end: () => void ended.push(url) };
    };
    const more = how === 'works' ? {} : { cookiesFile: '/nonexistent' };
    for (const times of [1, 2]) {
      const facts = await start({ guard: { lend }, ...more }).catch(() => undefined);
      expect(facts?.environment['all_proxy']).toBe(how === 'works' ? lent.at(-1) : undefined);
      expect(facts?.arguments.join(' ') ?? '').not.toContain(new URL(lent.at(-1)!).password);
      expect(lent).toHaveLength(times);
      expect(ended).toEqual(lent);
    }
    expect(new Set(lent).size).toBe(2);
    await start({ proxy: 'http://127.0.0.1:9', guard: { lend } });
    expect(lent).toHaveLength(2);
  });

  it('inherits no environment, and finds only its interpreter', async () => {
    vi.stubEnv('RPC_TOKEN', secret);
    onTestFinished(() => void vi.unstubAllEnvs());
    const { environment, found } = await start({});
    const names = ['HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'TMPDIR'];
    // What a shell and Python add by themselves.
    const added = ['PWD', 'OLDPWD', 'SHLVL', '_', 'LC_CTYPE'];
    expect(
      Object.keys(environment)
        .filter((name) => !added.includes(name))
        .sort(),
    ).toEqual(names);
    expect(found).toEqual(['python3']);
  });

  it('of a preloaded yt-dlp uses the links of its parent, and needs no folder of its own', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'tapedeck-links-'));
    onTestFinished(() => rm(parent, { recursive: true }));
    const programs = await linkNeeded(settings.program, parent);
    const startOf = () => Promise.resolve({ start: startProgram, programs });
    const { environment, folder } = await start({ starter: { startOf } });
    expect(environment['PATH']).toBe(programs);
    expect(folder).toEqual([]);
  });
});

describe('the arguments of a download', () => {
  it('ignore a playlist around the video', () => {
    expect(downloadArguments(settings, { format: 'audio' })).toContain('--no-playlist');
  });
});

describe('extractor arguments', () => {
  it.each([
    [
      'those of another extractor stay',
      'generic:impersonate',
      ['generic:impersonate', 'youtube:max_comments=5;skip=a'],
    ],
    ['the same argument is replaced', 'youtube:max_comments=9', ['youtube:max_comments=5;skip=a']],
    ['however it is spelled', 'YouTube: max-comments=9 ; lang=de', ['youtube:max_comments=5;lang=de;skip=a']],
    ['what is to be skipped adds up', 'youtube:skip=hls,dash', ['youtube:skip=hls,dash,a;max_comments=5']],
    [
      'several extractors are parted by spaces, and URLs in values stay whole',
      'youtube:lang=de youtubepot-http:base_url=http://127.0.0.1:4416',
      ['youtube:lang=de;max_comments=5;skip=a', 'youtubepot-http:base_url=http://127.0.0.1:4416'],
    ],
    ['escaped commas stay', String.raw`youtube:x=a\,b,c`, [String.raw`youtube:x=a\,b,c;max_comments=5;skip=a`]],
  ])('are one for each extractor: %s', (_, operator, expected) => {
    const ours = [{ extractor: 'youtube', args: { max_comments: ['5'], skip: ['a'] } }];
    expect([...mergeExtractorArgs(operator, ours)].sort()).toEqual(expected.sort());
  });

  it('of the operator that are invalid fail with the name of the setting', () => {
    expect(() => mergeExtractorArgs('max_comments=5', [])).toThrow('YTDLP_EXTRACTOR_ARGS');
  });

  it('of the operator stay unchanged, also without a value', () => {
    expect(mergeExtractorArgs('youtube:raise_incomplete_data', [])).toEqual(['youtube:raise_incomplete_data']);
    expect(mergeExtractorArgs(undefined, [])).toEqual([]);
  });
});

describe('URLs', () => {
  it.each([
    [['@evening-talks'], 'https://video.example/@evening-talks'],
    [['channel', 'UCk2Vn7dQx_Zb4mTfLr9YwGA'], 'https://video.example/channel/UCk2Vn7dQx_Zb4mTfLr9YwGA'],
    [['c', 'a/../b?x#y'], 'https://video.example/c/a%2F..%2Fb%3Fx%23y'],
    [['user', "$&$'ü"], "https://video.example/user/%24%26%24'%C3%BC"],
  ])('of a channel have each part encoded: %j', (path, url) => {
    expect(channelUrl(settings, path)).toBe(url);
  });

  it('of a video have an encoded ID', () => {
    expect(videoUrl(settings, '-abc&list=x')).toBe('https://video.example/watch?v=-abc%26list%3Dx');
  });
});
