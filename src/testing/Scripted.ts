// Scripted: the behaviour of a reviewer in tests: how long it takes, and its output.
// The texts are in codex's own form, so that the real verdict functions judge them.
import { fnv1a64 } from "../review/findings/Finding.ts"
import { type AttemptRef, attemptText } from "../run/Refs.ts"
import type { Usage } from "../run/Usage.ts"
import { renderFindings } from "../review/verdict/ReviewBody.ts"
import type { Launch } from "../review/Reviewers.ts"

/** The behaviour of a reviewer. `after`: milliseconds from its start to its end; with Infinity it hangs in silence. */
export interface Scripted {
  readonly after: number
  /** Its exit status; 128 + signal for a death by signal. */
  readonly exit: number
  /** Its standard output: the review. */
  readonly out: string
  /** Its standard error. */
  readonly log: string
  /** The tokens that codex records of it. */
  readonly usage?: Usage
}

const title = "OpenAI Codex v0.169.0 (research preview)\n"
const rule = "--------\n"
const banner = `${title}${rule}${rule}`

const settingOf = (argv: ReadonlyArray<string>, setting: string): string =>
  argv.find((word) => word.startsWith(`${setting}=`))?.slice(setting.length + 1).replaceAll(`"`, "") ?? ""

/** The output of a reviewer that prints codex's banner, which describes its call. */
export const introduced = (scripted: Scripted, attempt: AttemptRef, { argv, cwd }: Launch): Scripted => {
  if (!scripted.log.startsWith(banner)) return scripted
  const digits = fnv1a64(attempt.id) + fnv1a64(attemptText(attempt))
  const session = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5")
  const facts = [
    `workdir: ${cwd}`,
    "model: scripted",
    `sandbox: ${settingOf(argv, "sandbox_mode")}`,
    `reasoning effort: ${settingOf(argv, "model_reasoning_effort")}`,
    `session id: ${session}`
  ]
  return { ...scripted, log: `${title}${rule}${facts.join("\n")}\n${rule}${scripted.log.slice(banner.length)}` }
}

/** A review that finds nothing wrong. */
export const clean = (after = 0): Scripted => ({
  after,
  exit: 0,
  log: banner,
  out: JSON.stringify({
    findings: [],
    overall_correctness: "patch is correct",
    overall_explanation: "The change does what it says and breaks nothing.",
    overall_confidence_score: 0.9
  })
})

/** A review with one finding. */
export const issues = (after = 0, title = "Check the bound"): Scripted => ({
  after,
  exit: 0,
  log: banner,
  out: "The loop reads past the end.\n\n" + renderFindings([{
    title,
    body: "The index may equal the length.",
    priority: 1,
    place: { path: "/repo/src/main.ts", lines: { start: 3, end: 4 } }
  }]) + "\n"
})

/** A reviewer that exits with zero and says nothing: no review. */
export const noReview = (after = 0): Scripted => ({ after, exit: 0, log: banner, out: "" })

/** A reviewer that fails permanently: it is not logged in. */
export const failure = (after = 0): Scripted => ({
  after,
  exit: 1,
  log: `${banner}ERROR: unexpected status 401 Unauthorized\n`,
  out: ""
})

/** A reviewer that fails temporarily: its rate is limited. */
export const transientFailure = (after = 0): Scripted => ({
  after,
  exit: 1,
  log: `${banner}ERROR: exceeded retry limit, last status: 429 Too Many Requests\n`,
  out: ""
})

/** A reviewer that hangs: it shows no progress and never ends by itself. */
export const silence: Scripted = { after: Number.POSITIVE_INFINITY, exit: 0, log: banner, out: "" }
