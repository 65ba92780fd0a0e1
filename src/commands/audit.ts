// audit: the subcommand `audit`: checks one run or all of them.
import { Effect, Result } from "effect"
import { head, path } from "../cli/values.ts"
import type { Head } from "../core/log/Head.ts"
import { audits } from "../history/Audits.ts"
import { select, selectAll, type Selector } from "../runs/SelectRun.ts"
import type { Called } from "./Command.ts"
import { auditExits, exited } from "./Exits.ts"
import { selectorOf, runOptions } from "./selector.ts"
import { type CommandSpec, jsonOption, rootOptions, valueOf, type Words } from "./words.ts"

/** One run, or every run of the state root (a null selector). A head can be expected of one run only. */
export interface Asked {
  readonly stateRoot: string | null
  readonly selector: Selector | null
  readonly expectHead: Head | null
  readonly logOnly: boolean
  readonly reclassify: boolean
  readonly json: boolean
}

/** The table of `audit`. */
export const spec: CommandSpec = {
  name: "audit",
  about: [
    "Checks a run from its first line to its last: the hash chain, every transition against the ladder's rules, every",
    "verdict and digest against the stored transcripts, reviewers that never ended, code that changed under review.",
    "Of a run at its fixed point it says what was proven. RUN is a run's id or the beginning of it; without one it is",
    "the newest run of this worktree. Reads only; exits 0 sound, 1 with findings, 6 unreadable, 64 on misuse."
  ],
  operand: "RUN",
  options: [
    { option: "--all", metavar: null, text: "Every run under the state root." },
    { option: "--expect-head", metavar: "SEQ:HASH", text: "The log must hold line SEQ, with this hash." },
    { option: "--reclassify", metavar: null, text: "Say of every review what today's classifier makes of it." },
    { option: "--log-only", metavar: null, text: "Leave the transcripts alone; check the log itself." },
    ...runOptions,
    ...rootOptions,
    jsonOption
  ]
}

/** What the words ask for, or what is wrong with them. */
export const read = (words: Words): Result.Result<Asked, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(words)
    const expectHead = yield* valueOf(words, "--expect-head", head, null)
    const stateRoot = yield* valueOf(words, "--state-root", path, null)
    const has = (option: string): boolean => words.given(option) !== null
    const all = has("--all")
    const clash = all && selector._tag !== "Newest"
      ? "--all and the name of a run exclude each other"
      : all && expectHead !== null
      ? "--all and --expect-head exclude each other"
      : has("--log-only") && has("--reclassify")
      ? "--log-only and --reclassify exclude each other"
      : expectHead?.seq === 0
      ? "--expect-head: lines are counted from 1"
      : null
    if (clash !== null) return yield* Result.fail(clash)
    return {
      stateRoot,
      selector: all ? null : selector,
      expectHead,
      logOnly: has("--log-only"),
      reclassify: has("--reclassify"),
      json: has("--json")
    }
  })

/** Audits and writes as it goes. */
export const run = Effect.fn("audit.run")(function*(asked: Asked, { cwd, version }: Called) {
  const { selector, stateRoot } = asked
  const where = { stateRoot, cwd: yield* cwd }
  const runs = selector === null ? yield* selectAll(where, true) : [yield* select(selector, where)]
  return exited(auditExits[yield* audits(runs, { ...asked, version })])
})
