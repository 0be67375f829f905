import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyVendorError, finalCause, type VendorError } from "./vendor-errors.js";

const word = (of: VendorError): string => {
  const verdict = classifyVendorError(of);
  return verdict.kind === "limit" ? "limit" : verdict.kind === "error" ? verdict.cause : `retry ${verdict.infra}`;
};

describe("classifyVendorError", () => {
  it.each<[string, VendorError]>([
    ["auth", { status: 401 }],
    ["auth", { status: 403, text: "Forbidden" }],
    ["auth", { code: "ProviderAuthError", text: "no key configured" }],
    ["auth", { text: '[API Error: {"error":{"code":401,"message":"nope","status":"UNAUTHENTICATED"}}]' }],
    ["auth", { text: "API key not valid. Please pass a valid API key." }],
    ["auth", { text: "OAuth token has expired · Please run /login" }],
    ["auth", { text: "Your access token could not be refreshed. Please sign in again." }],
    ["billing", { status: 400, text: "Your credit balance is too low to access the API" }],
    ["billing", { status: 402 }],
    ["billing", { status: 429, code: "insufficient_quota", text: "Check your plan and billing details." }],
    ["limit", { status: 429, code: "usage_limit_reached", text: "The usage limit has been reached" }],
    ["limit", { text: "You've hit your session limit · resets 7pm (Europe/London)" }],
    ["limit", { text: "You have exhausted your capacity on this model. Your quota will reset after 4h28m20s." }],
    ["limit", { text: "You have reached your daily pro quota limit." }],
    ["limit", { status: 400, text: "reached your specified API usage limits. You will regain access on 2030-04-01" }],
    ["limit", { text: "Sorry, you have hit a rate limit. Please try again in 15 hours 23 minutes." }],
    ["limit", { text: "You're out of extra usage · resets 3am (UTC)" }],
    ["limit", { text: "hit your limit · resets 5pm · /login to switch to an API usage-billed account" }],
    ["limit", { text: "quotaId: GenerateRequestsPerDayPerProject, Please retry in 31.4s." }],
    ["limit", { text: "limited, retry after 7200s; your limit will reset at 5pm" }],
    ["limit", { status: 429, text: "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock more" }],
    ["limit", { text: "check your plan and billing details. Quota exceeded for metric: a.example.com/requests" }],
    ["limit", { status: 429, text: "已达到 5 小时的使用上限。您的限额将在 2026-08-25 07:41:44 重置。" }],
    ["limit", { code: "quota_exceeded", text: "You have no quota" }],
    ["billing", { text: "账户余额不足" }],
    ["billing", { status: 403, text: "预扣费额度失败, 用户剩余额度: 0" }],
    ["billing", { status: 403, text: "Your prepaid credits are depleted" }],
    ["retry rate", { status: 429, text: "Rate limit reached for requests" }],
    ["retry rate", { code: "1302", text: "您的账户已达到速率限制" }],
    ["retry overload", { status: 500, text: "TypeError at worker.js:1302" }],
    ["retry overload", { status: 429, code: "engine_overloaded_error", text: "The engine is currently overloaded" }],
    ["retry rate", { text: "Quota exceeded for online_prediction_input_tokens_per_minute" }],
    ["retry rate", { status: 429 }],
    [
      "retry rate",
      { text: "exceeded your current quota, check your plan and billing details. Please retry in 31.4s." },
    ],
    ["retry rate", { text: "Server is temporarily limiting requests (not your usage limit) · Rate limited" }],
    ["retry rate", { text: "You have exhausted your capacity on this model. Your quota will reset after 5s." }],
    ["retry rate", { status: 429, text: "Resource has been exhausted (e.g. check quota). RESOURCE_EXHAUSTED" }],
    ["retry rate", { status: 429, text: "Request would exceed the rate limit of 30,000 input tokens per minute" }],
    ["retry overload", { status: 529, code: "overloaded_error", text: "Overloaded" }],
    ["retry overload", { status: 503 }],
    ["retry overload", { text: "No capacity available for model x" }],
    ["retry overload", { text: "API Error: 500 unexpected" }],
    ["context_full", { status: 400, text: "messages.12: prompt is too long: 210000 tokens > 200000 maximum" }],
    ["context_full", { code: "ContextOverflowError", text: "Input exceeds context window of this model" }],
    ["context_full", { status: 413 }],
    ["context_full", { code: "context_length_exceeded" }],
    ["policy_refusal", { text: "unable to respond to this request, which appears to violate our Usage Policy" }],
    ["policy_refusal", { code: "ContentFilterError" }],
    ["poisoned_context", { status: 400, text: "messages.208: `tool_use` ids were found without `tool_result`" }],
    ["poisoned_context", { text: "API Error: 400 messages.4.content.1.image: unreadable" }],
    ["poisoned_context", { text: "number of function response parts must equal the number of function call parts" }],
    ["disk_full", { text: "ENOSPC: no space left on device, write" }],
    ["unreachable", { text: "connect ECONNREFUSED 127.0.0.1:443" }],
    ["unreachable", { text: "getaddrinfo EAI_AGAIN api.example.com" }],
    ["unreachable", { text: "Cannot connect to API: Unable to connect. Is the computer able to access the url?" }],
    ["retry network", { text: "Unable to connect to API (ECONNRESET)" }],
    ["retry network", { text: "Connection reset by peer 10.0.0.1" }],
    ["retry network", { text: "Connection lost mid-response." }],
    ["retry network", { text: "TypeError (fetch failed)" }],
    ["api", { status: 404, text: "model not found" }],
    ["api", { status: 400, text: "Bad Request" }],
    ["api", {}],
  ])("says %s of %j", (expected, given) => {
    expect(word(given)).toBe(expected);
  });

  it("does not read a number inside a longer one as a status", () => {
    expect(word({ text: "error 40112 in request req_4290" })).toBe("api");
  });

  it("always has an answer, and a cause for giving up", () => {
    const given = fc.record({ status: fc.integer(), code: fc.string(), text: fc.string() }, { requiredKeys: [] });
    fc.assert(
      fc.property(given, (of) => {
        const verdict = classifyVendorError(of);
        if (verdict.kind !== "limit") expect(finalCause(verdict)).toMatch(/^[a-z_]+$/);
      }),
    );
  });
});
