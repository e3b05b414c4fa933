import type { z } from 'zod';
import type { ContentsReader } from './contents.ts';
import type { Progress } from '../http/fields.ts';
import type { Thousandths } from '../money.ts';
import type { DownloadRecord } from '../download-record.ts';
import type { KindSample } from './sample.ts';

/** Dependencies of rendering. Links are signed when an answer is rendered, so they are fresh. */
export interface RenderContext {
  /** Prices of the next steps, which answers name. */
  readonly prices: Readonly<Record<'listItem' | 'speakerLabelsPerMinute', Thousandths>>;
  /** @returns a signed link to a published file of a record */
  readonly linkTo: (recordId: string, fileName: string, downloadName?: string) => string;
  readonly contents: ContentsReader;
  readonly lists: ListsPort;
}

/** The part of the store that answers about lists of the photo platform need. */
export interface ListsPort {
  /** Starts the validity of a `list_id` when an answer contains it. */
  readonly handOut: (listId: string) => Promise<void>;
  /** @returns the record of the reels for a record of posts, or the reverse */
  readonly otherPart: (record: DownloadRecord) => Promise<DownloadRecord>;
}
/** Dependencies of rendering a download record, which contains no contents. */
export type RecordContext = Pick<RenderContext, 'prices' | 'linkTo'>;

/** A price that the configuration may override. */
export interface PriceSetting {
  readonly setting: `PRICE_${string}`;
  /** A decimal string with three decimals. */
  readonly default: string;
  readonly about: string;
}

/** The configured prices of a kind, by name. */
export type PricesOf<Settings> = Readonly<Record<keyof Settings, Thousandths>>;

export interface RequestForJob {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

export type RenderRecord<Rendered> = (record: DownloadRecord, context: RecordContext, progress?: Progress) => Rendered;

/** @returns the function that renders the answer of an endpoint whose result is the record */
export function inData<Rendered>(render: RenderRecord<Rendered>): RenderRecord<{ data: Rendered }> {
  return (...args) => ({ data: render(...args) });
}

/** The contract of one kind of job. The table `kinds` has one for each record type. */
export interface Kind {
  readonly workflow: string;
  /** The value of `X-Webhook-Endpoint`. */
  readonly endpoint: string;
  /** How long a success answers new requests, in seconds; `files`: as long as its files are kept (design, section 3). */
  readonly freshness: number | 'files';
  /** The names of the prices in the price table. */
  readonly prices: Readonly<Record<string, PriceSetting>>;
  /** The input of its workflow. The values become paths, URLs and IDs, so they are checked once more. */
  readonly job: z.ZodType<{ readonly type: string; readonly mediaId: string }>;
  readonly sample: KindSample;
  /** The schema of its download record (specification, section 2.1). */
  readonly record: z.ZodObject;
  /** @returns the request that starts the same job again; undefined where it needs facts that the record does not contain */
  readonly requestOf: (record: DownloadRecord) => RequestForJob | undefined;
  readonly renderRecord: RenderRecord<object>;
  /** Renders the answer of a job in any state, for its endpoint and its webhook alike. */
  readonly render: (record: DownloadRecord, context: RenderContext, progress?: Progress) => object;
}
