import { aboutOf, type Issuer, type RegistryClient } from '@passport-registry/verifier';
import {
  type AboutIssuer,
  type AlikeIssuers,
  alikeIssuers,
  type IssuerLook,
  lookOf,
  nameSkeleton,
  standingOf,
} from '@passport-registry/verifier/core';
import { type Child, element } from '../dom/element.js';
import { more, standings, names as text } from '../texts.js';
import { shownStatus } from './status-mark.js';

/** What people are told of an issuer, and which other issuers have a similar name. */
export interface KnownAbout extends AboutIssuer, Partial<AlikeIssuers> {
  /** That it does, and what they are, in a few words. */
  readonly note?: string;
}

/** The names and reasons of all issuers that have any. */
class NameIndex extends Map<string, KnownAbout> {
  readonly #looks = new Map<string, IssuerLook>();

  add(issuer: Issuer, about: AboutIssuer): void {
    const { issuer_id: id } = issuer;
    this.#looks.set(id, lookOf(issuer, about.name));
    if (Object.keys(about).length > 0) this.set(id, about);
  }

  /** Notes which names look like others, when all have been added. @param hold - the ids of the issuers on hold */
  compare(hold: readonly string[]): void {
    for (const [id, found] of alikeIssuers([...this.#looks.values()], Date.now())) {
      this.set(id, { ...this.get(id), ...found, note: noteOn(found, hold) });
    }
  }

  /** Returns a function that tells whether an issuer has a name or id that looks as if it contained a text. */
  likeText(searched: string): (id: string) => boolean {
    const look = nameSkeleton(searched);
    if (look.length < MIN_LOOK) return () => false;
    return (id) => {
      const { ofId = '', ofName = '' } = this.#looks.get(id) ?? {};
      return ofId.includes(look) || ofName.includes(look);
    };
  }
}

/** The names and reasons of the issuers. Null if they are not known. Undefined before they have come. */
export type Names = NameIndex | null | undefined;

/** Fewer letters look like a part of many names. */
const MIN_LOOK = 3;
/** How many issuers are asked for at once. The reader may be typing. */
const IDS_AT_ONCE = 1000;

/** Reads the names and reasons of the issuers of a list. They are for people, so a failure is no error. */
export async function readNames(registry: RegistryClient): Promise<Names> {
  const names = new NameIndex();
  try {
    for (const [at, issuer] of registry.list().entries()) {
      const about = await aboutOf(registry, issuer.issuer_id);
      if (about === undefined) return null;
      names.add(issuer, about);
      if (at % IDS_AT_ONCE === IDS_AT_ONCE - 1) await new Promise((resolve) => setTimeout(resolve));
    }
    names.compare(registry.hold);
    return names;
  } catch {
    return null;
  }
}

/** Names those for whom a reader may take an issuer: by the id, because the name is the same at a glance. */
function noteOn({ alike, unnamed }: AlikeIssuers, hold: readonly string[]): string {
  const others = alike.map(
    (one) => `${one.issuer_id} (${standings[standingOf(one, shownStatus(one, hold), Date.now())]})`,
  );
  return text.alike(others.join(', ') + (unnamed > 0 ? more(unnamed) : ''));
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

/** A reason in a frame of its own: the registry wrote the words, not this page. */
export function saidReason(reason: string): HTMLElement {
  return element('q', { class: 'said' }, element('bdi', {}, reason));
}

/** The name of an issuer after its id, if it has one that is known. A name proves nothing, so the id comes first. */
export function nameBeside(names: Names, id: string): Child {
  const name = names?.get(id)?.name;
  return name === undefined ? undefined : [' ', element('bdi', { class: 'name' }, name)];
}
