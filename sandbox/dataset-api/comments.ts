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

export function commentsOn({ seed, publishedAtMs }: Publication): CommentFacts[] {
  return Array.from({ length: seed % 4 }, (_, index) => ({
    text: TEXTS[(seed + index) % TEXTS.length] ?? '',
    user: USERS[(seed + index) % USERS.length] ?? '',
    likes: (seed >> index) & 15,
    publishedAtMs: publishedAtMs + (index + 1) * DAY_MS,
  }));
}
