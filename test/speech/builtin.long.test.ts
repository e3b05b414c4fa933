// With the words of a whole talk.
import './builtin.test.ts';
