import { z } from 'zod';
import type { MediaInfoFacts } from '../../../contract/kinds/media-info.ts';
import { trackLanguage } from '../captions/caption-languages.ts';
import { amountSchema, entriesSchema, flagSchema, numberSchema, textSchema } from '../fact-schemas.ts';

const formatSchema = z.object({
  ext: z.string().min(1).max(20).optional().catch(undefined),
  vcodec: textSchema,
  acodec: textSchema,
  height: amountSchema,
  fps: amountSchema,
  filesize: amountSchema,
  filesize_approx: amountSchema,
  tbr: amountSchema,
  language: textSchema,
  language_preference: numberSchema,
  has_drm: flagSchema,
});
type Format = z.infer<typeof formatSchema>;

/** yt-dlp's `formats`, the worst first. */
export const formatsSchema = entriesSchema(formatSchema);
export const formatKeys = Object.keys(formatSchema.shape).join(',');

type Shown = Pick<MediaInfoFacts, 'video_formats' | 'audio_formats' | 'audio_languages'>;
const FORMATS_MAX = 50;
/** yt-dlp's preference of an audio description. */
const DESCRIPTIVE = -10;

/** Reduces the formats of a page, often hundreds, to those among which a person chooses. */
export function shownFormats(all: readonly Format[], seconds = 0): { readonly isAny: boolean; readonly shown: Shown } {
  const formats = all.filter((format) => format.has_drm !== true && (hasPictures(format) || hasSound(format)));
  const spoken = formats.filter(hasSound);
  const undescribed = spoken.filter(({ language_preference: preference = 0 }) => preference > DESCRIPTIVE);
  const sounds = undescribed.length > 0 ? undescribed : spoken;
  const videos = new Map<string, NonNullable<Shown['video_formats']>[number]>();
  const audios = new Map<string, NonNullable<Shown['audio_formats']>[number]>();
  for (const format of formats) {
    const { ext: container = 'unknown', height, fps } = format;
    if (hasPictures(format)) {
      const [lines, frameRate] = [height && Math.round(height), fps && Math.round(fps)];
      const key = [lines, frameRate, container].join(' ');
      videos.set(key, {
        ...{ height: lines, frame_rate: frameRate, container },
        // The better formats come later.
        size: sizeOf(format, seconds) ?? videos.get(key)?.size,
        has_sound: hasSound(format),
      });
    } else if (sounds.includes(format)) {
      const language = languageOf(format);
      const key = `${container} ${language ?? ''}`;
      audios.set(key, { container, language, size: sizeOf(format, seconds) ?? audios.get(key)?.size });
    }
  }
  return {
    isAny: formats.length > 0,
    shown: {
      video_formats: [...videos.values()]
        .reverse()
        .toSorted((a, b) => (b.height ?? 0) - (a.height ?? 0) || (b.frame_rate ?? 0) - (a.frame_rate ?? 0))
        .slice(0, FORMATS_MAX),
      audio_formats: [...audios.values()].reverse().slice(0, FORMATS_MAX),
      audio_languages: languagesOf(sounds).slice(0, FORMATS_MAX),
    },
  };
}

/** A codec that the page does not state may be there, but a format of sound has no lines. */
function hasPictures({ vcodec, acodec, height }: Format): boolean {
  if (vcodec === 'none') return false;
  return vcodec !== undefined || height !== undefined || acodec === undefined;
}

function hasSound({ acodec }: Format): boolean {
  return acodec !== 'none';
}

function sizeOf({ filesize, filesize_approx, tbr = 0 }: Format, seconds: number): number | undefined {
  // Kilobits per second.
  const size = Math.round(filesize ?? filesize_approx ?? (tbr * 1000 * seconds) / 8);
  return size > 0 ? size : undefined;
}

function languageOf({ language }: Format): string | undefined {
  return language === undefined ? undefined : trackLanguage(language);
}

/** The original is the only language, or the one that the page prefers to all others. */
function languagesOf(formats: readonly Format[]): NonNullable<Shown['audio_languages']> {
  const preferences = new Map<string, number>();
  for (const format of formats) {
    const language = languageOf(format);
    if (language === undefined) continue;
    preferences.set(language, Math.max(format.language_preference ?? -1, preferences.get(language) ?? -Infinity));
  }
  const sorted = [...preferences].toSorted(([, a], [, b]) => b - a);
  const [[, best] = ['', 0], [, second] = ['', -Infinity]] = sorted;
  return sorted.map(([language], index) => ({ language, is_original: index === 0 && best > second }));
}
