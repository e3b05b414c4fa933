import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, relative } from 'node:path';
import type { Catalogue, CatalogueChannel, CatalogueVideo } from './catalogue.ts';
import { videoIdFrom, type Naming } from './ids.ts';
import { type MediaTools, NotMediaError, probe } from './media-files.ts';

const MEDIA_EXTENSIONS = new Set(
  'wav mp3 flac webm mp4 m4a ogg oga opus mkv mka mov m4v aac aif aiff avi ts 3gp amr caf wma'.split(' '),
);

type MediaFolderSettings = MediaTools & { readonly naming: Naming; readonly log: (line: string) => void };

export async function readMediaFolder(
  path: string,
  settings: MediaFolderSettings,
): Promise<Pick<Catalogue, 'videos' | 'channels'>> {
  const start = await realpath(path).catch((error: unknown) => {
    throw new Error(`--media ${path}: there is no such folder or file`, { cause: error });
  });
  const single = (await stat(start)).isFile();
  const root = single ? dirname(start) : start;
  const channel: CatalogueChannel = {
    handle: settings.naming.name('@recordings'),
    id: settings.naming.channelId('UCrecordings-of-this-one'),
    title: 'Recordings',
    description: 'The recordings that were added with --media.',
    view_count: 0,
    case: 'ordinary',
  };
  const videos: CatalogueVideo[] = [];
  for (const file of single ? [start] : await walk(root, settings.log)) {
    const video = await readRecording(file, relative(root, file), { ...settings, channel });
    if (video !== undefined) videos.push(video);
  }
  settings.log(`${path}: ${String(videos.length)} recordings added`);
  return { videos, channels: videos.length === 0 ? [] : [channel] };
}

async function readRecording(
  path: string,
  name: string,
  settings: MediaFolderSettings & { readonly channel: CatalogueChannel },
): Promise<CatalogueVideo | undefined> {
  const facts = MEDIA_EXTENSIONS.has(extname(path).slice(1).toLowerCase())
    ? await probe(path, settings).catch((error: unknown) => {
        if (error instanceof NotMediaError) return error.message;
        throw error;
      })
    : 'its name is not that of an audio or video file';
  if (typeof facts === 'string') {
    settings.log(`skipped ${JSON.stringify(name)}: ${facts}`);
    return undefined;
  }
  return {
    id: settings.naming.videoId(videoIdFrom('recording', name, String(facts.filesize))),
    title: basename(path),
    case: 'ordinary',
    channel: settings.channel,
    description: '',
    published_at: (await stat(path)).mtime,
    view_count: 0,
    tags: [],
    durationSeconds: facts.durationSeconds,
    formats: [{ formatId: 'original', path, facts }],
    captions: [],
    live_chat: false,
    comments: [],
  };
}

/** Files in a stable order. Links are not followed, since they may lead out of the folder or form loops. */
async function walk(folder: string, log: (line: string) => void): Promise<string[]> {
  const files: string[] = [];
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(await walk(path, log)));
    else if (entry.isFile()) files.push(path);
    else log(`skipped ${JSON.stringify(entry.name)}: neither a file nor a folder`);
  }
  return files;
}
