// opencode-broker 1.2.0 before the same situations: its chooser, its usage pages, its failure kinds, without its daemon.
//
//   node peer.mjs DIR RECORD HOME      DIR: where it is installed; HOME: an empty folder it may call its own
//
// Everything it can use is given in the form it documents. Usage goes through its own readers of three usage pages, each
// answered here; what its daemon does with a failure and with a stop that is over is done here in the same way.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [dir, recordFile, home] = process.argv.slice(2);
const [{ deployment }, ...situations] = readFileSync(recordFile, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const START = Date.UTC(2026, 8, 18, 12);
const instant = (at) => START + at * 1000;
const isLocal = (model) => deployment.models[model].pool === "box";

// --- the deployment, in its words -----------------------------------------------------------------

const PAGES = { scoped: "anthropic-oauth", paired: "openai-oauth", plain: "bailian-cli" };
const logins = join(home, "logins.json");
const target = ([model, said]) => [model, {
  providerID: said.pool, modelID: model, kind: isLocal(model) ? "local" : "cloud", context: said.window,
  ...(isLocal(model) ? { capacity: said.each, modelCapacity: said.slots } : {}),
  ...(said.reserve ? { outputReserve: said.reserve } : {}), ...(said.least ? { minContextTokens: said.least } : {}),
}];
const budget = ([pool, form]) => [pool, {
  windows: [{ id: "wk", periodMs: 7 * 86_400_000, meter: "requests", capacity: 10_000 }],
  planUsage: { type: PAGES[form], authPath: logins },
}];
const lanes = Object.entries(deployment.lanes);
const of = (tier, part) => Object.fromEntries(lanes.filter(([, said]) => Boolean(said.tier) === tier)
  .map(([name, said]) => [name, part(said.parts)]));
const configuration = {
  targets: Object.fromEntries(Object.entries(deployment.models).map(target)),
  tiers: of(true, (parts) => parts[0]), fallbacks: of(true, (parts) => parts.slice(1)),
  profiles: of(false, (parts) => parts[0]), profileFallbacks: of(false, (parts) => parts.slice(1)),
  offlineProfiles: lanes.filter(([, said]) => said.offline).map(([name]) => name),
  profileCloudEgress: lanes.filter(([, said]) => said.allow).map(([name]) => name),
  workerLocalShareDenominator: deployment.lanes.worker.local_share,
  budgets: Object.fromEntries(Object.entries(deployment.pools).map(budget)),
};
writeFileSync(logins, JSON.stringify({ anthropic: { access: "invented" }, openai: { access: "invented" } }));
writeFileSync(join(home, "config.json"), JSON.stringify(configuration));
Object.assign(process.env, { HOME: home, XDG_CONFIG_HOME: home, OPENCODE_BROKER_CONFIG: join(home, "config.json") });
const silenced = console.error;
console.error = () => {};  // it tells that it drops steps behind a wall, as it should
const load = (name) => import(pathToFileURL(join(dir, "node_modules/opencode-broker/lib", name)).href);
const [routing, usage, health] = [await load("routing.js"), await load("plan-usage.js"), await load("provider-health.js")];
const { CONFIG, chooseTarget } = routing;
console.error = silenced;

// --- usage pages ------------------------------------------------------------------------------------

const iso = (at) => new Date(instant(at)).toISOString();
const KINDS = { "5h": "session", weekly: "weekly_all" };
const pages = {
  scoped: (windows) => ({ limits: windows.map(([name, percent, ends]) => ({
    kind: KINDS[name] ?? "weekly_scoped", percent, resets_at: iso(ends), is_active: percent >= 100,
    ...(KINDS[name] ? {} : { scope: { model: { display_name: name.split(":")[1] } } }),
  })) }),
  paired: (windows) => {
    const full = windows.some(([, percent]) => percent >= 100);
    const part = ([name, percent, ends]) => ({
      used_percent: percent, limit_window_seconds: name === "5h" ? 18_000 : 604_800, reset_at: instant(ends) / 1000,
    });
    return { rate_limit: { allowed: !full, limit_reached: full, primary_window: part(windows[0]), secondary_window: part(windows[1]) } };
  },
  plain: ([short, weekly]) => ({
    per5HourPercentage: short[1] / 100, per5HourResetTime: instant(short[2]),
    per1WeekPercentage: weekly[1] / 100, per1WeekResetTime: instant(weekly[2]),
  }),
};

const look = async (pool, at, document) => {
  const answer = () => { if (!document) throw new Error("unreachable"); return document; };
  return usage.fetchPlanUsage(pool, CONFIG.budgets[pool], {
    now: instant(at),
    fetchImpl: async () => ({ ok: true, json: async () => answer() }),
    execImpl: async () => ({ stdout: JSON.stringify(answer()) }),
  });
};

// --- one situation -------------------------------------------------------------------------------------

const read = async (state, { at, read: pool, unread, windows }) => {
  const name = pool ?? unread;
  const report = await look(name, at, windows && pages[deployment.pools[name]](windows));
  if (report) usage.applyPlanUsageCircuit(state.circuits, `provider:${name}`, report, instant(at));
};

const fail = async (state, { at, failed, failure }) => {
  const now = instant(at);
  const error = health.normalizeProviderError({
    name: failure.code === "AbortError" ? "AbortError" : "APIError", message: failure.message,
    ...(failure.code ? { code: failure.code } : {}), ...(failure.status ? { statusCode: failure.status } : {}),
  });
  if (health.isAbortError(error)) return "none";  // its plugin reports none of them
  const { providerID, modelID } = CONFIG.targets[failed];
  const kind = routing.classifyRoutingFailure(error);
  if (kind === "quota" || kind === "rate") {
    state.budgets = routing.learnCapacityFromFailure(state.budgets, providerID, kind, now);
  }
  if (["noop", "payload", "context"].includes(kind)) return "none";
  const whole = kind === "quota" || kind === "connect";
  const minutes = { auth: 1, overload: 0.25, connect: 1, quota: 15 }[kind] ?? 5;
  let until = kind === "model" ? null : now + minutes * 60_000;
  if (kind === "quota") {
    until = routing.quotaRenewalAt(error, now) ?? usage.planUsageResetAt(usage.cachedPlanUsage(providerID), now) ?? until;
  }
  state.circuits[whole ? `provider:${providerID}` : failed] = { kind, until, updatedAt: now };
  if (kind === "other") {
    state.health = health.recordFailureEvidence(state.health, providerID, { targetID: failed, modelID, error, at: now });
  }
  return whole ? "pool" : "candidate";
};

const swept = (circuits, now) => Object.fromEntries(
  Object.entries(circuits).filter(([, circuit]) => circuit.until === null || circuit.until > now));

const pick = (state, { at, ask, size, local }) => {
  const now = instant(at), tiered = Boolean(deployment.lanes[ask].tier);
  state.circuits = swept(state.circuits, now);
  const targets = Object.fromEntries(Object.entries(CONFIG.targets).filter(([, one]) => !local || one.kind === "local"));
  const choice = chooseTarget({
    profile: tiered ? "auto" : ask, tier: tiered ? ask : "worker", active: state.active, circuits: state.circuits,
    health: state.health, cursors: state.cursors, localModels: state.resident, now, targets, contextTokens: size,
    budgets: state.budgets,
  });
  if (!choice) return null;
  state.cursors[choice.cursorKey] = choice.nextCursor;
  return choice.target.id;
};

const learn = async (state, event) => {
  const now = instant(event.at);
  if (event.read || event.unread) await read(state, event);
  if (event.spent) {
    const window = { id: "wk", windowStart: now - 3 * 86_400_000, spentRequests: event.percent * 100, spentTokens: 0 };
    state.budgets[event.spent] = { windows: [window] };
  }
  if (event.leases) {
    state.active = { ...event.leases };
    for (const [model, count] of Object.entries(event.leases)) if (isLocal(model)) state.active[`model:box/${model}`] = count;
  }
  if (event.resident) state.resident = new Set(event.resident);
  if (event.stop) {
    const until = event.until === null ? null : instant(event.until);
    state.circuits[deployment.pools[event.stop] ? `provider:${event.stop}` : event.stop] = { kind: "operator", until, updatedAt: now };
  }
};

for (const { events } of situations) {
  usage.__resetPlanUsageCacheForTests();
  const state = { active: {}, circuits: {}, health: {}, cursors: {}, resident: new Set(), budgets: {} };
  const answers = [];
  for (const event of events) {
    await learn(state, event);
    if (event.failed) answers.push(await fail(state, event));
    for (let turn = 0; turn < (event.times ?? 0); turn++) answers.push(pick(state, event));
  }
  console.log(JSON.stringify(answers));
}
