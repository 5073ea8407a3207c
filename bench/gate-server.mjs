// What the door is compared with, in a process of its own, for gate.mjs: a service that says yes to every request, or one that
// verifies the token with `jose.jwtVerify` alone, with a key that it was given. Usage: node gate-server.mjs yes|jose JWKS AUDIENCE

import { createServer } from 'node:http';
import { createLocalJWKSet, jwtVerify } from 'jose';

const [way, jwks, issuer] = process.argv.slice(2);
const keys = createLocalJWKSet(JSON.parse(jwks));

async function isValid({ headers }) {
  if (way === 'yes') return true;
  const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
  return jwtVerify(token, keys, { issuer, typ: 'passport+jwt' }).then(
    () => true,
    () => false,
  );
}

const server = createServer(async (request, response) => {
  response.writeHead((await isValid(request)) ? 200 : 401).end();
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
