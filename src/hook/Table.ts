// Table: which events of Claude Code call this program, for which tools, and how long each call may take.
// The plugin's hooks.json and the entries of `hook install` are both made from this table.

/** What a Stop is held to: nothing, open FAILs, a review of the turn, the fixed point. */
export const gates = ["off", "fails", "review", "ladder"] as const
export type Gate = typeof gates[number]

export const defaultGate: Gate = "review"

/** When a plan is reviewed: once a person has approved it, or before they are asked to. */
export const planTimes = ["after", "before"] as const
export type PlanTime = typeof planTimes[number]

interface Row {
  readonly event: string
  readonly matcher?: string
  readonly flags?: string
  /** The program's own deadline in seconds. Claude Code ends it some seconds later, and then drops its answer. */
  readonly deadline: number
  /** The session continues meanwhile, and gets the answer with its next request. */
  readonly async?: true
}

// Matches a word of the tool's own name, not of its server's, as `classifyTool` does.
const ofServers = "mcp__.+?__(.*[^A-Za-z0-9])?"

const rows = (gate: Gate, plans: PlanTime): ReadonlyArray<Row> => [
  {
    event: "PostToolUse",
    matcher: `^(Write|Edit|MultiEdit|Patch|NotebookEdit|${ofServers}(edit_file|morph)([^A-Za-z0-9].*)?)$`,
    flags: "--quiet",
    deadline: 90,
    async: true
  },
  { event: plans === "before" ? "PreToolUse" : "PostToolUse", matcher: "ExitPlanMode", deadline: 170 },
  {
    event: "PostToolUse",
    matcher: `^${ofServers}(sequential_?thinking|actor-critic|shannon)`,
    deadline: 90
  },
  // Many commands fail on purpose, so the diagnosis runs in the background.
  { event: "PostToolUseFailure", matcher: "Bash", flags: "--quiet", deadline: 90, async: true },
  { event: "Stop", flags: `--gate ${gate}`, deadline: 170 },
  { event: "PreCompact", deadline: 90 },
  { event: "SessionEnd", deadline: 3 }
]

/** Claude Code waits this much longer, so that the program ends by itself. */
const margin = 10
const marginAtEnd = 2

// A program that is not on PATH, or that does not run there (126, 127: no node, for example), must not block.
const guard = "command -v ooda-codex-review >/dev/null"
const unlessItCannotRun = "s=$?; [ $s = 126 ] || [ $s = 127 ] || exit $s"

const missing = "ooda-codex-review is not on PATH or does not run there, so nothing is reviewed [install it and " +
  "Node.js; ooda-codex-review --version shows what is wrong]"

/** A handler of an event in the form of Claude Code's settings. */
interface Handler {
  readonly type: "command"
  readonly command: string
  readonly timeout: number
  readonly async?: true
}

/** Handlers of an event, for the tools that `matcher` names or for all. */
interface HookGroup {
  readonly matcher?: string
  readonly hooks: ReadonlyArray<Handler>
}

const groupOf = ({ async, deadline, event, flags, matcher }: Row): HookGroup => ({
  ...(matcher === undefined ? {} : { matcher }),
  hooks: [{
    type: "command",
    // Inside our own agents the hook does nothing: the program that started the agent has its work reviewed.
    command: [
      `${guard} && [ -z "$OODA_IN_AGENT" ] || exit 0; ooda-codex-review hook`,
      ...(flags === undefined ? [] : [flags])
    ].join(" ") +
      ` --deadline ${deadline}s; ${unlessItCannotRun}`,
    timeout: deadline + (event === "SessionEnd" ? marginAtEnd : margin),
    ...(async === undefined ? {} : { async })
  }]
})

// If the program does not run, every other hook is silent, so this one informs the user, once a session.
const missingNotice: HookGroup = {
  matcher: "startup",
  hooks: [{
    type: "command",
    command: `${guard} && { [ -n "$OODA_IN_AGENT" ] || ooda-codex-review --version >/dev/null 2>&1; } || ` +
      `echo '{"systemMessage":"${missing}"}'`,
    timeout: margin
  }]
}

const whenOf = ({ event, matcher = "" }: Row): string => {
  if (matcher === "ExitPlanMode") {
    return event === "PreToolUse"
      ? "before a plan is approved"
      : "after a plan was approved"
  }
  if (matcher.startsWith("^(Write|Edit")) return "after each edit of a file"
  switch (event) {
    case "PostToolUseFailure":
      return "after each failed command"
    case "Stop":
      return "when Claude stops"
    case "PreCompact":
      return "before the session is compacted"
    case "SessionEnd":
      return "when the session ends"
    default:
      return "after each thought of a thinking server"
  }
}

/** What the hooks do, a line each: when codex may be called, and how long the session waits for it at most. */
export const hookSummary = (gate: Gate, plans: PlanTime): ReadonlyArray<string> =>
  rows(gate, plans).map((row) => {
    const held = row.deadline + (row.event === "SessionEnd" ? marginAtEnd : margin)
    return `${whenOf(row)}: ${row.async === true ? "in the background" : `holds the session up to ${held} s`}`
  })

/** The groups of each event in the form of Claude Code's settings. */
export const hookTable = (
  gate: Gate,
  plans: PlanTime = "after"
): Readonly<Record<string, ReadonlyArray<HookGroup>>> => {
  const table: Record<string, Array<HookGroup>> = { SessionStart: [missingNotice] }
  for (const row of rows(gate, plans)) table[row.event] = [...table[row.event] ?? [], groupOf(row)]
  return table
}

/** Whether `hookTable` makes a command like this, in any version and with any flags. */
export const isOurs = (command: string): boolean =>
  command.startsWith(guard) || /(?:^|[\s;&|/"'])ooda-codex-review(?:\.cjs)?["']? hook(?:\s|$)/.test(command)
