export type { AppOptions } from './app.js';
export type { IssuerOptions, Minted, SandboxIssuer } from './issuer.js';
export { type Sandbox, type SandboxOptions, startSandbox } from './server.js';
