import { createRegistryClient } from '@passport-registry/verifier';

/** Returns a function that loads the list of a source with a client without memory. */
export function clientLoad(base, jwk) {
  return async () => {
    const client = createRegistryClient({
      sources: [base],
      rootKey: jwk,
      maxAge: 1e12,
      refreshInterval: 1e6,
    });
    await client.ready();
    client.close();
  };
}
