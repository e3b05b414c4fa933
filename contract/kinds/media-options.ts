import { z } from 'zod';
import { optionalField } from '../http/fields.ts';
import { languageSchema } from '../text/language-tags.ts';
import {
  CONTAINERS,
  DEFAULT_CONTAINERS,
  NAME_FIELDS,
  SPONSORBLOCK_CATEGORIES,
  type Container,
} from '../media-option-values.ts';

export const mediaFormatSchema = z.enum(['audio', 'video']);
export type MediaFormat = z.infer<typeof mediaFormatSchema>;

const LOSSY: readonly Container[] = ['m4a', 'opus', 'mp3'];
const WEBM_CODECS: readonly string[] = ['vp9', 'av1'];
const SECTION_MAX_SECONDS = 7 * 86_400;

const timeSchema = z
  .union(
    [
      z.number().nonnegative().max(SECTION_MAX_SECONDS),
      z
        .string()
        .regex(/^(?:(?:\d{1,3}:)?[0-5]?\d:[0-5]\d|\d{1,6})(?:\.\d{1,6})?$/)
        .transform((text) => text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)),
    ],
    'must be seconds, at most those of a week, or a time such as 1:02:03.5',
  )
  .meta({ examples: [92.5, '1:02:03'] });

/** `false` is the default, and is left out, so that requests for the same file are one job. */
const trueSchema = z.boolean().transform((isWanted): boolean | undefined => isWanted || undefined);

const sectionSchema = z
  .object({
    from: optionalField(timeSchema),
    to: optionalField(timeSchema),
    chapter: optionalField(z.string().min(1).max(300)).describe('The title of a chapter, instead of times'),
    exact: optionalField(trueSchema).describe('Encode the section again to cut it to the frame'),
  })
  .refine(({ from, to, chapter }) => (from === undefined && to === undefined) !== (chapter === undefined), {
    message: 'must have a chapter, or one or both of from and to',
  })
  .refine(({ from = 0, to = Infinity }) => to > from, { path: ['to'], message: 'must be later than from' })
  .meta({ id: 'MediaSection', description: 'The only part to fetch' });

/** An attempt may take ten hours, of which a conversion takes some. */
export const RECORDING_MAX_SECONDS = 6 * 3_600;
const liveSchema = z
  .object({
    from: z.enum(['start', 'now']).describe('`start`: from its beginning, if the site offers that'),
    seconds: optionalField(z.number().int().min(1).max(RECORDING_MAX_SECONDS)),
    until: optionalField(z.iso.datetime({ offset: true }).transform((text) => new Date(text).toISOString())),
  })
  .refine(({ seconds, until }) => (seconds === undefined) !== (until === undefined), {
    message: 'must have either seconds or until',
  })
  .meta({
    id: 'LiveRecording',
    description: 'Record a running broadcast; the recording ends earlier if the broadcast ends or stalls',
  });

const categoriesSchema = z.array(z.enum(SPONSORBLOCK_CATEGORIES)).min(1).transform(sortedUnique);

const sponsorblockSchema = z
  .object({
    mark: optionalField(categoriesSchema).describe('Segments that become chapters'),
    remove: optionalField(categoriesSchema).describe('Segments that are cut out'),
  })
  .meta({
    id: 'SponsorBlockOptions',
    description: 'Segments that viewers of the video platform reported to SponsorBlock',
  });

