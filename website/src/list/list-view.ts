import type { Issuer } from '@passport-registry/verifier';
import type { ShownStatus } from '@passport-registry/verifier/core';
import { type Child, element } from '../dom/element.js';
import { notLoadedNote } from '../dom/not-loaded.js';
import { day } from '../dom/time.js';
import type { Hold } from '../registry/hold.js';
import { EVERYTHING, issuerFragment, listFragment, type Query } from '../route.js';
import { fields, more, since as sinceLabels, standings, list as text } from '../texts.js';
import { recognitionOf, STANDINGS, sinceOf, standingOf, TIERS } from '../verifier.js';
import type { matcherOf } from './matcher.js';
import type { Names } from './names.js';
import { placeName } from './places.js';
import { IssuerSearch } from './search.js';
import type { searchHints } from './search-hints.js';
import { countsOf, shownStatus, statusMark } from './status-mark.js';

/** Few enough that the browser lays them out while the reader types, also on a slow machine. */
const ROWS_PER_PAGE = 25;

/** What a search needs, and the first view does not. */
interface SearchParts {
  readonly matcherOf: typeof matcherOf;
  readonly searchHints: typeof searchHints;
}

/** The row of an issuer, and what changes in it when the names come. */
interface Row {
  readonly element: HTMLElement;
  readonly link: HTMLElement;
  readonly below: HTMLElement;
}

/** The list with its controls. One instance shows one list, for any query. */
export class ListView {
  readonly element: HTMLElement;
  readonly #hold: readonly string[];
  readonly #search: IssuerSearch;
  readonly #onQuery: (query: Query, typing: boolean) => void;
  readonly #loadParts: () => Promise<SearchParts>;
  readonly #controls = new Map<Filter['member'] | 'text', HTMLInputElement | HTMLSelectElement>();
  readonly #filters: HTMLDetailsElement;
  readonly #results = element('div');
  readonly #hints = element('div', { 'aria-live': 'polite' });
  readonly #count = element('p', { role: 'status', class: 'count' });
  readonly #totals = element('ul', { class: 'totals', 'aria-label': text.totals });
  /** What was asked for last. */
  query = EVERYTHING;
  /** The number of queries that were shown. A search stops as soon as there is a newer query. */
  #shown = 0;
  /** The row of each displayed issuer, by id. */
  readonly #rows = new Map<string, Row>();
  readonly #note = element('div');
  /** The issuers that match the query. */
  #found: readonly Issuer[] = [];

