import { Toxiproxy, type Proxy, type Toxic } from 'toxiproxy-node-client';

type Toxin = Pick<Toxic<unknown>, 'type' | 'stream' | 'attributes'>;

/** What can befall a line. Those with a list are toxics of toxiproxy, in each direction they are given for. */
export const FAULTS = {
  latency: [
    { type: 'latency', stream: 'upstream', attributes: { latency: 500, jitter: 0 } },
    { type: 'latency', stream: 'downstream', attributes: { latency: 500, jitter: 0 } },
  ],
  /** Everything vanishes, and nobody is told. */
  blackhole: [
    { type: 'timeout', stream: 'upstream', attributes: { timeout: 0 } },
    { type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } },
  ],
  /** The other side hears and does it all; only its answers vanish. */
  unanswered: [{ type: 'timeout', stream: 'downstream', attributes: { timeout: 0 } }],
  /** Ends each connection with the first byte of an answer. */
  reset_peer: [{ type: 'reset_peer', stream: 'downstream', attributes: { timeout: 0 } }],
  slicer: [
    { type: 'slicer', stream: 'upstream', attributes: { average_size: 64, size_variation: 32, delay: 1_000 } },
    { type: 'slicer', stream: 'downstream', attributes: { average_size: 64, size_variation: 32, delay: 1_000 } },
  ],
  /** Ends each connection within an answer. */
  limit_data: [{ type: 'limit_data', stream: 'downstream', attributes: { bytes: 1_000 } }],
  bandwidth: [
    { type: 'bandwidth', stream: 'upstream', attributes: { rate: 4 } },
    { type: 'bandwidth', stream: 'downstream', attributes: { rate: 4 } },
  ],
  /** Connections are broken and refused. */
  down: 'down',
} as const satisfies Record<string, readonly Toxin[] | 'down'>;
export type FaultName = keyof typeof FAULTS;

/** A line to a server on loopback, through toxiproxy. */
export class FaultyLine {
  readonly #proxy: Proxy;
  #toxics: readonly Toxic<unknown>[] = [];
  #isUp = true;

  private constructor(proxy: Proxy) {
    this.#proxy = proxy;
  }

  /** @param where `api` is toxiproxy's, `target` host:port */
  static async open(name: string, where: { readonly api: string; readonly target: string }): Promise<FaultyLine> {
    const proxy = await new Toxiproxy(where.api).createProxy({ name, listen: '127.0.0.1:0', upstream: where.target });
    return new FaultyLine(proxy);
  }

  /** host:port */
  get address(): string {
    return this.#proxy.listen;
  }

  async spoil(fault: FaultName): Promise<void> {
    const toxins = FAULTS[fault];
    if (toxins === 'down') return this.#enable(false);
    this.#toxics = await Promise.all(
      toxins.map((toxin) =>
        this.#proxy.addToxic<unknown>({ ...toxin, name: `${toxin.type}-${toxin.stream}`, toxicity: 1 }),
      ),
    );
  }

  async mend(): Promise<void> {
    await Promise.all(this.#toxics.map((toxic) => toxic.remove()));
    this.#toxics = [];
    if (!this.#isUp) await this.#enable(true);
  }

  async #enable(enabled: boolean): Promise<void> {
    const { listen, upstream } = this.#proxy;
    await this.#proxy.update({ enabled, listen, upstream });
    this.#isUp = enabled;
  }
}
