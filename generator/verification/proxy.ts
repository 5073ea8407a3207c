import { globalAgent } from 'node:https';

/** The variables that name a proxy for URLs of a scheme, in the order in which Node.js reads them. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  'http:': ['http_proxy', 'HTTP_PROXY'],
  'https:': ['https_proxy', 'HTTPS_PROXY'],
};

/** Returns the variable that names a proxy for a URL. Its value can contain a password, and is never shown. */
function proxyVariable(url: string): string | undefined {
  return VARIABLES[new URL(url).protocol]?.find((name) => process.env[name]);
}

/** Whether Node.js uses the proxies that the environment names: 22.21, 24.5 or newer, with NODE_USE_ENV_PROXY=1. */
function usesProxies(): boolean {
  return (globalAgent.options as { readonly proxyEnv?: unknown }).proxyEnv !== undefined;
}

/** Returns the host of the proxy to which Node.js sends a request for a URL, unless NO_PROXY has the host of the URL. */
export function proxyHost(url: string): string | undefined {
  const address = usesProxies() ? process.env[proxyVariable(url) ?? ''] : undefined;
  return address !== undefined && URL.canParse(address) ? new URL(address).hostname : undefined;
}

/** Whether the environment names a proxy for a URL, and Node.js does not use it. */
export function hasUnusedProxy(url: string): boolean {
  return proxyVariable(url) !== undefined && !usesProxies();
}

/** Returns what the environment says of a proxy for a URL that could not be reached, in words that can follow the reason. */
export function proxyHint(url: string): string {
  const variable = proxyVariable(url);
  if (variable === undefined) return '';
  if (usesProxies()) return ` (through the proxy that ${variable} names, unless NO_PROXY has the host)`;
  const isKnown = process.allowedNodeEnvironmentFlags.has('--use-env-proxy');
  const needs = isKnown ? 'NODE_USE_ENV_PROXY=1' : 'Node.js 22.21, 24.5 or newer, with NODE_USE_ENV_PROXY=1';
  return `; ${variable} names a proxy, which Node.js ${process.versions.node} did not use: that needs ${needs}`;
}
