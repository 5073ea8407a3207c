/** The text of a registry.js that believes its host. */
export function unverifiedScript(): Promise<string>;
