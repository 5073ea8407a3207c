import type { IssuerLookup, Registry, RegistryClient, RegistryStatus } from '@passport-registry/verifier';
import type { Changes } from '@passport-registry/verifier/core';
import { byId, element, meta } from './dom/element.js';
import { notLoadedNote } from './dom/not-loaded.js';
import { visibleId } from './dom/text.js';
import { ListView } from './list/list-view.js';
import type { Names } from './list/names.js';
import { holdOf } from './registry/hold.js';
import {
  anchorOfPage,
  fetchRootKey,
  NotVerified,
  notVerified,
  type RegistryAnchor,
  verifiedRegistry,
} from './registry/verified-registry.js';
import { listFragment, type Query, type Route, routeOf } from './route.js';
import { list as listText, page as text, verdict } from './texts.js';
import {
  currencyOf,
  isDoubtful,
  isOlder,
  showBadge,
  showChecking,
  showFailure,
} from './verification/verdict.js';

/** The name of the registry. */
const TITLE = document.querySelector('h1')?.textContent ?? '';

/** The name of the log in which the lists of the registry are. Undefined if it has none. */
const LOG_NAME = meta('registry-log');

/** The view that the URL names. */
const currentRoute = () => routeOf(location.hash);

/** Loads what the first view does not need. */
const loadParts = () => import('./parts.js');
type Parts = Awaited<ReturnType<typeof loadParts>>;

/** The page at the registry's URL. It shows data of the registry only while that data is verified and fresh. */
export class RegistryPage {
  readonly #base: URL;
  readonly #pinned: string;
  /** What the page trusts: the root key that it pins, which the host sends. */
  readonly #trustAnchor: Promise<RegistryAnchor>;
  #registry: RegistryClient | undefined;
  #list: ListView | undefined;
  readonly #recent = element('section', { class: 'recent' });
  /** What the look-up of the issuer that was shown last has accepted. */
  #proven: RegistryStatus | undefined;
  /** Null if the changes are not proven. Undefined before they have been read. */
  #changes: Changes | null | undefined;
  #names: Names;
  /** Whether the list was verified or refused. */
  #hasVerdict = false;
  /** The payload hash of the displayed list, and the issuers on hold. */
  #shown = '';

  constructor(base: URL, pinned: string) {
    this.#base = base;
    this.#pinned = pinned;
    this.#trustAnchor = fetchRootKey(base, pinned).then((rootKey) => anchorOfPage(rootKey, base, LOG_NAME));
  }

