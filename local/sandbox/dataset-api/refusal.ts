/** The API says no: errors are plain text, or JSON for fields that are wrong. */
export class DatasetRefusal extends Error {
  override readonly name = 'DatasetRefusal';
  readonly status: number;
  readonly body: string | object;

  constructor(status: number, body: string | object) {
    super(typeof body === 'string' ? body : JSON.stringify(body));
    this.status = status;
    this.body = body;
  }
}
