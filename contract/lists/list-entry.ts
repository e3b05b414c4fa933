import { z } from 'zod';
import { siteSchema } from '../kinds/media.ts';
import { accountSchema, httpUrlSchema } from '../job-schema.ts';

/** A list whose entries become items. */
export const listReferenceSchema = z.discriminatedUnion('kind', [
  /** The path of the channel on the platform, such as `@name`. */
  z.object({ kind: z.literal('channel'), path: z.string().min(1).max(200) }),
  z.object({ kind: z.literal('playlist'), id: z.string().regex(/^[\w-]{2,100}$/) }),
  /** The posts and reels of an account, which jobs of their own collect. */
  z.object({ kind: z.literal('profile'), account: accountSchema }),
  z.object({ kind: z.literal('page'), url: httpUrlSchema, site: siteSchema.exactOptional() }),
]);
export type ListReference = Readonly<z.infer<typeof listReferenceSchema>>;

/** A part of a list that one URL gives, as its driver has found it. */
export interface ListPart {
  readonly url: string;
  readonly subject: 'playlist' | 'page';
  /** The kind of all its entries, if they have one. */
  readonly kind?: EntryKind;
}

export const videoKinds = ['video', 'short', 'stream'] as const;
export const postKinds = ['post', 'reel'] as const;
export const entryKinds = [...videoKinds, ...postKinds] as const;
export type EntryKind = (typeof entryKinds)[number];

/** An entry as its list shows it. */
export interface ListEntry {
  /** The ID on the platform, or the URL. It stays the same when the entry is renamed or moved. */
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly kind: EntryKind;
  readonly seconds?: number;
  /** The platform shows ages such as "3 weeks ago", so this may be off by one of their units. */
  readonly publishedAtMs?: number;
  /** How many entries the list has, if it says so. */
  readonly total?: number;
  /** Set for a premiere or broadcast that has not ended. */
  readonly state?: 'upcoming' | 'live';
}
