import { answer, type JsonAnswer } from '../json-http.ts';

/** The Data API says no, in the shape of the real one, without `domain` and `location`. */
export class ApiRefusal extends Error {
  override readonly name = 'ApiRefusal';
  readonly answer: JsonAnswer;

  /** @param more what Google's common layer adds for errors of its own */
  constructor(status: number, { reason, message, ...more }: { reason: string; message: string; status?: string }) {
    super(message);
    this.answer = answer(status, { error: { code: status, message, errors: [{ message, reason }], ...more } });
  }
}
