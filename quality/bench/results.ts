import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Engine } from './engine.ts';
import type { PartResult } from './part.ts';
import { commitOf, versionsOf } from './versions.ts';

/** Where they are kept. */
export const RESULTS = fileURLToPath(new URL('./results', import.meta.url));
const CODE = fileURLToPath(new URL('.', import.meta.url));

/** Of its files. The embedded engine is the ordinary one. */
export function nameOf({ part, engine }: Pick<KeptResult, 'part' | 'engine'>): string {
  return engine === 'embedded' ? part : `${part}-${engine}`;
}

/** One run of a part, as it is kept. */
export interface KeptResult extends PartResult {
  readonly part: string;
  readonly engine: Engine;
  readonly measuredAt: string;
  readonly commit: string;
  readonly machine: { readonly processor: string; readonly cores: number; readonly memoryGib: number };
  readonly versions: Readonly<Record<string, string>>;
}

export async function keptResult(
  { part, engine, dataDir }: { readonly part: string; readonly engine: Engine; readonly dataDir: string },
  { versions, ...measured }: PartResult,
): Promise<KeptResult> {
  const [first] = cpus();
  return {
    part,
    engine,
    measuredAt: new Date().toISOString(),
    commit: await commitOf(CODE),
    machine: { processor: first?.model ?? '', cores: cpus().length, memoryGib: Math.round(totalmem() / 1024 ** 3) },
    versions: { ...(await versionsOf(join(dataDir, 'mongodb'))), ...versions },
    ...measured,
  };
}

export async function keep(result: KeptResult): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  await writeFile(join(RESULTS, `${nameOf(result)}.json`), `${JSON.stringify(result, undefined, 2)}\n`);
}

/** By their names. */
export async function readKept(): Promise<ReadonlyMap<string, KeptResult>> {
  const files = (await readdir(RESULTS).catch(() => [])).filter((name) => name.endsWith('.json'));
  const kept = files.map(async (name) => JSON.parse(await readFile(join(RESULTS, name), 'utf8')) as KeptResult);
  return new Map((await Promise.all(kept)).map((one) => [nameOf(one), one]));
}
