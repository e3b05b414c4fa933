import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadConfig } from '../../../config.ts';
import { chooseSpeech } from '../../../speech/choose-engine.ts';
import { transcribe } from '../eval/transcribe.ts';
import type { Part } from '../part.ts';
import { inTurn, timed, median } from '../rounds.ts';
import { withBench, type Bench } from '../service.ts';

/** A talk of two, of half a minute. */
const TALK = 'kX3vQ9mTz0A';
const JOBS_PER_ROUND = 3;

/** Speaker labels of audio that is there, beside the same engine called directly on it. */
export const speech: Part = {
  title: 'Speaker labels',
  run: ({ dataDir, engine, say, rounds }) => {
    const jobs = rounds * JOBS_PER_ROUND;
    // The first one only warms up: a second request for one audio returns the first result.
    const videos = { videos: jobs + 1, copied: TALK, env: { SPEECH_ENGINE: 'whisper' } };
    return withBench({ dataDir, engine, say, services: ['api', 'worker'], ...videos }, async (bench) => {
      const audioIds: string[] = [];
      for (const videoId of bench.ids) audioIds.push((await bench.requestAudio(videoId)).id);
      const [audio] = await Promise.all(audioIds.map((id) => bench.ended(id)));
      const path = join(dataDir, 'talk.m4a');
      const file = await fetch(audio?.audio_url ?? '');
      await writeFile(path, Buffer.from(await file.arrayBuffer()));
      const direct = await directly(bench, path, join(dataDir, 'direct'));
      const job = (index: number): Promise<void> => label(bench, audioIds[index] ?? '');

      await job(jobs);
      const { durationSeconds } = await direct();
      const tookMs = await inTurn(jobs, {
        ours: (round) => timed(() => job(round)),
        direct: () => timed(direct),
      });
      const seconds = { ours: median(tookMs.ours) / 1_000, direct: median(tookMs.direct) / 1_000 };
      const what = `speaker labels of ${durationSeconds.toFixed(0)} s of audio`;
      const reference = { what: 'the engine called directly', value: seconds.direct };
      return {
        findings: [
          { what, unit: 's', value: seconds.ours, reference, isChief: true },
          {
            what: 'of that for a second of audio (real-time factor)',
            unit: 's',
            value: seconds.ours / durationSeconds,
            reference: { ...reference, value: seconds.direct / durationSeconds },
          },
        ],
        raw: { durationSeconds, tookMs },
      };
    });
  },
};

async function label({ stack }: Bench, audioId: string): Promise<void> {
  const response = await fetch(`${stack.restUrl}/api/transcriptspeakerid`, {
    method: 'POST',
    headers: { prefer: 'wait=60' },
    body: JSON.stringify({ transcript_with_speaker_id: audioId }),
  });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`answered ${String(response.status)}: ${text}`);
}

/** The worker's own engine, without anything around it. @throws when there is none */
async function directly({ stack, tools }: Bench, path: string, workFolder: string) {
  await mkdir(workFolder);
  const chosen = await chooseSpeech(loadConfig(stack.env), workFolder);
  if ('missing' in chosen) throw new Error(chosen.missing);
  return () => transcribe(path, { ...chosen, ffmpeg: tools.ffmpeg, workFolder }, () => undefined);
}
