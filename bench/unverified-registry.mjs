// Replaces website/src/verified-registry.ts and website/src/proven-issuer.ts in a page that verifies nothing. The page shows whatever the host serves.

export class NotVerified extends Error {}

export const notVerified = (error) => Object.assign(new NotVerified(error.message), { code: 'ERR_PAGE' });

export const fetchRootKey = async () => undefined;

export const proveIssuer = async () => undefined;

export async function verifiedRegistry(base) {
  const { issuers, updated_at } = await (
    await fetch(new URL('issuers.json', base), { cache: 'no-cache' })
  ).json();
  const has = (values, value) => value === undefined || values?.includes(value) === true;
  const matches = (issuer, { tiers, statuses, geography, domain, passportType }) =>
    (tiers?.includes(issuer.tier) ?? true) &&
    (statuses?.includes(issuer.status) ?? true) &&
    has(issuer.geographical_scope, geography) &&
    has(issuer.domain_scope, domain) &&
    has(issuer.passport_types, passportType);
  return {
    updatedAt: updated_at,
    sha256: 'not computed',
    hold: [],
    list: (filter = {}) => issuers.filter((issuer) => matches(issuer, filter)),
    resolve: (id) => issuers.find(({ issuer_id }) => issuer_id === id),
    status: () => ({
      rootKeys: ['not looked at'],
      updatedAt: updated_at,
      errors: {},
      age: 0,
      freshUntil: new Date(0),
    }),
    close: () => undefined,
  };
}
