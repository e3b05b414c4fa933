import type { ListsPort } from '../../contract/kinds/kind.ts';

/** For answers that have nothing to do with lists of the photo platform. */
export const noLists: ListsPort = {
  handOut: () => Promise.reject(new Error('this test has no lists')),
  otherPart: () => Promise.reject(new Error('this test has no lists')),
};
