import { describe, expect, inject, it } from 'vitest';
import { readYtdlpVersion } from '../../sources/vidnet/yt-dlp/yt-dlp-version.ts';
import { datedVersion } from '../../runtime/subprocess/dated-version.ts';

describe('the version of yt-dlp', () => {
  const now = Date.parse('2026-12-25T12:00:00Z');

  it.each([
    ['2026.10.26', { releasedOn: '2026-10-26', ageDays: 60 }],
    ['2026.10.26.232845', { releasedOn: '2026-10-26', ageDays: 60 }],
    ['2026.1.5', { releasedOn: '2026-01-05', ageDays: 354 }],
    ['2027.01.01', { releasedOn: '2027-01-01', ageDays: 0 }],
    ['2026.02.30', {}],
    ['1.5.1', {}],
    ['', {}],
  ])('has an age if it is a date: %s', (version, age) => {
    expect(datedVersion(version, now)).toEqual({ version, ...age });
  });

  it('is read from the program itself', async () => {
    const { version, releasedOn, ageDays } = await readYtdlpVersion(inject('tools').ytdlp);
    expect(version).toMatch(/^\d{4}\.\d{2}\.\d{2}/);
    expect(releasedOn).toBe(version.slice(0, 10).replaceAll('.', '-'));
    expect(ageDays).toBeGreaterThanOrEqual(0);
  });

  it('is that of the preloaded program, without another start', async () => {
    const warm = { version: () => Promise.resolve('2026.10.26') };
    expect(await readYtdlpVersion('/no/yt-dlp', warm)).toMatchObject({
      version: '2026.10.26',
      releasedOn: '2026-10-26',
    });
    const none = { version: () => Promise.reject(new Error('it did not start')) };
    await expect(readYtdlpVersion('/no/yt-dlp', none)).rejects.toMatchObject({ code: 'tool_missing' });
  });

  it.each(['/no/yt-dlp', '/bin/false'])('names the setting when the program cannot be started: %s', async (program) => {
    await expect(readYtdlpVersion(program)).rejects.toMatchObject({
      code: 'tool_missing',
      message: expect.stringContaining('YTDLP_PATH'),
    });
  });
});
