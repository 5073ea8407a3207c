// A client behind msw 2, which keeps a clone of each response that passes through.
import { createServer } from 'node:http';
import { createRegistryClient } from '@passport-registry/verifier';
import { http, passthrough } from 'msw';
import { setupServer } from 'msw/node';

setupServer(http.all('*', () => passthrough())).listen();
const host = createServer((_request, response) => response.writeHead(404).end('not here'));
await new Promise((resolve) => host.listen(0, '127.0.0.1', resolve));
const source = `http://127.0.0.1:${host.address().port}`;
const rootKey = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const registry = createRegistryClient({ sources: [source], rootKey, timeout: 300 });
const error = await registry.ready().catch((thrown) => thrown);
console.log(
  Object.values(error.errors)
    .map(({ code }) => code)
    .join(),
);
registry.close();
host.close();
host.closeAllConnections();
process.exit(0);
