import { aboutOf, type RegistryClient } from '@passport-registry/verifier';
import type { AboutIssuer } from '@passport-registry/verifier/core';
import { element } from '../dom/element.js';
import { names as text } from '../texts/en.js';

/** The names and reasons of all issuers that have any. Null if they are not known. Undefined before they have come. */
export type Names = ReadonlyMap<string, AboutIssuer> | null | undefined;

/** How many issuers are asked for at once. The reader may be typing. */
const IDS_AT_ONCE = 1000;

/** Reads the names and reasons of the issuers of a list. They are for people, so a failure is no error. */
export async function readNames(registry: RegistryClient): Promise<Names> {
  const names = new Map<string, AboutIssuer>();
  try {
    for (const [at, { issuer_id }] of registry.list().entries()) {
      const about = await aboutOf(registry, issuer_id);
      if (about === undefined) return null;
      if (Object.keys(about).length > 0) names.set(issuer_id, about);
      if (at % IDS_AT_ONCE === IDS_AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve));
    }
    return names;
  } catch {
    return null;
  }
}

/** Whether two answers say the same. An issuer has the same object in both until its file changes. */
export function isSameNames(one: Names, other: Names): boolean {
  if (!one || !other) return one === other;
  return one.size === other.size && [...one].every(([id, about]) => other.get(id) === about);
}

/** Says that the names are not known, if that is so. */
export function namesNote(names: Names): HTMLElement[] {
  return names === null ? [element('p', { class: 'note' }, text.unknown)] : [];
}

/** Returns what people are told of one issuer. Null and undefined as for the names of all. */
export function aboutIn(names: Names, id: string): AboutIssuer | null | undefined {
  return names && (names.get(id) ?? {});
}
