import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Folders whose files take longest, those that mostly wait first: one of them that begins last would leave the cores idle. */
const SLOW = ['/test/pacing/', '/test/e2e/', '/test/local/', '/test/speech/', '/test/sources/', '/test/workflows/'];

/** Files of slow folders come first, and within a folder those that took longest in the last run, else the largest. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = SLOW.findIndex((folder) => moduleId.includes(folder));
      return index === -1 ? SLOW.length : index;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
