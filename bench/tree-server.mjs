// Serves a synthetic registry from a process of its own, so that a benchmark measures only the client.
// Started by `startTreeServer` of synthetic-tree.mjs. Usage: node tree-server.mjs ISSUERS list|no-list LATENCY

import { issuers } from './corpus.mjs';
import { rootKey, serveFiles, syntheticTree } from './synthetic-tree.mjs';

const [size, option, latency] = process.argv.slice(2);
const records = issuers(Number(size));
const withList = option !== 'no-list';
let sequence = 1;
let host;

const updatedAt = () =>
  new Date(Date.parse('2026-11-21T08:00:00Z') + sequence * 1000).toISOString().replace('.000', '');
const tree = () => syntheticTree(records, { updatedAt: updatedAt(), sequence, withList });

/** Publishes a list in which some records differ: another one each time. */
function change(count) {
  for (let one = 0; one < count; one++) {
    const index = (sequence * 7919 + one) % records.length;
    records[index] = {
      ...records[index],
      last_audit: `2026-07-${String((sequence % 28) + 1).padStart(2, '0')}T00:00:00Z`,
    };
    sequence += 1;
  }
}

process.on('message', async ({ command, count }) => {
  if (command === 'served') return process.send(host.served());
  change(count);
  host.replace(await tree());
  process.send({ changed: count });
});
process.on('disconnect', () => process.exit());
host = await serveFiles(await tree(), Number(latency));
process.send({ base: host.base, jwk: rootKey.jwk });
