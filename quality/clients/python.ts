import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env, Log } from '../../local/engines/environment.ts';
import { step } from '../../local/engines/programs.ts';
import { clientDocument } from './document.ts';

const BINARY_TYPES = ['application/zip', 'application/offset+octet-stream'];

interface Making {
  readonly python: string;
  readonly env: Env;
  readonly log: Log;
}

/** Writes the project of a Python package `tapedeck-client` into a folder. What else is there stays. */
export async function makePython(folder: string, { python, env, log }: Making): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'tapedeck-python-'));
  try {
    const [document, settings] = ['openapi.json', 'settings.json'].map((name) => join(work, name)) as [string, string];
    await writeFile(document, JSON.stringify(await clientDocument()));
    // Hooks would only format what was made, and the generator does not know archives and parts of uploads.
    const types = Object.fromEntries(BINARY_TYPES.map((type) => [type, 'application/octet-stream']));
    await writeFile(settings, JSON.stringify({ post_hooks: [], content_type_overrides: types }));
    const from = ['--path', document, '--config', settings, '--fail-on-warning'];
    const command = ['-m', 'openapi_python_client', 'generate', ...from, '--output-path', folder, '--overwrite'];
    await step([python, ...command], { cwd: work, env, log, what: `making the client for Python in ${folder}` });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
