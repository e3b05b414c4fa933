import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';
import type { ImgnetList } from '../../../contract/kinds/imgnet-list.ts';
import { read } from '../console-api.ts';
import { clockText, knownMilliseconds, shortCount } from '../format-values.ts';
import type { Download, PostItem, ReelItem } from '../types.ts';
import { useLoaded } from '../ui/hooks.ts';
import { Loading, Trouble } from '../ui/parts.tsx';
import type { Column, Row } from './rows.ts';
import { RowTable } from './table.tsx';

const LIKES: Column = { name: 'likes', label: 'Likes', textOf: shortCount };
const COMMENTS: Column = { name: 'comments', label: 'Comments', textOf: shortCount };
const OF_POSTS = [LIKES, COMMENTS];
const OF_REELS = [
  { name: 'plays', label: 'Plays', textOf: shortCount },
  LIKES,
  COMMENTS,
  { name: 'length', label: 'Length', textOf: clockText },
];

/** The posts or reels of an account. */
export function PhotoList({ record }: { readonly record: Download }): JSX.Element {
  const { value, thrown } = useLoaded(
    (signal) => read<ImgnetList>(`/api/downloads/${record.id}/result`, signal),
    [record.id],
  );
  const isPosts = record.type === 'imgnet_list_posts';
  const rows = useMemo<readonly Row[]>(
    () => (value === undefined ? [] : isPosts ? value.posts.map(rowOfPost) : value.reels.map(rowOfReel)),
    [value, isPosts],
  );
  if (thrown !== undefined) return <Trouble thrown={thrown} />;
  if (value === undefined) return <Loading what="Loading the list" />;
  const what = isPosts ? 'Posts' : 'Reels';
  return (
    <section class="card" aria-labelledby="list-heading">
      <h2 id="list-heading">
        {what} of {record.media_id}
      </h2>
      {rows.length === 0 ? (
        <p>There are none.</p>
      ) : (
        <RowTable
          rows={rows}
          columns={isPosts ? OF_POSTS : OF_REELS}
          label={`${what} of ${record.media_id}`}
          icon="post"
        />
      )}
    </section>
  );
}

function rowOfPost(post: PostItem): Row {
  return {
    ...common(post, post.caption ?? post.description),
    thumbnail: post.image_url,
    numbers: { likes: post.likes, comments: post.num_comments },
  };
}

function rowOfReel(reel: ReelItem): Row {
  return {
    ...common(reel, reel.description),
    thumbnail: reel.thumbnail,
    numbers: {
      plays: reel.video_play_count ?? reel.video_view_count ?? reel.views,
      likes: reel.likes,
      comments: reel.num_comments,
      length: reel.length,
    },
  };
}

function common({ shortcode, url, date_posted: date }: PostItem | ReelItem, text: string | null) {
  const title = text?.trim() ? text : shortcode;
  return { id: shortcode, title, reference: url, publishedMs: knownMilliseconds(date) };
}
