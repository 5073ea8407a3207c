export { type AnsweredCheck, createGate, type Gate, type GateOptions, type GateProfile } from './gate.js';
export type { GatewayName } from './gateways.js';
export type { Proven } from './identity.js';
