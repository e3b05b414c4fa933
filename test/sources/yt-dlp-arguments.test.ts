import { describe, expect, it } from 'vitest';
import { AUDIO_FORMATS, downloadArguments, videoFormats } from '../../sources/vidnet/yt-dlp-arguments.ts';

const settings = {
  program: 'yt-dlp',
  videoUrlTemplate: 'https://video.example/watch?v={id}',
  maxFileBytes: 1_000,
  maxVideoHeight: 720,
};
const audio = (mediaId: string) => ({ mediaId, formats: AUDIO_FORMATS });

describe('the arguments of yt-dlp', () => {
  it('end with the URL, after --, also for an id that looks like an option', () => {
    expect(downloadArguments(settings, audio('-abcdefghij'), undefined).slice(-2)).toEqual([
      '--',
      'https://video.example/watch?v=-abcdefghij',
    ]);
  });

  it.each(['--ignore-config', '--no-plugin-dirs', '--no-exec', '--no-cache-dir', '--no-playlist'])(
    'hold %s',
    (flag) => {
      expect(downloadArguments(settings, audio('k3fP0aTz9Qw'), undefined)).toContain(flag);
    },
  );

  it('do not evade a geo-block', () => {
    const args = downloadArguments(settings, audio('k3fP0aTz9Qw'), undefined);
    expect(args[args.indexOf('--xff') + 1]).toBe('never');
  });

  it("hand on the operator's settings, and none that is not set", () => {
    const full = downloadArguments(
      { ...settings, pluginDir: '/p', proxy: 'http://proxy', extractorArgs: 'x:y=z', jsRuntime: 'node' },
      audio('k3fP0aTz9Qw'),
      '/work/cookies.txt',
    );
    const values = ['--plugin-dirs', '--proxy', '--extractor-args', '--js-runtimes', '--cookies'].map(
      (name) => full[full.indexOf(name) + 1],
    );
    expect(values).toEqual(['/p', 'http://proxy', 'x:y=z', 'node', '/work/cookies.txt']);
    expect(downloadArguments(settings, audio('k3fP0aTz9Qw'), undefined)).not.toContain('--proxy');
  });

  it('cap the height of a video', () => {
    expect(videoFormats(720).match(/height<=\?720/g)?.length).toBeGreaterThan(3);
  });
});
