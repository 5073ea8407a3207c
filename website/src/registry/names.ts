import { aboutOf, type RegistryClient } from '@passport-registry/verifier';
import { type AboutIssuer, nameSkeleton } from '@passport-registry/verifier/core';
import { element } from '../dom/element.js';
import { names as text } from '../texts/en.js';

/** What people are told of an issuer, and whether its name looks like that of another one. */
export interface KnownAbout extends AboutIssuer {
  /** The ids of the issuers whose names or ids look like the name of this one. */
  readonly alike?: readonly string[];
  /** That they do, in a few words. */
  readonly note?: string;
}

/** The names and reasons of all issuers that have any. Null if they are not known. Undefined before they have come. */
export type Names = ReadonlyMap<string, KnownAbout> | null | undefined;

/** How many issuers are asked for at once. The reader may be typing. */
const IDS_AT_ONCE = 1000;
/** How many issuers with one look are told. */
const MAX_ALIKE = 4;

/** Reads the names and reasons of the issuers of a list. They are for people, so a failure is no error. */
export async function readNames(registry: RegistryClient): Promise<Names> {
  const names = new Map<string, KnownAbout>();
  const looks = new Map<string, Set<string>>();
  const add = (text: string, id: string) => {
    const look = nameSkeleton(text);
    const ids = looks.get(look) ?? new Set();
    if (ids.size < MAX_ALIKE) looks.set(look, ids.add(id));
  };
  try {
    for (const [at, { issuer_id }] of registry.list().entries()) {
      const about = await aboutOf(registry, issuer_id);
      if (about === undefined) return null;
      if (Object.keys(about).length > 0) names.set(issuer_id, about);
      add(issuer_id, issuer_id);
      if (about.name !== undefined) add(about.name, issuer_id);
      if (at % IDS_AT_ONCE === IDS_AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve));
    }
    for (const [id, about] of names) {
      const alike = [...(looks.get(nameSkeleton(about.name ?? '')) ?? [])].filter((other) => other !== id);
      if (alike.length > 0) names.set(id, { ...about, alike, note: text.alike });
    }
    return names;
  } catch {
    return null;
  }
}

/** Whether two answers say the same. */
export function isSameNames(one: Names, other: Names): boolean {
  if (!one || !other) return one === other;
  const isSame = (id: string, { name, status_reason }: KnownAbout) =>
    other.get(id)?.name === name && other.get(id)?.status_reason === status_reason;
  return one.size === other.size && [...one].every(([id, about]) => isSame(id, about));
}

/** Says that the names are not known, if that is so. */
export function namesNote(names: Names): HTMLElement[] {
  return names === null ? [element('p', { class: 'note' }, text.unknown)] : [];
}

/** Returns what people are told of one issuer. Null and undefined as for the names of all. */
export function aboutIn(names: Names, id: string): KnownAbout | null | undefined {
  return names && (names.get(id) ?? {});
}
