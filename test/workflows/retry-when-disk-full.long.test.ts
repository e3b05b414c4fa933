// With half a day of waiting.
import './retry-when-disk-full.test.ts';
