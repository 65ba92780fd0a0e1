// rooms: the rooms of the house, and which doors lead from one to another.
// The one rule: the doors never bend for a file; a room that is not named here does not exist.

/** A room of the house: a folder of `src` that the rules tell apart from its neighbours, or one of the loose files. */
export type Room =
  | "main"
  | "program"
  | "hookProgram"
  | "layers"
  | "logging"
  | "index"
  | "testing"
  | "core"
  | "core/text"
  | "core/log"
  | "core/run"
  | "core/findings"
  | "core/verdict"
  | "core/loop"
  | "core/doctor"
  | "core/agent"
  | "core/driven"
  | "core/converge"
  | "core/implement"
  | "core/report"
  | "core/attest"
  | "core/ci"
  | "core/plan"
  | "core/planfile"
  | "core/config"
  | "core/hook"
  | "core/fleet"
  | "hook"
  | "hook/ladder"
  | "services"
  | "runs"
  | "agents"
  | "ooda"
  | "step"
  | "driving"
  | "converge"
  | "implement"
  | "history"
  | "report"
  | "upkeep"
  | "ci"
  | "fleet"
  | "commands"
  | "cli"
  | "adapters/log"
  | "adapters/git"
  | "adapters/store"
  | "adapters/process"
  | "adapters/codex"
  | "adapters/agents"
  | "adapters/tests"
  | "adapters/terminal"
  | "adapters/sql"

const pure: ReadonlyArray<Room> = [
  "core",
  "core/text",
  "core/log",
  "core/run",
  "core/findings",
  "core/verdict",
  "core/loop",
  "core/doctor",
  "core/agent",
  "core/driven",
  "core/converge",
  "core/implement",
  "core/report",
  "core/attest",
  "core/ci",
  "core/plan",
  "core/planfile",
  "core/config",
  "core/hook",
  "core/fleet"
]
const programs: ReadonlyArray<Room> = [
  "hook",
  "runs",
  "agents",
  "ooda",
  "step",
  "driving",
  "converge",
  "implement",
  "history",
  "report",
  "upkeep",
  "ci",
  "fleet"
]
const machine: ReadonlyArray<Room> = ["adapters/log", "adapters/store", "adapters/process"]

