import type { ContentsReader, KeptFacts } from '../../contract/kinds/contents.ts';
import type { RenderContext } from '../../contract/kinds/kind.ts';
import { renderDownload, renderResult } from '../../contract/kinds/kinds.ts';
import { priceTable } from '../../contract/kinds/configured-prices.ts';
import { jsonChunks } from '../../contract/http/streams.ts';
import { packedListOf } from '../../store/records/contents-store.ts';
import { samples, type Sample } from './sample-records.ts';

export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
export type Examples = Readonly<Record<string, Example>>;
/** The examples of an operation's answers, by their HTTP status or media type. */
export type AnswerExamples = Readonly<Record<number | string, Examples>>;
export type Rendered = (sample: Sample) => Promise<Example>;

export function one(summary: string, value: unknown, name = 'example'): Examples {
  return { [name]: { summary, value } };
}

/** A constant, so that the document does not change. */
const QUERY = 'Expires=1795253400&Signature=2lJ0c0b1Yk0m3hQ9rT5vX7zA4dF6gH8jK1nP3sU5wY8';

function keptBy(id: string): Sample | undefined {
  const all = Object.values(samples).flatMap(({ success, other }) => [success, other]);
  return all.find((sample) => sample?.record.id === id);
}

const contents: ContentsReader = {
  facts: <Facts extends object>(id: string) => Promise.resolve(keptBy(id)?.facts as KeptFacts<Facts> | undefined),
  piece: <Item>({ recordId, name }: { readonly recordId: string; readonly name: string }) =>
    Promise.resolve(keptBy(recordId)?.lists?.[name] as readonly unknown[] as readonly Item[] | undefined),
  list: <Item>({ recordId, name }: { readonly recordId: string; readonly name: string }) =>
    packedListOf((keptBy(recordId)?.lists?.[name] ?? []) as readonly unknown[] as readonly Item[]),
};

export function sampleRendering(publicUrl: string): RenderContext {
  const { imgnet_list_posts: posts, imgnet_list_reels: reels } = samples;
  return {
    prices: priceTable({}),
    linkTo: (recordId, fileName) => `${publicUrl}/files/${recordId}/${fileName}?${QUERY}`,
    contents,
    lists: {
      handOut: () => Promise.resolve(),
      otherPart: ({ type }) => Promise.resolve((type === 'imgnet_list_posts' ? reels : posts).success.record),
    },
  };
}

export function resultsBy(context: RenderContext): Rendered {
  return async ({ summary, record, progress }) => ({
    summary,
    value: await asRead(await renderResult(record, context, progress)),
  });
}

export function recordsBy(context: RenderContext): Rendered {
  return async ({ summary, record, progress }) => ({
    summary,
    value: await asRead(renderDownload(record, context, progress)),
  });
}

/** @returns the JSON of a body with its lists, without undefined fields */
export async function asRead(body: unknown): Promise<unknown> {
  return JSON.parse(await textOf(jsonChunks(body))) as unknown;
}

export async function textOf(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += Buffer.from(chunk).toString('utf8');
  return text;
}
