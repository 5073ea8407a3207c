import { sha256 } from './checksums.js';
import { FILE_KINDS, TYPES } from './files.js';
import { PATHS } from './paths.js';
import { CONTENT_SECURITY_POLICY, notFoundPage } from './site/pages.js';

/**
 * The configuration files of static hosts. No host serves the tree correctly by default: record paths have no
 * extension, or end in something that looks like one, and many hosts take `.sig` for a PGP signature. Each file
 * configures the same headers in the format of one host.
 */

/** For files that change with each publication. The time is short, so that a revocation arrives within minutes. */
const SHORT = 'public, max-age=60, must-revalidate';
const LONG = 'public, max-age=3600';
const IMMUTABLE = 'public, max-age=31536000, immutable';
const CACHES = { 'with a release': LONG, never: IMMUTABLE };

/** The page contains the policy, too, but only a header can forbid other pages to frame it. */
const PAGE_POLICY = `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'`;
/** The Content-Security-Policy of files that browsers show. */
const POLICIES: Readonly<Record<string, string>> = {
  [PATHS.page]: PAGE_POLICY,
  // For an image that somebody opens as a page.
  [PATHS.asset('logo.svg')]: "default-src 'none'",
};

interface ServedFile {
  /** A path of the tree; `*` matches one path segment, and a final `**` matches several. */
  readonly path: string;
  readonly type: string;
  readonly cache: string;
  /** The Content-Security-Policy, if any. */
  readonly policy: string | undefined;
}

/** The files for which hosts have rules, in the order of the rules. */
const SERVED: readonly ServedFile[] = FILE_KINDS.flatMap(({ path, type, changes }) => {
  const cache = changes === undefined ? SHORT : CACHES[changes];
  return type === undefined ? [] : [{ path, type, cache, policy: POLICIES[path] }];
});

/** For every response: any page may read the registry, and no browser may guess a type. */
const EVERYWHERE = { 'Access-Control-Allow-Origin': '*', 'X-Content-Type-Options': 'nosniff' };

/** Returns a regular expression for a path, in which each star is a group. */
const expressionOf = (path: string) =>
  path.replaceAll('.', '\\.').replace('**', '(.+)').replaceAll('*', '([^/]+)');

let made: ReadonlyMap<string, string> | undefined;

/** Returns the configuration files by path. They are the same for every tree. */
export function hostFiles(): ReadonlyMap<string, string> {
  made ??= makeHostFiles();
  return made;
}

function makeHostFiles(): ReadonlyMap<string, string> {
  return new Map([
    ['serve.json', serveJson()],
    ['_headers', headersFile()],
    ['.htaccess', rootHtaccess()],
    ['issuers/.htaccess', RECORDS_HTACCESS],
    // Sums files have no extension.
    ['sums/.htaccess', `ForceType "${TYPES.text}"\n`],
    ['.nojekyll', ''],
    ['vercel.json', vercelJson()],
    ['404.html', notFoundPage()],
  ]);
}

/** Returns the configuration file with a SHA-256, if this version writes it. */
export function ownHostFile(path: string, hash: string): string | undefined {
  const own = hostFiles().get(path);
  return own !== undefined && sha256(own) === hash ? own : undefined;
}

const toPairs = (headers: Record<string, string>) =>
  Object.entries(headers).map(([key, value]) => ({ key, value }));

const headersOf = ({ type, cache, policy }: ServedFile) => ({
  'Content-Type': type,
  'Cache-Control': cache,
  ...(policy !== undefined && { 'Content-Security-Policy': policy }),
});

/**
 * Returns the URL paths of a file, for hosts that match URLs and not files. The page of a folder also has the folder's
 * URL.
 */
const urlPaths = ({ path }: ServedFile) => (path === PATHS.page ? ['', path] : [path]);

/** For `serve`. Sources have no leading slash. `serve` rejects unknown keys. */
function serveJson(): string {
  const headers = [
    { source: '**', headers: toPairs(EVERYWHERE) },
    ...SERVED.map((served) => ({ source: served.path, headers: toPairs(headersOf(served)) })),
  ];
  // With `cleanUrls` off, `serve` does not look for the page of a folder.
  const rewrites = [{ source: '/', destination: '/index.html' }];
  const configuration = { cleanUrls: false, directoryListing: false, rewrites, headers };
  return `${JSON.stringify(configuration, undefined, 2)}\n`;
}

/** For Vercel. Sources are regular expressions. */
function vercelJson(): string {
  const headers = [
    { source: '/(.*)', headers: toPairs(EVERYWHERE) },
    ...SERVED.flatMap((served) =>
      urlPaths(served).map((path) => ({
        source: `/${expressionOf(path)}`,
        headers: toPairs(headersOf(served)),
      })),
    ),
  ];
  return `${JSON.stringify({ cleanUrls: false, trailingSlash: false, headers }, undefined, 2)}\n`;
}

/** For Cloudflare Pages and Netlify. All matching rules apply, so no two rules set the same header for one path. */
function headersFile(): string {
  // A star is allowed only at the end of a path; elsewhere a placeholder is needed.
  const rule = (path: string, headers: Record<string, string>) =>
    [
      `/${path.replace('/**', '/*').replace('/*/', '/:hash/')}`,
      ...Object.entries(headers).map(([key, value]) => `  ${key}: ${value}`),
    ].join('\n');
  const rules = [
    rule('*', EVERYWHERE),
    ...SERVED.flatMap((served) => urlPaths(served).map((path) => rule(path, headersOf(served)))),
  ];
  return `${rules.join('\n\n')}\n`;
}

/** For Apache with AllowOverride All. */
function rootHtaccess(): string {
  const everywhere = { ...EVERYWHERE, 'Cache-Control': SHORT };
  const headers = Object.entries(everywhere).map(([key, value]) => `  Header always set ${key} "${value}"`);
  // These rules match file names in any folder. Records and sums have their own rules, in the .htaccess
  // of their folders. An id can be the name of a file of the log, so the rules of the log match whole paths.
  const named = SERVED.filter(({ path }) => !path.endsWith('*') && !hasPathRule(path));
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
</IfModule>
<IfModule mod_deflate.c>
  <IfModule mod_filter.c>
    AddOutputFilterByType DEFLATE application/json text/html text/javascript text/css
  </IfModule>
</IfModule>
${types.join('\n')}
${SERVED.filter(({ path }) => hasPathRule(path))
  .map(pathRule)
  .join('\n')}
`;
}

/** Whether a path is that of a file of the log, of a list that is named by its hash, or of a logo. */
const hasPathRule = (path: string) => /^log\/|^lists\/|^assets\/logo/.test(path);

/** For Apache: a rule for whole paths, which overrides the rules for names. */
function pathRule({ path, type, cache, policy }: ServedFile): string {
  const rule = policy === undefined ? '' : `\n    Header always set Content-Security-Policy "${policy}"`;
  return `<If "%{REQUEST_URI} =~ m#/${expressionOf(path)}$#">
  ForceType "${type}"
  <IfModule mod_headers.c>
    Header always set Cache-Control "${cache}"${rule}
  </IfModule>
</If>`;
}

/** For Apache. Ids may contain dots, and what follows a dot must select no type, handler, encoding or language. */
const RECORDS_HTACCESS = `ForceType ${TYPES.json}
RemoveHandler .cgi .php .pl .py .asp .shtml .var
RemoveEncoding .gz .tgz .br .Z .bz2
RemoveLanguage .de .en .es .fr .it .ja .nl .no .pl .pt .ru .sv
`;
