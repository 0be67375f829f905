/**
 * Makes time run faster in a process that is started with `--import …/fast-time.js?since=MS&times=N`: from that moment on
 * clocks run N times as fast and every wait takes 1/N of its time. Timers, thresholds and judgement stay unchanged; only
 * the seconds are shorter.
 *
 * Times of the system (files, process starts) are not affected.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const { searchParams } = new URL(import.meta.url);
const times = Number(searchParams.get("times"));
const since = Number(searchParams.get("since"));
if (!(times > 0 && since > 0)) throw new Error("fast-time.js?since=MS&times=N: both are required");

const realDate = Date;
const realNow = Date.now.bind(Date);
const realMonotonic = performance.now.bind(performance);
const now = (): number => Math.floor(since + (realNow() - since) * times);

globalThis.Date = new Proxy(realDate, {
  construct: (target, given, self) => Reflect.construct(target, given.length === 0 ? [now()] : given, self) as object,
  apply: () => new realDate(now()).toString(),
  get: (target, key, self) => (key === "now" ? now : (Reflect.get(target, key, self) as unknown)),
});
performance.now = () => realMonotonic() * times;

const sooner = (ms: unknown): number => Number(ms ?? 0) / times;
const { setTimeout: realTimeout, setInterval: realInterval } = globalThis;
globalThis.setTimeout = Object.assign(
  (work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) => realTimeout(work, sooner(ms), ...given),
  realTimeout,
);
globalThis.setInterval = ((work: (...given: unknown[]) => void, ms?: number, ...given: unknown[]) =>
  realInterval(work, sooner(ms), ...given)) as typeof realInterval;
const realSleep = timers.setTimeout;
timers.setTimeout = (ms, value, options) => realSleep(sooner(ms), value, options);
syncBuiltinESMExports();
