import type { z } from 'zod';
import type { ContentsReader } from './contents.ts';
import type { Progress } from './fields.ts';
import type { Thousandths } from './money.ts';
import type { DownloadRecord } from './records.ts';

/** What rendering needs beside the record; links are made at the moment of rendering, so they are fresh. */
export interface RenderContext {
  /** Of what can be had next: answers name them. */
  readonly prices: Readonly<Record<'listItem' | 'speakerLabelsPerMinute', Thousandths>>;
  /** @returns a signed link to a published file of a record */
  readonly linkTo: (recordId: string, fileName: string) => string;
  readonly contents: ContentsReader;
  readonly lists: ListsPort;
}

/** What answers about lists of the photo platform need of the store. */
export interface ListsPort {
  /** Notes that an answer tells a `list_id`: it is valid from then on. */
  readonly handOut: (listId: string) => Promise<void>;
  /** @returns the record of the reels that belong to posts, or the reverse */
  readonly otherPart: (record: DownloadRecord) => Promise<DownloadRecord>;
}
/** The same for download records, which hold no contents. */
export type RecordContext = Pick<RenderContext, 'prices' | 'linkTo'>;

/** A price that the configuration may override. */
export interface PriceSetting {
  /** Its name in the environment. */
  readonly setting: `PRICE_${string}`;
  /** A decimal string with three decimals. */
  readonly default: string;
  /** For the operator. */
  readonly about: string;
}

/** The prices that a kind names, as they are configured. */
export type PricesOf<Settings> = Readonly<Record<keyof Settings, Thousandths>>;

/** A request for a job, as REST takes it. */
export interface RequestForJob {
  readonly path: string;
  readonly body: Readonly<Record<string, string | number | boolean>>;
}

/** What is particular of a kind of job, as far as callers see it. The table `kinds` has one for each type of record. */
export interface Kind {
  /** The workflow type. */
  readonly workflow: string;
  /** The value of `X-Webhook-Endpoint`. */
  readonly endpoint: string;
  /** How long a success answers new requests, in seconds; `files`: as long as its files are kept (design, section 3). */
  readonly freshness: number | 'files';
  /** By their names in the price table. */
  readonly prices: Readonly<Record<string, PriceSetting>>;
  /** The schema of its download record (specification, section 2.1). */
  readonly record: z.ZodObject;
  /** @returns how the same is asked for again; undefined where it takes what the record does not tell */
  readonly requestOf: (record: DownloadRecord) => RequestForJob | undefined;
  /** The download record in any state. */
  readonly renderRecord: (record: DownloadRecord, context: RecordContext, progress?: Progress) => object;
  /** The JSON of a job in any state, the same for the endpoint that started it and for its webhook. */
  readonly render: (record: DownloadRecord, context: RenderContext, progress?: Progress) => object;
}
