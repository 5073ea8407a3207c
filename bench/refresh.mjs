// The time in which a client updates its list, over HTTP on loopback. A refresh without changes is compared with two
// conditional requests. An update of one record by a delta is compared with an update that downloads the whole list.

import { createServer } from 'node:http';
import { canonicalBytes, createRegistryClient, sha256Hex } from '@passport-registry/verifier';
import { compare } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';

/** Serves the files of a map. The entity tags contain the version in the map. */
async function host(files) {
  const server = createServer(async ({ url, headers }, response) => {
    const body = files.get(url);
    if (body === undefined) return response.writeHead(404).end();
    const etag = `"${body.length}-${files.get('version')}"`;
    if (headers['if-none-match'] === etag) return response.writeHead(304, { ETag: etag }).end();
    return response.writeHead(200, { ETag: etag, 'Content-Type': 'application/json' }).end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    close: () => server.close().closeAllConnections(),
  };
}

for (const size of [10_000, 100_000]) {
  const records = issuers(size);
  const [first, ...others] = records;
  const old = await signedList(records);
  const other = { ...first, status: 'suspended' };
  const updated_at = '2026-11-21T08:01:00Z';
  const changed = await signedList([other, ...others], updated_at);
  const [from, to] = await Promise.all([old.bytes, changed.bytes].map(sha256Hex));
  const delta = canonicalBytes({ from, to, updated_at, issuers: [other], removed: [] });
  const published = ({ bytes, signature }, version, more = []) =>
    new Map([
      ['/issuers.json', bytes],
      ['/issuers.sig', Buffer.from(signature)],
      ['version', version],
      ...more,
    ]);
  const before = published(old, 1);
  const after = published(changed, 2, [[`/deltas/${from}.json`, delta]]);
  const files = new Map(before);
  const { base, close } = await host(files);
  const replaceFiles = (publication) => {
    files.clear();
    for (const [path, body] of publication) files.set(path, body);
  };
  const open = async () => {
    const client = createRegistryClient({
      sources: [base],
      rootKey: old.rootKey.jwk,
      maxAge: 1e12,
      refreshInterval: 1e6,
    });
    await client.ready();
    return client;
  };
  const nameOf = (comparison) => `${comparison}, ${size.toLocaleString('en-US')} issuers`;

  const client = await open();
  const bare = async () => {
    for (const path of ['/issuers.json', '/issuers.sig']) {
      const headers = { 'If-None-Match': `"${files.get(path).length}-1"` };
      await (await fetch(base + path, { headers })).arrayBuffer();
    }
  };
  const many = (work) => async () => {
    for (let call = 0; call < 50; call++) await work();
  };
  await compare(
    nameOf('50 refreshes that change nothing, to 100 bare requests'),
    many(() => client.refresh()),
    many(bare),
    7,
  );
  client.close();

  const waiting = [];
  const PAIRS = 5;
  for (let one = 0; one < 2 * (PAIRS + 1); one++) waiting.push(await open());
  const update = (publication) => async () => {
    replaceFiles(publication);
    const one = waiting.pop();
    await one.refresh();
    if (one.resolve(first.issuer_id).status !== 'suspended') throw new Error('not updated');
    one.close();
  };
  await compare(
    nameOf('an update by a delta, to one by the list'),
    update(after),
    update(published(changed, 3)),
    PAIRS,
  );
  close();
}
