// With every row of its tables.
import './odd-inputs.test.ts';
