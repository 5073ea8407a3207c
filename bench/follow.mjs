// What it costs a client with the list to follow changes through the tree of sums: the processor time and the bytes of an
// update, compared with loading the whole list. The server is another process.
// Usage: node bench/follow.mjs [issuers ...]

import { clientLoad, openClient } from './client-load.mjs';
import { record } from './compare.mjs';
import { startTreeServer } from './synthetic-tree.mjs';

const ROUNDS = 5;
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function processorTime(work) {
  // The garbage of what was measured before is freed by other threads, whose time counts, too.
  globalThis.gc?.();
  await pause(200);
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const sizes = process.argv.slice(2).map(Number);
for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) {
  const server = await startTreeServer(size);
  const load = clientLoad(server);
  const name = `${size.toLocaleString('en-US')} issuers`;
  const client = await openClient(server);
  // The hashes of the held list are computed in the background after it has been loaded.
  const background = await processorTime(() => pause(size / 20));
  const figures = [];
  for (let round = 0; round <= ROUNDS; round++) {
    await server.change(1);
    const time = await processorTime(() => client.refresh());
    const { bytes, requests } = await server.served();
    const whole = await processorTime(load);
    await server.served();
    // The first round warms up both programs.
    if (round > 0) figures.push({ ratio: time / whole, time, whole, bytes, requests });
  }
  figures.sort((a, b) => a.ratio - b.ratio);
  const median = figures[Math.floor(figures.length / 2)];
  const ratio = Number(median.ratio.toFixed(3));
  console.log(
    `one changed record, ${name}: ${ratio} of a whole load (${median.time.toFixed(1)} of ${median.whole.toFixed(1)} ms), ` +
      `${median.bytes} bytes, ${median.requests} requests; once in the background ${background.toFixed(0)} ms`,
  );
  record({
    name: `processor time to follow one changed record, ${name}, to a whole load`,
    ratio,
    low: Number(figures[0].ratio.toFixed(3)),
    high: Number(figures.at(-1).ratio.toFixed(3)),
  });
  record({ name: `kilobytes to follow one changed record, ${name}`, ratio: median.bytes / 1000 });

  await server.change(100);
  const time = await processorTime(() => client.refresh());
  const { bytes, requests } = await server.served();
  const whole = await processorTime(load);
  const hundred = Number((time / whole).toFixed(3));
  console.log(
    `hundred lists behind, hundred changed records, ${name}: ${hundred} of a whole load, ${bytes} bytes, ${requests} requests`,
  );
  record({
    name: `processor time to follow a hundred lists with a hundred changes, ${name}, to a whole load`,
    ratio: hundred,
  });
  record({
    name: `kilobytes to follow a hundred lists with a hundred changes, ${name}`,
    ratio: bytes / 1000,
  });
  client.close();
  server.close();
}