  /**
   * @param onQuery - called after each change by the reader; `typing` is true while the reader types a search
   */
  constructor(
    issuers: readonly Issuer[],
    { ids }: Hold,
    onQuery: (query: Query, typing: boolean) => void,
    loadParts: () => Promise<SearchParts>,
  ) {
    this.#loadParts = loadParts;
    this.#hold = ids;
    this.#search = new IssuerSearch(issuers, this.#hold, async () => (await loadParts()).matcherOf);
    this.#onQuery = onQuery;
    this.#filters = this.#filterDetails();
    const form = element('form', { role: 'search', class: 'controls' }, this.#searchField(), this.#filters);
    form.addEventListener('submit', (event) => event.preventDefault());
    form.addEventListener('reset', () => this.#onQuery(EVERYTHING, false));
    const state = element('div', { class: 'state' }, this.#count, this.#totals);
    this.element = element('div', {}, form, state, this.#hints, this.#results, this.#note);
  }

  /** Shows the issuers that match a query. Resolves when they are there, or when there is a newer query. */
  async show(query: Query): Promise<void> {
    this.query = query;
    for (const [member, control] of this.#controls) {
      const value = query[member];
      if (control.value !== value) control.value = value;
      if (control.value === value) continue;
      // A link may ask for something that is no choice, such as the status `active`.
      control.append(element('option', { selected: true }, value));
    }
    if (FILTERS.some(({ member }) => query[member] !== '')) this.#filters.open = true;
    await this.#find();
  }

  /**
   * Shows the names, which come after the list, in place of the ids. Nothing moves: a row with a name needs no more room.
   *
   * @param note - what is shown below the list
   */
  showNames(names: Names, note: readonly HTMLElement[]): void {
    this.#search.names = names;
    for (const { element: row } of this.#rows.values())
      row.style.height = `${row.getBoundingClientRect().height}px`;
    for (const issuer of this.#found) {
      const row = this.#rows.get(issuer.issuer_id);
      if (row !== undefined) fillTitle(row, issuer, names);
    }
    this.#note.replaceChildren(...note);
    if (this.query.text !== '') void this.#find();
  }

  async #find(): Promise<void> {
    const number = ++this.#shown;
    const isWanted = () => number === this.#shown;
    const found = await this.#search.find(this.query, isWanted).catch(() => undefined);
    if (!isWanted()) return;
    this.#found = found ?? [];
    if (found === undefined) {
      this.#count.textContent = '';
      this.#totals.replaceChildren();
      this.#results.replaceChildren(notLoadedNote());
      return;
    }
    this.#showTotals();
    this.#render();
    void this.#showHints(isWanted);
  }

  async #showHints(isWanted: () => boolean): Promise<void> {
    this.#hints.replaceChildren();
    // Beside the place that the reader looks at: the first issuers, or the note that there are none.
    if (this.#found.length === 0) this.#results.after(this.#hints);
    else this.#results.before(this.#hints);
    const parts = await this.#loadParts().catch(() => undefined);
    const hints = await parts?.searchHints(this.query, this.#search, this.#found.length, isWanted);
    if (isWanted()) this.#hints.replaceChildren(...(hints ?? []));
  }

  #render(): void {
    const found = this.#found;
    const all = this.#search.issuers.length;
    const pages = Math.max(1, Math.ceil(found.length / ROWS_PER_PAGE));
    const page = Math.min(this.query.page, pages);
    const from = (page - 1) * ROWS_PER_PAGE;
    const count = found.length === all ? text.all(all) : text.some(found.length, all);
    this.#count.textContent = this.#areNamesAwaited() ? `${count} ${text.namesLoading}` : count;
    this.#rows.clear();
    this.#results.replaceChildren(
      found.length === 0 ? this.#nothing() : this.#table(found.slice(from, from + ROWS_PER_PAGE)),
      ...(pages > 1 ? [this.#pager(page, pages)] : []),
    );
  }

  /** Whether the search may find more, as soon as the names are there. */
  #areNamesAwaited(): boolean {
    return this.query.text !== '' && this.#search.names === undefined;
  }

  #nothing(): HTMLElement {
    if (this.#search.issuers.length === 0) return element('p', {}, text.empty);
    return element(
      'p',
      {},
      this.#areNamesAwaited() ? '' : `${text.none} `,
      element('a', { href: listFragment({}) }, text.showAll),
    );
  }

  #searchField(): HTMLElement {
    const input = element('input', {
      id: 'search',
      type: 'search',
      placeholder: text.example,
      autocomplete: 'off',
      spellcheck: 'false',
    });
    this.#control('text', input);
    return element(
      'div',
      { class: 'search' },
      element('label', { for: 'search', class: 'unseen' }, text.search),
      input,
    );
  }

  /** The style sheet unfolds the filters where there is room for them. */
  #filterDetails(): HTMLDetailsElement {
    return element(
      'details',
      { class: 'filters' },
      element('summary', {}, text.filters),
      element(
        'div',
        {},
        FILTERS.map((filter) => this.#choice(filter)),
        element('button', { type: 'reset' }, text.clear),
      ),
    );
  }

  #choice({ member, values }: Filter): Child {
    const id = `filter-${member}`;
    const options = values(this.#search).map(([value, name]) => element('option', { value }, name));
    const select = element('select', { id }, element('option', { value: '' }, text.any[member]), options);
    this.#control(member, select);
    return element('div', {}, element('label', { for: id, class: 'unseen' }, text.filter[member]), select);
  }

  #control(member: Filter['member'] | 'text', control: HTMLInputElement | HTMLSelectElement) {
    this.#controls.set(member, control);
    control.addEventListener('input', () => {
      this.#onQuery({ ...this.query, [member]: control.value, page: 1 }, member === 'text');
    });
  }

  /** How many of the issuers that were found are of each standing. Each number leads to them. */
  #showTotals(): void {
    const totals = countsOf(this.#found, (one) => standingOf(one, shownStatus(one, this.#hold), Date.now()));
    const links = STANDINGS.flatMap((standing) => {
      const found = totals.get(standing);
      if (found === undefined) return [];
      const href = listFragment({ ...this.query, status: standing, page: 1 });
      return [element('li', {}, element('a', { href }, text.total(found, standings[standing])))];
    });
    this.#totals.replaceChildren(...links);
  }

  #table(issuers: readonly Issuer[]): HTMLElement {
    return element(
      'table',
      { class: 'issuers' },
      element('caption', { class: 'unseen' }, text.title),
      element(
        'thead',
        {},
        element(
          'tr',
          {},
          COLUMNS.map(({ title, kind }) => element('th', { scope: 'col', class: kind }, title)),
        ),
      ),
      element(
        'tbody',
        {},
        issuers.map((issuer) => this.#row(issuer)),
      ),
    );
  }

  #row(issuer: Issuer): HTMLElement {
    const row = rowOf(issuer, shownStatus(issuer, this.#hold));
    fillTitle(row, issuer, this.#search.names);
    this.#rows.set(issuer.issuer_id, row);
    return row.element;
  }

  #pager(page: number, pages: number): HTMLElement {
    const link = (target: number, name: string) =>
      target < 1 || target > pages
        ? element('span', { class: 'none' }, name)
        : element('a', { href: listFragment({ ...this.query, page: target }) }, name);
    return element(
      'nav',
      { class: 'pager', 'aria-label': text.pages },
      link(page - 1, text.previous),
      element('span', {}, text.page(page, pages)),
      link(page + 1, text.next),
    );
  }
}

interface Filter {
  readonly member: 'tier' | 'status' | 'geography' | 'domain' | 'passportType';
  /** The choices, each as a value and a label. */
  readonly values: (search: IssuerSearch) => (readonly [string, string])[];
}

const named = (values: readonly string[]) => values.map((value) => [value, value] as const);

const FILTERS: readonly Filter[] = [
  { member: 'status', values: () => STANDINGS.map((standing) => [standing, standings[standing]]) },
  { member: 'tier', values: () => named(TIERS) },
  {
    member: 'geography',
    values: (search) =>
      search
        .valuesOf('geographical_scope')
        .map((code) => [code, placeName(code)] as const)
        .sort(([, one], [, other]) => one.localeCompare(other)),
  },
  { member: 'domain', values: (search) => named(search.valuesOf('domain_scope')) },
  { member: 'passportType', values: (search) => named(search.valuesOf('passport_types')) },
];

interface Column {
  readonly title: string;
  /** A wide column is hidden on narrow screens. */
  readonly kind?: 'wide';
}

const COLUMNS: readonly Column[] = [
  { title: text.issuer },
  { title: fields.status },
  { title: fields.tier, kind: 'wide' },
  { title: fields.geographical_scope, kind: 'wide' },
  { title: fields.domain_scope, kind: 'wide' },
  { title: fields.certified_since, kind: 'wide' },
];

/** Makes a row whose title is still empty. */
function rowOf(issuer: Issuer, status: ShownStatus): Row {
  const { issuer_id, tier, certified_since, geographical_scope, domain_scope } = issuer;
  const link = element('a', { href: issuerFragment(issuer_id) });
  const below = element('span');
  const row = element(
    'tr',
    {},
    element('th', { scope: 'row' }, link, below),
    element('td', {}, statusMark(issuer, status), element('span', { class: 'host narrow' }, tier)),
    element('td', { class: 'wide' }, tier),
    element('td', { class: 'wide' }, abbreviate(geographical_scope?.map(placeName))),
    element('td', { class: 'wide' }, abbreviate(domain_scope)),
    element('td', { class: 'wide date' }, sinceLabel(issuer, status), day(certified_since)),
  );
  return { element: row, link, below };
}

/**
 * Shows the name of an issuer in one line, with its id below, always in full. Without a name, shows its id and the host of its
 * keys, unless that is the id. There are two lines in any case. The link stays, because it may have the focus.
 */
function fillTitle({ link, below }: Row, { issuer_id, jwks_uri }: Issuer, names: Names): void {
  const { name, note } = names?.get(issuer_id) ?? {};
  if (name === undefined) {
    const host = URL.canParse(jwks_uri) ? new URL(jwks_uri).host : '';
    link.textContent = issuer_id;
    below.className = 'host one-line';
    below.textContent = host === '' || host === issuer_id ? '\u00a0' : host;
    return;
  }
  link.className = 'one-line';
  link.replaceChildren(element('bdi', {}, name));
  below.className = 'host';
  below.replaceChildren(issuer_id, note === undefined ? '' : element('span', { class: 'alike' }, note));
}

/** The column says "Since", which is wrong of an issuer that was stopped, or that is for later. */
function sinceLabel(issuer: Issuer, status: ShownStatus): Child {
  const since = sinceOf(issuer, status, Date.now());
  return since === recognitionOf(issuer) ? undefined : element('span', { class: 'host' }, sinceLabels[since]);
}

/** Joins the first three values, and adds the number of the others. */
function abbreviate(values: readonly string[] = []): string {
  const shown = values.slice(0, 3).join(', ');
  return values.length > 3 ? `${shown}${more(values.length - 3)}` : shown;
}
