export { type AnsweredCheck, createGate, type Gate, type GateOptions, type GateProfile } from './gate.js';
export { GATEWAYS, type GatewayName } from './gateways.js';
export type { Proven } from './identity.js';
