import { CONTENT_SECURITY_POLICY, notFoundPage } from './site/pages.js';

/**
 * What static hosts read. No host serves the tree right by itself: ids have no extension, or end in what looks like
 * one, and `.sig` means PGP to many. Each file here says the same in another host's words.
 */

/** Changes with a publication: short, so that a revocation arrives within minutes. */
const SHORT = 'public, max-age=60, must-revalidate';
/** Changes with a release of the generator. */
const LONG = 'public, max-age=3600';
/** Never changes: its path names its hash (SPEC B6). */
const FOR_EVER = 'public, max-age=31536000, immutable';

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';
const JWT_TYPE = 'application/jwt';
const PAGE_TYPE = 'text/html; charset=utf-8';
/** A page says it itself; only a header can also say that no other page may frame it. */
const PAGE_POLICY = `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'`;

interface Served {
  /** A path of the tree; `*` stands for any one name. No two cover the same path. */
  readonly path: string;
  readonly type: string;
  readonly cache: string;
  /** The Content-Security-Policy, where there is one. */
  readonly policy?: string;
}

const SERVED: readonly Served[] = [
  { path: 'index.html', type: PAGE_TYPE, cache: SHORT, policy: PAGE_POLICY },
  { path: 'assets/registry.js', type: 'text/javascript; charset=utf-8', cache: SHORT },
  { path: 'assets/registry.css', type: 'text/css; charset=utf-8', cache: SHORT },
  { path: 'assets/icon.svg', type: 'image/svg+xml', cache: SHORT },
  { path: 'assets/licences.txt', type: TEXT_TYPE, cache: SHORT },
  { path: 'changes.json', type: JSON_TYPE, cache: SHORT },
  { path: 'changes.atom', type: 'application/atom+xml', cache: SHORT },
  { path: 'issuers.json', type: JSON_TYPE, cache: SHORT },
  { path: 'issuers.sig', type: TEXT_TYPE, cache: SHORT },
  { path: 'issuers/*', type: JSON_TYPE, cache: SHORT },
  { path: 'keys/root.json', type: JSON_TYPE, cache: SHORT },
  { path: 'keys/rotation.json', type: JSON_TYPE, cache: SHORT },
  { path: 'keys/delegation.jwt', type: JWT_TYPE, cache: SHORT },
  { path: 'checkpoint.jwt', type: JWT_TYPE, cache: SHORT },
  { path: 'snapshots/*/issuers.json', type: JSON_TYPE, cache: FOR_EVER },
  { path: 'snapshots/*/issuers.sig', type: TEXT_TYPE, cache: FOR_EVER },
  { path: 'SHA256SUMS', type: TEXT_TYPE, cache: SHORT },
  // Another list may yet follow on the same, if its tree was lost: long, but not for ever.
  { path: 'deltas/*', type: JSON_TYPE, cache: LONG },
  { path: 'schemas/*', type: JSON_TYPE, cache: LONG },
];

/** For every answer: any page may read the registry, and no browser may guess a type. */
const EVERYWHERE = { 'Access-Control-Allow-Origin': '*', 'X-Content-Type-Options': 'nosniff' };

/** Files that are there for a host. It need not serve them, or not as they are, so a check over HTTP leaves them out. */
export const HOST_FILES: readonly string[] = [
  'serve.json',
  '_headers',
  '.htaccess',
  'issuers/.htaccess',
  '.nojekyll',
  'vercel.json',
  // Some serve it only in place of what is not there.
  '404.html',
  // Served in place of the list, and often unpacked.
  'issuers.json.gz',
  'issuers.json.br',
];

/** The content type that a host must give a path, without parameters; undefined when it does not matter. */
export function expectedType(path: string): string | undefined {
  return SERVED.find((served) => covers(served.path, path))?.type.split(';')[0];
}

function covers(pattern: string, path: string): boolean {
  const [parts, names] = [pattern.split('/'), path.split('/')];
  return parts.length === names.length && parts.every((part, index) => part === '*' || part === names[index]);
}

/** The files themselves, by path. */
export function hostFiles(): Map<string, string> {
  return new Map([
    ['serve.json', serveJson()],
    ['_headers', headersFile()],
    ['.htaccess', rootHtaccess()],
    ['issuers/.htaccess', issuersHtaccess()],
    ['.nojekyll', ''],
    ['vercel.json', vercelJson()],
    ['404.html', notFoundPage()],
  ]);
}

