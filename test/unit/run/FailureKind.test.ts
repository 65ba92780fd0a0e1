// FailureKind: the table of failures, row by row, with near misses, in the words of codex, Claude Code and services.
// A row uses what its program really prints, and does not match the row next to it.
import { Option, Schema } from "effect"
import { assert, describe, it } from "vitest"
import { complaintOf, recordedComplaint } from "../../../src/agent/CodexFailure.ts"
import { FailureKind, isTransient, kindOf, remedy, saying } from "../../../src/run/FailureKind.ts"

const status = (code: number, text: string) => `unexpected status ${code} ${text}, url: http://x/v1/responses`
const error = (fields: object) => JSON.stringify({ error: fields })

const rows: Readonly<Partial<Record<FailureKind, ReadonlyArray<string>>>> = {
  Quota: [
    "You've hit your usage limit. Upgrade to Pro or try again at 9:36 AM.",
    "You have hit your usage limit. Visit https://x/usage to buy credits or try again at Mar 3rd, 2030 4:15 AM.",
    "To use Codex with your ChatGPT plan, upgrade to Plus: https://openai.com/chatgpt",
    "Quota exceeded. Check your plan and billing details.",
    "You exceeded your current quota, please check your plan and billing details.",
    "You've reached your weekly limit",
    "You've hit your session limit · resets 3pm (Europe/Berlin)",
    "5-hour limit reached ∙ resets 3pm",
    "You've hit your limit · resets 12:30am (UTC)",
    "You've used all your included usage · resets 5pm",
    "You're out of extra usage · resets 3pm",
    "Your account has hit its monthly spend limit",
    "Credit balance is too low (status 400)",
    "Claude AI usage limit reached|1893456000",
    status(402, "Payment Required: Payment required"),
    error({ type: "usage_limit_reached", message: "The usage limit has been reached", resets_at: 1_893_456_000 })
  ],
  LoginRaced: [
    "Your access token could not be refreshed because your refresh token was already used. Please log out and sign in again.",
    error({ code: "refresh_token_reused", message: "no" })
  ],
  ProxyRefused: [
    status(407, "Proxy Authentication Required: proxy login"),
    "tunnel error: unsuccessful",
    "proxy authentication required"
  ],
  UnsupportedEffort: [
    error({ message: "Unsupported value: 'low'", type: "invalid_request_error", param: "reasoning.effort" }),
    "Unsupported value: 'low' is not supported with the 'gpt-9-mini' model. Supported values are: 'medium'.",
    "This model does not support the effort parameter. (status 400)",
    "output_config.effort: Input should be 'low', 'medium' or 'high'"
  ],
  OutdatedProgram: [
    "The 'gpt-9-nova' model requires a newer version of Codex. Please upgrade to the latest app or CLI and try again.",
    JSON.stringify({ detail: "The 'gpt-9-nova' model requires a newer version of Codex." }),
    "It looks like your version of Claude Code (1.0.1) needs an update."
  ],
  ContentRefused: [
    "This content was flagged for possible cybersecurity risk. If this seems wrong, try rephrasing your request.",
    error({ code: "content_policy_violation", message: "no" })
  ],
  Forbidden: [
    status(
      403,
      "Forbidden: <html><head><title>Sign in again</title></head><body>rate limit, log in again</body></html>"
    ),
    status(403, "Forbidden: no"),
    error({ code: "unsupported_country_region_territory", message: "Country, region, or territory not supported" })
  ],
  NotLoggedIn: [
    status(401, "Unauthorized: Missing bearer"),
    status(401, "Unauthorized: Your authentication token has been invalidated. Please try signing in again."),
    "Missing environment variable: `MOCK_KEY`.",
    "Your refresh token was revoked. Please log out and sign in again.",
    "Invalid API key · Please run /login (status 401)",
    "Failed to authenticate. API Error: 403 Request not allowed (status 403)",
    "OAuth token has expired. Please obtain a new token.",
    "Not logged in"
  ],
  ContextTooLarge: [
    "Codex ran out of room in the model's context window. Start a new thread.",
    "Request too large (max 32 MB)",
    "Input exceeds the maximum length of 1048576 characters.",
    "Prompt is too long (status 400)",
    status(413, "Payload Too Large: too large")
  ],
  TurnLimit: [
    "Reached maximum number of turns (25)",
    "Reached maximum budget ($0.01)",
    "the turn ended early (error_max_turns)",
    "the turn ended early (error_max_budget_usd)"
  ],
  RateLimited: [
    "exceeded retry limit, last status: 429 Too Many Requests",
    "rate limit exceeded: slow down please",
    "API Error: Request rejected (429) · This would exceed your rate limit (status 429)"
  ],
  Overloaded: [
    "Selected model is at capacity. Please try a different model.",
    "API Error: 529 Overloaded. (status 529)"
  ],
  ModelNotFound: [
    "The model `gpt-0` does not exist or you do not have access to it.",
    "Model provider `nosuch` not found",
    "There's an issue with the selected model (x). It may not exist or you may not have access to it. (status 404)",
    status(404, 'Not Found: {"detail":"Not Found"}')
  ],
  DiskFull: [
    "failed to initialize in-process app-server client: No space left on device (os error 28)",
    "Too many open files (os error 24)"
  ],
  McpFailed: [
    "thread/start failed: Failed to initialize session: required MCP servers failed to initialize: x: No such file"
  ],
  BadCertificate: [
    "invalid peer certificate: UnknownIssuer",
    "self-signed certificate in certificate chain",
    "certificate has expired"
  ],
  ServerError: [
    status(503, "Service Unavailable: later"),
    "We're currently experiencing high demand, which may cause temporary errors.",
    "API Error: 500 Internal server error. (status 500)"
  ],
  StreamLost: [
    "stream disconnected before completion: stream closed before response.completed",
    "stream disconnected before completion: idle timeout waiting for SSE",
    "Connection failed: error sending request",
    "error sending request for url (https://auth.example.com/oauth/token)",
    "request timed out",
    "Temporary failure in name resolution",
    "tcp connect error: No route to host (os error 113)",
    "Connection reset by peer (os error 104)",
    "operation timed out",
    "tls handshake eof",
    "error decoding response body",
    "dns error: failed to lookup address information",
    "getaddrinfo ENOTFOUND api.example.com",
    "peer closed connection without sending TLS close_notify",
    "stream error: unexpected end of file",
    "http2 error: GOAWAY",
    "network is down",
    "network changed",
    status(408, "Request Timeout: timeout")
  ],
  NotTrusted: ["Not inside a trusted directory and --skip-git-repo-check was not specified."],
  MissingBinary: ["Missing optional dependency @openai/codex-linux-x64"],
  CodexHome: [
    "failed to initialize in-process app-server client: Read-only file system (os error 30)",
    'Error finding codex home: CODEX_HOME points to "/x", but that path does not exist',
    'Error loading configuration: CODEX_HOME points to "/x", but that path does not exist',
    "Failed to create session: Permission denied (os error 13)"
  ],
  BadConfig: [
    'legacy `profile = "x"` config is no longer supported; use `--profile x` with `x.config.toml` instead',
    "Error loading config.toml:\n/h/config.toml:1:9: extra `=`, expected nothing",
    "Error loading config.toml: invalid type: integer `3`, expected a string\nin `model`",
    "Error loading configuration: /h/config.toml:1:9: invalid type: integer `3`, expected a string"
  ],
  NoSandbox: ["the sandbox denied the command", "bwrap: No permissions to create a new namespace"],
  BadArguments: [
    error({ message: "Unknown parameter" }),
    error({ message: "bad", type: "invalid_request_error" }),
    "error: unexpected argument '--json' found",
    "Specify --uncommitted, --base, --commit, or provide custom review instructions",
    "Unknown feature flag: x",
    "No prompt provided via stdin."
  ]
}

