import type { CatalogueChannel, CatalogueVideo } from './catalogue.ts';
import { videoIdFrom } from './ids.ts';

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
      publishedAt: new Date(NEWEST - index * STEP_MS - Math.floor(((index * 7919) % 1000) * (JITTER_MS / 1000))),
      viewCount: (index * 37) % 5000,
      likeCount: (index * 11) % 300,
      tags: ['weather'],
      captions: [],
      liveChat: false,
      comments: [],
    };
  });
}