export const mediaOptionsShape = {
  max_height: optionalField(z.number().int().min(64).max(8_640)).describe(
    'The most lines of a video; else the next lower height is taken',
  ),
  container: optionalField(z.enum(Object.keys(CONTAINERS) as [Container, ...Container[]])).describe(
    'The container of a video is `mp4` (default), `mkv`, or `webm` if the page has it; that of audio is `m4a` (default) or another',
  ),
  codec: optionalField(z.enum(['h264', 'hevc', 'vp9', 'av1'])).describe('The codec of the pictures that is preferred'),
  bit_rate: optionalField(z.number().int().min(16).max(512)).describe('Encode the sound with this many kbit/s'),
  sound_language: optionalField(z.union([z.literal('original').transform(() => undefined), languageSchema])).describe(
    'The language of the sound; default: `original`',
  ),
  section: optionalField(sectionSchema),
  embed: optionalField(z.array(z.enum(['tags', 'cover', 'chapters', 'captions'])).transform(sortedUnique)).describe(
    'Further data to write into the file; `captions` are those made by people',
  ),
  sponsorblock: optionalField(sponsorblockSchema),
  wait_for_start: optionalField(trueSchema).describe(
    'Wait for a premiere or an announced broadcast, for at most 7 days, instead of failing as `not_started`',
  ),
  live: optionalField(liveSchema),
  file_name: optionalField(
    z
      .string()
      .min(1)
      .max(200)
      .refine((text) => !/[{}]/.test(text.replaceAll(FIELD, '')), {
        message: `may only contain the fields ${NAME_FIELDS.map((name) => `{${name}}`).join(', ')}`,
      }),
  ).describe('The name of the file without its ending, such as `{date} {title}`'),
};
export const FIELD = new RegExp(`\\{(${NAME_FIELDS.join('|')})\\}`, 'g');

/** The options that are stored with a job: those that differ from the defaults. */
export const mediaOptionsSchema = z.object(mediaOptionsShape).partial();
export type MediaOptions = Readonly<z.infer<typeof mediaOptionsSchema>>;

/** @returns the field and the reason for which the options contradict the format or each other */
export function contradictionIn(
  request: MediaOptions & { readonly format: MediaFormat },
): readonly [string, string] | undefined {
  const { format, container = DEFAULT_CONTAINERS[format], codec, bit_rate, section, sponsorblock, live } = request;
  const { mark = [], remove = [] } = sponsorblock ?? {};
  const lacks = (name: string): boolean => !(CONTAINERS[container].holds as readonly string[]).includes(name);
  const [isAudio, isWebm] = [format === 'audio', container === 'webm'];
  const unheld = request.embed?.find(lacks);
  const checks: readonly (readonly [boolean, string, string])[] = [
    [CONTAINERS[container].format !== format, 'container', `${container} cannot hold what the format ${format} needs`],
    [isAudio && request.max_height !== undefined, 'max_height', 'needs the format video'],
    [isAudio && codec !== undefined, 'codec', 'needs the format video'],
    [isWebm && codec !== undefined && !WEBM_CODECS.includes(codec), 'codec', 'webm cannot hold it'],
    [isWebm && section?.exact === true, 'section.exact', 'webm is only copied, which cannot cut to the frame'],
    [isWebm && remove.length > 0, 'sponsorblock.remove', 'webm is only copied, which cannot cut to the frame'],
    [isAudio && bit_rate !== undefined && !LOSSY.includes(container), 'bit_rate', `${container} has none`],
    [unheld !== undefined, 'embed', `${container} cannot hold ${String(unheld)}`],
    [sponsorblock !== undefined && mark.length + remove.length === 0, 'sponsorblock', 'must have mark or remove'],
    [live !== undefined && section !== undefined, 'live', 'cannot be combined with section'],
    [live !== undefined && sponsorblock !== undefined, 'live', 'cannot be combined with sponsorblock'],
    [Date.parse(live?.until ?? '') <= Date.now(), 'live.until', 'must be in the future'],
    [mark.some((category) => remove.includes(category)), 'sponsorblock.mark', 'must not repeat what is removed'],
    [mark.length > 0 && lacks('chapters'), 'sponsorblock.mark', `${container} cannot hold chapters`],
  ];
  const [, ...found] = checks.find(([isContradiction]) => isContradiction) ?? [];
  return found.length === 0 ? undefined : found;
}

/** @returns the options that change the default file, or undefined if none does, so that requests for the same file are one job */
export function optionsOf(request: MediaOptions & { readonly format: MediaFormat }): MediaOptions | undefined {
  const given = Object.keys(mediaOptionsShape).map((name) => [name, request[name as keyof MediaOptions]] as const);
  const other = given.filter(([name, value]) => name !== 'container' || value !== DEFAULT_CONTAINERS[request.format]);
  const kept = JSON.parse(JSON.stringify(Object.fromEntries(other))) as MediaOptions;
  return Object.keys(kept).length === 0 ? undefined : kept;
}

/** @returns undefined if there are none, which is the default */
function sortedUnique<Item>(items: readonly Item[]): Item[] | undefined {
  return items.length === 0 ? undefined : [...new Set(items)].sort();
}