describe("the table of failures", () => {
  for (const [kind, said] of Object.entries(rows)) {
    it.each(said)(`takes %j for ${kind}`, (text) => assert.strictEqual(kindOf(complaintOf(text)), kind))
  }

  it("has an example of every kind that a program reports", () => {
    const named = FailureKind.literals.slice(0, FailureKind.literals.indexOf("Unknown"))
    assert.sameMembers(Object.keys(rows), [...named])
  })

  it.each(["", "Incomplete response returned, reason: max_output_tokens", "something else", "call output is missing"])(
    "has no row for %j",
    (text) => assert.isNull(kindOf(complaintOf(text)))
  )

  it("believes the program's own codes before its words", () => {
    const recorded = (message: string, codex_error_info: unknown) =>
      kindOf(recordedComplaint({ message, codex_error_info }) ?? saying(""))
    assert.strictEqual(recorded("rate limit", "usage_limit_exceeded"), "Quota")
    assert.strictEqual(recorded("please log in again", "context_window_exceeded"), "ContextTooLarge")
    assert.strictEqual(recorded("no", { http_connection_failed: { http_status_code: 407 } }), "ProxyRefused")
    assert.strictEqual(recorded("no", { http_connection_failed: { http_status_code: 403 } }), "Forbidden")
    assert.strictEqual(recorded("no", { http_connection_failed: { http_status_code: null } }), "StreamLost")
    assert.strictEqual(recorded("Missing environment variable: `K`.", "other"), "NotLoggedIn")
    assert.isNull(recordedComplaint(undefined))
  })

  it("takes words before a code that several causes share", () => {
    const coded = (words: string, ...codes: ReadonlyArray<string>) => kindOf({ words, codes, until: null })
    assert.strictEqual(coded("You've hit your session limit", "rate_limit", "429"), "Quota")
    assert.strictEqual(coded("no", "rate_limit", "429"), "RateLimited")
    assert.strictEqual(coded("Connection error.", "server_error", "connection_failed"), "StreamLost")
    assert.strictEqual(coded("no", "server_error", "500"), "ServerError")
    assert.strictEqual(coded("no", "invalid_request", "400", "prompt_too_long"), "ContextTooLarge")
    assert.strictEqual(coded("Done.", "error_max_turns"), "TurnLimit")
    assert.isNull(coded("no", "error_during_execution"))
    assert.isNull(coded("no", "error_max_structured_output_retries"))
  })
})

