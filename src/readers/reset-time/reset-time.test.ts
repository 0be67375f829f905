import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { readResetTime } from "./reset-time.js";

const SUNDAY_NOON = "2026-11-15T12:00:00Z";

function until(text: string, now = SUNDAY_NOON, zone = "UTC"): string | null {
  const read = readResetTime(text, Date.parse(now), zone);
  return read === null ? null : new Date(read.until).toISOString().replace(".000Z", "Z");
}

type Row = [text: string, expected: string | null, now?: string, zone?: string];

describe("readResetTime", () => {
  it.each<Row>([
    ["You've hit your limit · resets 8pm (UTC)", "2026-11-15T20:00:00Z"],
    ["You've hit your session limit · resets 9:50pm (Asia/Saigon)", "2026-11-15T14:50:00Z"],
    ["Session limit reached ∙ resets 11pm", "2026-11-15T23:00:00Z"],
    ["Session limit reached ∙ resets 11pm", "2026-11-15T22:00:00Z", SUNDAY_NOON, "Europe/Oslo"],
    ["5-hour limit reached ∙ resets 12am", "2026-11-16T00:00:00Z"],
    ["5-hour limit reached ∙ resets 12pm", "2026-11-15T12:00:00Z", "2026-11-15T09:30:00Z"],
    ["5-hour limit reached · resets 12:05 am (UTC)", "2026-11-16T00:05:00Z"],
    ["Usage limit reached for some-model. Access resets at 8:48 PM GMT+2.", "2026-11-15T18:48:00Z"],
    ["Access resets at 8:48\u202fPM PST. /stats for details", "2026-11-16T04:48:00Z"],
    ["Access resets at 4:15 AM GMT+5:30.", "2026-11-15T22:45:00Z"],
    ["Access resets at 9:00 AM GMT\u22123.", "2026-11-15T12:00:00Z"],
    ["or try again at 2:51 PM.", "2026-11-15T14:51:00Z"],
    ["Try again at 14:51 (UTC)", "2026-11-15T14:51:00Z"],
    ["resets at 7:00:30 PM (UTC)", "2026-11-15T19:00:30Z"],
    ["Your limit will reset at 4:30 a.m. (Asia/Tokyo)", "2026-11-15T19:30:00Z"],
    ["resets at midnight Pacific Time", "2026-11-16T08:00:00Z"],
    ["resets at 21h", "2026-11-15T21:00:00Z"],
    ["You can use it again after 3:45 PM", "2026-11-15T15:45:00Z"],
    ["resets at noon (America/New_York)", "2026-11-15T17:00:00Z"],
    ["available again at 18:00 CET", "2026-11-15T17:00:00Z"],
    ["resets 6pm (your local time)", "2026-11-15T09:00:00Z", "2026-11-15T08:00:00Z", "Asia/Tokyo"],
    ["Usage limit reached · continuing automatically at 7pm · esc or type to cancel", "2026-11-15T19:00:00Z"],
  ])("reads the clock time in %j", (text, expected, now, zone) => {
    expect(until(text, now, zone)).toBe(expected);
  });

  it.each<Row>([
    ["Weekly limit reached ∙ resets Nov 19, 7am", "2026-11-19T07:00:00Z"],
    ["You're out of extra usage · resets Nov 22 at 1pm (Europe/Brussels)", "2026-11-22T12:00:00Z"],
    ["You've hit your weekly limit · resets Nov 20 at 4:30am (Asia/Calcutta)", "2026-11-19T23:00:00Z"],
    ["try again at Nov 18th, 2026 2:51 PM.", "2026-11-18T14:51:00Z"],
    ["try again at November 21st, 2026 12:05 AM (UTC)", "2026-11-21T00:05:00Z"],
    ["try again at 18 Nov 2026, 14:30.", "2026-11-18T14:30:00Z"],
    ["You will regain access on 2026-12-01 at 00:00 UTC.", "2026-12-01T00:00:00Z"],
    ["Usage will reset when your monthly cycle ends on 12/3/2026.", "2026-12-03T00:00:00Z"],
    ["Monthly limit reached · resets Dec 1 at 12am (UTC)", "2026-12-01T00:00:00Z"],
    ["resets Jan 2 at 9am", "2027-01-02T09:00:00Z", "2026-12-30T12:00:00Z"],
    ["resets Dec 30 at 9am", "2026-12-30T09:00:00Z", "2027-01-02T12:00:00Z"],
    ["resets Mon 9:00 AM (UTC)", "2026-11-16T09:00:00Z"],
    ["resets Thursday at 3pm", "2026-11-19T15:00:00Z"],
    ["resets Wed, Nov 18, 3:00 PM", "2026-11-18T15:00:00Z"],
    ["resets Sunday at 9am", "2026-11-22T09:00:00Z"],
    ["resets Sunday at 11:30am", "2026-11-15T11:30:00Z"],
    ["resets Thursday", "2026-11-19T00:00:00Z"],
    ["resets tomorrow at 3pm", "2026-11-16T15:00:00Z"],
    ["resets tomorrow at 3am (Asia/Tokyo)", "2026-11-16T18:00:00Z", "2026-11-15T16:00:00Z"],
    ["try again at 18. November 2026 um 14:30", "2026-11-18T14:30:00Z"],
    ["try again at 18 nov. 2026 à 14:30", "2026-11-18T14:30:00Z"],
    ["try again at 2026年11月18日 14:30", "2026-11-18T14:30:00Z"],
    ["try again at 18 de noviembre de 2026 14:30", "2026-11-18T14:30:00Z"],
  ])("reads the date in %j", (text, expected, now, zone) => {
    expect(until(text, now, zone)).toBe(expected);
  });

  it.each<Row>([
    ["try again in 2 days 3 hours 14 minutes.", "2026-11-17T15:14:00Z"],
    ["try again in 3 hours, 2 minutes", "2026-11-15T15:02:00Z"],
    ["try again in 1 hour and 5 minutes", "2026-11-15T13:05:00Z"],
    ["try again in about an hour", "2026-11-15T13:00:00Z"],
    ["try again in a minute", "2026-11-15T12:01:00Z"],
    ["Your quota will reset after 8h44m7s.", "2026-11-15T20:44:07Z"],
    ["Resets in 2 hours. [retrying in 1h 59m attempt #1]", "2026-11-15T13:59:00Z"],
    ["please retry after 3600 seconds", "2026-11-15T13:00:00Z"],
    ["resets in 14s", "2026-11-15T12:00:14Z"],
    ["Retrying in 0.5 seconds", "2026-11-15T12:00:00.500Z"],
    ["Retrying after 61730ms...", "2026-11-15T12:01:01.730Z"],
    ["Please try again in 6m0s.", "2026-11-15T12:06:00Z"],
    ["Please wait 20 secs", "2026-11-15T12:00:20Z"],
    ["retry-after: 30", "2026-11-15T12:00:30Z"],
    ['"retryDelay": "34.5s"', "2026-11-15T12:00:34.500Z"],
    ['{"retry_after_ms": 2500}', "2026-11-15T12:00:02.500Z"],
    ['{"resets_in_seconds":90}', "2026-11-15T12:01:30Z"],
    ["resets in 6d 23h", "2026-11-22T11:00:00Z"],
    ["Resets in less than a minute", "2026-11-15T12:01:00Z"],
    ["Resets in < 1m", "2026-11-15T12:01:00Z"],
    ["The limit will be lifted in 12 minutes", "2026-11-15T12:12:00Z"],
  ])("reads the duration in %j", (text, expected) => {
    expect(until(text)).toBe(expected);
  });

  it.each<Row>([
    ["Claude AI usage limit reached|1794751200", "2026-11-15T14:00:00Z"],
    ['{"status":"rejected","resetsAt":1794751200,"rateLimitType":"five_hour"}', "2026-11-15T14:00:00Z"],
    ['{"resets_at":1794751200,"resets_in_seconds":99}', "2026-11-15T14:00:00Z"],
    ['{"resets_in_seconds":99,"resets_at":1794751200}', "2026-11-15T14:00:00Z"],
    ['{"resetsAt": 1794751200000}', "2026-11-15T14:00:00Z"],
    ["anthropic-ratelimit-unified-reset: 1794751200", "2026-11-15T14:00:00Z"],
    ["anthropic-ratelimit-requests-reset: 2026-11-15T14:00:00Z", "2026-11-15T14:00:00Z"],
    ['"quotaResetTimeStamp": "2026-11-15T14:00:00.000Z"', "2026-11-15T14:00:00Z"],
    ["resets at 2026-11-15T16:00:00+02:00", "2026-11-15T14:00:00Z"],
    ["resets at 2026-11-15 16:00 +0200", "2026-11-15T14:00:00Z"],
    ["Quota reset time: 2026-11-15T06:00:00-08:00", "2026-11-15T14:00:00Z"],
    ["Limit reached. Resets at 2026-11-15 14:00 UTC", "2026-11-15T14:00:00Z"],
    ["usage limit reached|1794700000", "2026-11-14T23:46:40Z"],
  ])("reads the machine time in %j", (text, expected) => {
    expect(until(text)).toBe(expected);
  });

  it.each<Row>([
    ["you can try again in 2 hours 11\nminutes.", "2026-11-15T14:11:00Z"],
    [
      "│ You've hit your limit · resets 5:10pm      │\n│ (Europe/Stockholm)                         │",
      "2026-11-15T16:10:00Z",
    ],
    ["limit · resets 5:\n10pm (Europe/Stockholm)", "2026-11-15T16:10:00Z"],
    ["limit · resets 5:10\npm (Europe/\nStockholm)", "2026-11-15T16:10:00Z"],
    ["limit · resets\n  Nov 19 at\n  7am (UTC)", "2026-11-19T07:00:00Z"],
    ["purchase more credits or try again at Nov 18th,\n2026 2:51 PM.", "2026-11-18T14:51:00Z"],
    ["limit · resets 1pm (America/Los_\n   Angeles)", "2026-11-15T21:00:00Z"],
  ])("reads across the end of a row in %j", (text, expected) => {
    expect(until(text)).toBe(expected);
  });

  it.each<Row>([
    ["limit · resets 5pm (UTC)\n\n❯ continue\nlimit · resets 10pm (UTC)", "2026-11-15T22:00:00Z"],
    ["limit · resets 10pm (UTC)\n\n❯ continue\nlimit · resets 5pm (UTC)", "2026-11-15T17:00:00Z"],
    ["limit · resets 7pm (UTC)\n\n❯ 1. Stop and wait for limit to reset\n  2. Add funds", "2026-11-15T19:00:00Z"],
    [
      "limit · resets 7pm (UTC)\n  1. Wait for the limit to reset\n  2. Upgrade\n✻ Baked for 2m 4s",
      "2026-11-15T19:00:00Z",
    ],
    ["limit · resets 7pm (Asia/Tokyo)\n⏺ continuing automatically at 7pm · esc to cancel", "2026-11-16T10:00:00Z"],
  ])("takes the lowest time in %j", (text, expected) => {
    expect(until(text)).toBe(expected);
  });

  it.each<Row>([
    ["resets 11:30am (UTC)", "2026-11-15T11:30:00Z"],
    ["resets 12pm (UTC)", "2026-11-15T12:00:00Z"],
    ["resets 11:45pm (UTC)", "2026-11-14T23:45:00Z", "2026-11-15T00:10:00Z"],
    ["try again at 5:00 AM", "2026-11-15T05:00:00Z", "2026-11-15T05:59:59Z"],
    ["resets Sat 11:50pm", "2026-11-14T23:50:00Z", "2026-11-15T00:10:00Z"],
  ])("does not add a day to a time just past: %j", (text, expected, now) => {
    expect(until(text, now)).toBe(expected);
  });

  it.each<Row>([
    ["resets 10:30am (UTC)", "2026-11-16T10:30:00Z"],
    ["resets 1am (Europe/Berlin)", "2026-11-16T00:00:00Z"],
  ])("takes the next day for a time long past: %j", (text, expected) => {
    expect(until(text)).toBe(expected);
  });

  it.each<Row>([
    // Berlin's clocks skip from 02:00 to 03:00 on 2026-03-29, and repeat 02:00 to 03:00 on 2026-10-25.
    ["resets 5am (Europe/Berlin)", "2026-03-29T03:00:00Z", "2026-03-28T20:00:00Z"],
    ["resets 2:30am (Europe/Berlin)", "2026-03-29T01:30:00Z", "2026-03-28T20:00:00Z"],
    ["resets 2:30am (Europe/Berlin)", "2026-10-25T00:30:00Z", "2026-10-24T20:00:00Z"],
    ["resets 5am (Europe/Berlin)", "2026-10-25T04:00:00Z", "2026-10-24T20:00:00Z"],
    ["resets Oct 26 at 5am (Europe/Berlin)", "2026-10-26T04:00:00Z", "2026-10-24T20:00:00Z"],
    ["resets 3pm PDT", "2026-07-01T22:00:00Z", "2026-07-01T12:00:00Z"],
    ["resets 3pm PST", "2026-07-01T23:00:00Z", "2026-07-01T12:00:00Z"],
    ["resets 3pm (PT)", "2026-07-01T22:00:00Z", "2026-07-01T12:00:00Z"],
    ["resets 7am (Asia/Tokyo)", "2026-11-15T22:00:00Z"],
    ["resets 11pm IST", "2026-11-15T17:30:00Z", SUNDAY_NOON, "Asia/Kolkata"],
    ["resets 11pm CST", "2026-11-15T15:00:00Z", SUNDAY_NOON, "Asia/Shanghai"],
    ["resets 11pm CST", "2026-11-16T05:00:00Z", SUNDAY_NOON, "America/Chicago"],
  ])("reads the zone and its summer time in %j at %j", (text, expected, now, zone) => {
    expect(until(text, now, zone)).toBe(expected);
  });

  it.each([
    "resets 3pm (Mars/Olympus)",
    "resets 3pm XQT",
    "resets 3pm IST",
    "resets 3pm GMT+19",
    "resets Foo 31, 2026 5:40 PM",
    "resets Feb 30 at 1pm (UTC)",
    "try again at Nov 31st, 2026 2:51 PM.",
    "try again at 31 Nov 2026 13:00",
    "resets at 2026-13-45T10:00:00Z",
    "resets at 25:00",
    "resets at 13pm",
    "resets at 12",
    "resets Oct 6 at 1pm (UTC)",
    "resets Nov 29 at 1pm (UTC)",
    "resets Mar 3, 2027 at 1pm",
    "try again in 40 days",
    "usage limit reached|1999999999",
    '{"resetsAt":12345}',
    "resets Sunday",
    "try again later",
    "Try again in a moment.",
    "or wait for limits to reset (every 5h and every week.).",
    "Stop and wait for limit to reset",
    "Usage limit reset · continuing automatically",
    "Limit reached at 3pm",
    "the limit was reset 5 minutes ago",
    "You have reached your daily quota limit.",
    "API Error: Request rejected (429) · Rate limited",
    "",
  ])("invents no time for %j", (text) => {
    expect(until(text)).toBeNull();
  });

  it("does not fall back to an older banner when the lowest one cannot be read", () => {
    expect(until("limit · resets 5pm (UTC)\n\nlimit · resets Feb 30 at 1pm (UTC)")).toBeNull();
    expect(until("limit · resets 5pm (UTC)\n\nlimit · resets 6pm (Mars/Olympus)")).toBeNull();
  });

  it("needs no zone for a duration and refuses a clock time in a local zone that does not exist", () => {
    expect(until("resets in 5m", SUNDAY_NOON, "No/Where")).toBe("2026-11-15T12:05:00Z");
    expect(until("resets 5pm", SUNDAY_NOON, "No/Where")).toBeNull();
    expect(until("resets 5pm (UTC)", SUNDAY_NOON, "No/Where")).toBe("2026-11-15T17:00:00Z");
  });

  it("reports how it read the time, in which zone and from which text", () => {
    const read = readResetTime(
      "You've hit your limit · resets 7pm (Europe/London) · /upgrade",
      Date.parse(SUNDAY_NOON),
      "UTC",
    );
    expect(read).toMatchObject({ how: "clock", zone: "Europe/London", text: "resets 7pm (Europe/London)" });
    expect(readResetTime("resets Nov 19, 7am", Date.parse(SUNDAY_NOON), "UTC")?.how).toBe("date");
    expect(readResetTime("resets in 5m.", Date.parse(SUNDAY_NOON), "UTC")).toMatchObject({
      how: "duration",
      text: "resets in 5m",
    });
  });
});

