// layers: the live layers of this machine, for a step and for programs that embed this one.
// Only the entries `main.ts` and `hookProgram.ts` and files called `*Layers.ts` and `logging.ts` name adapters.
import { Effect, Layer } from "effect"
import {
  claudeLayer as claudeAgent,
  codexLayer as codexAgent,
  commandLayer as commandAgent
} from "./agent/Kinds.live.ts"
import { layer as machine } from "./read/doctor/Machine.live.ts"
import { layer as reviewers } from "./review/Reviewers.live.ts"
import { layer as reviewFiles } from "./review/ReviewFiles.live.ts"
import { layer as dismissals } from "./review/findings/Dismissals.live.ts"
import { layer as gitHub } from "./code/GitHub.live.ts"
import { layer as git } from "./code/Git.live.ts"
import { layer as snapshots } from "./code/Snapshots.live.ts"
import { layer as commits } from "./drive/Commits.live.ts"
import { layer as eventLog } from "./log/EventLog.live.ts"
import { searchPath } from "./platform/SearchPath.ts"
import { layer as drivers } from "./drive/DriverLock.live.ts"
import { layer as planFiles } from "./drive/plan/PlanFiles.live.ts"
import { layer as runStore } from "./run/RunStore.live.ts"
import { layer as tests } from "./drive/Tests.live.ts"
import { signalsLayer as processSignals } from "./platform/Process.live.ts"
import { Signals } from "./platform/Process.ts"

// A host ends a step by interrupting it; the signals of its process are its own.
const noSignals = Layer.succeed(Signals, { asked: Effect.never })

/** The layers of this machine. `layer` is all that the library needs; a host can replace each of them. */
export const Live = {
  reviewers,
  dismissals,
  eventLog,
  git,
  gitHub,
  planFiles,
  /** The machine itself, for `doctor`. */
  machine,
  reviewFiles,
  runStore,
  snapshots,
  commits,
  drivers,
  tests,
  noSignals,
  /** PATH without the directories of a worktree, for a host that provides `Environment`. */
  searchPath,
  /** Agents of each kind, by their binary or, for any other program, by its shell line. */
  agents: { codex: codexAgent, claude: claudeAgent, command: commandAgent },
  /** SIGINT, SIGTERM and SIGHUP of this process: for a program whose process ends with its step. */
  processSignals,
  layer: Layer.mergeAll(
    commits,
    drivers,
    reviewers,
    dismissals,
    eventLog,
    git,
    gitHub,
    machine,
    noSignals,
    planFiles,
    reviewFiles,
    runStore,
    snapshots,
    tests
  )
} as const
