// opencode-broker's chooser picking one of N targets, without its daemon. CPU microseconds, median of 200 batches of 20.
//
//   npm install --prefix DIR opencode-broker@1.2.0 && node benchmarks/peers/broker.mjs DIR
//
// Its configuration is read once, on import, so each size runs in a process of its own.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const [home, size] = [resolve(process.argv[2] ?? "."), Number(process.argv[3] ?? 0)];

const configuration = (count) => {
  const targets = {};
  for (let number = 0; number < count; number++) {
    targets[`target-${number}`] = { providerID: `provider-${number % 20}`, modelID: `model-${number}`, kind: "cloud" };
  }
  return { targets, tiers: { build: Object.keys(targets) } };
};

const inFlight = (count) => {
  const active = {};
  for (let lease = 0; lease < 50; lease++) {
    const target = `target-${lease % count}`;
    active[target] = (active[target] ?? 0) + 1;
  }
  return active;
};

const median = (ask) => {
  const spent = [];
  for (let batch = 0; batch < 200; batch++) {
    const start = process.cpuUsage();
    for (let call = 0; call < 20; call++) ask();
    const used = process.cpuUsage(start);
    spent.push((used.user + used.system) / 20);
  }
  spent.sort((a, b) => a - b);
  return spent[100].toFixed(0);
};

const measure = async () => {
  const { chooseTarget } = await import(pathToFileURL(`${home}/node_modules/opencode-broker/lib/routing.js`).href);
  const turn = { profile: "auto", tier: "build", contextTokens: 50_000 };
  if (!chooseTarget(turn)?.target) throw new Error("the chooser found no target: the comparison would be worth nothing");
  const active = inFlight(size), circuits = { "provider:provider-1": { kind: "quota", until: Date.now() + 3_600_000 } };
  const quiet = median(() => chooseTarget(turn)), busy = median(() => chooseTarget({ ...turn, active }));
  const stopped = median(() => chooseTarget({ ...turn, circuits }));
  console.log(`opencode-broker, ${size} targets: ${quiet} us a pick, ${busy} with 50 in flight, ${stopped} with a circuit open`);
};

if (size) {
  await measure();
} else {
  const folder = mkdtempSync(join(tmpdir(), "broker-"));
  for (const count of [5, 50, 500]) {
    const file = join(folder, `${count}.json`);
    writeFileSync(file, JSON.stringify(configuration(count)));
    const env = { ...process.env, HOME: folder, OPENCODE_BROKER_CONFIG: file };
    spawnSync(process.execPath, [fileURLToPath(import.meta.url), home, String(count)], { env, stdio: "inherit" });
  }
  rmSync(folder, { recursive: true });
}
