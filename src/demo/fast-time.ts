/**
 * Makes time run faster in a process that is started with `--import …/fast-time.js?since=MS&times=N`: what a clock
 * shows has run N times as fast since that moment, and every wait takes the N-th part of its time. So all that waits,
 * measures and judges holds as it is written, with not one threshold changed; only the seconds are shorter.
 *
 * The system's own times (of files, of processes' starts) know nothing of it.
 */
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

const { searchParams } = new URL(import.meta.url);
const times = Number(searchParams.get("times"));
const since = Number(searchParams.get("since"));
if (!(times > 0 && since > 0)) throw new Error("fast-time.js?since=MS&times=N: both have to be given");

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
