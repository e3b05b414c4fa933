import type { BenchArguments } from './arguments.ts';

export interface Finding {
  readonly what: string;
  readonly unit: string;
  readonly value: number;
  /** Whether the finding is in the table of the page, and not only in the picture. */
  readonly isChief?: boolean;
  /** A value for comparison, measured in the same run. */
  readonly reference?: { readonly what: string; readonly value: number };
}

export interface PartResult {
  readonly findings: readonly Finding[];
  readonly raw: unknown;
  /** The versions of other programs that took part. */
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
