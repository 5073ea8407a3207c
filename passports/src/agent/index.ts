/** For agents: obtains a passport from an issuer, and signs mandates and actions. */

// For whoever issues passports: the `typ` of the JWTs that an agent signs.
export { MANDATE_TYPE } from '../passport/mandate.js';
export { type AgentKeys, publicJwk } from './agent-keys.js';
export type { IssuerRequestOptions } from './issuer-api.js';
export { IssuerRefused } from './issuer-refused.js';
export {
  type AgentDeclaration,
  type IssuanceNonce,
  type MintedPassport,
  type MintRequest,
  mintPassport,
  NONCE_TYPE,
  type NonceRequest,
  type ObtainOptions,
  obtainPassport,
  type Passport,
  requestNonce,
  type SignNonceOptions,
  signNonce,
} from './obtain-passport.js';
export { type SignActionOptions, signAction } from './sign-action.js';
export { type SignMandateOptions, signMandate } from './sign-mandate.js';
