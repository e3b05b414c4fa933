import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { run } from '../../runtime/subprocess/run-program.ts';
import { ROOT } from '../helpers/markdown.ts';
import { PackageIndex } from '../helpers/releases.ts';
import { serveOnLoopback } from '../../local/loopback-server.ts';
import { TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';
import { canBeWarm } from '../helpers/yt-dlp.ts';

const isPossible = await canBeWarm(inject('tools').ytdlp);
const WITHIN = 200_000;

it.runIf(isPossible)(
  'a worker uses a newer yt-dlp without a restart, shows it in the console, and refuses the next one that is broken',
  async () => {
    const index = new PackageIndex();
    index.add({ version: '2027.1.5' });
    const { url, stop } = await serveOnLoopback(index.listener);
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
    await succeeds(service.videoId('ordinary', 0));
    await until(async () => (await inConsole()).includes('content="2027.1.5, '), {
      what: 'the console',
      within: WITHIN,
    });

    // An operator does not wait for the next check.
    const command = async (word: string) => {
      const cwd = await mkdtemp(join(tmpdir(), 'tapedeck-command-'));
      onTestFinished(() => rm(cwd, { recursive: true }));
      const env = { ...service.stack.env, PATH: process.env['PATH'] ?? '' };
      return run(process.execPath, [`${ROOT}operator/yt-dlp/main.ts`, word], {
        ...{ cwd, env, maxStdoutChars: 10_000 },
      });
    };
    index.add({ version: '2027.1.6', cannotRead: 'http://127.0.0.1' });
    expect(await command('update')).toMatchObject({
      exitCode: 1,
      stderrTail: expect.stringContaining('Unable to extract player response'),
    });
    expect(await releases()).toContain('2027.1.6.refused');
    index.add({ version: '2027.1.7' });
    expect(await command('update')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^The newest release is 2027\.1\.7\.\n2027\.1\.7 {2}in use\n2027\.1\.5 {2}installed\n/,
      ),
    });
    await succeeds(service.videoId('ordinary', 1));
    expect(await command('back')).toMatchObject({ exitCode: 0, stderrTail: '' });
    await succeeds(service.videoId('ordinary', 2));
    await until(async () => (await inConsole()).includes('content="2027.1.5, '), {
      what: 'the console after going back',
      within: WITHIN,
    });
    expect(await service.logOf('worker')).toMatch(/2027\.1\.7.*new jobs use this yt-dlp/);
  },
  900_000,
);
