import { startWebhookReceiver } from '../../../local/webhook-receiver.ts';
import { readSandboxIndex } from '../../chaos/sandbox-index.ts';
import { DECKS, KIND_WEIGHTS, type Asked, type Kind } from '../../chaos/subjects.ts';
import { sumOf, withCounts, type Counts } from '../counted.ts';
import type { Part } from '../part.ts';
import { until } from '../until.ts';

/** They take models of 100 MB; what they cost depends on the length of the audio. */
const LEFT_OUT: readonly string[] = ['speaker_labels'];
const TIMEOUT_MS = 120_000;

/** What a job of each kind, with a webhook, asks of the engines. Counted: histories, the server's metrics, the database's line. */
export const counts: Part = {
  title: 'What a job asks of the engines',
  run: ({ dataDir, say }) =>
    withCounts({ dataDir }, async ({ stack, sandbox }, count) => {
      const index = await readSandboxIndex(sandbox);
      const receiver = await startWebhookReceiver();
      /** Asks for it, and waits for its webhooks: of a list there are two. */
      const job = async ({ path, body }: Pick<Asked, 'path' | 'body'>): Promise<void> => {
        const before = receiver.posts.length;
        const asked = JSON.stringify({ ...body, include_webhook: receiver.url });
        const response = await fetch(stack.restUrl + path, { method: 'POST', body: asked });
        const text = await response.text();
        if (response.status !== 202) throw new Error(`${path} answered ${String(response.status)}: ${text}`);
        const webhooks = path.endsWith('/list') ? 2 : 1;
        await until(() => receiver.posts.length >= before + webhooks, TIMEOUT_MS, `the webhook of ${path}`);
      };
      const idOf = async ({ path, body }: Asked): Promise<string> => {
        const headers = { prefer: 'wait=60' };
        const response = await fetch(stack.restUrl + path, { method: 'POST', headers, body: JSON.stringify(body) });
        const told = (await response.json()) as { readonly list_id?: string };
        if (told.list_id === undefined) throw new Error(`${path} answered ${String(response.status)}`);
        return told.list_id;
      };
      try {
        const raw: Record<string, Counts> = {};
        for (const kind of Object.keys(KIND_WEIGHTS) as Kind[]) {
          if (LEFT_OUT.includes(kind)) continue;
          const { good } = DECKS[kind](index);
          // The first job of a kind may set things up that all use.
          const [first, second] = await Promise.all(
            [good[0], kind === 'list' ? good.at(-1) : good[1]].map(async (asked) => {
              if (asked === undefined) throw new Error(`there are no two subjects of the kind ${kind}`);
              const { needs, body } = asked;
              return needs === undefined
                ? asked
                : { ...asked, body: { ...body, [needs.field]: await idOf(needs.asked) } };
            }),
          );
          if (first === undefined || second === undefined) continue;
          await job(first);
          raw[kind] = await count(() => job(second));
          say(`${kind}: ${JSON.stringify(raw[kind])}`);
        }
        const findings = Object.entries(raw).flatMap(([kind, { actions, events, operations }]) => [
          { what: kind, unit: 'Temporal actions', value: actions },
          { what: kind, unit: 'history events', value: events },
          { what: kind, unit: 'database operations', value: sumOf(operations) },
        ]);
        return { findings, raw };
      } finally {
        await receiver.close();
      }
    }),
};
