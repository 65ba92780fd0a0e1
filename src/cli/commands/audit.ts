// audit: the subcommand `audit`: checks one run or all of them.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { excludeEachOther } from "../targetOptions.ts"
import type { RunScope } from "../../fleet/RunScope.ts"
import type { Head } from "../../log/StreamKind.ts"
import { readAttestation } from "../../read/attest/Verify.ts"
import { type ExitCode, exits } from "../../platform/Failure.ts"
import { audits, type AuditVerdict } from "../../read/audit/Audits.ts"
import type { Setting } from "../../run/Setting.ts"
import { stepSettings } from "../../run/StepSettings.ts"
import { select, selectAll, type Selector } from "../../step/Selection.ts"
import { type CallContext, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { sharedSettings } from "../flags.ts"
import { flagsFor, json, storeFlags } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"

/** One run, or every run of the state root (a null selector). Only with one run can a head be expected. */
export interface Request {
  readonly stateRoot: string | null
  readonly selector: Selector | null
  readonly expectHead: Head | null
  /** The file of an attestation; without a selector it names the run. */
  readonly attestation: string | null
  readonly logOnly: boolean
  readonly reclassify: boolean
  readonly json: boolean
}

/** The settings of `audit`, by their names. */
export const auditSettings = {
  all: sharedSettings.everyRun,
  expectHead: { ...stepSettings.expectHead, text: "The log must hold line SEQ, with this hash." },
  attestation: {
    flag: "--attestation",
    metavar: "FILE",
    kind: "path",
    text: "Check an attestation against its log and worktree."
  },
  reclassify: {
    flag: "--reclassify",
    kind: "switch",
    text: "Say of every review what today's classifier makes of it."
  },
  logOnly: { flag: "--log-only", kind: "switch", text: "Leave the transcripts alone; check the log itself." }
} as const satisfies Record<string, Setting>

const flags = {
  ...flagsFor(auditSettings),
  ...runFlags,
  ...storeFlags,
  json
}

type FlagValues = Command.Command.Config.Infer<typeof flags>

/** The request, or what is wrong with the arguments together. */
export const read = (given: FlagValues): Result.Result<Request, string> =>
  Result.gen(function*() {
    const selector = yield* selectorOf(given)
    const { all, attestation, expectHead, json, logOnly, reclassify, stateRoot } = given
    const clash = all && selector._tag !== "Newest"
      ? "--all and the name of a run exclude each other"
      : all && expectHead !== null
      ? "--all and --expect-head exclude each other"
      : attestation !== null && (all || logOnly)
      ? excludeEachOther(["--attestation", all ? "--all" : "--log-only"])
      : logOnly && reclassify
      ? "--log-only and --reclassify exclude each other"
      : expectHead?.seq === 0
      ? "--expect-head: lines are counted from 1"
      : null
    if (clash !== null) return yield* Result.fail(clash)
    return { stateRoot, selector: all ? null : selector, expectHead, attestation, logOnly, reclassify, json }
  })

const auditExits = {
  Sound: exits.done,
  Findings: exits.wrong,
  Unreadable: exits.couldNot
} as const satisfies Record<AuditVerdict, ExitCode>

/** The attestation to check, and its run, unless another is named. */
const named = Effect.fnUntraced(function*(asked: Request, cwd: string) {
  const attestation = asked.attestation === null ? null : yield* readAttestation(cwd, asked.attestation)
  const selector: Selector | null = attestation !== null && asked.selector?._tag === "Newest"
    ? { _tag: "Named", prefix: attestation.run }
    : asked.selector
  return { attestation, selector }
})

/** Audits, and writes results as they come. */
export const run = Effect.fn("audit.run")(function*(asked: Request, { cwd, version }: CallContext) {
  const { stateRoot } = asked
  const where = { stateRoot, cwd: yield* cwd }
  const { attestation, selector } = yield* named(asked, where.cwd)
  const runs = selector === null ? yield* selectAll(where, true) : [yield* select(selector, where)]
  return exited(auditExits[yield* audits(runs, { ...asked, attestation, version })])
})

export const command = Command.make("audit", flags).pipe(subcommand({
  read,
  run,
  scope: (asked, { cwd }) =>
    Effect.map(
      Effect.flatMap(cwd, (directory) => named(asked, directory)),
      ({ selector }): RunScope => selector ?? { _tag: "All" }
    ),
  about: [
    "checks a run from its first line to its last, and says what its fixed point has proven.",
    "",
    "It checks the hash chain, every transition against the ladder's rules, every verdict and digest against the",
    "stored transcripts, and looks for reviewers that never ended and for code that changed under review. RUN is a",
    "run's id or the beginning of it; without one it is the newest run of this worktree. It only reads, and exits 0",
    "sound, 1 with findings, 6 unreadable, 64 on misuse. With --attestation, each field of that file that does not",
    "follow from the log is a finding; the file names the run if RUN is left out."
  ],
  examples: [
    { command: "ooda-codex-review audit --attestation ../review.json", description: "Check an attestation." },
    { command: "ooda-codex-review audit --uncommitted", description: "Check the latest run of the working tree." },
    { command: "ooda-codex-review audit --all --json", description: "Check every run, for a program." }
  ]
}))
