// The time of a refresh that changes nothing, over HTTP on loopback, compared with one conditional request for the same
// file.

import { openClient } from './client-load.mjs';
import { compare } from './compare.mjs';
import { issuers } from './corpus.mjs';
import { rootKey, serveFiles, syntheticTree } from './synthetic-tree.mjs';

for (const size of [10_000, 100_000]) {
  const files = await syntheticTree(issuers(size), { updatedAt: '2026-11-21T08:00:00Z', sequence: 1 });
  const { base, close } = await serveFiles(files);
  const client = await openClient({ base, jwk: rootKey.jwk });
  const statements = `${base}/statements.json`;
  const etag = (await fetch(statements)).headers.get('etag');
  const bare = async () => {
    await (await fetch(statements, { headers: { 'If-None-Match': etag } })).arrayBuffer();
  };
  const many = (work) => async () => {
    for (let call = 0; call < 50; call++) await work();
  };
  await compare(
    `50 refreshes that change nothing, to 50 bare requests, ${size.toLocaleString('en-US')} issuers`,
    many(() => client.refresh()),
    many(bare),
    7,
  );
  client.close();
  close();
}
