import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { MediaResult } from '../../contract/kinds/media.ts';
import { BUILT_IN_CATALOGUE } from '../../local/sandbox/server.ts';
import { decode, probe, runTool } from '../helpers/media.ts';
import { RecordedSite } from '../helpers/recorded-site.ts';
import { TestService } from '../helpers/service.ts';

let folder: string;
let service: TestService;
let site: RecordedSite;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapedeck-odd-'));
  site = await RecordedSite.start();
  service = await TestService.shared();
}, 120_000);
afterAll(async () => {
  await service.stop();
  await site.stop();
  await rm(folder, { recursive: true, force: true });
});

const PICTURES = '-f lavfi -i testsrc=s=64x64:r=10:d=12';
const H264 = '-c:v libx264 -preset ultrafast -pix_fmt yuv420p';
const tone = (hertz: number, seconds = 6): string => `-f lavfi -i sine=f=${String(hertz)}:d=${String(seconds)}`;
/** 12 of 20 seconds. */
const WITH_GAP = `${tone(440, 20)} -af aselect='not(between(t,5,13))'`;
const HDR_PICTURES = (transfer: string): string =>
  `-f lavfi -i testsrc2=s=64x64:r=5:d=4 -vf format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=${transfer}:colorspace=bt2020nc`;
const HDR = (transfer: string): string =>
  `${HDR_PICTURES(transfer)} -c:v libx265 -x265-params log-level=error:colorprim=bt2020:transfer=${transfer}:colormatrix=bt2020nc`;
const TWO_TRACKS = `${PICTURES} ${tone(300, 12)} ${tone(900, 12)} -map 0 -map 1 -map 2 ${H264} -c:a aac`;

interface Expected {
  readonly seconds?: number;
  /** The frequency of the sound. */
  readonly hertz?: number;
  /** The seconds in which there is sound. */
  readonly sound?: readonly [number, number];
  readonly transfer?: string;
}
type Row = readonly [title: string, file: string, type: string, format: 'audio' | 'video', args: string, of: Expected];

