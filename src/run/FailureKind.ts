// FailureKind: the one table of failures: how a program reports each, whether it is retried, what a person can do.
// Reviewers, agents, the second model and `doctor` name their failures by it. Tokens are never renamed.
import { Schema } from "effect"
import { brief } from "../text/Untrusted.ts"

/** Why a slot can fail: first the causes that a program itself reports, then the ways in which its process can end. */
export const FailureKind = Schema.Literals([
  "Quota",
  "LoginRaced",
  "ProxyRefused",
  "UnsupportedEffort",
  "OutdatedProgram",
  "ContentRefused",
  "Forbidden",
  "NotLoggedIn",
  "ContextTooLarge",
  "TurnLimit",
  "RateLimited",
  "Overloaded",
  "ModelNotFound",
  "DiskFull",
  "McpFailed",
  "BadCertificate",
  "ServerError",
  "StreamLost",
  "NotTrusted",
  "MissingBinary",
  "CodexHome",
  "BadConfig",
  "NoSandbox",
  "BadArguments",
  "Unknown",
  "Deadline",
  "Idle",
  "Lost",
  "Unstarted",
  "NoReview",
  "Unread",
  "TranscriptTooLarge",
  "NetworkWait",
  "KilledBySignal",
  "ExitStatus"
])
export type FailureKind = typeof FailureKind.Type

/**
 * A program's report of its failure: its words, and the codes of its own record or of the service's answer (types,
 * codes, parameters, HTTP statuses). `until` is when a quota is full again, in epoch milliseconds.
 */
export interface Complaint {
  readonly words: string
  readonly codes: ReadonlyArray<string>
  readonly until: number | null
}

/** A complaint that consists of words only. */
export const saying = (words: string): Complaint => ({ words, codes: [], until: null })

/**
 * A row. Codes that name one cause decide first, then words, then codes that several causes share (`broad`). In each
 * pass the first row that matches wins.
 */
interface Row {
  readonly retried: boolean
  readonly remedy: string
  readonly code?: RegExp
  readonly words?: RegExp
  readonly broad?: RegExp
}

