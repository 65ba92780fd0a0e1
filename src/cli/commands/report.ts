// report: the subcommand `report`: writes everything about one run as one HTML page.
import { Effect, Result } from "effect"
import { Command } from "effect/cli"
import { path } from "../values.ts"
import { page } from "../../read/report/page/Page.ts"
import { report } from "../../read/report/Report.ts"
import { select, type Selector } from "../../step/Selection.ts"
import { OutFiles } from "../../read/UserFiles.ts"
import { Output } from "../../platform/Process.ts"
import { type Called, subcommand } from "../command.ts"
import { exited } from "../ending.ts"
import { exits } from "../../platform/Failure.ts"
import { optional, storeFlags, valued } from "../options.ts"
import { runFlags, selectorOf } from "../selector.ts"

/** One run, and the file that its report is written to; null is standard output. */
export interface Asked {
  readonly stateRoot: string | null
  readonly selector: Selector
  readonly out: string | null
}

const flags = {
  out: optional(valued("out", "FILE", path, "Write to FILE, whole or not at all. Default: standard output.")),
  ...runFlags,
  ...storeFlags
}

type Given = Command.Command.Config.Infer<typeof flags>

/** What is asked for, or what is wrong with the arguments together. */
export const read = (given: Given): Result.Result<Asked, string> =>
  Result.map(selectorOf(given), (selector) => ({ stateRoot: given.stateRoot, selector, out: given.out }))

/** Writes the page once all of it is there, so that a run that cannot be read writes nothing. */
export const run = Effect.fn("report.run")(function*({ out, selector, stateRoot }: Asked, { cwd }: Called) {
  const directory = yield* cwd
  const found = yield* select(selector, { stateRoot, cwd: directory })
  const text = page(yield* report(found))
  yield* out === null ? (yield* Output).write(text) : (yield* OutFiles).write(directory, out, text)
  return exited(exits.done)
})

/** The subcommand. */
export const command = Command.make("report", flags).pipe(subcommand({
  read,
  run,
  meant: ({ selector }) => Effect.succeed(selector),
  about: [
    "writes one HTML page about a run: its outcome and proof, its way, its findings, its rounds.",
    "",
    "The page needs nothing but itself: it loads nothing, has a dark and a print form, and its one script filters the",
    "findings. What reviewers and agents wrote is text in it and nothing else; secrets of known forms are taken out.",
    "RUN is a run's id or the beginning of it; without one it is the newest run of this worktree. The page goes to",
    "standard output or, with --out, to a file. Reads only; exits 0, 1 when a log is damaged, 6 when it could not,",
    "64 on misuse."
  ],
  examples: [
    { command: "ooda-codex-review report --out report.html", description: "Write the page of the newest run here." },
    { command: "ooda-codex-review report --base main > report.html", description: "The run against a branch." }
  ]
}))
