/** Proves what a registry said of an issuer at a time in the past. */

export { type ProvenHistory, verifyHistoryProof } from './verify-history-proof.js';
