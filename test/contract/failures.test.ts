import { describe, expect, it } from 'vitest';
import { failureFor, FAILURES, originalStatusOf } from '../../contract/failures.ts';
import { JobError } from '../../runtime/job-error.ts';

describe('the table of failures', () => {
  it('gives each code one fault and one HTTP status', () => {
    const meanings = new Map<string, string>();
    for (const { code, fault, status } of Object.values(FAILURES)) {
      expect(`${fault} ${status}`).toBe(meanings.get(code) ?? `${fault} ${status}`);
      meanings.set(code, `${fault} ${status}`);
      expect(originalStatusOf({ code, message: '' })).toBe(status);
    }
  });

  it('has a whole sentence for each reason, and no sentence twice for one code', () => {
    const rows = Object.entries(FAILURES).filter(([reason]) => reason !== 'speechUnavailable');
    for (const [, { message }] of rows) expect(message).toMatch(/^(?:[A-Z{]|yt-dlp).{10,}\.$/);
    const texts = rows.map(([, { code, message }]) => `${code} ${message}`);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('puts values into the sentence', () => {
    const failure = failureFor('picturesTooTall', { height: 2160, maxHeight: 1080 });
    expect(failure).toEqual({
      code: 'too_large',
      message: 'The pictures of the video are 2160 pixels tall; this service accepts 1080.',
    });
    expect(new JobError(failure, { retryAtMs: 5 })).toMatchObject({ ...failure, retryAtMs: 5 });
    expect(new JobError('noAudio')).toMatchObject(failureFor('noAudio'));
  });
});
