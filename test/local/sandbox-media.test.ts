import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BUILT_IN_CATALOGUE } from '../../local/sandbox/server.ts';
import { run } from '../../runtime/subprocess/run-program.ts';
import { pageOf, startTestSandbox, tool, ytDlp, type TestSandbox } from '../helpers/sandbox.ts';

/** `name` is a path in the folder; codecs as yt-dlp names them. */
const RECORDINGS = [
  { name: '-leading dash.wav', args: [], acodec: 'pcm_s16le', vcodec: 'none' },
  { name: 'deep/er/Grüße "quoted" \'x\' #1?%.mp3', args: [], acodec: 'mp3', vcodec: 'none' },
  { name: 'deep/日本.flac', args: [], acodec: 'flac', vcodec: 'none' },
  { name: 'a.webm', args: ['-c:a', 'libopus'], acodec: 'opus', vcodec: 'none' },
  { name: 'loud.M4A', args: ['-c:a', 'aac'], acodec: 'mp4a.40.2', vcodec: 'none' },
  { name: 'raw.aac', args: ['-c:a', 'aac'], acodec: 'mp4a.40.2', vcodec: 'none' },
  {
    name: 'seen.mp4',
    args: ['-f', 'lavfi', '-i', 'color=s=64x36:r=5:d=2', '-c:a', 'aac', '-c:v', 'libx264'],
    acodec: 'mp4a.40.2',
    vcodec: 'avc1',
  },
] as const;

let media: string;
let sandbox: TestSandbox;
let cacheDir: string;
beforeAll(async () => {
  media = await mkdtemp(join(tmpdir(), 'recordings-'));
  await mkdir(join(media, 'deep/er'), { recursive: true });
  for (const { name, args } of RECORDINGS) {
    const input = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=2:sample_rate=44100'];
    const result = await run(tool('TEST_FFMPEG'), ['-v', 'error', ...input, ...args, `file:${join(media, name)}`], {
      cwd: media,
      env: {},
    });
    expect(result).toMatchObject({ exitCode: 0 });
  }
  await writeFile(join(media, 'notes.txt'), 'no recording');
  await writeFile(join(media, 'playlist.mp3'), '#EXTM3U\n/etc/passwd\n');
  await writeFile(join(media, 'empty.wav'), '');
  await symlink('/etc', join(media, 'away'));
  await symlink('/etc/passwd', join(media, 'away.wav'));
  sandbox = await startTestSandbox({ mediaDir: media });
  cacheDir = join(sandbox.folder, 'cache');
});
afterAll(async () => {
  await sandbox.stop();
  await rm(media, { recursive: true });
});

const recordings = (of: TestSandbox) => of.catalogue.filter((video) => video.channel.title === 'Recordings');
const byTitle = (title: string) => recordings(sandbox).find((video) => video.title === title);

it.each(RECORDINGS)('$name becomes an ordinary video, served as it is', async ({ name, acodec, vcodec }) => {
  const video = byTitle(name.split('/').at(-1)!)!;
  expect(video.case).toBe('ordinary');
  expect(Math.abs(video.durationSeconds! - 2)).toBeLessThan(0.15);
  expect(video.formats).toHaveLength(1);
  expect(video.formats[0]!.facts.acodec).toBe(acodec);
  expect(video.formats[0]!.facts.vcodec.split('.')[0]).toBe(vcodec);
  const result = await ytDlp(sandbox, pageOf(sandbox, video.id), [
    ...[
      '--format',
      'ba[ext=m4a]/ba[acodec^=mp4a]/ba/b',
      '--output',
      '%(id)s.%(ext)s',
      '--no-simulate',
      '--print',
      'ext',
    ],
  ]);
  expect(result).toMatchObject({ exitCode: 0, stdout: `${name.split('.').at(-1)!.toLowerCase()}\n` });
  const fetched = await readFile(join(sandbox.folder, `${video.id}.${result.stdout.trim()}`));
  expect(fetched.equals(await readFile(join(media, name)))).toBe(true);
});

it('names what it left out, and why', () => {
  expect(recordings(sandbox)).toHaveLength(RECORDINGS.length);
  for (const name of ['notes.txt', 'playlist.mp3', 'empty.wav', 'away', 'away.wav']) {
    expect(sandbox.lines).toContainEqual(expect.stringMatching(new RegExp(`^skipped "${name}": .`)));
  }
});

it('gives a recording the same id at every start', async () => {
  const start = (): Promise<TestSandbox> => startTestSandbox({ mediaDir: media, idSalt: undefined, cacheDir });
  const [one, two] = [await start(), await start()];
  expect(recordings(one).map((video) => video.id)).toEqual(recordings(two).map((video) => video.id));
  await Promise.all([one.stop(), two.stop()]);
});

it('takes a single recording', async () => {
  const one = await startTestSandbox({ mediaDir: join(media, '-leading dash.wav'), cacheDir });
  expect(recordings(one).map((video) => video.title)).toEqual(['-leading dash.wav']);
  await one.stop();
});

it('says that a folder is not there', async () => {
  await expect(startTestSandbox({ mediaDir: join(media, 'nowhere'), cacheDir })).rejects.toThrow(/--media .*nowhere/);
});

it.each([
  ['broken JSON', '{', /catalogue\.json is not JSON/],
  ['an unknown field', '{"channels":[],"videos":[],"vidoes":[]}', /vidoes/],
  ['a path that leads out', catalogueWith('../../etc/passwd'), /a path inside the catalogue folder/],
  ['a link that leads out', catalogueWith('away.m4a'), /leads out of the catalogue folder/],
  ['a file that is missing', catalogueWith('missing.m4a'), /missing\.m4a does not exist/],
  ['a file that is no media', catalogueWith('catalogue.json'), /catalogue\.json: Invalid/],
])('refuses a catalogue with %s', async (_what, text, reason) => {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  await writeFile(join(folder, 'catalogue.json'), text);
  await symlink('/etc/passwd', join(folder, 'away.m4a'));
  await expect(startTestSandbox({ catalogueDir: folder })).rejects.toThrow(reason);
  await rm(folder, { recursive: true });
});

it('reads a catalogue of somebody else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  await cp(join(BUILT_IN_CATALOGUE, 'media/tea/140.m4a'), join(folder, 'own.m4a'));
  await writeFile(join(folder, 'catalogue.json'), catalogueWith('own.m4a'));
  const own = await startTestSandbox({ catalogueDir: folder, idSalt: undefined });
  expect(own.catalogue.map((video) => video.id)).toEqual(['abcdefghijk']);
  await own.stop();
  await rm(folder, { recursive: true });
});

function catalogueWith(format: string): string {
  return JSON.stringify({
    channels: [{ handle: '@own', id: `UC${'x'.repeat(22)}`, title: 'Own', case: 'ordinary' }],
    videos: [
      {
        ...{ id: 'abcdefghijk', title: 'Own', case: 'ordinary', channel: '@own', published_at: '2026-01-01T00:00:00Z' },
        formats: [format],
      },
    ],
  });
}
