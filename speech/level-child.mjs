// Usage: node level-child.mjs WAV OFFSET_BYTES LENGTH_BYTES. Prints intervals that may contain voices as JSON lines.
// Its own process keeps an hour of samples from blocking the event loop, and a cancellation ends only this process.
import { RATE, readSamples } from './sherpa/samples.mjs';

const [path, offset, length] = process.argv.slice(2);
const PIECE_SECONDS = 60;
const FRAMES_PER_SECOND = 100;
const HOP = RATE / FRAMES_PER_SECOND;
/** Two periods of the deepest voice, in samples. */
const FRAME = 512;
/** The periods of voices, 70 to 400 Hz, in samples. */
const [SHORTEST_PERIOD, LONGEST_PERIOD] = [40, 228];
/** The level, in dB of full scale, below which speech is not intelligible. */
const AUDIBLE_DB = -60;
/** The background is the level that a fifth of the audio does not reach. It includes steady noise and held chords. */
const BACKGROUND_SHARE = 0.2;
const ABOVE_BACKGROUND_DB = 9;
/** The number of frames before and after a frame over which levels are averaged: about a syllable. */
const SMOOTHED_FRAMES = 5;
const BRIDGED_FRAMES = 30;
const SHORTEST_FRAMES = 30;
/** The correlation of two adjacent periods in speech or song, and the share of frames that must reach it. */
const PERIODIC = 0.5;
const PERIODIC_SHARE = 0.3;
/** The pitch of a voice changes. One that stays within this drift for this many frames is that of an instrument. */
const HELD_FRAMES = 15;
const HELD_DRIFT = 0.015;
const HELD_SHARE = 0.5;

const wav = { path, offsetBytes: Number(offset), lengthBytes: Number(length) };
const durationSeconds = wav.lengthBytes / 2 / RATE;
const count = Math.max(0, Math.floor((durationSeconds * RATE - FRAME - LONGEST_PERIOD) / HOP));
const levels = new Float32Array(count);
/** In samples; 0 if the frame is not periodic. */
const periods = new Uint8Array(count);
for (let at = 0; at < durationSeconds; at += PIECE_SECONDS) {
  const samples = readSamples(wav, at, at + PIECE_SECONDS + 1);
  const first = at * FRAMES_PER_SECOND;
  const end = Math.min(count, first + PIECE_SECONDS * FRAMES_PER_SECOND);
  for (let frame = first; frame < end; frame += 1) {
    const from = (frame - first) * HOP;
    levels[frame] = levelOf(samples, from);
    if (levels[frame] >= AUDIBLE_DB) periods[frame] = periodOf(samples, from);
  }
  console.log(JSON.stringify({ progress: Math.min(1, (at + PIECE_SECONDS) / durationSeconds) }));
}
for (const [start, end] of loudIntervals()) {
  if (!mayBeVoices(start, end)) continue;
  console.log(
    JSON.stringify({ speech: { startSeconds: start / FRAMES_PER_SECOND, endSeconds: end / FRAMES_PER_SECOND } }),
  );
}

function levelOf(samples, from) {
  let energy = 1e-12;
  for (let i = from; i < from + FRAME; i += 1) energy += samples[i] ** 2;
  return 10 * Math.log10(energy / FRAME);
}

function periodOf(samples, from) {
  let best = { correlation: PERIODIC, period: 0 };
  for (let period = SHORTEST_PERIOD; period <= LONGEST_PERIOD; period += 1) {
    let [product, energy, later] = [0, 1e-9, 1e-9];
    // Every second sample is sufficient.
    for (let i = from; i < from + FRAME; i += 2) {
      product += samples[i] * samples[i + period];
      energy += samples[i] ** 2;
      later += samples[i + period] ** 2;
    }
    const correlation = product / Math.sqrt(energy * later);
    if (correlation > best.correlation) best = { correlation, period };
  }
  return best.period;
}

function loudIntervals() {
  const smoothed = levels.map((_, frame) => {
    const near = levels.subarray(Math.max(0, frame - SMOOTHED_FRAMES), frame + SMOOTHED_FRAMES + 1);
    return near.reduce((sum, level) => sum + level, 0) / near.length;
  });
  const background = Float32Array.from(smoothed).sort()[Math.floor(count * BACKGROUND_SHARE)] ?? 0;
  const threshold = Math.max(AUDIBLE_DB, background + ABOVE_BACKGROUND_DB);
  const found = [];
  for (let frame = 0; frame < count; frame += 1) {
    if (smoothed[frame] < threshold) continue;
    const last = found.at(-1);
    if (last !== undefined && frame - last[1] <= BRIDGED_FRAMES) last[1] = frame + 1;
    else found.push([frame, frame + 1]);
  }
  return found.filter(([start, end]) => end - start >= SHORTEST_FRAMES);
}

function mayBeVoices(start, end) {
  const own = periods.subarray(start, end);
  let [periodic, held, run] = [0, 0, 0];
  for (const [i, period] of own.entries()) {
    if (period > 0) periodic += 1;
    const isSame = period > 0 && Math.abs(period - own[i - 1]) <= Math.max(1, period * HELD_DRIFT);
    run = isSame ? run + 1 : 0;
    if (run >= HELD_FRAMES) held += run === HELD_FRAMES ? HELD_FRAMES : 1;
  }
  return periodic >= own.length * PERIODIC_SHARE && held < periodic * HELD_SHARE;
}
