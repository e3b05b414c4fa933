import type { Piece } from './local-voices.ts';

/** The neighbourhood in which recording conditions are considered the same. */
const NEAR_SECONDS = 15;
/** The weight of the mean of the window, as a number of pairs. */
const PRIOR_PAIRS = 4;
/** Two pieces of a voice that are farther apart may be of different speakers. */
const MAX_PAUSE_SECONDS = 1;
const LEAST_PAIRS = 3;
/** The assumed similarity of pieces of one voice if too few are known. */
const USUAL_SIMILARITY = 0.33;
const LEAST_SIMILARITY = 0.05;

interface Pair {
  readonly atSeconds: number;
  readonly similarity: number;
}

/**
 * Scales embeddings so that the product of two of one speaker is 1 on average, in noise as well as in clean
 * audio. In noise, embeddings of one speaker differ as much as those of two speakers in a clean recording. How much they
 * differ is taken from consecutive pieces of one voice, which nearly always are of one speaker.
 */
export function scaleEmbeddings(
  pieces: readonly Piece[],
  embeddings: readonly (readonly number[] | undefined)[],
): (readonly number[] | undefined)[] {
  const pairs = consecutivePairs(pieces, embeddings);
  const mean = pairs.length < LEAST_PAIRS ? USUAL_SIMILARITY : sumOf(pairs) / pairs.length;
  return pieces.map(({ startSeconds, endSeconds }, i) => {
    const middle = (startSeconds + endSeconds) / 2;
    const near = pairs.filter(({ atSeconds }) => Math.abs(atSeconds - middle) < NEAR_SECONDS);
    const similarity = (sumOf(near) + PRIOR_PAIRS * mean) / (near.length + PRIOR_PAIRS);
    const factor = 1 / Math.sqrt(Math.max(LEAST_SIMILARITY, similarity));
    return embeddings[i]?.map((value) => value * factor);
  });
}

/** @returns for each piece the next one of the same voice whose embedding has no audio in common */
function consecutivePairs(pieces: readonly Piece[], embeddings: readonly (readonly number[] | undefined)[]): Pair[] {
  const pairs: Pair[] = [];
  for (const [i, { localSpeaker, context }] of pieces.entries()) {
    const next = pieces.findIndex(
      (piece, j) =>
        j > i &&
        embeddings[j] !== undefined &&
        piece.localSpeaker === localSpeaker &&
        piece.context.startSeconds >= context.endSeconds - ROUNDING_SECONDS,
    );
    const [own, other] = [embeddings[i], embeddings[next]];
    const following = pieces[next]?.context;
    if (own === undefined || other === undefined || following === undefined) continue;
    if (following.startSeconds - context.endSeconds >= MAX_PAUSE_SECONDS) continue;
    const atSeconds = (context.endSeconds + following.startSeconds) / 2;
    pairs.push({ atSeconds, similarity: own.reduce((sum, value, k) => sum + value * (other[k] ?? 0), 0) });
  }
  return pairs;
}

const ROUNDING_SECONDS = 1e-6;

function sumOf(pairs: readonly Pair[]): number {
  return pairs.reduce((sum, { similarity }) => sum + similarity, 0);
}
