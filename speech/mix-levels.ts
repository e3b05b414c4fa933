/** The level, in dB of full scale, below which sound is ignored, because it is noise of the encoder. */
const AUDIBLE_DB = -60;
/** A mix of sound on one channel is 6 dB quieter than that channel, of two different sounds 3 dB. */
const CANCELLED_DB = 12;

/** Prints the levels of left, right and mix for each second. 8 kHz is sufficient for voices and takes half the time. */
export const LEVEL_FILTERS = [
  'aformat=sample_rates=8000:channel_layouts=stereo',
  'pan=3c|c0=c0|c1=c1|c2=0.5*c0+0.5*c1',
  'asetnsamples=8000',
  'astats=metadata=1:reset=1:measure_perchannel=RMS_level:measure_overall=none',
  'ametadata=print:file=-',
  // The output is discarded, but ffmpeg fails if there is none.
  'apad=pad_len=1',
].join(',');

/** Detects two channels that cancel each other in a mix because one of them is inverted. */
export function createMixLevels() {
  const energies = [0, 0];
  let audibleSeconds = 0;
  let cancelledSeconds = 0;
  let levels: number[] = [];
  return {
    read(line: string): void {
      const level = /^lavfi\.astats\.[123]\.RMS_level=(.+)$/.exec(line)?.[1];
      if (level === undefined) return;
      // ffmpeg prints `-inf` for silence and `nan` if there are no samples.
      levels.push(Number.isFinite(Number(level)) ? Number(level) : -Infinity);
      if (levels.length < 3) return;
      const [left = -Infinity, right = -Infinity, mix = -Infinity] = levels;
      levels = [];
      for (const [channel, db] of [left, right].entries())
        energies[channel] = (energies[channel] ?? 0) + 10 ** (db / 10);
      const louder = Math.max(left, right);
      if (louder < AUDIBLE_DB) return;
      audibleSeconds += 1;
      if (mix < louder - CANCELLED_DB) cancelledSeconds += 1;
    },
    channelToUse(): 'left' | 'right' | undefined {
      if (cancelledSeconds * 2 <= audibleSeconds) return undefined;
      const [left = 0, right = 0] = energies;
      return left >= right ? 'left' : 'right';
    },
  };
}
