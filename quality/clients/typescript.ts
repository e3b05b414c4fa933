import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { streamsEvents, type Operation } from '../../api/operations/operation.ts';
import { operations } from '../../api/operations/operations.ts';
import { clientDocument } from './document.ts';

/** Writes the types of the procedures of tRPC: those of REST, under other names. */
export async function makeRpcTypes(file: string): Promise<void> {
  const groups = new Map<string, string[]>();
  for (const [id, row] of Object.entries<Operation>(operations)) {
    if (row.rpc === undefined) continue;
    const [first = '', name] = row.rpc.split('.');
    const line = `${name ?? first}: ${typeOf(id, row)};`;
    const group = name === undefined ? '' : first;
    groups.set(group, [...(groups.get(group) ?? []), line]);
  }
  const lines = [...groups].flatMap(([group, members]) =>
    group === '' ? members : [`${group}: {`, ...members.map((line) => `  ${line}`), '};'],
  );
  const text = [
    '// Made by `npm run clients`.',
    '',
    `import type { Events, Export, Mutation, Query, Wait } from '../rpc-types.ts';`,
    `import type * as rest from './types.gen.ts';`,
    '',
    '// An alias and no interface, which would be no record to tRPC.',
    'export type Procedures = {',
    ...lines.map((line) => `  ${line}`),
    '};',
    '',
  ];
  await writeFile(file, text.join('\n'));
}

function typeOf(id: string, row: Operation): string {
  const name = `${id.charAt(0).toUpperCase()}${id.slice(1)}`;
  const data = `rest.${name}Data`;
  if (streamsEvents(row)) return `Events<${data}, rest.${String(row.answers[200]?.event?.meta()?.id)}>`;
  const statuses = Object.keys(row.answers).filter((status) => row.answers[Number(status)]?.schema !== undefined);
  if (statuses.length === 0) return `Export<${data}>`;
  const procedure = row.method === 'get' ? 'Query' : 'Mutation';
  const bodies = `rest.${name}Responses & rest.${name}Errors`;
  return `${procedure}<${data}, ${bodies}, ${statuses.join(' | ')}${row.wait === undefined ? '' : ', Wait'}>`;
}

/**
 * Writes the operations and types of `@tapedeck/client` into a folder, which is emptied first. By Hey API, since
 * openapi-typescript and openapi-fetch have been in maintenance mode since September 2026.
 */
export async function makeTypeScript(folder: string): Promise<void> {
  await createClient({
    input: { ...(await clientDocument()) },
    output: {
      path: folder,
      clean: true,
      entryFile: false,
      module: { extension: '.ts' },
      // It is written for laxer settings than ours.
      header: ['// Made by `npm run clients`.', '// @ts-nocheck'],
    },
    logs: { level: 'silent', file: false },
    plugins: [
      { name: '@hey-api/client-fetch', throwOnError: true, baseUrl: false },
      '@hey-api/typescript',
      { name: '@hey-api/sdk', client: false, responseStyle: 'data' },
    ],
  });
  await makeRpcTypes(join(folder, 'rpc.gen.ts'));
}
