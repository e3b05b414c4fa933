import type { JSX } from 'preact';
import type { ImgnetPost, ImgnetReel } from '../../../contract/kinds/imgnet-content.ts';
import { read } from '../console-api.ts';
import { agoText, countText, dateText } from '../format-values.ts';
import { pathTo } from '../router.ts';
import { useLoaded } from '../ui/hooks.ts';
import { Facts, Loading, Out, Picture, Trouble } from '../ui/parts.tsx';

/** A post or reel of the photo platform. */
export function Post({ id }: { readonly id: string }): JSX.Element {
  const { value, thrown } = useLoaded(
    (signal) => read<ImgnetPost | ImgnetReel>(`/api/downloads/${id}/result`, signal),
    [id],
  );
  if (thrown !== undefined) return <Trouble thrown={thrown} />;
  if (value === undefined) return <Loading what="Loading the post" />;
  const text = value.type === 'post' ? (value.caption ?? value.description) : value.description;
  const plays = value.video_play_count ?? value.video_view_count;
  const numbers = [
    ['Likes', value.likes],
    ['Comments', value.num_comments],
    ['Plays', plays],
  ] as const;
  return (
    <section class="card" aria-labelledby="post-heading">
      <div class="heading">
        <h2 id="post-heading">
          {value.type === 'reel' ? 'Reel' : 'Post'}
          {value.user_posted === null ? null : (
            <>
              {' by '}
              <a href={pathTo('home', { q: `@${value.user_posted}` })}>@{value.user_posted}</a>
            </>
          )}
        </h2>
        <span class="quiet">{value.date_posted === null ? '' : dateText(value.date_posted)}</span>
      </div>
      <ul class="pictures" aria-label="Pictures">
        {picturesOf(value).map((url, index) => (
          <li key={url}>
            <Picture url={url} label={labelOf(value, index)} icon="post" className="slide" />
          </li>
        ))}
      </ul>
      <ul class="big-numbers">
        {numbers.map(([name, count]) =>
          count === null ? null : (
            <li key={name}>
              <strong>{countText(count)}</strong> {count === 1 ? name.slice(0, -1) : name}
            </li>
          ),
        )}
      </ul>
      {text ? <p class="text">{text}</p> : null}
      <Facts
        facts={[
          ['Page', <Out url={value.url}>Open on the platform</Out>],
          ['Place', value.type === 'post' ? value.location?.name : null],
          ['Tagged', value.tagged_users.map(({ username }) => `@${username}`).join(', ')],
          ['With', value.coauthor_producers.map((name) => `@${name}`).join(', ')],
          ['Followers of its owner', value.followers === null ? null : countText(value.followers)],
        ]}
      />
      <p>
        <a class="button" href={pathTo('home', { q: value.url })}>
          Fetch its audio
        </a>
      </p>
      <Comments post={value} />
    </section>
  );
}

function Comments({ post }: { readonly post: ImgnetPost | ImgnetReel }): JSX.Element | null {
  const now = Date.now();
  if (post.latest_comments.length === 0) return null;
  return (
    <>
      <h3>Newest comments</h3>
      <ul class="comments">
        {post.latest_comments.map((comment, index) => {
          const time = 'created_at' in comment ? comment.created_at : comment.date_of_comment;
          return (
            <li key={index}>
              <p class="quiet">
                <strong>{comment.user_commenting ?? 'Somebody'}</strong>
                {time === null ? '' : ` · ${agoText(time, now)}`}
                {comment.likes === null ? '' : ` · ${countText(comment.likes)} likes`}
              </p>
              <p class="text">{comment.comment}</p>
            </li>
          );
        })}
      </ul>
    </>
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
