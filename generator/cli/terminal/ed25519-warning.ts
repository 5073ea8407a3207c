/**
 * The first releases of Node.js 20 call Ed25519 in WebCrypto experimental, on stderr, at every use. It has not changed
 * since; what else Node.js has to warn of is still said.
 */
export function hushEd25519Warning(): void {
  const others = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name === 'ExperimentalWarning' && warning.message.includes('Ed25519')) return;
    for (const listener of others) listener(warning);
  });
}
