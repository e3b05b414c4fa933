import { z } from 'zod';
import { VIDEO_CASES } from './catalogue.ts';
import { videoIdFrom } from './ids.ts';
import type { Library } from './library.ts';

const title = z.string().min(1);
const id = z.string();

/** Body of POST /change; README.md explains the fields. */
export const changeSchema = z.union([
  z.strictObject({
    publish: z.string(),
    title,
    case: z.enum(VIDEO_CASES).default('ordinary'),
    is_short: z.boolean().default(false),
    published_at: z.coerce.date().optional(),
  }),
  z.strictObject({ rename: id, title }),
  z.strictObject({ remove: id }),
  z.strictObject({ pin: id }),
  z.strictObject({ end: id }),
]);
type Change = z.infer<typeof changeSchema>;

let published = 0;

/** @returns the ID of the changed video; undefined if the channel or video does not exist */
export function changeChannel(library: Library, change: Change): string | undefined {
  if ('publish' in change) {
    const channel = library.channel(change.publish);
    const template = library.catalogue.videos.find((one) => one.case === 'ordinary');
    if (channel === undefined || template === undefined) return undefined;
    published += 1;
    const { title, case: name, is_short: isShort, published_at = new Date() } = change;
    const id = videoIdFrom('published', channel.id, String(published));
    library.put({ ...template, ...{ id, title, case: name, isShort, published_at, channel } });
    return id;
  }
  const [name = ''] = Object.values<string>(change);
  const video = library.video(name);
  if (video === undefined) return undefined;
  if ('rename' in change) library.put({ ...video, title: change.title });
  else if ('end' in change) library.put({ ...video, case: 'ordinary', published_at: new Date() });
  else library.take(video, { isPinned: 'pin' in change });
  return video.id;
}
