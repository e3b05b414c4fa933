import { z } from 'zod';
import {
  videoKinds,
  type EntryKind,
  type ListEntry,
  type ListPart,
  type ListReference,
} from '../../../contract/lists/list-entry.ts';
import { channelAt } from '../../../contract/urls/channel-urls.ts';
import { JobError } from '../../../runtime/job-error.ts';
import { optional } from '../../../runtime/optional.ts';
import type { SourceCall } from '../../source-call-options.ts';
import type { ChannelSource } from '../channel-source.ts';
import { amountSchema, bounded, lineSchema, linkSchema, TITLE_MAX_CHARS } from '../fact-schemas.ts';
import { COMPLETE_LISTS, flatEntries } from './yt-dlp-flat-list.ts';
import type { YtdlpSettings } from './yt-dlp-settings.ts';

const entrySchema = z.object({
  id: z.string().min(1).max(300).optional().catch(undefined),
  url: linkSchema,
  webpage_url: linkSchema,
  title: lineSchema,
  duration: amountSchema,
  timestamp: amountSchema,
  playlist_count: amountSchema,
  live_status: z.string().optional().catch(undefined),
});

/** A channel has a list of its uploads, newest first, and one for each kind. Their IDs are its own with another beginning. */
const UPLOADS = { all: 'UU', video: 'UULF', short: 'UUSH', stream: 'UULV' } as const;

export type ListSource = ReturnType<typeof createYtdlpLists>;

/** Lists read by yt-dlp. @param channels finds the ID of a channel that is known by another name */
export function createYtdlpLists(settings: YtdlpSettings, channels: Pick<ChannelSource, 'describe'>) {
  const playlist = (id: string, kind?: EntryKind): ListPart => ({
    ...{ url: new URL(`/playlist?list=${id}`, settings.videoUrlTemplate).href, subject: 'playlist' },
    ...optional('kind', kind),
  });
  return {
    /** @param kinds undefined for all @throws JobError, such as `removed` when a channel does not exist */
    async partsOf(
      reference: ListReference,
      kinds: readonly EntryKind[] = videoKinds,
      call: SourceCall,
    ): Promise<readonly ListPart[]> {
      if (reference.kind === 'profile') throw new Error('a profile is no list of videos');
      if (reference.kind === 'page') return [{ url: reference.url, subject: 'page' }];
      if (reference.kind === 'playlist') return [playlist(reference.id)];
      const channel = channelAt(reference.path);
      if (channel === undefined) throw new Error(`${reference.path} is no channel`);
      const id = channel.kind === 'id' ? channel.name : (await channels.describe(channel, call)).facts.vidnet_id;
      const listOf = (prefix: string): string => id.replace(/^UC/, prefix);
      const wanted = videoKinds.filter((kind) => kinds.includes(kind));
      if (wanted.length === videoKinds.length) return [playlist(listOf(UPLOADS.all))];
      return wanted.map((kind) => playlist(listOf(UPLOADS[kind]), kind));
    },
    /**
     * Reads a part from its beginning, with one request if `most` entries fit on a page of the platform. A list that changes
     * meanwhile may repeat entries.
     *
     * @param most how many entries are read; `Infinity` for all
     * @returns undefined for an entry without a page: if fewer than `most` are returned, the list has no more
     */
    async *entries(part: ListPart, most: number, call: SourceCall): AsyncGenerator<ListEntry | undefined> {
      const { url, subject, kind } = part;
      const extractorArgs = [COMPLETE_LISTS, { extractor: 'youtubetab', args: { approximate_date: [] } }];
      try {
        const options = { url, subject, most, schema: entrySchema, extractorArgs };
        for await (const entry of flatEntries(settings, options, call)) yield toEntry(entry, kind);
      } catch (error) {
        // A channel has no list of a kind that it has never uploaded.
        if (!(isUploads(part) && error instanceof JobError && error.code === 'removed')) throw error;
        const id = new URL(url).searchParams.get('list')?.replace(/^UU(?:LF|SH|LV)?(?=[\w-]{22}$)/, 'UC') ?? '';
        await channels.describe({ kind: 'id', name: id }, call);
      }
    },
  };
}

function isUploads({ url }: ListPart): boolean {
  return /[?&]list=UU/.test(url);
}

/** @returns undefined for an entry without a page */
function toEntry(entry: z.infer<typeof entrySchema>, kind: EntryKind | undefined): ListEntry | undefined {
  const { id, webpage_url: page, url = page, title, duration, timestamp, live_status: status } = entry;
  if (url === undefined) return undefined;
  const isStream = ['is_live', 'is_upcoming', 'was_live', 'post_live'].includes(status ?? '');
  const open = { is_live: 'live', is_upcoming: 'upcoming' } as const;
  return {
    id: id ?? bounded(url, 300),
    url,
    title: bounded(title ?? id ?? url, TITLE_MAX_CHARS),
    kind: kind ?? (isStream ? 'stream' : url.includes('/shorts/') ? 'short' : 'video'),
    ...optional('total', entry.playlist_count),
    ...optional('seconds', duration === undefined ? undefined : Math.round(duration)),
    ...optional('publishedAtMs', timestamp === undefined ? undefined : timestamp * 1000),
    ...optional('state', open[status as keyof typeof open]),
  };
}
