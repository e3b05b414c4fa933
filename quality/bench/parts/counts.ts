import { z } from 'zod';
import { readSandboxIndex } from '../../chaos/sandbox-index.ts';
import { DECKS, KIND_WEIGHTS, type Asked, type Kind } from '../../chaos/subjects.ts';
import { sumOf, withCounts, type Counted, type Counts } from '../counted.ts';
import type { Part } from '../part.ts';

/** They take models of 100 MB; what they cost depends on the length of the audio. */
const LEFT_OUT: readonly Kind[] = ['speaker_labels'];
const KINDS = (Object.keys(KIND_WEIGHTS) as Kind[]).filter((kind) => !LEFT_OUT.includes(kind));

/** What a job of each kind, with a webhook, asks of the engines. Counted: histories, the server's metrics, the database's line. */
export const counts: Part = {
  title: 'What a job asks of the engines',
  run: ({ dataDir, engine, say }) =>
    withCounts({ dataDir, engine, say }, async (counted) => {
      const index = await readSandboxIndex(counted.bench.sandbox);
      const raw: Partial<Record<Kind, Counts>> = {};
      for (const kind of KINDS) {
        const { good } = DECKS[kind](index);
        // The first job of a kind may set things up that all use; the lists of one account are others' by their days.
        const first = await prepared(counted, good[0]);
        const second = await prepared(counted, kind === 'list' ? good.at(-1) : good[1]);
        await counted.runJob(first.path, first.body);
        raw[kind] = await counted.count(() => counted.runJob(second.path, second.body));
        say(`${kind}: ${JSON.stringify(raw[kind])}`);
      }
      const findings = Object.entries(raw).flatMap(([kind, { actions, events, operations }]) => [
        { what: kind, unit: 'Temporal actions', value: actions, isChief: kind === 'audio' },
        { what: kind, unit: 'history events', value: events, isChief: kind === 'audio' },
        { what: kind, unit: 'database operations', value: sumOf(operations), isChief: kind === 'audio' },
      ]);
      return { findings, raw };
    }),
};

/** With the id of what it needs. */
async function prepared({ ask }: Counted, asked: Asked | undefined): Promise<Pick<Asked, 'path' | 'body'>> {
  if (asked?.needs === undefined) {
    if (asked === undefined) throw new Error('the sandbox has too few subjects');
    return asked;
  }
  const { field, asked: before } = asked.needs;
  const told = await ask(before.path, before.body, 'wait=60');
  const { list_id } = z.object({ list_id: z.string() }).parse(told);
  return { ...asked, body: { ...asked.body, [field]: list_id } };
}
