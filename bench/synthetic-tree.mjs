import { fork } from 'node:child_process';
import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { importRootKey } from '@passport-registry/verifier';
import { canonicalBytes, encodeSignature, levelsFor, sumsTree } from '@passport-registry/verifier/core';
import { signStatement } from '../build/generator/freshness/statements.js';
import { withStatementsFile } from '../build/generator/tree/statements-file.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const rootKey = await importRootKey(publicKey.export({ format: 'jwk' }));
const signer = { rootKey, development: false, sign: async (bytes) => sign(null, bytes, privateKey) };
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The root key of all synthetic trees. */
export { rootKey };

/**
 * Makes the files that clients read of a registry: statement, sums, records, the list with its signature, and the
 * statements in one file. A registry that is too large has another file in the place of the list. Nothing is written to a disk.
 *
 * @param records - sorted by id
 */
export async function syntheticTree(records, { updatedAt, sequence, withList = true }) {
  const encoded = new Map(records.map((record) => [record.issuer_id, Buffer.from(JSON.stringify(record))]));
  const summed = [...encoded].map(([id, bytes]) => ({ id, place: sha256(id), sha256: sha256(bytes) }));
  const sums = sumsTree(summed, levelsFor(summed, 0), sha256);
  const files = new Map(sums.files);
  for (const [id, bytes] of encoded) files.set(`issuers/${id}`, bytes);
  const list = withList
    ? Buffer.from(canonicalBytes({ issuers: records, updated_at: updatedAt }))
    : Buffer.from('too large');
  files.set('issuers.json', list);
  files.set('issuers.sig', Buffer.from(encodeSignature(sign(null, list, privateKey))));
  const statement = await signStatement(signer, 'registry-publication+jwt', {
    iat: Date.parse(updatedAt) / 1000,
    sequence,
    updated_at: updatedAt,
    sha256: sha256(list),
    size: list.length,
    issuers: records.length,
    sums_sha256: sums.sha256,
    levels: sums.levels,
  });
  files.set('publication.jwt', Buffer.from(statement));
  return withStatementsFile(files);
}

/**
 * Serves files on this machine, and counts the requests and the bytes of the bodies.
 *
 * @param latency - how long each response is delayed, in milliseconds
 */
export async function serveFiles(initial, latency = 0) {
  let files = initial;
  let count = { requests: 0, bytes: 0, paths: [] };
  const server = createServer((request, response) => {
    if (latency === 0) answer(request, response);
    else setTimeout(answer, latency, request, response);
  });
  const answer = ({ url, headers }, response) => {
    const path = url.slice(1).split('?')[0];
    const body = files.get(path);
    count.requests += 1;
    count.paths.push(url.slice(1));
    if (body === undefined) return response.writeHead(404).end();
    const etag = `"${sha256(body).slice(0, 16)}"`;
    if (body.length < 1e6 && headers['if-none-match'] === etag)
      return response.writeHead(304, { ETag: etag }).end();
    count.bytes += body.length;
    const type = path.endsWith('.json') ? 'application/json' : 'text/plain';
    return response
      .writeHead(200, { ...(body.length < 1e6 && { ETag: etag }), 'Content-Type': type })
      .end(body);
  };
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    base: `http://127.0.0.1:${server.address().port}`,
    replace: (next) => {
      files = next;
    },
    /** Returns what was served since the last call. */
    served: () => {
      const before = count;
      count = { requests: 0, bytes: 0, paths: [] };
      return before;
    },
    close: () => server.close().closeAllConnections(),
  };
}

/** Starts a server of a synthetic registry in a process of its own. */
export async function startTreeServer(size, { withList = true, latency = 0 } = {}) {
  const program = fileURLToPath(new URL('tree-server.mjs', import.meta.url));
  const child = fork(program, [String(size), withList ? 'list' : 'no-list', String(latency)], {
    execArgv: ['--max-old-space-size=16000'],
  });
  let fail = () => undefined;
  child.once('exit', (code) => fail(new Error(`the server ended with ${code}`)));
  const answer = () =>
    new Promise((resolve, reject) => {
      child.once('message', resolve);
      fail = reject;
    });
  const ask = (message) => {
    const answered = answer();
    child.send(message);
    return answered;
  };
  const { base, jwk } = await answer();
  return {
    base,
    jwk,
    /** Publishes a list in which this number of records differ, as that many publications would. */
    change: (count) => ask({ command: 'change', count }),
    /** Returns the requests, bytes and paths served since the last call. */
    served: () => ask({ command: 'served' }),
    close: () => child.disconnect(),
  };
}
