import { agoText, countText } from '../format-values.ts';
import { Text } from '../ui/parts.tsx';

interface CommentsProps {
  readonly comments: readonly {
    readonly author: string | null;
    readonly time: string | null;
    readonly likes: number | null;
    readonly text: string | null;
    readonly isReply?: boolean;
  }[];
}

export function Comments({ comments }: CommentsProps) {
  if (comments.length === 0) return null;
  return (
    <ul class="comments">
      {comments.map(({ author, time, likes, text, isReply = false }, index) => (
        <li key={index} class={isReply ? 'reply' : ''}>
          <p class="quiet">
            <strong dir="auto">{author ?? 'Somebody'}</strong>
            {time === null ? '' : ` · ${agoText(time, Date.now())}`}
            {likes === null ? '' : ` · ${countText(likes)} likes`}
          </p>
          <Text>{text}</Text>
        </li>
      ))}
    </ul>
  );
}
