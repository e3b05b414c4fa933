// With every row of its tables.
import './subscription.test.ts';
