/** What is quieter, in dB of full scale, says nothing: noise of the encoder. */
const AUDIBLE_DB = -60;
/** A mix of what only one channel has is 6 dB quieter than that channel, one of two different sounds 3 dB. */
const CANCELLED_DB = 12;

/**
 * Filters of ffmpeg that print, for each second, the levels of left, right and their mix.
 * Half the usual rate is enough, and 8 kHz hold all of a voice that matters here.
 */
export const PRINT_LEVELS = [
  'aformat=sample_rates=8000:channel_layouts=stereo',
  'pan=3c|c0=c0|c1=c1|c2=0.5*c0+0.5*c1',
  'asetnsamples=8000',
  'astats=metadata=1:reset=1:measure_perchannel=RMS_level:measure_overall=none',
  'ametadata=print:file=-',
  // What comes out is thrown away, but nothing at all would be a fault to ffmpeg.
  'apad=pad_len=1',
].join(',');

/** Tells whether two channels cancel each other, which the mix of them would lose: one of them is inverted. */
export function createMixLevels() {
  const energies = [0, 0];
  let audibleSeconds = 0;
  let lostSeconds = 0;
  let levels: number[] = [];
  return {
    /** Takes a line of what is printed. @returns the seconds printed so far, if it tells them */
    read(line: string): number | undefined {
      const level = /^lavfi\.astats\.[123]\.RMS_level=(.+)$/.exec(line)?.[1];
      if (level === undefined) {
        const seconds = /\bpts_time:([\d.]+)/.exec(line)?.[1];
        return seconds === undefined ? undefined : Number(seconds);
      }
      // `-inf` and, for no samples at all, `nan`.
      levels.push(Number.isFinite(Number(level)) ? Number(level) : -Infinity);
      if (levels.length < 3) return undefined;
      const [left = -Infinity, right = -Infinity, mix = -Infinity] = levels;
      levels = [];
      for (const [channel, db] of [left, right].entries())
        energies[channel] = (energies[channel] ?? 0) + 10 ** (db / 10);
      const louder = Math.max(left, right);
      if (louder < AUDIBLE_DB) return undefined;
      audibleSeconds += 1;
      if (mix < louder - CANCELLED_DB) lostSeconds += 1;
      return undefined;
    },
    /** The louder channel, if most of what can be heard is not in the mix. */
    channelInstead(): 0 | 1 | undefined {
      if (lostSeconds * 2 <= audibleSeconds) return undefined;
      const [left = 0, right = 0] = energies;
      return left >= right ? 0 : 1;
    },
  };
}
