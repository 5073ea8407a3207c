import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEachFile } from './endings.js';
import { ROOT } from './paths.js';
import { freePort, serve, untilAnswering } from './serving.js';
import { temporaryFolder, writeFiles } from './workspace.js';

const children: ChildProcess[] = [];
const groups: ChildProcess[] = [];
afterEachFile(() => {
  for (const child of children.splice(0)) child.kill();
  for (const { pid } of groups.splice(0)) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
});

/** A real web server. It uses the configuration of the documents, or the one in the tree. `start` returns its URL. */
interface RealHost {
  readonly program: string;
  start(tree: string): Promise<string>;
}

/** Starts a server, and waits until it answers. Returns its URL. */
async function startServer(
  program: string,
  args: readonly string[],
  port: number,
  folder: string,
): Promise<string> {
  // The workers of the server run as another user, and must be able to read the folder.
  chmodSync(folder, 0o755);
  const child = spawn(program, args, {
    stdio: 'ignore',
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, NO_UPDATE_CHECK: '1' },
  });
  children.push(child);
  return untilAnswering(`http://127.0.0.1:${port}`, child);
}

const readConfiguration = (name: string, changes: Readonly<Record<string, string>>) => {
  let text = readFileSync(join(ROOT, 'docs/hosting', name), 'utf8');
  for (const [from, to] of Object.entries(changes)) {
    if (!text.includes(from)) throw new Error(`docs/hosting/${name} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
};

/** Apache with Debian's modules and MIME settings, which break ids with dots. The tree's .htaccess must fix this. */
async function apache(tree: string): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const modules = [
    'mpm_event',
    'authz_core',
    'mime',
    'headers',
    'dir',
    'autoindex',
    'negotiation',
    'deflate',
    'filter',
  ];
  writeFiles(folder, {
    'apache.conf': `ServerRoot "${folder}"
ServerName localhost
PidFile "${folder}/apache.pid"
Listen 127.0.0.1:${port}
ErrorLog "${folder}/apache.log"
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
TypesConfig /etc/mime.types
AddEncoding x-compress .Z
AddEncoding x-gzip .gz .tgz
AddLanguage fr .fr
AddHandler type-map var
DocumentRoot "${tree}"
<Directory "${tree}">
  AllowOverride All
  Require all granted
</Directory>
`,
  });
  return startServer('apache2', ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], port, folder);
}

/** nginx with docs/hosting/nginx.conf. */
async function nginx(tree: string): Promise<string> {
  const port = await freePort();
  const changes = { 'listen 8080': `listen 127.0.0.1:${port}`, '/srv/registry/dist': tree };
  return startNginx(readConfiguration('nginx.conf', changes), port);
}

/** Starts nginx with a configuration of its servers, one of which listens on a port. */
export function startNginx(servers: string, port: number): Promise<string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'logs'));
  writeFiles(folder, {
    'servers.conf': servers,
    'nginx.conf': `daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/logs/error.log;
user root;
events { }
http {
  include /etc/nginx/mime.types;
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  include ${folder}/servers.conf;
}
`,
  });
  return startServer('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')], port, folder);
}

/** Caddy with docs/hosting/Caddyfile. */
async function caddy(tree: string): Promise<string> {
  const port = await freePort();
  const changes = { 'http://registry.example:8080': `http://127.0.0.1:${port}`, '/srv/registry/dist': tree };
  return startCaddy(readConfiguration('Caddyfile', changes), port);
}

/** Starts Caddy with a configuration of its sites, one of which listens on a port. */
export function startCaddy(sites: string, port: number): Promise<string> {
  const folder = temporaryFolder();
  writeFiles(folder, { Caddyfile: `{\n\tadmin off\n}\n${sites}` });
  return startServer(
    'caddy',
    ['run', '--config', join(folder, 'Caddyfile'), '--adapter', 'caddyfile'],
    port,
    folder,
  );
}

/** The package `serve`, which `npm start` runs in this repository. It uses the serve.json of the tree. */
async function servePackage(tree: string): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const program = join(ROOT, 'node_modules/serve/build/main.js');
  return startServer(process.execPath, [program, tree, '--listen', `tcp://127.0.0.1:${port}`], port, folder);
}

/** Cloudflare Pages, emulated locally by wrangler. It uses the tree's own _headers and 404.html. */
async function pages(tree: string): Promise<string> {
  const [folder, port] = [temporaryFolder(), await freePort()];
  const quiet = { WRANGLER_SEND_METRICS: 'false', CI: 'true', HOME: folder, XDG_CONFIG_HOME: folder };
  // Detached, so that the whole process group can be killed: wrangler starts the server as another process.
  const child = spawn('wrangler', ['pages', 'dev', tree, '--ip', '127.0.0.1', '--port', String(port)], {
    stdio: 'ignore',
    cwd: folder,
    detached: true,
    env: { ...process.env, ...quiet },
  });
  groups.push(child);
  return untilAnswering(`http://127.0.0.1:${port}/issuers.json`, child).then(
    (address) => new URL(address).origin,
  );
}

/** The real web servers, by name. */
export const HOSTS: Readonly<Record<string, RealHost>> = {
  serve: { program: 'node', start: servePackage },
  'passport-registry serve': { program: 'node', start: serve },
  Apache: { program: 'apache2', start: apache },
  nginx: { program: 'nginx', start: nginx },
  Caddy: { program: 'caddy', start: caddy },
  'Cloudflare Pages': { program: 'wrangler', start: pages },
};
