/**
 * Whether the name of a log is that of one machine: an IP address, a name without a dot, or one of a local network. Nobody else can
 * find a registry by such a name.
 */
export function isLocalOrigin(origin: string): boolean {
  const url = `https://${origin}`;
  if (!URL.canParse(url)) return true;
  const { hostname } = new URL(url);
  return /^\[|^[\d.]+$|^[^.]+\.?$|\.(?:local|localhost|lan|home\.arpa)\.?$/.test(hostname);
}
