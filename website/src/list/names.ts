import { aboutOf, type Issuer, type RegistryClient } from '@passport-registry/verifier';
import { type AboutIssuer, nameSkeleton, STANDINGS, standingOf } from '@passport-registry/verifier/core';
import { element } from '../dom/element.js';
import { list as listText, standings, names as text } from '../texts/en.js';
import { shownStatus } from './status-mark.js';

/** What people are told of an issuer, and whether its name looks like that of another one. */
export interface KnownAbout extends AboutIssuer {
  /** The issuers whose names or ids look like the name of this one. */
  readonly alike?: readonly Issuer[];
  /** How many more there are than those. */
  readonly unnamed?: number;
  /** That they do, and what they are, in a few words. */
  readonly note?: string;
}

/** The names and reasons of all issuers that have any. */
class NameIndex extends Map<string, KnownAbout> {
  readonly #looks = new Map<string, readonly string[]>();

  add({ issuer_id }: Issuer, about: AboutIssuer): void {
    const said = about.name === undefined ? [issuer_id] : [issuer_id, about.name];
    this.#looks.set(issuer_id, [...new Set(said.map(nameSkeleton))]);
    if (Object.keys(about).length > 0) this.set(issuer_id, about);
  }

  /** What an issuer looks like: by its id first, and by its name last. */
  looksOf(id: string): readonly string[] {
    return this.#looks.get(id) ?? [];
  }

  /** Returns a function that tells whether an issuer has a name or id that looks as if it contained a text. */
  likeText(searched: string): (id: string) => boolean {
    const look = nameSkeleton(searched);
    if (look.length < MIN_LOOK) return () => false;
    return (id) => this.looksOf(id).some((one) => one.includes(look));
  }
}

/** The names and reasons of the issuers. Null if they are not known. Undefined before they have come. */
export type Names = NameIndex | null | undefined;

/** Fewer letters look like a part of many names. */
const MIN_LOOK = 3;
/** How many issuers are asked for at once. The reader may be typing. */
const IDS_AT_ONCE = 1000;
/** How many issuers with one look are told: the trusted ones first, which others may want to be taken for. */
const MAX_ALIKE = 4;

/** Reads the names and reasons of the issuers of a list. They are for people, so a failure is no error. */
export async function readNames(registry: RegistryClient): Promise<Names> {
  const names = new NameIndex();
  const owners = new Map<string, Issuer[]>();
  try {
    for (const [at, issuer] of registry.list().entries()) {
      const about = await aboutOf(registry, issuer.issuer_id);
      if (about === undefined) return null;
      names.add(issuer, about);
      for (const look of names.looksOf(issuer.issuer_id)) {
        const issuers = owners.get(look);
        if (issuers === undefined) owners.set(look, [issuer]);
        else issuers.push(issuer);
      }
      if (at % IDS_AT_ONCE === IDS_AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve));
    }
    const rankOf = (one: Issuer) => STANDINGS.indexOf(standingOf(one, one.status, Date.now()));
    for (const issuers of owners.values()) {
      if (issuers.length > 1) issuers.sort((one, other) => rankOf(one) - rankOf(other));
    }
    for (const [id, about] of names) {
      const look = about.name === undefined ? undefined : names.looksOf(id).at(-1);
      const owning = (look !== undefined && owners.get(look)) || [];
      if (owning.length < 2) continue;
      // One of them is the issuer itself.
      const alike = owning
        .slice(0, MAX_ALIKE + 1)
        .filter((one) => one.issuer_id !== id)
        .slice(0, MAX_ALIKE);
      const unnamed = owning.length - 1 - alike.length;
      names.set(id, { ...about, alike, unnamed, note: noteOn(alike, unnamed, registry.hold) });
    }
    return names;
  } catch {
    return null;
  }
}

/** Names those for whom a reader may take an issuer: by the id, because the name is the same at a glance. */
function noteOn(alike: readonly Issuer[], unnamed: number, hold: readonly string[]): string {
  const others = alike.map(
    (one) => `${one.issuer_id} (${standings[standingOf(one, shownStatus(one, hold), Date.now())]})`,
  );
  return text.alike(others.join(', ') + (unnamed > 0 ? listText.more(unnamed) : ''));
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
