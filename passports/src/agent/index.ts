/** For agents: obtains a passport from an issuer, and signs mandates and actions. */

export { IssuerRefused, PassportError, type PassportErrorCode } from '../errors.js';
// For issuers of passports: the `typ` of the JWTs that an agent signs, and how to read one.
export { MANDATE_TYPE } from '../passport/mandate.js';
export { readForeignJws } from '../passport/passport-jws.js';
export { type AgentKeys, publicJwk } from './agent-keys.js';
export type { IssuerRequestOptions } from './issuer-api.js';
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