  async start(): Promise<void> {
    showChecking();
    this.#show(listText.title);
    // Loads the part while the registry answers.
    if (currentRoute().kind === 'issuer') loadParts().catch(() => undefined);
    try {
      const trustAnchor = await this.#trustAnchor;
      let lookup: IssuerLookup | undefined;
      let isAwaited = true;
      const lookUp = async () => {
        const { createIssuerLookup } = await loadParts();
        if (isAwaited) lookup ??= createIssuerLookup({ trustAnchor });
        return lookup;
      };
      const proveShown = () => void this.#showProven(lookUp);
      addEventListener('hashchange', proveShown);
      proveShown();
      const registry = await verifiedRegistry(trustAnchor, () => this.#onClientEvent()).finally(() => {
        removeEventListener('hashchange', proveShown);
        isAwaited = false;
        lookup?.close();
      });
      await this.#assertNotOlder(registry).catch((error) => {
        registry.close();
        throw error;
      });
      this.#registry = registry;
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#attempt(() => this.#showNewList());
    addEventListener('hashchange', () => this.#attempt(() => this.#navigate(true)));
    // For a reader who comes back.
    addEventListener('click', ({ target }) => {
      const link = target instanceof Element ? target.closest('a')?.getAttribute('href') : undefined;
      history.replaceState({ top: scrollY, link }, '');
    });
    // After a sleep, no timer has run.
    addEventListener('visibilitychange', () => this.#attempt(() => assertFresh(this.#registry)));
  }

  /**
   * Shows the issuer that the URL names, as soon as its proof is there. The list takes longer, and then replaces what is
   * shown. Until then, the reader may go on to another issuer.
   */
  async #showProven(lookUp: () => Promise<IssuerLookup | undefined>): Promise<void> {
    const asked = location.hash;
    const route = currentRoute();
    showChecking();
    this.#show(listText.title);
    if (route.kind !== 'issuer') return;
    const parts = await loadParts().catch(() => undefined);
    const lookup = await lookUp().catch(() => undefined);
    if (parts === undefined || lookup === undefined) return;
    const { id } = route;
    // Without a proof, the list decides. An id that no list can have needs none, but what is shown needs the statements.
    const proven = await lookup
      .resolve(id)
      .then((issuer) => ({ issuer, sha256: lookup.sha256 }))
      .catch(() => undefined);
    if (proven === undefined || location.hash !== asked || this.#hasVerdict) return;
    const isListed = proven.issuer !== undefined;
    const status = lookup.status();
    const name = isListed ? visibleId(id) : listText.unlisted;
    document.title = `${name}: ${TITLE}`;
    const title = isListed ? verdict.provenIssuer : verdict.provenAbsence;
    const panel = showBadge('proven', title, currencyOf(status));
    panel.replaceChildren(...parts.provenDetails({ id, isListed }, lookup, this.#pinned));
    this.#markDoubt(status);
    this.#proven = status;
    const view = parts.issuerView(id, proven.issuer, { registryName: TITLE, hold: holdOf(lookup) });
    this.#show(name, view);
  }

  /** Refuses a list that is older than the one with which an issuer was proven. A host could so take back a revocation. */
  async #assertNotOlder(registry: RegistryClient): Promise<void> {
    const proven = this.#proven;
    if (proven === undefined) return;
    if (isOlder(registry.status(), proven)) await registry.refresh();
    if (isOlder(registry.status(), proven)) throw new NotVerified('ERR_LIST_ROLLED_BACK', text.rolledBack);
  }

  /** Runs `work`. If it fails, removes all data from the page: the client throws when its list is too old. */
  #attempt(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Runs after each refresh of the client. The list may be new, or may have become stale. */
  #onClientEvent(): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    this.#attempt(() => {
      if (identityOf(registry) !== this.#shown) return this.#showNewList();
      this.#showVerification(registry);
      void this.#loadNames(registry);
    });
  }

  #showNewList(): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    this.#hasVerdict = true;
    this.#shown = identityOf(registry);
    // The reasons of the last list may not apply to this one.
    this.#names = undefined;
    this.#list = new ListView(
      registry.list(),
      holdOf(registry),
      (query, typing) => this.#attempt(() => this.#applyQuery(query, typing)),
      loadParts,
    );
    this.#showVerification(registry);
    this.#navigate(false);
    void this.#loadNames(registry);
    void this.#loadChanges(registry);
  }

  #showVerification(registry: RegistryClient): void {
    const status = registry.status();
    const panel = showBadge('good', verdict.good, currencyOf(status));
    this.#markDoubt(status);
    void this.#showDetails(panel, registry);
  }

  #markDoubt(status: RegistryStatus): void {
    byId('verification').classList.toggle('late', isDoubtful(status));
  }

  async #showDetails(panel: HTMLElement, registry: RegistryClient): Promise<void> {
    const parts = await loadParts().catch(() => undefined);
    if (this.#registry !== registry) return;
    this.#attempt(() => {
      if (parts === undefined) panel.replaceChildren(notLoadedNote());
      else parts.showDetails(panel, registry, { pinned: this.#pinned, log: LOG_NAME });
    });
  }

  /** Runs after the list is shown, because the checksums of the whole tree take time to download. */
  async #loadChanges(registry: RegistryClient): Promise<void> {
    const parts = await loadParts().catch(() => undefined);
    if (parts === undefined) return;
    const { treeSha256 } = registry.status();
    this.#changes = await parts.fetchVerifiedChanges(this.#base, treeSha256);
    if (this.#registry !== registry) return;
    this.#attempt(() => {
      this.#showRecent(parts, registry);
      this.#renderIssuer();
    });
  }

  /** Runs after the list is shown, and again after each refresh: a publication can change names alone. */
  async #loadNames(registry: RegistryClient): Promise<void> {
    const parts = await loadParts().catch(() => undefined);
    if (parts === undefined) return;
    const names = await parts.readNames(registry);
    if (this.#registry !== registry || parts.isSameNames(names, this.#names)) return;
    this.#attempt(() => {
      this.#names = names;
      this.#list?.showNames(names, parts.namesNote(names));
      this.#showRecent(parts, registry);
      this.#renderIssuer();
    });
  }

  #showRecent(parts: Parts, registry: RegistryClient): void {
    const known = { changes: this.#changes, names: this.#names };
    const recent = parts.recentChanges(registry, known);
    this.#recent.replaceChildren(...recent);
  }

  /** Shows the issuer anew. Leaves the list alone, because the reader may be typing a query. */
  #renderIssuer(): void {
    const route = currentRoute();
    if (route.kind === 'issuer') void this.#showIssuer(route.id, false);
  }

  #fail(error: unknown): void {
    // A list grows stale for the reason for which the host was refused since.
    const failure = notVerified(error, this.#registry?.status());
    this.#hasVerdict = true;
    this.#registry?.close();
    this.#registry = undefined;
    this.#list = undefined;
    this.#changes = undefined;
    this.#names = undefined;
    document.title = `${verdict.badTitle}: ${TITLE}`;
    showFailure(failure);
    // The failure shows at once. The host may not send the part that explains it.
    loadParts()
      .then(({ explainFailure }) => explainFailure(failure))
      .catch(() => undefined);
    this.#show(listText.title, element('p', {}, listText.notVerified));
  }

  #applyQuery(query: Query, typing: boolean): void {
    assertFresh(this.#registry);
    const fragment = listFragment(query);
    if (typing) history.replaceState(null, '', fragment);
    else history.pushState(null, '', fragment);
    void this.#list?.show(query);
  }

  /** Shows the view that the URL's fragment names. @param byReader - whether the reader navigated to it */
  #navigate(byReader: boolean): void {
    const registry = this.#registry;
    const list = this.#list;
    if (registry === undefined || list === undefined) return;
    const route = currentRoute();
    markCurrent(route);
    if (route.kind === 'issuer') {
      // What is shown may be of an older list, and loading the part may take time.
      this.#show(this.#nameOf(route.id) ?? titleOf(route.id, registry));
      void this.#showIssuer(route.id, byReader);
      return;
    }
    assertFresh(registry);
    document.title = TITLE;
    const isShown = list.show(route.query);
    this.#show(listText.title, list.element, this.#recent);
    if (byReader) void isShown.then(placeReader);
  }

  /** Shows an issuer. The code for that may have to be loaded first. */
  async #showIssuer(id: string, byReader: boolean): Promise<void> {
    const asked = location.hash;
    const parts = await loadParts().catch(() => undefined);
    if (location.hash !== asked) return;
    this.#attempt(() => {
      const registry = this.#registry;
      if (registry === undefined) return;
      const title = titleOf(id, registry);
      const name = this.#nameOf(id);
      document.title = `${name === undefined ? title : `${name} (${title})`}: ${TITLE}`;
      const view =
        parts?.issuerView(id, registry.resolve(id), {
          registryName: TITLE,
          registry,
          hold: holdOf(registry),
          names: this.#names,
          back: this.#list?.query,
          changes: this.#changes,
        }) ?? notLoadedNote();
      this.#show(name ?? title, view);
      if (byReader) placeReader();
    });
  }

  /** What people call an issuer of the list. Undefined if it has no name, or if that is not known. */
  #nameOf(id: string): string | undefined {
    return this.#names?.get(id)?.name;
  }

  /** An id stands for a name that may come later, so it has one line, and all of it is below. */
  #headingClass(content: HTMLElement | undefined): string {
    if (content === this.#list?.element) return 'unseen';
    const route = currentRoute();
    return route.kind === 'issuer' && this.#nameOf(route.id) === undefined ? 'one-line' : '';
  }

  #show(title: string, ...content: HTMLElement[]): void {
    const heading = byId('title');
    heading.textContent = title;
    // The list needs no title to see: the first screen belongs to the search and the issuers.
    heading.className = this.#headingClass(content[0]);
    const view = byId('view');
    // A new list replaces the search field in which the reader may be typing.
    const focused = view.contains(document.activeElement) ? document.activeElement?.id : undefined;
    view.replaceChildren(...content);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }
}

/** An id that is not in the list may be any text of a link, so it is no title. */
function titleOf(id: string, registry: Registry): string {
  return registry.resolve(id) === undefined ? listText.unlisted : visibleId(id);
}

/**
 * Shows a new view from its beginning, below the badge, and one to which the reader came back as it was. Programs that read
 * the page aloud begin with the view, or with the link that the reader had followed.
 */
function placeReader(): void {
  const { top = 0, link } = (history.state ?? {}) as { readonly top?: number; readonly link?: string };
  scrollTo(0, top);
  const followed =
    link === undefined ? null : document.querySelector<HTMLElement>(`main a[href="${CSS.escape(link)}"]`);
  (followed ?? byId('main')).focus({ preventScroll: true });
}

/** Tells readers which view they are on. */
function markCurrent({ kind }: Route): void {
  for (const link of document.querySelectorAll<HTMLElement>('[data-view]')) {
    if (link.dataset['view'] === kind) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
}

/** Throws if the list has become too old. */
function assertFresh(registry: Registry | undefined): void {
  void registry?.sha256;
}

/** What decides whether the views must be rendered anew. A checkpoint can hold issuers of an unchanged list. */
function identityOf({ sha256, hold }: Registry): string {
  return [sha256, ...hold].join(' ');
}
