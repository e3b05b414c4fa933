import { describe } from 'vitest';
import { audioBench, audioOfFormats, audioThatFails } from '../helpers/audio-bench.ts';

describe('the audio of a video', () => {
  const bench = audioBench({ copies: ['copy.mp3', 'copy.wav', 'copy.flac'] });
  audioOfFormats(bench);
  audioThatFails(bench, ['removed', 'geo_blocked', 'live']);
});
