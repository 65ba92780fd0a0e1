// judged: one step with the real Codex CLI over a change, and what the log says each reviewer amounted to.
// What was recorded is read back from disk; the exit code of the step must fit it.
import { assert } from "vitest"
import { threadOf } from "../../fixtures/stand-in-model/reading.mjs"
import type { Policy } from "../../fixtures/stand-in-model/server.mjs"
import type { EventOf } from "../../src/run/Event.ts"
import { only, recorded } from "./recorded.ts"
import { type Bench, type Ended, withBench } from "./support.ts"

export const ONE_SLOT = ["--uncommitted", "--level", "low", "--ceiling", "low", "-n", "1"]

/** A bench with a change of `one.mjs`; the policy is given that file's path. */
export const changed = (
  policy: (path: string) => Policy,
  use: (bench: Bench) => Promise<void>,
  how: Parameters<typeof withBench>[2] = {}
) =>
  withBench((repo) => policy(`${repo}/one.mjs`), async (bench) => {
    bench.write("one.mjs", "export const one = 1.0\n")
    await use(bench)
  }, how)

const exits: Readonly<Record<string, number>> = { Clean: 0, HasIssues: 5, NoReview: 6 }

/** `verdict reason source findings`, or `NoReview reason source`, or the kind of another failure. */
const verdictOf = (event: EventOf<"ReviewFinished"> | EventOf<"ReviewFailed">): string => {
  if (event._tag === "ReviewFinished") return `${event.verdict} ${event.reason} ${event.source} ${event.findings}`
  const { kind, message } = event
  return kind === "NoReview"
    ? message.replace(/^.*the (\S+) .*holds no review \(([\w-]+)\).*$/, "NoReview $2 $1")
    : kind
}

const all = ({ stateRoot }: Bench): ReadonlyArray<string> => {
  const events = recorded(stateRoot, "uncommitted")
  return [...only(events, "ReviewFinished"), ...only(events, "ReviewFailed")].map(verdictOf).sort()
}

/** What the log says of the one reviewer, or of `count`. */
export function judged(bench: Bench): string
export function judged(bench: Bench, count: number): ReadonlyArray<string>
export function judged(bench: Bench, count?: number): string | ReadonlyArray<string> {
  const verdicts = all(bench)
  assert.lengthOf(verdicts, count ?? 1)
  return count === undefined ? verdicts[0] ?? "" : verdicts
}

/**
 * The verdicts of answers, in their order: the reviewers of one batch, which work one after the other, give one each.
 * One step for all of them takes much less time than one for each.
 */
export const judgedInTurn = async (
  policies: ReadonlyArray<(path: string) => Policy>,
  how: Parameters<typeof withBench>[2] = {}
): Promise<ReadonlyArray<string>> => {
  const threads: Array<string> = []
  const inTurn = (path: string): Policy => {
    const each = policies.map((policy) => policy(path))
    return (request) => {
      const thread = threadOf(request)
      if (!threads.includes(thread)) threads.push(thread)
      return each[threads.indexOf(thread)]?.(request) ?? assert.fail(`${threads.length} reviewers`)
    }
  }
  const verdicts: Array<string> = []
  await changed(inTurn, async (bench) => {
    await bench.step(...ONE_SLOT.slice(0, -1), String(policies.length), "--jobs", "1", "--retries", "0")
    const events = recorded(bench.stateRoot, "uncommitted")
    const all = [...only(events, "ReviewFinished"), ...only(events, "ReviewFailed")]
    verdicts.push(...all.sort((a, b) => a.slot - b.slot).map(verdictOf))
  }, how)
  return verdicts
}

/** One step with one slot; its exit code must match the verdict in the log, and its standard output empty. */
export const step = async (bench: Bench, how: Parameters<Bench["stepAs"]>[0] = {}): Promise<Ended> => {
  const ended = await bench.stepAs(how, ...ONE_SLOT, "--retries", "0")
  assert.strictEqual(ended.stdout, "")
  assert.strictEqual(ended.exit, exits[judged(bench).split(" ")[0] ?? ""] ?? 6, ended.stderr)
  return ended
}
