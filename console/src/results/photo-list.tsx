import { useMemo } from 'preact/hooks';
import type { ImgnetList } from '../../../contract/kinds/imgnet-list.ts';
import { clockText, knownMilliseconds, shortCount } from '../format-values.ts';
import type { Download, PostItem, ReelItem } from '../types.ts';
import { Card } from '../ui/parts.tsx';
import type { Column, Row } from './rows.ts';
import { RowTable } from './table.tsx';

const LIKES: Column = { name: 'likes', label: 'Likes', textOf: shortCount };
const COMMENTS: Column = { name: 'comments', label: 'Comments', textOf: shortCount };
const POST_COLUMNS = [LIKES, COMMENTS];
const REEL_COLUMNS = [
  { name: 'plays', label: 'Plays', textOf: shortCount },
  LIKES,
  COMMENTS,
  { name: 'length', label: 'Length', textOf: clockText },
];

export function PhotoList({ record, result: list }: { readonly record: Download; readonly result: ImgnetList }) {
  const isPosts = record.type === 'imgnet_list_posts';
  const rows = useMemo<readonly Row[]>(
    () => (isPosts ? list.posts.map(rowOfPost) : list.reels.map(rowOfReel)),
    [list, isPosts],
  );
  const title = `${isPosts ? 'Posts' : 'Reels'} of ${record.media_id}`;
  return (
    <Card title={title}>
      <RowTable rows={rows} columns={isPosts ? POST_COLUMNS : REEL_COLUMNS} label={title} icon="post" />
    </Card>
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
