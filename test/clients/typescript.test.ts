import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseWebhookSecret, receiverSecrets } from '../../outbound/webhooks/webhook-signature.ts';
import { startWebhookReceiver } from '../../local/webhook-receiver.ts';
import { blocksOf, ROOT } from '../helpers/markdown.ts';
import { SHARED_WEBHOOK_SECRETS, TestService } from '../helpers/service.ts';
import { until } from '../helpers/until.ts';

const execute = promisify(execFile);
const PACKAGE = join(ROOT, 'clients', 'typescript');
/** Those of Node are all that the examples need from outside. */
const NODE_TYPES = join(ROOT, 'node_modules', '@types');

let service: TestService;
let project: string;
beforeAll(async () => {
  [service, project] = await Promise.all([TestService.shared(), installed()]);
});
afterAll(async () => {
  await service.stop();
  await rm(project, { recursive: true, force: true });
});

/** An empty project with the package as npm would publish it, and the examples of its README. */
async function installed(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-client-'));
  await execute('npm', ['pack', '--pack-destination', folder], { cwd: PACKAGE });
  const [tarball = ''] = await readdir(folder);
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  // Without a network, from an empty cache: it brings no other packages.
  const quietly = ['--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')];
  await execute('npm', ['install', ...quietly, `./${tarball}`], { cwd: folder });
  await mkdir(join(folder, 'src'));
  const examples = blocksOf('clients/typescript/README.md');
  for (const [index, name] of ['job', 'webhook', 'rpc'].entries()) {
    await writeFile(join(folder, 'src', `${name}.ts`), examples[index]!.code);
  }
  // The peer dependencies of the tRPC client.
  for (const name of ['@trpc', 'undici']) {
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  return folder;
}

/** @returns the lines that an example writes */
async function run(example: string, ...args: readonly string[]): Promise<string[]> {
  const { stdout } = await execute(process.execPath, [`src/${example}`, ...args], { cwd: project });
  return stdout.trim().split('\n');
}

const runJob = (videoId: string) => run('job.ts', service.stack.restUrl, videoId, '.');

describe('the package for TypeScript', () => {
  it('starts a job, waits for it and saves its file', async () => {
    const lines = await runJob(service.videoId('ordinary'));
    const saved = lines.at(-1)!.replace(/^saved /, '');
    expect(saved).toMatch(/\.m4a$/);
    expect((await readFile(join(project, saved))).subarray(4, 8).toString()).toBe('ftyp');
  });

  it('speaks tRPC', async () => {
    const { id } = await service.finishedAudio(service.videoId('ordinary'));
    const { rpcUrl, rpcToken } = service.stack;
    expect(await run('rpc.ts', rpcUrl, rpcToken, id)).toEqual(['audio success']);
  });

  it('distinguishes refused requests and failed jobs by the type of the error', async () => {
    expect(await runJob('not an id')).toEqual([expect.stringMatching(/^invalid vidnet_video_id /)]);
    expect((await runJob(service.videoId('private'))).at(-1)).toMatch(/^failed .*private/);
  });

  it('accepts only webhooks that the service has signed for this receiver', async () => {
    const receiver = await startWebhookReceiver();
    try {
      await service.request('POST', '/api/webhook/test', { body: { url: receiver.url } });
      const { headers, body } = await until(() => receiver.posts[0], { within: 10_000, what: 'the webhook' });
      const keys = SHARED_WEBHOOK_SECRETS.map((secret) => parseWebhookSecret(secret)!);
      const [own = '', other = ''] = [receiver.url, 'https://other.example'].map(
        (url) => receiverSecrets(keys, new URL(url))[1],
      );
      const program = [
        `import { received } from './webhook.ts';`,
        `const [headers, body, own, other] = JSON.parse(process.argv[2]);`,
        `const request = (text) => new Request('http://receiver.example', { method: 'POST', headers, body: text });`,
        `const results = [[body, own], [body + ' ', own], [body, other]].map(([text, secret]) => received(request(text), secret));`,
        `for (const one of await Promise.allSettled(results)) console.log(one.value ?? one.reason.name);`,
      ];
      await writeFile(join(project, 'src', 'receive.js'), program.join('\n'));
      const given = JSON.stringify([headers, body, own, other]);
      expect(await run('receive.js', given)).toEqual([
        'webhook/test',
        'WebhookVerificationError',
        'WebhookVerificationError',
      ]);
    } finally {
      await receiver.close();
    }
  });

  it('has types that need no other package', async () => {
    const compilerOptions = {
      ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true },
      ...{ skipLibCheck: false, skipDefaultLibCheck: true },
      ...{ target: 'ES2023', module: 'NodeNext', noEmit: true, lib: ['ES2023', 'DOM', 'DOM.Iterable'] },
      ...{ types: ['node'], typeRoots: [NODE_TYPES] },
    };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['src/*.ts'] }));
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    const checked = await execute(process.execPath, [tsc, '-p', project]).catch((error: unknown) => error);
    expect(checked).toMatchObject({ stdout: '' });
  });

  it('can be bundled for browsers without modules of Node', async () => {
    const { outputFiles } = await build({
      ...{ absWorkingDir: project, bundle: true, platform: 'browser', format: 'esm', minify: true, write: false },
      stdin: {
        contents: `export { received } from './src/webhook.ts'; export * from '@tapedeck/client';`,
        resolveDir: project,
      },
    });
    const [{ text } = { text: '' }] = outputFiles;
    expect(text).toContain('/api/downloads/audio');
    expect(text).not.toMatch(/\bprocess\b|\bBuffer\b|node:/);
  });
});
