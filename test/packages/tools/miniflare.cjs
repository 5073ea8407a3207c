// Runs a bundle in workerd, by the Miniflare that wrangler brings.
const { join } = require('node:path');

const [, , wrangler, bundle] = process.argv;
const { Miniflare } = require(join(wrangler, 'node_modules/miniflare'));
const worker = new Miniflare({
  modules: true,
  scriptPath: bundle,
  compatibilityDate: '2025-09-01',
});
worker
  .dispatchFetch('https://worker.example/')
  .then(async (response) => console.log(await response.text()))
  .finally(() => worker.dispose());
