/** How single frames tell of failures and of a program's own end. See `fragments.ts`. */
import type { FragmentRule } from "./fragment-rule.js";

/** Words that an answer of a model's provider has, and an error of what an agent works on seldom. */
const OF_PROVIDERS =
  "\\b(?:rate_limit\\w*|overloaded_error|invalid_request_error|authentication_error|permission_error|insufficient_quota|resource_exhausted|quota|api[ _-]key|oauth|llm|anthropic|openai|bedrock|openrouter|litellm)\\b";

/** Heads of the programs' error rows. What they mean is read from the text by the table of vendor errors. */
export const FAILURES: FragmentRule[] = [
  { says: "failure", when: "(?i)^\\[?(?:please run /login · )?api error ?[:(·]" },
  { says: "failure", when: "(?i)^api error$|^(?:error: )?(?:api )?request failed\\b.{0,40}\\b\\d{3}\\b" },
  { says: "failure", when: "(?i)^(?:error: )?failed to refresh (?:the )?(?:access |oauth )?token\\b", cause: "auth" },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:stream disconnected before completion|stream error:|exceeded retry limit, last status|unexpected status \\d{3}\\b)",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )*error (?:running remote compact|during compaction|compacting|running (?:local )?compact)",
    cause: "context_full",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?codex ran out of room|^(?:error: )?(?:prompt is too long|(?:conversation|input) (?:is )?too long)(?:[.:!·]|$| ·)|^(?:error: )?(?:context length exceeded|this model's maximum context length)\\b|^context (?:limit|window) (?:reached|exceeded|is full) ·|^input length and .{0,3}max_tokens|^(?:error: )?the model has reached its context window limit|^(?:error: )?(?:the )?(?:conversation|(?:estimated )?prompt tokens) (?:still )?exceeds? (?:the )?model(?:'s)? context window|^autocompact is thrashing\\b",
    cause: "context_full",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:your )?(?:access|oauth|authentication|session|refresh)? ?token (?:could not be refreshed|has (?:expired|been revoked)|expired|revoked|refresh failed)",
    cause: "auth",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:not logged in|invalid api key|invalid authentication|login expired|login required|authentication (?:failed|required|expired|error)|failed to (?:login|log in|sign in|authenticate)\\b|your session has (?:expired|ended)|you(?:'ve| have) been (?:logged|signed) out|missing api key|no api key)(?:$|[.:!·]| ·| -|,| \\(| .{1,2} please run /login\\b)",
    cause: "auth",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:not authenticated|unauthori[sz]ed|not signed in(?: to \\w+)?|session expired|account suspended|no authentication information found)(?:$|[.:!·,])|^(?:error: )?oauth authentication is (?:currently )?not (?:allowed|supported)\\b|^(?:error: )?(?:access denied by policy|llm not set,|error authenticating:|please set an auth method)",
    cause: "auth",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:your|this) (?:organi[sz]ation|account|subscription|plan) (?:(?:has been|is|was) (?:disabled|suspended|deactivated|banned|on hold)(?:$|[.:!·])|(?:has disabled|does not have access to|has no access to) (?:claude|codex|copilot|gemini|this model)\\b)",
    cause: "auth",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:your )?(?:oauth (?:account|token|session)|[A-Z_]*_?api_?key|api key)\\b.{0,80}\\b(?:not found|not set|invalid|expired|missing|revoked|required|(?:belongs to )?a disabled organi[sz]ation)\\b",
    cause: "auth",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:missing environment variable|when using .{2,40}, you must specify the \\w+_key)\\b",
    cause: "auth",
  },
  {
    says: "failure",
    when: "(?i)^there's an issue with the selected model\\b|^(?:error: )?(?:the )?(?:selected |requested )?(?:model|claude|'[\\w./:-]+' model)\\b.{0,60}\\b(?:(?:may|does|do) not exist|not found|(?:is|are) not (?:available|supported))\\b",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:ssl|tls)\\b.{0,40}\\berror\\b|^(?:error: )?(?:unable to (?:verify|get) .{0,40}certificate|self[- ]signed certificate)",
    cause: "unreachable",
  },
  {
    says: "failure",
    when: "(?i)^image (?:was too large|exceeds)\\b|^the api provider has refused\\b|^error generating content\\b|^(?:error: )?provider returned error\\b|^(?:error: )?no endpoints found\\b|^error when talking to\\b",
  },
  { says: "failure", when: "(?i)^model \\S+ has hit a token limit", cause: "context_full", heads: true },
  { says: "failure", when: "(?i)^(?:error: )?connecterror: \\[\\w+\\]" },
  { says: "failure", when: "(?i)^please (?:run /login|sign in again|log in again)\\b", cause: "auth" },
  { says: "failure", when: "(?i)^waiting for auth(?:entication)?\\b", cause: "auth" },
  {
    says: "failure",
    when: "(?i)^(?:your )?credit balance (?:is )?too low|^this request requires more credits\\b",
    cause: "billing",
  },
  {
    says: "failure",
    when: "(?i)^(?:insufficient (?:credits?|funds|balance|quota)|payment required|(?:you(?:'re| are) )?out of credits)(?:$|[.:!·])",
    cause: "billing",
  },
  {
    says: "failure",
    when: "(?i)^(?:claude code|codex|the model) is unable to respond to this request|^this (?:request|content) (?:was|has been) (?:blocked|flagged)",
    cause: "policy_refusal",
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:unable to connect to (?:api|anthropic|the api)|unable to connect to anthropic services|cannot connect to api|failed to connect to (?:api|[\\w-]+(?:\\.[\\w-]+)+)\\b|connection (?:lost|closed) mid-|response stalled mid-stream|stream idle timeout|request rejected \\(\\d{3}\\)|server is temporarily limiting requests)",
  },
  {
    says: "failure",
    when: "(?i)^(?:connection error|request timed out|overloaded|internal server error|fetch failed)(?:\\.?$|\\. (?:check your|please)\\b)|^repeated 5\\d\\d overloaded errors\\b",
  },
  {
    says: "failure",
    when: "^(?:Error: )?(?:litellm\\.(?:exceptions\\.)?\\w+Error|AI_\\w+Error|Provider\\w*Error|UnknownError|APIError|APICallError)\\b[:( ]?",
  },
  {
    says: "failure",
    when: "(?i)^(?:ran into this error:|rate limit exceeded: |error code: \\d{3}\\b|(?:model call|execution) failed: |error from provider\\b|invalid_prompt: |c?apierror: \\d{3}|http \\d{3}\\b)",
  },
  {
    says: "failure",
    when: "(?i)^(?:the |this |your )?(?:selected |requested |current )?(?:provider|model|server) is (?:currently |temporarily )?(?:overloaded|at capacity|unavailable|busy)\\b.{0,20}\\bplease (?:try|select|choose|switch|use)\\b",
  },
  {
    says: "failure",
    when: "(?i)^(?:\\w+ ){0,3}\\w*error: .{0,80}\\b(?:status|code|http)\\b.{0,20}\\b[45]\\d\\d\\b",
  },
  { says: "failure", when: "(?i)^[\\w ]{2,40} is having trouble responding right now\\b", heads: true },
  { says: "failure", when: "(?i)^the error above was an exception\\b", heads: true },
  {
    says: "failure",
    when: "(?i)^(?:oauth|login|auth(?:entication)?|llm|provider|inference|network|stream|transport) error: \\S",
  },
  { says: "failure", when: '^(?:GET|POST) "?https?://\\S+: [45]\\d\\d\\b' },
  {
    says: "failure",
    when: "(?i)^(?:error:? |\\[\\w+\\] )?[45]\\d\\d(?::? ?\\{| \\w+_error\\b| \\w+ api error\\b| (?:rate limit (?:exceeded|reached)|too many requests|unauthorized|forbidden|payment required|internal server error|service unavailable|bad (?:request|gateway)|gateway time-?out|overloaded)(?:$|[:.,(·-]))",
  },
  // Any program's: a row that says it failed, and then a provider's own words.
  {
    says: "failure",
    when: `(?i)^(?:[\\w./()-]+ ){0,2}(?:error|failed|failure)(?: \\([^)]{1,40}\\))? ?[:[-].*${OF_PROVIDERS}`,
  },
  { says: "failure", when: '^\\{"type":"(?:error|turn\\.failed)"' },
  { says: "failure", when: "(?i)^(?:error: )?(?:enospc\\b|no space left on device)", cause: "disk_full" },
];

