import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { useSpeechTools } from '../helpers/speech-tools.ts';

const bench = useSpeechTools();
const BUILTIN = fileURLToPath(new URL('../../speech/builtin', import.meta.url));
const PROGRAM = `
import json, sys
import numpy as np
sys.path.insert(0, sys.argv[1])
from clusters import Mixture, centres_of, nearest, ward

random = np.random.RandomState(7)
points = np.concatenate([random.normal(middle, 1 + abs(middle) / 4, (60, 3)) for middle in (-4, 0, 1, 5)])
merged, mixture, same = ward(points, 8), Mixture(points, 8), np.ones((9, 3))
print(json.dumps({
    "counts": [len(set(labels.tolist())) for labels in merged],
    "sizes": sorted(np.bincount(merged[4]).tolist()),
    "centres": centres_of(points, 2, tries=4).tolist(),
    "weights": mixture.weights.tolist(),
    "mean": mixture.means[0].tolist(),
    "variance": (1 / mixture.inverse[0]).tolist(),
    "posteriors": [mixture.posteriors(points).sum(1).min(), mixture.posteriors(points).sum(1).max()],
    "same": nearest(same, centres_of(same, 2)).tolist(),
}))`;

it('groups points as scikit-learn 1.9.1 does: merged in pairs, around centres, and as a mixture of Gaussians', async () => {
  const { stdout } = await promisify(execFile)(bench.tools.python, ['-E', '-s', '-B', '-c', PROGRAM, BUILTIN]);
  const found = JSON.parse(stdout) as Record<string, number[]> & { centres: number[][] };
  const close = (values: readonly number[]) => values.map((value) => expect.closeTo(value, 8) as number);
  expect(found).toEqual({
    counts: [1, 2, 3, 4, 5, 6, 7, 8],
    // AgglomerativeClustering(5)
    sizes: [25, 26, 33, 35, 121],
    // KMeans(2, n_init=4, random_state=0)
    centres: [close([-1.097085987, -1.133415228, -1.063462082]), close([5.204010401, 5.040170436, 4.997245758])],
    // GaussianMixture(8, covariance_type="diag", reg_covar=1e-2, random_state=0)
    weights: close([
      ...[0.205354295, 0.045782866, 0.071928229, 0.296940394],
      ...[0.138411813, 0.071337158, 0.105983859, 0.064261387],
    ]),
    mean: close([0.755989697, 0.791311993, 1.152011294]),
    variance: close([1.237584186, 1.952656201, 1.029400895]),
    posteriors: close([1, 1]),
    same: Array.from({ length: 9 }, () => 0),
  });
});
