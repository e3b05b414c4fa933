import type { Thousandths } from '../money.ts';
import type { Sparse } from './sparse.ts';
import type { Comment, VideoFields } from './transcript.ts';

/** The stored facts. Times of lines are numbers here, for export formats, and decimal strings in responses. */
export interface TranscriptFacts {
  readonly video: VideoFacts;
  readonly track: CaptionTrack | SpeechTrack;
  readonly lines: readonly TranscriptLine[];
  /** Set for a transcript of what is spoken, of which there are no lines until it is transcribed. */
  readonly speech?: SpeechOrigin;
}

interface SpeechTrack extends Omit<CaptionTrack, 'kind'> {
  readonly kind: 'speech';
}

interface SpeechOrigin {
  /** The job with the words and speakers; absent for media without sound. */
  readonly recordId?: string | undefined;
  /** The charge of the transcription, in addition to that of this job. */
  readonly cost: Thousandths;
  /** Why there are no captions. */
  readonly reason?: string | undefined;
}

export interface TranscriptLine extends CaptionLine {
  readonly speaker?: string;
}

/** The platform's fields of a video. */
export interface VideoFacts extends Omit<VideoFields, 'vidnet_id' | 'duration'> {
  /** Absent for other sites. */
  readonly videoId?: string | undefined;
  readonly durationSeconds?: number | undefined;
}

export interface CaptionTrack {
  /** Canonical BCP 47, such as `pt-BR`. */
  readonly language: string;
  readonly kind: 'manual' | 'automatic';
  /** The name of the track on the platform. */
  readonly name?: string | undefined;
}

export interface CaptionLine {
  readonly startSeconds: number;
  readonly durationSeconds: number;
  readonly text: string;
}

export type VideoComment = Sparse<Comment>;
