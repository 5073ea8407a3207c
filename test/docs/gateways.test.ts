import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeWith } from '../support/components.js';
import { commandsBelow, sh, withoutInstall } from '../support/documents.js';
import { documented, gateFolder, startGate } from '../support/gate.js';
import { startNginx } from '../support/hosts.js';
import { ROOT } from '../support/paths.js';
import { freePort, sandboxIn, serve } from '../support/serving.js';
import { run, temporaryFolder, writeFiles } from '../support/workspace.js';

const DOCUMENT = readFileSync(join(ROOT, 'docs/gateways.md'), 'utf8');

const START = 'A static site behind nginx, in ten minutes';

describeWith(['nginx'], 'the first ten minutes', () => {
  it('protect a static site with nginx', async () => {
    const folder = temporaryFolder();
    const [make = '', pin = '', start] = commandsBelow('docs/gateways.md', START);
    expect(start).toBe('npx passport-registry gate gate.yaml\n');
    await sh(withoutInstall(make).replace('npm init --yes\n', ''), folder);
    const registry = await serve(join(folder, 'dist'));
    const issuer = await sandboxIn(folder);
    await sh(pin.replace('http://127.0.0.1:8080', registry), folder);
    const [settings = ''] = documented(START, 'yaml');
    const door = await startGate(
      { folder, settings: parse(settings.replace('http://127.0.0.1:8787', issuer)) },
      { listen: '127.0.0.1:0' },
    );
    const port = await freePort();
    const site = join(folder, 'site');
    mkdirSync(site);
    chmodSync(folder, 0o755);
    writeFiles(site, { 'index.html': 'the page' });
    const [nginx = ''] = documented(START, 'nginx');
    const address = await startNginx(
      nginx
        .replace('127.0.0.1:8090', `127.0.0.1:${port}`)
        .replace('/srv/site', site)
        .replace('http://127.0.0.1:8181', door.address),
      port,
    );
    const [agent = ''] = documented(START, 'js');
    const here = agent.replace('http://127.0.0.1:8787', issuer).replace('http://127.0.0.1:8090', address);
    // Inside the checkout, so that the imports find the package by name.
    const checkout = join(ROOT, 'test-results/gateways');
    writeFiles(checkout, { 'agent.mjs': here });
    const { stdout } = await run(process.execPath, ['agent.mjs'], checkout);
    expect(stdout).toBe('401 passport-missing 200\n');
  });
});

const NAMES = ['Issuer', 'Tier', 'Principal', 'Agent', 'Scope', 'Proven'].map((name) => `Passport-${name}`);

// Which requests the door then admits is shown in test/passports/gate/gate.test.ts.
describe('docs/gateways.md', () => {
  it('lets Envoy fail closed, and send and take over what the door needs', () => {
    const [filter = ''] = documented('Envoy', 'yaml');
    const exactly = (...names: string[]) => ({
      patterns: names.map((exact) => ({ exact, ignore_case: true })),
    });
    expect(parse(filter).typed_config).toMatchObject({
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
      with_request_body: { allow_partial_message: false },
      // Envoy adds method, path, host and authorization by itself.
      allowed_headers: exactly('action-proof'),
      http_service: {
        path_prefix: '/verify/mail',
        authorization_response: {
          allowed_upstream_headers: { patterns: [{ prefix: 'passport-', ignore_case: true }] },
          allowed_client_headers: exactly('passport-error', 'www-authenticate', 'retry-after'),
        },
      },
    });
  });

  it('lets Traefik send the whole request, and take over each header of the door', () => {
    const [middleware = ''] = documented('Traefik', 'yaml');
    const { forwardAuth } = parse(middleware).http.middlewares.passport;
    expect(forwardAuth).toMatchObject({ forwardBody: true, preserveRequestMethod: true });
    expect(new URL(forwardAuth.address).pathname).toBe('/verify/mail');
    expect(forwardAuth.authResponseHeaders).toEqual(NAMES);
    // All headers of the client are sent, and none of X-Forwarded- is believed.
    for (const narrower of ['authRequestHeaders', 'trustForwardHeader'])
      expect(forwardAuth).not.toHaveProperty(narrower);
  });

  it('describes every setting of gate.yaml with a file that the command accepts', async () => {
    const [text = ''] = documented('Profiles', 'yaml');
    const settings = parse(text);
    const { properties } = JSON.parse(readFileSync(join(ROOT, 'schemas/gate.schema.json'), 'utf8'));
    const told = Object.keys(properties).filter((name) => name in settings || DOCUMENT.includes(`\`${name}`));
    expect(told).toEqual(Object.keys(properties));
    const { folder } = await gateFolder([]);
    const gate = await startGate(
      { folder, settings },
      { listen: '127.0.0.1:0' },
      { REDIS_URL: 'redis://127.0.0.1:1' },
    );
    expect(gate.events()).toContainEqual(expect.objectContaining({ profiles: ['site', 'mail', 'api'] }));
  });
});

describeWith(['systemd-analyze'], 'cli/passport-gate.service', () => {
  it('is a unit that systemd understands', async () => {
    const folder = temporaryFolder();
    const unit = readFileSync(join(ROOT, 'cli/passport-gate.service'), 'utf8');
    const [, command = ''] = /^ExecStart=(passport-registry .*)$/m.exec(unit) ?? [];
    expect(command).toBe('passport-registry gate /etc/passport-gate/gate.yaml');
    writeFiles(folder, {
      'passport-gate.service': unit.replace('ExecStart=passport-registry', 'ExecStart=/bin/true'),
    });
    const { code, stderr } = await run('systemd-analyze', ['verify', './passport-gate.service'], folder);
    expect([code, stderr.match(/passport-gate.*/g)]).toEqual([0, null]);
  });
});
