import type { Publication } from './publications.ts';

const TEXTS = ['What a light!', 'Where is this?', 'So calm.', 'More of these, please.', 'Saved for the weekend.'];
const USERS = ['walker.sam', 'ines_m', 'two.cups', 'leaf_and_stone'];
const DAY_MS = 86_400_000;

interface CommentFacts {
  readonly text: string;
  readonly user: string;
  readonly likes: number;
  readonly publishedAtMs: number;
}

export function commentsOn({ seed, index: place, publishedAtMs }: Publication): CommentFacts[] {
  // The newest of an account show what a comment looks like; of the older ones some have none.
  const count = place < 6 ? 1 + (seed % 3) : seed % 4;
  return Array.from({ length: count }, (_, index) => ({
    text: TEXTS[(seed + index) % TEXTS.length] ?? '',
    user: USERS[(seed + index) % USERS.length] ?? '',
    likes: (seed >> index) & 15,
    publishedAtMs: publishedAtMs + (index + 1) * DAY_MS,
  }));
}
