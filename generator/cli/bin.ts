#!/usr/bin/env node
import { main } from './program.js';
import { hushEd25519Warning } from './terminal/ed25519-warning.js';

hushEd25519Warning();
process.exitCode = await main(process.argv.slice(2));

// Left to end by itself, Node can wait for its own compiler for ever (nodejs/node#54918).
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
