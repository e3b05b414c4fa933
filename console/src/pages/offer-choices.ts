import type { Offer, Subject } from '../../../contract/http/resolved-schemas.ts';
import type { IconName } from '../ui/icons.tsx';

export interface Choice {
  readonly title: string;
  readonly about: string;
  readonly icon: IconName;
  readonly offer: Offer;
}

const CHOICES: Readonly<Record<string, Omit<Choice, 'offer'>>> = {
  requestAudio: { title: 'Audio', about: 'The sound as M4A, to play and to keep', icon: 'audio' },
  requestVideo: { title: 'Video', about: 'Picture and sound as MP4', icon: 'video' },
  requestTranscript: { title: 'Captions', about: 'What is said, from the captions of the platform', icon: 'captions' },
  'requestTranscript auto': {
    title: 'Captions',
    about: 'The captions of the page, or else a transcript, at the price of the one with speakers',
    icon: 'captions',
  },
  requestSpeech: {
    title: 'Transcript with speakers',
    about: 'What each speaker says: to read, to search, to play and as subtitles',
    icon: 'speakers',
  },
  requestChannel: { title: 'Channel', about: 'Its description, its numbers and all of its videos', icon: 'channel' },
  requestImgnetProfile: {
    title: 'Profile',
    about: 'Biography and numbers; its posts and reels are had from there',
    icon: 'profile',
  },
  requestImgnetContent: { title: 'Post', about: 'Pictures, caption, numbers and newest comments', icon: 'post' },
  requestImgnetAudio: { title: 'Audio', about: 'The sound of each of its videos as M4A', icon: 'audio' },
  'requestMedia audio': { title: 'Audio', about: 'The sound of the page as M4A', icon: 'audio' },
  'requestMedia of a post': { title: 'Files', about: 'All its pictures and videos, to keep', icon: 'post' },
  'createBatch requestAudio': { title: 'Audio of all', about: 'The sound of every entry, as a batch', icon: 'audio' },
  'createBatch requestVideo': { title: 'Video of all', about: 'The video of every entry, as a batch', icon: 'video' },
  'createBatch requestMedia': {
    title: 'Files of all',
    about: 'The files of every post and reel, as a batch',
    icon: 'post',
  },
  'requestMedia video': { title: 'Video', about: 'The video of the page as MP4', icon: 'video' },
};

/** The field by which offers of the same operation differ. */
function variantOf({ format, mode, each }: Offer['body']): string {
  const variant = format ?? mode ?? (typeof each === 'object' ? each['operation'] : '');
  return typeof variant === 'string' ? variant : '';
}

/** The choice that most users want comes first, and then the transcript, which there is of everything with sound. */
export function choicesOf({ kind, offers }: Subject, hasComments: boolean): readonly Choice[] {
  const isPost = kind === 'post' || kind === 'reel';
  const choices = offers.flatMap((offer) => {
    const { operation, body } = offer;
    // A video of the video platform has its own operations for files that are made as usual.
    if (operation === 'requestMedia' && kind === 'video') return [];
    const isCaptions = operation === 'requestTranscript' && body['mode'] === undefined;
    if (isCaptions && 'include_comments' in body !== hasComments) return [];
    const variant = operation === 'requestMedia' && isPost ? 'of a post' : variantOf(body);
    const known = CHOICES[`${operation} ${variant}`] ?? CHOICES[operation];
    return known === undefined ? [] : [{ ...known, offer }];
  });
  const isSpeech = ({ offer }: Choice): boolean => offer.operation === 'requestSpeech';
  const [first, ...rest] = choices.filter((choice) => !isSpeech(choice));
  const speech = choices.filter(isSpeech);
  return first === undefined ? speech : [first, ...speech, ...rest];
}
