// With every row of its tables.
import './pockets-cut-off.test.ts';
