/** A search in the list. An empty string matches every issuer. */
export interface Query {
  readonly text: string;
  readonly tier: string;
  readonly status: string;
  readonly geography: string;
  readonly domain: string;
  readonly passportType: string;
  /** The number of the page, starting at 1. */
  readonly page: number;
}

/** A view of the page: the list, or one issuer. */
export type Route =
  | { readonly kind: 'list'; readonly query: Query }
  | { readonly kind: 'issuer'; readonly id: string };

/** The query that matches the whole list. */
export const EVERYTHING: Query = {
  text: '',
  tier: '',
  status: '',
  geography: '',
  domain: '',
  passportType: '',
  page: 1,
};

/** The parameter in the URL for each member of a query. */
const NAMES = {
  text: 'q',
  tier: 'tier',
  status: 'status',
  geography: 'geography',
  domain: 'domain',
  passportType: 'type',
} as const;

/** The parameters that a URL of the list can have. */
export const PARAMETERS: readonly string[] = [...Object.values(NAMES), 'page'];

/**
 * Parses the fragment of a URL. Queries are in the fragment because browsers do not send it: searches stay private, and
 * caches keep one copy of the page, not one for each query. An issuer is looked up at the host before the list is there.
 */
export function routeOf(fragment: string): Route {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''));
  const id = parameters.get('issuer');
  if (id !== null && id !== '') return { kind: 'issuer', id };
  const text = (member: keyof typeof NAMES) => parameters.get(NAMES[member]) ?? '';
  const page = Number(parameters.get('page') ?? 1);
  return {
    kind: 'list',
    query: {
      text: text('text'),
      tier: text('tier'),
      status: text('status'),
      geography: text('geography'),
      domain: text('domain'),
      passportType: text('passportType'),
      page: Number.isSafeInteger(page) && page > 0 ? page : 1,
    },
  };
}

/** The URL fragment for a query. */
export function listFragment(query: Partial<Query>): string {
  const { page, ...texts } = { ...EVERYTHING, ...query };
  const parameters = new URLSearchParams();
  for (const [member, name] of Object.entries(NAMES)) {
    const value = texts[member as keyof typeof NAMES];
    if (value !== '') parameters.set(name, value);
  }
  if (page !== 1) parameters.set('page', String(page));
  return `#${parameters}`;
}

/** The URL fragment for one issuer. */
export function issuerFragment(id: string): string {
  return `#${new URLSearchParams({ issuer: id })}`;
}
