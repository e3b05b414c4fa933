import { z } from 'zod';
import { readSandboxIndex, type SandboxIndex } from '../../chaos/sandbox-index.ts';
import { DECKS, KIND_WEIGHTS, speech as speechOf, type Order, type Kind } from '../../chaos/subjects.ts';
import { SPOKEN_VIDEOS, sumOf, withCounts, type Counted, type Counts } from '../counted.ts';
import type { Part } from '../part.ts';

const KINDS = Object.keys(KIND_WEIGHTS) as Kind[];

/** Requests of a job of each kind to the engines: from histories, the server's metrics and the database's connection. */
export const counts: Part = {
  title: 'What a job asks of the engines',
  run: ({ dataDir, engine, say }) =>
    withCounts({ dataDir, engine, say }, async (counted) => {
      const { sandbox } = counted.bench;
      const index = await readSandboxIndex(sandbox);
      const raw: Record<string, Counts> = {};
      for (const [kind, [one, other]] of [
        ...KINDS.map((kind) => [kind, pairOf(kind, index)] as const),
        ['media', index.talks.map((id) => mediaOf(sandbox.url, id))] as const,
      ]) {
        // The first job of a kind may set things up that all use.
        const first = await prepared(counted, one);
        const second = await prepared(counted, other);
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

function pairOf(kind: Kind, index: SandboxIndex): readonly (Order | undefined)[] {
  const { good } = DECKS[kind](index);
  // The lists of one account are others' by their days.
  if (kind === 'list') return [good[0], good.at(-1)];
  // The transcripts of the first videos exist by then, and a finished result is answered without a webhook.
  return kind === 'speech' ? index.talks.slice(-SPOKEN_VIDEOS).map((id) => speechOf(id)) : good;
}

/** The sound of a video by its own address, as on any site. */
const mediaOf = (sandboxUrl: string, id: string): Order => ({
  path: '/api/downloads/media',
  body: { url: `${sandboxUrl}/media/${id}/140`, format: 'audio' },
  expected: 'success',
});

const neededSchema = z.object({ list_id: z.string() }).or(z.object({ data: z.object({ id: z.string() }) }));

async function prepared({ ask }: Counted, order: Order | undefined): Promise<Pick<Order, 'path' | 'body'>> {
  if (order?.needs === undefined) {
    if (order === undefined) throw new Error('the sandbox has too few subjects');
    return order;
  }
  const { field, order: before } = order.needs;
  const needed = neededSchema.parse(await ask(before.path, before.body, 'wait=60'));
  return { ...order, body: { ...order.body, [field]: 'list_id' in needed ? needed.list_id : needed.data.id } };
}
