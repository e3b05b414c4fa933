import {
  partnershipSchema,
  soundSchema,
  taggedUserSchema,
  type ImgnetImage,
  type ImgnetSlide,
  type ImgnetSound,
  type Partnership,
  type PostComment,
  type ReelComment,
  type TaggedUser,
} from '../../../contract/kinds/imgnet-media.ts';
import { microsecondsOf } from '../../../contract/text/times.ts';
import {
  arrayOf,
  countOf,
  first,
  known,
  listOf,
  namesakes,
  numberOf,
  recordOf,
  secondsOf,
  textOf,
  timeOrDayOf,
  urlOf,
  wordOf,
  type ImgnetRecord,
} from './record-readers.ts';

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

/** URLs of the photos. A null from the API means "none" or "unknown"; the slides show which. */
export function photosOf(record: ImgnetRecord): string[] | undefined {
  return listOf(record['photos'], urlOf) ?? slideUrls(record, 'photo');
}

export function videosOf(record: ImgnetRecord): string[] | undefined {
  const stated = listOf(record['videos'], urlOf) ?? slideUrls(record, 'video');
  if (stated !== undefined) return stated;
  return wordOf(record['content_type'])?.toLowerCase() === 'image' ? [] : listOf(record['video_url'], urlOf);
}

export function imagesOf(record: ImgnetRecord): ImgnetImage[] | undefined {
  return listOf(record['images'], (entry) => {
    const image = recordOf(entry);
    const url = urlOf(image === undefined ? entry : image['url']);
    return url === undefined ? undefined : known<ImgnetImage>({ instagram_id: wordOf(image?.['id']), url });
  });
}

export function soundsOf(record: ImgnetRecord): ImgnetSound[] | undefined {
  return listOf(record['audio'], (entry) => {
    const sound = recordOf(entry);
    if (sound === undefined) return undefined;
    const fields: ImgnetSound = known(namesakes(soundSchema.shape, sound));
    return Object.keys(fields).length === 0 ? undefined : fields;
  });
}

export function videoSecondsOf(record: ImgnetRecord): number | undefined {
  const entries = arrayOf(record['videos_duration']);
  if (entries === undefined || entries.length === 0) return undefined;
  const seconds = listOf(entries, (entry) => {
    const parts = recordOf(entry);
    const stated = first([entry, parts?.['video_duration'], parts?.['duration']], numberOf);
    return stated !== undefined && stated >= 0 ? stated : undefined;
  });
  // Without one of its parts, the sum would be wrong.
  if (seconds?.length !== entries.length) return undefined;
  return secondsOf(seconds.reduce((sum, part) => sum + part, 0));
}

function slideUrls(record: ImgnetRecord, type: string): string[] | undefined {
  return slidesOf(record)?.flatMap((slide) => (slide.type === type && slide.url !== undefined ? slide.url : []));
}

export function postCommentsOf(record: ImgnetRecord): PostComment[] | undefined {
  return commentsOf(record, 'created_at', (value) => {
    const time = timeOrDayOf(value);
    return time === undefined ? undefined : microsecondsOf(time);
  });
}

export function reelCommentsOf(record: ImgnetRecord): ReelComment[] | undefined {
  return commentsOf(record, 'date_of_comment', timeOrDayOf);
}

export function taggedUsersOf(record: ImgnetRecord): TaggedUser[] | undefined {
  return listOf(record['tagged_users'], (entry) => {
    const user = recordOf(entry) ?? { username: entry };
    const username = userNameOf(user);
    if (username === undefined) return undefined;
    return known<TaggedUser>({ ...namesakes(taggedUserSchema.shape, user), username });
  });
}

/** Names of the accounts that published it together with the owner. */
export function coauthorsOf(record: ImgnetRecord): string[] | undefined {
  return listOf(record['coauthor_producers'], (entry) => userNameOf(recordOf(entry) ?? { username: entry }));
}

export function partnershipsOf(record: ImgnetRecord): Partnership[] | undefined {
  return listOf(record['partnership_details'], (entry) => {
    const partner = recordOf(entry);
    if (partner === undefined) return undefined;
    const fields = known<Partnership>({
      ...namesakes(partnershipSchema.shape, partner),
      username: userNameOf(partner),
    });
    return Object.keys(fields).length === 0 ? undefined : fields;
  });
}

function commentsOf<DateName extends 'created_at' | 'date_of_comment'>(
  record: ImgnetRecord,
  dateName: DateName,
  dateOf: (value: unknown) => string | undefined,
): CommentWith<DateName>[] | undefined {
  // The dataset of posts has latest_comments with the text in `comments`, that of reels top_comments with `comment`.
  return first([record['latest_comments'], record['top_comments']], (entries) =>
    listOf(entries, (entry) => {
      const comment = recordOf(entry) ?? {};
      const text = first([comment['comment'], comment['comments']], textOf);
      if (text === undefined) return undefined;
      return known({
        comment: text,
        user_commenting: first([comment['user_commenting'], comment['username']], wordOf),
        likes: countOf(comment['likes']),
        [dateName]: first([comment['date_of_comment'], comment['created_at']], dateOf),
      }) as CommentWith<DateName>;
    }),
  );
}

type CommentWith<DateName extends string> = {
  comment: string;
  user_commenting?: string | undefined;
  likes?: number | undefined;
} & { [Name in DateName]?: string | undefined };

function userNameOf(user: ImgnetRecord): string | undefined {
  return first([user['username'], user['user_name']], wordOf);
}
