import { readFile, realpath } from 'node:fs/promises';
import { basename, extname, join, sep } from 'node:path';
import { z } from 'zod';
import {
  catalogueSchema,
  type CaptionTrack,
  type Catalogue,
  type CatalogueChannel,
  type CatalogueVideo,
  type ChannelEntry,
  type MediaFormat,
  type VideoEntry,
} from './catalogue.ts';
import { commentsOf, generateComments } from './comments.ts';
import { type Naming, videoIdFrom } from './ids.ts';
import { loopMedia, type MediaTools, NotMediaError, probe } from './media-files.ts';

type CatalogueSettings = MediaTools & { readonly naming: Naming };

/** @throws Error with the file and the entry if the folder cannot be used */
export async function readCatalogueFolder(folder: string, settings: CatalogueSettings): Promise<Catalogue> {
  const file = join(folder, 'catalogue.json');
  const parsed = catalogueSchema.safeParse(await readJson(file));
  if (!parsed.success) throw new Error(`${file}: ${z.prettifyError(parsed.error)}`);
  const { naming } = settings;
  const channels = parsed.data.channels.map((entry) => readChannel(entry, naming));
  const channelOf = (handle: string): CatalogueChannel | undefined =>
    channels.find((one) => one.handle === naming.name(handle));
  const root = await realpath(folder);
  const read = async (entry: VideoEntry): Promise<CatalogueVideo> => {
    const channel = channelOf(entry.channel);
    if (channel === undefined) throw new Error(`${file}: video ${entry.id}: no channel ${entry.channel}`);
    const formats = await Promise.all(entry.formats.map((path) => readFormat(path, entry, { ...settings, root })));
    // A picture track may be slightly longer than the sound.
    const sound = formats.filter(({ facts }) => facts.acodec !== 'none');
    const longest = Math.max(0, ...(sound.length > 0 ? sound : formats).map(({ facts }) => facts.durationSeconds));
    const id = naming.videoId(entry.id);
    return {
      ...entry,
      id,
      channel,
      durationSeconds: entry.case === 'live' ? undefined : longest > 0 ? longest : entry.duration_seconds,
      formats,
      captions: await Promise.all(entry.captions.map((track) => readCaptions(root, track))),
      comments:
        entry.case === 'comments_off'
          ? undefined
          : [
              ...commentsOf(entry.comments, { videoId: id, channelOf }),
              ...generateComments(entry.generated_comments, id),
            ],
    };
  };
  const playlists = parsed.data.playlists.map(({ id, channel: handle, ...rest }) => {
    const channel = channelOf(handle);
    if (channel === undefined) throw new Error(`${file}: playlist ${id}: no channel ${handle}`);
    return { ...rest, id: naming.name(id), channel };
  });
  const videos: CatalogueVideo[] = [];
  // Sequential, since the engines start at the same time.
  for (const entry of parsed.data.videos) videos.push(await read(entry));
  const templates = videos.filter((video) => ['ordinary', 'silent', 'long'].includes(video.case));
  const generatedVideos = parsed.data.channels.flatMap(({ handle, generated_videos }) => {
    const channel = channelOf(handle);
    return channel === undefined ? [] : generateVideos(channel, generated_videos, templates);
  });
  return { channels, playlists, videos, generatedVideos };
}

function readChannel(entry: ChannelEntry, naming: Naming): CatalogueChannel {
  const { follower_count, custom_name, user_name } = entry;
  return {
    ...entry,
    id: naming.channelId(entry.id),
    handle: naming.name(entry.handle),
    follower_count: follower_count && Number(follower_count.toPrecision(3)),
    custom_name: custom_name && naming.name(custom_name),
    user_name: user_name && naming.name(user_name),
  };
}

async function readFormat(
  path: string,
  entry: VideoEntry,
  settings: CatalogueSettings & { readonly root: string },
): Promise<MediaFormat> {
  const master = await inside(settings.root, path);
  const file =
    entry.repeat_to_seconds === undefined ? master : await loopMedia(master, entry.repeat_to_seconds, settings);
  const facts = await probe(file, settings).catch((error: unknown) => {
    throw error instanceof NotMediaError ? new Error(`${master}: ${error.message}`) : error;
  });
  return { formatId: basename(path, extname(path)), path: file, facts };
}

async function readCaptions(root: string, track: VideoEntry['captions'][number]): Promise<CaptionTrack> {
  const files = await Promise.all(
    track.files.map(async (path) => ({
      ext: extname(path).slice(1),
      name: `${track.language}.${track.kind}${extname(path)}`,
      path: await inside(root, path),
    })),
  );
  return { language: track.language, name: track.name, kind: track.kind, files };
}

/** Resolves links, which must not lead out of the folder. */
async function inside(root: string, path: string): Promise<string> {
  const real = await realpath(join(root, path)).catch(() => undefined);
  if (real === undefined) throw new Error(`${join(root, path)} does not exist`);
  if (!real.startsWith(root + sep)) throw new Error(`${join(root, path)} leads out of the catalogue folder`);
  return real;
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`${file} cannot be read; SANDBOX_CATALOG names the folder`, { cause: error });
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${String(error)}`, { cause: error });
  }
}

const NEWEST = Date.parse('2026-05-15T12:00:00Z');
const STEP_MS = 7 * 3_600_000;
const JITTER_MS = 1_800_000;

/** Generates the videos of a large channel, newest first, the same at every start. Their media are those of the templates. */
export function generateVideos(
  channel: CatalogueChannel,
  count: number,
  templates: readonly CatalogueVideo[],
): CatalogueVideo[] {
  return Array.from({ length: count }, (_, index) => {
    const template = templates[index % templates.length];
    if (template === undefined) throw new Error(`${channel.handle}: generated videos need a playable video`);
    const number = count - index;
    return {
      ...template,
      id: videoIdFrom('generated', channel.id, String(number)),
      title: `Weather notes, no. ${String(number)}`,
      case: 'ordinary',
      channel,
      description: `Notes of the weather, taken for the ${String(number)}th time.`,
      published_at: new Date(NEWEST - index * STEP_MS - Math.floor(((index * 7919) % 1000) * (JITTER_MS / 1000))),
      view_count: (index * 37) % 5000,
      like_count: (index * 11) % 300,
      tags: ['weather'],
      captions: [],
      live_chat: false,
      comments: [],
    };
  });
}
