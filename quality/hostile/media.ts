import { execFile } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createSites, type HostileSites } from './sites.ts';

const run = promisify(execFile);
const PICTURES_A_SECOND = 30;
/** These are encoded once and then repeated as they are. */
const ENCODED_PICTURES = 100;

/** Creates the media in a folder, and sites that serve them. @param pictures rounded up to a multiple of 100 */
export async function openSites(ffmpeg: string, folder: string, pictures: number): Promise<HostileSites> {
  await mkdir(folder, { recursive: true });
  return createSites({
    small: await smallRecording(ffmpeg, folder),
    pictures: await hugePictures(ffmpeg, folder, pictures),
  });
}

/** An M4A of a second and a half, which the service processes in almost no time. */
async function smallRecording(ffmpeg: string, folder: string): Promise<Buffer> {
  const path = join(folder, 'small.m4a');
  await run(ffmpeg, ['-v', 'error', '-y', ...'-f lavfi -i sine=d=1.5 -c:a aac'.split(' '), path]);
  return readFile(path);
}

/** A WebM of silent black pictures of 3840 x 2160: small to send, but as slow to convert as any other of its size. */
async function hugePictures(ffmpeg: string, folder: string, pictures: number): Promise<Buffer> {
  const encoded = join(folder, 'encoded.webm');
  const repeated = join(folder, 'repeated.webm');
  const sources = `-f lavfi -i color=black:s=3840x2160:r=${String(PICTURES_A_SECOND)} -f lavfi -i anullsrc=r=8000:cl=mono`;
  const codecs = '-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -b:v 0 -crf 63 -g 10000 -c:a libopus -b:a 6k';
  const seconds = ['-t', String(ENCODED_PICTURES / PICTURES_A_SECOND)];
  await run(ffmpeg, ['-v', 'error', '-y', ...sources.split(' '), ...codecs.split(' '), ...seconds, encoded]);
  const repeats = String(Math.ceil(pictures / ENCODED_PICTURES) - 1);
  await run(ffmpeg, ['-v', 'error', '-y', '-stream_loop', repeats, '-i', encoded, '-c', 'copy', repeated]);
  return readFile(repeated);
}
