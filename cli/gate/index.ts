export { jsonLog } from './log.js';
export { loadGateSettings } from './settings.js';
export { startGate } from './start-gate.js';
