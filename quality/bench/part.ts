import type { BenchArguments } from './arguments.ts';

/** One line of the page. */
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
  /** Every single measurement. */
  readonly raw: unknown;
  /** Of what took part beside the service and what it runs on. */
  readonly versions?: Readonly<Record<string, string>>;
}

export interface PartOptions extends BenchArguments {
  /** An empty folder for what the part writes. */
  readonly dataDir: string;
  readonly say: (line: string) => void;
}

/** A part of the bench, which can be run alone. */
export interface Part {
  /** Of its table. */
  readonly title: string;
  readonly run: (options: PartOptions) => Promise<PartResult>;
}
