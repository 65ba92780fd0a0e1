// subcommands: the table of subcommands, and how one is recognised.
// Only the first argument can be a subcommand. A name that is not in the table is an operand.

import { nearest } from "../text/Phrases.ts"

const table = {
  init: "Write the project's tests into .ooda/config.toml, and allow them for this worktree.",
  converge: "Review, have agents fix what is found, test, and repeat until the fixed point.",
  implement: "Work through a plan: agents implement, test, review and fix, until its tasks are accepted.",
  status: "Show how a run is, what happened in it and what to call next; --follow keeps watching it.",
  runs: "List the runs of this repository and how each is; --prune removes old ones.",
  replay: "Show a run event by event, or its manifest at one line; --follow tails a live one.",
  audit: "Check a run against its own rules and files; say what a fixed point has proven.",
  attest: "Write an in-toto attestation of a run whose fixed point audits sound; --out names the file.",
  findings: "Show what the reviewers of a batch found: a table, JSON, SARIF, Markdown, GitHub annotations.",
  report: "Write one HTML page about a run: outcome, proof, path, findings, rounds; --out names the file.",
  dismiss: "Dismiss a finding, for a reason, so that it does not block: for one run, or for the repository.",
  watch: "Follow a run until no process works on it: status --follow.",
  stop: "End the reviewers of a run and record it.",
  undo: "Put the worktree back to where it was before an agent worked.",
  result: "Judge an agent's last message by the result contract: pass, gaps, error, or ask once more.",
  hook: "Put reviews by a second model into Claude Code: install, uninstall, status, dismiss.",
  fleet: "Review pull requests of many repositories by many machines, over one PostgreSQL database.",
  ci: "Review in a job of GitHub Actions: SARIF, annotations, summary, report, one comment.",
  config: "Show each setting of a converging run, its value and where it comes from.",
  doctor: "Look at what reviews need on this machine; say what is wrong and what fixes it."
} as const

export type SubcommandName = keyof typeof table

/** The subcommands in the order of the help: what people call, what reads a run or the machine, what programs call. */
export const subcommandGroups = [
  { title: "Commands", names: ["init", "converge", "implement", "status", "undo", "findings", "report", "stop"] },
  {
    title: "Commands that show a run, prove it, or look at this machine",
    names: ["runs", "watch", "dismiss", "replay", "audit", "attest", "config", "doctor"]
  },
  { title: "Commands for other programs", names: ["hook", "ci", "fleet", "result"] }
] as const satisfies ReadonlyArray<{ readonly title: string; readonly names: ReadonlyArray<SubcommandName> }>

/** What other programs call a subcommand. */
const synonyms: ReadonlyMap<string, string> = new Map([
  ["help", "--help"],
  ["version", "--version"],
  ["log", "replay"],
  ["list", "runs"],
  ["ls", "runs"],
  ["show", "status"],
  ["setup", "init"],
  ["fix", "converge"],
  ["plan", "implement"],
  ["cancel", "stop"],
  ["abort", "stop"],
  ["revert", "undo"],
  ["resume", "converge"],
  ["check", "doctor"]
])

/** Name to one line of help. Its code is in `commands/<name>.ts`, loaded only when it is called. */
export const subcommands: ReadonlyMap<string, string> = new Map(Object.entries(table))

/** A recognised subcommand with the arguments behind its name. */
export interface SubcommandCall {
  readonly name: SubcommandName
  readonly argv: ReadonlyArray<string>
}

const isName = (name: string): name is SubcommandName => Object.hasOwn(table, name)

/** The probable meaning of a first argument that is no subcommand, or null: `audit` for `audti` and for `AUDIT`. */
export const suggestion = (word: string): string | null => {
  const given = word.toLowerCase()
  return synonyms.get(given) ?? (given.length > 16 ? null : nearest(given, Object.keys(table)))
}

/** The subcommand that argv calls, or null. Only the first argument can be one. */
export const subcommandIn = (argv: ReadonlyArray<string>): SubcommandCall | null => {
  const [name, ...rest] = argv
  return name !== undefined && isName(name) ? { name, argv: rest } : null
}
