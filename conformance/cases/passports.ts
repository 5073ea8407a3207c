import { base64url, jcs, sha256, sha256Hex, utf8 } from './encoding.js';
import { type Members, rawJwt } from './jwt.js';
import { key } from './keys.js';
import { BEGIN } from './registry.js';

/** Passports, mandates and proofs as docs/protocol/passports.md says, of an issuer of the golden trees. */

const ISSUER = 'alpha';
export const BASE = `https://${ISSUER}.example`;
export const METADATA = `${BASE}/metadata`;
export const JWKS = `${BASE}/jwks.json`;
export const AUDIENCE = 'https://mail.example';
/** When every passport is issued, in seconds since 1970. */
export const ISSUED = BEGIN + 600;
export const LIFETIME = 3600;
const UUID = '0b4f3c1e-7a52-4c8e-9d46-2f1f6a0c5e11';
const DID = `did:passport:${UUID}`;
export const STATUS = `${BASE}/v1/passports/${DID}`;
export const ACTION = 'email.send';
export const PAYLOAD = '{"subject":"hello","to":"you@example.com"}';

const issuer = key('issuer alpha');
export const agent = key('agent');
export const principal = key('principal');

/** A JWS that is not the usual. Claims and members of the header that are undefined are left out. */
export interface OddJws {
  readonly claims?: Members;
  readonly header?: Members;
  /** The name of the key that signs. */
  readonly signer?: string;
  /** Changes the finished text. */
  readonly text?: (jws: string) => string;
  /** Changes the text of the payload before it is signed. */
  readonly rawClaims?: (text: string) => string;
}

function signed(
  usual: { readonly typ: string; readonly kid?: string; readonly signer: string },
  claims: Members,
  odd: OddJws,
): string {
  const { typ, kid, signer } = usual;
  const by = key(odd.signer ?? signer);
  const header = { alg: by.alg, kid, typ, ...odd.header };
  const payload = jcs({ ...claims, ...odd.claims });
  const jws = rawJwt(by, jcs(header), odd.rawClaims?.(payload) ?? payload);
  return odd.text?.(jws) ?? jws;
}

export const mandate = (more: Members = {}): Members => ({
  ...{ mandate_id: 'm1', scope: ['email.*'] },
  ...{ issued_at: '2026-11-21T08:00:00Z', expires_at: '2026-11-22T08:00:00Z' },
  ...more,
});

/** A mandate that the principal signs. */
export function signedMandate({ header, claims, ...odd }: OddJws = {}): string {
  const jwk = { jwk: principal.jwk, kid: undefined, ...header };
  const cnf = { cnf: { jkt: agent.thumbprint }, ...claims };
  return signed({ typ: 'mandate+jwt', signer: 'principal' }, mandate(), { ...odd, header: jwk, claims: cnf });
}

/** A passport of the agent. */
export function passportToken(odd: OddJws): string {
  const claims = {
    ...{ iss: BASE, jti: UUID, sub: DID, iat: ISSUED, exp: ISSUED + LIFETIME, issuer_id: ISSUER },
    ...{ realm_id: 'realm', principal_id: 'principal', agent_type: 'ai-assistant', capabilities: ['email'] },
    ...{ revocation_nonce: 0, cnf: { jwk: agent.jwk }, mandate: mandate() },
  };
  return signed({ typ: 'passport+jwt', kid: issuer.thumbprint, signer: issuer.name }, claims, odd);
}

/** A token of the issuer that is no passport. */
export function issuerToken(odd: OddJws = {}): string {
  const claims = { iss: BASE, aud: AUDIENCE, iat: ISSUED, exp: ISSUED + LIFETIME, sub: 'somebody' };
  return signed({ typ: 'at+jwt', kid: issuer.thumbprint, signer: issuer.name }, claims, odd);
}

/** The proof of an action. */
export function actionProof(token: string, odd: OddJws): string {
  const claims = {
    ...{ iat: ISSUED, exp: ISSUED + 60, jti: 'proof-1', aud: AUDIENCE, passport: UUID, action: ACTION },
    ...{ ath: base64url(sha256(utf8(token))), payload_sha256: sha256Hex(utf8(PAYLOAD)) },
  };
  return signed({ typ: 'action+jwt', signer: agent.name }, claims, odd);
}

export const metadata = (more: Members = {}): string =>
  JSON.stringify({ issuer: BASE, issuer_id: ISSUER, jwks_uri: JWKS, ...more });
export const issuerJwk = { ...issuer.jwk, kid: issuer.thumbprint };
export const jwks = (...keys: readonly unknown[]): string => JSON.stringify({ keys });
export const status = (more: Members = {}): string =>
  JSON.stringify({
    ...{ passport_id: UUID, passport_did: DID, issuer_id: ISSUER, status: 'active', revocation_nonce: 0 },
    ...more,
  });

/** What the issuer answers, by URL. */
export const documents = () => ({
  [METADATA]: { status: 200, body: metadata() },
  [JWKS]: { status: 200, body: jwks(issuerJwk) },
  [STATUS]: { status: 200, body: status() },
});
