#!/usr/bin/env node
// What package.json calls `tapedeck`: the program, by a Node that can run it.
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// What V8 has compiled: the next start takes half of the time. Also for the Node that the launcher may choose.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL('../node_modules/.cache/tapedeck/compiled', import.meta.url));
module.enableCompileCache?.();

process.argv.splice(2, 0, 'command/main.ts');
await import('../local/bootstrap.mjs');
