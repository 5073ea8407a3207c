/** Bundles the script of the page without verification. */
export function unverifiedScript(): Promise<string>;
