import type { Registry, RegistryClient, RootKey } from '@passport-registry/verifier';
import { type Changes, fetchVerifiedChanges } from './changes.js';
import { insertRegistryUrl } from './commands.js';
import { counts } from './counts.js';
import { byId, element } from './element.js';
import { historyView } from './history-view.js';
import { issuerView, provenIssuerView, unknownIssuerView } from './issuer-view.js';
import { ListView } from './list-view.js';
import { LogCheck } from './log-check.js';
import { proveIssuer } from './proven-issuer.js';
import { listFragment, type Query, routeOf } from './route.js';
import { showChecking, showFailure, showProven, showVerified } from './verification-view.js';
import { fetchRootKey, notVerified, verifiedRegistry } from './verified-registry.js';

const TITLE = document.title;

/** The page at the registry's URL. It shows data of the registry only while that data is verified and fresh. */
export class ListPage {
  readonly #base: URL;
  readonly #pinned: string;
  #registry: RegistryClient | undefined;
  #list: ListView | undefined;
  readonly #overview = element('div', { class: 'overview' });
  readonly #log: LogCheck;
  #changes: Changes | undefined;
  /** Whether the list was verified or refused. */
  #hasVerdict = false;
  /** The payload hash of the displayed list, and the issuers on hold. */
  #shown = '';

  constructor(base: URL, pinned: string) {
    this.#base = base;
    this.#pinned = pinned;
    this.#log = new LogCheck(base);
  }

  async start(): Promise<void> {
    showChecking();
    this.#show('Issuers');
    for (const code of document.querySelectorAll('.commands')) {
      code.textContent = insertRegistryUrl(this.#base, code.textContent ?? '');
    }
    try {
      const rootKey = await fetchRootKey(this.#base, this.#pinned);
      const proveShown = () => void this.#showProven(rootKey);
      addEventListener('hashchange', proveShown);
      proveShown();
      this.#registry = await verifiedRegistry(this.#base, rootKey, () => this.#onClientEvent()).finally(() =>
        removeEventListener('hashchange', proveShown),
      );
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#attempt(() => this.#showNewList());
    addEventListener('hashchange', () => this.#attempt(() => this.#navigate(true)));
    addEventListener('beforeprint', () => this.#attempt(() => this.#list?.showAll()));
    addEventListener('afterprint', () => this.#attempt(() => this.#navigate(false)));
  }

  /**
   * Shows the issuer that the URL names, as soon as its proof is there. The list takes longer, and then replaces what is
   * shown. Until then, the reader may go on to another issuer.
   */
  async #showProven(rootKey: RootKey): Promise<void> {
    const asked = location.hash;
    const route = routeOf(asked);
    showChecking();
    this.#show('Issuers');
    if (route.kind !== 'issuer') return;
    const proven = await proveIssuer(this.#base, rootKey, route.id);
    if (proven === undefined || location.hash !== asked || this.#hasVerdict) return;
    document.title = `${route.id}: ${TITLE}`;
    showProven(proven);
    this.#show(route.id, provenIssuerView(proven));
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
      void this.#checkLog(registry);
    });
  }

  #showNewList(): void {
    const registry = this.#registry;
    if (registry === undefined) return;
    this.#hasVerdict = true;
    this.#shown = identityOf(registry);
    this.#list = new ListView(registry, (query, typing) =>
      this.#attempt(() => this.#applyQuery(query, typing)),
    );
    this.#log.withdraw();
    this.#showVerification(registry);
    this.#renderOverview(registry);
    this.#navigate(false);
    void this.#loadChanges(registry);
    void this.#checkLog(registry);
  }

  #showVerification(registry: RegistryClient): void {
    showVerified(registry, this.#pinned, registry.list().length);
  }

  /** Runs after the list is shown, because the checksums of the whole tree take time to download. */
  async #loadChanges(registry: RegistryClient): Promise<void> {
    this.#changes = await fetchVerifiedChanges(this.#base, registry.status().treeSha256);
    if (this.#registry !== registry) return;
    this.#attempt(() => {
      this.#renderOverview(registry);
      this.#renderIssuer();
    });
  }

  /** Runs after each refresh, because witnesses cosign the log anew. */
  async #checkLog(registry: RegistryClient): Promise<void> {
    const before = this.#log.proven;
    await this.#log.run(registry).catch(() => undefined);
    if (this.#registry !== registry) return;
    this.#attempt(() => {
      this.#log.show();
      if (this.#log.proven !== before) this.#renderIssuer();
    });
  }

  /** Shows the issuer anew. Leaves the view of the list alone, because the reader may be typing a query. */
  #renderIssuer(): void {
    if (routeOf(location.hash).kind === 'issuer') this.#navigate(false);
  }

  #fail(error: unknown): void {
    this.#hasVerdict = true;
    this.#registry?.close();
    this.#registry = undefined;
    this.#list = undefined;
    this.#changes = undefined;
    document.title = `Not verified: ${TITLE}`;
    this.#log.withdraw();
    showFailure(notVerified(error));
    this.#show(
      'Issuers',
      element('p', {}, 'No issuers are shown, because the registry could not be verified.'),
    );
  }

  #applyQuery(query: Query, typing: boolean): void {
    const fragment = listFragment(query);
    if (typing) history.replaceState(null, '', fragment);
    else history.pushState(null, '', fragment);
    this.#list?.show(query);
  }

  /** Shows the view that the URL's fragment names. @param byReader - whether the reader navigated to it */
  #navigate(byReader: boolean): void {
    const [registry, list] = [this.#registry, this.#list];
    if (registry === undefined || list === undefined) return;
    const route = routeOf(location.hash);
    if (route.kind === 'list') {
      document.title = TITLE;
      list.show(route.query);
      this.#show('Issuers', this.#overview, list.element);
    } else {
      const issuer = registry.resolve(route.id);
      const context = {
        hold: registry.hold,
        checkpointSignedAt: registry.status().checkpointSignedAt,
        changes: this.#changes,
        history: this.#log.history(route.id, registry, (work) => this.#attempt(work)),
      };
      document.title = `${route.id}: ${TITLE}`;
      this.#show(
        route.id,
        issuer === undefined ? unknownIssuerView(route.id, registry, context) : issuerView(issuer, context),
      );
    }
    if (byReader) byId('main').focus();
  }

  #renderOverview(registry: Registry): void {
    this.#overview.replaceChildren(counts(registry), historyView(registry.list(), this.#changes));
  }

  #show(title: string, ...content: HTMLElement[]): void {
    byId('title').textContent = title;
    byId('view').replaceChildren(...content);
  }
}

/** What decides whether the views must be rendered anew. A checkpoint can hold issuers of an unchanged list. */
function identityOf({ sha256, hold }: Registry): string {
  return [sha256, ...hold].join(' ');
}
