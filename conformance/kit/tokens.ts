import type { Case, Profile, Right, Role, Step } from '../cases/case.js';
import type { Members } from '../cases/jwt.js';
import { either, topic, variant } from '../cases/make-case.js';
import {
  AUDIENCE,
  BASE,
  documents,
  ISSUED,
  issuerToken,
  METADATA,
  metadata,
  type OddJws,
} from '../cases/passports.js';
import type { Patch } from '../cases/patch.js';

const base = 'stated';
const now = ISSUED * 1000 + 1000;
const WELL_KNOWN = `${BASE}/.well-known/openid-configuration`;
const OAUTH = `${BASE}/.well-known/oauth-authorization-server`;

/** A token, the profile under which it is verified, and the records of the list. */
interface Shown {
  readonly token?: OddJws;
  readonly profile?: Partial<Profile>;
  /** Changes of records, by id. */
  readonly records?: Readonly<Record<string, Members>>;
  /** The `issuer` of the metadata. */
  readonly issuer?: string;
  readonly now?: number;
}

/** What a verifier of other tokens of issuers must accept and refuse. */
export function* tokenKit(role: Role): Generator<Case> {
  const at = (rule: string) => {
    const make = topic(role, 'profile', { rule, base, why: 'A token of an issuer that is no passport.' });
    return (id: string, shown: Shown, right: Right) => make(id, { steps: [stepOf(shown, right)] });
  };
  yield* profiles(at('token-profile'));
  yield* tokenIssuers(at('token-issuer'));
}

type At = (id: string, shown: Shown, right: Right) => Case;

function stepOf(shown: Shown, right: Right): Step {
  const records = shown.records ?? { alpha: { discovery_uri: WELL_KNOWN } };
  const patches: Patch[] = variant(base, (registry) => {
    for (const [id, more] of Object.entries(records)) registry.change(id, more);
    registry.publish();
  });
  const metadataOf = { status: 200, body: metadata({ issuer: shown.issuer ?? BASE }) };
  const passport = {
    ...{ audience: AUDIENCE, token: issuerToken(shown.token) },
    documents: { ...documents(), [WELL_KNOWN]: metadataOf, [OAUTH]: metadataOf, [METADATA]: metadataOf },
    profile: { typ: 'at+jwt', ...shown.profile },
  };
  return { now: shown.now ?? now, sources: [{ base, patches }], passport, right };
}

function* profiles(at: At): Generator<Case> {
  const claims = (more: Members): Shown => ({ token: { claims: more } });
  yield at('a token', {}, 'accept');
  yield at('another typ', { profile: { typ: 'jwt+other' } }, ['token-type']);
  for (const typ of ['application/at+jwt', 'AT+JWT', 'Application/at+JWT'])
    yield at(`typ ${typ}`, { token: { header: { typ } } }, 'accept');
  yield at('a profile with application', { profile: { typ: 'application/at+jwt' } }, 'accept');
  yield at('typ of another top-level type', { token: { header: { typ: 'text/at+jwt' } } }, ['token-type']);
  yield at('a time with a fraction', claims({ iat: ISSUED + 0.3, exp: ISSUED + 300.7 }), 'accept');
  yield at('typ JWT', { token: { header: { typ: 'JWT' } } }, ['token-type']);
  yield at('an algorithm of the profile', { profile: { algorithms: ['Ed25519'] } }, 'accept');
  yield at('another algorithm', { profile: { algorithms: ['ES256'] } }, ['token-algorithm']);
  yield at('signed by a stranger', { token: { signer: 'stranger' } }, ['token-signature-invalid']);
  yield at('an audience among others', claims({ aud: ['x', AUDIENCE] }), 'accept');
  yield at('another audience', claims({ aud: 'https://other.example' }), ['audience-mismatch']);
  yield at('an audience of numbers', claims({ aud: [1] }), ['token-claims']);
  for (const name of ['iss', 'aud', 'iat', 'exp'])
    yield at(`no ${name}`, claims({ [name]: undefined }), ['token-claims']);
  yield at('a claim that is required', { profile: { required_claims: ['sub'] } }, 'accept');
  yield at('a required claim that is missing', { profile: { required_claims: ['scope'] } }, ['token-claims']);
  yield at(
    'a required claim that is null',
    { profile: { required_claims: ['scope'] }, ...claims({ scope: null }) },
    ['token-claims'],
  );
  for (const name of ['nonce', 'at_hash', 'c_hash', 's_hash'])
    yield at(`an ID token with ${name}`, claims({ [name]: 'x' }), ['id-token']);
  yield at('a token that is bound to a key', claims({ cnf: {} }), ['token-bound']);
  for (const side of [-1, 0]) {
    const late = { profile: { max_age: 600 }, now: (ISSUED + 630) * 1000 + side };
    yield at(`the maximum age, ${side} ms`, late, either(side < 0, 'token-too-old'));
  }
}

function* tokenIssuers(at: At): Generator<Case> {
  const listed = (alpha: string, beta?: string): Shown => ({
    records: {
      alpha: { discovery_uri: alpha },
      ...(beta !== undefined && { beta: { discovery_uri: beta, status: 'suspended' } }),
    },
  });
  const unknown = ['issuer-unknown'];
  yield at('the URL of OpenID Connect', listed(WELL_KNOWN), 'accept');
  yield at('the URL of RFC 8414', listed(OAUTH), 'accept');
  const slashed: Shown = { token: { claims: { iss: `${BASE}/` } } };
  yield at('iss with a slash', { ...slashed, issuer: `${BASE}/` }, 'accept');
  yield at('iss with a slash, and metadata without', slashed, ['iss-mismatch']);
  yield at('another URL', listed(METADATA), unknown);
  yield at('a URL with a slash', listed(`${WELL_KNOWN}/`), unknown);
  yield at('a URL in capitals', listed(WELL_KNOWN.replace('alpha', 'ALPHA')), unknown);
  yield at('two records', listed(WELL_KNOWN, OAUTH), ['issuer-ambiguous']);
  yield at('two records with one URL', listed(WELL_KNOWN, WELL_KNOWN), ['issuer-ambiguous']);
}