type Shape = readonly [words: string, ...codes: ReadonlyArray<string>]
const kindOfShape = ([said, ...codes]: Shape) => {
  const { codes: own, words } = complaintOf(said)
  return kindOf({ words, codes: [...codes, ...own], until: null })
}

// The error of Claude Code and the status of its service, or the code of codex: [kind, retried, remedy, shapes].
const coded: ReadonlyArray<readonly [FailureKind, boolean, RegExp, ReadonlyArray<Shape>]> = [
  ["NotLoggedIn", false, /codex login/, [
    ["no", "authentication_failed"],
    ["no", "authentication_failed", "401"],
    ["no", "authentication_failed", "403"],
    [status(401, "Unauthorized")]
  ]],
  ["Forbidden", false, /proxy, VPN, region/, [["no", "permission_error", "403"], [status(403, "Forbidden")]]],
  ["Quota", false, /usage limit .* credits/, [
    ["no", "rate_limit", "429", "usage_limit_reached"],
    ["no", "billing_error", "400"],
    ["no", "usage_not_included"],
    ["You\u2019ve hit your usage limit."],
    ["Quota exceeded."]
  ]],
  ["RateLimited", true, /fewer reviewers/, [
    ["no", "rate_limit", "429"],
    ["exceeded retry limit, last status: 429 Too Many Requests"]
  ]],
  ["UnsupportedEffort", false, /--level and --ceiling/, [
    ["This model does not support the effort parameter.", "unknown", "400"],
    [error({ message: "no", type: "invalid_request_error", param: "reasoning.effort" })]
  ]],
  ["ModelNotFound", false, /a model and a provider/, [
    ["no", "model_not_found", "404"],
    ["The model `gpt-0` does not exist."]
  ]],
  ["ContextTooLarge", false, /smaller parts/, [
    ["no", "invalid_request", "400", "prompt_too_long"],
    ["Codex ran out of room"]
  ]],
  ["ServerError", true, /service had an error/, [["no", "server_error", "500"], [status(502, "Bad Gateway")]]],
  ["Overloaded", true, /at capacity/, [["no", "server_error", "529"], ["no", "server_overloaded"]]],
  ["StreamLost", true, /network and proxy/, [["no", "server_error", "connection_failed"], ["no", "server_error"]]],
  ["ProxyRefused", false, /HTTPS_PROXY/, [["no", "unknown", "407"], [status(407, "no")]]],
  ["BadArguments", false, /refused its arguments/, [
    ["no", "unknown", "400"],
    ["no", "invalid_request", "400"],
    ["the effort was in vain", "unknown", "400"],
    ["no", "billing_address", "400"]
  ]]
]

describe("a code, with or without a status", () => {
  for (const [kind, retried, advice, shapes] of coded) {
    it.each(shapes.map((shape) => [shape]))(`%j is ${kind}`, (shape) => {
      assert.strictEqual(kindOfShape(shape), kind)
      assert.strictEqual(isTransient(kind), retried)
      assert.match(remedy(kind, shape[0]), advice)
    })
  }

  it.each([
    [["no", "authentication"]],
    [["no", "not_authentication_failed"]],
    [["no", "billing"]],
    [["no", "usage_included"]],
    [["no", "server_loaded"]],
    [["no", "unknown"]],
    [["no", "200"]]
  ] as ReadonlyArray<[Shape]>)("%j matches no failure of the table", (shape) => assert.isNull(kindOfShape(shape)))
})

describe("the remedy", () => {
  it("is a retry only for failures that pass with time", () =>
    assert.sameMembers(FailureKind.literals.filter((kind) => isTransient(kind)), [
      "LoginRaced",
      "RateLimited",
      "ServerError",
      "StreamLost",
      "Overloaded",
      "Unstarted"
    ]))

  it.each(FailureKind.literals)(
    "is one plain sentence for %s",
    (kind) => assert.match(remedy(kind), /^[a-z][^\n]{9,115}[^.\n]$/)
  )

  it("is different for each kind", () =>
    assert.strictEqual(new Set(FailureKind.literals.map((kind) => remedy(kind))).size, FailureKind.literals.length))

  it.each([
    ["Supported values are: 'medium'.", "medium"],
    ["Supported values are: 'low', 'medium', and 'high'.", "low, medium, high"]
  ])("lists the efforts that work: %s", (said, efforts) => {
    const advice = remedy("UnsupportedEffort", said)
    assert.include(advice, `the model takes ${efforts}:`)
    // A recorded message gives the same remedy again.
    assert.strictEqual(remedy("UnsupportedEffort", `UnsupportedEffort: ${said} (${advice})`), advice)
    assert.include(remedy("UnsupportedEffort", "no effort"), "--level")
  })

  it("refuses an unknown token", () => {
    const decode = Schema.decodeUnknownOption(FailureKind)
    assert.isTrue(Option.isSome(decode("Quota")))
    for (const token of ["quota", "Timeout", "", null]) assert.isTrue(Option.isNone(decode(token)))
  })
})
