// With every row of its tables.
import './hostile-pages.test.ts';
