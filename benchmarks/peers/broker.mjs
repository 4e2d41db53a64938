// opencode-broker's chooser picking one of N targets, without its daemon. CPU microseconds, median of 200 batches of 20.
//
//   npm install --prefix DIR opencode-broker@1.2.0 && node benchmarks/peers/broker.mjs DIR
import { pathToFileURL } from "node:url";
import { resolve } from "node:path";

process.env.OPENCODE_BROKER_CONFIG = "/nonexistent/config.json";
const home = resolve(process.argv[2] ?? ".");
const { chooseTarget } = await import(pathToFileURL(`${home}/node_modules/opencode-broker/lib/routing.js`).href);

const world = (count) => {
  const targets = {}, ids = [];
  for (let number = 0; number < count; number++) {
    const id = `provider-${number % 20}.model-${number}`;
    ids.push(id);
    targets[id] = { id, providerID: `provider-${number % 20}`, modelID: `model-${number}`, kind: "cloud", tiers: ["build"] };
  }
  return { targets, ids };
};

for (const count of [5, 50, 500]) {
  const { targets } = world(count);
  const ask = () => chooseTarget({ profile: "auto", tier: "build", targets });
  let answer = ask();
  const spent = [];
  for (let batch = 0; batch < 200; batch++) {
    const start = process.cpuUsage();
    for (let call = 0; call < 20; call++) answer = ask();
    const used = process.cpuUsage(start);
    spent.push((used.user + used.system) / 20);
  }
  spent.sort((a, b) => a - b);
  console.log(`opencode-broker, ${count} targets: ${spent[100].toFixed(0)} us a pick (${JSON.stringify(answer)?.slice(0, 80)})`);
}
