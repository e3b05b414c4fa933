// Runs every row of the tables.
import './odd-inputs.test.ts';