export const CRASHES: FragmentRule[] = [
  {
    says: "failure",
    when: "(?i)^(?:fatal error: .{0,80})(?:javascript heap out of memory|reached heap limit)",
    cause: "crash",
  },
  {
    says: "failure",
    when: "(?i)^(?:oh no: )?bun has crashed|^panic\\((?:main )?thread(?: \\d+)?\\)|^(?:› )?the application panicked|^thread '[^']{1,40}' (?:\\(\\d+\\) )?panicked at|^panic: |^thread '[^']{1,40}' has overflowed its stack|^fatal runtime error: |^<--- last few gcs --->",
    cause: "crash",
  },
  {
    says: "failure",
    when: "(?i)^(?:\\w*sh: |\\[\\d+\\] ?[+-]? ?|\\S{1,200}: line \\d+: )?(?:\\d+ )?(?:segmentation fault|killed(?::? ?9)?|abort(?:ed)?|bus error|(?:iot|illegal(?: hardware)?) instruction|floating point exception|abort trap(?:: \\d+)?|trace trap|terminated(?:: 15)?|suspended|stopped)(?: \\([\\w ]+\\))?(?: .{0,80})?$",
    cause: "crash",
    common: true,
  },
  {
    says: "failure",
    when: "(?i)^(?:error: )?(?:claude(?: code)?|codex|gemini|opencode|agent) process exited with code [1-9]|^critical: unhandled (?:promise )?rejection|^(?:this is )?an unexpected (?:critical )?error (?:occurred|has occurred)?\\b.{0,20}(?:please file a bug|$)",
    cause: "crash",
  },
  {
    says: "failure",
    when: "(?i)^[\\p{L} ]{4,40} \\((?:core dumped|speicherabzug geschrieben|core généré|.core. generado)\\)$|^(?:\\w*sh: )?(?:job \\d+, )?.{0,80}\\b(?:terminated|killed|exited) (?:by|with|on) signal\\b",
    cause: "crash",
    common: true,
  },
  // With the program's own code below it.
  {
    says: "failure",
    when: "^(?:\\w*Error|Uncaught \\w+): .* at .*(?:\\$bunfs/|node_modules/@(?:anthropic-ai|google|openai|qwen-code|github)/|/(?:claude-code|gemini-cli|opencode|codex)/)",
    cause: "crash",
  },
  // Ends the program before it has begun: a session that is not found, a terminal that is none.
  {
    says: "failure",
    when: "^(?:Error: |ERROR )?(?:No (?:saved |previous )?(?:conversation|session|thread|rollout)s? found\\b|--resume requires|Claude Code cannot be launched|Raw mode is not supported|stdin is not a terminal|Input must be provided)",
    cause: "crash",
  },
  {
    says: "failure",
    when: "^(?:Error|ERROR|Fatal): .{0,120}\\b(?:TUI|app-server|thread/\\w+|session lookup|resume (?:session|thread|conversation)|raw mode|alternate screen|terminal is not)\\b",
    cause: "crash",
  },
  {
    says: "failure",
    when: "(?i)^\\[?(?:process (?:exited|completed|terminated)|exited|lost server|pane is dead)\\b.{0,40}\\]?$|^\\S{1,60} exited with code 13[479]$",
    cause: "crash",
    common: true,
  },
];
