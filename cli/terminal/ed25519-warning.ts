/**
 * Suppresses one warning: early releases of Node.js 20 warn that Ed25519 in WebCrypto is experimental, although it has
 * not changed since. All other warnings of Node.js are still printed.
 */
export function hushEd25519Warning(): void {
  const others = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.includes('Ed25519')) return;
    for (const listener of others) listener(warning);
  });
}
