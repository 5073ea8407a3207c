// Replaces website/src/registry/verified-registry.ts in a page that verifies nothing. The page shows whatever the host serves.

export class NotVerified extends Error {}

export const notVerified = (error) => Object.assign(new NotVerified(error.message), { code: 'ERR_PAGE' });

export const fetchRootKey = async () => ({ jwk: {} });

export const anchorOfPage = (_rootKey, base) => ({ sources: [base.href] });

export async function verifiedRegistry({ sources: [base] }) {
  const { issuers, updated_at } = await (
    await fetch(new URL('issuers.json', base), { cache: 'no-cache' })
  ).json();
  return {
    updatedAt: updated_at,
    sha256: 'not computed',
    hold: [],
    list: () => issuers,
    resolve: (id) => issuers.find(({ issuer_id }) => issuer_id === id),
    status: () => ({
      rootKeys: ['not looked at'],
      updatedAt: updated_at,
      errors: {},
      age: 0,
      freshUntil: new Date(0),
    }),
    decide: () => ({ accepted: true, reasons: [] }),
    close: () => undefined,
  };
}
