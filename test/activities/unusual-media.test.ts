import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import type { MediaOptions } from '../../contract/kinds/media-options.ts';
import { MP4, startMediaMaker, type MediaMaker } from '../helpers/media-maker.ts';
import { runTool } from '../helpers/media.ts';

const SECONDS = 10;

let maker: MediaMaker;
beforeAll(async () => {
  maker = await startMediaMaker();
  const { site, add, format } = maker;
  const of = (pictures: string): string[] => ['-f', 'lavfi', '-i', `${pictures}:d=${String(SECONDS)}`];
  const h264 = ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', ...MP4];
  const hevc = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=none', '-tag:v', 'hvc1', ...MP4];
  const pq = 'format=yuv420p10le,setparams=color_trc=smpte2084:color_primaries=bt2020:colorspace=bt2020nc';
  // Thirty pictures per second at first, then ten.
  const uneven = ['-vf', "select='lt(t,5)+not(mod(n,3))'", '-fps_mode', 'vfr'];
  const six = (layout: string): string =>
    `pan=${layout}|FL=c0|FR=c0|FC=c0|LFE=c0|${layout === '5.1' ? 'B' : 'S'}L=c0|${layout === '5.1' ? 'B' : 'S'}R=c0`;
  const upright = await add('upright.mp4', 'video/mp4', [...of('testsrc=s=320x180:r=10'), ...h264]);
  await Promise.all([
    add('rotated.mp4', 'video/mp4', ['-display_rotation', '90', '-i', upright, '-c', 'copy', ...MP4]),
    add('vertical.mp4', 'video/mp4', [...of('testsrc=s=180x320:r=10'), ...h264]),
    add('hdr.mp4', 'video/mp4', [...of('testsrc2=s=320x180:r=10'), '-vf', pq, ...hevc]),
    add('uneven.mp4', 'video/mp4', [...of('testsrc=s=320x180:r=30'), ...uneven, ...h264]),
    add('surround.m4a', 'audio/mp4', [...of('sine=440'), '-af', six('5.1'), ...MP4]),
    add('side.mkv', 'audio/matroska', [...of('sine=440'), '-af', six('5.1(side)'), '-c:a', 'ac3']),
  ]);
  const page = (id: string, file: object): void =>
    site.set(`/recorded/${id}`, { body: { id, title: id, formats: [file] } });
  for (const id of ['rotated', 'vertical', 'hdr', 'uneven']) {
    const vcodec = id === 'hdr' ? 'hvc1' : 'avc1.42';
    const height = id === 'vertical' ? 320 : 180;
    page(id, format(`${id}.mp4`, { vcodec, acodec: 'none', height }));
  }
  page('surround', format('surround.m4a', { vcodec: 'none', acodec: 'mp4a.40.2' }));
  page('side', format('side.mkv', { vcodec: 'none', acodec: 'ac-3' }));
}, 120_000);
afterAll(() => maker.stop());

/** Size and colours of the first picture as a player shows it, or the layout of the sound. */
async function shownIn(path: string, format: 'audio' | 'video'): Promise<string> {
  const filter = format === 'audio' ? ['-af', 'ashowinfo'] : ['-vf', 'showinfo'];
  const args = ['-hide_banner', '-i', path, ...filter, '-frames', '1', '-f', 'null', '-'];
  const log = (await runTool('sh', ['-c', 'exec "$0" "$@" 2>&1', inject('tools').ffmpeg, ...args])).toString();
  const parts = format === 'audio' ? [/ chlayout:(\S+)/] : [/ s:(\d+x\d+) /, / color_trc:(\w+)/];
  return parts.map((part) => part.exec(log)?.[1] ?? '').join(' ');
}

const EXACT: MediaOptions = { section: { from: 2, to: 8, exact: true } as never };

it.each<[string, 'audio' | 'video', MediaOptions, string, string]>([
  ['rotated', 'video', { max_height: 320 }, 'copied', '180x320 unknown'],
  ['rotated', 'video', { container: 'mkv' }, 'copied', '180x320 unknown'],
  ['rotated', 'video', EXACT, 'converted', '180x320 unknown'],
  ['vertical', 'video', { max_height: 320 }, 'copied', '180x320 unknown'],
  ['vertical', 'video', EXACT, 'converted', '180x320 unknown'],
  ['hdr', 'video', { max_height: 320 }, 'converted', '320x180 bt709'],
  ['hdr', 'video', { codec: 'hevc' }, 'copied', '320x180 smpte2084'],
  ['hdr', 'video', { container: 'mkv' }, 'copied', '320x180 smpte2084'],
  ['hdr', 'video', EXACT, 'converted', '320x180 bt709'],
  ['uneven', 'video', { max_height: 320 }, 'copied', '320x180 unknown'],
  ['uneven', 'video', EXACT, 'converted', '320x180 unknown'],
  ['surround', 'audio', { file_name: 'x' }, 'copied', '5.1'],
  ['surround', 'audio', { bit_rate: 256 }, 'converted', '5.1'],
  ['surround', 'audio', { container: 'opus' }, 'converted', '5.1'],
  ['surround', 'audio', { container: 'flac' }, 'converted', '5.1'],
  ['surround', 'audio', { container: 'wav' }, 'converted', '5.1'],
  ['surround', 'audio', { container: 'mp3' }, 'converted', 'stereo'],
  ['side', 'audio', { container: 'opus' }, 'converted', '5.1'],
  ['side', 'audio', { container: 'flac' }, 'converted', '5.1(side)'],
])('%s %s with %j is %s: %s', async (id, format, options, encoding, shown) => {
  const made = await maker.make(format, options, { id });
  expect(made.encoding).toBe(encoding);
  expect(made.seconds).toBeCloseTo(options === EXACT ? 6 : SECONDS, -0.3);
  expect(await shownIn(made.path, format)).toBe(shown);
  if (id === 'uneven') expect(made.pictures).toBeCloseTo(options === EXACT ? 120 : 200, -0.6);
});
