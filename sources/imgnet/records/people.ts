import type { Partnership, PostComment, ReelComment, TaggedUser } from '../../../contract/imgnet-media.ts';
import {
  booleanOf,
  countOf,
  first,
  known,
  listOf,
  recordOf,
  textOf,
  timeOrDayOf,
  urlOf,
  wordOf,
  type ImgnetRecord,
} from './record-readers.ts';

export function postCommentsOf(record: ImgnetRecord): PostComment[] | undefined {
  return commentsOf(record, 'created_at');
}

export function reelCommentsOf(record: ImgnetRecord): ReelComment[] | undefined {
  return commentsOf(record, 'date_of_comment');
}

export function taggedUsersOf(record: ImgnetRecord): TaggedUser[] | undefined {
  return listOf(record['tagged_users'], (entry) => {
    const user = recordOf(entry) ?? { username: entry };
    const username = userNameOf(user);
    if (username === undefined) return undefined;
    return known<TaggedUser>({
      username,
      full_name: textOf(user['full_name']),
      is_verified: booleanOf(user['is_verified']),
    });
  });
}

/** Names of the accounts that published it together with the owner. */
export function coauthorsOf(record: ImgnetRecord): string[] | undefined {
  return listOf(record['coauthor_producers'], (entry) => userNameOf(recordOf(entry) ?? { username: entry }));
}

/** Upstream at most one object. */
export function partnershipsOf(record: ImgnetRecord): Partnership[] | undefined {
  return listOf(record['partnership_details'], (entry) => {
    const partner = recordOf(entry);
    if (partner === undefined) return undefined;
    const fields = known<Partnership>({
      profile_id: wordOf(partner['profile_id']),
      username: userNameOf(partner),
      profile_url: urlOf(partner['profile_url']),
    });
    return Object.keys(fields).length === 0 ? undefined : fields;
  });
}

function commentsOf<DateName extends 'created_at' | 'date_of_comment'>(
  record: ImgnetRecord,
  dateName: DateName,
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
        [dateName]: first([comment['date_of_comment'], comment['created_at']], timeOrDayOf),
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
