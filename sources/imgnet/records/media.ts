import type { ImgnetImage, ImgnetSlide, ImgnetSound } from '../../../contract/imgnet-media.ts';
import {
  arrayOf,
  countOf,
  first,
  known,
  listOf,
  numberOf,
  recordOf,
  secondsOf,
  textOf,
  urlOf,
  wordOf,
  type ImgnetRecord,
} from './record-readers.ts';

/** @returns undefined when the record does not tell its slides */
export function slidesOf(record: ImgnetRecord): ImgnetSlide[] | undefined {
  return arrayOf(record['post_content'])
    ?.flatMap((entry, position) => {
      const slide = recordOf(entry);
      if (slide === undefined) return [];
      return known<ImgnetSlide>({
        index: countOf(slide['index']) ?? position,
        type: wordOf(slide['type'])?.toLowerCase(),
        url: urlOf(slide['url']),
        instagram_id: wordOf(slide['id']),
      });
    })
    .sort((a, b) => a.index - b.index);
}

/** URLs of the photos. Null upstream is both "none" and "not told": the slides tell which. */
export function photosOf(record: ImgnetRecord): string[] | undefined {
  return listOf(record['photos'], urlOf) ?? slideUrls(record, 'photo');
}

export function videosOf(record: ImgnetRecord): string[] | undefined {
  const told = listOf(record['videos'], urlOf) ?? slideUrls(record, 'video');
  if (told !== undefined) return told;
  // An image has no video, whatever else the record leaves out.
  return wordOf(record['content_type'])?.toLowerCase() === 'image' ? [] : listOf(record['video_url'], urlOf);
}

export function imagesOf(record: ImgnetRecord): ImgnetImage[] | undefined {
  return listOf(record['images'], (entry) => {
    const image = recordOf(entry);
    const url = urlOf(image === undefined ? entry : image['url']);
    return url === undefined ? undefined : known<ImgnetImage>({ instagram_id: wordOf(image?.['id']), url });
  });
}

/** Upstream at most one object. */
export function soundsOf(record: ImgnetRecord): ImgnetSound[] | undefined {
  return listOf(record['audio'], (entry) => {
    const sound = recordOf(entry);
    if (sound === undefined) return undefined;
    const fields = known<ImgnetSound>({
      audio_asset_id: wordOf(sound['audio_asset_id']),
      ig_artist_id: wordOf(sound['ig_artist_id']),
      ig_artist_username: wordOf(sound['ig_artist_username']),
      original_audio_title: textOf(sound['original_audio_title']),
    });
    return Object.keys(fields).length === 0 ? undefined : fields;
  });
}

/** All videos together, in whole seconds. */
export function videoSecondsOf(record: ImgnetRecord): number | undefined {
  const entries = arrayOf(record['videos_duration']);
  if (entries === undefined || entries.length === 0) return undefined;
  const seconds = listOf(entries, (entry) => {
    const parts = recordOf(entry);
    const told = first([entry, parts?.['video_duration'], parts?.['duration']], numberOf);
    return told !== undefined && told >= 0 ? told : undefined;
  });
  // A sum that lacks one of its parts would be wrong.
  if (seconds?.length !== entries.length) return undefined;
  return secondsOf(seconds.reduce((sum, part) => sum + part, 0));
}

function slideUrls(record: ImgnetRecord, type: string): string[] | undefined {
  return slidesOf(record)?.flatMap((slide) => (slide.type === type && slide.url !== undefined ? slide.url : []));
}
