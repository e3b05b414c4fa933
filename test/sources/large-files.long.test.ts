// With every row of its tables.
import './large-files.test.ts';