const ROWS: readonly Row[] = [
  [
    'a recording of a browser, without a length',
    'a.webm',
    'video/webm',
    'audio',
    `${tone(440)} -c:a libopus -live 1`,
    {},
  ],
  ['the same with pictures', 'b.webm', 'video/webm', 'video', `${PICTURES} -c:v libvpx -live 1`, { seconds: 12 }],
  [
    'MP3 of variable bit rate without an index',
    'c.mp3',
    'audio/mpeg',
    'audio',
    `${tone(440)} -q:a 4 -write_xing 0`,
    {},
  ],
  [
    'sound that begins late',
    'd.mp4',
    'video/mp4',
    'audio',
    `${PICTURES} -itsoffset 4 ${tone(440, 8)} ${H264} -c:a aac`,
    { seconds: 12, sound: [4, 12] },
  ],
  [
    'sound that ends early',
    'e.mp4',
    'video/mp4',
    'audio',
    `${PICTURES} ${tone(440, 8)} ${H264} -c:a aac`,
    { seconds: 8 },
  ],
  [
    'sound that ends early, as a video',
    'f.mp4',
    'video/mp4',
    'video',
    `${PICTURES} ${tone(440, 8)} ${H264} -c:a aac`,
    { seconds: 12 },
  ],
  ['a gap in AAC', 'g.m4a', 'audio/mp4', 'audio', `${WITH_GAP} -c:a aac`, { seconds: 20, sound: [13, 20] }],
  ['a gap in Opus', 'h.webm', 'audio/webm', 'audio', `${WITH_GAP} -c:a libopus`, { seconds: 20, sound: [13, 20] }],
  [
    'a default track that is the second',
    'i.mkv',
    'video/x-matroska',
    'audio',
    `${TWO_TRACKS} -disposition:a:0 0 -disposition:a:1 default`,
    { seconds: 12, hertz: 900 },
  ],
  [
    'a description before the sound',
    'j.mp4',
    'video/mp4',
    'video',
    `${TWO_TRACKS} -disposition:a:0 default+visual_impaired -disposition:a:1 0`,
    { seconds: 12, hertz: 900 },
  ],
  [
    'a dub before the original',
    'k.mkv',
    'video/x-matroska',
    'audio',
    `${TWO_TRACKS} -disposition:a:0 default -disposition:a:1 default+original`,
    { seconds: 12, hertz: 900 },
  ],
  [
    'a description in a transport stream',
    'l.ts',
    'video/mp2t',
    'audio',
    `${TWO_TRACKS} -disposition:a:0 visual_impaired`,
    { seconds: 12, hertz: 900 },
  ],
  ['HDR (PQ)', 'm.mp4', 'video/mp4', 'video', `${HDR('smpte2084')} -tag:v hvc1`, { seconds: 4, transfer: 'bt709' }],
  ['HDR (HLG)', 'n.mp4', 'video/mp4', 'video', `${HDR('arib-std-b67')} -tag:v hvc1`, { seconds: 4, transfer: 'bt709' }],
  [
    'FLV',
    'o.flv',
    'video/x-flv',
    'video',
    `${PICTURES} ${tone(440, 12)} -c:v flv -c:a libmp3lame -ar 44100`,
    { seconds: 12, hertz: 440 },
  ],
  [
    'AVI',
    'p.avi',
    'video/x-msvideo',
    'video',
    `${PICTURES} ${tone(440, 12)} -c:v mpeg4 -c:a libmp3lame`,
    { seconds: 12, hertz: 440 },
  ],
  [
    'MPEG-PS',
    'q.mpg',
    'video/mpeg',
    'video',
    `-f lavfi -i testsrc=s=64x64:r=25:d=12 ${tone(440, 12)} -c:v mpeg2video -c:a mp2`,
    { seconds: 12, hertz: 440 },
  ],
  ['WMV', 'r.wmv', 'video/x-ms-wmv', 'video', `${PICTURES} ${tone(440, 12)}`, { seconds: 12, hertz: 440 }],
  ['AIFF', 's.aiff', 'audio/x-aiff', 'audio', tone(440), { hertz: 440 }],
  [
    '3GP',
    't.3gp',
    'video/3gpp',
    'video',
    `-f lavfi -i testsrc=s=176x144:r=10:d=12 ${tone(440, 12)} -c:v h263 -c:a libopencore_amrnb -ar 8000 -ac 1`,
    { seconds: 12, hertz: 440 },
  ],
  ['ADPCM in WAV', 'v.wav', 'audio/wav', 'audio', `${tone(440)} -c:a adpcm_ima_wav`, { hertz: 440 }],
  ['G.726 in WAV', 'x.wav', 'audio/wav', 'audio', `${tone(440)} -c:a g726 -b:a 32k -ar 8000 -ac 1`, { hertz: 440 }],
  ['AMR', 'u.amr', 'audio/amr', 'audio', `${tone(440)} -c:a libopencore_amrnb -ar 8000 -ac 1`, {}],
  ['G.722', 'w.g722', 'audio/G722', 'audio', `${tone(440)} -c:a g722 -ar 16000 -ac 1`, {}],
  ['ADTS', 'ba.aac', 'audio/aac', 'audio', `${tone(440)} -c:a aac`, {}],
  ['WAV that was streamed', 'bb.wav', 'audio/wav', 'audio', `${tone(440)} -seekable 0`, {}],
  ['FLAC that was streamed', 'bc.flac', 'audio/flac', 'audio', `${tone(440)} -seekable 0`, {}],
  [
    'MP4 in fragments, without a length',
    'bd.mp4',
    'video/mp4',
    'video',
    `${PICTURES} ${tone(440, 12)} ${H264} -c:a aac -movflags frag_keyframe+empty_moov`,
    { seconds: 12 },
  ],
  [
    'a gap in a transport stream',
    'be.ts',
    'video/mp2t',
    'audio',
    `${WITH_GAP} -c:a aac`,
    { seconds: 20, sound: [13, 20] },
  ],
  [
    'a transport stream of a camera',
    'bh.m2ts',
    'video/mp2t',
    'video',
    `${PICTURES} ${tone(440, 12)} ${H264} -c:a ac3 -mpegts_m2ts_mode 1`,
    { seconds: 12 },
  ],
  [
    'sound that begins late in FLV',
    'bf.flv',
    'video/x-flv',
    'audio',
    `${PICTURES} -itsoffset 4 ${tone(440, 8)} ${H264} -c:a aac`,
    { seconds: 12, sound: [4, 12] },
  ],
  [
    'HDR (PQ) in VP9',
    'bg.webm',
    'video/webm',
    'video',
    `${HDR_PICTURES('smpte2084')} -c:v libvpx-vp9 -profile:v 2 -cpu-used 8`,
    { seconds: 4, transfer: 'bt709' },
  ],
  ['TTA', 'aa.tta', 'audio/x-tta', 'audio', tone(440), {}],
  ['WavPack', 'ab.wv', 'audio/x-wavpack', 'audio', tone(440), {}],
  ['VOC', 'ac.voc', 'audio/x-voc', 'audio', tone(440), {}],
  ['SWF', 'ad.swf', 'audio/x-swf', 'audio', `${tone(440)} -ar 44100 -c:a libmp3lame`, {}],
  [
    'DV',
    'ae.dv',
    'video/x-dv',
    'video',
    `-f lavfi -i testsrc=s=720x576:r=25:d=4 ${tone(440, 4)} -target pal-dv`,
    { seconds: 4 },
  ],
  [
    'MXF',
    'af.mxf',
    'video/x-mxf',
    'video',
    `-f lavfi -i testsrc=s=64x64:r=25:d=12 ${tone(440, 12)} -c:v mpeg2video -c:a pcm_s16le -ar 48000`,
    { seconds: 12 },
  ],
  ['RealMedia', 'ag.rm', 'audio/x-realaudio', 'audio', `${tone(440)} -c:a ac3 -f rm`, {}],
  [
    'HDR (PQ) in 8 bits',
    'ah.mp4',
    'video/mp4',
    'video',
    `${HDR_PICTURES('smpte2084').replace('yuv420p10le', 'yuv420p')} ${H264}`,
    { seconds: 4, transfer: 'bt709' },
  ],
  ['AU', 'y.au', 'audio/basic', 'audio', `${tone(440)} -c:a pcm_mulaw`, { hertz: 440 }],
];

