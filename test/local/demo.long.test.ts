// With every row of its tables.
import './demo.test.ts';
