import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { run } from '../../runtime/subprocess/run-program.ts';
import { ROOT } from '../helpers/markdown.ts';
import { PackageIndex } from '../helpers/releases.ts';
import { serve } from '../helpers/serve.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { canBeWarm } from '../helpers/warm.ts';

const isPossible = await canBeWarm(inject('tools').ytdlp);
const WITHIN = 200_000;

it.runIf(isPossible)(
  'a worker uses a newer yt-dlp without a restart, tells the console, and goes back when a job fails with the next',
  async () => {
    const index = new PackageIndex();
    index.add({ version: '2027.1.5' });
    const { url, stop } = await serve(index.listener);
    onTestFinished(stop);
    const settings = { YTDLP_CHANNEL: 'stable', YTDLP_INDEX_URL: `${url}/simple` };
    const service = await TestService.start({ env: settings });
    onTestFinished(() => service.stop());
    const releases = (): Promise<string[]> => readdir(join(service.dataDir, 'yt-dlp')).catch(() => []);
    const isThere = (name: string) =>
      until(async () => (await releases()).includes(name), { what: name, within: WITHIN });
    const inConsole = async (): Promise<string> => (await fetch(`${service.stack.restUrl}/console`)).text();
    const succeeds = async (videoId: string): Promise<void> => {
      expect(await service.finishedAudio(videoId, undefined, WITHIN)).toMatchObject({ status: 'success' });
    };

    await isThere('2027.1.5');
    expect(await inConsole()).not.toContain('2027.1.5');
    await succeeds(service.videoId('ordinary', 0));
    expect(await releases()).toContain('2027.1.5.good');
    await until(async () => (await inConsole()).includes('content="2027.1.5, '), {
      what: 'the console',
      within: WITHIN,
    });

    // An operator does not wait for the next look.
    const broken = service.videoId('ordinary', 1);
    index.add({ version: '2027.1.6', cannotRead: broken });
    const cwd = await mkdtemp(join(tmpdir(), 'tapedeck-command-'));
    onTestFinished(() => rm(cwd, { recursive: true }));
    const { exitCode, stdout, stderrTail } = await run(
      process.execPath,
      [`${ROOT}sources/vidnet/releases/main.ts`, 'update'],
      { cwd, env: { ...service.stack.env, PATH: process.env['PATH'] ?? '' }, maxStdoutChars: 10_000 },
    );
    expect([exitCode, stderrTail]).toEqual([0, '']);
    expect(stdout).toMatch(/^The newest is 2027\.1\.6\.\n2027\.1\.6 .*the next job tries it\n2027\.1\.5 .*in use\n/);
    await succeeds(broken);
    expect(await releases()).toContain('2027.1.6.refused');
    await succeeds(service.videoId('ordinary', 2));
    expect(await inConsole()).toContain('content="2027.1.5, ');
    const log = await service.logOf('worker');
    expect(log).toMatch(/2027\.1\.6.*Unable to extract player response/);
  },
  900_000,
);
