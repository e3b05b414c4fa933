import type { BenchArguments } from './arguments.ts';

export interface Finding {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  /** Whether it is on the page, and not only in its picture. */
  readonly isChief?: boolean;
  /** What it is held against, measured in the same run. */
  readonly reference?: { readonly what: string; readonly value: number };
}

export interface PartResult {
  readonly findings: readonly Finding[];
  readonly raw: unknown;
  /** Of what took part beside the service and what it runs on. */
  readonly versions?: Readonly<Record<string, string>>;
}

export interface PartOptions extends BenchArguments {
  readonly dataDir: string;
  readonly say: (line: string) => void;
}

export interface Part {
  readonly title: string;
  readonly run: (options: PartOptions) => Promise<PartResult>;
}
