import { describe, expect, it } from 'vitest';
import { videoIdOf } from '../../contract/urls/vidnet-urls.ts';

const ID = 'k3fP0aTz9Qw';
const HOSTS = ['127.0.0.1:4000'];

describe('a video', () => {
  it.each([
    ID,
    ` ${ID}\n`,
    `https://www.youtube.com/watch?v=${ID}`,
    `http://youtube.com/watch/?list=PL1&v=${ID}&t=12s#top`,
    `m.youtube.com/watch?v=${ID}`,
    `https://music.youtube.com/watch?v=${ID}&si=abc`,
    `https://youtu.be/${ID}?t=3`,
    `youtu.be/${ID}/`,
    `https://www.youtube.com/shorts/${ID}`,
    `https://www.youtube.com/live/${ID}?feature=share`,
    `https://www.youtube-nocookie.com/embed/${ID}`,
    `//www.youtube.com/v/${ID}`,
    `http://127.0.0.1:4000/watch?v=${ID}`,
  ])('is meant by %s', (text) => {
    expect(videoIdOf(text, HOSTS)).toBe(ID);
  });

  it.each([
    '',
    'k3fP0aTz9Q',
    `${ID}w`,
    'https://www.youtube.com/watch',
    `https://www.youtube.com/watch?v=${ID}w`,
    `https://www.youtube.com/watch/more?v=${ID}`,
    `https://www.youtube.com/shorts/${ID}/more`,
    `https://www.youtube.com/${ID}`,
    'https://www.youtube.com/@evening-talks',
    `https://youtu.be/${ID}/more`,
    'https://youtu.be/',
    `https://youtube.com.evil.example/watch?v=${ID}`,
    `https://user@www.youtube.com/watch?v=${ID}`,
    `ftp://www.youtube.com/watch?v=${ID}`,
    `http://127.0.0.1:4001/watch?v=${ID}`,
  ])('is not meant by %s', (text) => {
    expect(videoIdOf(text, HOSTS)).toBeUndefined();
  });
});
