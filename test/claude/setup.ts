// Runs once before the suite: both clients are there at the pinned versions, installed if need be.
// A missing piece ends the run with its name; nothing here is skipped silently.
import { pinnedCodex } from "../codex/install.mjs"
import { pinnedClaude } from "./install.mjs"
import { ROOT } from "./support.ts"

export const setup = (): void => {
  for (
    const [name, { installed, version }] of [["Claude Code", pinnedClaude(ROOT)], ["Codex", pinnedCodex(ROOT)]] as const
  ) {
    process.stdout.write(`${name} ${version}${installed ? ", installed now" : ""}\n`)
  }
}
