// Runs every row of the tables.
import './overflow-chunks-killed.test.ts';
