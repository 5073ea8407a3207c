#!/usr/bin/env node
import { main } from './program.js';
import { hushEd25519Warning } from './terminal/ed25519-warning.js';

hushEd25519Warning();
process.exitCode = await main(process.argv.slice(2));

// Without an explicit exit, Node.js can hang while its compiler is still running (nodejs/node#54918).
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
