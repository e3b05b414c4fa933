import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('.', import.meta.url));
/** What tests start of it runs with engines too. */
const QUALITY = fileURLToPath(new URL('../quality/', import.meta.url));
/** Imports of types are none at run time. */
const IMPORT = /^(?:import|export) (?!type\b)(?:[^'";]*?\bfrom )?'([^']+)';|\bimport\('([^']+)'\)/gm;
/** What global-setup.ts provides, in either way. */
const PROVIDED = /\binject\(|\bTEST_(?:YTDLP|FFMPEG|FFPROBE)\b/;
/** Whoever replaces a module needs a process of its own. */
const MOCKED = /\bvi\.mock\(/;
/** Whoever imports these sets up programs of its own. */
const ENGINES = /\/local\/engines\//;

/**
 * Test files that need no engine, no program and no process of their own: neither they nor their helpers, found by following imports, ask for what
 * global-setup.ts provides, or set up the like by themselves.
 *
 * @returns paths from the root of the repository, sorted
 */
export function unitTestFiles(): string[] {
  const known = new Map<string, boolean>();
  return testFiles()
    .filter((path) => !needsEngines(join(TESTS, path), known))
    .map((path) => join('test', path))
    .sort();
}

/** Test files that replace a module for their whole process. @returns paths from the root of the repository */
export function mockingTestFiles(): string[] {
  return testFiles()
    .filter((path) => MOCKED.test(readFileSync(join(TESTS, path), 'utf8')))
    .map((path) => join('test', path));
}

/** Without the long ones; paths from this folder. */
function testFiles(): string[] {
  return readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).filter(
    (path) => path.endsWith('.test.ts') && !path.endsWith('.long.test.ts'),
  );
}

/** @param known of files looked at before. Imports make no circles: .dependency-cruiser.cjs */
function needsEngines(file: string, known: Map<string, boolean>): boolean {
  const before = known.get(file);
  if (before !== undefined) return before;
  const text = readFileSync(file, 'utf8');
  const imported = [...text.matchAll(IMPORT)]
    .map(([, from, dynamic]) => from ?? dynamic ?? '')
    .filter((path) => path.startsWith('.'))
    .map((path) => resolve(dirname(file), path));
  const needs =
    PROVIDED.test(text) ||
    MOCKED.test(text) ||
    imported.some((path) => ENGINES.test(path)) ||
    imported.some((path) => isFollowed(path) && path.endsWith('.ts') && needsEngines(path, known));
  known.set(file, needs);
  return needs;
}

function isFollowed(path: string): boolean {
  return path.startsWith(TESTS) || path.startsWith(QUALITY);
}
