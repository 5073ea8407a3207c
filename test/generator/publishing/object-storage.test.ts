import { readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { ROOT } from '../../support/paths.js';
import { freePort } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { cli, recordText, run, temporaryFolder, workspace, writeFiles } from '../../support/workspace.js';

interface S3Server {
  run(): Promise<unknown>;
  close(): Promise<unknown>;
  /** Reports each change of an object, after it is done. */
  on(name: 'event', listener: (event: S3Event) => void): void;
}

interface S3Event {
  readonly Records: readonly [
    { readonly eventName: string; readonly s3: { readonly object: { readonly key: string } } },
  ];
}

/** What lets pages of any origin read a bucket. */
const OPEN_TO_ALL = `<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>
<AllowedMethod>HEAD</AllowedMethod></CORSRule></CORSConfiguration>`;

/** A file of the first of two publications. Each publication runs rclone some forty times. */
const ONLY_IN_THE_FIRST = 'assets/parts/OLDER.js';

describeWith(['rclone'], 'object storage, through docs/hosting/publish-s3.sh', () => {
  let folder: string;
  let base: string;
  let environment: Record<string, string>;
  let server: S3Server;

  const publish = () =>
    run(join(ROOT, 'docs/hosting/publish-s3.sh'), ['dist', 'registry:bucket'], folder, environment);
  const override = ['--override', 'gone:record-removed'];
  const build = (...args: string[]) =>
    cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' }), ...override, ...args], folder);

  /** Verifies files and answers. Object storage has at its own address a list of keys, and lets browsers guess types. */
  async function assertServed(anchor: string): Promise<void> {
    const { code, stdout } = await cli(['verify', base, '--trust-anchor', anchor, '--conformance'], folder);
    expect(stdout).not.toContain('FAILED');
    expect(code).toBe(0);
    const warned = [...stdout.matchAll(/^warning (\S+(?: \S+)*?) {2,}/gm)].map(([, check]) => check);
    expect([...new Set(warned)].sort()).toEqual(['no sniffing', 'page']);
  }

  beforeAll(async () => {
    folder = await workspace(['alpha', 'beta.example.com', 'a.js', 'gone']);
    writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
    const port = await freePort();
    const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3Server;
    server = new S3rver({
      address: '127.0.0.1',
      port,
      silent: true,
      directory: temporaryFolder(),
      configureBuckets: [{ name: 'bucket', configs: [OPEN_TO_ALL] }],
    });
    await server.run();
    base = `http://127.0.0.1:${port}/bucket`;
    environment = {
      // rclone does not start with one that is meant for other programs.
      AWS_CA_BUNDLE: '',
      RCLONE_CONFIG: join(folder, 'rclone.conf'),
      RCLONE_CONFIG_REGISTRY_TYPE: 's3',
      RCLONE_CONFIG_REGISTRY_PROVIDER: 'Other',
      RCLONE_CONFIG_REGISTRY_ENDPOINT: `http://127.0.0.1:${port}`,
      RCLONE_CONFIG_REGISTRY_ACCESS_KEY_ID: 'S3RVER',
      RCLONE_CONFIG_REGISTRY_SECRET_ACCESS_KEY: 'S3RVER',
    };
  });

  afterAll(() => server.close());

  it('serves a registry that verifies, with all that is required of hosts', async () => {
    await build();
    const { code: signed } = await cli(['checkpoint', '--online-key', 'key.pem'], folder);
    // As if an earlier version had uploaded it.
    writeFiles(folder, { [`dist/${ONLY_IN_THE_FIRST}`]: 'export {};' });
    const { code, stderr } = await publish();
    rmSync(join(folder, 'dist', ONLY_IN_THE_FIRST));
    expect([signed, code, stderr]).toEqual([0, 0, expect.not.stringContaining('ERROR')]);
    await assertServed('root.json');
  });

  it.each([
    ['schemas/issuer.schema.json', 'application/json', 3600],
    ['assets/registry.js', 'text/javascript; charset=utf-8', 60],
    ['404.html', 'text/html; charset=utf-8', 3600],
  ])('gives %s, too, its type and its time in caches', async (path, type, seconds) => {
    const { headers } = await fetch(`${base}/${path}`);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toContain(`max-age=${seconds}`);
  });

  describe('of a registry that begins a log', () => {
    const LOG = withKeys({ log: 'log.pem', origin: 'registry.example/log' });
    let uploaded: string[] = [];

    /** Publishes a change. Returns the keys of the uploaded objects in their order. */
    async function publishChange(status: string): Promise<string[]> {
      writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status }) });
      const built = await build(...LOG);
      expect([built.code, built.stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
      uploaded = [];
      const { code, stderr } = await publish();
      expect([code, stderr]).toEqual([0, expect.not.stringContaining('ERROR')]);
      const anchor = { root: JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')), log: LOG[3] };
      writeFiles(folder, { 'anchor.json': JSON.stringify(anchor) });
      await assertServed('anchor.json');
      return uploaded;
    }

    beforeAll(async () => {
      await cli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], folder);
      rmSync(join(folder, 'issuers/gone.yaml'));
      server.on('event', ({ Records: [{ eventName, s3 }] }) => {
        if (eventName.startsWith('ObjectCreated')) uploaded.push(decodeURIComponent(s3.object.key));
      });
    });

    it('uploads the head after what it contains, and before what is published', async () => {
      const keys = await publishChange('suspended');
      const head = keys.indexOf('log/checkpoint');
      const isOfHead = (key: string) => /^(?:lists|log\/(?:tile|statements))\//.test(key);
      expect(keys.slice(0, head).filter((key) => !isOfHead(key))).toEqual([]);
      expect(keys.slice(head + 1).filter(isOfHead)).toEqual([]);
      expect(keys.slice(0, head).filter((key) => key.startsWith('log/statements/'))).toHaveLength(1);
      // The list follows its signature, and the statements are the last file.
      expect(keys[keys.indexOf('issuers.sig') + 1]).toBe('issuers.json');
      expect(keys.at(-1)).toBe('statements.json');
      expect(await (await fetch(`${base}/issuers/alpha`)).json()).toMatchObject({ status: 'suspended' });
    });

    it('has no longer what was removed', async () => {
      for (const path of ['issuers/gone', 'serve.json', ONLY_IN_THE_FIRST])
        expect([path, (await fetch(`${base}/${path}`)).status]).toEqual([path, 404]);
    });
  });
});
