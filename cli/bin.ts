#!/usr/bin/env node
import { IoFailed } from '../generator/errors.js';
import { main } from './program.js';

/**
 * Suppresses one warning: early releases of Node.js 20 warn that Ed25519 in WebCrypto is experimental, although it has
 * not changed since. All other warnings of Node.js are still printed.
 */
function hushEd25519Warning(): void {
  const others = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.includes('Ed25519')) return;
    for (const listener of others) listener(warning);
  });
}

hushEd25519Warning();

// A reader may close a pipe at any time (EPIPE). The command still finishes its work, such as the build after an edit.
let lost: IoFailed | undefined;
process.stderr.on('error', () => undefined);
process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
  if (cause.code === 'EPIPE' || lost !== undefined) return;
  lost = new IoFailed(`the output cannot be written: ${cause.message}`, { cause });
  process.stderr.write(`passport-registry: ${lost.message}\n`);
});

const exitCode = await main(process.argv.slice(2));

/** Waits until a stream has written everything. It writes nothing to an idle stream, because even that can fail. */
function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    // A stream emits its error after the callback of the write.
    if (stream.writableLength === 0) setImmediate(resolve);
    else stream.write('', () => setImmediate(resolve));
  });
}

await flush(process.stdout);
await flush(process.stderr);
// Without an explicit exit, Node.js can hang while its compiler is still running (nodejs/node#54918).
process.exit(Math.max(exitCode, lost?.exitCode ?? 0));
