import type { ImgnetPost, ImgnetReel } from '../../../contract/kinds/imgnet-content.ts';
import { countText, dateText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { BigNumbers, Card, Facts, ExternalLink, Text } from '../ui/parts.tsx';
import { Comments } from './comments.tsx';
import { Picture } from '../ui/pictures.tsx';

export function Post({ result: post }: { readonly result: ImgnetPost | ImgnetReel }) {
  const text = post.type === 'post' ? (post.caption ?? post.description) : post.description;
  const plays = post.video_play_count ?? post.video_view_count;
  return (
    <Card
      title={
        <>
          {post.type === 'reel' ? 'Reel' : 'Post'}
          {post.user_posted === null ? null : (
            <>
              {' by '}
              <a href={pathTo('home', { q: `@${post.user_posted}` })}>@{post.user_posted}</a>
            </>
          )}
        </>
      }
      end={<span class="quiet">{post.date_posted === null ? '' : dateText(post.date_posted)}</span>}
    >
      <ul class="pictures" aria-label="Pictures">
        {picturesOf(post).map((url, index) => (
          <li key={url}>
            <Picture url={url} label={labelOf(post, index)} icon="post" className="slide" />
          </li>
        ))}
      </ul>
      <BigNumbers
        numbers={[
          [post.likes === 1 ? 'Like' : 'Likes', post.likes],
          [post.num_comments === 1 ? 'Comment' : 'Comments', post.num_comments],
          [plays === 1 ? 'Play' : 'Plays', plays],
        ]}
      />
      <Text>{text}</Text>
      <Facts
        facts={[
          ['Page', <ExternalLink url={post.url}>Open on the platform</ExternalLink>],
          ['Location', post.type === 'post' ? post.location?.name : null],
          ['Tagged', post.tagged_users.map(({ username }) => `@${username}`).join(', ')],
          ['With', post.coauthor_producers.map((name) => `@${name}`).join(', ')],
          ['Followers of its owner', post.followers === null ? null : countText(post.followers)],
        ]}
      />
      <p>
        <a class="button" href={pathTo('home', { q: post.url })}>
          Fetch its audio
        </a>
      </p>
      {post.latest_comments.length === 0 ? null : <h3>Newest comments</h3>}
      <Comments
        comments={post.latest_comments.map((comment) => ({
          author: comment.user_commenting,
          time: 'created_at' in comment ? comment.created_at : comment.date_of_comment,
          likes: comment.likes,
          text: comment.comment,
        }))}
      />
    </Card>
  );
}

function picturesOf(post: ImgnetPost | ImgnetReel): readonly string[] {
  if (post.type === 'reel') return post.thumbnail === null ? [] : [post.thumbnail];
  const photos = post.photos.length > 0 ? post.photos : post.images.map(({ url }) => url);
  const first = post.image_url ?? post.thumbnail;
  return [...new Set(photos.length > 0 ? photos : first === null ? [] : [first])];
}

function labelOf(post: ImgnetPost | ImgnetReel, index: number): string {
  const altText = post.type === 'post' && index === 0 ? post.alt_text : null;
  return altText ?? `Picture ${(index + 1).toString()}`;
}
