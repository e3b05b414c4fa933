// With every row of its tables.
import './hostile-files.test.ts';
