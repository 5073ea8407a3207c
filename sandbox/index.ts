export type { AppOptions } from './app.js';
export { type IssuerOptions, type Minted, SandboxIssuer } from './issuer.js';
export { type Sandbox, type SandboxOptions, startSandbox } from './server.js';
