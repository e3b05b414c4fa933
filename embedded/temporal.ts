import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { startDaemon } from './daemon.ts';
import type { Supervised } from './supervise.ts';
import { defined, type Env } from './programs.ts';
import type { Log } from './ways.ts';

const READY_TIMEOUT_MS = 60_000;
const CHECK_TIMEOUT_MS = 2_000;

export interface TemporalServerOptions {
  readonly program: string;
  readonly env: Env;
  /** Folder of the database and the log. */
  readonly stateDir: string;
  readonly port: number;
  readonly uiPort: number;
  /** Besides `default`. */
  readonly namespaces: readonly string[];
  readonly log: Log;
}

/** Starts the Temporal dev server with its Web UI, state kept in `stateDir`. @throws when it does not come up */
export async function startTemporal(options: TemporalServerOptions): Promise<Supervised> {
  const { port, uiPort, stateDir } = options;
  const address = `127.0.0.1:${String(port)}`;
  const namespaces = ['default', ...options.namespaces];
  return startDaemon({
    name: 'Temporal',
    program: options.program,
    args: [
      ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
      ...[
        '--db-filename',
        join(stateDir, 'temporal.db'),
        '--sqlite-pragma',
        'journal_mode=WAL',
        '--log-level',
        'error',
      ],
      ...options.namespaces.flatMap((name) => ['--namespace', name]),
    ],
    env: withoutTemporalSettings(options.env),
    cwd: stateDir,
    logFile: join(stateDir, 'temporal.log'),
    check: () => checkNamespaces(address, namespaces),
    readyTimeoutMs: READY_TIMEOUT_MS,
    log: options.log,
  });
}

/** The server answers before its namespaces exist; a client that starts a workflow needs both. */
async function checkNamespaces(address: string, namespaces: readonly string[]): Promise<void> {
  // A new connection each time, without the SDK's retries: an old one would wait out its back-off, which grows.
  const connection = Connection.lazy({ address, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + CHECK_TIMEOUT_MS, async () => {
      for (const namespace of namespaces) await connection.workflowService.describeNamespace({ namespace });
    });
  } finally {
    await connection.close();
  }
}

/** The CLI takes flags from TEMPORAL_* variables too; ours are meant for the service, not for the server. */
function withoutTemporalSettings(env: Env): Record<string, string> {
  return Object.fromEntries(Object.entries(defined(env)).filter(([name]) => !name.startsWith('TEMPORAL_')));
}
