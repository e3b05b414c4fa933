import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { inferRouterInputs, inferRouterOutputs, inferTRPCClientTypes } from '@trpc/server';
import { expect, it } from 'vitest';
import type { AppRouter as Served } from '../../api/rpc/rpc-router.ts';
import type { AppRouter as Shipped } from '../../clients/typescript/src/rpc.ts';
import { makeTypeScript } from '../../quality/clients/typescript.ts';
import { ROOT } from '../helpers/markdown.ts';

async function filesIn(folder: string): Promise<Record<string, string>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = found.filter((one) => one.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = async (path: string) => [path.slice(folder.length), await readFile(path, 'utf8')] as const;
  return Object.fromEntries(await Promise.all(paths.map(read)));
}

it('the generated code of the client for TypeScript is up to date with the service', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapedeck-generated-'));
  try {
    await makeTypeScript(folder);
    const [made, kept] = await Promise.all([folder, join(ROOT, 'clients/typescript/src/generated')].map(filesIn));
    expect(Object.keys(kept!).toSorted()).toEqual(Object.keys(made!).toSorted());
    const stale = Object.keys(made!).filter((name) => made![name] !== kept![name]);
    expect(stale).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

// The compiler checks that the tRPC types of the client match those of the service, in both directions.
export const isAccepted = (inputs: inferRouterInputs<Shipped>): inferRouterInputs<Served> => inputs;
export const isReturned = (outputs: inferRouterOutputs<Served>): inferRouterOutputs<Shipped> => outputs;
type Errors<Router extends Served | Shipped> = inferTRPCClientTypes<Router>['errorShape'];
/** JSON leaves out what is undefined. */
type OrAbsent<Value> = Value extends object ? { [Name in keyof Value]: OrAbsent<Value[Name]> | undefined } : Value;
export const isThrown = (error: Errors<Served>): OrAbsent<Errors<Shipped>> => error;
