import { readFile, realpath } from 'node:fs/promises';
import { basename, extname, isAbsolute, join, sep } from 'node:path';
import { z } from 'zod';
import { VIDEO_CASES, type CaptionTrack, type Catalogue, type CatalogueVideo, type MediaFormat } from './catalogue.ts';
import type { Naming } from './ids.ts';
import { loopMedia, type LoopSettings } from './loop-media.ts';
import { NotMediaError, probe, type ProbeSettings } from './probe.ts';

const relativePath = z.string().refine((path) => !isAbsolute(path) && !path.split(/[\\/]/).includes('..'), {
  error: 'a path inside the catalogue folder',
});
const handle = z.string().regex(/^@[\w.-]{3,30}$/, 'a handle such as @tea-time');
const count = z.number().int().nonnegative();

/** catalogue.json; catalogue/README.md explains it. */
const catalogueSchema = z.strictObject({
  channels: z
    .array(
      z.strictObject({
        handle,
        id: z.string().regex(/^UC[\w-]{22}$/, 'UC and 22 characters'),
        title: z.string().min(1),
        description: z.string().default(''),
        follower_count: count.default(0),
        case: z.literal('ordinary'),
      }),
    )
    .min(1),
  videos: z.array(
    z.strictObject({
      id: z.string().regex(/^[\w-]{11}$/, '11 characters of A-Z, a-z, 0-9, _ and -'),
      title: z.string().min(1),
      case: z.enum(VIDEO_CASES),
      channel: handle,
      description: z.string().default(''),
      published_at: z.iso.datetime(),
      view_count: count.default(0),
      like_count: count.default(0),
      tags: z.array(z.string()).default([]),
      repeat_to_seconds: z.number().positive().max(86_400).optional(),
      formats: z.array(relativePath).default([]),
      captions: z
        .array(
          z.strictObject({
            language: z.string().regex(/^[A-Za-z]{2,3}(-[\w-]+)?$/, 'a language such as en or pt-BR'),
            name: z.string(),
            kind: z.enum(['manual', 'automatic']),
            files: z.array(relativePath).min(1),
          }),
        )
        .default([]),
    }),
  ),
});
type VideoEntry = z.infer<typeof catalogueSchema>['videos'][number];

/** The catalogue folder can't be used; the message names the place. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
}

export interface CatalogueSettings extends ProbeSettings, LoopSettings {
  readonly naming: Naming;
}

/** Reads a catalogue folder and everything that ffprobe knows about its media. @throws CatalogueError */
export async function readCatalogueFolder(folder: string, settings: CatalogueSettings): Promise<Catalogue> {
  const file = join(folder, 'catalogue.json');
  const parsed = catalogueSchema.safeParse(await readJson(file));
  if (!parsed.success) throw new CatalogueError(`${file}: ${z.prettifyError(parsed.error)}`);
  const { naming } = settings;
  const channels = parsed.data.channels.map(({ follower_count, ...channel }) => ({
    ...channel,
    id: naming.channelId(channel.id),
    handle: naming.handle(channel.handle),
    followerCount: follower_count,
  }));
  const root = await realpath(folder);
  const read = async (entry: VideoEntry): Promise<CatalogueVideo> => {
    const channel = channels.find((one) => one.handle === naming.handle(entry.channel));
    if (channel === undefined) throw new CatalogueError(`${file}: video ${entry.id}: no channel ${entry.channel}`);
    const formats = await Promise.all(entry.formats.map((path) => readFormat(path, entry, { ...settings, root })));
    // Pictures have a length of their own and end a little later than the sound.
    const sound = formats.filter(({ facts }) => facts.acodec !== 'none');
    const longest = Math.max(0, ...(sound.length > 0 ? sound : formats).map(({ facts }) => facts.durationSeconds));
    return {
      id: naming.videoId(entry.id),
      title: entry.title,
      case: entry.case,
      channel,
      description: entry.description,
      publishedAt: new Date(entry.published_at),
      viewCount: entry.view_count,
      likeCount: entry.like_count,
      tags: entry.tags,
      durationSeconds: longest === 0 || entry.case === 'live' ? undefined : longest,
      formats,
      captions: await Promise.all(entry.captions.map((track) => readCaptions(root, track))),
    };
  };
  const videos: CatalogueVideo[] = [];
  // One after the other: a start shares its machine with engines that start too.
  for (const entry of parsed.data.videos) videos.push(await read(entry));
  return { channels, videos };
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
    throw error instanceof NotMediaError ? new CatalogueError(`${master}: ${error.message}`) : error;
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

/** A link in the folder must not lead out of it either. */
async function inside(root: string, path: string): Promise<string> {
  const real = await realpath(join(root, path)).catch(() => undefined);
  if (real === undefined) throw new CatalogueError(`${join(root, path)} does not exist`);
  if (!real.startsWith(root + sep)) throw new CatalogueError(`${join(root, path)} leads out of the catalogue folder`);
  return real;
}

async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CatalogueError(`${file} cannot be read; SANDBOX_CATALOG names the folder`, { cause: error });
  });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueError(`${file} is not JSON: ${String(error)}`, { cause: error });
  }
}
