import { constants } from 'node:os';
import type { Reporter, TestModule } from 'vitest/node';

/**
 * Ends the run with one line that programs can read: `123 passed, 0 failed`. Without a failure it is told only of a run
 * that went to its end and ended well.
 */
export default class ClosingLineReporter implements Reporter {
  readonly #modules = new Map<string, TestModule>();
  /** What belongs to no test. Until its end a run counts as one that is interrupted. */
  #otherFailures = 1;

  onInit(): void {
    // Vitest hears a signal once: the second, of a terminal whose other processes pass theirs on, would end it without a line.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => process.exit(128 + constants.signals[signal]));
    }
    process.on('exit', (code) => {
      const { passed, failed, skipped } = this.#counts();
      // Vitest reports nothing of a global setup or teardown that fails, and nothing of a run that found no tests.
      const failures = failed === 0 && code !== 0 ? 1 : failed;
      if (failures > 0 && code === 0) process.exitCode = 1;
      const line = `${String(passed)} passed, ${String(failures)} failed`;
      process.stdout.write(`${line}${skipped > 0 ? `, ${String(skipped)} skipped` : ''}\n`);
    });
  }

  onTestRunStart(): void {
    this.#modules.clear();
    this.#otherFailures = 1;
  }

  onTestModuleCollected(module: TestModule): void {
    this.#modules.set(module.id, module);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[], reason: string): void {
    // A file that could not be loaded was never collected.
    for (const module of modules) this.#modules.set(module.id, module);
    this.#otherFailures = unhandledErrors.length + (reason === 'interrupted' ? 1 : 0);
  }

  #counts(): Readonly<Record<'passed' | 'failed' | 'skipped', number>> {
    const modules = [...this.#modules.values()];
    const states = modules.flatMap(({ children }) => [...children.allTests()].map((test) => test.result().state));
    // A hook that fails before or after all tests of a suite fails none of them.
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()]);
    const broken = suites.filter((suite) => suite.errors().length > 0).length;
    const count = (state: string): number => states.filter((one) => one === state).length;
    return {
      passed: count('passed'),
      failed: count('failed') + broken + this.#otherFailures,
      skipped: count('skipped'),
    };
  }
}
