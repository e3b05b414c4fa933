// With every row of its tables.
import './media-page.test.ts';
