// Opening: what a person reads before a run is driven: what is reviewed with what, how many reviews that takes, what is
// edited and what is sent.
import { Effect } from "effect"
import { Git } from "../code/Git.ts"
import type { ConvergeSettings } from "../drive/converge/Settings.ts"
import { type Level, levels, rank } from "../run/Level.ts"
import type { Target } from "../run/Target.ts"
import { counted } from "../text/Phrases.ts"
import { brief, oneLine } from "../text/Untrusted.ts"
import { getSubmodules, unseenText } from "./doctor/Checks.ts"
import { askCodex } from "./doctor/Login.ts"

/** How many reviews a run over some levels takes: at least, and with one finding at each level. */
export const reviewsOver = (levels: number, size: number): { readonly least: number; readonly usual: number } => ({
  least: size * levels,
  // Each finding appears at the top of the levels so far, and after the last one all levels are reviewed once more.
  usual: size * (levels * (levels + 1) / 2 + levels)
})

const ladderOf = (floor: Level, ceiling: Level): ReadonlyArray<Level> =>
  levels.filter((level) => rank(level) >= rank(floor) && rank(level) <= rank(ceiling))

/** How many reviews, and how to ask for fewer. */
export const ladderLine = ({ batchSize, ceiling, floor }: ConvergeSettings["step"]): string => {
  const all = ladderOf(floor, ceiling)
  const { least, usual } = reviewsOver(all.length, batchSize)
  const higher = floor !== "high" && all.includes("high") ? "high" : ceiling
  const ways = [...(batchSize > 1 ? ["-n 1"] : []), ...(all.length > 1 ? [`--level ${higher}`] : [])]
  const fewer = ways.length === 0 ? "" : `; fewer: ${ways.join(", ")}`
  const size = counted(batchSize, "review")
  const [what, where] = all.length === 1
    ? [`level ${ceiling} with ${size}`, ""]
    : [`levels ${all.join(", ")} with ${size} each`, " at each level"]
  return `${what}: at least ${least} if clean, about ${usual} with one finding${where}${fewer}`
}

const receivers = ({ agent }: ConvergeSettings): string =>
  agent === "claude" ? "OpenAI, and to Anthropic for the agents" : "OpenAI"

const edits = ({ commitFixes }: ConvergeSettings): string =>
  `edits this working tree, ${commitFixes === null ? "never commits" : "commits each round"}; `

/** What is edited, and what leaves the machine. */
export const effectsLine = (settings: ConvergeSettings): string =>
  `${edits(settings)}sends the diff and the files that codex reads to ${receivers(settings)}`

/** The same of a plan whose code codex does not review: only the agent reads it. */
const agentsLine = (settings: ConvergeSettings): string => {
  switch (settings.agent) {
    case "codex":
      return effectsLine(settings)
    case "claude":
      return `${edits(settings)}sends what claude reads to Anthropic`
    case "command":
      return `${edits(settings)}what leaves this machine is up to your agent`
  }
}

const targetName = (target: Target): string => {
  switch (target._tag) {
    case "Uncommitted":
      return "the uncommitted changes"
    case "Base":
      return `base ${oneLine(target.branch)}..HEAD`
    case "PullRequest":
      return `pull request ${target.number}`
    case "Commit":
      return `commit ${target.sha.slice(0, 12)}`
  }
}

/** The version of codex, as `codex 0.171.0`; `codex` if it is unknown. */
const codexName = Effect.fnUntraced(function*(codexBin: string, cwd: string) {
  const answer = yield* askCodex(codexBin, cwd, "--version")
  const version = /^codex-cli (\S{1,40})$/m.exec(answer?.stdout ?? "")?.[1]
  return version === undefined ? "codex" : `codex ${brief(version, 40)}`
})

/** A line about submodules that are not checked out; empty without any. */
const submoduleLines = (absent: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [first = ""] = absent
  const what = absent.length === 1 ? `submodule ${brief(first, 80)} is` : `${absent.length} submodules are`
  return absent.length === 0 ? [] : [`${what} ${unseenText} [${getSubmodules}]`]
}

/** The lines before a run of reviews is driven. */
export const reviewOpening = Effect.fn("Opening.reviewOpening")(function*(settings: ConvergeSettings, cwd: string) {
  const { codexBin, target } = settings.step
  const { absent, extent } = yield* (yield* Git).overview(cwd, target, null)
  const size = extent === null ? "" : ` (${counted(extent.files, "file")}, +${extent.added} -${extent.removed})`
  const what = `reviewing ${targetName(target)}${size} with ${yield* codexName(codexBin, cwd)}`
  const lines = [what, ladderLine(settings.step), effectsLine(settings), ...submoduleLines(absent)]
  return `${lines.join("\n")}\n\n`
})

/** The lines before a plan is worked through. */
export const planOpening = Effect.fn("Opening.planOpening")(
  function*(settings: ConvergeSettings, plan: string, fixes: number, converges: boolean, cwd: string) {
    const name = oneLine(plan.slice(plan.lastIndexOf("/") + 1))
    const codex = yield* codexName(settings.step.codexBin, cwd)
    const who = { codex, claude: "claude", command: "your agent" }[settings.agent]
    const what = `working through ${name} with ${who}` +
      (converges && settings.agent !== "codex" ? `; then ${codex} reviews its code` : "")
    const rounds = `per round: implement, test, review, at most ${counted(fixes, "fix", "fixes")}`
    const then = converges ? [ladderLine(settings.step)] : []
    const effects = converges ? effectsLine(settings) : agentsLine(settings)
    return `${[what, rounds, ...then, effects].join("\n")}\n\n`
  }
)
