// The time in which a program without anything has a verified list, over HTTP on loopback, with and without a latency of
// 20 ms: `createRegistryClient`. Compared with a bare script that fetches the list and its signature at once, and
// verifies the signature. The script knows neither statements, checkpoints and limits, nor whether a record is one. The
// server is another process. Connections stay open, so a round trip is one latency.

import { importRootKey } from '@passport-registry/verifier';
import { clientLoad } from './client-load.mjs';
import { compare } from './compare.mjs';
import { startTreeServer } from './synthetic-tree.mjs';

const LATENCIES = [0, 20];
const SIZES = [10, 1_000, 10_000];

for (const latency of LATENCIES) {
  for (const size of SIZES) {
    const { base, jwk, close } = await startTreeServer(size, { latency });
    const calls = latency > 0 || size > 1_000 ? 5 : 50;
    const many = (work) => async () => {
      for (let call = 0; call < calls; call++) await work();
    };
    const issuers = `${size.toLocaleString('en-US')} issuers`;
    const name = `first load, ${issuers}, to a script that fetches and verifies two files, ${latency} ms latency`;
    await compare(name, many(clientLoad({ base, jwk })), many(script(base, jwk)), 15);
    close();
  }
}

function script(base, jwk) {
  const get = async (path) => {
    const response = await fetch(`${base}/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  };
  return async () => {
    const { cryptoKey } = await importRootKey(jwk);
    const [list, text] = await Promise.all([get('issuers.json'), get('issuers.sig')]);
    const signature = Buffer.from(new TextDecoder().decode(text), 'base64url');
    if (!(await crypto.subtle.verify('Ed25519', cryptoKey, signature, list))) {
      throw new Error('the signature is not valid');
    }
    const { issuers } = JSON.parse(new TextDecoder().decode(list));
    return new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  };
}
