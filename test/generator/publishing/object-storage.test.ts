import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { ROOT } from '../../support/paths.js';
import { freePort } from '../../support/serving.js';
import { cli, recordText, run, temporaryFolder, workspace, writeFiles } from '../../support/workspace.js';

interface S3Server {
  run(): Promise<unknown>;
  close(): Promise<unknown>;
}

/** What lets pages of any origin read a bucket. */
const OPEN_TO_ALL = `<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>
<AllowedMethod>HEAD</AllowedMethod></CORSRule></CORSConfiguration>`;

describeWith(['rclone'], 'object storage, through docs/hosting/publish-s3.sh', () => {
  let folder: string;
  let base: string;
  let environment: Record<string, string>;
  let server: S3Server;

  const publish = () =>
    run(join(ROOT, 'docs/hosting/publish-s3.sh'), ['dist', 'registry:bucket'], folder, environment);
  const override = ['--override', 'gone:record-removed'];
  const build = () => cli(['build', '--key', 'key.pem', '--checkpoint-key', 'key.pem', ...override], folder);
  const verify = (...args: string[]) => cli(['verify', base, '--root-key', 'root.json', ...args], folder);

  beforeAll(async () => {
    folder = await workspace(['alpha', 'beta.example.com', 'a.js', 'gone']);
    writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
    const port = await freePort();
    const S3rver = createRequire(import.meta.url)('s3rver') as new (options: object) => S3Server;
    server = new S3rver({
      ...{ address: '127.0.0.1', port, silent: true, directory: temporaryFolder() },
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
    const { code, stderr } = await publish();
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('ERROR')]);
    const report = await verify('--conformance');
    expect(report.stderr).not.toContain('FAILED');
    expect(report.code).toBe(0);
    // What object storage itself has not got: at its own address there is a list of keys, and pages are for its website endpoint.
    const warned = [...report.stderr.matchAll(/^warning (\S+(?: \S+)*?) {2,}/gm)].map(([, check]) => check);
    expect([...new Set(warned)].sort()).toEqual(['no sniffing', 'page']);
  });

  it.each([
    ['issuers/a.js', 'application/json', 60],
    ['keys/root.json', 'application/json', 60],
    ['issuers.sig', 'text/plain; charset=utf-8', 60],
    ['checkpoint.jwt', 'application/jwt', 60],
    ['publication.jwt', 'application/jwt', 60],
    ['sums/root', 'text/plain; charset=utf-8', 60],
    ['schemas/issuer.schema.json', 'application/json', 3600],
    ['index.html', 'text/html; charset=utf-8', 60],
    ['assets/registry.js', 'text/javascript; charset=utf-8', 60],
    ['assets/registry.css', 'text/css; charset=utf-8', 60],
    ['assets/icon.svg', 'image/svg+xml', 60],
    ['changes.atom', 'application/atom+xml', 60],
    ['404.html', 'text/html; charset=utf-8', 3600],
  ])('gives %s its type and its time in caches', async (path, type, seconds) => {
    const { headers } = await fetch(`${base}/${path}`);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('cache-control')).toContain(`max-age=${seconds}`);
  });

  it('has what changed after the next publication, and no longer what was removed', async () => {
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
    rmSync(join(folder, 'issuers/gone.yaml'));
    await build();
    expect((await publish()).code).toBe(0);
    expect((await verify()).code).toBe(0);
    expect((await fetch(`${base}/issuers/gone`)).status).toBe(404);
    expect(await (await fetch(`${base}/issuers/alpha`)).json()).toMatchObject({ status: 'suspended' });
    expect((await fetch(`${base}/serve.json`)).status).toBe(404);
  });
});
