import type {
  IssuerLookup,
  Registry,
  RegistryClient,
  RegistryStatus,
  RootKey,
} from '@passport-registry/verifier';
import { insertRegistryUrl } from './commands.js';
import { byId, element, rich } from './dom/element.js';
import { visibleId } from './dom/visible-text.js';
import { ListView } from './list/list-view.js';
import type { LogCheck } from './log/log-check.js';
import type { Changes } from './registry/changes.js';
import { issuerLookup, proveIssuer } from './registry/proven-issuer.js';
import { type RegistryAnchor, trustAnchorOf } from './registry/trust-anchor.js';
import { fetchRootKey, notVerified, verifiedRegistry } from './registry/verified-registry.js';
import { listFragment, type Query, type Route, routeOf } from './route.js';
import { list as listText, page as text, verdict } from './texts/en.js';
import { currencyOf, isDoubtful } from './verification/currency.js';
import { showBadge, showChecking, showFailure } from './verification/verdict.js';

const TITLE = document.title;

/** Loads what the first view does not need. */
const loadParts = () => import('./parts.js');

/** The root key of the registry, after a comparison with the thumbprint in the page, and what the page trusts. */
interface Trusted {
  readonly rootKey: RootKey;
  readonly trustAnchor: RegistryAnchor;
}

/** The page at the registry's URL. It shows data of the registry only while that data is verified and fresh. */
export class RegistryPage {
  readonly #base: URL;
  readonly #pinned: string;
  readonly #trusted: Promise<Trusted>;
  #registry: RegistryClient | undefined;
  #list: ListView | undefined;
  readonly #recent = element('section', { class: 'recent' });
  #log: LogCheck | undefined;
  #changes: Changes | undefined;
  /** Whether the list was verified or refused. */
  #hasVerdict = false;
  /** The payload hash of the displayed list, and the issuers on hold. */
  #shown = '';