describe("readResetTime, for any input", () => {
  const instants = fc.integer({ min: Date.parse("2024-01-01"), max: Date.parse("2034-01-01") });
  const zones = fc.constantFrom(
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "America/St_Johns",
  );

  it("never throws, and never reads a time further ahead than the cap", () => {
    const words = fc.constantFrom(
      "resets",
      "try again at",
      "in",
      "(",
      ")",
      "UTC",
      "Nov",
      "31",
      "2026",
      "7am",
      "12:",
      "\n",
      "|",
      "1794751200",
      "Mon",
      "th,",
      "GMT+",
      "5h",
      "days",
      "–",
      "日",
      "Europe/Berlin",
      "resets_at",
      '":',
      "99999999999",
      "0",
      ".",
    );
    const texts = fc.oneof(
      fc.string({ unit: "binary", maxLength: 300 }),
      fc.array(words, { maxLength: 14 }).map((w) => w.join(" ")),
    );
    fc.assert(
      fc.property(texts, instants, zones, (text, now, zone) => {
        const read = readResetTime(text, now, zone);
        if (read) {
          expect(Number.isInteger(read.until)).toBe(true);
          expect(read.until - now).toBeLessThanOrEqual(32 * 86_400_000);
        }
      }),
      { numRuns: 600 },
    );
  });

  it("reads back any wall-clock minute of the coming day in any zone", () => {
    fc.assert(
      fc.property(instants, zones, fc.integer({ min: 1, max: 22 * 60 }), (now, zone, minutes) => {
        const target = Temporal.Instant.fromEpochMilliseconds(
          Math.floor(now / 60_000) * 60_000 + minutes * 60_000,
        ).toZonedDateTimeISO(zone);
        const hour = target.hour % 12 === 0 ? 12 : target.hour % 12;
        const clock = `${hour}:${String(target.minute).padStart(2, "0")}${target.hour < 12 ? "am" : "pm"}`;
        const read = readResetTime(`limit · resets ${clock} (${zone})`, now, "UTC");
        const wall = Temporal.Instant.fromEpochMilliseconds(read?.until ?? 0).toZonedDateTimeISO(zone);
        expect([wall.hour, wall.minute]).toEqual([target.hour, target.minute]);
        // A change of clocks may repeat the hour; then the first of the two is as right as the second.
        expect(Math.abs((read?.until ?? 0) - target.epochMilliseconds)).toBeLessThanOrEqual(3_600_000);
      }),
      { numRuns: 300 },
    );
  });

  it("reads back any date of the coming week", () => {
    fc.assert(
      fc.property(instants, zones, fc.integer({ min: 26, max: 180 }), (now, zone, hours) => {
        const target = Temporal.Instant.fromEpochMilliseconds(now + hours * 3_600_000).toZonedDateTimeISO(zone);
        const date = target.toLocaleString("en-US", { month: "short", day: "numeric" });
        const clock = target.toLocaleString("en-US", { hour: "numeric", hour12: true });
        const read = readResetTime(`limit · resets ${date} at ${clock} (${zone})`, now, "UTC");
        const wall = Temporal.Instant.fromEpochMilliseconds(read?.until ?? 0).toZonedDateTimeISO(zone);
        expect([wall.month, wall.day, wall.hour]).toEqual([target.month, target.day, target.hour]);
        expect(Math.abs((read?.until ?? 0) - target.epochMilliseconds)).toBeLessThanOrEqual(2 * 3_600_000);
      }),
      { numRuns: 200 },
    );
  });

  it("answers quickly for long and adversarial text", () => {
    const hostile = [
      "resets ".repeat(4000),
      "1".repeat(60_000),
      "resets 1:".repeat(3000),
      `resets ${"a ".repeat(20_000)}`,
      " ".repeat(60_000),
    ];
    for (const text of hostile) expect(() => readResetTime(text, Date.parse(SUNDAY_NOON), "UTC")).not.toThrow();
  });

  it("reads a clock in UTC like one at offset zero", () => {
    const now = fc.integer({ min: Date.parse("2026-01-01T00:00:00Z"), max: Date.parse("2029-01-01T00:00:00Z") });
    const clock = fc
      .tuple(fc.nat(23), fc.nat(59))
      .map((parts) => parts.map((n) => String(n).padStart(2, "0")).join(":"));
    fc.assert(
      fc.property(now, clock, (at, time) => {
        const [utc, offset] = ["UTC", "GMT+0"].map((zone) =>
          readResetTime(`limit resets at ${time} (${zone})`, at, "UTC"),
        );
        expect(utc?.zone).toBe("UTC");
        expect(offset?.zone).toBe("+00:00");
        expect(utc?.until).toBe(offset?.until);
      }),
    );
  });

  it("reads the same at a fraction of a millisecond as at the millisecond", () => {
    const at = Date.parse("2026-11-15T09:00:00Z");
    for (const text of [
      "resets 7pm (Europe/London)",
      "resets at 05:25 UTC",
      "resets Nov 18 at 9am",
      "resets Tuesday 3pm",
    ])
      expect(readResetTime(text, at + 0.2, "UTC")).toEqual(readResetTime(text, at, "UTC"));
  });

  it("does not read an attempt count in brackets as a date", () => {
    expect(until("Retrying (3/10) · Overloaded · in 2s")).toBeNull();
  });
});