const table: Record<FailureKind, Row> = {
  Quota: {
    retried: false,
    remedy: "the account's usage limit is reached; wait for its reset or buy credits",
    code: /^(?:usage_limit_(?:reached|exceeded)|usage_not_included|insufficient_quota|billing_error|402)$/,
    words: RegExp(
      [
        "usage limit|quota exceeded|exceeded your (?:current |monthly )?quota|insufficient.quota|credits|credit balance",
        String.raw`upgrade to (?:plus|pro)|\b(?:session|weekly|monthly|opus|sonnet|message|\d+-hour) limit|extra usage`,
        "(?:spend|spending|hard) limit|usage cap|insufficient balance|included usage|\\bhit your limit\\b"
      ].join("|"),
      "i"
    )
  },
  LoginRaced: {
    retried: true,
    remedy: "another codex refreshed the login at the same time; run the step again, or `codex login`",
    code: /^refresh_token_reused$/,
    words: /refresh token (?:was|has) already (?:been )?used|refresh_token_reused/i
  },
  ProxyRefused: {
    retried: false,
    remedy: "the network's proxy asks for a login; put its user and password into HTTPS_PROXY",
    words: /proxy authentication|status:? 407\b|tunnel.{0,40}(?:fail|unsuccessful)/i,
    broad: /^407$/
  },
  UnsupportedEffort: {
    retried: false,
    remedy: "choose other efforts by --level and --ceiling, or another model",
    code: /^(?:output_config|reasoning)[._]effort$/,
    words: RegExp(
      [
        String.raw`reasoning[._ ]effort|output_config\.effort|\beffort\b.{0,60}(?:support|valid|allowed|one of)`,
        String
          .raw`(?:support|valid|allowed).{0,60}\beffort\b|supported values are:? \W*(?:minimal|low|medium|x?high|max)\b`
      ].join("|"),
      "i"
    )
  },
  OutdatedProgram: {
    retried: false,
    remedy: "the program is too old; update it (npm install -g @openai/codex@latest), or choose another model",
    words: /newer version|upgrade to the latest|needs an update|update (?:codex|claude)/i
  },
  ContentRefused: {
    retried: false,
    remedy: "the service refuses this content; review a smaller part, or use another model",
    code: /^(?:cyber_policy|content_filter|content_policy_violation|refusal)$/,
    words: /flagged (?:for|as)|content_filter|usage polic|trusted access program/i
  },
  Forbidden: {
    retried: false,
    remedy: "the service or a gateway before it refuses access; check proxy, VPN, region and account",
    code: /^(?:unsupported_country_region_territory|permission_error)$/,
    words: /country, region|(?:region|country).{0,20}not supported|not supported.{0,20}(?:region|country)/i,
    broad: /^403$/
  },
  NotLoggedIn: {
    retried: false,
    remedy: "run `codex login`, or set CODEX_API_KEY",
    code: /^(?:authentication_failed|authentication_error|invalid_api_key|token_(?:invalidated|expired|revoked))$/,
    words: RegExp(
      [
        String.raw`status:? 401\b|unauthorized|not logged in|(?:sign|log)(?:ing)? in again|refresh token|/login\b`,
        "missing (?:environment variable|bearer)|invalid api key|failed to authenticate|please (?:sign|log) in",
        "(?:token|credentials?) (?:(?:is|has|have) )?(?:expired|revoked|invalid)"
      ].join("|"),
      "i"
    ),
    broad: /^(?:401|unauthorized)$/
  },
  ContextTooLarge: {
    retried: false,
    remedy: "the change is too large for the model; review it in smaller parts",
    code: /^(?:context_(?:length|window)_exceeded|prompt_too_long|string_above_max_length|request_too_large|413)$/,
    words: RegExp(
      [
        "context window|context_length|ran out of room|maximum context|prompt (?:is )?too long|payload too large",
        "exceeds the maximum length|(?:input|request|prompt) (?:is )?too (?:long|large)|too many (?:input )?tokens"
      ].join("|"),
      "i"
    )
  },
  TurnLimit: {
    retried: false,
    remedy: "the agent used up the turns or the money that its settings allow; allow more, or divide the task",
    code: /^error_max_(?:turns|budget_usd)$/,
    words: /\berror_max_(?:turns|budget_usd)\b|maximum (?:number of turns|budget)/i
  },
  RateLimited: {
    retried: true,
    remedy: "wait a while, or run fewer reviewers at once (-n)",
    code: /^rate_limit_exceeded$/,
    words: /status:? 429\b|rate.?limit|too many requests/i,
    broad: /^(?:429|rate_limit|rate_limit_error)$/
  },
  Overloaded: {
    retried: true,
    remedy: "the model is at capacity; run the step again later or choose another model",
    code: /^(?:server_(?:is_)?overloaded|overloaded_error|slow_down|529)$/,
    words: /at capacity|overloaded|slow_down/i
  },
  ModelNotFound: {
    retried: false,
    remedy: "choose a model and a provider this account may use in codex's config",
    code: /^model_not_found$/,
    words: RegExp(
      [
        String.raw`\bmodel\b.{0,200}(?:do(?:es)? not exist|not (?:found|supported|available)|may not exist)`,
        "do(?:es)? not have access to (?:the |this )?model"
      ].join("|"),
      "i"
    ),
    broad: /^404$/
  },
  DiskFull: {
    retried: false,
    remedy: "the machine has no disk space or no file descriptors left; free some (ulimit -n), then call again",
    words: /no space left|disk quota exceeded|too many open files|os error (?:24|28|122)\b/i
  },
  McpFailed: {
    retried: false,
    remedy: "a required MCP server of codex's config does not start; fix it or make it optional there",
    words: /MCP (?:server|client)s?\b.{0,80}(?:fail|timed out|did not start)/i
  },
  BadCertificate: {
    retried: false,
    remedy: "the service's certificate is not trusted here; name the authority in SSL_CERT_FILE",
    words: /certificate|unknown ?issuer|self[- ]signed|\bUNABLE_TO_\w+/i
  },
  ServerError: {
    retried: true,
    remedy: "the model's service had an error; run the step again later",
    code: /^internal_server_error$/,
    words: /status:? 5\d\d\b|high demand|internal server error|server_error|service unavailable|bad gateway/i,
    broad: /^5\d\d$/
  },
  StreamLost: {
    retried: true,
    remedy: "the connection broke off; check network and proxy, then run the step again",
    code: /^(?:connection_failed|response_stream_\w+)$/,
    words: RegExp(
      [
        "stream (?:disconnected|closed|idle)|(?:transport|network) error|error sending request|socket hang up",
        "connection.{0,20}(?:reset|refused|closed|failed|aborted|lost|error|timed out)|time(?:d )?-?out|dns error",
        String.raw`(?:resolve|lookup).{0,20}(?:host|address|name)|unreachable|\bE(?:CONN\w+|NOTFOUND|AI_AGAIN)\b`,
        String.raw`name resolution|no route to host|connect error|client error \(|broken pipe|\beof\b|websocket`,
        "error decoding response body|unexpected end of file|close_notify|(?:http2?|stream) error|goaway",
        "network (?:(?:is|was|has) (?:been )?)?(?:down|changed|lost)"
      ].join("|"),
      "i"
    ),
    broad: /^(?:408|http_connection_failed|server_error)$/
  },
  NotTrusted: {
    retried: false,
    remedy: "run inside a git repository that codex trusts",
    words: /not inside a trusted directory|skip-git-repo-check|not a git repository/i
  },
  MissingBinary: {
    retried: false,
    remedy: "install codex, or name it with --codex-bin",
    words: /missing optional dependency @openai\/codex/i
  },
  CodexHome: {
    retried: false,
    remedy: "codex cannot use its home; let it write there, or name another one in CODEX_HOME",
    words: /codex.home|read-only file system|in-process app-server client|fail.{0,60}permission denied/i
  },
  BadConfig: {
    retried: false,
    remedy: "codex cannot read its configuration; correct config.toml where its message says",
    words: /error loading config|config\.toml|legacy `profile|invalid type:|unknown (?:variant|field)/i
  },
  NoSandbox: {
    retried: false,
    remedy: "codex's sandbox cannot start here (Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0)",
    code: /^sandbox_error$/,
    words: RegExp(
      [
        String.raw`\bsandbox\b.{0,80}\b(?:denied|refused|not permitted|violation)|bwrap|bubblewrap`,
        String.raw`\b(?:denied|not permitted)\b.{0,80}\bsandbox\b`
      ].join("|"),
      "i"
    )
  },
  BadArguments: {
    retried: false,
    remedy: "codex refused its arguments or the request; read the transcript",
    words: /^error: |specify --uncommitted|no prompt provided|invalid_prompt|invalid_request|unknown feature flag/i,
    broad: /^(?:400|invalid_request(?:_error)?|bad_request|invalid_prompt)$/
  },
  Unknown: { retried: false, remedy: "read the end of the transcript" },
  Deadline: { retried: false, remedy: "the reviewer ran out of time; raise --review-timeout" },
  Idle: { retried: false, remedy: "the reviewer showed no progress; run the step again or raise --idle-timeout" },
  Lost: { retried: false, remedy: "the reviewer's process died without a trace; run the step again" },
  Unstarted: { retried: true, remedy: "the reviewer never started; run the step again" },
  NoReview: {
    retried: false,
    remedy: "codex ended without a review; read the transcript, check that its sandbox starts, then run the step again"
  },
  Unread: {
    retried: false,
    remedy: "check that git and codex's sandbox work here, read the transcript, then run the step again"
  },
  TranscriptTooLarge: { retried: false, remedy: "read the end of the transcript to see what the reviewer printed" },
  NetworkWait: { retried: false, remedy: "codex waits for the network; check the connection and run the step again" },
  KilledBySignal: { retried: false, remedy: "a signal ended the reviewer; find its sender and run the step again" },
  ExitStatus: { retried: false, remedy: "codex ended with an error; read the end of the transcript" }
}

// A gateway answers with a page, whose text may be about anything.
const wordsOf = ({ words }: Complaint): string => words.slice(0, 8192).replace(/<(?:!doctype|html)\b[^]*/i, "")

/** The kind that a complaint names, or null. */
export const kindOf = (complaint: Complaint): FailureKind | null => {
  const { codes } = complaint
  const words = wordsOf(complaint)
  const first = (meant: (row: Row) => boolean) => FailureKind.literals.find((kind) => meant(table[kind]))
  return first(({ code }) => code !== undefined && codes.some((one) => code.test(one))) ??
    first((row) => row.words?.test(words) === true) ??
    first(({ broad }) => broad !== undefined && codes.some((one) => broad.test(one))) ?? null
}

/** Whether a retry is likely to help. It never is for login, quota and arguments. */
export const isTransient = (kind: FailureKind): boolean => table[kind].retried

const effort = /\b(?:none|minimal|low|medium|x?high|max)\b/gi
const supported = /(?:supported values are|supports only|should be|must be one of):?([^.(\n]{1,120})/i

/** One line for people: what to do about it. `said` are the program's words, which may name the accepted values. */
export const remedy = (kind: FailureKind, said = ""): string => {
  const named = kind === "UnsupportedEffort" ? supported.exec(said)?.[1]?.match(effort) ?? [] : []
  return named.length === 0
    ? table[kind].remedy
    : `the model takes ${named.join(", ")}: choose --level and --ceiling among these, or another model`
}

/** Why a review failed, without its kind and its remedy. */
export const causeText = ({ kind, message }: { readonly kind: FailureKind; readonly message: string }): string =>
  brief(message.replace(`${kind}: `, "").replace(` (${remedy(kind, message)})`, ""), 160)
