import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACK_TIMEOUT_MS, startAttacker, type Attacker } from './attacker.ts';
import { aimsAt, attackAcross, attackAsOwn, framedBy, POKE, speaksHttp, type Target } from './attacks.ts';
import { startCommand, type RunningCommand } from './command.ts';
import { rows } from '../rows.ts';
import { listeningPorts, type ListeningPort } from '../listening-ports.ts';
import { startTestSandbox, type TestSandbox } from '../sandbox.ts';

const SET_UP_TIMEOUT_MS = 20 * 60_000;
const ORIGINS = {
  elsewhere: 'on another site',
  otherPort: 'on another port of this machine',
} as const;

interface Attacks {
  /** Where the pages are that attack. */
  readonly origins: readonly (keyof typeof ORIGINS)[];
  /** Whether names lead to the ports too that answer no browser. */
  readonly reboundToAll: boolean;
  /** To which browsers connect for no page. */
  readonly refusedPorts: readonly number[];
}

/** What pages of other origins can do to all that a command starts, and to a server that does not defend itself. */
export function foreignPages(
  command: 'npm start' | 'npm run sandbox',
  { origins, reboundToAll, refusedPorts }: Attacks,
): void {
  const elsewhere = origins.map((origin) => [ORIGINS[origin], origin] as const);
  let attacker: Attacker;
  let platform: TestSandbox | undefined;
  let running: RunningCommand;

  beforeAll(async () => {
    attacker = await startAttacker();
    if (command === 'npm start') {
      platform = await startTestSandbox();
      const videoId = platform.idOf('ordinary');
      running = await startCommand('local/main.ts', { env: { ...platform.env }, videoId, url: platform.url });
    } else {
      running = await startCommand('local/sandbox/main.ts');
    }
  }, SET_UP_TIMEOUT_MS);

  afterAll(async () => {
    await running.stop();
    await attacker.close();
    await platform?.stop();
  }, ATTACK_TIMEOUT_MS);

  describe('against a server that does not defend itself', () => {
    let posted: string[];
    let target: Target;
    const server = createServer((request, response) => {
      if (request.method === 'POST') posted.push(request.headers['content-type'] ?? '');
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>a secret</p>');
    });
    beforeAll(async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      target = { name: 'victim', port: (server.address() as AddressInfo).port, aim: POKE, isForBrowsers: true };
    });
    afterAll(() => {
      server.closeAllConnections();
      server.close();
    });

    it.each(elsewhere)('a page %s starts what it likes, and shows it', async (_what, origin) => {
      posted = [];
      const page = await attacker[origin]();
      expect(await attackAcross(page, [target])).toEqual(['GET victim/ was answered', 'POST victim/ was answered']);
      expect(new Set(page.arrived().map(({ url }) => new URL(url).hostname))).toContain('a-page.localhost');
      expect(new Set(posted)).toEqual(new Set(['text/plain']));
      expect(await framedBy(page, [target])).toEqual(['victim/']);
      await page.close();
    });

    it.each(refusedPorts)('no page comes to port %i', async (port) => {
      expect(await attacker.rebound(port)).toBeUndefined();
    });

    it('a page whose name was made to lead there reads everything', async () => {
      posted = [];
      const page = (await attacker.rebound(target.port))!;
      expect(await attackAsOwn(page, page.origin, target)).toEqual([
        'GET victim/ was read: <p>a secret</p>',
        'POST victim/ was read: <p>a secret</p>',
      ]);
      expect(posted.toSorted()).toEqual(['application/json', 'text/plain']);
      await page.close();
    });
  });

  describe(command, () => {
    let ports: readonly ListeningPort[];
    let targets: readonly Target[];
    beforeAll(async () => {
      ports = await portsOf(running);
      const aims = aimsAt(running.prey);
      const parts = ['rest', 'rpc', 'webUi', 'sandbox'] as const;
      targets = await Promise.all(
        ports.map(async ({ port, program }) => {
          const part = parts.find((one) => running.urls[one]?.endsWith(`:${String(port)}`)) ?? 'unknown';
          const aim = (await speaksHttp(port)) ? aims[part] : POKE;
          return {
            port,
            aim,
            isForBrowsers: part !== 'unknown',
            name: part === 'unknown' ? `${program}:${String(port)}` : part,
          };
        }),
      );
    });

    const changedBy = async (attacks: () => Promise<void>): Promise<{ before: string[]; after: string[] }> => {
      const before = await running.state();
      await attacks();
      return { before, after: await running.state() };
    };

    it('listens on nothing that other machines reach', () => {
      expect(targets.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(running.urls)));
      expect(ports.filter(({ isLoopback }) => !isLoopback)).toEqual([]);
    });

    it.each(elsewhere)(
      'answers nothing to a page %s, on no port, and does nothing for it',
      async (_what, origin) => {
        const { before, after } = await changedBy(async () => {
          const page = await attacker[origin]();
          expect.soft(await attackAcross(page, targets)).toEqual([]);
          const reached = page.arrived().map(({ url }) => new URL(url).port);
          expect(reached).toEqual(expect.arrayContaining(Object.values(running.urls).map((url) => new URL(url).port)));
          await page.close();
        });
        expect(after).toEqual(before);
      },
      ATTACK_TIMEOUT_MS,
    );

    it(
      `answers nothing to a page whose name was made to lead here, on ${reboundToAll ? 'no port' : 'no port for browsers'}, and does nothing for it`,
      async () => {
        const { before, after } = await changedBy(async () => {
          const read = await Promise.all(
            targets.map(async (target) => {
              if (!reboundToAll && !target.isForBrowsers) return [];
              const page = await attacker.rebound(target.port);
              if (page === undefined) return [];
              const lines = await attackAsOwn(page, page.origin, target);
              await page.close();
              return lines;
            }),
          );
          expect.soft(read.flat()).toEqual([]);
        });
        expect(after).toEqual(before);
      },
      ATTACK_TIMEOUT_MS,
    );

    it.each(elsewhere)(
      'is not shown in a frame of a page %s',
      async (_what, origin) => {
        const page = await attacker[origin]();
        expect(await framedBy(page, targets)).toEqual([]);
        await page.close();
      },
      ATTACK_TIMEOUT_MS,
    );

    // A browser takes a quarter of a minute of a core to show the Web UI.
    it.each(rows<'rest' | 'webUi'>(['rest'], ['webUi']))(
      'shows its pages to somebody who follows a link to them: %s',
      async (part) => {
        const page = await attacker.elsewhere();
        if (part === 'rest') await page.follow(`${running.urls.rest}/docs`, 'Fetch the audio of a video as M4A');
        else await page.follow(`${running.urls.webUi}/namespaces/default/workflows`, running.prey.runningWorkflowId);
        await page.close();
      },
      ATTACK_TIMEOUT_MS,
    );
  });
}

async function portsOf({ pid, urls }: RunningCommand): Promise<ListeningPort[]> {
  if (process.platform === 'linux') return listeningPorts(pid);
  console.warn('Which ports its processes listen on is known on Linux only: those that the command prints are tried.');
  return Object.values(urls).map((url) => ({ port: Number(new URL(url).port), program: 'node', isLoopback: true }));
}