/** What each room may import beside itself. A room that is not named here does not exist. */
export const doors: Record<Room, ReadonlyArray<Room>> = {
  core: [],
  "core/text": [],
  "core/log": ["core/text"],
  "core/run": ["core/text", "core/log"],
  "core/findings": ["core/text", "core/log", "core/run"],
  "core/verdict": ["core/text", "core/run", "core/findings"],
  "core/loop": ["core/text", "core/log", "core/run", "core/findings", "core/verdict"],
  "core/doctor": ["core/text"],
  "core/agent": ["core/text", "core/run", "core/verdict"],
  "core/driven": ["core/text", "core/log", "core/run", "core/agent", "core/loop"],
  "core/converge": [
    "core/text",
    "core/log",
    "core/run",
    "core/findings",
    "core/verdict",
    "core/loop",
    "core/agent",
    "core/driven"
  ],
  "core/attest": ["core/text", "core/run"],
  "core/report": [
    "core/text",
    "core/log",
    "core/run",
    "core/findings",
    "core/agent",
    "core/driven",
    "core/converge",
    "core/implement"
  ],
  "core/ci": ["core/text", "core/run", "core/findings"],
  "core/implement": [
    "core/text",
    "core/log",
    "core/run",
    "core/agent",
    "core/driven",
    "core/converge",
    "core/loop",
    "core/plan"
  ],
  "core/plan": ["core/text", "core/run", "core/agent"],
  "core/planfile": ["core/text", "core/plan"],
  "core/config": ["core/text"],
  "core/hook": ["core/text", "core/run", "core/doctor"],
  "core/fleet": ["core/text", "core/run", "core/loop"],
  hook: [...pure, "services"],
  // The gate at the fixed point, and the only one that looks at runs: no other event loads what steps.
  "hook/ladder": [...pure, "services", "runs", "step", "hook"],
  services: pure,
  runs: [...pure, "services"],
  agents: [...pure, "services", "runs"],
  ooda: [...pure, "services", "runs"],
  step: [...pure, "services", "runs", "ooda"],
  driving: [...pure, "services", "runs", "agents"],
  converge: [...pure, "services", "runs", "agents", "ooda", "step", "driving"],
  implement: [...pure, "services", "runs", "agents", "driving", "converge"],
  history: [...pure, "services", "runs"],
  // It shows what history derives from the log, and derives nothing a second time.
  report: [...pure, "services", "runs", "history"],
  upkeep: [...pure, "services", "runs", "ooda"],
  // One step a level, and what history and the report tell of it.
  ci: [...pure, "services", "runs", "step", "history", "report"],
  // The same steps, for many runs at once: it may call them, and nothing of them knows it.
  fleet: [...pure, "services", "runs", "ooda", "step"],
  cli: pure,
  commands: [...pure, "services", ...programs, "cli"],
  // The guard and the system calls that every adapter builds on: it knows nothing of what is run or kept.
  "adapters/process": ["services"],
  "adapters/store": [...pure, "services", "adapters/log", "adapters/process"],
  "adapters/log": ["core", "core/text", "core/log", "core/run", "services", "adapters/store", "adapters/process"],
  "adapters/git": [...pure, "services", ...machine],
  "adapters/codex": [...pure, "services", ...machine],
  "adapters/agents": [...pure, "services", ...machine, "adapters/codex"],
  "adapters/tests": [...pure, "services", ...machine],
  "adapters/terminal": [...pure, "services", ...machine],
  "adapters/sql": [
    "core",
    "core/text",
    "core/log",
    "core/run",
    "core/fleet",
    "services",
    "adapters/log",
    "adapters/store",
    "adapters/process",
    "adapters/codex"
  ],
  testing: [...pure, "services", ...programs],
  layers: [
    ...pure,
    "services",
    "adapters/log",
    "adapters/git",
    "adapters/store",
    "adapters/process",
    "adapters/codex",
    "adapters/agents",
    "adapters/tests",
    "adapters/terminal",
    "adapters/sql",
    "fleet"
  ],
  // Loaded by calls that keep a log of their own work, and by no other.
  logging: ["services", "cli", "adapters/terminal"],
  index: [...pure, "services", ...programs, "layers"],
  program: [...pure, "services", ...programs, "commands", "cli", "layers", "logging"],
  // Answers an event of Claude Code with the live layers, and loads no more of the program than that event needs.
  hookProgram: [
    ...pure,
    "services",
    "hook",
    "hook/ladder",
    "cli",
    "layers",
    "logging",
    "adapters/agents",
    "adapters/git",
    "adapters/process",
    "adapters/store"
  ],
  // An edit that was seen before is answered without the rest of the program.
  main: ["core", "core/hook", "cli", "adapters/store", "program", "hookProgram"]
}

const loose: Readonly<Record<string, Room>> = {
  "main.ts": "main",
  "program.ts": "program",
  "hookProgram.ts": "hookProgram",
  "layers.ts": "layers",
  "stepLayers.ts": "layers",
  "commandLayers.ts": "layers",
  "fleetLayers.ts": "layers",
  "logging.ts": "logging",
  "index.ts": "index",
  "testing.ts": "testing"
}

const isRoom = (name: string): name is Room => Object.hasOwn(doors, name)

/** The room of a file, by its path from the repository's root; null for one that nobody has planned. */
export const roomOf = (path: string): Room | null => {
  const [, ...parts] = path.split("/")
  const folders = parts.slice(0, -1)
  if (folders.length === 0) return loose[parts[0] ?? ""] ?? null
  for (let depth = folders.length; depth > 0; depth--) {
    const name = folders.slice(0, depth).join("/")
    // A folder of a room that has no name of its own belongs to that room, but `core` and `adapters` hold rooms alone.
    if (isRoom(name) && (depth === folders.length || name !== "core")) return name
  }
  return null
}

/** The largest unit that a rule about what may be used is told for. */
export const wing = (room: Room): string => room.split("/")[0] ?? room
