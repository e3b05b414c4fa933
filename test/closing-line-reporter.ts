import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one line that programs can read: `123 passed, 0 failed`. */
export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const states = modules.flatMap((module) => [...module.children.allTests()].map((test) => test.result().state));
    // A file that could not be loaded has no tests, and an error outside of tests belongs to none.
    const broken = modules.filter((module) => module.errors().length > 0).length + unhandledErrors.length;
    const count = (state: string): number => states.filter((one) => one === state).length;
    const skipped = count('skipped');
    const line = `${String(count('passed'))} passed, ${String(count('failed') + broken)} failed`;
    process.on('exit', () => process.stdout.write(`${line}${skipped > 0 ? `, ${String(skipped)} skipped` : ''}\n`));
  }
}