  constructor(base: URL, pinned: string) {
    this.#base = base;
    this.#pinned = pinned;
    this.#trusted = fetchRootKey(base, pinned).then((rootKey) => ({
      rootKey,
      trustAnchor: trustAnchorOf(rootKey, base),
    }));
  }

  async start(): Promise<void> {
    showChecking();
    this.#show(listText.title);
    for (const code of document.querySelectorAll('.commands')) {
      code.textContent = insertRegistryUrl(this.#base, code.textContent ?? '');
    }
    // Loads the part while the registry answers.
    if (routeOf(location.hash).kind !== 'list') loadParts().catch(() => undefined);
    try {
      const { trustAnchor } = await this.#trusted;
      const lookup = issuerLookup(trustAnchor);
      const proveShown = () => void this.#showProven(lookup);
      addEventListener('hashchange', proveShown);
      proveShown();
      this.#registry = await verifiedRegistry(trustAnchor, () => this.#onClientEvent()).finally(() => {
        removeEventListener('hashchange', proveShown);
        lookup.close();
      });
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
  async #showProven(lookup: IssuerLookup): Promise<void> {
    const asked = location.hash;
    const route = routeOf(asked);
    showChecking();
    this.#show(listText.title);
    if (route.kind !== 'issuer') return;
    const { trustAnchor } = await this.#trusted;
    const [parts, proven] = await Promise.all([
      loadParts().catch(() => undefined),
      proveIssuer(lookup, route.id),
    ]);
    if (parts === undefined || proven === undefined) return;
    if (location.hash !== asked || this.#hasVerdict) return;
    const { issuer, hold, status, decide } = proven;
    const context = { trustAnchor, hold, checkpointSignedAt: status.checkpointSignedAt, decide };
    const name = visibleId(route.id);
    document.title = `${name}: ${TITLE}`;
    const title = issuer === undefined ? verdict.provenAbsence : verdict.provenIssuer;
    showBadge('proven', title, verdict.now).replaceChildren(...parts.provenDetails(proven));
    this.#show(
      name,
      issuer === undefined ? parts.unknownIssuerView(route.id) : parts.issuerView(issuer, context),
    );
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
      // Also of an unchanged list there are new checkpoints and reports.
      if (routeOf(location.hash).kind === 'operations') this.#navigate(false);
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
    this.#log?.withdraw();
    this.#showVerification(registry);
    this.#navigate(false);
    void this.#loadChanges(registry);
    void this.#checkLog(registry);
  }

  #showVerification(registry: RegistryClient): void {
    const status = registry.status();
    const panel = showBadge('good', verdict.good, currencyOf(status));
    this.#markDoubt(status);
    void this.#showDetails(panel, registry);
  }

  #markDoubt(status: RegistryStatus): void {
    byId('verification').classList.toggle('late', isDoubtful(status) || this.#log?.isRefused === true);
  }

  async #showDetails(panel: HTMLElement, registry: RegistryClient): Promise<void> {
    const parts = await loadParts().catch(() => undefined);
    if (this.#registry !== registry) return;
    this.#attempt(() => {
      if (parts === undefined) panel.replaceChildren(notLoadedNote());
      else parts.showDetails(panel, registry, this.#pinned);
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
      this.#recent.replaceChildren(...parts.recentChanges(this.#changes));
      this.#renderPart();
    });
  }

  /** Runs after each refresh, because witnesses cosign the log anew. */
  async #checkLog(registry: RegistryClient): Promise<void> {
    if (!registry.status().publication) return;
    if (this.#log === undefined) {
      const parts = await loadParts().catch(() => undefined);
      if (parts === undefined) return;
      this.#log ??= new parts.LogCheck(this.#base);
    }
    const log = this.#log;
    const before = log.proven;
    await log.run(registry).catch(() => undefined);
    if (this.#registry !== registry) return;
    this.#attempt(() => {
      log.show();
      this.#markDoubt(registry.status());
      if (log.proven !== before) this.#renderPart();
    });
  }

  /** Shows the issuer or the operations anew. Leaves the list alone, because the reader may be typing a query. */
  #renderPart(): void {
    if (routeOf(location.hash).kind !== 'list') this.#navigate(false);
  }

  #fail(error: unknown): void {
    this.#hasVerdict = true;
    this.#registry?.close();
    this.#registry = undefined;
    this.#list = undefined;
    this.#changes = undefined;
    document.title = `${verdict.badTitle}: ${TITLE}`;
    this.#log?.withdraw();
    showFailure(notVerified(error));
    this.#show(listText.title, element('p', {}, listText.notVerified));
  }

  #applyQuery(query: Query, typing: boolean): void {
    assertFresh(this.#registry);
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
    markCurrent(route);
    if (route.kind !== 'list') {
      void this.#showPart(route, byReader);
      return;
    }
    assertFresh(registry);
    document.title = TITLE;
    list.show(route.query);
    this.#show(listText.title, list.element, this.#recent);
    if (byReader) goToTop();
  }

  /** Shows a view whose code may have to be loaded first. */
  async #showPart(route: Exclude<Route, { kind: 'list' }>, byReader: boolean): Promise<void> {
    const asked = location.hash;
    const part = await (route.kind === 'issuer' ? this.#issuerPart(route.id) : this.#operationsPart()).catch(
      notLoaded,
    );
    if (location.hash !== asked) return;
    this.#attempt(() => {
      const registry = this.#registry;
      if (registry === undefined) return;
      const [title, view] = part(registry);
      document.title = `${title}: ${TITLE}`;
      this.#show(title, view);
      if (byReader) goToTop();
    });
  }

  async #issuerPart(id: string): Promise<Part> {
    const { issuerView, unknownIssuerView } = await loadParts();
    const { trustAnchor } = await this.#trusted;
    return (registry) => {
      const issuer = registry.resolve(id);
      const name = visibleId(id);
      const history = this.#log?.history(id, registry, (work) => this.#attempt(work));
      if (issuer === undefined) return [name, unknownIssuerView(id, registry, history)];
      const context = {
        trustAnchor,
        hold: registry.hold,
        checkpointSignedAt: registry.status().checkpointSignedAt,
        decide: (policy: Parameters<Registry['decide']>[1]) => registry.decide(id, policy),
        past: { changes: this.#changes, history },
      };
      return [name, issuerView(issuer, context)];
    };
  }

  async #operationsPart(): Promise<Part> {
    const { cosignaturesBy, operationsView, readOperations } = await loadParts();
    const { rootKey } = await this.#trusted;
    const published = await readOperations(this.#base, rootKey);
    const log = this.#log?.accepted;
    const keys = published?.report?.witnesses ?? [];
    const witnesses = log === undefined ? [] : await cosignaturesBy(keys, log);
    return (registry) => [listText.operations, operationsView(registry, { ...published, log, witnesses })];
  }

  #show(title: string, ...content: HTMLElement[]): void {
    const heading = byId('title');
    heading.textContent = title;
    // The list needs no title to see: the first screen belongs to the search and the issuers.
    heading.className = content[0] === this.#list?.element ? 'unseen' : '';
    const view = byId('view');
    // The view may be made anew while the reader types in it.
    const focused = view.contains(document.activeElement) ? document.activeElement?.id : undefined;
    view.replaceChildren(...content);
    if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  }
}

/** Returns the title and the content of a view. */
type Part = (registry: RegistryClient) => readonly [string, HTMLElement];

/** A host replaces the files of the page together with the page. An open page may then name parts that are gone. */
function notLoadedNote(): HTMLElement {
  const reload = element('button', { type: 'button' }, text.reload);
  reload.addEventListener('click', () => location.reload());
  return element('p', { role: 'alert' }, rich(text.notLoaded, { reload }));
}

function notLoaded(): Part {
  return () => [listText.title, notLoadedNote()];
}

/** Shows a new view from its beginning, below the badge. Programs that read the page aloud begin with the view. */
function goToTop(): void {
  scrollTo(0, 0);
  byId('main').focus({ preventScroll: true });
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