const pairs = (headers: Record<string, string>) =>
  Object.entries(headers).map(([key, value]) => ({ key, value }));

const headersOf = ({ type, cache, policy }: Served) => ({
  'Content-Type': type,
  'Cache-Control': cache,
  ...(policy !== undefined && { 'Content-Security-Policy': policy }),
});

/** Where hosts that look at addresses rather than at files find it: the page of a folder is at the folder's address. */
const addresses = ({ path }: Served) => (path === 'index.html' ? ['', path] : [path]);

/** For `serve`: its sources have no leading slash, and it stops at a key that it does not know. */
function serveJson(): string {
  const headers = [
    { source: '**', headers: pairs(EVERYWHERE) },
    ...SERVED.map((served) => ({ source: served.path, headers: pairs(headersOf(served)) })),
  ];
  // Without clean URLs it does not look for the page of a folder by itself.
  const rewrites = [{ source: '/', destination: '/index.html' }];
  const configuration = { cleanUrls: false, directoryListing: false, rewrites, headers };
  return `${JSON.stringify(configuration, undefined, 2)}\n`;
}

/** For Vercel: its sources are regular expressions. */
function vercelJson(): string {
  const pattern = (path: string) => `/${path.replaceAll('.', '\\.').replaceAll('*', '([^/]+)')}`;
  const headers = [
    { source: '/(.*)', headers: pairs(EVERYWHERE) },
    ...SERVED.flatMap((served) =>
      addresses(served).map((path) => ({ source: pattern(path), headers: pairs(headersOf(served)) })),
    ),
  ];
  return `${JSON.stringify({ cleanUrls: false, trailingSlash: false, headers }, undefined, 2)}\n`;
}

/** For Cloudflare Pages and Netlify. Rules add up there, so no header stands in two rules for one path. */
function headersFile(): string {
  // Within a path they take a placeholder, and a star only at its end.
  const rule = (path: string, headers: Record<string, string>) =>
    [
      `/${path.replace('/*/', '/:hash/')}`,
      ...Object.entries(headers).map(([key, value]) => `  ${key}: ${value}`),
    ].join('\n');
  const rules = [
    rule('*', EVERYWHERE),
    ...SERVED.flatMap((served) => addresses(served).map((path) => rule(path, headersOf(served)))),
  ];
  return `${rules.join('\n\n')}\n`;
}

/** For Apache with AllowOverride All. */
function rootHtaccess(): string {
  const everywhere = { ...EVERYWHERE, 'Cache-Control': SHORT };
  const headers = Object.entries(everywhere).map(([key, value]) => `  Header always set ${key} "${value}"`);
  // By name, in whatever folder: those in issuers/ have a file of their own.
  const named = SERVED.filter(({ path }) => !path.endsWith('*'));
  const types = [...new Map(named.map(({ path, type }) => [path.replace(/^.*\//, ''), type]))].map(
    ([name, type]) => `<Files "${name}">\n  ForceType "${type}"\n</Files>`,
  );
  return `Options -Indexes -MultiViews
DirectorySlash Off
ErrorDocument 404 /404.html
<IfModule mod_headers.c>
${headers.join('\n')}
  <FilesMatch "\\.(?:schema|openapi)\\.json$">
    Header always set Cache-Control "${LONG}"
  </FilesMatch>
  <Files "index.html">
    Header always set Content-Security-Policy "${PAGE_POLICY}"
  </Files>
  <If "%{REQUEST_URI} =~ m#/deltas/[0-9a-f]{64}\\.json$#">
    Header always set Cache-Control "${LONG}"
  </If>
  <If "%{REQUEST_URI} =~ m#/snapshots/[0-9a-f]{64}/#">
    Header always set Cache-Control "${FOR_EVER}"
  </If>
</IfModule>
<IfModule mod_deflate.c>
  <IfModule mod_filter.c>
    AddOutputFilterByType DEFLATE application/json text/html text/javascript text/css
  </IfModule>
</IfModule>
${types.join('\n')}
`;
}

/** Ids may contain dots: what follows one must mean neither a type, a handler nor an encoding here. */
function issuersHtaccess(): string {
  return `ForceType application/json
RemoveHandler .cgi .php .pl .py .asp .shtml .var
RemoveEncoding .gz .tgz .br .Z .bz2
RemoveLanguage .de .en .es .fr .it .ja .nl .no .pl .pt .ru .sv
`;
}
