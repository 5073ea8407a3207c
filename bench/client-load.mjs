import { createRegistryClient } from '@passport-registry/verifier';

/** Opens a client without memory, which refreshes only when it is told to. */
export async function openClient({ base, jwk }) {
  const client = createRegistryClient({ sources: [base], rootKey: jwk, maxAge: 1e12, refreshInterval: 1e6 });
  await client.ready();
  return client;
}

/** Returns a function that loads the list of a source. */
export const clientLoad = (source) => async () => (await openClient(source)).close();
