// ResultRetry: what follows a result: it is accepted, corrected, asked for once more, or its task is blocked.
import { type DecodedResult, type ExpectedResult, type Role } from "./Result.ts"

/** What a task has used up. The three counters are independent; one task may use all of them. */
export interface ResultState {
  readonly role: Role
  /** Unusable results. A fresh reviewer does not reset them, so it gets one chance, without a retry. */
  readonly invalid: number
  /** Whether a reviewer was replaced by a fresh one. */
  readonly replaced: boolean
  /** Agents that failed: crashed, timed out, or reported `error`. */
  readonly failures: number
  /** Results that were not good enough. */
  readonly rejections: number
}

/**
 * What to do next: `accept` it; `remediate` what it names; `retry` a new agent with the retry preamble; `spawn` a new
 * agent with the same prompt; `replace` a reviewer by a fresh one; `block` the task and ask a person.
 */
export type ResultAction = "spawn" | "retry" | "replace" | "accept" | "remediate" | "block"

/** How often each thing may happen before the task is blocked. */
export const resultLimits = { invalid: 1, failures: 1, rejections: 3 } as const

/** Nothing used up yet. */
export const initialResultState = (role: Role): ResultState => ({
  role,
  invalid: 0,
  replaced: false,
  failures: 0,
  rejections: 0
})

interface Next {
  readonly state: ResultState
  readonly action: ResultAction
}

const afterInvalid = (state: ResultState): Next => {
  const next = { ...state, invalid: state.invalid + 1 }
  if (state.invalid < resultLimits.invalid) return { state: next, action: "retry" }
  if (state.role === "worker" || state.replaced) return { state: next, action: "block" }
  return { state: { ...next, replaced: true }, action: "replace" }
}

/** What follows a result of the agent that is asked now. This ends: each answer but `accept` uses something up. */
export const nextAfterResult = (
  state: ResultState,
  result: Pick<DecodedResult, "valid" | "status">
): Next => {
  if (!result.valid || result.status === null) return afterInvalid(state)
  switch (result.status) {
    case "pass":
      return { state, action: "accept" }
    case "gaps": {
      const rejections = state.rejections + 1
      return { state: { ...state, rejections }, action: rejections < resultLimits.rejections ? "remediate" : "block" }
    }
    case "error": {
      const failures = state.failures + 1
      return { state: { ...state, failures }, action: failures <= resultLimits.failures ? "spawn" : "block" }
    }
  }
}

const marker = "RETRY CONTEXT:"

/** Whether a prompt asks for the second time. */
export const isRetryPrompt = (prompt: string): boolean => prompt.startsWith(marker)

/** The lines in which a prompt asks for a result: its headers, as they must be written. */
export const resultLines = ({ role, taskId }: ExpectedResult): ReadonlyArray<string> => [
  "These must be the first lines of your message, then a blank line, then your own words:",
  "",
  `role: ${role}`,
  `task_id: ${taskId}`,
  "status: pass|gaps|error",
  ...(role === "worker" ? ["git_range: <base>..<head>  (required when status is pass)"] : []),
  "issues: <what is wrong>  (required when status is gaps or error)",
  "",
  "Put nothing before these lines, and do not put them inside other text."
]

/** The text in front of the whole prompt when an agent is asked once more, with the reason of the first refusal. */
export const retryPreamble = (expected: ExpectedResult, problems: ReadonlyArray<string>): string =>
  [
    `${marker} the last result could not be used: ${problems.join("; ") || "it says neither pass nor fail"}.`,
    ...resultLines(expected),
    "---",
    ""
  ].join("\n")