async function served(file: string, args: string): Promise<Buffer> {
  const path = join(folder, file);
  await runTool(inject('tools').ffmpeg, ['-v', 'error', '-y', ...args.split(' '), path]);
  return readFile(path);
}

async function request(path: string, format: 'audio' | 'video'): Promise<MediaResult['data'] & { response: string }> {
  const body = { url: `${site.url}${path}`, format };
  const headers = { prefer: 'wait=60' };
  const answer = await service.request<MediaResult>('POST', '/api/downloads/media', { body, headers });
  return answer.body.data as MediaResult['data'] & { response: string };
}

const secondsOf = (duration: string | null): number =>
  (duration ?? '').split(':').reduce((sum, part) => sum * 60 + Number(part), 0);

/** @returns the latest time of a frame, in seconds */
async function lastTimeOf(url: string): Promise<number> {
  const args = ['-v', 'error', '-select_streams', 'v', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0', url];
  const lines = (await runTool(inject('tools').ffprobe, args)).toString().split(/[\s,]+/);
  return Math.max(...lines.map(Number));
}

/** @returns the duration, in seconds, of a video at a path of the site */
async function expectToEndAsStated(path: string): Promise<number> {
  const data = await request(path, 'video');
  expect(data).toMatchObject({ status: 'success' });
  const { duration } = await probe(data.file_urls![0]!);
  expect(Math.abs(secondsOf(data.duration) - duration)).toBeLessThanOrEqual(1);
  expect(await lastTimeOf(data.file_urls![0]!)).toBeLessThan(duration + 1);
  return duration;
}

/** @returns the number of rises through zero in a second, which is the frequency of a tone; 0 for silence */
function frequencyAt(samples: Float64Array, second: number): number {
  const part = samples.subarray(second * 16_000, (second + 1) * 16_000);
  return part.filter((sample, index) => sample > 100 && (part[index - 1] ?? 0) <= 100).length;
}

describe('media of a page', () => {
  it.each(ROWS)('are made, and as long as their content: %s', async (_title, file, type, format, args, of) => {
    const { seconds = 6, hertz = 440, sound = [0, seconds], transfer } = of;
    site.set(`/${file}`, { type, body: await served(file, args) });
    const data = await request(`/${file}`, format);
    expect(data).toMatchObject({ status: 'success' });
    expect(Math.abs(secondsOf(data.duration) - seconds)).toBeLessThanOrEqual(1);
    const link = data.file_urls![0]!;
    const { streams, duration } = await probe(link);
    expect(Math.abs(duration - seconds)).toBeLessThan(0.5);
    const pictures = streams.find(({ codec_type }) => codec_type === 'video') as
      { color_transfer?: string } | undefined;
    expect(pictures !== undefined).toBe(format === 'video');
    expect(pictures?.color_transfer).toBe(transfer);
    if (!streams.some(({ codec_type }) => codec_type === 'audio')) return;
    const samples = await decode(link);
    if (format === 'audio') expect(Math.abs(samples.length / 16_000 - seconds)).toBeLessThan(0.5);
    expect(Math.abs(frequencyAt(samples, Math.ceil(sound[0]) + 1) - hertz)).toBeLessThan(10);
    for (let second = 0; second < sound[0] - 8; second += 1) expect(frequencyAt(samples, second)).toBeGreaterThan(400);
    if (sound[0] === 4) expect(frequencyAt(samples, 2)).toBe(0);
  });

  it('are as long as both recordings when two MP3 files are joined', async () => {
    const one = await served('joined.mp3', tone(440));
    site.set('/joined.mp3', { type: 'audio/mpeg', body: Buffer.concat([one, one]) });
    const data = await request('/joined.mp3', 'audio');
    expect(Math.abs(secondsOf(data.duration) - 12)).toBeLessThanOrEqual(1);
  });

  it('are as long as their pictures when the time of one frame lies far behind the stated end', async () => {
    const body = await served('jump.mp4', `${PICTURES} -c:v libx264 -preset fast -bf 2 -pix_fmt yuv420p`);
    // The third entry of the table of composition times: of each entry, the second half is the offset.
    body.writeUInt32BE(5_000_000, body.indexOf('ctts') + 12 + 2 * 8 + 4);
    site.set('/jump.mp4', { type: 'video/mp4', body });
    await expectToEndAsStated('/jump.mp4');
  });

  it('fail after one attempt when the times are still wrong after a conversion', async () => {
    const body = await readFile(join(BUILT_IN_CATALOGUE, 'media/garden/134.mp4'));
    // The composition offset of the first frame in the second fragment.
    body.writeUInt32BE(5_131_000, body.indexOf('trun', body.indexOf('trun') + 4) + 24);
    site.set('/back.mp4', { type: 'video/mp4', body });
    const response = 'The media cannot be read: they are damaged or in an unknown format.';
    expect(await request('/back.mp4', 'video')).toMatchObject({ status: 'failed', response });
    expect(site.requests.filter((one) => one === '/back.mp4').length).toBeLessThan(10);
  });

  it('begin with the first whole picture when those before it are damaged and there is no sound', async () => {
    const noise = `-g 60 -bsf:v noise=amount='lt(n,60)'`;
    site.set('/late.webm', {
      type: 'video/webm',
      body: await served('late.webm', `${PICTURES} -c:v libvpx-vp9 ${noise}`),
    });
    expect(await expectToEndAsStated('/late.webm')).toBeCloseTo(6, 0);
  });

  it.each(['chunked', 'by closing the connection'] as const)(
    'are as long as their content when the header states more, and the length of the response is shown %s',
    async (length) => {
      const whole = await served('long.mp4', `${PICTURES} ${tone(440, 12)} ${H264} -c:a aac -movflags faststart`);
      // The index still states 12 seconds.
      const body = whole.subarray(0, Math.round(whole.length * 0.75));
      const path = `/cut-${length.replaceAll(' ', '-')}.mp4`;
      site.set(path, { type: 'video/mp4', body, length });
      for (const format of ['audio', 'video'] as const) {
        const data = await request(path, format);
        expect(data).toMatchObject({ status: 'success' });
        const { duration } = await probe(data.file_urls![0]!);
        expect(duration).toBeLessThan(11);
        expect(Math.abs(secondsOf(data.duration) - duration)).toBeLessThanOrEqual(1);
      }
    },
  );

  it('fail after one attempt in a format that is not converted, and say so', async () => {
    site.set('/z.sox', { type: 'audio/x-sox', body: await served('z.sox', tone(440)) });
    const map = '#EXT-X-MAP:URI="/i.mp4"\n#EXTINF:6,\n/s.m4s\n';
    const playlist = `#EXTM3U\n#EXT-X-VERSION:7\n#EXT-X-TARGETDURATION:6\n${map}#EXT-X-DISCONTINUITY\n${map}#EXT-X-ENDLIST\n`;
    site.set('/maps.m3u8', { type: 'application/vnd.apple.mpegurl', body: playlist });
    for (const path of ['/z.sox', '/maps.m3u8']) {
      const name = path === '/z.sox' ? ': sox' : '';
      const response = `The media are in a format that this service does not convert${name}.`;
      expect(await request(path, 'audio'), path).toMatchObject({ status: 'failed', response });
      // yt-dlp itself reads a playlist up to seven times.
      expect(site.requests.filter((one) => one === path).length).toBeLessThan(10);
    }
  });
});
